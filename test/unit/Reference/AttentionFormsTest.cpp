//===- AttentionFormsTest.cpp - Named forms and their expansions ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference knows each clause by its formula; here it also runs what the
// expansion makes of the clause. Both must agree, or one of them is wrong.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"
#include "sinter/Dialect/Sinter/Transforms/Passes.h"
#include "sinter/Reference/Interpreter.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace sinter;

namespace {

class AttentionFormsTest : public testing::Test {
protected:
  AttentionFormsTest() {
    context.loadDialect<SinterDialect, arith::ArithDialect, func::FuncDialect,
                        math::MathDialect, tensor::TensorDialect>();
  }

  Tensor numbers(ArrayRef<int64_t> shape) {
    std::vector<double> values(elementCount(shape));
    for (double &value : values)
      value = std::sin(static_cast<double>(++made) * 1.7) * 2;
    return Tensor::ofReals(shape, Builder(&context).getF32Type(), values);
  }

  std::vector<ReferenceValue> run(ModuleOp module) {
    Interpreter interpreter(module,
                            [](StringRef, StringRef, RankedTensorType, Location)
                                -> FailureOr<Tensor> { return failure(); });
    FailureOr<Session> session = Session::create(module, {});
    EXPECT_TRUE(succeeded(session));
    auto results = interpreter.run("f", inputs, *session);
    EXPECT_TRUE(succeeded(results));
    return succeeded(results) ? *results : std::vector<ReferenceValue>();
  }

  /// Runs function @f as it is and expanded; gives the former's results.
  std::vector<ReferenceValue> expectSame(const std::string &text) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    if (!module)
      return {};
    auto asWritten = run(*module);
    PassManager manager(&context);
    manager.addPass(createSinterExpandLibrary());
    EXPECT_TRUE(succeeded(manager.run(*module)));
    auto expanded = run(*module);
    EXPECT_EQ(asWritten.size(), expanded.size());
    for (size_t i = 0; i < std::min(asWritten.size(), expanded.size()); ++i)
      expectNear(expanded[i].tensor, asWritten[i].tensor);
    return asWritten;
  }

  void expectNear(const Tensor &got, const Tensor &want) {
    ASSERT_EQ(got.shape(), want.shape());
    for (int64_t i = 0; i < want.size(); ++i)
      if (got.real(i) != want.real(i)) // infinities have no distance
        EXPECT_NEAR(got.real(i), want.real(i), 1e-6) << "element " << i;
  }

  /// Attention with these clauses, of 3 queries and 5 keys.
  std::string attention(StringRef clauses) {
    return (R"(func.func @f(
      %q: tensor<2x3x4x4xf32> {sinter.name = "q"},
      %k: tensor<2x5x2x4xf32> {sinter.name = "k"},
      %v: tensor<2x5x2x3xf32> {sinter.name = "v"},
      %m: tensor<4xf32> {sinter.name = "m"})
      -> (tensor<2x3x4x3xf32> {sinter.name = "y"},
          tensor<2x3x4xf32> {sinter.name = "l"},
          tensor<2x4x3x5xf32> {sinter.name = "s"},
          tensor<2x4x3x5xf32> {sinter.name = "p"}) {
    %y, %l, %s, %p = sinter.attention %q, %k, %v )" +
            clauses + R"( lse scores weights
      : tensor<2x3x4x4xf32>, tensor<2x5x2x4xf32>, tensor<2x5x2x3xf32>
    return %y, %l, %s, %p : tensor<2x3x4x3xf32>, tensor<2x3x4xf32>,
      tensor<2x4x3x5xf32>, tensor<2x4x3x5xf32> })")
        .str();
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  llvm::StringMap<Tensor> inputs;
  int64_t made = 0;
};

TEST_F(AttentionFormsTest, ClausesAreTheirRegions) {
  inputs["q"] = numbers({2, 3, 4, 4});
  inputs["k"] = numbers({2, 5, 2, 4});
  inputs["v"] = numbers({2, 5, 2, 3});
  inputs["m"] = numbers({4});
  for (StringRef clauses :
       {"", "causal", "scale(2.0)", "softcap(1.5)", "alibi(%m : tensor<4xf32>)",
        "window(1, 0)", "window(?, 1)", "window(0, ?)",
        "causal window(2, ?) softcap(0.5) alibi(%m : tensor<4xf32>)"}) {
    SCOPED_TRACE(clauses.str());
    expectSame(attention(clauses));
  }
}

TEST_F(AttentionFormsTest, AdditiveAttentionIsItsFormula) {
  Tensor q = inputs["q"] = numbers({2, 3});
  Tensor k = inputs["k"] = numbers({2, 4, 3});
  Tensor v = inputs["v"] = numbers({2, 4, 2});
  Tensor w = inputs["w"] = numbers({3});
  inputs["n"] = Tensor::ofIntegers({2}, Builder(&context).getI64Type(), {3, 0});
  auto results = expectSame(R"(func.func @f(
      %q: tensor<2x3xf32> {sinter.name = "q"},
      %k: tensor<2x4x3xf32> {sinter.name = "k"},
      %v: tensor<2x4x2xf32> {sinter.name = "v"},
      %w: tensor<3xf32> {sinter.name = "w"},
      %n: tensor<2xi64> {sinter.name = "n"})
      -> (tensor<2x2xf32> {sinter.name = "y"},
          tensor<2x4xf32> {sinter.name = "p"}) {
    %y, %p = sinter.additive_attention %q, %k, %v, %w
      lengths(%n : tensor<2xi64>) weights
      : tensor<2x3xf32>, tensor<2x4x3xf32>, tensor<2x4x2xf32>, tensor<3xf32>
    return %y, %p : tensor<2x2xf32>, tensor<2x4xf32> })");
  ASSERT_EQ(results.size(), 2u);
  double sum = 0, weights[3], mixture[2] = {};
  for (int64_t j = 0; j < 3; ++j) {
    double score = 0;
    for (int64_t d = 0; d < 3; ++d)
      score += w.rounded().real(d) * std::tanh(q.rounded().real({0, d}) +
                                               k.rounded().real({0, j, d}));
    sum += weights[j] = std::exp(score);
  }
  for (int64_t j = 0; j < 3; ++j)
    for (int64_t e = 0; e < 2; ++e)
      mixture[e] += weights[j] / sum * v.rounded().real({0, j, e});
  // Row 1 has no keys.
  expectNear(
      results[0].tensor,
      Tensor::ofReals({2, 2}, q.elementType(), {mixture[0], mixture[1], 0, 0}));
  expectNear(results[1].tensor,
             Tensor::ofReals({2, 4}, q.elementType(),
                             {weights[0] / sum, weights[1] / sum,
                              weights[2] / sum, 0, 0, 0, 0, 0}));
}

} // namespace
