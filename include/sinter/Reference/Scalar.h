//===- Scalar.h - Evaluation of scalar code in double -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalar ops and regions of scalar ops: score, mask and sink of attention, cell
// maps, and the bodies of fused.map over weights. Every float op is computed in
// double, whatever its type says, and not rounded afterwards; integer ops are
// exact in their own width.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_REFERENCE_SCALAR_H
#define SINTER_REFERENCE_SCALAR_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Region.h"
#include "sinter/Reference/Noise.h"
#include "sinter/Reference/Tensor.h"
#include <memory>

namespace sinter {

/// Computes one scalar op. `operands` are the values of op's operands, or of
/// one element of each where op works on tensors; `resultType` is the type of
/// the result (of its element). nullopt: the result is undefined (an integer
/// division by 0).
using ScalarFunction =
    std::optional<ScalarValue> (*)(mlir::Operation *op, mlir::Type resultType,
                                   llvm::ArrayRef<ScalarValue> operands);

/// The function of an element-wise op, by its full name ("arith.addf"); null if
/// there is none. Covers arith, math, and the activations of sinter and fused.
ScalarFunction lookupScalarFunction(llvm::StringRef opName);

/// What a value of a region may be: a number, or a tensor to read from.
struct ScalarOrTensor {
  ScalarValue scalar;
  const Tensor *tensor = nullptr;

  ScalarOrTensor() = default;
  ScalarOrTensor(ScalarValue value) : scalar(value) {}
  ScalarOrTensor(const Tensor &value) : tensor(&value) {}
};

/// Gives the value of an SSA value defined outside of a region; nullopt if
/// unknown.
using OuterLookup =
    llvm::function_ref<std::optional<ScalarOrTensor>(mlir::Value)>;

class ScalarProgram;

/// A single-block region of scalar ops, prepared once and run many times.
/// Handles whatever lookupScalarFunction knows, arith.constant, tensor.dim,
/// reads (tensor.extract, fused.read; indices are clamped, a read from an empty
/// tensor gives 0) and calls of functions of that kind.
class RegionEvaluator {
public:
  /// Reads outside values through `outer`, now; tensors it returns must live as
  /// long as the evaluator. Emits a located error for an op it does not know.
  static llvm::FailureOr<RegionEvaluator> create(mlir::Region &region,
                                                 OuterLookup outer);
  RegionEvaluator(RegionEvaluator &&);
  RegionEvaluator &operator=(RegionEvaluator &&);
  ~RegionEvaluator();

  /// The operands of the terminator for these block arguments. Emits a located
  /// error where an op's result is undefined. With `noise`, each op errs.
  llvm::FailureOr<llvm::SmallVector<ScalarValue>>
  run(llvm::ArrayRef<ScalarOrTensor> arguments, Noise *noise = nullptr);

private:
  RegionEvaluator();
  std::unique_ptr<ScalarProgram> program;
};

/// Prepares `region` and runs it once.
llvm::FailureOr<llvm::SmallVector<ScalarValue>>
evaluateRegion(mlir::Region &region, llvm::ArrayRef<ScalarOrTensor> arguments,
               OuterLookup outer);

} // namespace sinter

#endif // SINTER_REFERENCE_SCALAR_H
