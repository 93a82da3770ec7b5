//===- RecurrenceOps.cpp - recurrent layers and their cells
//-------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Sinter/IR/Sinter.h"

#include "mlir/IR/Builders.h"

#include <string>

using namespace mlir;
using namespace sinter;

using Results = SmallVectorImpl<ResultShape>;

/// Checks the weights of an LSTM whose input has `inputSize` columns, and gives
/// the number of units. The labels are those of lstm and, after the name,
/// lstm_cell.
template <typename AdaptorT>
static FailureOr<int64_t> checkGates(AdaptorT adaptor, int64_t inputSize,
                                     const ShapeCheck &check) {
  // lstm_c2, lstm_cell_c2
  // While an op is being parsed its default attributes are not there yet.
  StringAttr given = adaptor.getGatesAttr();
  StringRef gates = given ? given.getValue() : "ifgo";
  std::string letters = gates.str();
  llvm::sort(letters);
  if (letters != "fgio")
    return check.error("expects gates to be an order of 'i', 'f', 'g', 'o', "
                       "got '" +
                       gates + "'");
  // lstm_c3, lstm_cell_c3
  RankedTensorType weight = check.tensor(adaptor.getWeight(), "weight", 2, 2);
  RankedTensorType recurrence =
      check.tensor(adaptor.getRecurrence(), "recurrence", 2, 2);
  if (!weight || !recurrence)
    return failure();
  int64_t rows = recurrence.getDimSize(0);
  int64_t units = recurrence.getDimSize(1);
  if (ShapedType::isDynamic(units) || rows != 4 * units)
    return check.error("expects recurrence to be [4 H, H] with constant H");
  if (failed(check.same(rows, weight.getDimSize(0), "the rows of weight")) ||
      failed(
          check.same(inputSize, weight.getDimSize(1), "the columns of weight")))
    return failure();
  // lstm_c4, lstm_cell_c4
  for (Value bias : {adaptor.getInputBias(), adaptor.getRecurrentBias()}) {
    if (!bias)
      continue;
    RankedTensorType type = check.tensor(bias, "bias", 1, 1);
    if (!type ||
        failed(check.same(rows, type.getDimSize(0), "the size of bias")))
      return failure();
  }
  return units;
}

/// Checks that `state`, if there, is [batch, units].
static LogicalResult checkState(Value state, StringRef name, int64_t batch,
                                int64_t units, const ShapeCheck &check) {
  if (!state)
    return success();
  RankedTensorType type = check.tensor(state, name, 2, 2);
  if (!type ||
      failed(check.same(batch, type.getDimSize(0), "the rows of " + name)) ||
      failed(check.same(units, type.getDimSize(1), "the columns of " + name)))
    return failure();
  return success();
}

LogicalResult LstmOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                   Results &results) {
  // lstm_c1
  RankedTensorType input = check.tensor(adaptor.getInput(), "input", 3, 3);
  if (!input)
    return failure();
  FailureOr<int64_t> units = checkGates(adaptor, input.getDimSize(2), check);
  if (failed(units))
    return failure();
  // lstm_c5
  Extent batch = extentOf(adaptor.getInput(), 0);
  for (Value state : {adaptor.getInitialHidden(), adaptor.getInitialCell()}) {
    if (failed(checkState(state, "init", batch.size, *units, check)))
      return failure();
    if (state)
      batch = merge(batch, extentOf(state, 0));
  }
  // lstm_c6
  if (Value lengths = adaptor.getLengths()) {
    RankedTensorType type = check.tensor(lengths, "lengths", 1, 1);
    if (!type || failed(check.same(batch.size, type.getDimSize(0),
                                   "the size of lengths")))
      return failure();
    batch = merge(batch, extentOf(lengths, 0));
  }
  Extent size = Extent::constant(*units);
  Type element = input.getElementType();
  results.push_back({{batch, extentOf(adaptor.getInput(), 1), size}, element});
  results.push_back({{batch, size}, element});
  results.push_back({{batch, size}, element});
  return success();
}

LogicalResult LstmCellOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                       Results &results) {
  // lstm_cell_c1
  RankedTensorType input = check.tensor(adaptor.getInput(), "input", 2, 2);
  if (!input)
    return failure();
  FailureOr<int64_t> units = checkGates(adaptor, input.getDimSize(1), check);
  if (failed(units))
    return failure();
  // lstm_cell_c5
  Extent batch = extentOf(adaptor.getInput(), 0);
  if (failed(checkState(adaptor.getHidden(), "hidden", batch.size, *units,
                        check)) ||
      failed(checkState(adaptor.getCell(), "cell", batch.size, *units, check)))
    return failure();
  batch = merge(batch, merge(extentOf(adaptor.getHidden(), 0),
                             extentOf(adaptor.getCell(), 0)));
  Extent size = Extent::constant(*units);
  results.push_back({{batch, size}, input.getElementType()});
  results.push_back({{batch, size}, input.getElementType()});
  return success();
}
