//===- ProductTile.h - Sums of products on registers ------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_FUSEDTOCPU_PRODUCTTILE_H
#define SINTER_LIB_CONVERSION_FUSEDTOCPU_PRODUCTTILE_H

#include "sinter/Conversion/FusedToCPU/KernelBuilder.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace sinter::cpu {

/// Numbers that lie side by side and fill one vector.
struct VectorPiece {
  int64_t first;
  unsigned lanes;
};

/// Whole vectors of `lanes`, then ever shorter ones: what is not padded must
/// not be touched past its end.
llvm::SmallVector<VectorPiece> splitIntoVectors(int64_t size, unsigned lanes);

/// A register tile acc[row][column] += a(row, t) * b(column, t), where a column
/// is a vector and a(row, t) a scalar.
struct ProductTile {
  unsigned rows;
  /// Vector type of each column.
  llvm::SmallVector<mlir::Type> columns;
  /// Steps of t in a loop iteration. 16 and more would spill.
  unsigned unroll = 4;

  /// `t` (i64) is the step of the iteration's start, `plus` the constant to be
  /// added to it.
  using Operand = llvm::function_ref<mlir::Value(unsigned index, mlir::Value t,
                                                 int64_t plus)>;

  /// Emits the sums over t in [from, to), rows outside, columns inside. Where
  /// the tile has fewer than 8 accumulators, several sets are summed at the
  /// end: a fused multiply-add takes 4 cycles and up to two start in each.
  llvm::SmallVector<mlir::Value> emit(KernelBuilder &k, mlir::Value from,
                                      mlir::Value to, Operand a,
                                      Operand b) const;

private:
  unsigned sets(const TargetInfo &target) const;
  void step(KernelBuilder &k, llvm::MutableArrayRef<mlir::Value> sums,
            mlir::Value t, int64_t plus, Operand a, Operand b) const;
};

} // namespace sinter::cpu

#endif // SINTER_LIB_CONVERSION_FUSEDTOCPU_PRODUCTTILE_H
