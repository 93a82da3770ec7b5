//===- MapKernelTest.cpp - fused.map against plain loops ------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRunner.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace sinter::test;

// A gather: indices outside the table are clamped.
TEST(MapKernel, EmbeddingClamps) {
  const char *text = R"(
!ids = memref<?x?xi32>
!table = memref<50x67xf32>
!y = memref<?x?x67xf32>
fused.kernel @f {
^bb0(%ids: !ids, %table: !table, %y: !y):
  fused.map dims(b, t, j) ins(%ids by (b, t), %table : !ids, !table) outs(%y by (b, t, j) : !y) index(j) {
  ^bb0(%id: i32, %all: !table, %j: index):
    %i = arith.index_cast %id : i32 to index
    %v = fused.read %all[%i, %j] : !table
    fused.yield %v : f32
  }
})";
  for (const std::string &cpu : runnableLevels()) {
    KernelRunner runner(text, cpu);
    ASSERT_TRUE(runner.loaded());
    Numbers numbers;
    Buffer<float> table(50 * 67);
    numbers.fill(table, 50 * 67);
    int32_t ids[] = {-7, 0, 49, 50, 1 << 30, 3};
    for (int64_t batch : {1, 2, 3}) {
      int64_t length = 6 / batch;
      Buffer<float> y(6 * 67, 1);
      runner.run("f", {reinterpret_cast<int64_t>(ids), batch, length, table, y,
                       batch, length});
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 67; ++j)
          ASSERT_EQ(y[i * 67 + j], table[std::clamp(ids[i], 0, 49) * 67 + j]);
      EXPECT_TRUE(y.guardsHold());
    }
  }
}

// Every length of a row, in place, with a limit on the vectorised dimension.
TEST(MapKernel, RowsOfEveryLength) {
  const char *text = R"(
!x = memref<?x?xf32>
!n = memref<?xi64>
fused.kernel @f {
^bb0(%x: !x, %n: !n):
  fused.map dims(b, j) ins(%x by (b, j) : !x) rows(%n by (b) of j : !n) outs(%x by (b, j) : !x) {
  ^bb0(%a: f32):
    %r = arith.mulf %a, %a : f32
    fused.yield %r : f32
  }
})";
  for (const std::string &cpu : runnableLevels()) {
    KernelRunner runner(text, cpu);
    ASSERT_TRUE(runner.loaded());
    Numbers numbers;
    for (int64_t length = 0; length < 140; length += 1 + length / 20) {
      Buffer<float> x(2 * length, 1);
      numbers.fill(x, 2 * length);
      std::vector<float> before(x.data(), x.data() + 2 * length);
      int64_t limits[] = {length, length / 2};
      runner.run("f", {x, 2, length, reinterpret_cast<int64_t>(limits), 2});
      for (int64_t i = 0; i < 2 * length; ++i) {
        bool computed = i % length < limits[i / length];
        ASSERT_EQ(x[i], computed ? before[i] * before[i] : before[i])
            << cpu << " " << length << " at " << i;
      }
      EXPECT_TRUE(x.guardsHold());
    }
  }
}

