//===- AttentionRule.cpp - Attentions to be tested ------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionRule.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace sinter::test;

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

static constexpr char combineText[] = R"(
  combine captures(%vector by (d) : memref<?xf32>) {
  ^bb0(%q_d: f32, %k_d: f32, %v_d: f32):
    %sum = arith.addf %q_d, %k_d : f32
    %tanh = math.tanh %sum : f32
    %term = arith.mulf %v_d, %tanh : f32
    fused.yield %term : f32
  })";
static constexpr char scoreText[] = R"(
  score captures(%slopes by (h) : memref<4xf32>) {{
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %slope: f32):
    %c = arith.constant {0} : f32
    %x = arith.mulf %s, %c : f32
    %a = math.absf %x : f32
    %square = arith.mulf %x, %a : f32
    %d = arith.subi %j, %i : index
    %n = arith.index_cast %d : index to i32
    %f = arith.sitofp %n : i32 to f32
    %bias = arith.mulf %slope, %f : f32
    %r = arith.addf %square, %bias : f32
    fused.yield %r : f32
  })";
static constexpr char windowText[] = R"(
  mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %c = arith.constant 20 : index
    %d = arith.subi %i, %j : index
    %near = arith.cmpi slt, %d, %c : index
    %past = arith.cmpi sle, %j, %i : index
    %seen = arith.andi %near, %past : i1
    fused.yield %seen : i1
  })";
static constexpr char tableText[] = R"(
  mask captures(%table by (q, k) : memref<?x?xi1>) {
  ^bb0(%b: index, %h: index, %i: index, %j: index, %seen: i1):
    fused.yield %seen : i1
  })";
static constexpr char blocksText[] = R"(
  mask captures(%blocks : memref<8x8xi1>) {
  ^bb0(%b: index, %h: index, %i: index, %j: index, %seen_blocks: memref<8x8xi1>):
    %c = arith.constant 32 : index
    %bi = arith.divui %i, %c : index
    %bj = arith.divui %j, %c : index
    %seen = fused.read %seen_blocks[%bi, %bj] : memref<8x8xi1>
    fused.yield %seen : i1
  })";
static constexpr char sinkText[] = R"(
  sink captures(%sinks by (h) : memref<4xf32>) {
  ^bb0(%b: index, %h: index, %i: index, %z: f32):
    fused.yield %z : f32
  })";
static constexpr char kernelText[] = R"(
fused.kernel @{0} {{
^bb0(%q: memref<?x?x4x{1}xf32>, %k: memref<?x2x?x{1}xf32{3}>,
     %v: memref<?x2x?x{2}xf32>, %vector: memref<?xf32>, %slopes: memref<4xf32>,
     %sinks: memref<4xf32>, %table: memref<?x?xi1>, %blocks: memref<8x8xi1>, %offset: memref<?xi64>,
     %length: memref<?xi64>, %rows: memref<?xi64>, %o: memref<?x?x4x{2}xf32>,
     %lse: memref<?x?x4xf32>, %scores: memref<?x?x4x?xf32>,
     %weights: memref<?x?x4x?xf32>):
  fused.attention dims(b, h, q, k, d, e) offset(%offset by (b) : memref<?xi64>)
    length(%length by (b) : memref<?xi64>) rows(%rows by (b) : memref<?xi64>)
    ins(%q by (b, q, h, d), %k by (b, h floordiv 2, k, d),
        %v by (b, h floordiv 2, k, e) : memref<?x?x4x{1}xf32>,
        memref<?x2x?x{1}xf32{3}>, memref<?x2x?x{2}xf32>)
    outs(%o by (b, q, h, e) : memref<?x?x4x{2}xf32>) {4} {5}
}
)";

std::string AttentionRule::name() const {
  return llvm::formatv("attention_{0}{1}{2}{3}{4}_{5}_{6}x{7}", int(combine),
                       int(keyRows), int(score), int(mask), int(sink), extras,
                       keySize, valueSize);
}

