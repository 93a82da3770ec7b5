//===- ExpectationTest.cpp - Tests of comparison and random inputs -*- C++
//-*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Execution/Expectation.h"
#include "mlir/IR/MLIRContext.h"
#include "sinter/Execution/RandomInputs.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace sinter;
using namespace sinter::execution;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

struct ExpectationTest : public ::testing::Test {
  mlir::MLIRContext context;
  mlir::Type f32 = mlir::Float32Type::get(&context);
  mlir::Type i64 = mlir::IntegerType::get(&context, 64);

  Tensor row(llvm::ArrayRef<double> values) {
    return Tensor::ofReals({static_cast<int64_t>(values.size())}, f32, values);
  }
};

} // namespace

TEST_F(ExpectationTest, CountsAndNamesTheWorst) {
  Expectation expected = expectWithin("y", row({1, 2, 3}), {0, 0.5, 0});
  EXPECT_TRUE(compare(expected, row({1.5, 1.5, 3})).agrees());
  Comparison comparison = compare(expected, row({1, 4, 3.75}));
  EXPECT_EQ(comparison.differing, 2);
  EXPECT_EQ(comparison.worst, Shape{1});
  EXPECT_EQ(comparison.worstRatio, 4);
  EXPECT_EQ(comparison.describe(),
            "2 of 3 elements differ, most at [1]: 4, expected 2 +- 0.5");
}

TEST_F(ExpectationTest, ComparesInUlps) {
  float next = std::nextafter(1.0f, 2.0f), third = std::nextafter(next, 2.0f);
  Expectation expected = expectWithin("y", row({1}), {0, 0, 1});
  EXPECT_TRUE(compare(expected, row({next})).agrees());
  EXPECT_FALSE(compare(expected, row({third})).agrees());
}

TEST_F(ExpectationTest, ComparesWhatIsNotFinite) {
  Expectation expected =
      expectWithin("y", row({notANumber, infinity, -infinity, 1}), {1, 1, 0});
  EXPECT_TRUE(
      compare(expected, row({notANumber, infinity, -infinity, 1})).agrees());
  EXPECT_EQ(compare(expected, row({1, 1, infinity, notANumber})).differing, 4);
}

TEST_F(ExpectationTest, LeavesOutWhatIsUnspecified) {
  Tensor value = Tensor::ofReals({2, 2}, f32, {1, 2, 3, 4});
  Expectation expected = expectWithin("y", value, {});
  expected.validity = {{1, 0}, /*hasTime=*/true};
  Tensor actual =
      Tensor::ofReals({2, 2}, f32, {1, notANumber, notANumber, notANumber});
  Comparison comparison = compare(expected, actual);
  EXPECT_TRUE(comparison.agrees());
  EXPECT_EQ(comparison.compared, 1);
}

TEST_F(ExpectationTest, ToleranceFollowsTheSpread) {
  ToleranceBuilder builder({"y", row({1, 1, 1e300, 1}), {}});
  builder.add({"y", row({1, 1.5, 2e300, infinity}), {}});
  builder.add({"y", row({1, 0.5, 1e300, 1}), {}});
  Expectation expected = builder.take();
  EXPECT_LT(expected.tolerances[0], 1e-6);
  EXPECT_NEAR(expected.tolerances[1], 4, 1e-6);
  // Too large for the type: infinite in compiled code.
  EXPECT_EQ(expected.value.real(2), infinity);
  EXPECT_LT(expected.tolerances[2], 1e-6);
  EXPECT_EQ(expected.tolerances[3], infinity);
}

TEST_F(ExpectationTest, NoiseStaysInItsBound) {
  Noise noise(1);
  double unit = unitRoundoff(f32), largest = 0;
  EXPECT_EQ(unit, std::ldexp(1.0, -24));
  for (int i = 0; i < 1000; ++i)
    largest = std::max(largest, std::abs(noise.disturb(1, f32, 8) - 1));
  EXPECT_LE(largest, 8 * unit);
  EXPECT_GT(largest, 7 * unit);
}

TEST_F(ExpectationTest, GuardsSeeWrites) {
  GuardedBuffer buffer(8, /*offset=*/4);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % 64, 4u);
  EXPECT_TRUE(buffer.isIntact());
  buffer.data()[0] = 0;
  buffer.data()[7] = 0;
  EXPECT_TRUE(buffer.isIntact());
  char kept = std::exchange(buffer.data()[8], '\0');
  EXPECT_FALSE(buffer.isIntact());
  buffer.data()[8] = kept;
  buffer.data()[-1] = 0;
  EXPECT_FALSE(buffer.isIntact());
}

TEST_F(ExpectationTest, RandomInputsKeepToTheManifest) {
  EntryManifest entry;
  entry.dims = {{"batch", 0, 9, true, ""}, {"time", 0, 9, true, ""}};
  TensorManifest ids{TensorManifest::Input,
                     "ids",
                     StoredType::I32,
                     {{"batch", 0}, {"time", 0}},
                     {},
                     /*limit=*/3,
                     /*below=*/"",
                     /*lengths=*/1};
  TensorManifest lengths{TensorManifest::Lengths,
                         "n",
                         StoredType::I64,
                         {{"batch", 0}},
                         {"time", 0},
                         0,
                         "",
                         -1};
  entry.tensors = {ids, lengths};
  RandomInputs random(3);
  llvm::StringMap<Tensor> inputs;
  random.draw(entry, {4, 5}, &context, inputs);
  EXPECT_FALSE(inputs.contains("n"));
  inputs.clear();
  random.isRagged = true;
  random.draw(entry, {4, 5}, &context, inputs);
  const Tensor &n = inputs["n"], &tokens = inputs["ids"];
  for (int64_t b = 0; b < 4; ++b)
    for (int64_t t = 0; t < 5; ++t) {
      int64_t id = tokens.integer({b, t});
      EXPECT_TRUE(t < n.integer(b) ? id >= 0 && id < 3 : id == INT32_MIN);
    }
}
