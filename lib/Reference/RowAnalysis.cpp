//===- RowAnalysis.cpp - Which rows of the caller a value has ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryArguments.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace sinter {

static int64_t rankOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : 0;
}

/// The operand of a lengths(...) clause and the operand whose rows it measures.
static std::pair<Value, Value> lengthsClause(Operation *op) {
  using Pair = std::pair<Value, Value>;
  return llvm::TypeSwitch<Operation *, Pair>(op)
      .Case([](AttentionOp op) { return Pair(op.getLengths(), op.getKey()); })
      .Case([](FillOp op) { return Pair(op.getLengths(), op.getKey()); })
      .Case([](LastOp op) { return Pair(op.getLengths(), op.getInput()); })
      .Case([](LstmOp op) { return Pair(op.getLengths(), op.getInput()); })
      .Case([](ScanOp op) {
        return Pair(op.getLengths(), op.getSequences().front());
      })
      .Default([](Operation *) { return Pair(); });
}

RowAnalysis::RowAnalysis(func::FuncOp function) {
  function.walk([&](Operation *op) {
    auto [lengths, subject] = lengthsClause(op);
    auto argument = dyn_cast_if_present<BlockArgument>(lengths);
    if (!argument || argument.getOwner() != &function.getBody().front())
      return;
    std::optional<RowSource> source = rowsOf(subject);
    BlockArgument rows = source ? source->argument : BlockArgument();
    auto *same = llvm::find_if(lengthsArguments, [&](const Lengths &entry) {
      return entry.lengths == argument;
    });
    if (same == lengthsArguments.end())
      lengthsArguments.push_back({argument, rows});
    else if (!same->rows)
      same->rows = rows;
  });
  llvm::sort(lengthsArguments, [](const Lengths &a, const Lengths &b) {
    return a.lengths.getArgNumber() < b.lengths.getArgNumber();
  });
}

/// Whether an op passes batch and time on from an operand to its results.
static bool keepsRows(Operation *op) {
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return concat.getDim() >= 2;
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    ArrayRef<int64_t> order = transpose.getPermutation();
    return order.size() >= 2 && order[0] == 0 && order[1] == 1;
  }
  if (isa<MatmulOp, ReadOp, WeightOp>(op))
    return false;
  return isa<tensor::CastOp>(op) ||
         op->getName().getDialectNamespace() ==
             SinterDialect::getDialectNamespace() ||
         lookupScalarFunction(op->getName().getStringRef());
}

/// The last state of a row that is empty is the initial one, so it is
/// specified as far as that is.
std::optional<RowSource> RowAnalysis::rowsOfState(ScanOp scan,
                                                  unsigned number) {
  std::optional<RowSource> source = rowsOf(scan.getInitial(number));
  if (!source || source->hasTime)
    return std::nullopt;
  return source;
}

std::optional<RowSource> RowAnalysis::rowsOfResult(OpResult result) {
  Operation *op = result.getOwner();
  if (!keepsRows(op))
    return std::nullopt;
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return rowsOf(broadcast.getLike());
  if (auto scan = dyn_cast<ScanOp>(op))
    if (result.getResultNumber() >= scan.getNumOutputs())
      return rowsOfState(scan, result.getResultNumber() - scan.getNumOutputs());
  for (Value operand : op->getOperands()) {
    std::optional<RowSource> source = rowsOf(operand);
    if (!source)
      continue;
    bool dropsTime =
        isa<LastOp, TakeOp>(op) || (isa<LstmOp>(op) && rankOf(result) == 2);
    return RowSource{source->argument, source->hasTime && !dropsTime};
  }
  return std::nullopt;
}

std::optional<RowSource> RowAnalysis::rowsOf(Value value) {
  if (!value)
    return std::nullopt;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (rankOf(value) < 2 ||
        !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
      return std::nullopt;
    return RowSource{argument, /*hasTime=*/true};
  }
  auto [entry, isNew] = known.try_emplace(value, std::nullopt);
  if (!isNew)
    return entry->second;
  std::optional<RowSource> source = rowsOfResult(cast<OpResult>(value));
  known[value] = source;
  return source;
}

/// Batch and time of an argument: a name, or the number that an entry has bound
/// it to. Empty if the argument lacks either.
static SmallVector<Attribute> rowDims(BlockArgument argument) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto names = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                    dimsAttrName);
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  SmallVector<Attribute> dims;
  size_t next = 0;
  for (int64_t dim = 0; type && dim < std::min<int64_t>(2, type.getRank());
       ++dim) {
    if (!type.isDynamicDim(dim))
      dims.push_back(Builder(function.getContext())
                         .getI64IntegerAttr(type.getDimSize(dim)));
    else if (names && next < names.size())
      dims.push_back(names[next++]);
  }
  if (dims.size() < 2)
    dims.clear();
  return dims;
}

BlockArgument RowAnalysis::lengthsOf(BlockArgument rows) const {
  for (const Lengths &entry : lengthsArguments) {
    if (!entry.rows)
      continue;
    // Arguments with the same batch and time have rows of the same lengths.
    SmallVector<Attribute> dims = rowDims(rows);
    if (entry.rows == rows || (!dims.empty() && dims == rowDims(entry.rows)))
      return entry.lengths;
  }
  return BlockArgument();
}

} // namespace sinter
