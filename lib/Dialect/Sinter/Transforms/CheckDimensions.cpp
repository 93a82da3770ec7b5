//===- CheckDimensions.cpp - equal extents have one name ------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DimensionTrace.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"
#include "sinter/Dialect/Sinter/Transforms/Passes.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace sinter {
#define GEN_PASS_DEF_SINTERCHECKDIMENSIONS
#include "sinter/Dialect/Sinter/Transforms/Passes.h.inc"
} // namespace sinter

using namespace mlir;
using namespace sinter;

namespace {

/// Checks the operands of one op.
class OperandCheck {
public:
  explicit OperandCheck(Operation *op) : op(op) {}

  LogicalResult run() {
    if (OpTrait::hasElementwiseMappableTraits(op))
      sameShape(op->getOperands());
    else if (auto attention = dyn_cast<AttentionOp>(op))
      check(attention);
    else if (auto last = dyn_cast<LastOp>(op))
      same(last.getInput(), 0, last.getLengths(), 0);
    else if (auto take = dyn_cast<TakeOp>(op))
      same(take.getInput(), 0, take.getAt(), 0);
    else if (auto rope = dyn_cast<RopeOp>(op))
      check(rope);
    else if (auto fill = dyn_cast<FillOp>(op))
      check(fill);
    else if (auto write = dyn_cast<WriteOp>(op))
      rowsOf(write.getValue(), stateOf(write.getStateAttr()));
    else if (auto positions = dyn_cast<PositionsOp>(op))
      check(positions);
    else if (isa<RnnOp, GruOp, LstmOp>(op))
      checkRecurrence();
    else if (isa<RnnCellOp, GruCellOp, LstmCellOp>(op))
      checkCell();
    else if (auto scan = dyn_cast<ScanOp>(op))
      check(scan);
    else if (auto matmul = dyn_cast<MatmulOp>(op))
      check(matmul);
    else if (auto concat = dyn_cast<tensor::ConcatOp>(op))
      check(concat);
    else if (auto structured = dyn_cast<linalg::LinalgOp>(op))
      check(structured);
    return status;
  }

private:
  void check(AttentionOp attention) {
    Value query = attention.getQuery(), key = attention.getKey();
    same(query, 0, attention.getLengths(), 0);
    same(query, 0, attention.getOffset(), 0);
    checkMask(attention);
    if (attention.getCacheAttr())
      rowsOf(query, stateOf(attention.getCacheAttr()));
    if (!key)
      return;
    same(query, 0, key, 0);
    leading(key, attention.getValue(), 2);
  }

  /// [B, H, T, S], each extent that or 1. The keys of a cache are counted only
  /// at run time, and reads are clamped.
  void checkMask(AttentionOp attention) {
    Value mask = attention.getDenseMask();
    if (!mask)
      return;
    Value keys = attention.getAppend() ? Value() : Value(attention.getKey());
    std::pair<Value, int64_t> source[] = {{attention.getQuery(), 0},
                                          {attention.getQuery(), 2},
                                          {attention.getQuery(), 1},
                                          {keys, 1}};
    auto type = cast<RankedTensorType>(mask.getType());
    int64_t missing = 4 - type.getRank();
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        same(source[dim + missing].first, source[dim + missing].second, mask,
             dim);
  }

  void check(RopeOp rope) {
    leading(rope.getInput(), rope.getPositions(), 2);
    same(rope.getInput(), 0, rope.getLengths(), 0);
  }

  void check(FillOp fill) {
    rowsOf(fill.getKey(), stateOf(fill.getStateAttr()));
    same(fill.getKey(), 0, fill.getLengths(), 0);
    leading(fill.getKey(), fill.getValue(), 2);
  }

  void check(PositionsOp positions) {
    if (!positions.getAfter())
      return;
    for (auto state : op->getParentOfType<ModuleOp>().getOps<StateOp>())
      if (state.getCacheType() && state.getCursor() == positions.getAfter())
        return rowsOf(positions.getInput(), state);
  }

