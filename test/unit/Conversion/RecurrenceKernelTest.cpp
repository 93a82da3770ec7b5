//===- RecurrenceKernelTest.cpp - A cell that no library has --------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRunner.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>

using namespace sinter::test;

namespace {
constexpr int64_t batch = 3, inputs = 7, units = 20;

/// Element (k, n) of a matrix in panels of 16 columns and `depth` rows.
size_t panelIndex(int64_t k, int64_t n, int64_t depth) {
  return size_t((n / 16 * depth + k) * 16 + n % 16);
}

using State = std::vector<double>;

/// s = g h + (1 - g) (W x + U h), g = sigmoid(V x + G h); h' = s |s|.
State step(const float *x, const State &h, Buffer<float> (&w)[2],
           Buffer<float> (&u)[2]) {
  State next(units);
  for (int64_t n = 0; n < units; ++n) {
    double sums[2] = {};
    for (int g : {0, 1}) {
      for (int64_t k = 0; k < inputs; ++k)
        sums[g] += double(x[k]) * w[g][panelIndex(k, n, inputs)];
      for (int64_t k = 0; k < units; ++k)
        sums[g] += h[k] * u[g][panelIndex(k, n, units)];
    }
    double gate = 1 / (1 + std::exp(-sums[1]));
    double s = gate * h[n] + (1 - gate) * sums[0];
    next[n] = s * std::fabs(s);
  }
  return next;
}
} // namespace

// Ragged rows of lengths 0, 5 and all, in sequences around the length of a
// chunk.
TEST(RecurrenceKernel, UnknownCell) {
  const char *text = R"(
#panels = #fused.layout<(k, n) -> (n floordiv 16, k, n mod 16)>
!x = memref<?x?x7xf32>
!y = memref<?x?x20xf32>
!h = memref<?x20xf32>
!n = memref<?xi64>
!w = memref<7x20xf32, #panels>
!u = memref<20x20xf32, #panels>
!units = !fused.units<20xf32>
fused.kernel @f {
^bb0(%x: !x, %w0: !w, %w1: !w, %u0: !u, %u1: !u, %h0: !h, %n: !n, %y: !y, %hn: !h):
  fused.recurrence dims(b, t, u, k) lengths(%n by (b) : !n) project(%x by (b, t, k) : !x) weights(%w0, %w1 : !w, !w)
      state(%h0 by (b, u) : !h) outs(%y by (b, t, u), %hn by (b, u) : !y, !h) {
  ^bb0(%a: !units, %g: !units, %h: !units):
    %h1 = fused.phase products(%h * %u0, %h * %u1 : !u, !u) vectors(%a, %g, %h) -> !units
      map {
      ^bb0(%pa: f32, %pg: f32, %xa: f32, %xg: f32, %hu: f32):
        %one = arith.constant 1.0 : f32
        %g0 = arith.addf %pg, %xg : f32
        %gate = fused.sigmoid %g0 : f32
        %new = arith.addf %pa, %xa : f32
        %kept = arith.mulf %gate, %hu : f32
        %open = arith.subf %one, %gate : f32
        %added = arith.mulf %open, %new : f32
        %s = arith.addf %kept, %added : f32
        %size = math.absf %s : f32
        %r = arith.mulf %s, %size : f32
        fused.yield %r : f32
      }
    fused.step outputs(%h1 : !units) state(%h1 : !units)
  }
})";
  for (const std::string &cpu : runnableLevels()) {
    KernelRunner runner(text, cpu);
    ASSERT_TRUE(runner.loaded());
    Numbers numbers;
    Buffer<float> w[2] = {Buffer<float>(2 * inputs * 16),
                          Buffer<float>(2 * inputs * 16)};
    Buffer<float> u[2] = {Buffer<float>(2 * units * 16),
                          Buffer<float>(2 * units * 16)};
    for (int g : {0, 1}) {
      numbers.fill(w[g], 2 * inputs * 16);
      numbers.fill(u[g], 2 * units * 16);
      // Small enough that |s| stays below 1, where s |s| shrinks errors.
      for (int64_t i = 0; i < 2 * inputs * 16; ++i)
        w[g][i] /= 16;
      for (int64_t i = 0; i < 2 * units * 16; ++i)
        u[g][i] /= 40;
    }
    for (int64_t time : {1, 6, 64, 257, 300}) {
      Buffer<float> x(batch * time * inputs), h(batch * units),
          y(batch * time * units), last(batch * units);
      Buffer<int64_t> lengths(batch);
      numbers.fill(x, batch * time * inputs);
      numbers.fill(h, batch * units);
      lengths[0] = 0;
      lengths[1] = std::min<int64_t>(5, time);
      lengths[2] = time;
      runner.run("f", {x, batch, time, w[0], w[1], u[0], u[1], h, batch,
                       lengths, batch, y, batch, time, last, batch});
      for (int64_t b = 0; b < batch; ++b) {
        State state(&h[b * units], &h[b * units] + units);
        for (int64_t t = 0; t < time; ++t) {
          bool active = t < lengths[b];
          if (active)
            state = step(&x[(b * time + t) * inputs], state, w, u);
          for (int64_t n = 0; n < units; ++n)
            ASSERT_NEAR(y[(b * time + t) * units + n], active ? state[n] : 0,
                        2e-6)
                << cpu << " row " << b << " time " << t << " unit " << n;
        }
        for (int64_t n = 0; n < units; ++n)
          ASSERT_NEAR(last[b * units + n], state[n], 2e-6);
      }
      EXPECT_TRUE(y.guardsHold() && last.guardsHold());
    }
  }
}
