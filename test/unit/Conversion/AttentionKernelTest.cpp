//===- AttentionKernelTest.cpp - Attention against double loops -----------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every combination of regions, in both schedules (few query rows and many), on
// every level, over lengths around the tiles' sizes. All that must not be read
// is NaN or lies past the end of memory.
//
//===----------------------------------------------------------------------===//

#include "AttentionRule.h"

#include "gtest/gtest.h"

#include <limits>

using namespace sinter::test;

namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

void expectClose(double got, double want, const std::string &where) {
  if (std::isnan(want) || std::isinf(want)) {
    EXPECT_TRUE(std::isnan(want) ? std::isnan(got) : got == want)
        << where << ": " << got << ", expected " << want;
    return;
  }
  EXPECT_NEAR(got, want, 2e-5 * (1 + std::fabs(want))) << where;
}

void expectRow(AttentionCase &run, int64_t b, int64_t h, int64_t q) {
  const AttentionRule &rule = run.rule;
  std::string where = rule.name() + " " + run.describe() + " at " +
                      std::to_string(b) + " " + std::to_string(h) + " " +
                      std::to_string(q);
  bool computed = q < run.rows[b];
  AttentionRow want = computed ? attendRow(run, b, h, q) : AttentionRow();
  for (int64_t e = 0; e < rule.valueSize; ++e)
    expectClose(run.out[run.row(b, h, q) * rule.valueSize + e],
                computed ? want.mixture[e] : untouched, where + " mixture");
  if (rule.extras & AttentionRule::LogSumExp)
    expectClose(run.logSumExp[run.row(b, h, q)],
                computed ? want.logSumExp : untouched, where + " lse");
  for (int64_t k = 0; k < run.keys && rule.extras; ++k) {
    int64_t at = run.row(b, h, q) * run.keys + k;
    std::string key = where + " key " + std::to_string(k);
    if (rule.extras & AttentionRule::Scores)
      expectClose(run.scores[at], computed ? want.scores[k] : untouched,
                  key + " score");
    if (rule.extras & AttentionRule::Weights)
      expectClose(run.weights[at], computed ? want.weights[k] : untouched,
                  key + " weight");
  }
}

void expectCase(KernelRunner &runner, AttentionCase &run) {
  runner.run(run.rule.name(), run.arguments());
  for (int64_t b = 0; b < run.batch; ++b)
    for (int64_t h = 0; h < AttentionRule::heads; ++h)
      for (int64_t q = 0; q < run.queries; ++q)
        expectRow(run, b, h, q);
}

/// All combinations; sizes and extra results take turns.
std::vector<AttentionRule> allRules() {
  static constexpr int64_t sizes[][2] = {{1, 1},  {3, 5},   {8, 8},  {16, 1},
                                         {1, 20}, {20, 12}, {33, 7}, {64, 40}};
  static constexpr int extras[] = {
      0, 1, 1 | AttentionRule::Scores, 1 | AttentionRule::Weights,
      1 | AttentionRule::Scores | AttentionRule::Weights};
  std::vector<AttentionRule> rules;
  for (bool combine : {false, true})
    for (bool score : {false, true})
      for (auto mask :
           {AttentionRule::NoMask, AttentionRule::Window, AttentionRule::Table})
        for (bool sink : {false, true}) {
          AttentionRule rule;
          size_t n = rules.size();
          rule.combine = combine;
          rule.keyRows = combine && n % 3 == 0;
          rule.score = score;
          rule.mask = mask;
          rule.sink = sink;
          rule.extras = extras[n % 5];
          rule.keySize = sizes[n % 8][0];
          rule.valueSize = sizes[n % 8][1];
          rules.push_back(rule);
        }
  return rules;
}

TEST(AttentionKernel, AllRegionsAgreeWithDoubleLoops) {
  std::vector<AttentionRule> rules = allRules();
  std::string text;
  for (const AttentionRule &rule : rules)
    text += rule.kernel();
  for (const std::string &cpu : runnableLevels()) {
    SCOPED_TRACE(cpu);
    KernelRunner runner(text, cpu);
    ASSERT_TRUE(runner.loaded());
    Numbers numbers;
    for (const AttentionRule &rule : rules)
      for (int64_t queries : {1, 3, 7})
        for (int64_t keys : {1, 21, 70}) {
          AttentionCase run(rule, numbers, /*batch=*/2, queries, keys);
          expectCase(runner, run);
          if (HasFailure())
            return;
        }
  }
}

TEST(AttentionKernel, LongRowsOfManyBlocks) {
  AttentionRule plain, additive;
  plain.score = plain.sink = additive.combine = true;
  plain.mask = AttentionRule::Window;
  plain.extras = additive.extras = 1 | AttentionRule::Weights;
  for (const std::string &cpu : runnableLevels()) {
    SCOPED_TRACE(cpu);
    KernelRunner runner(plain.kernel() + additive.kernel(), cpu);
    ASSERT_TRUE(runner.loaded());
    Numbers numbers;
    for (const AttentionRule &rule : {plain, additive})
      for (int64_t queries : {1, 100}) {
        AttentionCase run(rule, numbers, 1, queries, 1100);
        expectCase(runner, run);
      }
  }
}

