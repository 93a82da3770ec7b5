//===- RecurrencePlan.cpp - Launches of a recurrence ----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrencePlan.h"

#include "llvm/ADT/bit.h"

#include <algorithm>

using namespace mlir;
using namespace sinter;
using namespace sinter::cuda;

/// Bytes of projections that a batch row holds at most, and steps.
static constexpr int64_t projectionBytes = 512 << 10, mostSteps = 64;
/// More steps than a call can have.
static constexpr int64_t allSteps = int64_t(1) << 31;
/// Batch rows of a block: with more, fewer gates fit the registers.
static constexpr int64_t mostRows = 4;

void RecurrencePlan::planProjections() {
  int64_t first = 0;
  for (Value weight : op.getWeights()) {
    fused::MatrixStack stack = *fused::getMatrixStack(weight.getType());
    projections.push_back({Value(), weight, stack, first});
    first += stack.count * padded(stack.columns);
  }
}

void RecurrencePlan::planPhases() {
  for (fused::PhaseOp phase : getPhases()) {
    PhasePlan plan{phase, unitsOf(phase.getResult(0)), 0, {}};
    for (auto [factor, matrix] :
         llvm::zip_equal(phase.getFactors(), phase.getMatrices())) {
      fused::MatrixStack stack = *fused::getMatrixStack(matrix.getType());
      plan.stacks.push_back({factor, matrix, stack, plan.products});
      plan.products += stack.count;
    }
    if (!phase.getReductions().empty())
      productStride =
          std::max(productStride, plan.products * padded(plan.units));
    phases.push_back(std::move(plan));
  }
}

void RecurrencePlan::planLaunches() {
  for (auto [number, plan] : llvm::enumerate(phases)) {
    unsigned phase = number;
    bool reduces = !plan.op.getReductions().empty();
    if (plan.products != 0)
      launches.push_back({reduces ? LaunchKind::Products : LaunchKind::Panels,
                          phase, plan.units});
    if (reduces)
      launches.push_back({LaunchKind::Reduce, phase, plan.units});
    else if (plan.products == 0)
      launches.push_back({LaunchKind::Elements, phase, plan.units});
  }
  int64_t units = 0;
  for (Value argument : passedArguments())
    units = std::max(units, unitsOf(argument));
  // A step that does nothing at all is a launch too.
  if (units != 0 || launches.empty())
    launches.push_back({LaunchKind::Elements,
                        static_cast<unsigned>(phases.size()),
                        std::max<int64_t>(1, units)});
}

FailureOr<RecurrencePlan> RecurrencePlan::get(fused::RecurrenceOp op,
                                              host::KernelFunctions &host) {
  if (failed(checkRecurrenceTypes(op, "is not supported on a GPU")))
    return failure();
  RecurrencePlan plan(op);
  plan.planProjections();
  plan.planPhases();
  plan.planLaunches();
  int64_t batch = host.staticExtent(DimB), steps = host.staticExtent(DimT);
  plan.rows = ShapedType::isDynamic(batch)
                  ? mostRows
                  : std::min<int64_t>(
                        mostRows,
                        llvm::bit_ceil(uint64_t(std::max<int64_t>(1, batch))));
  plan.chunk = allSteps;
  if (plan.projectionStride != 0) {
    plan.chunk = std::clamp<int64_t>(
        projectionBytes / (4 * plan.projectionStride), 1, mostSteps);
    if (!ShapedType::isDynamic(steps))
      plan.chunk = std::clamp<int64_t>(steps, 1, plan.chunk);
  }
  return plan;
}

bool RecurrencePlan::readsScratchWide() const {
  bool any = false;
  for (const PhasePlan &phase : phases) {
    // A block of reductions reads a number of each product per thread.
    fused::PhaseOp op = phase.op;
    if (!op.getReductions().empty())
      return false;
    for (const StackPlan &stack : phase.stacks) {
      if (places.lookup(stack.factor).kind == UnitsPlace::Input)
        continue;
      if (stack.stack.rows % 4 != 0)
        return false;
      any = true;
    }
  }
  return any;
}

int64_t RecurrencePlan::sharedBytes() const {
  auto partials = [&](int64_t gates) {
    return threads / 32 * rows * std::min(gates, gatesAtOnce()) * 16;
  };
  int64_t floats = threads / 32;
  for (const StackPlan &stack : projections)
    floats = std::max(floats, partials(stack.stack.count));
  for (const PhasePlan &phase : phases)
    for (const StackPlan &stack : phase.stacks)
      floats = std::max(floats, phase.products * rows * 16 +
                                    partials(stack.stack.count));
  return 4 * floats;
}
