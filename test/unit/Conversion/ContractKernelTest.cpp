//===- ContractKernelTest.cpp - fused.contract against plain loops --------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRunner.h"

#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace sinter::test;

namespace {
/// A matrix [k, n] and its panels [n / 16][k][16], padded with zeros.
struct Weight {
  Weight(int64_t depth, int64_t columns, Numbers &numbers)
      : depth(depth), columns(columns), matrix(depth * columns),
        panels((columns + 15) / 16 * 16 * depth) {
    for (size_t i = 0; i < size_t((columns + 15) / 16 * 16 * depth); ++i)
      panels[i] = 0;
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t n = 0; n < columns; ++n)
        panels[n / 16 * depth * 16 + k * 16 + n % 16] =
            matrix[k * columns + n] = numbers.next();
  }
  /// Sum and size of the terms of row . column n.
  std::pair<double, double> product(const float *row, int64_t n) const {
    double sum = 0, size = 0;
    for (int64_t k = 0; k < depth; ++k) {
      double term = double(row[k]) * matrix[k * columns + n];
      sum += term;
      size += std::fabs(term);
    }
    return {sum, size};
  }
  int64_t depth, columns;
  std::vector<float> matrix;
  Buffer<float> panels;
};

constexpr const char *panels =
    "#panels = #fused.layout<(k, n) -> (n floordiv 16, k, n mod 16)>\n";

/// Products of K terms are within K 2^-24 of the terms' sum.
double bound(int64_t depth, double size) {
  return (depth + 4) * 0x1p-24 * size + 1e-30;
}
} // namespace

// All row rests (tiles +- 1), K not a multiple of 4, N not of 16.
TEST(ContractKernel, EveryRestOfRowsColumnsAndDepth) {
  for (const std::string &cpu : runnableLevels())
    for (auto [depth, columns] : {std::pair<int64_t, int64_t>{64, 96},
                                  {67, 172},
                                  {1, 1},
                                  {5, 17},
                                  {3, 64},
                                  {768, 48}}) {
      std::string text = llvm::formatv(R"({0}
fused.kernel @f {{
^bb0(%x: memref<?x{1}xf32>, %w: memref<{1}x{2}xf32, #panels>, %y: memref<?x{2}xf32>):
  fused.contract dims(m, n, k) ins(%x by (m, k) : memref<?x{1}xf32>) outs(%y : memref<?x{2}xf32>) {{
    fused.segment n({2}) weights(%w : memref<{1}x{2}xf32, #panels>) stores(%y by (m, n) : memref<?x{2}xf32>) {{
    ^bb0(%acc: f32):
      fused.yield %acc : f32
    }
  }
})",
                                       panels, depth, columns);
      KernelRunner runner(text, cpu);
      ASSERT_TRUE(runner.loaded());
      Numbers numbers;
      Weight weight(depth, columns, numbers);
      for (int64_t rows : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 145}) {
        // A caller's tensors are aligned to an element only.
        Buffer<float> x(rows * depth, 1), y(rows * columns, 3);
        numbers.fill(x, rows * depth);
        runner.run("f", {x, rows, weight.panels, y, rows});
        for (int64_t m = 0; m < rows; ++m)
          for (int64_t n = 0; n < columns; ++n) {
            auto [sum, size] = weight.product(&x[m * depth], n);
            ASSERT_NEAR(y[m * columns + n], sum, bound(depth, size))
                << cpu << " " << rows << "x" << columns << "x" << depth
                << " at " << m << ", " << n;
          }
        EXPECT_TRUE(x.guardsHold() && y.guardsHold());
      }
    }
}

// Paired weights, a row capture and an activation that no library knows.
TEST(ContractKernel, PairedWeightsMeetInTheEpilogue) {
  constexpr int64_t depth = 20, columns = 40;
  std::string text = std::string(panels) + R"(
!w = memref<20x40xf32, #panels>
fused.kernel @f {
^bb0(%x: memref<?x?x20xf32>, %a: !w, %b: !w, %s: memref<?x?xf32>, %y: memref<?x?x40xf32>):
  fused.contract dims(b, t, n, k) ins(%x by (b, t, k) : memref<?x?x20xf32>) outs(%y : memref<?x?x40xf32>) {
    fused.segment n(40) weights(%a, %b : !w, !w) captures(%s by (b, t) : memref<?x?xf32>)
        stores(%y by (b, t, n) : memref<?x?x40xf32>) {
    ^bb0(%u: f32, %v: f32, %r: f32):
      %size = math.absf %u : f32
      %p = arith.mulf %size, %v : f32
      %q = arith.mulf %p, %r : f32
      fused.yield %q : f32
    }
  }
})";
  for (const std::string &cpu : runnableLevels()) {
    KernelRunner runner(text, cpu);
    ASSERT_TRUE(runner.loaded());
    Numbers numbers;
    Weight a(depth, columns, numbers), b(depth, columns, numbers);
    for (auto [batch, length] :
         {std::pair<int64_t, int64_t>{1, 1}, {3, 5}, {2, 0}, {1, 13}}) {
      int64_t rows = batch * length;
      Buffer<float> x(rows * depth), scale(rows), y(rows * columns);
      numbers.fill(x, rows * depth);
      numbers.fill(scale, rows);
      runner.run("f", {x, batch, length, a.panels, b.panels, scale, batch,
                       length, y, batch, length});
      for (int64_t m = 0; m < rows; ++m)
        for (int64_t n = 0; n < columns; ++n) {
          double u = a.product(&x[m * depth], n).first;
          double v = b.product(&x[m * depth], n).first;
          ASSERT_NEAR(y[m * columns + n], std::fabs(u) * v * scale[m], 1e-5)
              << cpu;
        }
      EXPECT_TRUE(y.guardsHold());
    }
  }
}

