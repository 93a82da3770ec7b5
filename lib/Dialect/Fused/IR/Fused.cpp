//===- Fused.cpp - The fused dialect --------------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Fused/IR/Fused.h"
#include "FusedGeneric.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sinter::fused;

/// `512xf32`.
static ParseResult parseUnits(AsmParser &parser, int64_t &size,
                              Type &elementType) {
  SmallVector<int64_t> dims;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseDimensionList(dims, /*allowDynamic=*/false))
    return failure();
  if (dims.size() != 1)
    return parser.emitError(loc, "expected one size before the element type");
  size = dims.front();
  return parser.parseType(elementType);
}

static void printUnits(AsmPrinter &printer, int64_t size, Type elementType) {
  printer << size << 'x' << elementType;
}

#include "sinter/Dialect/Fused/IR/FusedEnums.cpp.inc"
#include "sinter/Dialect/Fused/IR/FusedInterfaces.cpp.inc"
#include "sinter/Dialect/Fused/IR/FusedOpsDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "sinter/Dialect/Fused/IR/FusedAttributes.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "sinter/Dialect/Fused/IR/FusedOpsTypes.cpp.inc"
#define GET_OP_CLASSES
#include "sinter/Dialect/Fused/IR/FusedOps.cpp.inc"

namespace {

/// Layouts stand in nearly every type, so they get a name at the top.
struct FusedAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (!isa<LayoutAttr>(attr))
      return AliasResult::NoAlias;
    os << "layout";
    return AliasResult::FinalAlias;
  }
};

} // namespace

void FusedDialect::initialize() {
  addInterfaces<FusedAliases>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "sinter/Dialect/Fused/IR/FusedAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "sinter/Dialect/Fused/IR/FusedOpsTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "sinter/Dialect/Fused/IR/FusedOps.cpp.inc"
      >();
  detail::attachGenericSkeleton(getContext());
}

Type sinter::fused::getScalarType(Type elementType) {
  if (isa<FloatType>(elementType) && !elementType.isF64())
    return Float32Type::get(elementType.getContext());
  return elementType;
}

Type sinter::fused::getRegionArgumentType(Type operand, AffineMap map) {
  return map ? getScalarType(getElementTypeOrSelf(operand)) : operand;
}

std::optional<MatrixStack> sinter::fused::getMatrixStack(Type shaped) {
  auto type = dyn_cast<ShapedType>(shaped);
  if (!type || !type.hasStaticShape() || type.getRank() < 2 ||
      type.getRank() > 3)
    return std::nullopt;
  auto matrix = type.getShape().take_back(2);
  int64_t count = type.getRank() == 3 ? type.getDimSize(0) : 1;
  if (count == 0)
    return std::nullopt;
  return MatrixStack{count, matrix[0], matrix[1]};
}

AffineMap sinter::fused::getOptionalMap(Attribute entry) {
  auto map = dyn_cast<AffineMapAttr>(entry);
  return map ? map.getValue() : AffineMap();
}
