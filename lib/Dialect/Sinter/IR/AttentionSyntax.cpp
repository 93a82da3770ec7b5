//===- AttentionSyntax.cpp - parser and printer of attention
//------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// attention ::= query (`,` key `,` value)? clause* attr-dict `:` type-list
//               (`->` type)? rule*
// clause    ::= `causal` | `append` `(` symbol `)` | `from` `(` symbol `)`
//             | `scale` `(` float `)` | `lengths` `(` operand `:` type `)`
//             | `offset` `(` operand `:` type `)` | `mask` `(` operand `:` type
//             `)`
// rule      ::= (`score` | `mask` | `sink` | `combine`)
//               `(` (ssa-id `:` type),* `)` region
//
// Each clause and each rule comes at most once, in any order. The result type
// is written only with `from`, and only where it differs from the query's.
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Sinter/IR/Sinter.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace sinter;

namespace {
/// What has been read of an attention op, before its operands have types.
struct AttentionParser {
  OpAsmParser &parser;
  OperationState &result;
  AttentionOp::Properties &properties;
  SmallVector<OpAsmParser::UnresolvedOperand> inputs;
  /// The operands of lengths, offset and mask, in this order, null if absent.
  SmallVector<Value> extras = SmallVector<Value>(3);

  /// Parses one clause; none if the next token starts none.
  OptionalParseResult parseClause();
  ParseResult parseExtra(unsigned index);
  ParseResult parseSymbol(FlatSymbolRefAttr &symbol);
  ParseResult parseScale();
  ParseResult parseTypes();
  ParseResult parseRules();
};
} // namespace

ParseResult AttentionParser::parseExtra(unsigned index) {
  OpAsmParser::UnresolvedOperand operand;
  Type type;
  SmallVector<Value> values;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLParen() || parser.parseOperand(operand) ||
      parser.parseColonType(type) || parser.parseRParen() ||
      parser.resolveOperand(operand, type, values))
    return failure();
  if (extras[index])
    return parser.emitError(loc, "this clause was given before");
  extras[index] = values.front();
  return success();
}

ParseResult AttentionParser::parseSymbol(FlatSymbolRefAttr &symbol) {
  SMLoc loc = parser.getCurrentLocation();
  if (symbol)
    return parser.emitError(loc, "this clause was given before");
  return failure(parser.parseLParen() || parser.parseAttribute(symbol) ||
                 parser.parseRParen());
}

ParseResult AttentionParser::parseScale() {
  double scale = 0.0;
  if (parser.parseLParen() || parser.parseFloat(scale) || parser.parseRParen())
    return failure();
  properties.scale = parser.getBuilder().getF64FloatAttr(scale);
  return success();
}

OptionalParseResult AttentionParser::parseClause() {
  if (succeeded(parser.parseOptionalKeyword("causal"))) {
    properties.causal = parser.getBuilder().getUnitAttr();
    return ParseResult(success());
  }
  if (succeeded(parser.parseOptionalKeyword("append")))
    return parseSymbol(properties.append);
  if (succeeded(parser.parseOptionalKeyword("from")))
    return parseSymbol(properties.from);
  if (succeeded(parser.parseOptionalKeyword("scale")))
    return parseScale();
  if (succeeded(parser.parseOptionalKeyword("lengths")))
    return parseExtra(0);
  if (succeeded(parser.parseOptionalKeyword("offset")))
    return parseExtra(1);
  if (succeeded(parser.parseOptionalKeyword("mask")))
    return parseExtra(2);
  return std::nullopt;
}

