//===- ScalarTest.cpp - Evaluation of scalar code in double ---------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Reference/Scalar.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace sinter;

namespace {

std::optional<ScalarOrTensor> nothing(Value) { return std::nullopt; }

/// Evaluates functions of a module's text.
class ScalarTest : public testing::Test {
protected:
  ScalarTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        math::MathDialect, tensor::TensorDialect>();
    context.getDiagEngine().registerHandler(
        [this](Diagnostic &d) { message = d.str(); });
  }

  FailureOr<SmallVector<ScalarValue>> run(StringRef text,
                                          ArrayRef<ScalarOrTensor> arguments) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << message;
    auto function = module->lookupSymbol<func::FuncOp>("f");
    return evaluateRegion(function.getBody(), arguments, nothing);
  }
  ScalarValue index(int64_t i) {
    return ScalarValue::ofInteger(b.getIndexType(), i);
  }
  ScalarValue f32(double x) { return ScalarValue::ofReal(b.getF32Type(), x); }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  Builder b{&context};
  OwningOpRef<ModuleOp> module;
  std::string message;
};

TEST_F(ScalarTest, FloatsOfAnyTypeAreComputedInDouble) {
  auto r = run(R"(func.func @f(%x: f32) -> f32 {
    %c = arith.constant 3.0 : f32
    %q = arith.divf %x, %c : f32
    %e = math.exp %q : f32
    return %e : f32 })",
               {f32(1)});
  ASSERT_TRUE(succeeded(r));
  EXPECT_EQ(r->front().real, std::exp(1.0 / 3.0));
}

TEST_F(ScalarTest, IntegersWrapAndCompareWithTheirSign) {
  auto r = run(R"(func.func @f(%x: i8) -> (i8, i1, i1) {
    %c = arith.constant 100 : i8
    %s = arith.addi %x, %c : i8
    %lt = arith.cmpi slt, %s, %c : i8
    %ult = arith.cmpi ult, %s, %c : i8
    return %s, %lt, %ult : i8, i1, i1 })",
               {ScalarValue::ofInteger(b.getI8Type(), 100)});
  ASSERT_TRUE(succeeded(r));
  EXPECT_EQ((*r)[0].integer, -56);
  EXPECT_EQ((*r)[1].integer, 1);
  EXPECT_EQ((*r)[2].integer, 0);
}

TEST_F(ScalarTest, ReadsClampTheirIndices) {
  Tensor table = Tensor::ofReals({2, 2}, b.getF32Type(), {1, 2, 3, 4});
  StringRef text = R"(func.func @f(%t: tensor<2x2xf32>, %i: index) -> f32 {
    %c1 = arith.constant 1 : index
    %r = tensor.extract %t[%i, %c1] : tensor<2x2xf32>
    return %r : f32 })";
  EXPECT_EQ(run(text, {table, index(-7)})->front().real, 2);
  EXPECT_EQ(run(text, {table, index(9)})->front().real, 4);
}

TEST_F(ScalarTest, TheBucketsOfT5) {
  // 32 buckets, distance 128, both directions: values of the published code.
  StringRef text = R"(
    func.func private @far(%n: i32) -> i32 {
      %c15 = arith.constant 15 : i32
      %c33 = arith.constant 33 : i32
      %nn = arith.muli %n, %n : i32
      %z = math.ctlz %nn : i32
      %log = arith.subi %c33, %z : i32
      %far = arith.minsi %log, %c15 : i32
      return %far : i32
    }
    func.func @f(%distance: index) -> index {
      %c0 = arith.constant 0 : i32
      %c8 = arith.constant 8 : i32
      %c16 = arith.constant 16 : i32
      %d = arith.index_cast %distance : index to i32
      %n = math.absi %d : i32
      %far = func.call @far(%n) : (i32) -> i32
      %near = arith.cmpi slt, %n, %c8 : i32
      %m = arith.select %near, %n, %far : i32
      %ahead = arith.cmpi sgt, %d, %c0 : i32
      %side = arith.select %ahead, %c16, %c0 : i32
      %r = arith.addi %m, %side : i32
      %i = arith.index_cast %r : i32 to index
      return %i : index
    })";
  const std::pair<int64_t, int64_t> cases[] = {
      {0, 0},  {-7, 7},  {-8, 8},  {-11, 8},   {-12, 9}, {7, 23},
      {8, 24}, {90, 30}, {91, 31}, {-500, 15}, {500, 31}};
  for (auto [distance, bucket] : cases)
    EXPECT_EQ(run(text, {index(distance)})->front().integer, bucket)
        << distance;
}

TEST_F(ScalarTest, OuterValuesComeFromTheCallback) {
  module = parseSourceString<ModuleOp>(R"(func.func @f(%i: index) {
    %t = tensor.generate {
    ^bb0(%j: index):
      %s = arith.addi %i, %j : index
      tensor.yield %s : index
    } : tensor<4xindex>
    return })",
                                       &context);
  ASSERT_TRUE(module) << message;
  auto function = module->lookupSymbol<func::FuncOp>("f");
  auto generate = *function.getOps<tensor::GenerateOp>().begin();
  auto outer = [&](Value v) -> std::optional<ScalarOrTensor> {
    EXPECT_EQ(v, function.getArgument(0));
    return index(40);
  };
  auto r = evaluateRegion(generate.getBody(), {index(2)}, outer);
  ASSERT_TRUE(succeeded(r));
  EXPECT_EQ(r->front().integer, 42);
}

TEST_F(ScalarTest, UndefinedAndUnknownOpsAreErrors) {
  EXPECT_TRUE(failed(run(R"(func.func @f(%x: index) -> index {
    %c0 = arith.constant 0 : index
    %r = arith.divui %x, %c0 : index
    return %r : index })",
                         {index(1)})));
  EXPECT_EQ(message,
            "the result of 'arith.divui' is undefined for these operands");
  EXPECT_TRUE(failed(run(R"(func.func @f(%x: f32) -> tensor<1xf32> {
    %r = tensor.from_elements %x : tensor<1xf32>
    return %r : tensor<1xf32> })",
                         {f32(1)})));
  EXPECT_EQ(message, "the reference does not know 'tensor.from_elements' in a "
                     "scalar region");
}

TEST_F(ScalarTest, RecursionIsAnError) {
  EXPECT_TRUE(failed(run(R"(func.func @f(%x: f32) -> f32 {
    %r = func.call @f(%x) : (f32) -> f32
    return %r : f32 })",
                         {f32(1)})));
  EXPECT_NE(message.find("recursive"), std::string::npos);
}

} // namespace