std::string AttentionRule::kernel() const {
  std::string regions, results, types;
  if (combine)
    regions += combineText;
  if (score)
    regions += llvm::formatv(
        scoreText, llvm::formatv("{0:E8}", 1 / std::sqrt(double(keySize))));
  if (mask != NoMask)
    regions += mask == Window  ? windowText
               : mask == Table ? tableText
                               : blocksText;
  if (sink)
    regions += sinkText;
  auto add = [&](Extra extra, const char *name, const char *dims,
                 const char *type) {
    if (!(extras & extra))
      return;
    results += llvm::formatv("{0}{1} %{1} by ({2})",
                             results.empty() ? "" : ", ", name, dims);
    types += std::string(types.empty() ? "" : ", ") + type;
  };
  add(LogSumExp, "lse", "b, q, h", "memref<?x?x4xf32>");
  add(Scores, "scores", "b, q, h, k", "memref<?x?x4x?xf32>");
  add(Weights, "weights", "b, q, h, k", "memref<?x?x4x?xf32>");
  if (!results.empty())
    results = "extras(" + results + " : " + types + ")";
  const char *layout = keyRows ? ""
                               : ", #fused.layout<(b, h, s, d) -> (b, h, s "
                                 "floordiv 16, d, s mod 16)>";
  return llvm::formatv(kernelText, name(), keySize, valueSize, layout, results,
                       regions);
}

//===----------------------------------------------------------------------===//
// Its arguments
//===----------------------------------------------------------------------===//

/// What must not be read.
static constexpr float absent = std::numeric_limits<float>::quiet_NaN();

static int64_t paddedKeys(const AttentionRule &rule, int64_t keys) {
  return rule.keyRows ? keys : (keys + 15) / 16 * 16;
}

AttentionCase::AttentionCase(const AttentionRule &rule, Numbers &numbers,
                             int64_t batch, int64_t queries, int64_t keys)
    : rule(rule), batch(batch), queries(queries), keys(keys),
      queryCount(batch * queries * rule.heads * rule.keySize),
      query(queryCount),
      key(batch * rule.keyHeads * paddedKeys(rule, keys) * rule.keySize),
      value(batch * rule.keyHeads * keys * rule.valueSize),
      vector(rule.keySize), slopes(rule.heads), sinks(rule.heads),
      table(queries * keys), blocks(rule.blocks * rule.blocks), offset(batch),
      length(batch), rows(batch),
      out(batch * queries * rule.heads * rule.valueSize),
      logSumExp(batch * queries * rule.heads),
      scores(batch * queries * rule.heads * keys),
      weights(batch * queries * rule.heads * keys) {
  numbers.fill(query, queryCount);
  numbers.fill(value, batch * rule.keyHeads * keys * rule.valueSize);
  numbers.fill(vector, rule.keySize);
  numbers.fill(slopes, rule.heads);
  numbers.fill(sinks, rule.heads);
  for (int64_t i = 0; i < queries * keys; ++i)
    table[i] = numbers.next() > -0.3f;
  for (int64_t i = 0; i < rule.blocks * rule.blocks; ++i)
    blocks[i] = numbers.next() > 0;
  int64_t keyNumbers =
      batch * rule.keyHeads * paddedKeys(rule, keys) * rule.keySize;
  std::fill_n(key.data(), keyNumbers, absent);
  for (int64_t b = 0; b < batch; ++b)
    fillRow(numbers, b);
  auto clear = [](Fenced<float> &array, int64_t size) {
    std::fill_n(array.data(), size, untouched);
  };
  clear(out, batch * queries * rule.heads * rule.valueSize);
  clear(logSumExp, batch * queries * rule.heads);
  clear(scores, batch * queries * rule.heads * keys);
  clear(weights, batch * queries * rule.heads * keys);
}

/// All rows but the first are ragged.
void AttentionCase::fillRow(Numbers &numbers, int64_t b) {
  length[b] = b == 0 ? keys : keys * 2 / 3;
  rows[b] = b == 0 ? queries : queries - 1;
  offset[b] = b == 0 ? keys - queries : 0;
  for (int64_t h = 0; h < rule.keyHeads; ++h)
    for (int64_t k = 0; k < keys; ++k) {
      for (int64_t d = 0; d < rule.keySize && k < length[b]; ++d)
        keyAt(b, h, k, d) = numbers.next();
      for (int64_t e = 0; e < rule.valueSize && k >= length[b]; ++e)
        value[((b * rule.keyHeads + h) * keys + k) * rule.valueSize + e] =
            absent;
    }
  for (int64_t i = rows[b] * rule.heads * rule.keySize,
               n = queries * rule.heads * rule.keySize;
       i < n; ++i)
    query[b * n + i] = absent;
}

