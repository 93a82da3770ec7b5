//===- ScanToRecurrence.cpp - sinter.scan as one fused.recurrence ---------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The step becomes expressions (ScanExpression.h), these become phases
// (ScanPhases.h), and the phases are written here.
//
//===----------------------------------------------------------------------===//

#include "EntryLowering.h"
#include "Fusion.h"
#include "ScanPhases.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::scan;

namespace {

/// Matrices with one factor and as many units, which become one stack.
struct ProductStack {
  SmallVector<Node *> products;
  Value matrices;
};

/// Writes one scan.
class RecurrenceWriter {
public:
  RecurrenceWriter(EntryLowering &lowering, ScanOp scan,
                   const Expressions &expressions)
      : lowering(lowering), scan(scan), expressions(expressions),
        plan(expressions) {}

  SmallVector<Value> write();

private:
  AffineMap map(ArrayRef<unsigned> dims) {
    return selectMap(scan.getContext(), numDims, dims);
  }
  StoredMatrix matrixOf(const Matrix &matrix);
  Value copyWeight(Value weight, AffineMap from, RankedTensorType type);
  SmallVector<ProductStack> stack(ArrayRef<Node *> products);
  ProductStack stackOf(ArrayRef<Node *> products);
  void addInputs(fused::RecurrenceSpec &spec);
  void addSteps(fused::RecurrenceSpec &spec);
  void addStates(fused::RecurrenceSpec &spec);
  void addOuts(fused::RecurrenceSpec &spec);
  fused::StepValues writeStep(OpBuilder &builder, Location loc,
                              ValueRange args);
  void writePhase(OpBuilder &builder, Location loc, const Phase &phase);

  EntryLowering &lowering;
  ScanOp scan;
  const Expressions &expressions;
  PhasePlan plan;
  /// Stacks of the projections, and of each phase's products.
  SmallVector<ProductStack> projections;
  SmallVector<SmallVector<ProductStack>> products;
  SmallVector<Node *> steps;
  /// Units of an expression, where it is kept.
  DenseMap<Node *, Value> units;
  DenseMap<unsigned, Value> stateUnits;
  std::map<std::tuple<void *, sinter::scan::Range, sinter::scan::Range>, Value>
      weights;
};

/// Writes the scalar code of a region.
class RegionWriter {
public:
  RegionWriter(OpBuilder &builder, DenseMap<Node *, Value> arguments)
      : builder(builder), made(std::move(arguments)) {}

  Value write(Node *node) {
    if (Value value = made.lookup(node))
      return value;
    return made[node] = writeCode(node);
  }

  /// The code of the node itself, also where it is an argument.
  Value writeCode(Node *node) {
    SmallVector<Value> operands;
    for (Node *operand : node->operands)
      operands.push_back(write(operand));
    return node->code(builder, node->loc, operands);
  }

private:
  OpBuilder &builder;
  DenseMap<Node *, Value> made;
};

} // namespace

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// The matrix as it is stored; or in a weight of its own, cut to the inputs
/// that belong to the factor, or of a column that is repeated.
StoredMatrix RecurrenceWriter::matrixOf(const Matrix &matrix) {
  auto type = cast<RankedTensorType>(matrix.weight.getType());
  unsigned inputs = matrix.isInOut ? 0 : 1, columns = 1 - inputs;
  bool isRepeated = matrix.columns.isRepeated;
  StoredMatrix stored{matrix.weight, matrix.isInOut, matrix.columns.first};
  if (matrix.inputs.units == type.getDimSize(inputs) && !isRepeated)
    return stored;
  MLIRContext *context = scan.getContext();
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<AffineExpr> from = {getAffineDimExpr(0, context),
                                  getAffineDimExpr(1, context)};
  shape[inputs] = matrix.inputs.units;
  from[inputs] = from[inputs] + matrix.inputs.first;
  if (isRepeated) {
    shape[columns] = matrix.columns.units;
    from[columns] = getAffineConstantExpr(matrix.columns.first, context);
    stored.first = 0;
  }
  auto map = AffineMap::get(2, 0, from, context);
  Value &known =
      weights[{matrix.weight.getAsOpaquePointer(), matrix.inputs,
               isRepeated ? matrix.columns : sinter::scan::Range{0, 0}}];
  if (!known)
    known = copyWeight(matrix.weight, map, type.clone(shape));
  stored.weight = known;
  return stored;
}

