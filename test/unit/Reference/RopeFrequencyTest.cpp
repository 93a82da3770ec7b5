//===- RopeFrequencyTest.cpp - Frequencies against Hugging Face's ---------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs/rope_scaling.py has made the numbers, in f32.
//
//===----------------------------------------------------------------------===//

#include "sinter/Reference/RopeFrequency.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "sinter/Reference/Ops.h"
#include "gtest/gtest.h"
#include <cmath>
#include <fstream>
#include <sstream>

using namespace mlir;
using namespace sinter;
using namespace sinter::reference;

namespace {

/// Powers of f32 numbers are off by a few roundoffs.
constexpr double tolerance = 2e-6;

TEST(RopeFrequencyTest, IsThatOfHuggingFace) {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  context.loadDialect<SinterDialect>();
  std::ifstream file(ROPE_SCALING_FILE);
  std::string line;
  int lines = 0;
  for (; std::getline(file, line); ++lines) {
    SCOPED_TRACE(line);
    size_t end = line.find('\t');
    auto scaling = dyn_cast_or_null<RopeScalingAttr>(
        parseAttribute(line.substr(0, end), &context));
    ASSERT_TRUE(scaling);
    std::istringstream rest(line.substr(end));
    RopeFrequency frequency{0, 0, scaling};
    int64_t length = 0;
    double factor = 0, expected = 0;
    rest >> frequency.theta >> frequency.columns >> length >> factor;
    EXPECT_NEAR(frequency.attentionFactor() / factor, 1, tolerance);
    for (int64_t pair = 0; pair < frequency.columns / 2; ++pair) {
      rest >> expected;
      EXPECT_NEAR(frequency.of(pair, length) / expected, 1, tolerance)
          << "pair " << pair;
    }
    EXPECT_TRUE(rest);
  }
  EXPECT_EQ(lines, 19);
}

/// The slopes that Press et al. 2021 give for 8 heads, and for 12 those of 8
/// and every other of 16.
TEST(RopeFrequencyTest, LinearBiasesHaveSlopesForAnyNumberOfHeads) {
  for (int64_t h = 0; h < 8; ++h)
    EXPECT_DOUBLE_EQ(alibiSlope(h, 8), std::exp2(-double(h + 1)));
  for (int64_t h = 0; h < 8; ++h)
    EXPECT_DOUBLE_EQ(alibiSlope(h, 12), alibiSlope(h, 8));
  for (int64_t h = 0; h < 4; ++h)
    EXPECT_DOUBLE_EQ(alibiSlope(8 + h, 12), alibiSlope(2 * h, 16));
  EXPECT_DOUBLE_EQ(alibiSlope(0, 1), std::exp2(-8.0));
  SmallVector<double> compiled = AlibiSlopesOp::slopesOf(12);
  for (auto [h, slope] : llvm::enumerate(compiled))
    EXPECT_DOUBLE_EQ(slope, alibiSlope(static_cast<int64_t>(h), 12));
}

} // namespace