  /// Lengths and initial states have a row per row of the input.
  void checkRecurrence() {
    LengthsClause clause = *getLengthsClause(op);
    int64_t batch = clause.isTimeMajor ? 1 : 0;
    same(clause.sequence, batch, clause.lengths, 0);
    if (auto rnn = dyn_cast<RnnOp>(op))
      same(clause.sequence, batch, rnn.getInitialHidden(), 0);
    if (auto gru = dyn_cast<GruOp>(op))
      same(clause.sequence, batch, gru.getInitialHidden(), 0);
    if (auto lstm = dyn_cast<LstmOp>(op)) {
      same(clause.sequence, batch, lstm.getInitialHidden(), 0);
      same(clause.sequence, batch, lstm.getInitialCell(), 0);
    }
  }

  /// So have the states of a cell, which follow the input.
  void checkCell() {
    same(op->getOperand(0), 0, op->getOperand(1), 0);
    if (auto lstm = dyn_cast<LstmCellOp>(op))
      same(lstm.getInput(), 0, lstm.getCell(), 0);
  }

  void check(ScanOp scan) {
    Value first = scan.getSequences().front();
    for (Value sequence : scan.getSequences())
      leading(first, sequence, 2);
    for (Value initial : scan.getInitials())
      same(first, 0, initial, 0);
    same(first, 0, scan.getLengths(), 0);
    for (Value value : scan.getBody().front().getTerminator()->getOperands())
      same(first, 0, value, 0);
  }

  void check(MatmulOp matmul) {
    Value lhs = matmul.getLhs(), rhs = matmul.getRhs();
    int64_t rank = rankOf(lhs), other = rankOf(rhs);
    same(lhs, rank - (matmul.getTransposeLhs() ? 2 : 1), rhs,
         other - (matmul.getTransposeRhs() ? 1 : 2));
    if (rank == other)
      leading(lhs, rhs, rank - 2);
  }

  void check(tensor::ConcatOp concat) {
    Value first = concat.getInputs().front();
    for (Value input : concat.getInputs())
      for (int64_t dim = 0; dim < rankOf(first); ++dim)
        if (dim != static_cast<int64_t>(concat.getDim()))
          same(first, dim, input, dim);
  }

  /// Dimensions that one loop counts through are equal. Other places (of a
  /// window, say) are within constant extents by the op's own check; those of a
  /// named dimension can't be shown to be within it, and a loop nest has no
  /// check of its own.
  void check(linalg::LinalgOp structured) {
    SmallVector<Place> loops(structured.getNumLoops());
    auto forEachPlace = [&](auto visit) {
      for (OpOperand &operand : op->getOpOperands())
        if (isa<RankedTensorType>(operand.get().getType()))
          for (auto [dim, expr] : llvm::enumerate(
                   structured.getMatchingIndexingMap(&operand).getResults()))
            visit(operand.get(), static_cast<int64_t>(dim), expr);
    };
    forEachPlace([&](Value value, int64_t dim, AffineExpr expr) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        return;
      auto &[first, place] = loops[loop.getPosition()];
      same(first, place, value, dim);
      if (!first)
        std::tie(first, place) = std::make_pair(value, dim);
    });
    forEachPlace([&](Value value, int64_t dim, AffineExpr expr) {
      if (!isa<AffineDimExpr>(expr) && succeeded(status))
        checkInside({value, dim}, expr, loops);
    });
  }

  /// A dimension of a value; of a loop, the first that it counts through.
  using Place = std::pair<Value, int64_t>;

  static bool isFixed(Place place) {
    auto [value, dim] = place;
    return value && !cast<RankedTensorType>(value.getType()).isDynamicDim(dim);
  }

  void checkInside(Place place, AffineExpr expr, ArrayRef<Place> loops) {
    auto [value, dim] = place;
    bool fixed = isFixed(place);
    for (auto [number, loop] : llvm::enumerate(loops))
      if (expr.isFunctionOfDim(number))
        fixed = fixed && isFixed(loop);
    if (fixed || isInPadding(value, dim, expr, loops))
      return;
    InFlightDiagnostic diag = op->emitOpError("reads dimension ");
    if (Attribute extent = traceDimension(value, dim))
      diag << spellDimension(extent);
    else
      diag << dim;
    status = diag << " at "
                  << AffineMapAttr::get(AffineMap::get(loops.size(), 0, expr))
                  << ", which may be outside of it; pad it, or give it a "
                     "constant extent";
  }

