//===- ExpandLibrary.cpp - named forms to regions and simpler ops ---------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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
// attention
//===----------------------------------------------------------------------===//

/// Gives an empty `region` a block with `floats` f32 and then four index
/// arguments.
static Block *makeRule(Region &region, unsigned floats, Location loc) {
  MLIRContext *context = region.getContext();
  Block &block = region.emplaceBlock();
  for (unsigned i = 0; i < floats; ++i)
    block.addArgument(Float32Type::get(context), loc);
  for (unsigned i = 0; i < 4; ++i)
    block.addArgument(IndexType::get(context), loc);
  return &block;
}

/// Moves the scale into the score region.
static void expandScale(AttentionOp op) {
  double scale = op.getScaleValue();
  Location loc = op.getLoc();
  OpBuilder builder(op);
  op.setScaleAttr(builder.getF64FloatAttr(1.0));
  if (scale == 1.0)
    return;
  Region &region = op.getScoreRegion();
  bool fresh = region.empty();
  Block *block = fresh ? makeRule(region, 1, loc) : &region.front();
  builder.setInsertionPointToStart(block);
  Value score = block->getArgument(0);
  Value factor = arith::ConstantOp::create(
      builder, loc, builder.getF32FloatAttr(static_cast<float>(scale)));
  auto scaled = arith::MulFOp::create(builder, loc, score, factor);
  if (fresh)
    YieldOp::create(builder, loc, ValueRange{scaled});
  else
    score.replaceAllUsesExcept(scaled, scaled);
}

/// Moves `causal` into the mask region: key j counts for query i if j <= i.
static void expandCausal(AttentionOp op) {
  if (!op.getCausal())
    return;
  op.setCausal(false);
  Location loc = op.getLoc();
  OpBuilder builder(op);
  Region &region = op.getMaskRegion();
  bool fresh = region.empty();
  Block *block = fresh ? makeRule(region, 0, loc) : &region.front();
  if (fresh)
    builder.setInsertionPointToEnd(block);
  else
    builder.setInsertionPoint(block->getTerminator());
  // Signed: a query may stand before position 0.
  Value seen =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                            block->getArgument(3), block->getArgument(2));
  if (fresh) {
    YieldOp::create(builder, loc, seen);
    return;
  }
  OpOperand &rule = block->getTerminator()->getOpOperand(0);
  rule.set(arith::AndIOp::create(builder, loc, rule.get(), seen));
}

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
        expandScale(attention);
        expandCausal(attention);
      } else if (auto ffn = dyn_cast<FfnOp>(op)) {
        expandFfn(ffn);
      } else if (auto gated = dyn_cast<GatedFfnOp>(op)) {
        expandGatedFfn(gated);
      }
    });
  }
};
} // namespace