Value RecurrenceWriter::copyWeight(Value weight, AffineMap from,
                                   RankedTensorType type) {
  fused::MapSpec spec;
  spec.space = {{"n", "k"}, SmallVector<int64_t>(type.getShape())};
  spec.inputs.push_back({weight, from});
  spec.destinations.add(tensor::EmptyOp::create(lowering.builder, scan.getLoc(),
                                                type, ValueRange()),
                        identityMap(scan.getContext(), 2));
  spec.body = [](OpBuilder &, Location, ValueRange args) {
    return SmallVector<Value>{args[0]};
  };
  return fused::buildMap(lowering.builder, weight.getLoc(), spec).getResult(0);
}

/// One stack per factor and number of units.
SmallVector<ProductStack> RecurrenceWriter::stack(ArrayRef<Node *> products) {
  llvm::MapVector<std::pair<Node *, int64_t>, SmallVector<Node *>> groups;
  for (Node *product : products)
    groups[{product->factor, product->units}].push_back(product);
  SmallVector<ProductStack> stacks;
  for (auto &[key, group] : groups)
    stacks.push_back(stackOf(group));
  return stacks;
}

/// Matrices of one weight are neighbours, in its order.
ProductStack RecurrenceWriter::stackOf(ArrayRef<Node *> products) {
  llvm::MapVector<Value, std::multimap<int64_t, Node *>> byWeight;
  for (Node *product : products) {
    StoredMatrix stored = matrixOf(product->matrix);
    byWeight[stored.weight].insert({stored.first, product});
  }
  ProductStack made;
  SmallVector<StoredMatrix> matrices;
  for (auto &[weight, columns] : byWeight)
    for (auto [first, product] : columns) {
      made.products.push_back(product);
      matrices.push_back({weight, product->matrix.isInOut, first});
    }
  made.matrices = lowering.stack(matrices, products.front()->units);
  return made;
}

//===----------------------------------------------------------------------===//
// What goes in and out
//===----------------------------------------------------------------------===//

void RecurrenceWriter::addInputs(fused::RecurrenceSpec &spec) {
  NodeSet used;
  for (const Phase &phase : plan.phases) {
    for (Node *node : phase.vectors)
      if (node->kind == Node::Projection)
        used.insert(node);
    for (Node *product : phase.products)
      if (product->factor->kind == Node::Projection)
        used.insert(product->factor);
  }
  for (Node *node :
       llvm::concat<Node *const>(expressions.outputs, expressions.states))
    if (node->kind == Node::Projection)
      used.insert(node);
  if (used.empty())
    return;
  spec.input = fused::Access{scan.getSequences()[*expressions.projected],
                             map({DimB, DimT, DimK})};
  projections = stack(used.getArrayRef());
  for (const ProductStack &made : projections)
    spec.weights.push_back(made.matrices);
}

/// Sequences whose steps are factors; one more where nothing else tells T.
void RecurrenceWriter::addSteps(fused::RecurrenceSpec &spec) {
  NodeSet used;
  for (const Phase &phase : plan.phases)
    for (Node *product : phase.products)
      if (product->factor->kind == Node::Step)
        used.insert(product->factor);
  steps = used.takeVector();
  auto add = [&](unsigned sequence) {
    spec.vectors.push_back(
        {scan.getSequences()[sequence], map({DimB, DimT, DimU})});
  };
  for (Node *step : steps)
    add(step->number);
  if (!spec.input && spec.vectors.empty() && expressions.outputs.empty())
    add(0);
}

void RecurrenceWriter::addStates(fused::RecurrenceSpec &spec) {
  unsigned first = scan.getNumOutputs();
  for (unsigned i = 0; i < scan.getNumStates(); ++i) {
    OpResult like = scan->getResult(first + i);
    Value initial = scan.getInitial(i);
    if (!initial)
      initial = lowering.filled(
          cast<RankedTensorType>(like.getType()), lowering.resultExtents(like),
          lowering.builder.getF32FloatAttr(0.0), scan.getLoc());
    spec.states.push_back({initial, map({DimB, DimU})});
  }
}

void RecurrenceWriter::addOuts(fused::RecurrenceSpec &spec) {
  for (OpResult result : scan->getResults()) {
    bool isOutput = result.getResultNumber() < scan.getNumOutputs();
    spec.outs.push_back(
        {lowering.destination(result),
         isOutput ? map({DimB, DimT, DimU}) : map({DimB, DimU})});
  }
}

//===----------------------------------------------------------------------===//
// The step
//===----------------------------------------------------------------------===//

