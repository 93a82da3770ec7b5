//===- ExpandLibrary.cpp - named forms to regions and simpler ops ---------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandAttention.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"
#include "sinter/Dialect/Sinter/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace sinter {
#define GEN_PASS_DEF_SINTEREXPANDLIBRARY
#include "sinter/Dialect/Sinter/Transforms/Passes.h.inc"
} // namespace sinter

using namespace mlir;
using namespace sinter;

//===----------------------------------------------------------------------===//
// Feed-forward blocks
//===----------------------------------------------------------------------===//

static Value activate(OpBuilder &builder, Location loc, Activation activation,
                      Value value) {
  switch (activation) {
  case Activation::Relu:
    return ReluOp::create(builder, loc, value);
  case Activation::Gelu:
    return GeluOp::create(builder, loc, value, /*tanh=*/false);
  case Activation::GeluTanh:
    return GeluOp::create(builder, loc, value, /*tanh=*/true);
  case Activation::Silu:
    return SiluOp::create(builder, loc, value);
  case Activation::Sigmoid:
    return SigmoidOp::create(builder, loc, value);
  case Activation::Tanh:
    return math::TanhOp::create(builder, loc, value);
  }
  llvm_unreachable("all activations are above");
}

static void expandFfn(FfnOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value up = LinearOp::create(builder, loc, op.getInput(), op.getUpWeight(),
                              op.getUpBias(), op.getInOut());
  Value middle = activate(builder, loc, op.getActivation(), up);
  Value down = LinearOp::create(builder, loc, middle, op.getDownWeight(),
                                op.getDownBias(), op.getInOut());
  op.replaceAllUsesWith(down);
  op.erase();
}

static void expandGatedFfn(GatedFfnOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto linear = [&](Value input, Value weight) -> Value {
    return LinearOp::create(builder, loc, input, weight, Value(),
                            op.getInOut());
  };
  Value gate = activate(builder, loc, op.getActivation(),
                        linear(op.getInput(), op.getGateWeight()));
  Value up = linear(op.getInput(), op.getUpWeight());
  Value product = arith::MulFOp::create(builder, loc, gate, up);
  op.replaceAllUsesWith(linear(product, op.getDownWeight()));
  op.erase();
}

namespace {
struct ExpandLibraryPass
    : sinter::impl::SinterExpandLibraryBase<ExpandLibraryPass> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto attention = dyn_cast<AttentionOp>(op)) {
        expandAttention(attention);
      } else if (auto additive = dyn_cast<AdditiveAttentionOp>(op)) {
        expandAdditiveAttention(additive);
      } else if (auto ffn = dyn_cast<FfnOp>(op)) {
        expandFfn(ffn);
      } else if (auto gated = dyn_cast<GatedFfnOp>(op)) {
        expandGatedFfn(gated);
      }
    });
  }
};
} // namespace
