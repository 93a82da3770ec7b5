//===- FusedRegions.cpp - Ops inside scalar regions -----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Fused/IR/Fused.h"

using namespace mlir;
using namespace sinter::fused;

//===----------------------------------------------------------------------===//
// fused.read: `%table[%i, %j] : tensor<..>`; index types are spelled where one
// is not `index`: `%table[%i, %j : i64, index] : tensor<..>`
//===----------------------------------------------------------------------===//

ParseResult ReadOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand table;
  SmallVector<OpAsmParser::UnresolvedOperand> indices;
  SmallVector<Type> indexTypes;
  Type tableType;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperand(table) || parser.parseLSquare() ||
      parser.parseOperandList(indices) ||
      parser.parseOptionalColonTypeList(indexTypes) || parser.parseRSquare() ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(tableType))
    return failure();
  if (indexTypes.empty())
    indexTypes.assign(indices.size(), parser.getBuilder().getIndexType());
  auto shaped = dyn_cast<ShapedType>(tableType);
  if (!shaped)
    return parser.emitError(loc, "expected a tensor or memref, got ")
           << tableType;
  result.addTypes(getScalarType(shaped.getElementType()));
  return failure(
      parser.resolveOperand(table, tableType, result.operands) ||
      parser.resolveOperands(indices, indexTypes, loc, result.operands));
}

void ReadOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getTable() << '[' << getIndices();
  if (!llvm::all_of(getIndices().getTypes(),
                    [](Type type) { return type.isIndex(); }))
    printer << " : " << getIndices().getTypes();
  printer << ']';
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getTable().getType();
}

LogicalResult ReadOp::verify() {
  auto table = dyn_cast<ShapedType>(getTable().getType());
  if (!table.hasRank() ||
      table.getRank() != static_cast<int64_t>(getIndices().size()))
    return emitOpError("read_c1: a table of type ")
           << table << " is read with " << getIndices().size() << " indices";
  Type expected = getScalarType(table.getElementType());
  if (getResult().getType() != expected)
    return emitOpError("read_c2: result type ")
           << getResult().getType() << ", expected " << expected;
  auto argument = dyn_cast<BlockArgument>(getTable());
  if (!argument)
    return emitOpError(
        "read_c3: the table must be an argument of the region, a capture "
        "without a map");
  return success();
}
