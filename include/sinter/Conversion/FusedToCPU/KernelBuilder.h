//===- KernelBuilder.h - Writes kernel code ---------------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernel code is what HostBuilder writes and native 1-D vectors
// (docs/adr/0002-kernel-memory-access.md).
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_CONVERSION_FUSEDTOCPU_KERNELBUILDER_H
#define SINTER_CONVERSION_FUSEDTOCPU_KERNELBUILDER_H

#include "sinter/Conversion/FusedToHost/HostBuilder.h"
#include "sinter/Support/TargetInfo.h"

namespace sinter::cpu {

/// Adds floats and vectors for a CPU. Helpers on numbers take scalars and
/// vectors alike; both operands have the same type.
class KernelBuilder : public host::HostBuilder {
public:
  KernelBuilder(mlir::Location loc, mlir::OpBuilder &builder,
                const TargetInfo &target)
      : HostBuilder(loc, builder), target(target) {}

  const TargetInfo &target;

  //===--- Types ----------------------------------------------------------===//
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
  /// A number of a scalar or vector type, float or integer, in all lanes.
  mlir::Value constant(mlir::Type type, double value);
  mlir::Value constantInt(mlir::Type type, int64_t value);
  /// One integer per lane.
  mlir::Value lanesConstant(mlir::Type element, llvm::ArrayRef<int64_t> values);
  mlir::Value zero(mlir::Type type) { return constant(type, 0.0); }

  //===--- Integers -------------------------------------------------------===//
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

  //===--- Control --------------------------------------------------------===//
  /// Calls `body` for vectors of `lanes` points of [0, extent), `unroll` of
  /// them in one turn of the loop. Of the last vector, `active` points exist;
  /// null: all do.
  void forVectors(
      mlir::Value extent, unsigned lanes,
      llvm::function_ref<void(mlir::Value first, mlir::Value active)> body,
      int64_t unroll = 1);

  //===--- Memory ---------------------------------------------------------===//
  /// Only lanes in `mask` touch memory; others read as 0.
  mlir::Value maskedLoad(mlir::Type type, mlir::Value address,
                         mlir::Value mask);
  void maskedStore(mlir::Value value, mlir::Value address, mlir::Value mask);
  void prefetch(mlir::Value address, bool forWrite);
};

} // namespace sinter::cpu

#endif // SINTER_CONVERSION_FUSEDTOCPU_KERNELBUILDER_H
