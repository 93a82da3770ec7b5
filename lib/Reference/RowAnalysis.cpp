//===- RowAnalysis.cpp - Which rows of the caller a value has ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryArguments.h"
#include "mlir/IR/BuiltinTypes.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace sinter {

static int64_t rankOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : 0;
}

RowAnalysis::RowAnalysis(func::FuncOp function) {
  function.walk([&](Operation *op) {
    std::optional<LengthsClause> clause = getLengthsClause(op);
    if (!clause)
      return;
    auto argument = dyn_cast_if_present<BlockArgument>(clause->lengths);
    if (!argument || argument.getOwner() != &function.getBody().front())
      return;
    bool isTimeMajor = clause->isTimeMajor;
    BlockArgument rows =
        isTimeMajor ? dyn_cast<BlockArgument>(clause->sequence) : nullptr;
    if (!isTimeMajor)
      if (std::optional<RowSource> source = rowsOf(clause->sequence))
        rows = source->argument;
    auto *same = llvm::find_if(lengthsArguments, [&](const Lengths &entry) {
      return entry.lengths == argument;
    });
    if (same == lengthsArguments.end())
      lengthsArguments.push_back({argument, rows, isTimeMajor});
    else if (!same->rows)
      *same = {argument, rows, isTimeMajor};
  });
  llvm::sort(lengthsArguments, [](const Lengths &a, const Lengths &b) {
    return a.lengths.getArgNumber() < b.lengths.getArgNumber();
  });
}

/// Whether a view leaves batch and time first; `split` has what time is cut
/// into or joined from, which may only add dimensions of 1.
static bool keepsFirstTwo(ArrayRef<ReassociationIndices> groups,
                          RankedTensorType split) {
  return groups.size() >= 2 && groups[0].size() == 1 &&
         llvm::all_of(ArrayRef(groups[1]).drop_front(),
                      [&](int64_t dim) { return split.getDimSize(dim) == 1; });
}

/// Whether an op passes batch and time on from an operand to its results.
static bool keepsRows(Operation *op) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return keepsFirstTwo(expand.getReassociationIndices(),
                         expand.getResultType());
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return keepsFirstTwo(collapse.getReassociationIndices(),
                         collapse.getSrcType());
  // A dynamic size of a slice is the whole dimension.
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return slice.getSourceType().getRank() == slice.getType().getRank() &&
           slice.getType().getRank() >= 2 && slice.getStaticOffset(0) == 0 &&
           slice.getStaticOffset(1) == 0 && slice.isDynamicSize(1);
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return concat.getDim() >= 2;
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return rankOf(pad.getSource()) >= 2 &&
           llvm::all_of(ArrayRef<int64_t>{0, 1}, [&](int64_t dim) {
             return pad.getStaticLow()[dim] == 0 &&
                    pad.getStaticHigh()[dim] == 0;
           });
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    ArrayRef<int64_t> order = transpose.getPermutation();
    return order.size() >= 2 && order[0] == 0 && order[1] == 1;
  }
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return !matmul.getTransposeLhs() && rankOf(matmul.getLhs()) == 3;
  if (isa<ReadOp, WeightOp>(op))
    return false;
  if (std::optional<LengthsClause> clause = getLengthsClause(op))
    if (clause->isTimeMajor)
      return false;
  return isa<tensor::CastOp>(op) ||
         op->getName().getDialectNamespace() ==
             SinterDialect::getDialectNamespace() ||
         lookupScalarFunction(op->getName().getStringRef());
}

/// The last state of a row that is empty is the initial one, so it is
/// specified as far as that is.
std::optional<RowSource> RowAnalysis::rowsOfState(Value initial) {
  std::optional<RowSource> source = rowsOf(initial);
  if (!source || source->hasTime)
    return std::nullopt;
  return source;
}

/// A loop nest passes the rows of an operand on whose first dimension the same
/// loop counts through, and the time likewise.
std::optional<RowSource> RowAnalysis::rowsOfNest(linalg::LinalgOp op,
                                                 OpResult result) {
  AffineMap to = op.getIndexingMapMatchingResult(result);
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap from = op.getMatchingIndexingMap(input);
    std::optional<RowSource> source = rowsOf(input->get());
    if (!source || from.getNumResults() == 0 || to.getNumResults() == 0 ||
        from.getResult(0) != to.getResult(0))
      continue;
    bool keepsTime = from.getNumResults() > 1 && to.getNumResults() > 1 &&
                     from.getResult(1) == to.getResult(1);
    return RowSource{source->argument, source->hasTime && keepsTime};
  }
  return std::nullopt;
}

/// The rows of what a body reads at its own first index.
std::optional<RowSource> RowAnalysis::rowsOfGenerated(tensor::GenerateOp op) {
  Block &body = op.getBody().front();
  auto isOwn = [&](tensor::ExtractOp read, unsigned dim) {
    return dim < read.getIndices().size() && dim < body.getNumArguments() &&
           read.getIndices()[dim] == body.getArgument(dim);
  };
  for (auto read : body.getOps<tensor::ExtractOp>())
    if (isOwn(read, 0))
      if (std::optional<RowSource> source = rowsOf(read.getTensor()))
        return RowSource{source->argument, source->hasTime && isOwn(read, 1)};
  return std::nullopt;
}

std::optional<RowSource> RowAnalysis::rowsOfResult(OpResult result) {
  Operation *op = result.getOwner();
  if (auto nest = dyn_cast<linalg::LinalgOp>(op))
    return rowsOfNest(nest, result);
  if (auto generate = dyn_cast<tensor::GenerateOp>(op))
    return rowsOfGenerated(generate);
  if (!keepsRows(op))
    return std::nullopt;
  // Scores and weights have the head before the time.
  if (auto attention = dyn_cast<AttentionOp>(op))
    if (result == attention.getScores() || result == attention.getWeights())
      return std::nullopt;
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return rowsOf(broadcast.getLike());
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return rowsOf(matmul.getLhs());
  unsigned number = result.getResultNumber();
  if (auto scan = dyn_cast<ScanOp>(op))
    if (number >= scan.getNumOutputs())
      return rowsOfState(scan.getInitial(number - scan.getNumOutputs()));
  if (auto rnn = dyn_cast<RnnOp>(op); rnn && number == 1)
    return rowsOfState(rnn.getInitialHidden());
  if (auto gru = dyn_cast<GruOp>(op); gru && number == 1)
    return rowsOfState(gru.getInitialHidden());
  if (auto lstm = dyn_cast<LstmOp>(op); lstm && number > 0)
    return rowsOfState(number == 1 ? lstm.getInitialHidden()
                                   : lstm.getInitialCell());
  for (Value operand : op->getOperands()) {
    std::optional<RowSource> source = rowsOf(operand);
    if (!source)
      continue;
    bool dropsTime = isa<LastOp, TakeOp>(op);
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
    if (!entry.rows || entry.isTimeMajor)
      continue;
    // Arguments with the same batch and time have rows of the same lengths.
    SmallVector<Attribute> dims = rowDims(rows);
    if (entry.rows == rows || (!dims.empty() && dims == rowDims(entry.rows)))
      return entry.lengths;
  }
  return BlockArgument();
}

} // namespace sinter
