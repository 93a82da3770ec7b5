//===- TensorTest.cpp - Values of the reference interpreter ---------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Reference/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace sinter;

namespace {

class TensorTest : public testing::Test {
protected:
  MLIRContext context{MLIRContext::Threading::DISABLED};
  Builder b{&context};
};

TEST_F(TensorTest, IndicesAreRowMajor) {
  std::vector<std::vector<int64_t>> seen;
  forEachIndex({2, 2}, [&](ArrayRef<int64_t> i) { seen.push_back(i.vec()); });
  EXPECT_EQ(seen, (std::vector<std::vector<int64_t>>{
                      {0, 0}, {0, 1}, {1, 0}, {1, 1}}));
}

TEST_F(TensorTest, RankZeroHasOneIndexAndAnEmptyExtentNone) {
  int calls = 0;
  forEachIndex({}, [&](ArrayRef<int64_t>) { ++calls; });
  EXPECT_EQ(calls, 1);
  forEachIndex({3, 0}, [&](ArrayRef<int64_t>) { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST_F(TensorTest, OffsetsAndClampedOffsets) {
  Tensor t({2, 3}, b.getF32Type());
  EXPECT_EQ(t.offset({1, 2}), 5);
  EXPECT_EQ(t.clampedOffset({-4, 7}), 2);
  EXPECT_EQ(Tensor({2, 0}, b.getF32Type()).clampedOffset({0, 0}), std::nullopt);
}

TEST_F(TensorTest, IntegersWrapInTheirOwnWidth) {
  EXPECT_EQ(wrapInteger(200, b.getI8Type()), -56);
  EXPECT_EQ(
      wrapInteger(200, IntegerType::get(&context, 8, IntegerType::Unsigned)),
      200);
  EXPECT_EQ(wrapInteger(3, b.getI1Type()), 1);
  EXPECT_EQ(wrapInteger(int64_t(1) << 32, b.getI32Type()), 0);
}

TEST_F(TensorTest, RoundingIsToTheElementType) {
  Tensor t = Tensor::ofReals({2}, b.getBF16Type(), {1.00390625, 0.1});
  Tensor r = t.rounded();
  EXPECT_EQ(r.real(0), 1.0); // halfway between 1 and 1 + 2^-7: to even
  EXPECT_EQ(r.real(1), 0.10009765625);
}

TEST_F(TensorTest, BytesRoundTrip) {
  Tensor reals = Tensor::ofReals({2}, b.getF16Type(), {1.5, -2});
  std::vector<char> bytes = reals.toBytes();
  EXPECT_EQ(bytes, (std::vector<char>{0x00, 0x3e, 0x00, char(0xc0)}));
  EXPECT_EQ(Tensor::fromBytes({2}, b.getF16Type(), bytes)->real(1), -2);

  Tensor integers = Tensor::ofIntegers({2}, b.getI32Type(), {-2, 258});
  bytes = integers.toBytes();
  EXPECT_EQ(bytes.size(), 8u);
  EXPECT_EQ(Tensor::fromBytes({2}, b.getI32Type(), bytes)->integer(0), -2);
  EXPECT_EQ(Tensor::fromBytes({3}, b.getI32Type(), bytes), std::nullopt);
}

TEST_F(TensorTest, ElementsOfAttributes) {
  auto type = RankedTensorType::get({2}, b.getI1Type());
  Tensor t = Tensor::fromElements(DenseElementsAttr::get(type, {true, false}));
  EXPECT_EQ(t.integer(0), 1);
  EXPECT_EQ(t.integer(1), 0);
  EXPECT_EQ(ScalarValue::fromAttribute(b.getF32FloatAttr(0.5f))->real, 0.5);
}

} // namespace