  /// Whether an index is i + j with i over a dimension and j over no more than
  /// what `tensor.pad` adds to it: nothing, where there is none.
  bool isInPadding(Value value, int64_t dim, AffineExpr expr,
                   ArrayRef<Place> loops) {
    auto pad = value.getDefiningOp<tensor::PadOp>();
    int64_t low = pad ? pad.getStaticLow()[dim] : 0;
    int64_t high = pad ? pad.getStaticHigh()[dim] : 0;
    if (ShapedType::isDynamic(low) || ShapedType::isDynamic(high))
      return false;
    SmallVector<int64_t> flat;
    if (failed(getFlattenedAffineExpr(expr, loops.size(), 0, &flat)) ||
        flat.size() != loops.size() + 1 || flat.back() < 0)
      return false;
    Attribute padded = traceDimension(pad ? pad.getSource() : value, dim), over;
    int64_t reach = flat.back();
    for (auto [place, factor] : llvm::zip(loops, flat)) {
      if (factor == 0)
        continue;
      auto type = dyn_cast_if_present<RankedTensorType>(
          place.first ? place.first.getType() : Type());
      if (!type || factor < 0)
        return false;
      if (!type.isDynamicDim(place.second)) {
        reach += factor * (type.getDimSize(place.second) - 1);
        continue;
      }
      if (over || factor != 1)
        return false;
      over = traceDimension(place.first, place.second);
    }
    return over && over == padded && reach <= low + high;
  }

  static int64_t rankOf(Value value) {
    return cast<RankedTensorType>(value.getType()).getRank();
  }

  void sameShape(ValueRange operands) {
    Value first;
    for (Value operand : operands) {
      if (!isa<RankedTensorType>(operand.getType()))
        continue;
      if (first)
        leading(first, operand, rankOf(first));
      first = operand;
    }
  }

  /// The first `count` dimensions are equal.
  void leading(Value a, Value b, int64_t count) {
    for (int64_t dim = 0; dim < count; ++dim)
      same(a, dim, b, dim);
  }

  void same(Value a, int64_t dimA, Value b, int64_t dimB) {
    if (!a || !b || a == b || failed(status))
      return;
    same(traceDimension(a, dimA), traceDimension(b, dimB));
  }

  StateOp stateOf(FlatSymbolRefAttr name) {
    return SymbolTable::lookupNearestSymbolFrom<StateOp>(op, name);
  }

  /// The rows of `value` are those of the session.
  void rowsOf(Value value, StateOp state) {
    if (!state || state.getDims().empty())
      return;
    // A number of rows is for sessions of as many.
    Attribute rows = traceDimension(value, 0);
    if (isa_and_nonnull<StringAttr>(rows))
      same(rows, state.getDims()[0]);
  }

  void same(Attribute known, Attribute other) {
    if (failed(status) || !known || !other || known == other)
      return;
    InFlightDiagnostic diag =
        op->emitOpError() << "needs dimensions " << spellDimension(known)
                          << " and " << spellDimension(other) << " to be equal";
    diag.attachNote() << "equal dimensions have one name in 'sinter.dims'";
    status = diag;
  }

  Operation *op;
  LogicalResult status = success();
};

struct CheckDimensionsPass
    : sinter::impl::SinterCheckDimensionsBase<CheckDimensionsPass> {
  void runOnOperation() override {
    for (auto entry : getOperation().getOps<func::FuncOp>()) {
      SmallVector<Operation *> operations;
      entry.walk([&](Operation *op) { operations.push_back(op); });
      // Tracing makes ops that fold away, so the list is taken before.
      for (Operation *op : operations)
        if (failed(OperandCheck(op).run()))
          return signalPassFailure();
    }
  }
};

} // namespace
