//===- RecurrenceCellsTest.cpp - Two cells of several phases --------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedStack.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace sinter::test;

namespace {
constexpr int64_t inputs = 256, units = 512, batch = 2, steps = 3;

const std::string types = R"(
#panels = #fused.layout<(k, n) -> (n floordiv 16, k, n mod 16)>
!len   = memref<?xi64>
!in    = memref<?x?x256xf32>
!seq   = memref<?x?x512xf32>
!state = memref<?x512xf32>
!w     = memref<256x512xf32, #panels>
!u     = memref<512x512xf32, #panels>
!vec   = memref<512xf32>
!units = !fused.units<512xf32>
)";

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// Sums of 768 terms, some .03 in size, in f32; both cells shrink errors or
/// pass them on about as they are.
void expectNear(Buffer<float> &array, int64_t row, const Row &expected) {
  for (int64_t i = 0; i < units; ++i)
    ASSERT_NEAR(array[row * units + i], expected[i], 5e-6)
        << "row " << row << " unit " << i;
}

/// What both cells have.
struct Sequence {
  Buffer<float> x, h, y, last;

  explicit Sequence(Numbers &numbers)
      : x(batch * steps * inputs), h(batch * units), y(batch * steps * units),
        last(batch * units) {
    numbers.fill(x, batch * steps * inputs);
    numbers.fill(h, batch * units);
  }

  template <typename Step> void check(Step step) {
    for (int64_t b = 0; b < batch; ++b) {
      Row state = rowOf(h, b, units);
      for (int64_t t = 0; t < steps; ++t) {
        state = step(rowOf(x, b * steps + t, inputs), state);
        expectNear(y, b * steps + t, state);
      }
      expectNear(last, b, state);
    }
  }
};
} // namespace

// A GRU with its reset gate before the matrix (Cho et al. 2014).
TEST(RecurrenceCells, ResetBefore) {
  const std::string text = types + R"(
fused.kernel @f {
^bb0(%x: !in, %n: !len, %wz: !w, %wr: !w, %wc: !w, %h0: !state, %uz: !u, %ur: !u, %uc: !u,
     %bz: !vec, %br: !vec, %bc: !vec, %y0: !seq, %hn0: !state):
  fused.recurrence dims(b, t, u, k) lengths(%n by (b) : !len)
      project(%x by (b, t, k) : !in) weights(%wz, %wr, %wc : !w, !w, !w) state(%h0 by (b, u) : !state)
      outs(%y0 by (b, t, u), %hn0 by (b, u) : !seq, !state) {
  ^bb0(%xz: !units, %xr: !units, %xc: !units, %h: !units):
    %z, %rh = fused.phase products(%h * %uz, %h * %ur : !u, !u) vectors(%xz, %xr, %h)
        captures(%bz by (u), %br by (u) : !vec, !vec) -> !units, !units
      map {
      ^bb0(%pz: f32, %pr: f32, %az: f32, %ar: f32, %hu: f32, %cz: f32, %cr: f32):
        %z1 = arith.addf %pz, %az : f32
        %z2 = arith.addf %z1, %cz : f32
        %zu = fused.sigmoid %z2 : f32
        %r1 = arith.addf %pr, %ar : f32
        %r2 = arith.addf %r1, %cr : f32
        %ru = fused.sigmoid %r2 : f32
        %rhu = arith.mulf %ru, %hu : f32
        fused.yield %zu, %rhu : f32, f32
      }
    %h1 = fused.phase products(%rh * %uc : !u) vectors(%xc, %z, %h) captures(%bc by (u) : !vec) -> !units
      map {
      ^bb0(%pc: f32, %ac: f32, %zu: f32, %hu: f32, %cc: f32):
        %c1 = arith.addf %pc, %ac : f32
        %c2 = arith.addf %c1, %cc : f32
        %c = math.tanh %c2 : f32
        %d = arith.subf %hu, %c : f32
        %zd = arith.mulf %zu, %d : f32
        %y1 = arith.addf %c, %zd : f32
        fused.yield %y1 : f32
      }
    fused.step outputs(%h1 : !units) state(%h1 : !units)
  }
})";
  for (const std::string &cpu : runnableLevels()) {
    KernelRunner runner(text, cpu);
    ASSERT_TRUE(runner.loaded());
    Numbers numbers;
    Sequence s(numbers);
    Stack wz(numbers, 1, inputs, units), wr(numbers, 1, inputs, units),
        wc(numbers, 1, inputs, units), uz(numbers, 1, units, units),
        ur(numbers, 1, units, units), uc(numbers, 1, units, units);
    Buffer<float> bz(units), br(units), bc(units);
    for (Buffer<float> *bias : {&bz, &br, &bc})
      numbers.fill(*bias, units);
    Buffer<int64_t> lengths(batch);
    for (int64_t b = 0; b < batch; ++b)
      lengths[b] = steps;
    runner.run("f", {s.x, batch, steps, lengths, batch, wz,     wr,
                     wc,  s.h,   batch, uz,      ur,    uc,     bz,
                     br,  bc,    s.y,   batch,   steps, s.last, batch});
    s.check([&](const Row &x, const Row &h) {
      Row z = wz.times(0, x), r = wr.times(0, x), c = wc.times(0, x),
          hz = uz.times(0, h), hr = ur.times(0, h), reset(units), next(units);
      for (int64_t i = 0; i < units; ++i)
        reset[i] = sigmoid(r[i] + hr[i] + double(br[i])) * h[i];
      Row hc = uc.times(0, reset);
      for (int64_t i = 0; i < units; ++i) {
        double gate = sigmoid(z[i] + hz[i] + double(bz[i]));
        double made = std::tanh(c[i] + hc[i] + double(bc[i]));
        next[i] = made + gate * (h[i] - made);
      }
      return next;
    });
  }
}

