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
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/TypeSwitch.h"

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
  case Activation::Identity:
    return value;
  case Activation::QuickGelu:
    return QuickGeluOp::create(builder, loc, value);
  case Activation::ReluSquared:
    return ReluSquaredOp::create(builder, loc, value);
  case Activation::Mish:
    return MishOp::create(builder, loc, value);
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

/// Half `number` of the outputs of a weight for gate and up, or of its bias.
static Value halfOf(OpBuilder &builder, Location loc, Value joined, int64_t dim,
                    int64_t number) {
  if (!joined)
    return joined;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, joined);
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  int64_t half = cast<RankedTensorType>(joined.getType()).getDimSize(dim) / 2;
  sizes[dim] = builder.getIndexAttr(half);
  offsets[dim] = builder.getIndexAttr(half * number);
  return tensor::ExtractSliceOp::create(builder, loc, joined, offsets, sizes,
                                        strides);
}

/// Gate and up are two projections also where they are one weight: a kernel
/// that makes both holds each pair at the same place.
static void expandGatedFfn(GatedFfnOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  bool inOut = op.getInOut();
  Value gateWeight = op.getGateWeight(), upWeight = op.getUpWeight();
  Value gateBias = op.getGateBias(), upBias = op.getUpBias();
  if (!upWeight) {
    int64_t out = inOut ? 1 : 0;
    upWeight = halfOf(builder, loc, gateWeight, out, 1);
    gateWeight = halfOf(builder, loc, gateWeight, out, 0);
    upBias = halfOf(builder, loc, gateBias, 0, 1);
    gateBias = halfOf(builder, loc, gateBias, 0, 0);
  }
  Value gate = LinearOp::create(builder, loc, op.getInput(), gateWeight,
                                gateBias, inOut);
  Value activated = activate(builder, loc, op.getActivation(), gate);
  Value up =
      LinearOp::create(builder, loc, op.getInput(), upWeight, upBias, inOut);
  Value product = arith::MulFOp::create(builder, loc, activated, up);
  Value down = LinearOp::create(builder, loc, product, op.getDownWeight(),
                                op.getDownBias(), inOut);
  op.replaceAllUsesWith(down);
  op.erase();
}

//===----------------------------------------------------------------------===//
// Other ops
//===----------------------------------------------------------------------===//

static void expandSlopes(AlibiSlopesOp op) {
  OpBuilder builder(op);
  SmallVector<float> slopes;
  for (double slope : AlibiSlopesOp::slopesOf(op.getType().getDimSize(0)))
    slopes.push_back(static_cast<float>(slope));
  auto constant = arith::ConstantOp::create(
      builder, op.getLoc(),
      DenseElementsAttr::get(op.getType(), ArrayRef(slopes)));
  op.replaceAllUsesWith(constant.getResult());
  op.erase();
}

static void expandDropout(DropoutOp op) {
  op.replaceAllUsesWith(op.getInput());
  op.erase();
}

static void expand(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([](AttentionOp op) { expandAttention(op); })
      .Case([](AdditiveAttentionOp op) { expandAdditiveAttention(op); })
      .Case([](FfnOp op) { expandFfn(op); })
      .Case([](GatedFfnOp op) { expandGatedFfn(op); })
      .Case([](AlibiSlopesOp op) { expandSlopes(op); })
      .Case([](DropoutOp op) { expandDropout(op); });
}

namespace {
struct ExpandLibraryPass
    : sinter::impl::SinterExpandLibraryBase<ExpandLibraryPass> {
  void runOnOperation() override { getOperation().walk(expand); }
};
} // namespace
