//===- SinterToFused.cpp - From model operations to kernels ---------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryLowering.h"
#include "Fusion.h"
#include "ToGeneric.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "sinter/Conversion/SinterToFused/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace sinter {
#define GEN_PASS_DEF_CONVERTSINTERTOFUSED
#include "sinter/Conversion/SinterToFused/Passes.h.inc"
} // namespace sinter

using namespace mlir;
using namespace sinter;

LogicalResult EntryLowering::notLowered(Operation *op, const Twine &why,
                                        const Twine &note) {
  InFlightDiagnostic diagnostic =
      op->emitError() << "'" << op->getName()
                      << "' is not lowered to a kernel yet: " << why;
  diagnostic.attachNote() << note;
  return diagnostic;
}

/// Ops that may stay: they are scalar, or views, or already below.
static bool isKept(Operation *op) {
  if (isa<fused::FusedDialect>(op->getDialect()) ||
      isa<func::ReturnOp, tensor::EmptyOp, tensor::DimOp, tensor::CastOp,
          tensor::ExpandShapeOp, tensor::CollapseShapeOp, arith::ConstantOp>(
          op))
    return true;
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
         llvm::all_of(op->getOperandTypes(), isScalar) &&
         llvm::all_of(op->getResultTypes(), isScalar);
}

static Lowered dispatch(EntryLowering &l, Operation *op) {
  return TypeSwitch<Operation *, Lowered>(op)
      .Case([&](WeightOp o) { return lowerWeight(l, o); })
      .Case([&](EmbeddingOp o) { return lowerEmbedding(l, o); })
      .Case([&](PositionsOp o) { return lowerPositions(l, o); })
      .Case([&](RopeOp o) { return lowerRope(l, o); })
      .Case([&](SinusoidalPositionsOp o) { return lowerSinusoidal(l, o); })
      .Case([&](SplitOp o) { return lowerSplit(l, o); })
      .Case([&](SplitHeadsOp o) { return lowerSplitHeads(l, o); })
      .Case([&](MergeHeadsOp o) { return lowerMergeHeads(l, o); })
      .Case([&](LastOp o) { return lowerLast(l, o); })
      .Case([&](TakeOp o) { return lowerTake(l, o); })
      .Case([&](BroadcastOp o) { return lowerBroadcast(l, o); })
      .Case([&](TransposeOp o) { return lowerTranspose(l, o); })
      .Case([&](tensor::ConcatOp o) { return lowerConcat(l, o); })
      .Case([&](tensor::SplatOp o) { return lowerSplat(l, o); })
      .Case([&](tensor::ExtractSliceOp o) { return lowerSlice(l, o); })
      .Case([&](tensor::PadOp o) { return lowerPad(l, o); })
      .Case([&](tensor::GenerateOp o) { return lowerGenerate(l, o); })
      .Case([&](linalg::LinalgOp o) { return lowerStructured(l, o); })
      .Case([&](LinearOp o) { return lowerLinear(l, o); })
      .Case([&](MatmulOp o) { return lowerMatmul(l, o); })
      .Case<SoftmaxOp, LogSoftmaxOp>(
          [&](Operation *o) { return lowerSoftmax(l, o); })
      .Case([&](LayerNormOp o) { return lowerLayerNorm(l, o); })
      .Case([&](RmsNormOp o) { return lowerRmsNorm(l, o); })
      .Case([&](AttentionOp o) { return lowerAttention(l, o); })
      .Case([&](FillOp o) { return lowerFill(l, o); })
      .Case([&](ReadOp o) { return lowerRead(l, o); })
      .Case([&](WriteOp o) { return lowerWrite(l, o); })
      .Case([&](RestartOp o) { return lowerRestart(l, o); })
      .Case([&](ScanOp o) { return lowerScan(l, o); })
      .Default([&](Operation *o) -> Lowered {
        if (isElementwise(o))
          return lowerElementwise(l, o);
        return l.notLowered(
            o, "no skeleton takes it",
            isa<FfnOp, GatedFfnOp, AlibiSlopesOp, DropoutOp, LayersOp, EntryOp>(
                o)
                ? "run '--sinter-expand-entries' and "
                  "'--sinter-expand-library' first"
                : "write it with the operations that are lowered: projections, "
                  "attention, norms, recurrences, element-wise arithmetic and "
                  "moves between shapes");
      });
}

