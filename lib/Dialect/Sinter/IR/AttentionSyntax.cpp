//===- AttentionSyntax.cpp - parser and printer of attention --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// attention ::= query (`,` key `,` value)? clause* attr-dict `:` type-list
//               (`->` type)? rule*
// clause    ::= `causal` | `lse` | `scores` | `weights`
//             | (`append` | `from`) `(` symbol `)`
//             | (`scale` | `softcap`) `(` float `)`
//             | `window` `(` limit `,` limit `)`
//             | (`lengths` | `offset` | `mask` | `alibi`)
//               `(` operand `:` type `)`
// limit     ::= integer | `?`
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

/// Clauses with an operand, and clauses that ask for a further result.
static constexpr StringLiteral extraNames[] = {"lengths", "offset", "mask",
                                               "alibi"};
static constexpr StringLiteral furtherNames[] = {"lse", "scores", "weights"};

namespace {
/// What has been read of an attention op, before its operands have types.
struct AttentionParser {
  OpAsmParser &parser;
  OperationState &result;
  AttentionOp::Properties &properties;
  SmallVector<OpAsmParser::UnresolvedOperand> inputs;
  /// The operands of lengths, offset, mask and alibi, in this order, null if
  /// absent.
  SmallVector<Value> extras = SmallVector<Value>(4);
  /// Whether lse, scores and weights are results.
  bool further[3] = {};

  /// Whether a window was given; both of its limits may be absent.
  bool hasWindow = false;

  /// Parses one clause; none if the next token starts none.
  OptionalParseResult parseClause();
  /// Fails if the clause at `loc` was given before.
  ParseResult checkFirst(SMLoc loc, bool given) {
    if (given)
      return parser.emitError(loc, "this clause was given before");
    return success();
  }
  ParseResult parseExtra(unsigned index);
  ParseResult parseSymbol(FlatSymbolRefAttr &symbol);
  ParseResult parseNumber(FloatAttr &number);
  ParseResult parseWindow();
  ParseResult parseTypes();
  void addFurtherTypes(const ResultShape &first, Value key);
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
      parser.resolveOperand(operand, type, values) ||
      checkFirst(loc, bool(extras[index])))
    return failure();
  extras[index] = values.front();
  return success();
}

ParseResult AttentionParser::parseSymbol(FlatSymbolRefAttr &symbol) {
  return failure(checkFirst(parser.getCurrentLocation(), bool(symbol)) ||
                 parser.parseLParen() || parser.parseAttribute(symbol) ||
                 parser.parseRParen());
}

ParseResult AttentionParser::parseNumber(FloatAttr &number) {
  double value = 0.0;
  if (checkFirst(parser.getCurrentLocation(), bool(number)) ||
      parser.parseLParen() || parser.parseFloat(value) || parser.parseRParen())
    return failure();
  number = parser.getBuilder().getF64FloatAttr(value);
  return success();
}

ParseResult AttentionParser::parseWindow() {
  auto parseLimit = [&](IntegerAttr &limit) -> ParseResult {
    int64_t value = 0;
    if (succeeded(parser.parseOptionalQuestion()))
      return success();
    if (parser.parseInteger(value))
      return failure();
    limit = parser.getBuilder().getI64IntegerAttr(value);
    return success();
  };
  if (checkFirst(parser.getCurrentLocation(), hasWindow))
    return failure();
  hasWindow = true;
  return failure(parser.parseLParen() || parseLimit(properties.window_left) ||
                 parser.parseComma() || parseLimit(properties.window_right) ||
                 parser.parseRParen());
}

