//===- RecurrencePhasesTest.cpp - Steps of several phases -----------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedStack.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace sinter::test;

namespace {

/// Sizes of the cell: units of its two states, of the projected input and of
/// the input that is a factor.
struct Sizes {
  int64_t u, n, k, v;
};

/// Three phases. The first has other units than the rest, products of a state
/// and of an input, and a result of which everything needs something: the next
/// phase as a factor, the step as output and state. The second reduces, a sum,
/// a maximum and a sum that uses the first. The third has no products.
const char *cell = R"(
#panels = #fused.layout<(k, n) -> (n floordiv 16, k, n mod 16)>
#stack = #fused.layout<(g, k, n) -> (n floordiv 16, k, g, n mod 16)>
!x = memref<?x?x{K}xf32>
!v = memref<?x?x{V}xf32>
!y = memref<?x?x{U}xf32>
!z = memref<?x?x{N}xf32>
!h = memref<?x{U}xf32>
!s = memref<?x{N}xf32>
!l = memref<?xi64>
!w = memref<2x{K}x{U}xf32, #stack>
!a = memref<2x{U}x{N}xf32, #stack>
!b = memref<{V}x{N}xf32, #panels>
!c = memref<{N}x{U}xf32, #panels>
!bias = memref<{U}xf32>
!uu = !fused.units<{U}xf32>
!un = !fused.units<{N}xf32>
!uv = !fused.units<{V}xf32>
fused.kernel @f {
^bb0(%x: !x, %w: !w, %v: !v, %a: !a, %b: !b, %c: !c, %bias: !bias, %h0: !h, %s0: !s, %l: !l,
     %y: !y, %z: !z, %hn: !h, %sn: !s):
  fused.recurrence dims(b, t, u, k) {MODE} lengths(%l by (b) : !l)
      project(%x by (b, t, k) : !x) weights(%w : !w) vectors(%v by (b, t, u) : !v)
      state(%h0 by (b, u), %s0 by (b, u) : !h, !s)
      outs(%y by (b, t, u), %z by (b, t, u), %hn by (b, u), %sn by (b, u) : !y, !z, !h, !s) {
  ^bb0(%p: !uu, %q: !uu, %vt: !uv, %h: !uu, %s: !un):
    %r = fused.phase products(%h * %a, %vt * %b : !a, !b) vectors(%s) -> !un
      map {
      ^bb0(%ha: f32, %hb: f32, %vb: f32, %su: f32):
        %g0 = arith.addf %ha, %vb : f32
        %g = fused.sigmoid %g0 : f32
        %gs = arith.mulf %g, %su : f32
        %new = arith.addf %gs, %hb : f32
        fused.yield %new : f32
      }
    %h1 = fused.phase products(%r * %c : !c) vectors(%p, %q) captures(%bias by (u) : !bias) -> !uu
      reduce sum {
      ^bb0(%rc: f32, %pu: f32, %qu: f32, %bu: f32):
        %d = arith.addf %rc, %pu : f32
        fused.yield %d : f32
      } reduce max {
      ^bb0(%rc: f32, %pu: f32, %qu: f32, %sum: f32, %bu: f32):
        %size = math.absf %qu : f32
        fused.yield %size : f32
      } reduce sum {
      ^bb0(%rc: f32, %pu: f32, %qu: f32, %sum: f32, %max: f32, %bu: f32):
        %inverse = arith.constant {INVERSE} : f32
        %mean = arith.mulf %sum, %inverse : f32
        %d0 = arith.addf %rc, %pu : f32
        %d = arith.subf %d0, %mean : f32
        %dd = arith.mulf %d, %d : f32
        fused.yield %dd : f32
      } map {
      ^bb0(%rc: f32, %pu: f32, %qu: f32, %sum: f32, %max: f32, %squares: f32, %bu: f32):
        %one = arith.constant 1.0 : f32
        %inverse = arith.constant {INVERSE} : f32
        %mean = arith.mulf %sum, %inverse : f32
        %variance = arith.mulf %squares, %inverse : f32
        %safe = arith.addf %variance, %one : f32
        %root = math.sqrt %safe : f32
        %d0 = arith.addf %rc, %pu : f32
        %d = arith.subf %d0, %mean : f32
        %n = arith.divf %d, %root : f32
        %low = arith.addf %max, %one : f32
        %share = arith.divf %qu, %low : f32
        %both = arith.addf %n, %share : f32
        %shifted = arith.addf %both, %bu : f32
        %new = math.tanh %shifted : f32
        fused.yield %new : f32
      }
    %d = fused.phase vectors(%h1, %h) -> !uu
      map {
      ^bb0(%new: f32, %old: f32):
        %diff = arith.subf %new, %old : f32
        fused.yield %diff : f32
      }
    fused.step outputs(%d, %r : !uu, !un) state(%h1, %r : !uu, !un)
  }
})";

