//===- ReferenceModel.h - The reference with its tolerances -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_EXECUTION_REFERENCEMODEL_H
#define SINTER_EXECUTION_REFERENCEMODEL_H

#include "sinter/Execution/Expectation.h"

namespace sinter::execution {

/// One state of the session in each of the runs that a tolerance is made from.
struct ReferenceSession {
  Session exact;
  std::vector<Session> disturbed;
  /// Calls so far: errors of two calls are independent, else they could cancel
  /// where a value of one meets what the other left in the state.
  uint64_t calls = 0;
};

/// A value inside an entry.
struct OpExpectation {
  mlir::Operation *op = nullptr;
  Expectation value;
};

/// Runs entries exactly, and some more times with random errors of the size
/// that compiled code may make.
class ReferenceModel {
public:
  /// `module` is one that Interpreter accepts; it must outlive this.
  ReferenceModel(mlir::ModuleOp module, WeightSource weights);

  mlir::FailureOr<ReferenceSession>
  createSession(const llvm::StringMap<int64_t> &dims);

  /// What each result of an entry should be. With `values`, also what each
  /// float or integer tensor on the way should be, in order. The session is
  /// changed only on success.
  mlir::FailureOr<std::vector<Expectation>>
  run(llvm::StringRef entry, const llvm::StringMap<Tensor> &inputs,
      ReferenceSession &session, std::vector<OpExpectation> *values = nullptr);

private:
  mlir::ModuleOp module;
  Interpreter interpreter;
};

} // namespace sinter::execution

#endif // SINTER_EXECUTION_REFERENCEMODEL_H
