//===- ReferenceModelTest.cpp - Tolerances over several calls ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Execution/ReferenceModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace sinter;
using namespace sinter::execution;

namespace {

/// The difference of a product and what the call before left of it: exactly 0
/// here, but in a compiled model each of the two may be rounded otherwise.
constexpr const char *difference = R"(
  sinter.state @old dims ["b"] : tensor<?x4xf32>
  func.func @f(%x: tensor<?x4xf32> {sinter.name = "x", sinter.dims = ["b"]})
      -> (tensor<?x4xf32> {sinter.name = "y"}) {
    %s = sinter.read @old : tensor<?x4xf32>
    %p = arith.mulf %x, %x : tensor<?x4xf32>
    %y = arith.subf %p, %s : tensor<?x4xf32>
    sinter.write @old, %p : tensor<?x4xf32>
    return %y : tensor<?x4xf32>
  })";

TEST(ReferenceModel, ErrorsOfTwoCallsAreIndependent) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<SinterDialect, arith::ArithDialect, func::FuncDialect>();
  auto module = parseSourceString<ModuleOp>(difference, &context);
  ASSERT_TRUE(module);
  ReferenceModel model(*module, {});
  auto session = model.createSession({{"b", 1}});
  ASSERT_TRUE(succeeded(session));
  llvm::StringMap<Tensor> inputs;
  Type f32 = Builder(&context).getF32Type();
  inputs["x"] = Tensor::ofReals({1, 4}, f32, {1, 1, 1, 1});
  ASSERT_TRUE(succeeded(model.run("f", inputs, *session)));
  auto second = model.run("f", inputs, *session);
  ASSERT_TRUE(succeeded(second));
  for (double tolerance : second->front().tolerances)
    EXPECT_GT(tolerance, std::ldexp(1.0, -24));
}

} // namespace
