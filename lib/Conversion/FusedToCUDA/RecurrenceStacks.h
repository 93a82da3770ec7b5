//===- RecurrenceStacks.h - Matrices of a recurrence ------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_FUSEDTOCUDA_RECURRENCESTACKS_H
#define SINTER_LIB_CONVERSION_FUSEDTOCUDA_RECURRENCESTACKS_H

#include "RecurrencePlan.h"
#include "SpecPrinter.h"

namespace sinter::cuda {

/// What a stack's struct says of its factors.
struct FactorText {
  std::string body, aligned;
};

/// Prints the stacks that device/recurrence.cuh asks of a Spec.
class StackPrinter {
public:
  StackPrinter(SpecPrinter &spec, RecurrencePlan &plan)
      : spec(spec), plan(plan) {}

  /// Prints stacks `<prefix>_stack<i>`; returns the list of their names.
  std::string print(const llvm::Twine &prefix,
                    llvm::ArrayRef<StackPlan> stacks);
  /// Whether loops read a vector as factors alone, four at a time.
  bool isWideVector(size_t number);

private:
  std::string printMatrices(const StackPlan &stack, const std::string &name);
  FactorText factors(const StackPlan &stack);

  SpecPrinter &spec;
  RecurrencePlan &plan;
};

mlir::AffineMap mapIn(mlir::ArrayAttr maps, size_t number);
/// Whether the rows of the matrices are a multiple of four.
bool isWholeStack(const StackPlan &stack);
/// The text of the address of units in scratch memory of the row `row`.
std::string unitsAddress(UnitsPlace place);

} // namespace sinter::cuda

#endif // SINTER_LIB_CONVERSION_FUSEDTOCUDA_RECURRENCESTACKS_H
