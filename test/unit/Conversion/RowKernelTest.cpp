//===- RowKernelTest.cpp - Normalize and attention in a caller's memory ---===//
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

// Rows of every length, the last of which ends with the tensor.
TEST(NormalizeKernel, NothingPastTheEndIsTouched) {
  const char *text = R"(
!t = memref<?x?xf32>
!g = memref<?xf32>
fused.kernel @f {
^bb0(%x: !t, %g: !g, %y: !t):
  fused.normalize dims(b, j) ins(%x by (b, j) : !t) captures(%g by (j) : !g) outs(%y by (b, j) : !t)
    reduce sum {
    ^bb0(%v: f32):
      %q = arith.mulf %v, %v : f32
      fused.yield %q : f32
    } post {
    ^bb0(%v: f32, %q: f32, %gamma: f32):
      %r = math.rsqrt %q : f32
      %n = arith.mulf %v, %r : f32
      %m = arith.mulf %n, %gamma : f32
      fused.yield %m : f32
    }
})";
  for (const std::string &cpu : runnableLevels()) {
    KernelRunner runner(text, cpu);
    ASSERT_TRUE(runner.loaded());
    Numbers numbers;
    for (int64_t n : {1, 2, 5, 15, 16, 17, 33, 70}) {
      Fenced<float> x(3 * n), gamma(n), y(3 * n);
      numbers.fill(x, 3 * n);
      numbers.fill(gamma, n);
      runner.run("f", {x, 3, n, gamma, n, y, 3, n});
      for (int64_t b = 0; b < 3; ++b) {
        double sum = 0;
        for (int64_t j = 0; j < n; ++j)
          sum += double(x[b * n + j]) * x[b * n + j];
        for (int64_t j = 0; j < n; ++j)
          ASSERT_NEAR(y[b * n + j], x[b * n + j] / std::sqrt(sum) * gamma[j],
                      1e-5)
              << cpu;
      }
    }
  }
}

namespace {
constexpr int64_t keySize = 20, valueSize = 12, heads = 2;

/// Attention of one batch row with an additive mask [q, k], in double.
std::vector<double> attend(Fenced<float> &query, Fenced<float> &keys,
                           Fenced<float> &values, Fenced<float> &mask,
                           int64_t length, int64_t head, int64_t row) {
  std::vector<double> scores(length), result(valueSize);
  int64_t padded = (length + 15) / 16 * 16;
  for (int64_t s = 0; s < length; ++s) {
    scores[s] = mask[row * length + s];
    for (int64_t d = 0; d < keySize; ++d)
      scores[s] += double(query[(row * heads + head) * keySize + d]) *
                   keys[head * padded * keySize + s / 16 * keySize * 16 +
                        d * 16 + s % 16];
  }
  double most = *llvm::max_element(scores), sum = 0;
  for (double &score : scores)
    sum += score = std::exp(score - most);
  for (int64_t s = 0; s < length; ++s)
    for (int64_t e = 0; e < valueSize; ++e)
      result[e] +=
          scores[s] / sum * values[(head * length + s) * valueSize + e];
  return result;
}
} // namespace

// Queries, value rows, a dense mask and the result end where they end; keys
// with their last panel.
TEST(AttentionKernel, NothingPastTheEndIsTouched) {
  const char *text = R"(
#keys = #fused.layout<(b, h, s, d) -> (b, h, s floordiv 16, d, s mod 16)>
!q = memref<?x?x2x20xf32>
!k = memref<?x2x?x20xf32, #keys>
!v = memref<?x2x?x12xf32>
!m = memref<?x?xf32>
!o = memref<?x?x2x12xf32>
fused.kernel @f {
^bb0(%q: !q, %k: !k, %v: !v, %m: !m, %o: !o):
  fused.attention dims(b, h, q, k, d, e)
      ins(%q by (b, q, h, d), %k by (b, h, k, d), %v by (b, h, k, e) : !q, !k, !v)
      outs(%o by (b, q, h, e) : !o)
      score captures(%m by (q, k) : !m) {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %add: f32):
        %r = arith.addf %s, %add : f32
        fused.yield %r : f32
      }
})";
  for (const std::string &cpu : runnableLevels()) {
    KernelRunner runner(text, cpu);
    ASSERT_TRUE(runner.loaded());
    Numbers numbers;
    for (int64_t queries : {1, 2, 7})
      for (int64_t length : {1, 5, 16, 17, 40, 530}) {
        int64_t padded = (length + 15) / 16 * 16;
        Fenced<float> query(queries * heads * keySize),
            keys(heads * padded * keySize), values(heads * length * valueSize),
            mask(queries * length), out(queries * heads * valueSize);
        numbers.fill(query, queries * heads * keySize);
        numbers.fill(keys, heads * padded * keySize);
        numbers.fill(values, heads * length * valueSize);
        numbers.fill(mask, queries * length);
        runner.run("f", {query, 1, queries, keys, 1, length, values, 1, length,
                         mask, queries, length, out, 1, queries});
        for (int64_t row = 0; row < queries; ++row)
          for (int64_t head = 0; head < heads; ++head) {
            std::vector<double> want =
                attend(query, keys, values, mask, length, head, row);
            for (int64_t e = 0; e < valueSize; ++e)
              ASSERT_NEAR(out[(row * heads + head) * valueSize + e], want[e],
                          1e-5)
                  << cpu << " " << queries << "x" << length;
          }
      }
  }
}
