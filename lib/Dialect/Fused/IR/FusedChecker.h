//===- FusedChecker.h - Constraints that skeletons share --------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each check takes the number of the constraint that it decides; a violation
// is reported as `<op>_c<number>`, the label in the op's documentation.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_DIALECT_FUSED_IR_FUSEDCHECKER_H
#define SINTER_LIB_DIALECT_FUSED_IR_FUSEDCHECKER_H

#include "sinter/Dialect/Fused/IR/Fused.h"

namespace sinter::fused {

/// How a map may use the dimensions of a skeleton.
struct MapRule {
  llvm::StringRef what;
  unsigned dims;
  unsigned symbols = 0;
  /// Numbers of the dimensions that the map must not depend on.
  llvm::SmallVector<unsigned> forbidden = {};
};

class Checker {
public:
  /// `dims` are the names of the skeleton's dimensions, for messages.
  Checker(mlir::Operation *op, mlir::ArrayAttr dims);

  /// A diagnostic that begins with the label of the constraint.
  mlir::InFlightDiagnostic fail(unsigned constraint);

  /// Distinct names, one extent each, positive where fixed. `names`: what they
  /// must be, empty for any.
  mlir::LogicalResult space(unsigned constraint,
                            llvm::ArrayRef<int64_t> extents,
                            llvm::ArrayRef<llvm::StringRef> names = {});
  /// `map` follows the rule and has one result per dimension of `operand`.
  mlir::LogicalResult map(unsigned constraint, const MapRule &rule,
                          mlir::Value operand, mlir::AffineMap map);
  /// One entry per operand, a map, or where `whole` a unit attribute.
  mlir::LogicalResult maps(unsigned constraint, const MapRule &rule,
                           mlir::ValueRange operands, mlir::ArrayAttr maps,
                           bool whole = false);
  /// An operand and its map, both or neither.
  mlir::LogicalResult optionalMap(unsigned constraint, const MapRule &rule,
                                  mlir::Value operand,
                                  std::optional<mlir::AffineMap> map);
  /// One name and one map per operand.
  mlir::LogicalResult symbols(unsigned constraint, mlir::ValueRange operands,
                              mlir::ArrayAttr names, mlir::ArrayAttr maps);
  /// Operand, map and dimension, all or none.
  mlir::LogicalResult rows(unsigned constraint, mlir::Value operand,
                           std::optional<mlir::AffineMap> map,
                           std::optional<uint64_t> dim);
  /// Numbers in range, in order of first use, each destination used.
  mlir::LogicalResult stores(unsigned constraint, const MapRule &rule,
                             mlir::ValueRange outs,
                             llvm::ArrayRef<int64_t> numbers,
                             mlir::ArrayAttr maps);
  /// Numbers of dimensions.
  mlir::LogicalResult indices(unsigned constraint,
                              llvm::ArrayRef<int64_t> numbers);
  /// One block with these arguments.
  mlir::LogicalResult arguments(unsigned constraint, llvm::StringRef what,
                                mlir::Region &region, mlir::TypeRange types);
  /// Ends with a yield of these types.
  mlir::LogicalResult yields(unsigned constraint, llvm::StringRef what,
                             mlir::Region &region, mlir::TypeRange types);
  /// Every dimension but those in `exempt` has an extent, and static extents
  /// agree: reads have the extent, stores at least that.
  mlir::LogicalResult extents(unsigned constraint,
                              llvm::ArrayRef<unsigned> exempt = {});

private:
  mlir::LogicalResult extent(unsigned constraint, unsigned dim);

  mlir::Operation *op;
  llvm::SmallVector<llvm::StringRef> names;
};

/// The scalar type of the elements of `operand`.
mlir::Type scalarTypeOf(mlir::Value operand);

} // namespace sinter::fused

#endif // SINTER_LIB_DIALECT_FUSED_IR_FUSEDCHECKER_H
