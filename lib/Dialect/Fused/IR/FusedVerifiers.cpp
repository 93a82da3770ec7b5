//===- FusedVerifiers.cpp - Constraints of the skeletons ------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Fused/IR/Fused.h"

using namespace mlir;
using namespace sinter::fused;

/// One map per operand, and the list names its operands.
static LogicalResult verifyCount(Operation *op, StringRef label, StringRef what,
                                 size_t operands, size_t maps) {
  if (operands == maps)
    return success();
  return op->emitOpError() << label << ": " << operands << " " << what
                           << " but " << maps << " maps";
}

/// Dimensions and extents go together; destination numbers are in range.
static LogicalResult verifyStores(Operation *op, StringRef label,
                                  ArrayRef<int64_t> numbers, ArrayAttr maps,
                                  size_t outs) {
  if (failed(verifyCount(op, label, "stores", numbers.size(), maps.size())))
    return failure();
  for (int64_t number : numbers)
    if (number < 0 || number >= static_cast<int64_t>(outs))
      return op->emitOpError() << label << ": destination number '" << number
                               << "' of " << outs << " destinations";
  return success();
}

static LogicalResult verifySpace(SkeletonInterface op, StringRef label) {
  if (op.getDims().size() == op.getExtents().size())
    return success();
  return op->emitOpError() << label << ": " << op.getDims().size()
                           << " dimensions but " << op.getExtents().size()
                           << " extents";
}

LogicalResult MapOp::verify() {
  return failure(
      failed(verifySpace(*this, "map_c1")) ||
      failed(verifyCount(*this, "map_c2", "inputs", getInputs().size(),
                         getInputMaps().size())) ||
      failed(verifyCount(*this, "map_c3", "symbols", getSymbols().size(),
                         getSymbolMaps().size())) ||
      failed(verifyStores(*this, "map_c4", getStoreOuts(), getStoreMaps(),
                          getOuts().size())));
}

LogicalResult ContractOp::verify() { return verifySpace(*this, "contract_c1"); }

LogicalResult SegmentOp::verify() {
  return failure(
      failed(verifyCount(*this, "segment_c1", "weights", getWeights().size(),
                         getWeightMaps().size())) ||
      failed(verifyCount(*this, "segment_c2", "captures", getCaptures().size(),
                         getCaptureMaps().size())) ||
      failed(verifyCount(*this, "segment_c3", "stores", getStores().size(),
                         getStoreMaps().size())));
}

LogicalResult AttentionOp::verify() {
  return verifySpace(*this, "attention_c1");
}

LogicalResult NormalizeOp::verify() {
  return failure(failed(verifySpace(*this, "normalize_c1")) ||
                 failed(verifyStores(*this, "normalize_c2", getStoreOuts(),
                                     getStoreMaps(), getOuts().size())));
}

LogicalResult RecurrenceOp::verify() {
  return verifySpace(*this, "recurrence_c1");
}

LogicalResult PhaseOp::verify() {
  return verifyCount(*this, "phase_c1", "captures", getCaptures().size(),
                     getCaptureMaps().size());
}