std::string withSizes(std::string text, const Sizes &sizes, bool reverse) {
  auto replace = [&](const std::string &from, const std::string &to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;)
      text.replace(at, from.size(), to);
  };
  replace("{U}", std::to_string(sizes.u));
  replace("{N}", std::to_string(sizes.n));
  replace("{K}", std::to_string(sizes.k));
  replace("{V}", std::to_string(sizes.v));
  replace("{MODE}", reverse ? "reverse" : "");
  replace("{INVERSE}", std::to_string(1.0 / double(sizes.u)));
  return text;
}

struct Weights {
  Stack w, a, b, c;
  Buffer<float> bias;

  Weights(Numbers &numbers, const Sizes &sizes)
      : w(numbers, 2, sizes.k, sizes.u), a(numbers, 2, sizes.u, sizes.n),
        b(numbers, 1, sizes.v, sizes.n), c(numbers, 1, sizes.n, sizes.u),
        bias(sizes.u) {
    numbers.fill(bias, sizes.u);
  }
};

/// A step in double precision; returns the first output, the second is `s`.
Row step(Weights &w, double inverse, const Row &x, const Row &v, Row &h,
         Row &s) {
  Row p = w.w.times(0, x), q = w.w.times(1, x), ha = w.a.times(0, h),
      hb = w.a.times(1, h), vb = w.b.times(0, v);
  for (size_t i = 0; i < s.size(); ++i)
    s[i] = s[i] / (1 + std::exp(-(ha[i] + vb[i]))) + hb[i];
  Row d = w.c.times(0, s), diff(h.size());
  double sum = 0, max = 0, squares = 0;
  for (size_t i = 0; i < d.size(); ++i) {
    sum += d[i] += p[i];
    max = std::max(max, std::fabs(q[i]));
  }
  for (double di : d)
    squares += (di - sum * inverse) * (di - sum * inverse);
  for (size_t i = 0; i < d.size(); ++i) {
    double made =
        std::tanh((d[i] - sum * inverse) / std::sqrt(squares * inverse + 1) +
                  q[i] / (max + 1) + double(w.bias[i]));
    diff[i] = made - h[i];
    h[i] = made;
  }
  return diff;
}

/// One call: `batch` rows of which row b takes lengths[b] of `time` steps.
class Call {
public:
  Call(Numbers &numbers, const Sizes &sizes, std::vector<int64_t> rowLengths,
       int64_t time)
      : sizes(sizes), batch(int64_t(rowLengths.size())), time(time),
        x(batch * time * sizes.k), v(batch * time * sizes.v),
        y(batch * time * sizes.u), z(batch * time * sizes.n),
        h(batch * sizes.u), s(batch * sizes.n), hn(batch * sizes.u),
        sn(batch * sizes.n), lengths(batch) {
    numbers.fill(x, batch * time * sizes.k);
    numbers.fill(v, batch * time * sizes.v);
    numbers.fill(h, batch * sizes.u);
    numbers.fill(s, batch * sizes.n);
    for (int64_t b = 0; b < batch; ++b)
      lengths[b] = rowLengths[b];
  }

  void run(KernelRunner &runner, Weights &w) {
    runner.run("f", {x,     batch,   time,  w.w,    v,     batch, time,
                     w.a,   w.b,     w.c,   w.bias, h,     batch, s,
                     batch, lengths, batch, y,      batch, time,  z,
                     batch, time,    hn,    batch,  sn,    batch});
  }

  void check(Weights &w, bool reverse) {
    double inverse = std::stof(std::to_string(1.0 / double(sizes.u)));
    for (int64_t b = 0; b < batch; ++b) {
      int64_t length = std::clamp<int64_t>(lengths[b], 0, time);
      Row state = rowOf(h, b, sizes.u), other = rowOf(s, b, sizes.n);
      for (int64_t i = 0; i < time; ++i) {
        int64_t at = b * time + (reverse && i < length ? length - 1 - i : i);
        Row diff(sizes.u), none(sizes.n);
        if (i < length)
          diff = step(w, inverse, rowOf(x, at, sizes.k), rowOf(v, at, sizes.v),
                      state, other);
        expectNear(y, at, diff);
        expectNear(z, at, i < length ? other : none);
      }
      expectNear(hn, b, state);
      expectNear(sn, b, other);
    }
    EXPECT_TRUE(y.guardsHold() && z.guardsHold() && hn.guardsHold() &&
                sn.guardsHold());
  }

private:
  /// Sums of at most 33 terms below 1 lose some 1e-6, which a step of this cell
  /// passes on at most once over.
  template <typename Array>
  static void expectNear(Array &array, int64_t row, const Row &expected) {
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(array[row * expected.size() + i], expected[i], 1e-5)
          << "row " << row << " unit " << i;
  }

  Sizes sizes;
  int64_t batch, time;
  Buffer<float> x, v, y, z, h, s, hn, sn;
  Buffer<int64_t> lengths;
};

} // namespace

