//===- OpsTest.cpp - Model operations, by hand ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Reference/Ops.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace sinter;
using namespace sinter::reference;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class OpsTest : public testing::Test {
protected:
  Tensor f(ArrayRef<int64_t> shape, ArrayRef<double> values) {
    return Tensor::ofReals(shape, b.getF32Type(), values);
  }
  Tensor i(ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
    return Tensor::ofIntegers(shape, b.getI64Type(), values);
  }
  void expect(const Tensor &t, ArrayRef<int64_t> shape,
              ArrayRef<double> values) {
    ASSERT_EQ(t.shape(), shape);
    for (int64_t k = 0; k < t.size(); ++k)
      if (t.real(k) != values[k]) // infinities have no distance
        EXPECT_NEAR(t.real(k), values[k], 1e-12) << "element " << k;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  Builder b{&context};
};

TEST_F(OpsTest, LinearInBothOrders) {
  Tensor x = f({1, 2}, {1, 2});
  Tensor bias = f({3}, {10, 20, 30});
  expect(linear(x, f({3, 2}, {1, 0, 0, 1, 1, 1}), &bias, false), {1, 3},
         {11, 22, 33});
  expect(linear(x, f({2, 3}, {1, 0, 1, 0, 1, 1}), nullptr, true), {1, 3},
         {1, 2, 3});
}

TEST_F(OpsTest, MatmulTransposesEitherSide) {
  Tensor a = f({1, 2, 3}, {1, 2, 3, 4, 5, 6}), v = f({3, 1}, {1, 0, -1});
  expect(matmul(a, v, false, false), {1, 2, 1}, {-2, -2});
  expect(matmul(a, f({1, 3}, {1, 0, -1}), false, true), {1, 2, 1}, {-2, -2});
  expect(matmul(a, f({1, 2, 1}, {1, 1}), true, false), {1, 3, 1}, {5, 7, 9});
}

TEST_F(OpsTest, SoftmaxOfMinusInfinityIsZero) {
  double e = std::exp(1.0);
  expect(softmax(f({3, 2}, {0, 1, -infinity, -infinity, 1e6, -infinity})),
         {3, 2}, {1 / (1 + e), e / (1 + e), 0, 0, 1, 0});
}

TEST_F(OpsTest, LayerNormHasItsVarianceAroundTheMean) {
  // A mean of 1e8 would drown a variance of 1 in E[x^2] - E[x]^2.
  Tensor gain = f({2}, {1, 2}), bias = f({2}, {0, 5});
  expect(layerNorm(f({1, 2}, {1e8 - 1, 1e8 + 1}), &gain, &bias, 0), {1, 2},
         {-1, 7});
  expect(layerNorm(f({1, 2}, {3, 5}), nullptr, nullptr, 0), {1, 2}, {-1, 1});
}

TEST_F(OpsTest, RmsNorm) {
  Tensor x = f({1, 2}, {3, 4}), gain = f({2}, {1, 2});
  double size = std::sqrt(12.5);
  expect(rmsNorm(x, &gain, 0, 0), {1, 2}, {3 / size, 8 / size});
  expect(rmsNorm(x, &gain, 1, 0), {1, 2}, {6 / size, 12 / size});
  expect(rmsNorm(x, nullptr, 0, 0), {1, 2}, {3 / size, 4 / size});
}

TEST_F(OpsTest, RopeInBothPairings) {
  Tensor x = f({1, 1, 1, 4}, {1, 2, 3, 4}), at = i({1, 1}, {3});
  // Angles 3 and 3 * 100^(-2/4) = 0.3.
  double c0 = std::cos(3.0), s0 = std::sin(3.0);
  double c1 = std::cos(0.3), s1 = std::sin(0.3);
  Rope how{/*interleaved=*/true, /*columns=*/4,
           [](int64_t pair, int64_t) { return std::pow(100, -pair / 2.0); }};
  expect(rope(x, at, how), {1, 1, 1, 4},
         {c0 - 2 * s0, s0 + 2 * c0, 3 * c1 - 4 * s1, 3 * s1 + 4 * c1});
  how.interleaved = false;
  expect(rope(x, at, how), {1, 1, 1, 4},
         {c0 - 3 * s0, 2 * c1 - 4 * s1, s0 + 3 * c0, 2 * s1 + 4 * c1});
  // Columns behind the turned ones stay; cosine and sine are scaled.
  how.columns = 2;
  how.factor = 2;
  expect(rope(x, at, how), {1, 1, 1, 4},
         {2 * (c0 - 2 * s0), 2 * (s0 + 2 * c0), 3, 4});
}

TEST_F(OpsTest, SinusoidalPositions) {
  Tensor at = i({1, 1}, {2});
  expect(sinusoidalPositions(at, 4, false, b.getF32Type()), {1, 1, 4},
         {std::sin(2.0), std::cos(2.0), std::sin(0.02), std::cos(0.02)});
  expect(sinusoidalPositions(at, 4, true, b.getF32Type()), {1, 1, 4},
         {std::sin(2.0), std::sin(0.02), std::cos(2.0), std::cos(0.02)});
}

/// Two queries, three keys, one head of size 1; scores are the keys.
class AttentionTest : public OpsTest {
protected:
  AttentionTest()
      : query(f({1, 2, 1, 1}, {1, 1})), key(f({1, 3, 1, 1}, {0, 0, 0})),
        value(f({1, 3, 1, 1}, {3, 6, 12})) {
    problem.query = &query;
    problem.key = &key;
    problem.value = &value;
    problem.offset = {1};
    problem.validKeys = {3};
  }
  Tensor run() {
    FailureOr<AttentionResult> result = attention(problem);
    EXPECT_TRUE(succeeded(result));
    return result->mixture;
  }

  Tensor query, key, value;
  Attention problem;
};

TEST_F(AttentionTest, EqualScoresGiveTheMean) {
  expect(run(), {1, 2, 1, 1}, {7, 7});
}

TEST_F(AttentionTest, CausalIsAlignedByTheOffset) {
  problem.causal = true;
  expect(run(), {1, 2, 1, 1}, {4.5, 7});
  problem.offset = {-1};
  expect(run(), {1, 2, 1, 1}, {0, 3}); // the first query sees nothing
}

TEST_F(AttentionTest, WindowsLimitBothSides) {
  problem.windowLeft = 0;
  expect(run(), {1, 2, 1, 1}, {9, 12});
  problem.windowRight = 0;
  expect(run(), {1, 2, 1, 1}, {6, 12});
}

TEST_F(AttentionTest, SlopesAreAddedToTheCappedScore) {
  problem.softcap = 2;
  problem.wantsScores = true;
  key = f({1, 3, 1, 1}, {0, 1, 1000});
  Tensor slopes = f({1}, {0.5});
  problem.slopes = &slopes;
  FailureOr<AttentionResult> result = attention(problem);
  ASSERT_TRUE(succeeded(result));
  double capped = 2 * std::tanh(0.5);
  expect(result->scores, {1, 1, 2, 3},
         {-0.5, capped, 2.5, -1, capped - 0.5, 2});
}

TEST_F(AttentionTest, FurtherResults) {
  problem.causal = true;
  problem.offset = {-1};
  problem.wantsScores = true;
  key = f({1, 3, 1, 1}, {5, 0, 0});
  FailureOr<AttentionResult> result = attention(problem);
  ASSERT_TRUE(succeeded(result));
  expect(result->scores, {1, 1, 2, 3},
         {-infinity, -infinity, -infinity, 5, -infinity, -infinity});
  expect(result->weights, {1, 1, 2, 3}, {0, 0, 0, 1, 0, 0});
  expect(result->lse, {1, 2, 1}, {-infinity, 5});
}

TEST_F(AttentionTest, KeysPastTheLengthAreNotRead) {
  problem.validKeys = {2};
  value.real(2) = std::nan("");
  expect(run(), {1, 2, 1, 1}, {4.5, 4.5});
}

TEST_F(AttentionTest, MasksOfMinusInfinityNeverGiveNaN) {
  Tensor mask = f({1, 1, 2, 3}, {-infinity, -infinity, -infinity, //
                                 0, -infinity, std::log(2)});
  problem.mask = &mask;
  expect(run(), {1, 2, 1, 1}, {0, 9});
}

TEST_F(AttentionTest, BooleanMaskIsBroadcast) {
  Tensor mask = Tensor::ofIntegers({1, 1, 1, 3}, b.getI1Type(), {1, 0, 1});
  problem.mask = &mask;
  expect(run(), {1, 2, 1, 1}, {7.5, 7.5});
}

TEST_F(AttentionTest, SinkTakesItsShare) {
  problem.sink = [](Attention::Indices) { return std::log(3.0); };
  expect(run(), {1, 2, 1, 1}, {3.5, 3.5});
}

TEST_F(AttentionTest, RulesGetAbsolutePositions) {
  problem.allows = [](Attention::Indices i) { return i[3] == i[2]; };
  expect(run(), {1, 2, 1, 1}, {6, 12});
}

TEST_F(AttentionTest, LargeScoresAreNoTrouble) {
  key = f({1, 3, 1, 1}, {1e4, 1e4 - std::log(2), -1e4});
  expect(run(), {1, 2, 1, 1}, {4, 4});
}

TEST_F(AttentionTest, NaNAtASeenKeyReachesTheRow) {
  key.real(1) = std::nan("");
  problem.causal = true;
  problem.offset = {0};
  Tensor y = run();
  EXPECT_EQ(y.real(0), 3);
  EXPECT_TRUE(std::isnan(y.real(1)));
}

TEST_F(OpsTest, ShapesMoveData) {
  Tensor x = f({1, 2, 4}, {0, 1, 2, 3, 4, 5, 6, 7});
  expect(split(x, {1, 3})[1], {1, 2, 3}, {1, 2, 3, 5, 6, 7});
  expect(splitHeads(x, {1, 1})[1], {1, 2, 1, 2}, {2, 3, 6, 7});
  expect(transpose(x, {0, 2, 1}), {1, 4, 2}, {0, 4, 1, 5, 2, 6, 3, 7});
  expect(take(x, {1}), {1, 4}, {4, 5, 6, 7});
  expect(take(f({1, 0, 2}, {}), {-1}), {1, 2}, {0, 0});
  expect(broadcast(f({2, 1}, {1, 2}), {1, 2, 2}), {1, 2, 2}, {1, 1, 2, 2});
  Tensor y = f({1, 2, 1}, {8, 9});
  expect(concat({&x, &y}, 2), {1, 2, 5}, {0, 1, 2, 3, 8, 4, 5, 6, 7, 9});
  expect(slice(x, {0, 1, 0}, {1, 1, 2}, {1, 1, 3}), {1, 1, 2}, {4, 7});
}

} // namespace
