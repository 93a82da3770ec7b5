//===- SinterOps.cpp - generated code of the ops
//------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrenceSyntax.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace sinter;

//===----------------------------------------------------------------------===//
// Custom directives
//===----------------------------------------------------------------------===//

/// string-list ::= string (`,` string)*
static ParseResult parseStringList(OpAsmParser &parser, ArrayAttr &list) {
  SmallVector<Attribute> strings;
  auto parseOne = [&]() -> ParseResult {
    // Not parseAttribute: it would take the colon for that of a typed string.
    std::string string;
    if (parser.parseString(&string))
      return failure();
    strings.push_back(parser.getBuilder().getStringAttr(string));
    return success();
  };
  if (parser.parseCommaSeparatedList(parseOne))
    return failure();
  list = parser.getBuilder().getArrayAttr(strings);
  return success();
}

static void printStringList(OpAsmPrinter &printer, Operation *,
                            ArrayAttr list) {
  llvm::interleaveComma(list, printer);
}

/// state-dims ::= `[` (string (`<=` integer)? (`,` ...)*)? `]`
static ParseResult parseStateDims(OpAsmParser &parser, ArrayAttr &dims,
                                  DenseI64ArrayAttr &bounds) {
  SmallVector<Attribute> names;
  SmallVector<int64_t> limits;
  auto parseOne = [&]() -> ParseResult {
    StringAttr name;
    int64_t limit = 0;
    if (parser.parseAttribute(name))
      return failure();
    if (succeeded(parser.parseOptionalLess())) {
      if (parser.parseEqual() || parser.parseInteger(limit))
        return failure();
      if (limit < 1)
        return parser.emitError(parser.getCurrentLocation(),
                                "expects a positive bound");
    }
    names.push_back(name);
    limits.push_back(limit);
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseOne))
    return failure();
  dims = parser.getBuilder().getArrayAttr(names);
  bounds = parser.getBuilder().getDenseI64ArrayAttr(limits);
  return success();
}

static void printStateDims(OpAsmPrinter &printer, Operation *, ArrayAttr dims,
                           DenseI64ArrayAttr bounds) {
  printer << '[';
  llvm::interleaveComma(llvm::zip_equal(dims, bounds.asArrayRef()), printer,
                        [&](auto pair) {
                          auto [name, bound] = pair;
                          printer << name;
                          if (bound > 0)
                            printer << " <= " << bound;
                        });
  printer << ']';
}

/// bindings ::= `{` (name `=` integer (`,` ...)*)? `}`
static ParseResult parseBindings(OpAsmParser &parser,
                                 DictionaryAttr &bindings) {
  NamedAttrList list;
  SMLoc loc = parser.getCurrentLocation();
  auto parseOne = [&]() -> ParseResult {
    std::string name;
    int64_t number = 0;
    if (parser.parseKeywordOrString(&name) || parser.parseEqual() ||
        parser.parseInteger(number))
      return failure();
    if (list.get(name))
      return parser.emitError(loc, "binds '") << name << "' twice";
    list.append(name, parser.getBuilder().getI64IntegerAttr(number));
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Braces, parseOne))
    return failure();
  bindings = list.getDictionary(parser.getContext());
  return success();
}

static void printBindings(OpAsmPrinter &printer, Operation *,
                          DictionaryAttr bindings) {
  printer << '{';
  llvm::interleaveComma(bindings, printer, [&](NamedAttribute attr) {
    printer.printKeywordOrString(attr.getName());
    printer << " = " << cast<IntegerAttr>(attr.getValue()).getInt();
  });
  printer << '}';
}

static ParseResult parseRopeScaling(OpAsmParser &parser,
                                    RopeScalingAttr &scaling) {
  scaling =
      dyn_cast_or_null<RopeScalingAttr>(RopeScalingAttr::parse(parser, Type()));
  return success(scaling != nullptr);
}

static void printRopeScaling(OpAsmPrinter &printer, Operation *,
                             RopeScalingAttr scaling) {
  scaling.print(printer);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Types of the results from the op's one statement of their shapes.
template <typename OpT>
static LogicalResult inferTypes(std::optional<Location> location,
                                typename OpT::Adaptor adaptor,
                                SmallVectorImpl<Type> &types) {
  SmallVector<ResultShape> results;
  ShapeCheck check(location, OpT::getOperationName());
  if (failed(OpT::resultShapes(adaptor, check, results)))
    return failure();
  for (const ResultShape &result : results)
    types.push_back(result.getType());
  return success();
}

/// Extents of the results at run time, from the same statement.
static LogicalResult reifyShapes(ResultExtentsOpInterface op,
                                 OpBuilder &builder,
                                 ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<ResultShape> results;
  if (failed(op.getResultExtents(results)))
    return failure();
  for (const ResultShape &result : results)
    shapes.push_back(materializeExtents(builder, op.getLoc(), result.extents));
  return success();
}

#define GET_OP_CLASSES
#include "sinter/Dialect/Sinter/IR/SinterOps.cpp.inc"

void SinterDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "sinter/Dialect/Sinter/IR/SinterOps.cpp.inc"
      >();
}