// Several segments store to cache slots of ragged rows, one of them in panels
// of keys.
TEST(ContractKernel, SegmentsAppendToACache) {
  constexpr int64_t depth = 64, slots = 32;
  std::string text = std::string(panels) + R"(
#keys = #fused.layout<(b, h, s, d) -> (b, h, s floordiv 16, d, s mod 16)>
!x = memref<?x?x64xf32>
!i = memref<?xi64>
!k = memref<?x4x?x8xf32, #keys>
!v = memref<?x5x?x8xf32>
fused.kernel @f {
^bb0(%x: !x, %wk: memref<64x32xf32, #panels>, %wv: memref<64x40xf32, #panels>, %p: !i, %n: !i, %k: !k, %v: !v):
  fused.contract dims(b, t, n, k) ins(%x by (b, t, k) : !x) rows(%n by (b) of t : !i) outs(%k, %v : !k, !v) {
    fused.segment n(32) weights(%wk : memref<64x32xf32, #panels>) symbols(s = %p by (b) : !i)
        stores(%k by (b, n floordiv 8, s + t, n mod 8) : !k) {
    ^bb0(%acc: f32):
      fused.yield %acc : f32
    }
    fused.segment n(40) weights(%wv : memref<64x40xf32, #panels>) symbols(s = %p by (b) : !i)
        stores(%v by (b, n floordiv 8, s + t, n mod 8) : !v) {
    ^bb0(%acc: f32):
      fused.yield %acc : f32
    }
  }
})";
  for (const std::string &cpu : runnableLevels()) {
    KernelRunner runner(text, cpu);
    ASSERT_TRUE(runner.loaded());
    Numbers numbers;
    Weight key(depth, 32, numbers), value(depth, 40, numbers);
    int64_t batch = 3, length = 7, keySize = batch * 32 * slots,
            valueSize = batch * 40 * slots;
    Buffer<float> x(batch * length * depth), keys(keySize), values(valueSize);
    numbers.fill(x, batch * length * depth);
    std::vector<float> wantKeys(keySize, 77), wantValues(valueSize, 77);
    int64_t start[] = {0, 13, 25}, rows[] = {7, 0, 5};
    runner.run("f", {x, batch, length, key.panels, value.panels,
                     reinterpret_cast<int64_t>(start), batch,
                     reinterpret_cast<int64_t>(rows), batch, keys, batch, slots,
                     values, batch, slots});
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t t = 0; t < rows[b]; ++t) {
        const float *row = &x[(b * length + t) * depth];
        int64_t s = start[b] + t;
        for (int64_t n = 0; n < 32; ++n)
          wantKeys[((b * 4 + n / 8) * (slots / 16) + s / 16) * 128 +
                   n % 8 * 16 + s % 16] = key.product(row, n).first;
        for (int64_t n = 0; n < 40; ++n)
          wantValues[((b * 5 + n / 8) * slots + s) * 8 + n % 8] =
              value.product(row, n).first;
      }
    for (int64_t i = 0; i < keySize; ++i)
      ASSERT_NEAR(keys[i], wantKeys[i], 1e-5) << cpu << " key " << i;
    for (int64_t i = 0; i < valueSize; ++i)
      ASSERT_NEAR(values[i], wantValues[i], 1e-5) << cpu << " value " << i;
  }
}

// An activation as second operand, its columns strided, any number of them.
TEST(ContractKernel, SecondOperandIsAnActivation) {
  const char *text = R"(
!q = memref<?x?x3x20xf32>
!s = memref<?x3x?x?xf32>
fused.kernel @f {
^bb0(%q: !q, %k: !q, %s: !s):
  fused.contract dims(b, h, t, n, k) ins(%q by (b, t, h, k) : !q) outs(%s : !s) {
    fused.segment n(?) weights(%k by (b, n, h, k) : !q) stores(%s by (b, h, t, n) : !s) index(n) {
    ^bb0(%acc: f32, %n: index):
      %i = arith.index_cast %n : index to i32
      %f = arith.sitofp %i : i32 to f32
      %y = arith.addf %acc, %f : f32
      fused.yield %y : f32
    }
  }
})";
  for (const std::string &cpu : runnableLevels()) {
    KernelRunner runner(text, cpu);
    ASSERT_TRUE(runner.loaded());
    Numbers numbers;
    int64_t batch = 2;
    for (int64_t rows : {1, 7, 13})
      for (int64_t columns : {1, 16, 37, 70, 1700}) {
        Buffer<float> q(batch * rows * 60), key(batch * columns * 60),
            s(batch * 3 * rows * columns);
        numbers.fill(q, batch * rows * 60);
        numbers.fill(key, batch * columns * 60);
        runner.run("f", {q, batch, rows, key, batch, columns, s, batch, rows,
                         columns});
        for (int64_t i = 0; i < batch * 3 * rows * columns; ++i) {
          int64_t n = i % columns, t = i / columns % rows,
                  h = i / columns / rows % 3, b = i / columns / rows / 3;
          double sum = n;
          for (int64_t d = 0; d < 20; ++d)
            sum += double(q[((b * rows + t) * 3 + h) * 20 + d]) *
                   key[((b * columns + n) * 3 + h) * 20 + d];
          ASSERT_NEAR(s[i], sum, 1e-5 + n * 0x1p-23) << cpu;
        }
        EXPECT_TRUE(s.guardsHold());
      }
  }
}

