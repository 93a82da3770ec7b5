//===- RecurrenceOps.cpp - recurrent layers and their cells ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerShapes.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"

#include "mlir/IR/Builders.h"

#include <string>

using namespace mlir;
using namespace sinter;

using Results = SmallVectorImpl<ResultShape>;

/// Checks that `gates`, which is `fallback` where it is not given, is an order
/// of `letters` ("fgio").
static LogicalResult checkGates(StringAttr gates, StringRef fallback,
                                StringRef letters, const ShapeCheck &check) {
  // While an op is being parsed its default attributes are not there yet.
  StringRef given = gates ? gates.getValue() : fallback;
  std::string sorted = given.str(), expected = letters.str(), list;
  llvm::sort(sorted);
  llvm::sort(expected);
  if (sorted == expected)
    return success();
  for (char letter : letters)
    list += std::string(list.empty() ? "'" : ", '") + letter + "'";
  return check.error("expects gates to be an order of " + list + ", got '" +
                     given + "'");
}

/// Checks the weights of `gates` gates over an input of `inputSize` columns and
/// gives the number of units.
template <typename AdaptorT>
static FailureOr<int64_t> checkWeights(AdaptorT adaptor, int64_t gates,
                                       int64_t inputSize,
                                       const ShapeCheck &check) {
  RankedTensorType weight = check.tensor(adaptor.getWeight(), "weight", 2, 2);
  RankedTensorType recurrence =
      check.tensor(adaptor.getRecurrence(), "recurrence", 2, 2);
  if (!weight || !recurrence)
    return failure();
  bool inOut = adaptor.getInOut();
  int64_t outputs = recurrence.getDimSize(inOut ? 1 : 0);
  int64_t units = recurrence.getDimSize(inOut ? 0 : 1);
  if (ShapedType::isDynamic(units) || outputs != gates * units) {
    std::string all = gates == 1 ? "H" : std::to_string(gates) + " H";
    return check.error("expects recurrence to be [" +
                       (inOut ? "H, " + all : all + ", H") +
                       "] with constant H");
  }
  StringRef out = inOut ? "the columns of weight" : "the rows of weight";
  StringRef in = inOut ? "the rows of weight" : "the columns of weight";
  if (failed(check.same(outputs, weight.getDimSize(inOut ? 1 : 0), out)) ||
      failed(check.same(inputSize, weight.getDimSize(inOut ? 0 : 1), in)))
    return failure();
  for (Value bias : {adaptor.getInputBias(), adaptor.getRecurrentBias()})
    if (failed(checkVector(bias, "bias", outputs, check)))
      return failure();
  return units;
}

/// Checks that there are `count` activations of the list, with two parameters
/// each, and that clip is positive.
template <typename AdaptorT>
static LogicalResult checkClauses(AdaptorT adaptor, size_t count,
                                  const ShapeCheck &check) {
  ArrayAttr names = adaptor.getActivationsAttr();
  DenseF64ArrayAttr parameters = adaptor.getActivationParametersAttr();
  size_t given = names ? names.size() : 0;
  if (names && given != count)
    return check.error("expects '" + Twine(count) + "' activations, got '" +
                       Twine(given) + "'");
  for (Attribute name : names ? names.getValue() : ArrayRef<Attribute>())
    if (!symbolizeCellFunction(cast<StringAttr>(name).getValue()))
      return check.error("knows no activation '" +
                         cast<StringAttr>(name).getValue() + "'");
  int64_t numbers = parameters ? parameters.size() : 0;
  if (numbers != static_cast<int64_t>(2 * given))
    return check.error("expects '" + Twine(2 * given) +
                       "' activation parameters, got '" + Twine(numbers) + "'");
  FloatAttr clip = adaptor.getClipAttr();
  if (clip && !(clip.getValueAsDouble() > 0.0))
    return check.error("expects a positive clip");
  return success();
}

static LogicalResult checkReset(ResetAttr reset, const ShapeCheck &check) {
  if (reset)
    return success();
  return check.error("expects reset(before) or reset(after)");
}

/// Checks that `state`, if there, is [batch, units], and takes its batch over.
static LogicalResult checkState(Value state, StringRef name, Extent &batch,
                                int64_t units, const ShapeCheck &check) {
  if (!state)
    return success();
  RankedTensorType type = check.tensor(state, name, 2, 2);
  if (!type ||
      failed(
          check.same(batch.size, type.getDimSize(0), "the rows of " + name)) ||
      failed(check.same(units, type.getDimSize(1), "the columns of " + name)))
    return failure();
  batch = merge(batch, extentOf(state, 0));
  return success();
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

/// Checks the input of a layer and gives its last extent.
template <typename AdaptorT>
static FailureOr<int64_t> checkInput(AdaptorT adaptor, int64_t rank,
                                     const ShapeCheck &check) {
  RankedTensorType input =
      check.tensor(adaptor.getInput(), "input", rank, rank);
  if (!input)
    return failure();
  return input.getShape().back();
}

/// Checks states and lengths of a layer and gives its results: the sequence,
/// then the states.
template <typename AdaptorT>
static LogicalResult layerResults(AdaptorT adaptor, int64_t units,
                                  ArrayRef<Value> states, unsigned count,
                                  const ShapeCheck &check, Results &results) {
  Value input = adaptor.getInput();
  bool timeMajor = adaptor.getTimeMajor();
  Extent batch = extentOf(input, timeMajor ? 1 : 0);
  Extent time = extentOf(input, timeMajor ? 0 : 1);
  for (Value state : states)
    if (failed(checkState(state, "init", batch, units, check)))
      return failure();
  if (Value lengths = adaptor.getLengths()) {
    if (failed(checkVector(lengths, "lengths", batch.size, check)))
      return failure();
    batch = merge(batch, extentOf(lengths, 0));
  }
  Extent size = Extent::constant(units);
  Type element = cast<RankedTensorType>(input.getType()).getElementType();
  if (timeMajor)
    results.push_back({{time, batch, size}, element});
  else
    results.push_back({{batch, time, size}, element});
  results.append(count, ResultShape{{batch, size}, element});
  return success();
}

LogicalResult RnnOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                  Results &results) {
  // rnn_c1
  FailureOr<int64_t> size = checkInput(adaptor, 3, check);
  if (failed(size))
    return failure();
  // rnn_c2, rnn_c3
  FailureOr<int64_t> units = checkWeights(adaptor, 1, *size, check);
  // rnn_c6, rnn_c7
  if (failed(units) || failed(checkClauses(adaptor, 1, check)))
    return failure();
  // rnn_c4, rnn_c5
  return layerResults(adaptor, *units, {adaptor.getInitialHidden()},
                      /*count=*/1, check, results);
}

