//===- DeriveChecks.cpp - What a call must check before it runs -----------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DimensionTrace.h"
#include "sinter/Dialect/Sinter/IR/Positions.h"
#include "sinter/Dialect/Sinter/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace sinter {
#define GEN_PASS_DEF_SINTERDERIVECHECKS
#include "sinter/Dialect/Sinter/Transforms/Passes.h.inc"
} // namespace sinter

using namespace mlir;
using namespace sinter;

namespace {

/// Derives the checks of one entry from the uses of its arguments.
class CheckDeriver {
public:
  explicit CheckDeriver(func::FuncOp entry)
      : entry(entry), builder(entry.getContext()) {}

  LogicalResult derive() {
    entry.walk([&](Operation *op) {
      if (auto embedding = dyn_cast<EmbeddingOp>(op))
        deriveRange(embedding);
      else if (auto take = dyn_cast<TakeOp>(op))
        deriveRange(take.getAt(), traceNamedDimension(take.getInput(), 1));
      else if (std::optional<LengthsClause> clause = getLengthsClause(op))
        deriveLengths(*clause);
    });
    if (!positions.empty())
      entry->setAttr("sinter.positions", builder.getArrayAttr(positions));
    deriveIdleRows();
    deriveUntouchedRows();
    return status;
  }

private:
  /// An argument that indexes a table must be inside it; so must positions.
  void deriveRange(EmbeddingOp op) {
    int64_t rows =
        cast<RankedTensorType>(op.getTable().getType()).getDimSize(0);
    Value indices = op.getIndices();
    deriveRange(indices, builder.getI64IntegerAttr(rows));
    auto [at, offset] = traceOffsetPositions(indices);
    if (!at)
      return;
    NamedAttrList check;
    check.set("extent", traceNamedDimension(at.getInput(), 1));
    if (offset < 0 || offset >= rows)
      status = op.emitError("positions start at '")
               << offset << "', outside of the table's '" << rows << "' rows";
    check.set("limit", builder.getI64IntegerAttr(rows - offset));
    if (at.getAfterAttr())
      check.set("cursor", at.getAfterAttr());
    if (check.get("extent"))
      positions.push_back(check.getDictionary(entry.getContext()));
  }

  /// If `indices` are an argument, its elements are below `limit`, a number or
  /// a dimension of the entry; null: unknown.
  void deriveRange(Value indices, Attribute limit) {
    auto argument = dyn_cast<BlockArgument>(indices);
    if (!argument || argument.getOwner() != &entry.getBody().front() || !limit)
      return;
    unsigned number = argument.getArgNumber();
    if (auto rows = dyn_cast<IntegerAttr>(limit)) {
      auto known = entry.getArgAttrOfType<IntegerAttr>(number, "sinter.range");
      if (!known || known.getInt() > rows.getInt())
        entry.setArgAttr(number, "sinter.range", rows);
      return;
    }
    Attribute known = entry.getArgAttr(number, "sinter.below");
    if (known && known != limit)
      status = emitError(indices.getLoc())
               << "these indices are of two dimensions, " << known << " and "
               << limit << "; use an argument for each";
    entry.setArgAttr(number, "sinter.below", limit);
  }

  /// Lengths count the positions of their sequence.
  void deriveLengths(const LengthsClause &clause) {
    auto argument = dyn_cast_or_null<BlockArgument>(clause.lengths);
    if (!argument || argument.getOwner() != &entry.getBody().front() ||
        !clause.sequence)
      return;
    Attribute extent =
        traceNamedDimension(clause.sequence, clause.isTimeMajor ? 0 : 1);
    if (!extent)
      return;
    unsigned number = argument.getArgNumber();
    Attribute known = entry.getArgAttr(number, "sinter.lengths");
    if (known && known != extent)
      status = emitError(argument.getLoc())
               << "these lengths count two dimensions, " << known << " and "
               << extent << "; use an argument for each";
    entry.setArgAttr(number, "sinter.lengths", extent);
  }

  /// Where one argument holds the lengths, rows of length 0 are idle: the entry
  /// leaves their state as it is.
  void deriveIdleRows() {
    std::optional<unsigned> lengths;
    for (unsigned i = 0, e = entry.getNumArguments(); i != e; ++i) {
      if (!entry.getArgAttr(i, "sinter.lengths"))
        continue;
      if (lengths)
        return;
      lengths = i;
    }
    if (lengths)
      entry->setAttr("sinter.idle_rows", builder.getI64IntegerAttr(*lengths));
  }

  /// The last element of a row of length 0 does not exist, so results made of
  /// it leave the row as the caller has it.
  void deriveUntouchedRows() {
    llvm::DenseMap<Value, BlockArgument> madeOfLast;
    for (Operation &op : entry.getBody().front()) {
      BlockArgument lengths;
      if (auto last = dyn_cast<LastOp>(op))
        lengths = dyn_cast_or_null<BlockArgument>(last.getLengths());
      if (isRowWise(&op))
        for (Value operand : op.getOperands())
          if (BlockArgument known = madeOfLast.lookup(operand))
            lengths = known;
      if (!lengths)
        continue;
      for (Value result : op.getResults())
        madeOfLast[result] = lengths;
    }
    Operation *end = entry.getBody().front().getTerminator();
    for (auto [number, operand] : llvm::enumerate(end->getOperands()))
      if (BlockArgument known = madeOfLast.lookup(operand))
        entry.setResultAttr(number, "sinter.rows",
                            builder.getI64IntegerAttr(known.getArgNumber()));
  }

  /// True if row b of the results is made of row b of the operands alone.
  static bool isRowWise(Operation *op) {
    return OpTrait::hasElementwiseMappableTraits(op) ||
           isa<LinearOp, RmsNormOp, LayerNormOp, SplitOp, SplitHeadsOp,
               MergeHeadsOp>(op) ||
           (isa<SoftmaxOp, LogSoftmaxOp>(op) &&
            cast<RankedTensorType>(op->getResult(0).getType()).getRank() > 1);
  }

  func::FuncOp entry;
  Builder builder;
  SmallVector<Attribute> positions;
  LogicalResult status = success();
};

struct DeriveChecksPass
    : sinter::impl::SinterDeriveChecksBase<DeriveChecksPass> {
  void runOnOperation() override {
    for (auto entry : getOperation().getOps<func::FuncOp>())
      if (entry.isPublic() && !entry.isExternal() &&
          failed(CheckDeriver(entry).derive()))
        return signalPassFailure();
  }
};

} // namespace