/// Whether each dimension of the op's tensors can have a name.
static bool hasNameableRanks(Operation *op) {
  auto isNameable = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || tensor.getRank() <= maxRank;
  };
  return llvm::all_of(op->getOperandTypes(), isNameable) &&
         llvm::all_of(op->getResultTypes(), isNameable);
}

static bool hasElements(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return !tensor || !llvm::is_contained(tensor.getShape(), 0);
}

/// Nothing is to be computed for results without elements. What reads such a
/// tensor and has elements itself is a sum of nothing, or an error.
static std::optional<Lowered> lowerWithoutElements(EntryLowering &lowering,
                                                   Operation *op) {
  if (op->getNumResults() && isPure(op) && !isa<WeightOp>(op) &&
      llvm::none_of(op->getResultTypes(), hasElements)) {
    SmallVector<Value> values;
    for (OpResult result : op->getResults())
      values.push_back(lowering.destination(result));
    return values;
  }
  for (auto [number, type] : llvm::enumerate(op->getOperandTypes()))
    if (!hasElements(type) && !isa<PositionsOp, LinearOp, MatmulOp>(op))
      return lowering.notLowered(
          op, "operand '" + Twine(number) + "' has the extent 0",
          "leave it out");
  return std::nullopt;
}

LogicalResult EntryLowering::lower(Operation &op) {
  // An extent in terms of the entry's dimensions, which memory is planned by.
  if (auto dim = dyn_cast<tensor::DimOp>(op); dim && dim.getConstantIndex()) {
    builder.setInsertionPoint(&op);
    dim.replaceAllUsesWith(extent(dim.getSource(), *dim.getConstantIndex()));
    dim.erase();
    return success();
  }
  if (isKept(&op))
    return success();
  if (!hasNameableRanks(&op))
    return notLowered(
        &op, "a tensor has more than '" + Twine(maxRank) + "' dimensions",
        "join dimensions with 'tensor.collapse_shape'");
  builder.setInsertionPoint(&op);
  std::optional<Lowered> none = lowerWithoutElements(*this, &op);
  Lowered values = none ? *none : dispatch(*this, &op);
  if (failed(values))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op.getResults(), *values)) {
    if (result.getType() != value.getType())
      value =
          tensor::CastOp::create(builder, op.getLoc(), result.getType(), value);
    result.replaceAllUsesWith(value);
  }
  op.erase();
  return success();
}

LogicalResult EntryLowering::lowerInto(Block &source, Block &target) {
  for (Operation &op :
       llvm::make_early_inc_range(source.without_terminator())) {
    op.moveBefore(&target, target.end());
    if (failed(lower(op)))
      return failure();
  }
  return success();
}

LogicalResult EntryLowering::inLoop(llvm::function_ref<LogicalResult()> build) {
  OpBuilder::InsertionGuard guard(builder);
  size_t panels = allPanels.size(), stacks = allStacks.size(),
         tables = angles.size();
  LogicalResult status = build();
  allPanels.truncate(panels);
  allStacks.truncate(stacks);
  angles.truncate(tables);
  return status;
}

LogicalResult EntryLowering::run() {
  if (!entry.getBody().hasOneBlock())
    return notLowered(entry, "it has control flow",
                      "an entry is straight-line code");
  for (Operation &op :
       llvm::make_early_inc_range(entry.front().without_terminator()))
    if (failed(lower(op)))
      return failure();
  builder.setInsertionPoint(entry.front().getTerminator());
  emitMovements();
  return success();
}

namespace {
struct ConvertSinterToFused
    : sinter::impl::ConvertSinterToFusedBase<ConvertSinterToFused> {
  using ConvertSinterToFusedBase::ConvertSinterToFusedBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    lowerStates(module);
    for (auto entry : module.getOps<func::FuncOp>()) {
      if (entry.isExternal())
        continue;
      splitScans(entry);
      hoistFromScans(entry);
      generalizeStructuredOps(entry);
      if (failed(pushLast(entry)) || failed(EntryLowering(entry).run()) ||
          (fuse && failed(fuseKernels(entry))))
        return signalPassFailure();
    }
  }
};
} // namespace