LogicalResult GruOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                  Results &results) {
  // gru_c1, gru_c2
  FailureOr<int64_t> size = checkInput(adaptor, 3, check);
  if (failed(size) ||
      failed(checkGates(adaptor.getGatesAttr(), "rzn", "rzn", check)))
    return failure();
  // gru_c3, gru_c4
  FailureOr<int64_t> units = checkWeights(adaptor, 3, *size, check);
  // gru_c7, gru_c8, gru_c9
  if (failed(units) || failed(checkClauses(adaptor, 2, check)) ||
      failed(checkReset(adaptor.getResetAttr(), check)))
    return failure();
  // gru_c5, gru_c6
  return layerResults(adaptor, *units, {adaptor.getInitialHidden()},
                      /*count=*/1, check, results);
}

LogicalResult LstmOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                   Results &results) {
  // lstm_c1, lstm_c2
  FailureOr<int64_t> size = checkInput(adaptor, 3, check);
  if (failed(size) ||
      failed(checkGates(adaptor.getGatesAttr(), "ifgo", "ifgo", check)))
    return failure();
  // lstm_c3, lstm_c4
  FailureOr<int64_t> units = checkWeights(adaptor, 4, *size, check);
  // lstm_c7, lstm_c8
  if (failed(units) || failed(checkClauses(adaptor, 3, check)))
    return failure();
  // lstm_c9
  if (failed(checkVector(adaptor.getPeephole(), "peephole", 3 * *units, check)))
    return failure();
  // lstm_c5, lstm_c6
  return layerResults(adaptor, *units,
                      {adaptor.getInitialHidden(), adaptor.getInitialCell()},
                      /*count=*/2, check, results);
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

/// Checks the states of a cell and gives its results, the next states.
template <typename AdaptorT>
static LogicalResult cellResults(AdaptorT adaptor, int64_t units,
                                 ArrayRef<std::pair<Value, StringRef>> states,
                                 const ShapeCheck &check, Results &results) {
  Extent batch = extentOf(adaptor.getInput(), 0);
  for (auto [state, name] : states)
    if (failed(checkState(state, name, batch, units, check)))
      return failure();
  Type element = getElementTypeOrSelf(adaptor.getInput().getType());
  results.append(states.size(),
                 ResultShape{{batch, Extent::constant(units)}, element});
  return success();
}

LogicalResult RnnCellOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                      Results &results) {
  // rnn_cell_c1
  FailureOr<int64_t> size = checkInput(adaptor, 2, check);
  if (failed(size))
    return failure();
  // rnn_cell_c2, rnn_cell_c3
  FailureOr<int64_t> units = checkWeights(adaptor, 1, *size, check);
  // rnn_cell_c5, rnn_cell_c6
  if (failed(units) || failed(checkClauses(adaptor, 1, check)))
    return failure();
  // rnn_cell_c4
  return cellResults(adaptor, *units, {{adaptor.getHidden(), "hidden"}}, check,
                     results);
}

LogicalResult GruCellOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                      Results &results) {
  // gru_cell_c1, gru_cell_c2
  FailureOr<int64_t> size = checkInput(adaptor, 2, check);
  if (failed(size) ||
      failed(checkGates(adaptor.getGatesAttr(), "rzn", "rzn", check)))
    return failure();
  // gru_cell_c3, gru_cell_c4
  FailureOr<int64_t> units = checkWeights(adaptor, 3, *size, check);
  // gru_cell_c6, gru_cell_c7, gru_cell_c8
  if (failed(units) || failed(checkClauses(adaptor, 2, check)) ||
      failed(checkReset(adaptor.getResetAttr(), check)))
    return failure();
  // gru_cell_c5
  return cellResults(adaptor, *units, {{adaptor.getHidden(), "hidden"}}, check,
                     results);
}

LogicalResult LstmCellOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                       Results &results) {
  // lstm_cell_c1, lstm_cell_c2
  FailureOr<int64_t> size = checkInput(adaptor, 2, check);
  if (failed(size) ||
      failed(checkGates(adaptor.getGatesAttr(), "ifgo", "ifgo", check)))
    return failure();
  // lstm_cell_c3, lstm_cell_c4
  FailureOr<int64_t> units = checkWeights(adaptor, 4, *size, check);
  // lstm_cell_c6, lstm_cell_c7
  if (failed(units) || failed(checkClauses(adaptor, 3, check)))
    return failure();
  // lstm_cell_c8
  if (failed(checkVector(adaptor.getPeephole(), "peephole", 3 * *units, check)))
    return failure();
  // lstm_cell_c5
  return cellResults(
      adaptor, *units,
      {{adaptor.getHidden(), "hidden"}, {adaptor.getCell(), "cell"}}, check,
      results);
}