//===----------------------------------------------------------------------===//
// Corner rules
//===----------------------------------------------------------------------===//

/// A rule with all results on each level, few rows and many.
void forCorners(AttentionRule rule,
                llvm::function_ref<void(AttentionCase &)> disturb) {
  rule.extras = 1 | AttentionRule::Scores | AttentionRule::Weights;
  rule.keySize = 4;
  rule.valueSize = 3;
  for (const std::string &cpu : runnableLevels()) {
    SCOPED_TRACE(cpu);
    KernelRunner runner(rule.kernel(), cpu);
    ASSERT_TRUE(runner.loaded());
    Numbers numbers;
    for (int64_t queries : {1, 9})
      for (int64_t keys : {5, 40, 600}) {
        AttentionCase run(rule, numbers, 1, queries, keys);
        disturb(run);
        expectCase(runner, run);
      }
  }
}

TEST(AttentionKernel, MaskedKeysMayBeNaN) {
  for (bool combine : {false, true}) {
    AttentionRule rule;
    rule.combine = combine;
    rule.mask = AttentionRule::Table;
    forCorners(rule, [](AttentionCase &run) {
      for (int64_t k = 0; k < run.keys; k += 3) {
        run.setKey(k, nan);
        for (int64_t q = 0; q < run.queries; ++q)
          run.table[q * run.keys + k] = 0;
      }
    });
  }
}

TEST(AttentionKernel, ScoresOfNaNMakeTheRowNaN) {
  for (bool sink : {false, true}) {
    AttentionRule rule;
    rule.sink = sink;
    rule.mask = AttentionRule::Table;
    forCorners(rule, [](AttentionCase &run) {
      run.setKey(run.keys / 2, nan);
      for (int64_t q = 0; q < run.queries; ++q)
        run.table[q * run.keys + run.keys / 2] = 1;
    });
  }
}

TEST(AttentionKernel, NothingSeenGivesZero) {
  for (bool sink : {false, true}) {
    AttentionRule rule;
    rule.sink = sink;
    rule.mask = AttentionRule::Table;
    // The first row sees nothing at all.
    forCorners(rule, [](AttentionCase &run) {
      for (int64_t k = 0; k < run.keys; ++k)
        run.table[k] = 0;
    });
    forCorners(rule, [](AttentionCase &run) { run.length[0] = 0; });
  }
}

// A value that is NaN would show in the mixture if its tile were visited.
TEST(AttentionKernel, TilesThatNoRowSeesAreSkipped) {
  AttentionRule window, blocks;
  window.mask = AttentionRule::Window;
  blocks.mask = AttentionRule::Blocks;
  window.extras = blocks.extras = AttentionRule::Weights;
  for (const std::string &cpu : runnableLevels()) {
    SCOPED_TRACE(cpu);
    KernelRunner runner(window.kernel() + blocks.kernel(), cpu);
    ASSERT_TRUE(runner.loaded());
    Numbers numbers;
    for (int64_t queries : {1, 3, 8, 96, 200}) {
      int64_t keys = queries + 32 * (queries > 64 ? 1 : 5);
      AttentionCase narrow(window, numbers, 1, queries, keys);
      int64_t firstSeen = narrow.offset[0] - window.window + 1;
      for (int64_t k = 0; k < firstSeen / 16 * 16; ++k)
        narrow.setValue(k, nan);
      expectCase(runner, narrow);
      AttentionCase sparse(blocks, numbers, 1, queries, keys);
      for (int64_t j : {0, 2, 3})
        for (int64_t i = 0; i < blocks.blocks; ++i)
          sparse.blocks[i * blocks.blocks + j] = 0;
      for (int64_t k = 0; k < keys; ++k)
        if (k / 32 == 0 || k / 32 == 2 || k / 32 == 3)
          sparse.setValue(k, nan);
      expectCase(runner, sparse);
    }
  }
}

TEST(AttentionKernel, LargeAndInfiniteScores) {
  AttentionRule rule;
  rule.sink = true;
  auto scaled = [&](float factor) {
    forCorners(rule, [factor](AttentionCase &run) {
      for (int64_t i = 0; i < run.queryCount; ++i)
        run.query[i] *= factor;
    });
  };
  scaled(3e2f);
  // A sink that counts for nothing, for all, or is none.
  for (double sink : {-infinity, -3e4, 3e4, double(nan)})
    forCorners(rule, [&](AttentionCase &run) { run.sinks[1] = float(sink); });
}

} // namespace
