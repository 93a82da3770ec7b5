//===- Recurrence.cpp - fused.recurrence on a GPU -------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints what device/recurrence.cuh asks of a Spec.
//
//===----------------------------------------------------------------------===//

#include "RecurrenceStacks.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cuda;
using llvm::formatv;

namespace {
class RecurrencePrinter {
public:
  RecurrencePrinter(SpecPrinter &spec, RecurrencePlan &plan)
      : spec(spec), plan(plan), op(plan.op), stacks(spec, plan) {}
  LogicalResult print();

private:
  void printConstants();
  void printOperands();
  void printStates();
  void printScratch();
  LogicalResult printPhase(unsigned number);
  LogicalResult printRegion(const std::string &name, unsigned phase,
                            Block &block, unsigned reductions);
  std::string call(const std::string &name, unsigned phase,
                   unsigned reductions);
  std::string reductions(unsigned number);
  void printArguments();
  void printLaunches();
  std::string read(Value units, const std::string &at);
  std::string store(Value units, const std::string &value);
  std::string keep(Value units);

  SpecPrinter &spec;
  RecurrencePlan &plan;
  fused::RecurrenceOp op;
  StackPrinter stacks;
};
} // namespace

//===----------------------------------------------------------------------===//
// Operands and scratch
//===----------------------------------------------------------------------===//

void RecurrencePrinter::printConstants() {
  spec.setTemplate("recurrence");
  spec.setThreads(RecurrencePlan::threads, /*blocksPerSM=*/1);
  spec.setShared(plan.sharedBytes());
  spec.constant("rows", plan.rows);
  spec.constant("chunk", plan.chunk);
  spec.constant("has_prologue", plan.hasPrologue());
  spec.constant("projection_stride", plan.projectionStride);
  spec.constant("state_stride", plan.stateStride);
  spec.constant("result_stride", plan.resultStride);
  spec.constant("product_stride", plan.productStride);
  spec.constant("is_reversed", op.getReverse());
}

/// Where a thread has one unit, these are accessed one number at a time: along
/// a dimension on which they do not depend.
void RecurrencePrinter::printOperands() {
  if (op.getLengths())
    spec.access("Lengths", op.getLengths(), *op.getLengthsMap(), DimK);
  spec.function("i64", "length",
                op.getLengths() ? "loadOne<Lengths>(args, p)"
                                : "extents(args)[1]");
  if (op.getInput())
    spec.access("Input", op.getInput(), *op.getInputMap(), DimK,
                llvm::all_of(plan.projections, isWholeStack) &&
                    spec.isWide(op.getInput(), *op.getInputMap(), DimK));
  for (auto [i, vector] : llvm::enumerate(op.getVectors()))
    spec.access(formatv("vector{0}", i).str(), vector,
                mapIn(op.getVectorMaps(), i), DimU, stacks.isWideVector(i));
  for (auto [i, out] : llvm::enumerate(op.getOuts()))
    spec.access(formatv("out{0}", i).str(), out, mapIn(op.getOutMaps(), i),
                DimK);
}

void RecurrencePrinter::printStates() {
  SmallVector<std::string> names;
  size_t outputs = op.getOuts().size() - op.getStates().size();
  for (auto [i, argument] : llvm::enumerate(plan.stateArguments())) {
    std::string initial = formatv("initial{0}", i);
    spec.access(initial, op.getStates()[i], mapIn(op.getStateMaps(), i), DimK);
    names.push_back(formatv("State{0}", i));
    spec.member(formatv(R"(struct {0} {{
static constexpr i64 units = {1}, offset = {2};
using Initial = {3};
using Final = out{4};
};)",
                        names.back(), RecurrencePlan::unitsOf(argument),
                        plan.places.at(argument).offset, initial, outputs + i)
                    .str());
  }
  spec.alias("States", "TypeList<" + llvm::join(names, ", ") + ">");
}

