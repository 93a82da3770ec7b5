//===- FusedHost.cpp - What stands around the kernels ---------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Fused/IR/Fused.h"

using namespace mlir;
using namespace sinter::fused;

LogicalResult StorageOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (getDims().size() != static_cast<size_t>(type.getNumDynamicDims()) ||
      getBounds().size() != getDims().size())
    return emitOpError("expects a name and a bound for each of '")
           << type.getNumDynamicDims() << "' dynamic dimensions, got '"
           << getDims().size() << "' and '" << getBounds().size() << "'";
  if (type.getRank() == 0 ||
      (type.getNumDynamicDims() > 0 && !type.isDynamicDim(0)))
    return emitOpError("expects rows, dynamic if any other dimension is, got ")
           << type;
  if (getCursor().has_value() != (getKeysOf() || getValuesOf()) ||
      (getKeysOf() && getValuesOf()))
    return emitOpError("expects a cursor if it is the keys or the values of a "
                       "cache");
  if (getCursor() && type.getRank() != 4)
    return emitOpError("expects 4 dimensions for half of a cache, got ")
           << type;
  return success();
}

bool StorageOp::hasCurrentExtents() { return !getCurrentDims().empty(); }

ArrayRef<Attribute> StorageOp::getCurrentDims() {
  if (getCursor() || getDims().empty())
    return {};
  return getDims().getValue().drop_front();
}