// Rows in number around a task's, lengths from none to more than there is.
TEST(RecurrencePhases, EverySize) {
  std::vector<std::vector<int64_t>> batches = {
      {}, {9}, {0}, {3, 40}, {1, 0, 9, 2, 100}};
  for (const std::string &cpu : runnableLevels())
    for (Sizes sizes : {Sizes{1, 1, 1, 1}, Sizes{7, 17, 3, 5},
                        Sizes{33, 16, 5, 33}, Sizes{16, 33, 20, 1}})
      for (bool reverse : {false, true}) {
        KernelRunner runner(withSizes(cell, sizes, reverse), cpu);
        ASSERT_TRUE(runner.loaded());
        Numbers numbers;
        Weights weights(numbers, sizes);
        for (const std::vector<int64_t> &lengths : batches)
          for (int64_t time : {0, 1, 9}) {
            SCOPED_TRACE(cpu + " units " + std::to_string(sizes.u) + " batch " +
                         std::to_string(lengths.size()) + " time " +
                         std::to_string(time) + (reverse ? " reverse" : ""));
            Call call(numbers, sizes, lengths, time);
            call.run(runner, weights);
            call.check(weights, reverse);
            if (HasFailure())
              return;
          }
      }
}

// A step without input, products or lengths: a counter, and an argument that is
// passed on.
TEST(RecurrencePhases, NoProducts) {
  const char *text = R"(
!y = memref<?x?x7xf32>
!h = memref<?x7xf32>
!units = !fused.units<7xf32>
fused.kernel @f {
^bb0(%x: !y, %h0: !h, %y: !y, %z: !y, %hn: !h):
  fused.recurrence dims(b, t, u, k) vectors(%x by (b, t, u) : !y) state(%h0 by (b, u) : !h)
      outs(%y by (b, t, u), %z by (b, t, u), %hn by (b, u) : !y, !y, !h) {
  ^bb0(%a: !units, %h: !units):
    %h1 = fused.phase vectors(%h) -> !units
      map {
      ^bb0(%hu: f32):
        %one = arith.constant 1.0 : f32
        %r = arith.addf %hu, %one : f32
        fused.yield %r : f32
      }
    fused.step outputs(%a, %h : !units, !units) state(%h1 : !units)
  }
})";
  for (const std::string &cpu : runnableLevels()) {
    KernelRunner runner(text, cpu);
    ASSERT_TRUE(runner.loaded());
    constexpr int64_t batch = 3, time = 300, units = 7;
    Buffer<float> x(batch * time * units), h(batch * units),
        y(batch * time * units), z(batch * time * units), hn(batch * units);
    Numbers numbers;
    numbers.fill(x, batch * time * units);
    for (int64_t i = 0; i < batch * units; ++i)
      h[i] = float(i);
    runner.run("f", {x, batch, time, h, batch, y, batch, time, z, batch, time,
                     hn, batch});
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t u = 0; u < units; ++u) {
        for (int64_t t = 0; t < time; ++t) {
          int64_t i = (b * time + t) * units + u;
          ASSERT_EQ(y[i], x[i]) << cpu;
          ASSERT_EQ(z[i], h[b * units + u] + float(t)) << cpu;
        }
        ASSERT_EQ(hn[b * units + u], h[b * units + u] + float(time)) << cpu;
      }
    EXPECT_TRUE(y.guardsHold() && z.guardsHold() && hn.guardsHold());
  }
}

// A row that is past its length has nothing to report, whatever its input.
TEST(RecurrencePhases, ClampedReadsAreReported) {
  const char *text = R"(
!y = memref<?x?x19xf32>
!table = memref<4xf32>
!units = !fused.units<19xf32>
fused.kernel @f {
^bb0(%x: !y, %table: !table, %n: memref<?xi64>, %y: !y):
  fused.recurrence dims(b, t, u, k) lengths(%n by (b) : memref<?xi64>) vectors(%x by (b, t, u) : !y)
      outs(%y by (b, t, u) : !y) {
  ^bb0(%a: !units):
    %r = fused.phase vectors(%a) captures(%table : !table) -> !units
      map {
      ^bb0(%v: f32, %all: !table):
        %at = arith.fptosi %v : f32 to i32
        %read = fused.read %all[%at : i32] {reports} : !table
        fused.yield %read : f32
      }
    fused.step outputs(%r : !units)
  }
})";
  for (const std::string &cpu : runnableLevels()) {
    KernelRunner runner(text, cpu);
    ASSERT_TRUE(runner.loaded());
    constexpr int64_t batch = 2, time = 3, units = 19;
    Buffer<float> x(batch * time * units), table(4), y(batch * time * units);
    Buffer<int64_t> lengths(batch), notice(1);
    for (int64_t i = 0; i < batch * time * units; ++i)
      x[i] = float(i % 4);
    for (int64_t i = 0; i < 4; ++i)
      table[i] = float(i);
    lengths[0] = 2;
    lengths[1] = 3;
    auto isReported = [&] {
      notice[0] = 0;
      runner.run(
          "f", {x, batch, time, table, lengths, batch, y, batch, time, notice});
      return notice[0] == 1;
    };
    EXPECT_FALSE(isReported()) << cpu;
    for (int64_t unit : {0, 15, 18}) {
      for (int64_t row : {0, 1, 2, 5}) {
        float good = std::exchange(x[row * units + unit], 4);
        EXPECT_EQ(isReported(), row != 2) << cpu << " row " << row;
        x[row * units + unit] = good;
      }
    }
  }
}
