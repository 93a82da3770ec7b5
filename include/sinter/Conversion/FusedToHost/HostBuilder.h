//===- HostBuilder.h - Integers, memory and control -------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all code of an object is written with, that of kernels and that between
// kernels: scf + arith + pointers of the LLVM dialect. Every integer that
// counts or addresses is i64; there is no index type, no memref and no tensor
// in it (docs/adr/0002-kernel-memory-access.md).
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_CONVERSION_FUSEDTOHOST_HOSTBUILDER_H
#define SINTER_CONVERSION_FUSEDTOHOST_HOSTBUILDER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace sinter::host {

/// Emits operations at an insertion point. Integer helpers fold constants, so
/// address arithmetic on static extents leaves nothing behind; they also take
/// vectors, both of the same type.
class HostBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  mlir::Type ptr();

  //===--- Constants ------------------------------------------------------===//
  mlir::Value i64(int64_t value);
  mlir::Value i32(int32_t value);
  static std::optional<int64_t> constantOf(mlir::Value value);

  //===--- Integers -------------------------------------------------------===//
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, int64_t b) { return add(a, i64(b)); }
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, int64_t b) { return mul(a, i64(b)); }
  /// Quotient and remainder of a non-negative `a`; powers of two are shifts.
  mlir::Value div(mlir::Value a, mlir::Value b);
  mlir::Value rem(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, int64_t b) { return div(a, i64(b)); }
  mlir::Value rem(mlir::Value a, int64_t b) { return rem(a, i64(b)); }
  mlir::Value ceilDiv(mlir::Value a, int64_t b);
  mlir::Value roundUp(mlir::Value a, int64_t b) {
    return mul(ceilDiv(a, b), b);
  }
  mlir::Value roundDown(mlir::Value a, int64_t b);
  /// Signed.
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value max(mlir::Value a, mlir::Value b);
  mlir::Value lt(mlir::Value a, mlir::Value b);
  mlir::Value le(mlir::Value a, mlir::Value b);
  mlir::Value eq(mlir::Value a, mlir::Value b);
  mlir::Value both(mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);

  //===--- Memory ---------------------------------------------------------===//
  /// Address of element `index` of an array of `element` at `base`.
  mlir::Value gep(mlir::Type element, mlir::Value base, mlir::Value index);
  /// `alignment` in bytes; 0: that of one element, which every tensor has.
  mlir::Value load(mlir::Type type, mlir::Value address,
                   unsigned alignment = 0);
  void store(mlir::Value value, mlir::Value address, unsigned alignment = 0);
  /// Of one element of `type`, in bytes.
  static unsigned alignmentOf(mlir::Type type);

  //===--- Control --------------------------------------------------------===//
  using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value iv, mlir::ValueRange carried)>;
  /// for (iv = from; iv < to; iv += step), i64; returns the carried values.
  /// Loops are never unrolled behind our back.
  llvm::SmallVector<mlir::Value> loop(mlir::Value from, mlir::Value to,
                                      int64_t step, mlir::ValueRange carried,
                                      LoopBody body);
  void loop(mlir::Value from, mlir::Value to, int64_t step,
            llvm::function_ref<void(mlir::Value iv)> body);
  void ifThen(mlir::Value condition, llvm::function_ref<void()> then);
  using Branch = llvm::function_ref<llvm::SmallVector<mlir::Value>()>;
  llvm::SmallVector<mlir::Value> ifElse(mlir::Value condition,
                                        mlir::TypeRange types, Branch then,
                                        Branch otherwise);
};

} // namespace sinter::host

#endif // SINTER_CONVERSION_FUSEDTOHOST_HOSTBUILDER_H