// An RNN with layer norm inside the step (Ba et al. 2016).
TEST(RecurrenceCells, LayerNorm) {
  const std::string text = types + R"(
fused.kernel @f {
^bb0(%x: !in, %w: !w, %h0: !state, %um: !u, %gain: !vec, %bias: !vec, %y0: !seq, %hn0: !state):
  fused.recurrence dims(b, t, u, k)
      project(%x by (b, t, k) : !in) weights(%w : !w) state(%h0 by (b, u) : !state)
      outs(%y0 by (b, t, u), %hn0 by (b, u) : !seq, !state) {
  ^bb0(%xa: !units, %h: !units):
    %h1 = fused.phase products(%h * %um : !u) vectors(%xa) captures(%gain by (u), %bias by (u) : !vec, !vec) -> !units
      reduce sum {
      ^bb0(%p: f32, %a: f32, %g: f32, %c: f32):
        %v = arith.addf %p, %a : f32
        fused.yield %v : f32
      } reduce sum {
      ^bb0(%p: f32, %a: f32, %sum: f32, %g: f32, %c: f32):
        %inverse = arith.constant 0.001953125 : f32
        %v = arith.addf %p, %a : f32
        %mean = arith.mulf %sum, %inverse : f32
        %d = arith.subf %v, %mean : f32
        %dd = arith.mulf %d, %d : f32
        fused.yield %dd : f32
      } map {
      ^bb0(%p: f32, %a: f32, %sum: f32, %squares: f32, %g: f32, %c: f32):
        %inverse = arith.constant 0.001953125 : f32
        %eps = arith.constant 1.0e-5 : f32
        %v = arith.addf %p, %a : f32
        %mean = arith.mulf %sum, %inverse : f32
        %d = arith.subf %v, %mean : f32
        %variance = arith.mulf %squares, %inverse : f32
        %safe = arith.addf %variance, %eps : f32
        %r = math.rsqrt %safe : f32
        %n = arith.mulf %d, %r : f32
        %scaled = arith.mulf %n, %g : f32
        %shifted = arith.addf %scaled, %c : f32
        %new = math.tanh %shifted : f32
        fused.yield %new : f32
      }
    fused.step outputs(%h1 : !units) state(%h1 : !units)
  }
})";
  for (const std::string &cpu : runnableLevels()) {
    KernelRunner runner(text, cpu);
    ASSERT_TRUE(runner.loaded());
    Numbers numbers;
    Sequence s(numbers);
    Stack w(numbers, 1, inputs, units), u(numbers, 1, units, units);
    Buffer<float> gain(units), bias(units);
    // The norm brings sums, which are some .05 in size, to about 1, and their
    // errors with them.
    for (int64_t i = 0; i < units; ++i) {
      gain[i] = numbers.next() / 16;
      bias[i] = numbers.next();
    }
    runner.run("f", {s.x, batch, steps, w, s.h, batch, u, gain, bias, s.y,
                     batch, steps, s.last, batch});
    s.check([&](const Row &x, const Row &h) {
      Row v = w.times(0, x), p = u.times(0, h), next(units);
      double sum = 0, squares = 0;
      for (int64_t i = 0; i < units; ++i)
        sum += v[i] += p[i];
      double mean = sum / units;
      for (double vi : v)
        squares += (vi - mean) * (vi - mean);
      double scale = 1 / std::sqrt(squares / units + 1e-5);
      for (int64_t i = 0; i < units; ++i)
        next[i] = std::tanh((v[i] - mean) * scale * double(gain[i]) +
                            double(bias[i]));
      return next;
    });
  }
}
