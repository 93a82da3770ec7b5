//===- FeedForwardOps.cpp - feed-forward blocks ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerShapes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace sinter;

using Results = SmallVectorImpl<ResultShape>;

/// The input's extents with `channels` for the last.
static void addResult(Value input, Extent channels, Results &results) {
  SmallVector<Extent> extents = extentsOf(input);
  extents.back() = channels;
  results.push_back(
      {extents, cast<RankedTensorType>(input.getType()).getElementType()});
}

LogicalResult FfnOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                  Results &results) {
  // ffn_c1, ffn_c2
  RankedTensorType input = check.tensor(adaptor.getInput(), "input", 1);
  if (!input)
    return failure();
  bool inOut = adaptor.getInOut();
  FailureOr<Matrix> up =
      matrixOf(adaptor.getUpWeight(), "up weight", inOut, check);
  FailureOr<Matrix> down =
      matrixOf(adaptor.getDownWeight(), "down weight", inOut, check);
  if (failed(up) || failed(down))
    return failure();
  // ffn_c3
  if (failed(check.same(input.getShape().back(), up->in.size,
                        "the up weight's input size")))
    return failure();
  // ffn_c4
  if (failed(check.same(up->out.size, down->in.size,
                        "the down weight's input size")))
    return failure();
  // ffn_c5
  if (failed(
          checkVector(adaptor.getUpBias(), "up bias", up->out.size, check)) ||
      failed(checkVector(adaptor.getDownBias(), "down bias", down->out.size,
                         check)))
    return failure();
  // ffn_c6
  if (!adaptor.getUpBias() != !adaptor.getDownBias())
    return check.error("expects both biases or none");
  addResult(adaptor.getInput(), down->out, results);
  return success();
}

/// Sizes of gate and up, that of each half where they are one weight.
static FailureOr<Extent> hiddenSize(GatedFfnOp::Adaptor adaptor,
                                    const Matrix &gate,
                                    const ShapeCheck &check) {
  if (adaptor.getUpWeight()) {
    FailureOr<Matrix> up =
        matrixOf(adaptor.getUpWeight(), "up weight", adaptor.getInOut(), check);
    // gated_ffn_c3, gated_ffn_c4
    if (failed(up) ||
        failed(check.same(gate.in.size, up->in.size,
                          "the up weight's input size")) ||
        failed(check.same(gate.out.size, up->out.size,
                          "the up weight's output size")))
      return failure();
    return up->out;
  }
  // gated_ffn_c8
  if (gate.out.isDynamic() || gate.out.size % 2 != 0)
    return check.error("expects an even constant output size of the weight for "
                       "gate and up, got '" +
                       Twine(gate.out.size) + "'");
  return Extent::constant(gate.out.size / 2);
}

/// gated_ffn_c6 and gated_ffn_c7.
static LogicalResult checkBiases(GatedFfnOp::Adaptor adaptor,
                                 const Matrix &gate, Extent hidden,
                                 const Matrix &down, const ShapeCheck &check) {
  bool has = adaptor.getGateBias() != nullptr;
  if (has != (adaptor.getDownBias() != nullptr) ||
      (has && adaptor.getUpWeight()) != (adaptor.getUpBias() != nullptr))
    return check.error("expects all biases or none");
  if (failed(checkVector(adaptor.getGateBias(), "gate bias", gate.out.size,
                         check)) ||
      failed(checkVector(adaptor.getUpBias(), "up bias", hidden.size, check)))
    return failure();
  return checkVector(adaptor.getDownBias(), "down bias", down.out.size, check);
}

LogicalResult GatedFfnOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                       Results &results) {
  // gated_ffn_c1, gated_ffn_c2
  RankedTensorType input = check.tensor(adaptor.getInput(), "input", 1);
  if (!input)
    return failure();
  bool inOut = adaptor.getInOut();
  FailureOr<Matrix> gate =
      matrixOf(adaptor.getGateWeight(), "gate weight", inOut, check);
  FailureOr<Matrix> down =
      matrixOf(adaptor.getDownWeight(), "down weight", inOut, check);
  if (failed(gate) || failed(down))
    return failure();
  // gated_ffn_c3
  if (failed(check.same(input.getShape().back(), gate->in.size,
                        "the gate weight's input size")))
    return failure();
  FailureOr<Extent> hidden = hiddenSize(adaptor, *gate, check);
  // gated_ffn_c5
  if (failed(hidden) || failed(check.same(hidden->size, down->in.size,
                                          "the down weight's input size")))
    return failure();
  if (failed(checkBiases(adaptor, *gate, *hidden, *down, check)))
    return failure();
  addResult(adaptor.getInput(), down->out, results);
  return success();
}

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

