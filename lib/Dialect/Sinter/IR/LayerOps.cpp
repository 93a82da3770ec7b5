//===- LayerOps.cpp - projections, norms, feed-forward
//------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Sinter/IR/Sinter.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace sinter;

using Results = SmallVectorImpl<ResultShape>;

/// The one result has the shape and type of `input`.
static LogicalResult likeInput(Value input, const ShapeCheck &check,
                               Results &results, int64_t minRank = 0) {
  RankedTensorType type = check.tensor(input, "input", minRank);
  if (!type)
    return failure();
  results.push_back({extentsOf(input), type.getElementType()});
  return success();
}

/// Checks that `vector`, if there, is a vector of `size` elements.
static LogicalResult checkVector(Value vector, StringRef name, int64_t size,
                                 const ShapeCheck &check) {
  if (!vector)
    return success();
  RankedTensorType type = check.tensor(vector, name, 1, 1);
  if (!type)
    return failure();
  return check.same(size, type.getDimSize(0), "the size of " + name);
}

/// The extents of a matrix [out, in], or [in, out] with `inOut`.
struct Matrix {
  Extent out, in;
};

static FailureOr<Matrix> matrixOf(Value weight, StringRef name, bool inOut,
                                  const ShapeCheck &check) {
  if (!check.tensor(weight, name, 2, 2))
    return failure();
  return Matrix{extentOf(weight, inOut ? 1 : 0),
                extentOf(weight, inOut ? 0 : 1)};
}

LogicalResult EmbeddingOp::resultShapes(Adaptor adaptor,
                                        const ShapeCheck &check,
                                        Results &results) {
  // embedding_c1, embedding_c2
  RankedTensorType indices = check.tensor(adaptor.getIndices(), "indices", 0);
  RankedTensorType table = check.tensor(adaptor.getTable(), "table", 2, 2);
  if (!indices || !table)
    return failure();
  SmallVector<Extent> extents = extentsOf(adaptor.getIndices());
  extents.push_back(extentOf(adaptor.getTable(), 1));
  results.push_back({extents, table.getElementType()});
  return success();
}

LogicalResult LinearOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                     Results &results) {
  // linear_c1, linear_c2
  RankedTensorType input = check.tensor(adaptor.getInput(), "input", 1);
  if (!input)
    return failure();
  FailureOr<Matrix> weight =
      matrixOf(adaptor.getWeight(), "weight", adaptor.getInOut(), check);
  if (failed(weight))
    return failure();
  // linear_c3
  if (failed(check.same(input.getShape().back(), weight->in.size,
                        "the weight's input size")))
    return failure();
  // linear_c4
  if (failed(checkVector(adaptor.getBias(), "bias", weight->out.size, check)))
    return failure();
  SmallVector<Extent> extents = extentsOf(adaptor.getInput());
  extents.back() = weight->out;
  results.push_back({extents, input.getElementType()});
  return success();
}

LogicalResult MatmulOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                     Results &results) {
  // matmul_c1
  RankedTensorType lhs = check.tensor(adaptor.getLhs(), "lhs", 2);
  RankedTensorType rhs = check.tensor(adaptor.getRhs(), "rhs", 2);
  if (!lhs || !rhs)
    return failure();
  SmallVector<Extent> a = extentsOf(adaptor.getLhs());
  SmallVector<Extent> b = extentsOf(adaptor.getRhs());
  if (adaptor.getTransposeLhs())
    std::swap(a[a.size() - 1], a[a.size() - 2]);
  if (adaptor.getTransposeRhs())
    std::swap(b[b.size() - 1], b[b.size() - 2]);
  // matmul_c2
  if (b.size() != 2 && a.size() != b.size())
    return check.error("expects rhs to be a matrix or to have the rank of lhs, "
                       "got '" +
                       Twine(b.size()) + "' and '" + Twine(a.size()) + "'");
  // matmul_c3
  if (failed(check.same(a.back().size, b[b.size() - 2].size,
                        "the inner size of rhs")))
    return failure();
  // matmul_c4
  for (size_t i = 0; b.size() != 2 && i + 2 < a.size(); ++i) {
    if (failed(check.same(a[i].size, b[i].size,
                          "batch dimension " + Twine(i) + " of rhs")))
      return failure();
    a[i] = merge(a[i], b[i]);
  }
  a.back() = b.back();
  results.push_back({a, lhs.getElementType()});
  return success();
}

LogicalResult SoftmaxOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                      Results &results) {
  // softmax_c1
  return likeInput(adaptor.getInput(), check, results, /*minRank=*/1);
}

LogicalResult LogSoftmaxOp::resultShapes(Adaptor adaptor,
                                         const ShapeCheck &check,
                                         Results &results) {
  // log_softmax_c1
  return likeInput(adaptor.getInput(), check, results, /*minRank=*/1);
}