// Where N is no multiple of the lanes, the last vector of an activation, of a
// capture and of the result ends with the tensor.
TEST(ContractKernel, NothingPastTheEndIsTouched) {
  for (const std::string &cpu : runnableLevels())
    for (bool transposed : {false, true})
      for (int64_t columns : {1, 17, 20})
        for (int64_t depth : {1, 37}) {
          std::string text = llvm::formatv(
              R"(
fused.kernel @f {{
^bb0(%x: memref<?x{0}xf32>, %w: memref<{2}xf32>, %c: memref<{1}xf32>, %y: memref<?x{1}xf32>):
  fused.contract dims(m, n, k) ins(%x by (m, k) : memref<?x{0}xf32>) outs(%y : memref<?x{1}xf32>) {{
    fused.segment n({1}) weights(%w by ({3}) : memref<{2}xf32>) captures(%c by (n) : memref<{1}xf32>) stores(%y by (m, n) : memref<?x{1}xf32>) {{
    ^bb0(%acc: f32, %b: f32):
      %r = arith.addf %acc, %b : f32
      fused.yield %r : f32
    }
  }
})",
              depth, columns,
              transposed ? llvm::formatv("{0}x{1}", columns, depth).str()
                         : llvm::formatv("{0}x{1}", depth, columns).str(),
              transposed ? "n, k" : "k, n");
          KernelRunner runner(text, cpu);
          ASSERT_TRUE(runner.loaded());
          Numbers numbers;
          for (int64_t rows : {1, 2, 9}) {
            Fenced<float> x(rows * depth), w(depth * columns), c(columns),
                y(rows * columns);
            numbers.fill(x, rows * depth);
            numbers.fill(w, depth * columns);
            numbers.fill(c, columns);
            runner.run("f", {x, rows, w, c, y, rows});
            for (int64_t i = 0; i < rows * columns; ++i) {
              int64_t m = i / columns, n = i % columns;
              double sum = c[n];
              for (int64_t k = 0; k < depth; ++k)
                sum += double(x[m * depth + k]) *
                       w[transposed ? n * depth + k : k * columns + n];
              ASSERT_NEAR(y[i], sum, 1e-5) << cpu << " " << transposed;
            }
          }
        }
}

// Two activations of which k runs fastest meet in the epilogue; each batch row
// has its own.
TEST(ContractKernel, PairedActivationsBecomePanels) {
  const char *text = R"(
!x = memref<?x?x40xf32>
!y = memref<?x?x?xf32>
fused.kernel @f {
^bb0(%x: !x, %u: !x, %v: !x, %y: !y):
  fused.contract dims(b, t, n, k) ins(%x by (b, t, k) : !x) outs(%y : !y) {
    fused.segment n(?) weights(%u by (b, n, k), %v by (b, n, k) : !x, !x) stores(%y by (b, t, n) : !y) {
    ^bb0(%p: f32, %q: f32):
      %r = arith.mulf %p, %q : f32
      fused.yield %r : f32
    }
  }
})";
  for (const std::string &cpu : runnableLevels()) {
    KernelRunner runner(text, cpu);
    ASSERT_TRUE(runner.loaded());
    Numbers numbers;
    for (int64_t rows : {1, 2, 75})
      for (int64_t columns : {1, 33, 900}) {
        int64_t batch = 3;
        Fenced<float> x(batch * rows * 40), u(batch * columns * 40),
            v(batch * columns * 40), y(batch * rows * columns);
        numbers.fill(x, batch * rows * 40);
        numbers.fill(u, batch * columns * 40);
        numbers.fill(v, batch * columns * 40);
        runner.run("f", {x, batch, rows, u, batch, columns, v, batch, columns,
                         y, batch, rows, columns});
        for (int64_t i = 0; i < batch * rows * columns; ++i) {
          int64_t n = i % columns, m = i / columns, b = m / rows;
          double p = 0, q = 0;
          for (int64_t k = 0; k < 40; ++k) {
            p += double(x[m * 40 + k]) * u[(b * columns + n) * 40 + k];
            q += double(x[m * 40 + k]) * v[(b * columns + n) * 40 + k];
          }
          ASSERT_NEAR(y[i], p * q, 1e-4) << cpu;
        }
      }
  }
}
