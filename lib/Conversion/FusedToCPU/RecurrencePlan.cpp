//===- RecurrencePlan.cpp - What a recurrence keeps where -----------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrencePlan.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

/// Bytes of projections that a task holds, half a usual L2.
static constexpr int64_t projectionBytes = 512 << 10;

//===----------------------------------------------------------------------===//
// What is lowered
//===----------------------------------------------------------------------===//

/// 16 columns side by side, those of all matrices of a stack as neighbours.
static bool isPanels(Type type) {
  fused::LayoutAttr layout = fused::getLayout(type);
  if (!layout)
    return false;
  MLIRContext *context = type.getContext();
  unsigned rank = cast<ShapedType>(type).getRank();
  AffineExpr n = getAffineDimExpr(rank - 1, context);
  SmallVector<AffineExpr> physical = {n.floorDiv(16),
                                      getAffineDimExpr(rank - 2, context)};
  if (rank == 3)
    physical.push_back(getAffineDimExpr(0, context));
  physical.push_back(n % 16);
  return layout.getMap() == AffineMap::get(rank, 0, physical, context);
}

static constexpr StringRef consequence = "is not lowered yet";

static InFlightDiagnostic refuse(Operation *op, StringRef what) {
  return op->emitError("recurrence with ") << what << " " << consequence;
}

static LogicalResult checkLayouts(fused::RecurrenceOp op) {
  SmallVector<Value> matrices = llvm::to_vector(op.getWeights());
  for (auto phase : op.getBody().front().getOps<fused::PhaseOp>())
    llvm::append_range(matrices, phase.getMatrices());
  for (Value matrix : matrices)
    if (!isPanels(matrix.getType()))
      return refuse(op, "a matrix that does not lie in panels of 16 columns");
  if (op.getInput() && (fused::getLayout(op.getInput().getType()) ||
                        op.getInputMap()->getResults().back() !=
                            getAffineDimExpr(DimK, op.getContext())))
    return refuse(op, "an input whose last index is not 'k'");
  return success();
}

/// A product reads the numbers of an input one after the other.
static LogicalResult checkFactors(const RecurrencePlan &plan) {
  fused::RecurrenceOp op = plan.op;
  for (const PhasePlan &phase : plan.phases)
    for (const ProductPlan &product : phase.products) {
      UnitsPlace place = plan.places.lookup(product.factor);
      if (place.kind != UnitsPlace::Input)
        continue;
      AffineMap map =
          cast<AffineMapAttr>(op.getVectorMaps()[place.offset]).getValue();
      bool isLastAlone =
          llvm::none_of(map.getResults().drop_back(), [](AffineExpr expr) {
            return expr.isFunctionOfDim(DimU);
          });
      if (!isLastAlone ||
          fused::getLayout(op.getVectors()[place.offset].getType()))
        return refuse(phase.op, "a product of a 'vectors' input whose units "
                                "are not neighbours in memory");
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

/// Batch rows that share each load of weights. More rows take fewer gates at a
/// time, so 8 only where they are all there.
static unsigned rowsFor(const TargetInfo &target, int64_t batch) {
  unsigned rows = target.lanes >= 8 ? 4 : 2;
  if (ShapedType::isDynamic(batch))
    return rows;
  if (batch >= 8 && target.lanes == 16)
    return 8;
  return std::min<int64_t>(rows, std::max<int64_t>(1, batch));
}

/// Rows at distances of a power of two would lie in one set of the cache.
static int64_t oddStride(int64_t numbers) {
  return numbers != 0 && numbers % 32 == 0 ? numbers + 16 : numbers;
}

void RecurrencePlan::planWeights() {
  int64_t offset = 0;
  for (Value weight : op.getWeights()) {
    fused::MatrixStack stack = *fused::getMatrixStack(weight.getType());
    weights.push_back(stack);
    weightOffsets.push_back(offset);
    offset += stack.count * padded(stack.columns);
  }
}

void RecurrencePlan::planPhases() {
  unsigned matrices = 0, captures = 0;
  for (fused::PhaseOp phase : getPhases()) {
    PhasePlan plan{phase, unitsOf(phase.getResult(0)), {}, captures};
    captures += phase.getCaptures().size();
    for (auto [factor, matrix] :
         llvm::zip_equal(phase.getFactors(), phase.getMatrices())) {
      fused::MatrixStack stack = *fused::getMatrixStack(matrix.getType());
      for (int64_t gate = 0; gate < stack.count; ++gate)
        plan.products.push_back({factor, matrices, gate, stack});
      ++matrices;
    }
    int64_t numbers =
        static_cast<int64_t>(plan.products.size()) * plan.productSpacing();
    productStride = std::max(productStride, numbers);
    phases.push_back(std::move(plan));
  }
}

FailureOr<RecurrencePlan> RecurrencePlan::get(fused::RecurrenceOp op,
                                              KernelLowering &lowering) {
  if (failed(checkLayouts(op)) || failed(checkRecurrenceTypes(op, consequence)))
    return failure();
  RecurrencePlan plan(op);
  plan.planWeights();
  plan.planPhases();
  if (failed(checkFactors(plan)))
    return failure();
  for (int64_t *stride : {&plan.projectionStride, &plan.stateStride,
                          &plan.resultStride, &plan.productStride})
    *stride = oddStride(*stride);
  plan.rows = rowsFor(lowering.target, lowering.staticExtent(DimB));
  int64_t stepBytes =
      std::max<int64_t>(1, plan.rows * plan.projectionStride * 4);
  plan.chunk = std::clamp<int64_t>(projectionBytes / stepBytes, 18, 256);
  // Whole tiles of 6 rows.
  plan.chunk = plan.chunk / 6 * 6;
  return plan;
}

int64_t RecurrencePlan::scratchBytes() const {
  int64_t perRow = 2 * stateStride + resultStride + productStride;
  return (projectionRows() * projectionStride + rows * perRow) *
         static_cast<int64_t>(sizeof(float));
}