/// So many bytes per batch row.
void RecurrencePrinter::printScratch() {
  int64_t bytes = plan.scratchBytes();
  if (bytes == 0)
    return;
  MLIRContext *context = op.getContext();
  int64_t batch = spec.host.staticExtent(DimB);
  AffineExpr rows = getAffineConstantExpr(batch, context);
  if (ShapedType::isDynamic(batch)) {
    auto [operand, index] =
        cast<fused::SkeletonInterface>(op.getOperation()).getExtentSource(DimB);
    auto type = cast<MemRefType>(operand.getType());
    int64_t slot = spec.host.slot(operand) + 1 +
                   llvm::count_if(type.getShape().take_front(index),
                                  ShapedType::isDynamic);
    rows = getAffineSymbolExpr(slot, context);
  }
  spec.setScratch(AffineMap::get(0, spec.host.slots(), rows * bytes, context));
  if (plan.readsScratchWide())
    spec.setWideScratch();
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

/// The number of unit `at` in the row `row`.
std::string RecurrencePrinter::read(Value units, const std::string &at) {
  UnitsPlace place = plan.places.lookup(units);
  if (place.kind == UnitsPlace::Input)
    return formatv("loadOne<vector{0}>(row.args(), row.at({1}))", place.offset,
                   at);
  return formatv("loadGlobal({0} + {1})", unitsAddress(place), at);
}

/// The next state, and the final one.
static std::string storeState(int64_t offset, size_t out,
                              const std::string &value) {
  return formatv("storeGlobal(row.nextStates + {0} + u, {2});\n"
                 "if (row.isLast)\nstoreOne<out{1}>(row.args(), p, {2});\n",
                 offset, out, value);
}

/// Statements that put units, just made, wherever they are needed.
std::string RecurrencePrinter::store(Value units, const std::string &value) {
  std::string text;
  auto place = plan.places.find(units);
  if (place != plan.places.end() && place->second.kind == UnitsPlace::Result)
    text += formatv("storeGlobal(row.results + {0} + u, {1});\n",
                    place->second.offset, value);
  size_t outputs = plan.step.getOutputs().size();
  for (auto [i, state, next] :
       llvm::enumerate(plan.stateArguments(), plan.step.getStates()))
    if (next == units)
      text += storeState(plan.places.at(state).offset, outputs + i, value);
  for (auto [i, output] : llvm::enumerate(plan.step.getOutputs()))
    if (output == units)
      text += formatv("storeOne<out{0}>(row.args(), p, {1});\n", i, value);
  return text;
}

/// The same past the row's length.
std::string RecurrencePrinter::keep(Value units) {
  std::string text;
  size_t outputs = plan.step.getOutputs().size();
  for (auto [i, state, next] :
       llvm::enumerate(plan.stateArguments(), plan.step.getStates()))
    if (next == units)
      text += "{\nconst float kept = " + read(state, "u") + ";\n" +
              storeState(plan.places.at(state).offset, outputs + i, "kept") +
              "}\n";
  for (auto [i, output] : llvm::enumerate(plan.step.getOutputs()))
    if (output == units)
      text += formatv("storeOne<out{0}>(row.args(), p, 0.0f);\n", i);
  return text;
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

LogicalResult RecurrencePrinter::printRegion(const std::string &name,
                                             unsigned phase, Block &block,
                                             unsigned reductions) {
  const PhasePlan &of = plan.phases[phase];
  fused::PhaseOp phaseOp = of.op;
  PointFunction function;
  function.name = name;
  function.block = &block;
  function.bindings.assign(of.products + phaseOp.getVectors().size() +
                               reductions,
                           RegionBinding::given());
  for (auto [capture, map] :
       llvm::zip_equal(phaseOp.getCaptures(), phaseOp.getCaptureMaps()))
    function.bindings.push_back(
        RegionBinding::read(capture, fused::getOptionalMap(map)));
  return spec.pointFunction(function);
}

/// A call of a region at unit `u` of `row`.
std::string RecurrencePrinter::call(const std::string &name, unsigned phase,
                                    unsigned reductions) {
  const PhasePlan &of = plan.phases[phase];
  fused::PhaseOp phaseOp = of.op;
  std::string text = name + "(row.args(), row.status, row.at(u)";
  for (int64_t i = 0; i < of.products; ++i)
    text += formatv(", products[{0}]", i);
  for (Value units : phaseOp.getVectors())
    text += ", " + read(units, "u");
  for (unsigned i = 0; i < reductions; ++i)
    text += formatv(", reductions[{0}]", i);
  return text + ")";
}

/// Members reduce, start and combine of a phase.
std::string RecurrencePrinter::reductions(unsigned number) {
  std::string text;
  fused::PhaseOp phase = plan.phases[number].op;
  for (auto [i, kind] : llvm::enumerate(phase.getReductions())) {
    bool isSum =
        cast<fused::ReductionAttr>(kind).getValue() == fused::Reduction::sum;
    text += formatv(
        R"(template <class Row, class Products, class Reductions>
SINTER_DEVICE static float reduce(Number<{0}>, const Row &row, i64 u, const Products &products, const Reductions &reductions) {{
return {1};
}
SINTER_DEVICE static float start(Number<{0}>) {{
return {2};
}
SINTER_DEVICE static float combine(Number<{0}>, float a, float b) {{
return {3};
}
)",
        i, call(formatv("phase{0}_reduce{1}", number, i), number, i),
        isSum ? "0.0f" : "bitCast<float>(0xff800000u)",
        isSum ? "a + b" : "b > a ? b : a");
  }
  return text;
}

/// The text of a phase's struct, its members beside reductions given.
static std::string phaseText(const std::string &name, int64_t units,
                             int64_t products, size_t reductions,
                             const std::string &members, const std::string &map,
                             const std::string &idle) {
  return formatv(R"(struct {0} {{
static constexpr int products = {2}, reductions = {3};
static constexpr i64 units = {1}, spacing = {4};
{5}template <class Row, class Products, class Reductions>
SINTER_DEVICE static void map(const Row &row, i64 u, const Products &products, const Reductions &reductions) {{
const Point p = row.at(u);
{6}}
template <class Row>
SINTER_DEVICE static void idle(const Row &row, i64 u) {{
const Point p = row.at(u);
{7}}
};)",
                 name, units, products, reductions,
                 RecurrencePlan::padded(units), members, map, idle);
}

LogicalResult RecurrencePrinter::printPhase(unsigned number) {
  PhasePlan &phase = plan.phases[number];
  std::string name = formatv("phase{0}", number);
  std::string list = stacks.print(name, phase.stacks);
  unsigned count = phase.op.getReductions().size();
  for (unsigned i = 0; i < count; ++i)
    if (failed(printRegion(formatv("{0}_reduce{1}", name, i), number,
                           phase.op.getReduces()[i].front(), i)))
      return failure();
  if (failed(
          printRegion(name + "_map", number, phase.op.getMap().front(), count)))
    return failure();
  std::string map =
      "const auto made = " + call(name + "_map", number, count) + ";\n";
  std::string idle;
  bool isOne = phase.op.getNumResults() == 1;
  for (auto [i, units] : llvm::enumerate(phase.op.getResults())) {
    map += store(units, isOne ? "made" : formatv("made.v{0}", i).str());
    idle += keep(units);
  }
  spec.member(phaseText(
      formatv("Phase{0}", number), phase.units, phase.products, count,
      "using Stacks = " + list + ";\n" + reductions(number), map, idle));
  return success();
}

/// What of the step's arguments it ends with, as one more phase.
void RecurrencePrinter::printArguments() {
  std::string map, idle;
  for (Value argument : plan.passedArguments()) {
    std::string head =
        formatv("if (u < {0}) {{\n", RecurrencePlan::unitsOf(argument));
    map += head + "const float value = " + read(argument, "u") + ";\n" +
           store(argument, "value") + "}\n";
    idle += head + keep(argument) + "}\n";
  }
  spec.member(phaseText(formatv("Phase{0}", plan.phases.size()),
                        plan.launches.back().units, 0, 0,
                        "using Stacks = TypeList<>;\n", map, idle));
}

void RecurrencePrinter::printLaunches() {
  static constexpr StringRef kinds[] = {"Elements", "Panels", "Products",
                                        "Reduce"};
  SmallVector<std::string> names;
  for (auto [i, launch] : llvm::enumerate(plan.launches)) {
    names.push_back(formatv("Launch{0}", i));
    spec.member(formatv("struct {0} {{\n"
                        "static constexpr PhaseKind kind = PhaseKind::{1};\n"
                        "using Phase = Phase{2};\n};",
                        names.back(), kinds[static_cast<int>(launch.kind)],
                        launch.phase)
                    .str());
  }
  spec.alias("Launches", "TypeList<" + llvm::join(names, ", ") + ">");
}

LogicalResult RecurrencePrinter::print() {
  printConstants();
  printOperands();
  printStates();
  std::string projections = stacks.print("project", plan.projections);
  spec.alias("Projections", projections);
  for (unsigned i = 0; i < plan.phases.size(); ++i)
    if (failed(printPhase(i)))
      return failure();
  if (plan.launches.back().phase == plan.phases.size())
    printArguments();
  printLaunches();
  printScratch();
  writeRecurrenceHost(spec.host, plan);
  return success();
}

LogicalResult cuda::printSkeleton(SpecPrinter &spec, fused::RecurrenceOp op) {
  FailureOr<RecurrencePlan> plan = RecurrencePlan::get(op, spec.host);
  if (failed(plan))
    return failure();
  return RecurrencePrinter(spec, *plan).print();
}
