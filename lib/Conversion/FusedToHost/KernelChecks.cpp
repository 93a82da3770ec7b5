//===- KernelChecks.cpp - What lowerings rely on --------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Conversion/FusedToHost/KernelFunctions.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace sinter;

static bool isKnownElement(Type type) {
  return type.isF32() || type.isF64() || type.isInteger(1) ||
         type.isInteger(32) || type.isInteger(64);
}

/// `argument` is a kernel's block argument; errors stand at the skeleton.
static LogicalResult checkOperand(Operation *skeleton, BlockArgument argument,
                                  StringRef where) {
  Type type = argument.getType();
  if (type.isIntOrIndex())
    return success();
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return skeleton->emitError("operand of type ")
           << type << " is no memref: memory is not planned";
  if (!memref.getLayout().isIdentity() && !fused::getLayout(memref))
    return skeleton->emitError("operand of type ")
           << memref << " has a layout that is not contiguous";
  if (!isKnownElement(memref.getElementType()))
    return skeleton->emitError("elements of type ")
           << memref.getElementType() << " are not supported on " << where
           << "; supported are f32, f64, i1, i32 and i64";
  for (int64_t extent : memref.getShape())
    if (!ShapedType::isDynamic(extent) && extent > host::largestExtent)
      return skeleton->emitError("extent ")
             << extent << " of an operand is 2^31 or more, which " << where
             << "'s indices do not count to";
  return success();
}

/// Quotients and remainders are by positive constants.
static LogicalResult checkMap(Operation *skeleton, AffineMap map) {
  bool constant = true;
  map.walkExprs([&](AffineExpr expr) {
    bool divides = expr.getKind() == AffineExprKind::Mod ||
                   expr.getKind() == AffineExprKind::FloorDiv ||
                   expr.getKind() == AffineExprKind::CeilDiv;
    if (!divides)
      return;
    auto divisor =
        dyn_cast<AffineConstantExpr>(cast<AffineBinaryOpExpr>(expr).getRHS());
    constant &= divisor && divisor.getValue() > 0;
  });
  if (constant)
    return success();
  return skeleton->emitError("map ")
         << AffineMapAttr::get(map)
         << " divides by what is not a positive constant";
}

/// A point of a loop nest is written once, after its reductions.
static LogicalResult checkResults(linalg::GenericOp op) {
  SmallVector<unsigned> reduction;
  op.getReductionDims(reduction);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (AffineMap map : ArrayRef(maps).drop_front(op.getNumDpsInputs()))
    for (unsigned dim : reduction)
      if (map.isFunctionOfDim(dim))
        return op.emitError("a result that depends on a reduced dimension is "
                            "not lowered");
  return success();
}

LogicalResult host::checkKernel(fused::KernelOp kernel, StringRef where) {
  Block &block = kernel.getBody().front();
  auto skeleton = block.getOperations().size() == 1
                      ? dyn_cast<fused::SkeletonInterface>(block.front())
                      : fused::SkeletonInterface();
  if (!skeleton)
    return kernel.emitError("expected one skeleton in a kernel");
  Operation *op = skeleton;
  for (BlockArgument argument : block.getArguments())
    if (failed(checkOperand(op, argument, where)))
      return failure();
  for (auto [value, map] : skeleton.getAccesses()) {
    if (map && failed(checkMap(op, map)))
      return failure();
    if (fused::LayoutAttr layout = fused::getLayout(value.getType()))
      if (failed(checkMap(op, layout.getMap())))
        return failure();
  }
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return checkResults(generic);
  return success();
}
