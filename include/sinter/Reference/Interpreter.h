//===- Interpreter.h - Entries in double precision -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs an entry of a module op by op. Inputs and weights are rounded to their
// type first; everything between is double. The module is one that
// --sinter-expand-entries has made: functions of straight-line code over states
// without scope; named forms (causal, gated_ffn) may be expanded or not.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_REFERENCE_INTERPRETER_H
#define SINTER_REFERENCE_INTERPRETER_H

#include "sinter/Reference/Noise.h"
#include "sinter/Reference/Session.h"
#include "llvm/ADT/StringMap.h"
#include <functional>
#include <memory>

namespace sinter {

/// Gives the tensor `name` of archive `file` (empty: the module's
/// `sinter.archive`) with that type, or emits an error at the location.
using WeightSource = std::function<mlir::FailureOr<Tensor>(
    llvm::StringRef name, llvm::StringRef file, mlir::RankedTensorType type,
    mlir::Location location)>;

/// Which elements of a tensor are specified: past a row's length anything may
/// stand, and rows of length 0 are not written.
struct Validity {
  RowValues lengths;    ///< per row; empty: every element is specified
  bool hasTime = false; ///< dimension 1 is time, else a row is whole or nothing

  bool contains(llvm::ArrayRef<int64_t> indices) const;
};

/// A value that the interpreter has computed.
struct ReferenceValue {
  std::string name; ///< sinter.name of an entry's result, else empty
  Tensor tensor;
  Validity validity;
};

/// Called after each op with its results, in order.
using OpHook = std::function<void(mlir::Operation *,
                                  llvm::ArrayRef<ReferenceValue> results)>;

class Interpreter {
public:
  /// `module` must outlive the interpreter. Weights are asked for once.
  Interpreter(mlir::ModuleOp module, WeightSource weights);
  ~Interpreter();

  void setHook(OpHook hook);

  /// Makes runs err as ops of the compiled program may; null: exact runs.
  void setNoise(Noise *noise);

  /// Runs the public function `entry` with inputs by their sinter.name; an
  /// argument that a lengths(...) clause names may be missing. The session is
  /// changed only on success. Errors, at the op or the argument: a missing or
  /// misshapen input, an index input outside of its table, a full cache, an op
  /// that the reference does not know.
  mlir::FailureOr<std::vector<ReferenceValue>>
  run(llvm::StringRef entry, const llvm::StringMap<Tensor> &inputs,
      Session &session);

private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation;
};

} // namespace sinter

#endif // SINTER_REFERENCE_INTERPRETER_H