// Comparisons of maximum and minimum with NaN on either side.
TEST(MapKernel, MaximaTreatNaNAsTheyShould) {
  const char *text = R"(
!x = memref<?xf32>
fused.kernel @f {
^bb0(%x: !x, %y: !x, %a: !x, %b: !x, %c: !x, %d: !x):
  fused.map dims(i) ins(%x by (i), %y by (i) : !x, !x)
      outs(%a by (i), %b by (i), %c by (i), %d by (i) : !x, !x, !x, !x) {
  ^bb0(%u: f32, %v: f32):
    %zero = arith.constant 0.0 : f32
    %r0 = arith.maximumf %u, %v : f32
    %r1 = arith.maxnumf %u, %v : f32
    %r2 = arith.minimumf %u, %zero : f32
    %r3 = arith.minnumf %zero, %u : f32
    fused.yield %r0, %r1, %r2, %r3 : f32, f32, f32, f32
  }
})";
  float x[] = {1, 2, NAN, 3, NAN, -1, -INFINITY, INFINITY, 0};
  float y[] = {2, 1, 3, NAN, NAN, -2, INFINITY, NAN, -1};
  for (const std::string &cpu : runnableLevels()) {
    KernelRunner runner(text, cpu);
    ASSERT_TRUE(runner.loaded());
    Buffer<float> a(9), b(9), c(9), d(9);
    auto xs = reinterpret_cast<int64_t>(x), ys = reinterpret_cast<int64_t>(y);
    runner.run("f", {xs, 9, ys, 9, a, 9, b, 9, c, 9, d, 9});
    for (int i = 0; i < 9; ++i) {
      bool anyNaN = std::isnan(x[i]) || std::isnan(y[i]);
      EXPECT_TRUE(anyNaN ? std::isnan(a[i]) : a[i] == std::max(x[i], y[i]));
      float number = std::fmax(x[i], y[i]);
      EXPECT_TRUE(std::isnan(number) ? std::isnan(b[i]) : b[i] == number);
      EXPECT_TRUE(std::isnan(x[i]) ? std::isnan(c[i])
                                   : c[i] == std::min(x[i], 0.0f));
      EXPECT_EQ(d[i], std::fmin(x[i], 0.0f));
    }
  }
}

// A read that reports stores 1 where it really clamps, and only there.
TEST(MapKernel, ClampedReadsAreReported) {
  const char *text = R"(
!i = memref<?x?xi64>
!table = memref<?x?xf32>
fused.kernel @f {
^bb0(%ids: !i, %table: !table, %shift: memref<?xi64>, %y: !table):
  fused.map dims(b, j) ins(%ids by (b, j), %table, %shift by (b) : !i, !table, memref<?xi64>) outs(%y by (b, j) : !table) index(j) {
  ^bb0(%id: i64, %all: !table, %s: i64, %j: index):
    %by = arith.index_cast %s : i64 to index
    %at = arith.addi %j, %by : index
    %u = fused.read %all[%id, %at : i64, index] {reports} : !table
    %free = fused.read %all[%at, %id : index, i64] : !table
    %v = arith.addf %u, %free : f32
    fused.yield %v : f32
  }
})";
  for (const std::string &cpu : runnableLevels()) {
    KernelRunner runner(text, cpu);
    ASSERT_TRUE(runner.loaded());
    Fenced<float> table(5 * 21), y(2 * 21);
    Fenced<int64_t> ids(2 * 21);
    int64_t notice = 0, shift[] = {0, 0};
    auto isReported = [&] {
      notice = 0;
      runner.run("f",
                 {ids, 2, 21, table, 5, 21, reinterpret_cast<int64_t>(shift), 2,
                  y, 2, 21, reinterpret_cast<int64_t>(&notice)});
      return notice == 1;
    };
    for (int64_t i = 0; i < 2 * 21; ++i)
      ids[i] = i % 5;
    EXPECT_FALSE(isReported()) << cpu;
    for (int64_t at : {0, 7, 16, 20, 41})
      for (int64_t bad : {-1, 5}) {
        int64_t good = std::exchange(ids[at], bad);
        EXPECT_TRUE(isReported()) << cpu << " " << at << " " << bad;
        ids[at] = good;
      }
    for (int64_t by : {-1, 1}) {
      shift[1] = by;
      EXPECT_TRUE(isReported()) << cpu << " " << by;
    }
  }
}

