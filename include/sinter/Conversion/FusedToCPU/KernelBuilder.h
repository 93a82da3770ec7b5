//===- KernelBuilder.h - Writes kernel code ---------------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernel code is scf + arith + native 1-D vectors + pointers of the LLVM
// dialect. Every integer that counts or addresses is i64; there is no index
// type, no memref and no tensor in it (docs/adr/0002-kernel-memory-access.md).
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_CONVERSION_FUSEDTOCPU_KERNELBUILDER_H
#define SINTER_CONVERSION_FUSEDTOCPU_KERNELBUILDER_H

#include "sinter/Support/TargetInfo.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace sinter::cpu {

/// Emits operations at an insertion point. Helpers on numbers take scalars and
/// vectors alike; both operands have the same type. Integer helpers fold
/// constants, so address arithmetic on static extents leaves nothing behind.
class KernelBuilder : public mlir::ImplicitLocOpBuilder {
public:
  KernelBuilder(mlir::Location loc, mlir::OpBuilder &builder,
                const TargetInfo &target)
      : ImplicitLocOpBuilder(loc, builder), target(target) {}

  const TargetInfo &target;

  //===--- Types ----------------------------------------------------------===//
  mlir::Type ptr();
  /// vector<lanes x element>, or `element` itself for one lane.
  static mlir::Type vec(mlir::Type element, unsigned lanes);
  static unsigned lanesOf(mlir::Type type);
  static unsigned lanesOf(mlir::Value value) {
    return lanesOf(value.getType());
  }
  static mlir::Type elementOf(mlir::Type type);
  /// The same shape over another element type.
  static mlir::Type like(mlir::Type shape, mlir::Type element);
  /// The integer type of the same shape and width as a float type.
  mlir::Type intLike(mlir::Type floats);

  //===--- Constants ------------------------------------------------------===//
  mlir::Value i64(int64_t value);
  mlir::Value i32(int32_t value);
  /// A number of a scalar or vector type, float or integer, in all lanes.
  mlir::Value constant(mlir::Type type, double value);
  mlir::Value constantInt(mlir::Type type, int64_t value);
  /// One integer per lane.
  mlir::Value lanesConstant(mlir::Type element, llvm::ArrayRef<int64_t> values);
  mlir::Value zero(mlir::Type type) { return constant(type, 0.0); }
  static std::optional<int64_t> constantOf(mlir::Value value);

  //===--- Integers (i64 scalars unless said otherwise)
  //--------------------===//
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
  mlir::Value ge(mlir::Value a, mlir::Value b) { return le(b, a); }
  mlir::Value le(mlir::Value a, mlir::Value b);
  mlir::Value eq(mlir::Value a, mlir::Value b);
  mlir::Value both(mlir::Value a, mlir::Value b);
  /// Sign extension, truncation or nothing, lane by lane.
  mlir::Value intCast(mlir::Value value, mlir::Type element);

  //===--- Floats ---------------------------------------------------------===//
  mlir::Value addF(mlir::Value a, mlir::Value b);
  mlir::Value subF(mlir::Value a, mlir::Value b);
  mlir::Value mulF(mlir::Value a, mlir::Value b);
  mlir::Value divF(mlir::Value a, mlir::Value b);
  mlir::Value negF(mlir::Value a);
  mlir::Value absF(mlir::Value a);
  mlir::Value sqrtF(mlir::Value a);
  mlir::Value roundF(mlir::Value a); ///< Nearest, ties to even.
  mlir::Value floorF(mlir::Value a);
  /// a * b + c: fused where the target fuses, else two roundings; never a call.
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c);
  /// a > b ? a : b, one instruction; `b` where either is NaN.
  mlir::Value maxF(mlir::Value a, mlir::Value b);
  /// a < b ? a : b, one instruction; `b` where either is NaN.
  mlir::Value minF(mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  mlir::Value bitcast(mlir::Value value, mlir::Type type);

  //===--- Vectors --------------------------------------------------------===//
  /// A scalar in all lanes; a vector of `lanes` as it is.
  mlir::Value broadcast(mlir::Value scalar, unsigned lanes);
  mlir::Value extract(mlir::Value vector, unsigned lane);
  mlir::Value insert(mlir::Value scalar, mlir::Value vector, unsigned lane);
  /// Lanes [first, first + count).
  mlir::Value slice(mlir::Value vector, unsigned first, unsigned count);
  mlir::Value shuffle(mlir::Value a, mlir::Value b,
                      llvm::ArrayRef<int64_t> lanes);
  /// Sum and maximum of all lanes by halving, so the order is fixed.
  mlir::Value horizontalSum(mlir::Value vector);
  mlir::Value horizontalMax(mlir::Value vector);
  /// i1 lanes, true for lane < count (i64).
  mlir::Value laneMask(unsigned lanes, mlir::Value count);

  //===--- Memory ---------------------------------------------------------===//
  /// Address of element `index` of an array of `element` at `base`.
  mlir::Value gep(mlir::Type element, mlir::Value base, mlir::Value index);
  /// `alignment` in bytes; 0: that of one element, which every tensor has.
  mlir::Value load(mlir::Type type, mlir::Value address,
                   unsigned alignment = 0);
  void store(mlir::Value value, mlir::Value address, unsigned alignment = 0);
  /// Only lanes in `mask` touch memory; others read as 0.
  mlir::Value maskedLoad(mlir::Type type, mlir::Value address,
                         mlir::Value mask);
  void maskedStore(mlir::Value value, mlir::Value address, mlir::Value mask);
  void prefetch(mlir::Value address, bool forWrite);

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

} // namespace sinter::cpu

#endif // SINTER_CONVERSION_FUSEDTOCPU_KERNELBUILDER_H