std::vector<int64_t> AttentionCase::arguments() {
  return {query,   batch,  queries, key,          batch,   keys,      value,
          batch,   keys,   vector,  rule.keySize, slopes,  sinks,     table,
          queries, keys,   blocks,  offset,       batch,   length,    batch,
          rows,    batch,  out,     batch,        queries, logSumExp, batch,
          queries, scores, batch,   queries,      keys,    weights,   batch,
          queries, keys};
}

std::string AttentionCase::describe() const {
  return std::to_string(queries) + "x" + std::to_string(keys);
}

float &AttentionCase::keyAt(int64_t b, int64_t head, int64_t k, int64_t d) {
  int64_t padded = paddedKeys(rule, keys), at = b * rule.keyHeads + head;
  if (rule.keyRows)
    return key[(at * padded + k) * rule.keySize + d];
  return key[at * padded * rule.keySize + k / 16 * rule.keySize * 16 + d * 16 +
             k % 16];
}

void AttentionCase::setKey(int64_t k, float value) {
  for (int64_t h = 0; h < rule.keyHeads; ++h)
    for (int64_t d = 0; d < rule.keySize; ++d)
      keyAt(0, h, k, d) = value;
}

void AttentionCase::setValue(int64_t k, float number) {
  for (int64_t h = 0; h < rule.keyHeads; ++h)
    std::fill_n(&value[(h * keys + k) * rule.valueSize], rule.valueSize,
                number);
}

//===----------------------------------------------------------------------===//
// The same in double loops
//===----------------------------------------------------------------------===//

static bool isSeen(AttentionCase &run, int64_t b, int64_t q, int64_t k) {
  const AttentionRule &rule = run.rule;
  if (k >= run.length[b])
    return false;
  int64_t distance = q + run.offset[b] - k;
  if (rule.mask == AttentionRule::Window)
    return 0 <= distance && distance < rule.window;
  if (rule.mask == AttentionRule::Blocks) {
    auto blockOf = [&](int64_t i) {
      return std::min(i / rule.block, rule.blocks - 1);
    };
    return run.blocks[blockOf(q + run.offset[b]) * rule.blocks + blockOf(k)];
  }
  return rule.mask != AttentionRule::Table || run.table[q * run.keys + k] != 0;
}

static double scoreAt(AttentionCase &run, int64_t b, int64_t h, int64_t q,
                      int64_t k) {
  const AttentionRule &rule = run.rule;
  double s = 0;
  for (int64_t d = 0; d < rule.keySize; ++d) {
    double qd = run.query[run.row(b, h, q) * rule.keySize + d];
    double kd = run.keyAt(b, h / 2, k, d);
    s += rule.combine ? run.vector[d] * std::tanh(qd + kd) : qd * kd;
  }
  if (!rule.score)
    return s;
  double x = s / std::sqrt(double(rule.keySize));
  return x * std::fabs(x) + run.slopes[h] * double(k - q - run.offset[b]);
}

AttentionRow sinter::test::attendRow(AttentionCase &run, int64_t b, int64_t h,
                                     int64_t q) {
  const AttentionRule &rule = run.rule;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  AttentionRow row;
  double most = rule.sink ? double(run.sinks[h]) : -infinity;
  for (int64_t k = 0; k < run.keys; ++k) {
    row.scores.push_back(isSeen(run, b, q, k) ? scoreAt(run, b, h, q, k)
                                              : -infinity);
    most = std::fmax(most, row.scores.back());
  }
  double base = std::isinf(most) ? 0 : most;
  double sum = rule.sink ? std::exp(double(run.sinks[h]) - base) : 0;
  for (double score : row.scores)
    sum += std::exp(score - base);
  row.logSumExp = std::log(sum) + base;
  row.mixture.resize(rule.valueSize);
  for (int64_t k = 0; k < run.keys; ++k) {
    // A key that does not count has none, even in a row that is NaN.
    bool counts = sum != 0 && !(std::isinf(row.scores[k]) && row.scores[k] < 0);
    row.weights.push_back(counts ? std::exp(row.scores[k] - base) / sum : 0);
    // A value without weight may be anything.
    for (int64_t e = 0; e < rule.valueSize && row.weights[k] != 0; ++e)
      row.mixture[e] += row.weights[k] *
                        run.value[((b * rule.keyHeads + h / 2) * run.keys + k) *
                                      rule.valueSize +
                                  e];
  }
  return row;
}