// A table without elements may have no memory: reads give 0 and touch nothing.
TEST(MapKernel, EmptyTablesReadAsZero) {
  const char *text = R"(
!x = memref<?x?x19xf32>
!y = memref<?x19xf32>
fused.kernel @f {
^bb0(%x: !x, %y: !y):
  fused.map dims(b, j) ins(%x : !x) outs(%y by (b, j) : !y) index(b, j) {
  ^bb0(%all: !x, %b: index, %j: index):
    %end = arith.constant 9223372036854775807 : index
    %v = fused.read %all[%b, %end, %j] : !x
    fused.yield %v : f32
  }
}
fused.kernel @g {
^bb0(%x: memref<?xf32>, %i: memref<?xi64>, %y: memref<?xf32>):
  fused.map dims(j) ins(%x, %i by (j) : memref<?xf32>, memref<?xi64>) outs(%y by (j) : memref<?xf32>) {
  ^bb0(%all: memref<?xf32>, %at: i64):
    %v = fused.read %all[%at : i64] : memref<?xf32>
    fused.yield %v : f32
  }
})";
  for (const std::string &cpu : runnableLevels()) {
    KernelRunner runner(text, cpu);
    ASSERT_TRUE(runner.loaded());
    Fenced<float> y(2 * 19);
    runner.run("f", {0, 2, 0, y, 2});
    for (int i = 0; i < 2 * 19; ++i)
      ASSERT_EQ(y[i], 0.0f) << cpu;
    Fenced<float> x(2 * 3 * 19);
    for (int i = 0; i < 2 * 3 * 19; ++i)
      x[i] = float(i);
    runner.run("f", {x, 2, 3, y, 2});
    for (int i = 0; i < 2 * 19; ++i)
      ASSERT_EQ(y[i], x[(i / 19 * 3 + 2) * 19 + i % 19]) << cpu;
    Fenced<int64_t> at(11);
    for (int i = 0; i < 11; ++i)
      at[i] = i - 5;
    runner.run("g", {0, 0, at, 11, y, 11});
    for (int i = 0; i < 11; ++i)
      ASSERT_EQ(y[i], 0.0f) << cpu;
    runner.run("g", {x, 3, at, 11, y, 11});
    for (int i = 0; i < 11; ++i)
      ASSERT_EQ(y[i], float(std::clamp(i - 5, 0, 2))) << cpu;
  }
}

// Every kind of access up to the last element of what a caller lends.
TEST(MapKernel, NothingPastTheEndIsTouched) {
  const char *text = R"(
!x = memref<?x?xf32>
!m = memref<?xi1>
fused.kernel @f {
^bb0(%x: !x, %xt: !x, %c: memref<?xf32>, %m: !m, %y: !x):
  fused.map dims(b, j) ins(%x by (b, j), %xt by (j, b), %c by (j), %m by (j) : !x, !x, memref<?xf32>, !m) outs(%y by (b, j) : !x) {
  ^bb0(%u: f32, %v: f32, %w: f32, %s: i1):
    %p = arith.addf %u, %v : f32
    %q = arith.select %s, %p, %w : f32
    fused.yield %q : f32
  }
})";
  for (const std::string &cpu : runnableLevels()) {
    KernelRunner runner(text, cpu);
    ASSERT_TRUE(runner.loaded());
    Numbers numbers;
    for (int64_t n : {1, 2, 3, 7, 15, 16, 17, 33, 70}) {
      int64_t rows = 3;
      Fenced<float> x(rows * n), xt(rows * n), c(n), y(rows * n);
      Fenced<char> mask(n);
      numbers.fill(x, rows * n);
      numbers.fill(xt, rows * n);
      numbers.fill(c, n);
      for (int64_t j = 0; j < n; ++j)
        mask[j] = char(j % 3 == 0);
      runner.run("f", {x, rows, n, xt, n, rows, c, n, mask, n, y, rows, n});
      for (int64_t b = 0; b < rows; ++b)
        for (int64_t j = 0; j < n; ++j)
          ASSERT_EQ(y[b * n + j],
                    mask[j] ? x[b * n + j] + xt[j * rows + b] : c[j])
              << cpu;
    }
  }
}
