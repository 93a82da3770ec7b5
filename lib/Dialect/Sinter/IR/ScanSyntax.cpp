//===- ScanSyntax.cpp - parser and printer of scan and its yield ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// scan   ::= `each` `(` (ssa-id `=` operand `:` type),* `)`
//            (`carry` `(` (ssa-id `=` (`zero` | operand) `:` type),* `)`)?
//            (`lengths` `(` operand `:` type `)` | `reverse`)*
//            (`->` result-types)? (`attributes` attr-dict)? region
// yield  ::= (`each` group)? (`carry` group)? attr-dict, not both absent
//          | (operand (`,` operand)* `:` type-list)? attr-dict
// group  ::= `(` (operand (`,` operand)* `:` type-list)? `)`
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Sinter/IR/Sinter.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace sinter;

namespace {
/// What has been read of a scan.
struct ScanParser {
  OpAsmParser &parser;
  OperationState &result;
  ScanOp::Properties &properties;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Value> sequences, initials, lengths;
  SmallVector<bool> zeros;

  ParseResult parseEach();
  ParseResult parseCarry();
  ParseResult parseClauses();
};
} // namespace

/// The type of one step of a sequence of `type`: without its second dimension.
static Type stepType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() < 2)
    return {};
  SmallVector<int64_t> shape(tensor.getShape());
  shape.erase(shape.begin() + 1);
  return RankedTensorType::get(shape, tensor.getElementType());
}

/// ssa-id `=` operand `:` type
ParseResult ScanParser::parseEach() {
  OpAsmParser::Argument &argument = arguments.emplace_back();
  OpAsmParser::UnresolvedOperand operand;
  Type type;
  if (parser.parseArgument(argument) || parser.parseEqual() ||
      parser.parseOperand(operand))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseColonType(type) ||
      parser.resolveOperand(operand, type, sequences))
    return failure();
  argument.type = stepType(type);
  // scan_c1
  if (!argument.type)
    return parser.emitError(loc, "expects a sequence [B, T, ...], got ")
           << type;
  return success();
}

/// ssa-id `=` (`zero` | operand) `:` type
ParseResult ScanParser::parseCarry() {
  OpAsmParser::Argument &argument = arguments.emplace_back();
  if (parser.parseArgument(argument) || parser.parseEqual())
    return failure();
  zeros.push_back(succeeded(parser.parseOptionalKeyword("zero")));
  OpAsmParser::UnresolvedOperand operand;
  if ((!zeros.back() && parser.parseOperand(operand)) ||
      parser.parseColonType(argument.type))
    return failure();
  if (zeros.back())
    return success();
  return parser.resolveOperand(operand, argument.type, initials);
}

ParseResult ScanParser::parseClauses() {
  while (true) {
    if (succeeded(parser.parseOptionalKeyword("reverse"))) {
      properties.reverse = parser.getBuilder().getUnitAttr();
      continue;
    }
    SMLoc loc = parser.getCurrentLocation();
    if (failed(parser.parseOptionalKeyword("lengths")))
      return success();
    OpAsmParser::UnresolvedOperand operand;
    Type type;
    if (parser.parseLParen() || parser.parseOperand(operand) ||
        parser.parseColonType(type) || parser.parseRParen() ||
        parser.resolveOperand(operand, type, lengths))
      return failure();
    if (lengths.size() > 1)
      return parser.emitError(loc, "this clause was given before");
  }
}

ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  ScanParser scan{parser, result, result.getOrAddProperties<Properties>(),
                  {},     {},     {},
                  {},     {}};
  auto delimiter = OpAsmParser::Delimiter::Paren;
  if (parser.parseKeyword("each") ||
      parser.parseCommaSeparatedList(delimiter,
                                     [&] { return scan.parseEach(); }))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("carry")) &&
      parser.parseCommaSeparatedList(delimiter,
                                     [&] { return scan.parseCarry(); }))
    return failure();
  if (scan.parseClauses() || parser.parseOptionalArrowTypeList(result.types) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  result.addOperands(scan.sequences);
  result.addOperands(scan.initials);
  result.addOperands(scan.lengths);
  int32_t segments[] = {static_cast<int32_t>(scan.sequences.size()),
                        static_cast<int32_t>(scan.initials.size()),
                        static_cast<int32_t>(scan.lengths.size())};
  llvm::copy(segments, scan.properties.operandSegmentSizes.begin());
  scan.properties.zeros = parser.getBuilder().getDenseBoolArrayAttr(scan.zeros);
  return parser.parseRegion(*result.addRegion(), scan.arguments);
}

void ScanOp::print(OpAsmPrinter &printer) {
  printer << " each(";
  llvm::interleaveComma(
      llvm::zip_equal(getSteps(), getSequences()), printer, [&](auto pair) {
        auto [argument, value] = pair;
        printer << argument << " = " << value << " : " << value.getType();
      });
  printer << ')';
  if (getNumStates() != 0) {
    printer << " carry(";
    llvm::interleaveComma(llvm::enumerate(getStates()), printer,
                          [&](auto entry) {
                            printer << entry.value() << " = ";
                            if (Value initial = getInitial(entry.index()))
                              printer << initial;
                            else
                              printer << "zero";
                            printer << " : " << entry.value().getType();
                          });
    printer << ')';
  }
  if (getLengths())
    printer << " lengths(" << getLengths() << " : " << getLengths().getType()
            << ')';
  if (getReverse())
    printer << " reverse";
  printer.printOptionalArrowTypeList(getResultTypes());
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {"operandSegmentSizes", "zeros", "reverse"});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// yield
//===----------------------------------------------------------------------===//

/// (operand (`,` operand)* `:` type-list)?, added to the operands.
static ParseResult parseTyped(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(operands) ||
      (!operands.empty() && parser.parseColonTypeList(types)))
    return failure();
  return parser.resolveOperands(operands, types, loc, result.operands);
}

ParseResult YieldOp::parse(OpAsmParser &parser, OperationState &result) {
  std::optional<int64_t> carried;
  auto parseGroup = [&] {
    return failure(parser.parseLParen() || parseTyped(parser, result) ||
                   parser.parseRParen());
  };
  if (succeeded(parser.parseOptionalKeyword("each"))) {
    carried = 0;
    if (failed(parseGroup()))
      return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("carry"))) {
    size_t before = result.operands.size();
    if (failed(parseGroup()))
      return failure();
    carried = result.operands.size() - before;
  }
  if (!carried && parseTyped(parser, result))
    return failure();
  if (carried)
    result.getOrAddProperties<Properties>().carried =
        parser.getBuilder().getI64IntegerAttr(*carried);
  return parser.parseOptionalAttrDict(result.attributes);
}

static void printTyped(OpAsmPrinter &printer, ValueRange values) {
  if (!values.empty())
    printer << values << " : " << values.getTypes();
}

void YieldOp::print(OpAsmPrinter &printer) {
  auto printGroup = [&](StringRef name, ValueRange values) {
    printer << ' ' << name << '(';
    printTyped(printer, values);
    printer << ')';
  };
  ValueRange values = getValues();
  if (!getCarried()) {
    if (!values.empty())
      printer << ' ';
    printTyped(printer, values);
  } else {
    size_t count = std::min<size_t>(*getCarried(), values.size());
    if (count == 0 || count != values.size())
      printGroup("each", values.drop_back(count));
    if (count != 0)
      printGroup("carry", values.take_back(count));
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"carried"});
}