/// Checks that `eps` is not negative.
static LogicalResult checkEps(FloatAttr eps, const ShapeCheck &check) {
  if (eps && eps.getValueAsDouble() >= 0.0)
    return success();
  return check.error("expects a non-negative eps");
}

LogicalResult LayerNormOp::resultShapes(Adaptor adaptor,
                                        const ShapeCheck &check,
                                        Results &results) {
  // layer_norm_c1
  if (failed(likeInput(adaptor.getInput(), check, results, /*minRank=*/1)))
    return failure();
  // layer_norm_c2, layer_norm_c3
  int64_t size = results.back().extents.back().size;
  if (failed(checkVector(adaptor.getGain(), "gain", size, check)) ||
      failed(checkVector(adaptor.getBias(), "bias", size, check)))
    return failure();
  // layer_norm_c4
  return checkEps(adaptor.getEpsAttr(), check);
}

LogicalResult RmsNormOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                      Results &results) {
  // rms_norm_c1
  if (failed(likeInput(adaptor.getInput(), check, results, /*minRank=*/1)))
    return failure();
  // rms_norm_c2
  int64_t size = results.back().extents.back().size;
  if (failed(checkVector(adaptor.getGain(), "gain", size, check)))
    return failure();
  // rms_norm_c3
  return checkEps(adaptor.getEpsAttr(), check);
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
  SmallVector<Extent> extents = extentsOf(adaptor.getInput());
  extents.back() = down->out;
  results.push_back({extents, input.getElementType()});
  return success();
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
  FailureOr<Matrix> up =
      matrixOf(adaptor.getUpWeight(), "up weight", inOut, check);
  FailureOr<Matrix> down =
      matrixOf(adaptor.getDownWeight(), "down weight", inOut, check);
  if (failed(gate) || failed(up) || failed(down))
    return failure();
  // gated_ffn_c3
  int64_t size = input.getShape().back();
  if (failed(check.same(size, gate->in.size, "the gate weight's input size")) ||
      failed(check.same(size, up->in.size, "the up weight's input size")))
    return failure();
  // gated_ffn_c4
  if (failed(check.same(gate->out.size, up->out.size,
                        "the up weight's output size")))
    return failure();
  // gated_ffn_c5
  if (failed(check.same(up->out.size, down->in.size,
                        "the down weight's input size")))
    return failure();
  SmallVector<Extent> extents = extentsOf(adaptor.getInput());
  extents.back() = down->out;
  results.push_back({extents, input.getElementType()});
  return success();
}

LogicalResult GeluOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                   Results &results) {
  return likeInput(adaptor.getInput(), check, results);
}

LogicalResult SiluOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                   Results &results) {
  return likeInput(adaptor.getInput(), check, results);
}

LogicalResult ReluOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                   Results &results) {
  return likeInput(adaptor.getInput(), check, results);
}

LogicalResult SigmoidOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                      Results &results) {
  return likeInput(adaptor.getInput(), check, results);
}

//===----------------------------------------------------------------------===//
// Syntax of ffn
//===----------------------------------------------------------------------===//

/// ffn ::= input `,` up (`,` up-bias)? `,` down (`,` down-bias)? activation
///         `in_out`? attr-dict `:` type-list
/// Three operands are without biases, five with both.
ParseResult FfnOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(operands))
    return failure();
  if (operands.size() != 3 && operands.size() != 5)
    return parser.emitError(loc, "expects 3 operands, or 5 with biases, got '")
           << operands.size() << "'";
  SMLoc activationLoc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Activation> activation = symbolizeActivation(keyword);
  if (!activation)
    return parser.emitError(activationLoc, "unknown activation '")
           << keyword
           << "', expected relu, gelu, gelu_tanh, silu, sigmoid or tanh";
  Properties &properties = result.getOrAddProperties<Properties>();
  properties.activation = ActivationAttr::get(parser.getContext(), *activation);
  if (succeeded(parser.parseOptionalKeyword("in_out")))
    properties.in_out = parser.getBuilder().getUnitAttr();
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonTypeList(types) ||
      parser.resolveOperands(operands, types, loc, result.operands))
    return failure();
  int32_t biases = operands.size() == 5;
  llvm::copy(ArrayRef<int32_t>({1, 1, biases, 1, biases}),
             properties.operandSegmentSizes.begin());
  return inferReturnTypes(parser.getContext(), result.location, result.operands,
                          result.attributes.getDictionary(parser.getContext()),
                          result.getRawProperties(), result.regions,
                          result.types);
}

void FfnOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getOperands() << ' '
          << stringifyActivation(getActivation());
  if (getInOut())
    printer << " in_out";
  printer.printOptionalAttrDict(
      (*this)->getAttrs(), {"activation", "in_out", "operandSegmentSizes"});
  printer << " : " << getOperandTypes();
}
