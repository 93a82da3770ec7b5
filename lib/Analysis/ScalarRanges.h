//===- ScalarRanges.h - Scalar regions over boxes of indices ----*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_ANALYSIS_SCALARRANGES_H
#define SINTER_LIB_ANALYSIS_SCALARRANGES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "sinter/Analysis/MaskTiles.h"
#include "sinter/Dialect/Fused/IR/Fused.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace sinter {

/// q * queries + k * keys + [low, high], in unbounded integers. `min` and `max`
/// bound low and high at compile time.
struct AffineRange {
  int64_t queries = 0, keys = 0;
  mlir::Value low, high;
  int64_t min = 0, max = 0;
};

/// [low, high] with bounds known at compile time.
struct Interval {
  mlir::Value low, high;
  int64_t min = 0, max = 0;
};

/// Interprets a mask region; what a truth is, subclasses say. All integers are
/// exact as long as `valid` holds: it collects, as emitted code, the conditions
/// under which no operation of the region wraps around.
class ScalarRanges {
public:
  /// Some values whose meaning the subclass knows.
  using Truth = llvm::SmallVector<mlir::Value, 4>;

  ScalarRanges(mlir::OpBuilder &builder, mlir::Location loc, const MaskBox &box,
               MaskRead read)
      : builder(builder), loc(loc), box(box), read(read) {}
  virtual ~ScalarRanges() = default;

  /// Interprets the region and returns the truth that it yields.
  Truth run(mlir::Region &mask, llvm::ArrayRef<mlir::Value> captures);

protected:
  virtual Truth exactTruth(mlir::Value condition) = 0;
  virtual Truth unknownTruth() = 0;
  /// range <= 0.
  virtual Truth notPositive(const AffineRange &range) = 0;
  virtual Truth both(const Truth &a, const Truth &b) = 0;
  virtual Truth either(const Truth &a, const Truth &b) = 0;
  virtual Truth negation(const Truth &a) = 0;
  /// An i1 that holds exactly where `applies` does, else unknown.
  virtual Truth truthIf(mlir::Value applies, mlir::Value condition) = 0;

  mlir::Value constant(int64_t value);
  mlir::Value boolean(bool value);
  template <typename OpTy, typename... Args> mlir::Value emit(Args... args) {
    return builder.createOrFold<OpTy>(loc, args...);
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a,
                      mlir::Value b) {
    return emit<mlir::arith::CmpIOp>(predicate, a, b);
  }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return emit<mlir::arith::SelectOp>(condition, a, b);
  }
  /// The values of `range` over all queries of the box, its keys as `withKeys`
  /// says (else the key term is left out).
  Interval interval(const AffineRange &range, bool withKeys = true);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const MaskBox &box;
  MaskRead read;
  mlir::Value valid;

private:
  using Range = std::optional<AffineRange>;

  void visit(mlir::Operation &op);
  bool visitUniform(mlir::Operation &op);
  void visitRead(fused::ReadOp op);
  Range visitInteger(mlir::Operation &op);
  Truth visitTruth(mlir::Operation &op);
  Truth visitCompare(mlir::arith::CmpIOp op);

  Range rangeOf(mlir::Value value);
  Truth truthOf(mlir::Value value);
  mlir::Value exactOf(mlir::Value value) { return exact.lookup(value); }

  Range point(mlir::Value exactValue);
  Range add(const Range &a, const Range &b);
  Range scale(const Range &a, int64_t factor);
  Range multiply(const Range &a, const Range &b);
  Range divide(mlir::Operation &op, const Range &a, const Range &b);
  Range remainder(const Range &a, const Range &b);
  Range extremum(bool isMax, const Range &a, const Range &b);
  Range choose(mlir::arith::SelectOp op);
  Range absolute(const Range &a);
  Range fromInterval(Interval value);
  /// Requires that all of `a` lie in [min, max].
  Range require(const Range &a, int64_t min, int64_t max);
  Range requireNotNegative(const Range &a);
  Range fit(const Range &a, mlir::Type type);
  Range pointIf(mlir::Value applies, mlir::Value exactValue);

  llvm::DenseMap<mlir::Value, mlir::Value> exact;
  llvm::DenseMap<mlir::Value, AffineRange> ranges;
  llvm::DenseMap<mlir::Value, Truth> truths;
};

} // namespace sinter

#endif // SINTER_LIB_ANALYSIS_SCALARRANGES_H
