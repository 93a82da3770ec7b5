//===- SinterDialect.cpp - dialect, types, attributes on other ops
//------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Sinter/IR/Sinter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FoldInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sinter;

#include "sinter/Dialect/Sinter/IR/SinterOpsDialect.cpp.inc"
#include "sinter/Dialect/Sinter/IR/SinterOpsEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "sinter/Dialect/Sinter/IR/SinterOpsAttributes.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "sinter/Dialect/Sinter/IR/SinterOpsTypes.cpp.inc"

#include "sinter/Dialect/Sinter/IR/SinterInterfaces.cpp.inc"

namespace {
/// Keeps constants in the rules of attention, which become regions of their
/// own.
struct SinterFoldInterface : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;

  bool shouldMaterializeInto(Region *region) const final {
    return isa<AttentionOp>(region->getParentOp());
  }
};
} // namespace

void SinterDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "sinter/Dialect/Sinter/IR/SinterOpsAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "sinter/Dialect/Sinter/IR/SinterOpsTypes.cpp.inc"
      >();
  addInterfaces<SinterFoldInterface>();
  registerOps();
}

LogicalResult CacheType::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t heads, int64_t key, int64_t value,
                                Type elementType) {
  // cache_c1
  if (heads < 1 || key < 1 || value < 1)
    return emitError() << "expects positive heads, key and value sizes, got '"
                       << heads << "', '" << key << "', '" << value << "'";
  // cache_c2
  if (!elementType.isF32())
    return emitError() << "expects element type 'f32', got " << elementType;
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes on other ops
//===----------------------------------------------------------------------===//

LogicalResult SinterDialect::verifyOperationAttribute(Operation *op,
                                                      NamedAttribute attr) {
  // archive_c1
  if (attr.getName() != archiveAttrName)
    return success();
  if (!isa<ModuleOp>(op) || !isa<StringAttr>(attr.getValue()))
    return op->emitError("'sinter.archive' is a string on the module");
  return success();
}

/// Checks `sinter.name` and `sinter.dims` of an argument or result of `type`.
static LogicalResult verifyNames(Operation *op, Type type,
                                 NamedAttribute attr) {
  // names_c1
  if (attr.getName() == nameAttrName) {
    auto name = dyn_cast<StringAttr>(attr.getValue());
    if (!name || name.getValue().empty())
      return op->emitError("'sinter.name' is a non-empty string");
    return success();
  }
  if (attr.getName() != dimsAttrName)
    return success();
  // names_c2
  auto dims = dyn_cast<ArrayAttr>(attr.getValue());
  if (!dims ||
      !llvm::all_of(dims, [](Attribute dim) { return isa<StringAttr>(dim); }))
    return op->emitError("'sinter.dims' is an array of strings");
  // names_c3
  auto shaped = dyn_cast<ShapedType>(type);
  int64_t dynamic = shaped && shaped.hasRank() ? shaped.getNumDynamicDims() : 0;
  if (static_cast<int64_t>(dims.size()) != dynamic)
    return op->emitError("'sinter.dims' has '")
           << dims.size() << "' names for '" << dynamic
           << "' dynamic dimensions of " << type;
  return success();
}

LogicalResult SinterDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                      unsigned argument,
                                                      NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  return verifyNames(op, function.getArgumentTypes()[argument], attr);
}

LogicalResult SinterDialect::verifyRegionResultAttribute(Operation *op,
                                                         unsigned,
                                                         unsigned result,
                                                         NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  return verifyNames(op, function.getResultTypes()[result], attr);
}