namespace {
/// The segments of an op for each number of operands that its text may have.
struct OperandForm {
  size_t operands;
  ArrayRef<int32_t> segments;
};
} // namespace

/// An activation by its name.
static ParseResult parseActivation(OpAsmParser &parser,
                                   ActivationAttr &attribute) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Activation> activation = symbolizeActivation(keyword);
  if (activation) {
    attribute = ActivationAttr::get(parser.getContext(), *activation);
    return success();
  }
  InFlightDiagnostic diagnostic = parser.emitError(loc, "unknown activation '");
  diagnostic << keyword << "', expected ";
  for (uint32_t i = 0; i <= getMaxEnumValForActivation(); ++i)
    diagnostic << (i ? ", " : "") << stringifyActivation(Activation(i));
  return diagnostic;
}

/// block ::= operand-list activation `in_out`? attr-dict `:` type-list
/// Which operands there are follows from their number.
template <typename OpT>
static ParseResult parseBlock(OpAsmParser &parser, OperationState &result,
                              ArrayRef<OperandForm> forms, StringRef expected) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(operands))
    return failure();
  const auto *form = llvm::find_if(forms, [&](const OperandForm &form) {
    return form.operands == operands.size();
  });
  if (form == forms.end())
    return parser.emitError(loc, "expects ")
           << expected << ", got '" << operands.size() << "'";
  auto &properties = result.getOrAddProperties<typename OpT::Properties>();
  if (parseActivation(parser, properties.activation))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("in_out")))
    properties.in_out = parser.getBuilder().getUnitAttr();
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonTypeList(types) ||
      parser.resolveOperands(operands, types, loc, result.operands))
    return failure();
  llvm::copy(form->segments, properties.operandSegmentSizes.begin());
  return OpT::inferReturnTypes(
      parser.getContext(), result.location, result.operands,
      result.attributes.getDictionary(parser.getContext()),
      result.getRawProperties(), result.regions, result.types);
}

template <typename OpT> static void printBlock(OpAsmPrinter &printer, OpT op) {
  printer << ' ' << op->getOperands() << ' '
          << stringifyActivation(op.getActivation());
  if (op.getInOut())
    printer << " in_out";
  printer.printOptionalAttrDict(
      op->getAttrs(), {"activation", "in_out", "operandSegmentSizes"});
  printer << " : " << op->getOperandTypes();
}

ParseResult FfnOp::parse(OpAsmParser &parser, OperationState &result) {
  // input, up, bias, down, bias
  static constexpr int32_t plain[] = {1, 1, 0, 1, 0},
                           biased[] = {1, 1, 1, 1, 1};
  const OperandForm forms[] = {{3, plain}, {5, biased}};
  return parseBlock<FfnOp>(parser, result, forms,
                           "3 operands, or 5 with biases");
}

void FfnOp::print(OpAsmPrinter &printer) { printBlock(printer, *this); }

ParseResult GatedFfnOp::parse(OpAsmParser &parser, OperationState &result) {
  // input, gate, bias, up, bias, down, bias
  static constexpr int32_t plain[] = {1, 1, 0, 1, 0, 1, 0},
                           biased[] = {1, 1, 1, 1, 1, 1, 1},
                           joined[] = {1, 1, 0, 0, 0, 1, 0},
                           joinedBiased[] = {1, 1, 1, 0, 0, 1, 1};
  const OperandForm forms[] = {
      {4, plain}, {7, biased}, {3, joined}, {5, joinedBiased}};
  return parseBlock<GatedFfnOp>(
      parser, result, forms,
      "4 operands, 7 with biases, or 3 or 5 with one weight for gate and up");
}

void GatedFfnOp::print(OpAsmPrinter &printer) { printBlock(printer, *this); }
