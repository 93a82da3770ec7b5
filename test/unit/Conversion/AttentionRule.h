//===- AttentionRule.h - Attentions to be tested ----------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TEST_UNIT_CONVERSION_ATTENTIONRULE_H
#define SINTER_TEST_UNIT_CONVERSION_ATTENTIONRULE_H

#include "KernelRunner.h"

namespace sinter::test {

/// What rows that are not computed keep.
inline constexpr float untouched = 77;

/// A kernel with some of the regions:
///   combine  v[d] * tanh(q + k)
///   score    s |s| + slope[h] (k - q), s scaled by 1 / sqrt(D)
///   mask     a window of 20 keys that end with the query's, a table [q, k], or
///            a table for blocks of 32, read at [q / 32, k / 32]
///   sink     z[h]
/// There are 4 query heads to 2 key heads.
struct AttentionRule {
  enum Mask { NoMask, Window, Table, Blocks };
  enum Extra { LogSumExp = 1, Scores = 2, Weights = 4 };
  static constexpr int64_t heads = 4, keyHeads = 2, window = 20, block = 32,
                           blocks = 8;

  bool combine = false;
  /// Keys lie in rows, not in panels.
  bool keyRows = false;
  bool score = false;
  Mask mask = NoMask;
  bool sink = false;
  int extras = 0;
  int64_t keySize = 20, valueSize = 12;

  std::string name() const;
  std::string kernel() const;
};

/// Arguments of such a kernel. Keys and values past a row's length are NaN, as
/// are queries that are not computed. The rule must stay.
struct AttentionCase {
  AttentionCase(const AttentionRule &rule, Numbers &numbers, int64_t batch,
                int64_t queries, int64_t keys);

  std::vector<int64_t> arguments();
  std::string describe() const;
  int64_t row(int64_t b, int64_t h, int64_t q) const {
    return (b * queries + q) * AttentionRule::heads + h;
  }
  void fillRow(Numbers &numbers, int64_t b);
  float &keyAt(int64_t b, int64_t head, int64_t k, int64_t d);
  /// Sets all of key or value `k` of the first batch row.
  void setKey(int64_t k, float value);
  void setValue(int64_t k, float value);

  const AttentionRule &rule;
  int64_t batch, queries, keys, queryCount;
  Fenced<float> query, key, value, vector, slopes, sinks;
  Fenced<uint8_t> table, blocks;
  Fenced<int64_t> offset, length, rows;
  Fenced<float> out, logSumExp, scores, weights;
};

/// What a query row should give.
struct AttentionRow {
  std::vector<double> mixture, scores, weights;
  double logSumExp = 0;
};
AttentionRow attendRow(AttentionCase &run, int64_t b, int64_t h, int64_t q);

} // namespace sinter::test

#endif // SINTER_TEST_UNIT_CONVERSION_ATTENTIONRULE_H
