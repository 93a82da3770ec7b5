//===- ScanExpression.h - A step of a scan as expressions -------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each value [B, W] of a step is, in a range of its columns, one number per row
// and unit. An expression says which: scalar code over products with matrices,
// states, elements of tensors and reductions over the units of the row. A value
// of several gates' columns is so many expressions over the same units.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_SINTERTOFUSED_SCANEXPRESSION_H
#define SINTER_LIB_CONVERSION_SINTERTOFUSED_SCANEXPRESSION_H

#include "EntryLowering.h"
#include <deque>
#include <map>

namespace sinter::scan {

/// Dimensions of fused.recurrence.
enum Dim : unsigned { DimB, DimT, DimU, DimK, numDims };

/// Columns [first, first + units) of a value [B, W]; or column `first`,
/// repeated for so many units.
struct Range {
  int64_t first, units;
  bool isRepeated = false;

  int64_t columns() const { return isRepeated ? 1 : units; }
  Range from(int64_t other) const { return {other, units, isRepeated}; }
  auto operator<=>(const Range &) const = default;
};

/// Columns of a weight, and those of its inputs that belong to the factor.
struct Matrix {
  mlir::Value weight;
  bool isInOut;
  Range columns, inputs;
};

/// Scalar code: from the values of the operands to that of the expression.
using ScalarCode = std::function<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                             mlir::ValueRange)>;

/// One number per row and unit.
struct Node {
  enum Kind {
    Number,     ///< the same everywhere: only scalar code
    Capture,    ///< an element of a tensor
    State,      ///< a state, as a whole
    Step,       ///< a step of a sequence, as a whole
    Projection, ///< a step of the projected sequence times a matrix
    Product,    ///< other units times a matrix
    Compute,    ///< scalar code of operands
    Reduction   ///< scalar code of operands, reduced over the units
  };
  Kind kind;
  mlir::Location loc;
  mlir::Type type;
  int64_t units;
  /// The first phase in which it can be made: that after the phases in which
  /// the factors of its products are. -1: it has no products.
  int64_t level = -1;

  fused::Access access = {};               ///< Capture
  unsigned number = 0;                     ///< State, Step
  Matrix matrix = {};                      ///< Projection, Product
  Node *factor = nullptr;                  ///< Product
  llvm::SmallVector<Node *> operands = {}; ///< Compute, Reduction
  ScalarCode code = {};                    ///< Number, Compute, Reduction
  /// Compute: cheaper to make again than to keep.
  bool isCheap = false;
  /// Has functions in it that are not to be computed once per reduction.
  bool isCostly = false;
  fused::Reduction reduction = fused::Reduction::sum;

  /// Whether it is there when a step starts, as units.
  bool isArgument() const {
    return kind == State || kind == Step || kind == Projection;
  }
};

/// Why a step is not made of such expressions, and the operation at fault.
struct Obstacle {
  mlir::Operation *op = nullptr;
  std::string why;
};

/// The expressions of what a step yields.
class Expressions {
public:
  explicit Expressions(ScanOp scan);

  /// Fails after it has set `obstacle`.
  mlir::LogicalResult build();

  llvm::SmallVector<Node *> outputs, states;
  /// The sequence whose products with weights can be made ahead of the steps.
  std::optional<unsigned> projected;
  Obstacle obstacle;

private:
  /// A projection or a product with a constant matrix.
  struct Linear {
    mlir::Operation *op;
    mlir::Value input, weight, bias;
    bool isInOut;
  };
  /// Inputs of a linear that are one value.
  struct Part {
    mlir::Value value;
    Range inputs;
  };

  void chooseProjected();
  bool isOutside(mlir::Value value) const;
  Node *stop(mlir::Operation *op, const llvm::Twine &why);
  Node *add(Node node);
  Node *get(mlir::Value value, Range range);
  Node *make(mlir::Value value, Range range);

  mlir::AffineExpr columnAt(Range range) const;
  Node *makeArgument(mlir::BlockArgument argument, Range range);
  Node *makeCapture(mlir::Value tensor, mlir::Location loc, int64_t units,
                    llvm::ArrayRef<mlir::AffineExpr> indices);
  Node *makeOutside(mlir::Value value, mlir::Location loc, Range range);
  Node *makeNumber(mlir::Operation *user, mlir::Value value, int64_t units);
  Node *makeElementwise(mlir::Operation *op, Range range);
  Node *makeBroadcast(BroadcastOp op, Range range);
  Node *makeConcat(mlir::tensor::ConcatOp op, Range range);
  Node *makeSlice(mlir::tensor::ExtractSliceOp op, Range range);
  Node *compute(mlir::Operation *op, llvm::ArrayRef<Node *> operands,
                ScalarCode code, bool isCheap);

  static std::optional<Linear> asLinear(mlir::Operation *op);
  void collectParts(mlir::Value value, int64_t first,
                    llvm::SmallVectorImpl<Part> &parts);
  Node *makeLinear(const Linear &linear, Range range);
  Node *makeProduct(const Linear &linear, const Part &part, Range range);

  Node *makeNorm(mlir::Operation *op, Range range);
  llvm::ArrayRef<Node *> reductionsOf(mlir::Operation *op, int64_t units);
  Node *reduce(mlir::Operation *op, fused::Reduction kind,
               llvm::ArrayRef<Node *> operands, ScalarCode code);

  ScanOp scan;
  mlir::MLIRContext *context;
  std::deque<Node> nodes;
  llvm::DenseMap<mlir::Value, std::map<Range, Node *>> known;
  std::map<std::pair<mlir::Operation *, int64_t>, llvm::SmallVector<Node *>>
      reductions;
};

} // namespace sinter::scan

#endif // SINTER_LIB_CONVERSION_SINTERTOFUSED_SCANEXPRESSION_H