/// What the arguments of a region of the phase are: `own` (products and
/// vectors), earlier reductions, captures.
static DenseMap<Node *, Value>
argumentsOf(const Phase &phase, ArrayRef<Node *> own, ValueRange args) {
  DenseMap<Node *, Value> known;
  for (auto [node, value] : llvm::zip(own, args))
    known[node] = value;
  ValueRange captured = args.take_back(phase.captures.size());
  for (auto [node, value] : llvm::zip_equal(phase.captures, captured))
    known[node] = value;
  ValueRange earlier = args.drop_front(own.size()).drop_back(captured.size());
  for (auto [node, value] : llvm::zip(phase.reductions, earlier))
    known[node] = value;
  return known;
}

void RecurrenceWriter::writePhase(OpBuilder &builder, Location loc,
                                  const Phase &phase) {
  fused::PhaseSpec spec;
  spec.units = phase.units;
  // In the order of a region's arguments.
  SmallVector<Node *> arguments;
  for (const ProductStack &made : products[&phase - plan.phases.data()]) {
    spec.products.push_back(
        {units.lookup(made.products.front()->factor), made.matrices});
    llvm::append_range(arguments, made.products);
  }
  for (Node *node : phase.vectors) {
    spec.vectors.push_back(units.lookup(node));
    arguments.push_back(node);
  }
  for (Node *node : phase.captures)
    spec.captures.push_back(node->access);
  auto region = [&](OpBuilder &b, ValueRange args) {
    return RegionWriter(b, argumentsOf(phase, arguments, args));
  };
  for (Node *node : phase.reductions)
    spec.reduces.push_back(
        {node->reduction, [&, node](OpBuilder &b, Location, ValueRange args) {
           return SmallVector<Value>{region(b, args).writeCode(node)};
         }});
  spec.map = [&](OpBuilder &b, Location, ValueRange args) {
    RegionWriter writer = region(b, args);
    SmallVector<Value> results;
    for (Node *node : phase.results)
      results.push_back(writer.write(node));
    return results;
  };
  auto made = fused::addPhase(builder, loc, spec);
  for (auto [node, value] : llvm::zip_equal(phase.results, made.getResults()))
    units[node] = value;
}

fused::StepValues RecurrenceWriter::writeStep(OpBuilder &builder, Location loc,
                                              ValueRange args) {
  for (const ProductStack &made : projections) {
    for (Node *node : made.products) {
      units[node] = args.front();
      args = args.drop_front();
    }
  }
  for (Node *step : steps) {
    units[step] = args.front();
    args = args.drop_front();
  }
  args = args.take_back(scan.getNumStates());
  auto bind = [&](Node *node) {
    if (node->kind == Node::State)
      units[node] = args[node->number];
  };
  for (const Phase &phase : plan.phases) {
    llvm::for_each(phase.vectors, bind);
    for (Node *product : phase.products)
      bind(product->factor);
  }
  llvm::for_each(expressions.outputs, bind);
  llvm::for_each(expressions.states, bind);
  for (const Phase &phase : plan.phases)
    writePhase(builder, loc, phase);
  fused::StepValues values;
  for (Node *node : expressions.outputs)
    values.outputs.push_back(units.lookup(node));
  for (Node *node : expressions.states)
    values.states.push_back(units.lookup(node));
  return values;
}

SmallVector<Value> RecurrenceWriter::write() {
  fused::RecurrenceSpec spec;
  spec.space = {{"b", "t", "u", "k"}};
  addInputs(spec);
  addSteps(spec);
  addStates(spec);
  addOuts(spec);
  if (scan.getLengths())
    spec.lengths = fused::Access{scan.getLengths(), map({DimB})};
  spec.reverse = scan.getReverse();
  for (const Phase &phase : plan.phases)
    products.push_back(stack(phase.products.getArrayRef()));
  spec.step = [&](OpBuilder &b, Location loc, ValueRange args) {
    return writeStep(b, loc, args);
  };
  auto recurrence =
      fused::buildRecurrence(lowering.builder, scan.getLoc(), spec);
  size_t count = plan.phases.size();
  remarkFused(recurrence, "scan-to-recurrence",
              "a scan is one recurrence of " + Twine(count) +
                  (count == 1 ? " phase" : " phases"));
  return SmallVector<Value>(recurrence.getResults());
}

Lowered sinter::lowerScan(EntryLowering &lowering, ScanOp scan) {
  Expressions expressions(scan);
  if (failed(expressions.build())) {
    const Obstacle &obstacle = expressions.obstacle;
    remarkNotFused(obstacle.op, "scan-to-recurrence",
                   "the scan around it is no recurrence: " + obstacle.why);
    return lowerScanLoop(lowering, scan);
  }
  return RecurrenceWriter(lowering, scan, expressions).write();
}
