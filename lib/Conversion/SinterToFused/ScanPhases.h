//===- ScanPhases.h - Expressions of a step in phases -----------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_SINTERTOFUSED_SCANPHASES_H
#define SINTER_LIB_CONVERSION_SINTERTOFUSED_SCANPHASES_H

#include "ScanExpression.h"
#include "llvm/ADT/SetVector.h"

namespace sinter::scan {

using NodeSet = llvm::SetVector<Node *, llvm::SmallVector<Node *, 8>>;

/// What one phase computes, all over the same units: the expressions of
/// `results`, from products, units that are there before, elements of tensors
/// and reductions. Everything between is scalar code, made again wherever it is
/// needed.
struct Phase {
  int64_t level, units;
  NodeSet results, products, vectors, captures, reductions;
  /// Expressions that its code has looked at.
  llvm::SmallPtrSet<Node *, 16> visited;
};

/// Divides the expressions of a step into phases. A product is in the phase
/// after that of its factor. What a phase needs of an earlier one is kept as a
/// result there, at a place where one number is enough.
class PhasePlan {
public:
  explicit PhasePlan(const Expressions &expressions);

  /// In order of execution; none is empty.
  std::vector<Phase> phases;

private:
  std::optional<size_t> latestOpen() const;
  Phase &phaseAt(int64_t level, int64_t units);
  void addResult(Node *node);
  bool isResult(Node *node);
  bool isMadeAgain(Node *node);
  void visit(size_t phase, Node *node);

  /// Which phases are not visited yet.
  std::vector<bool> open;
};

} // namespace sinter::scan

#endif // SINTER_LIB_CONVERSION_SINTERTOFUSED_SCANPHASES_H
