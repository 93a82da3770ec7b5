//===- RecurrenceStacks.cpp - Matrices of a recurrence --------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrenceStacks.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cuda;
using llvm::formatv;

AffineMap cuda::mapIn(ArrayAttr maps, size_t number) {
  return cast<AffineMapAttr>(maps[number]).getValue();
}

bool cuda::isWholeStack(const StackPlan &stack) {
  return stack.stack.rows % 4 == 0;
}

std::string cuda::unitsAddress(UnitsPlace place) {
  StringRef base = place.kind == UnitsPlace::Projection ? "projections"
                   : place.kind == UnitsPlace::State    ? "states"
                                                        : "results";
  return formatv("row.{0} + {1}", base, place.offset);
}

bool StackPrinter::isWideVector(size_t number) {
  auto isVector = [&](Value units) {
    auto place = plan.places.find(units);
    return place != plan.places.end() &&
           place->second.kind == UnitsPlace::Input &&
           place->second.offset == int64_t(number);
  };
  bool isFactor = false;
  for (PhasePlan &phase : plan.phases) {
    if (!phase.op.getReductions().empty() &&
        llvm::any_of(phase.op.getVectors(), isVector))
      return false;
    for (const StackPlan &stack : phase.stacks) {
      if (!isVector(stack.factor))
        continue;
      if (!isWholeStack(stack))
        return false;
      isFactor = true;
    }
  }
  return isFactor && spec.isWide(plan.op.getVectors()[number],
                                 mapIn(plan.op.getVectorMaps(), number), DimU);
}

FactorText StackPrinter::factors(const StackPlan &stack) {
  auto ofAccess = [&](const std::string &name, unsigned along, Value operand,
                      AffineMap map) -> FactorText {
    // What the template may read as four.
    bool mayBeWide = isWholeStack(stack) && spec.isWide(operand, map, along);
    return {formatv("Point p = row.p;\np[{0}] = k;\nreturn readDepth<{1}, "
                    "Wide, is_whole>(row.args(), p, depth - k);",
                    along, name),
            mayBeWide ? name + "::aligned(args)" : "false"};
  };
  if (!stack.factor)
    return ofAccess("Input", DimK, plan.op.getInput(), *plan.op.getInputMap());
  UnitsPlace place = plan.places.lookup(stack.factor);
  if (place.kind == UnitsPlace::Input)
    return ofAccess(formatv("vector{0}", place.offset), DimU,
                    plan.op.getVectors()[place.offset],
                    mapIn(plan.op.getVectorMaps(), place.offset));
  return {formatv("return readDepth<Wide, is_whole>({0} + k, depth - k);",
                  unitsAddress(place)),
          "is_whole"};
}

/// Prints the matrices' accesses; returns the list of their names.
std::string StackPrinter::printMatrices(const StackPlan &stack,
                                        const std::string &name) {
  MLIRContext *context = stack.matrix.getContext();
  bool isStack = cast<ShapedType>(stack.matrix.getType()).getRank() == 3;
  SmallVector<std::string> matrices;
  for (int64_t gate = 0; gate < stack.stack.count; ++gate) {
    SmallVector<AffineExpr> indices = {getAffineDimExpr(DimK, context),
                                       getAffineDimExpr(DimU, context)};
    if (isStack)
      indices.insert(indices.begin(), getAffineConstantExpr(gate, context));
    AffineMap map = AffineMap::get(4, 0, indices, context);
    matrices.push_back(formatv("{0}_matrix{1}", name, gate));
    spec.access(matrices.back(), stack.matrix, map, DimU,
                spec.isWide(stack.matrix, map, DimU));
  }
  return llvm::join(matrices, ", ");
}

std::string StackPrinter::print(const Twine &prefix,
                                ArrayRef<StackPlan> stacks) {
  SmallVector<std::string> names;
  for (auto [i, stack] : llvm::enumerate(stacks)) {
    names.push_back((prefix + "_stack" + Twine(i)).str());
    std::string matrices = printMatrices(stack, names.back());
    FactorText factor = factors(stack);
    spec.member(formatv(R"(struct {0} {{
static constexpr int gates = {1};
static constexpr i64 depth = {2}, units = {3}, spacing = {4}, first = {5};
static constexpr bool is_whole = {9};
using Matrices = TypeList<{6}>;
SINTER_DEVICE static bool aligned(const Arguments &args) {{
return {8};
}
template <bool Wide, class Row>
SINTER_DEVICE static Pack<float, 4> factors(const Row &row, i64 k) {{
{7}
}
};)",
                        names.back(), stack.stack.count, stack.stack.rows,
                        stack.stack.columns,
                        RecurrencePlan::padded(stack.stack.columns),
                        stack.first, matrices, factor.body, factor.aligned,
                        isWholeStack(stack))
                    .str());
  }
  return "TypeList<" + llvm::join(names, ", ") + ">";
}