/// Resolves the operands and gives the op its result type.
ParseResult AttentionParser::parseTypes() {
  SmallVector<Type> types;
  Type given;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseColonTypeList(types) ||
      (succeeded(parser.parseOptionalArrow()) && parser.parseType(given)) ||
      parser.resolveOperands(inputs, types, loc, result.operands))
    return failure();
  bool full = result.operands.size() == 3;
  FailureOr<ResultShape> shape = AttentionOp::resultShape(
      result.operands[0], full ? result.operands[1] : Value(),
      full ? result.operands[2] : Value(), given,
      ShapeCheck(result.location, AttentionOp::getOperationName()));
  if (failed(shape))
    return failure();
  result.addTypes(given ? given : shape->getType());
  int32_t segments[] = {
      1, full, full, bool(extras[0]), bool(extras[1]), bool(extras[2])};
  llvm::copy(segments, properties.operandSegmentSizes.begin());
  for (Value extra : extras)
    if (extra)
      result.operands.push_back(extra);
  return success();
}

ParseResult AttentionParser::parseRules() {
  StringRef names[] = {"score", "mask", "sink", "combine"};
  SmallVector<Region *> regions;
  for (size_t i = 0; i < std::size(names); ++i)
    regions.push_back(result.addRegion());
  StringRef name;
  while (succeeded(parser.parseOptionalKeyword(&name, names))) {
    SMLoc loc = parser.getCurrentLocation();
    Region *region = regions[llvm::find(names, name) - std::begin(names)];
    if (!region->empty())
      return parser.emitError(loc, "region '") << name << "' was given before";
    SmallVector<OpAsmParser::Argument> arguments;
    if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                                 /*allowType=*/true) ||
        parser.parseRegion(*region, arguments))
      return failure();
    if (region->empty())
      return parser.emitError(loc, "region '") << name << "' is empty";
  }
  return success();
}

ParseResult AttentionOp::parse(OpAsmParser &parser, OperationState &result) {
  AttentionParser state{
      parser, result, result.getOrAddProperties<Properties>(), {}};
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(state.inputs))
    return failure();
  if (state.inputs.size() != 1 && state.inputs.size() != 3)
    return parser.emitError(loc, "expects query, key and value, or a query "
                                 "alone with 'from', got '")
           << state.inputs.size() << "' operands";
  while (true) {
    OptionalParseResult clause = state.parseClause();
    if (!clause.has_value())
      break;
    if (failed(*clause))
      return failure();
  }
  return failure(parser.parseOptionalAttrDict(result.attributes) ||
                 state.parseTypes() || state.parseRules());
}

static void printRule(OpAsmPrinter &printer, StringRef name, Region &region) {
  if (region.empty())
    return;
  printer << ' ' << name << '(';
  llvm::interleaveComma(region.getArguments(), printer, [&](BlockArgument arg) {
    printer.printRegionArgument(arg);
  });
  printer << ") ";
  printer.printRegion(region, /*printEntryBlockArgs=*/false);
}

static void printExtra(OpAsmPrinter &printer, StringRef name, Value value) {
  if (value)
    printer << ' ' << name << '(' << value << " : " << value.getType() << ')';
}

void AttentionOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getQuery();
  if (getKey())
    printer << ", " << getKey() << ", " << getValue();
  if (getCausal())
    printer << " causal";
  if (getScaleAttr()) {
    printer << " scale(";
    printer.printAttributeWithoutType(getScaleAttr());
    printer << ')';
  }
  if (getAppendAttr())
    printer << " append(" << getAppendAttr() << ')';
  if (getFromAttr())
    printer << " from(" << getFromAttr() << ')';
  printExtra(printer, "lengths", getLengths());
  printExtra(printer, "offset", getOffset());
  printExtra(printer, "mask", getDenseMask());
  printer.printOptionalAttrDict(
      (*this)->getAttrs(),
      {"operandSegmentSizes", "causal", "scale", "append", "from"});
  printer << " : " << getQuery().getType();
  if (getKey())
    printer << ", " << getKey().getType() << ", " << getValue().getType();
  else if (getType() != getQuery().getType())
    printer << " -> " << getType();
  printRule(printer, "score", getScoreRegion());
  printRule(printer, "mask", getMaskRegion());
  printRule(printer, "sink", getSinkRegion());
  printRule(printer, "combine", getCombineRegion());
}