OptionalParseResult AttentionParser::parseClause() {
  SMLoc loc = parser.getCurrentLocation();
  for (auto [i, name] : llvm::enumerate(extraNames))
    if (succeeded(parser.parseOptionalKeyword(name)))
      return parseExtra(i);
  for (auto [i, name] : llvm::enumerate(furtherNames)) {
    if (failed(parser.parseOptionalKeyword(name)))
      continue;
    return checkFirst(loc, std::exchange(further[i], true));
  }
  if (succeeded(parser.parseOptionalKeyword("causal"))) {
    return checkFirst(loc,
                      bool(std::exchange(properties.causal,
                                         parser.getBuilder().getUnitAttr())));
  }
  if (succeeded(parser.parseOptionalKeyword("append")))
    return parseSymbol(properties.append);
  if (succeeded(parser.parseOptionalKeyword("from")))
    return parseSymbol(properties.from);
  if (succeeded(parser.parseOptionalKeyword("scale")))
    return parseNumber(properties.scale);
  if (succeeded(parser.parseOptionalKeyword("softcap")))
    return parseNumber(properties.softcap);
  if (succeeded(parser.parseOptionalKeyword("window")))
    return parseWindow();
  return std::nullopt;
}

void AttentionParser::addFurtherTypes(const ResultShape &first, Value key) {
  ResultShape shapes[] = {AttentionOp::lseShape(first),
                          AttentionOp::scoresShape(first, key),
                          AttentionOp::scoresShape(first, key)};
  properties.resultSegmentSizes[0] = 1;
  for (unsigned i = 0; i < std::size(shapes); ++i) {
    properties.resultSegmentSizes[i + 1] = further[i];
    if (further[i])
      result.addTypes(shapes[i].getType());
  }
}

/// Resolves the operands and gives the op its result types.
ParseResult AttentionParser::parseTypes() {
  SmallVector<Type> types;
  Type given;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseColonTypeList(types) ||
      (succeeded(parser.parseOptionalArrow()) && parser.parseType(given)) ||
      parser.resolveOperands(inputs, types, loc, result.operands))
    return failure();
  bool full = result.operands.size() == 3;
  Value key = full ? result.operands[1] : Value();
  FailureOr<ResultShape> shape = AttentionOp::resultShape(
      result.operands[0], key, full ? result.operands[2] : Value(), given,
      ShapeCheck(result.location, AttentionOp::getOperationName()));
  if (failed(shape))
    return failure();
  result.addTypes(given ? given : shape->getType());
  addFurtherTypes(*shape, key);
  int32_t segments[] = {1, full, full};
  llvm::copy(segments, properties.operandSegmentSizes.begin());
  for (auto [i, extra] : llvm::enumerate(extras)) {
    properties.operandSegmentSizes[3 + i] = bool(extra);
    if (extra)
      result.operands.push_back(extra);
  }
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

static void printNumber(OpAsmPrinter &printer, StringRef name,
                        FloatAttr number) {
  if (!number)
    return;
  printer << ' ' << name << '(';
  printer.printAttributeWithoutType(number);
  printer << ')';
}

static void printWindow(OpAsmPrinter &printer, IntegerAttr left,
                        IntegerAttr right) {
  auto printLimit = [&](IntegerAttr limit) {
    if (limit)
      printer << limit.getInt();
    else
      printer << '?';
  };
  if (!left && !right)
    return;
  printer << " window(";
  printLimit(left);
  printer << ", ";
  printLimit(right);
  printer << ')';
}

void AttentionOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getQuery();
  if (getKey())
    printer << ", " << getKey() << ", " << getValue();
  if (getCausal())
    printer << " causal";
  printWindow(printer, getWindowLeftAttr(), getWindowRightAttr());
  printNumber(printer, "scale", getScaleAttr());
  printNumber(printer, "softcap", getSoftcapAttr());
  if (getAppendAttr())
    printer << " append(" << getAppendAttr() << ')';
  if (getFromAttr())
    printer << " from(" << getFromAttr() << ')';
  Value extras[] = {getLengths(), getOffset(), getDenseMask(), getSlopes()};
  for (auto [name, value] : llvm::zip_equal(extraNames, extras))
    printExtra(printer, name, value);
  Value further[] = {getLse(), getScores(), getWeights()};
  for (auto [name, value] : llvm::zip_equal(furtherNames, further))
    if (value)
      printer << ' ' << name;
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"operandSegmentSizes", "resultSegmentSizes",
                                 "causal", "scale", "softcap", "window_left",
                                 "window_right", "append", "from"});
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
