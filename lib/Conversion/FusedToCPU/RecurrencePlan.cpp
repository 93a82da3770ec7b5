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

static InFlightDiagnostic refuse(Operation *op, const Twine &what) {
  return op->emitError("recurrence with ") << what << " is not lowered yet";
}

static LogicalResult checkOperands(fused::RecurrenceOp op) {
  SmallVector<Value> matrices = llvm::to_vector(op.getWeights());
  for (auto phase : op.getBody().front().getOps<fused::PhaseOp>())
    llvm::append_range(matrices, phase.getMatrices());
  for (Value matrix : matrices)
    if (!isPanels(matrix.getType()))
      return refuse(op, "a matrix that does not lie in panels of 16 columns");
  SmallVector<Value> floats = matrices;
  for (ValueRange range :
       {ValueRange(op.getVectors()), ValueRange(op.getStates()),
        ValueRange(op.getOuts())})
    llvm::append_range(floats, range);
  if (op.getInput())
    floats.push_back(op.getInput());
  for (Value operand : floats)
    if (!cast<ShapedType>(operand.getType()).getElementType().isF32())
      return refuse(op, "operands other than f32");
  if (op.getInput() && (fused::getLayout(op.getInput().getType()) ||
                        op.getInputMap()->getResults().back() !=
                            getAffineDimExpr(DimK, op.getContext())))
    return refuse(op, "an input whose last index is not 'k'");
  return success();
}

/// Scratch memory and sums hold f32.
static LogicalResult checkPhases(fused::RecurrenceOp op) {
  for (auto phase : op.getBody().front().getOps<fused::PhaseOp>()) {
    for (Type type : phase.getResultTypes())
      if (!cast<fused::UnitsType>(type).getElementType().isF32())
        return refuse(phase, "results of a phase other than f32");
    for (Region &reduce : phase.getReduces())
      if (!reduce.front().getTerminator()->getOperand(0).getType().isF32())
        return refuse(phase, "a reduction of other than f32");
  }
  return success();
}

/// A product reads the numbers of an input one after the other.
static LogicalResult checkFactors(fused::RecurrenceOp op,
                                  const RecurrencePlan &plan) {
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

void RecurrencePlan::placeArguments(fused::RecurrenceOp op) {
  ArrayRef<BlockArgument> arguments = op.getBody().front().getArguments();
  for (Value weight : op.getWeights()) {
    weights.push_back(*fused::getMatrixStack(weight.getType()));
    weightOffsets.push_back(projectionStride);
    for (int64_t gate = 0; gate < weights.back().count; ++gate) {
      places[arguments.front()] = {UnitsPlace::Projection, projectionStride};
      projectionStride += padded(unitsOf(arguments.front()));
      arguments = arguments.drop_front();
    }
  }
  for (int64_t input = 0; input < int64_t(op.getVectors().size()); ++input) {
    places[arguments.front()] = {UnitsPlace::Input, input};
    arguments = arguments.drop_front();
  }
  for (Value state : arguments) {
    places[state] = {UnitsPlace::State, stateStride};
    stateStride += padded(unitsOf(state));
  }
}

void RecurrencePlan::planPhases(fused::RecurrenceOp op) {
  unsigned matrices = 0, captures = 0;
  for (auto phase : op.getBody().front().getOps<fused::PhaseOp>()) {
    PhasePlan plan{phase, unitsOf(phase.getResult(0)), {}, captures};
    captures += phase.getCaptures().size();
    for (auto [factor, matrix] :
         llvm::zip_equal(phase.getFactors(), phase.getMatrices())) {
      fused::MatrixStack stack = *fused::getMatrixStack(matrix.getType());
      for (int64_t gate = 0; gate < stack.count; ++gate)
        plan.products.push_back({factor, matrices, gate, stack});
      ++matrices;
    }
    for (Value result : phase.getResults()) {
      if (!llvm::any_of(result.getUsers(), llvm::IsaPred<fused::PhaseOp>))
        continue;
      places[result] = {UnitsPlace::Result, resultStride};
      resultStride += padded(plan.units);
    }
    int64_t numbers =
        static_cast<int64_t>(plan.products.size()) * plan.productSpacing();
    productStride = std::max(productStride, numbers);
    phases.push_back(std::move(plan));
  }
}

FailureOr<RecurrencePlan> RecurrencePlan::get(fused::RecurrenceOp op,
                                              KernelLowering &lowering) {
  if (failed(checkOperands(op)) || failed(checkPhases(op)))
    return failure();
  RecurrencePlan plan;
  plan.step = cast<fused::StepOp>(op.getBody().front().getTerminator());
  plan.placeArguments(op);
  plan.planPhases(op);
  if (failed(checkFactors(op, plan)))
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
