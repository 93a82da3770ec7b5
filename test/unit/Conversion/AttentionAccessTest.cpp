//===- AttentionAccessTest.cpp - Attention and unusual maps ---------------===//
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

constexpr int64_t heads = 2, size = 19, width = 6;

/// Captures of `combine` that differ by query, key and head; weights whose keys
/// do not lie side by side.
constexpr char text[] = R"(
fused.kernel @{0} {{
^bb0(%q: memref<?x2x19xf32>, %k: memref<2x?x19xf32{1}>, %v: memref<2x?x6xf32>,
     %byQuery: memref<?x19xf32>, %byKey: memref<?x19xf32>,
     %byHead: memref<2x19xf32>, %o: memref<?x2x6xf32>, %w: memref<?x2x?xf32>):
  fused.attention dims(b = 1, h, q, k, d, e)
    ins(%q by (q, h, d), %k by (h, k, d), %v by (h, k, e) : memref<?x2x19xf32>,
        memref<2x?x19xf32{1}>, memref<2x?x6xf32>)
    outs(%o by (q, h, e) : memref<?x2x6xf32>)
    extras(weights %w by (k, h, q) : memref<?x2x?xf32>)
    combine captures(%byQuery by (q, d), %byKey by (k, d), %byHead by (h, d)
        : memref<?x19xf32>, memref<?x19xf32>, memref<2x19xf32>) {{
    ^bb0(%x: f32, %y: f32, %f: f32, %g: f32, %z: f32):
      %d = arith.subf %x, %y : f32
      %a = math.absf %d : f32
      %m = arith.mulf %f, %g : f32
      %n = arith.mulf %m, %a : f32
      %r = arith.addf %n, %z : f32
      fused.yield %r : f32
    }
}
)";

struct Arguments {
  Arguments(Numbers &numbers, int64_t queries, int64_t keys, bool panels)
      : queries(queries), keys(keys),
        padded(panels ? (keys + 15) / 16 * 16 : keys), panels(panels),
        query(queries * heads * size), key(heads * padded * size),
        value(heads * keys * width), byQuery(queries * size),
        byKey(keys * size), byHead(heads * size), out(queries * heads * width),
        weights(keys * heads * queries) {
    numbers.fill(query, queries * heads * size);
    numbers.fill(key, heads * padded * size);
    numbers.fill(value, heads * keys * width);
    numbers.fill(byQuery, queries * size);
    numbers.fill(byKey, keys * size);
    numbers.fill(byHead, heads * size);
  }

  double keyAt(int64_t h, int64_t k, int64_t d) {
    return panels
               ? key[h * padded * size + k / 16 * size * 16 + d * 16 + k % 16]
               : key[(h * padded + k) * size + d];
  }
  double scoreAt(int64_t h, int64_t q, int64_t k) {
    double score = 0;
    for (int64_t d = 0; d < size; ++d)
      score +=
          double(byQuery[q * size + d]) * byKey[k * size + d] *
              std::fabs(query[(q * heads + h) * size + d] - keyAt(h, k, d)) +
          byHead[h * size + d];
    return score;
  }

  int64_t queries, keys, padded;
  bool panels;
  Fenced<float> query, key, value, byQuery, byKey, byHead, out, weights;
};

void expectRow(Arguments &at, int64_t h, int64_t q) {
  std::vector<double> weights, mixture(width);
  double sum = 0;
  for (int64_t k = 0; k < at.keys; ++k) {
    weights.push_back(std::exp(at.scoreAt(h, q, k) - at.scoreAt(h, q, 0)));
    sum += weights.back();
  }
  for (int64_t k = 0; k < at.keys; ++k) {
    ASSERT_NEAR(at.weights[(k * heads + h) * at.queries + q], weights[k] / sum,
                1e-5);
    for (int64_t e = 0; e < width; ++e)
      mixture[e] += weights[k] / sum * at.value[(h * at.keys + k) * width + e];
  }
  for (int64_t e = 0; e < width; ++e)
    ASSERT_NEAR(at.out[(q * heads + h) * width + e], mixture[e], 1e-5);
}

TEST(AttentionKernel, CapturesOfCombineAndStridedWeights) {
  std::string source = llvm::formatv(text, "rows", "").str();
  source += llvm::formatv(text, "panels",
                          ", #fused.layout<(h, s, d) -> (h, s floordiv 16, d, "
                          "s mod 16)>")
                .str();
  for (const std::string &cpu : runnableLevels()) {
    SCOPED_TRACE(cpu);
    KernelRunner runner(source, cpu);
    ASSERT_TRUE(runner.loaded());
    Numbers numbers;
    for (bool panels : {false, true})
      for (int64_t queries : {1, 3, 8})
        for (int64_t keys : {1, 15, 50}) {
          SCOPED_TRACE(std::to_string(queries) + "x" + std::to_string(keys));
          Arguments at(numbers, queries, keys, panels);
          runner.run(panels ? "panels" : "rows",
                     {at.query, queries, at.key, keys, at.value, keys,
                      at.byQuery, queries, at.byKey, keys, at.byHead, at.out,
                      queries, at.weights, keys, queries});
          for (int64_t h = 0; h < heads; ++h)
            for (int64_t q = 0; q < queries; ++q)
              expectRow(at, h, q);
          if (HasFailure())
            return;
        }
  }
}

} // namespace
