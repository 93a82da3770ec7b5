//===- FusedSequenceVerifiers.cpp - Constraints of attention, recurrence --===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusedChecker.h"
#include "FusedRegionTypes.h"

using namespace mlir;
using namespace sinter::fused;
using regions::Types;

//===----------------------------------------------------------------------===//
// attention
//===----------------------------------------------------------------------===//

namespace {
/// Positions of the dimensions of an attention.
enum AttentionDim : unsigned { B, H, Q, K, D, E, NumAttentionDims };
/// Positions of the dimensions of a recurrence.
enum RecurrenceDim : unsigned { RB, RT, RU, RK, NumRecurrenceDims };
} // namespace

/// attention_c3: limits are per batch row.
static LogicalResult verifyLimits(Checker &check, AttentionOp op) {
  auto rule = [](StringRef what) {
    return MapRule{what, NumAttentionDims, 0, {H, Q, K, D, E}};
  };
  return failure(failed(check.optionalMap(3, rule("'offset'"), op.getOffset(),
                                          op.getOffsetMap())) ||
                 failed(check.optionalMap(3, rule("'length'"), op.getLength(),
                                          op.getLengthMap())) ||
                 failed(check.optionalMap(3, rule("'rows'"), op.getRows(),
                                          op.getRowsMap())));
}

/// attention_c4 for one region.
static LogicalResult verifyCaptures(Checker &check, StringRef what,
                                    ArrayRef<unsigned> forbidden,
                                    Region &region, ValueRange captures,
                                    ArrayAttr maps) {
  if (region.empty() && !captures.empty())
    return check.fail(4) << "captures of '" << what << "', which has no region";
  std::string name = "a capture of '" + what.str() + "'";
  MapRule rule = {name, NumAttentionDims, 0, SmallVector<unsigned>(forbidden)};
  return check.maps(4, rule, captures, maps, /*whole=*/true);
}

/// attention_c5: what each destination may depend on.
static LogicalResult verifyOuts(Checker &check, AttentionOp op) {
  size_t expected = op.getExtras().size() + 1;
  if (op.getOuts().size() != expected || op.getOutMaps().size() != expected)
    return check.fail(5) << "'" << op.getOuts().size() << "' destinations and '"
                         << op.getOutMaps().size() << "' maps, expected '"
                         << expected << "'";
  if (failed(check.map(5, {"the mixture", NumAttentionDims, 0, {K, D}},
                       op.getOuts().front(),
                       getOptionalMap(op.getOutMaps()[0]))))
    return failure();
  StringRef known[] = {"lse", "scores", "weights"};
  for (auto [i, attr] : llvm::enumerate(op.getExtras())) {
    StringRef name = cast<StringAttr>(attr).getValue();
    if (!llvm::is_contained(known, name) ||
        llvm::is_contained(op.getExtras().getValue().take_front(i), attr))
      return check.fail(5) << "destination '" << name
                           << "', expected each of 'lse', 'scores', 'weights' "
                              "at most once";
    MapRule rule = {name, NumAttentionDims, 0, {D, E}};
    if (name == "lse")
      rule.forbidden.push_back(K);
    if (failed(check.map(5, rule, op.getOuts()[i + 1],
                         getOptionalMap(op.getOutMaps()[i + 1]))))
      return failure();
  }
  return success();
}

LogicalResult AttentionOp::verify() {
  Checker check(*this, getDims());
  constexpr unsigned dims = NumAttentionDims;
  return failure(
      failed(check.space(1, getExtents(), {"b", "h", "q", "k", "d", "e"})) ||
      failed(check.map(2, {"the query", dims, 0, {K, E}}, getQuery(),
                       getQueryMap())) ||
      failed(
          check.map(2, {"the key", dims, 0, {Q, E}}, getKey(), getKeyMap())) ||
      failed(check.map(2, {"the value", dims, 0, {Q, D}}, getValue(),
                       getValueMap())) ||
      failed(verifyLimits(check, *this)) ||
      failed(verifyCaptures(check, "combine", {E}, getCombine(),
                            getCombineCaptures(), getCombineMaps())) ||
      failed(verifyCaptures(check, "score", {D, E}, getScore(),
                            getScoreCaptures(), getScoreMaps())) ||
      failed(verifyCaptures(check, "mask", {D, E}, getMask(), getMaskCaptures(),
                            getMaskMaps())) ||
      failed(verifyCaptures(check, "sink", {K, D, E}, getSink(),
                            getSinkCaptures(), getSinkMaps())) ||
      failed(verifyOuts(check, *this)) || failed(check.extents(8)));
}

LogicalResult AttentionOp::verifyRegions() {
  Checker check(*this, getDims());
  Type number = scalarTypeOf(getQuery());
  auto verifyRegion = [&](StringRef what, Region &region, TypeRange arguments,
                          Type yielded) {
    return success(region.empty() ||
                   (succeeded(check.arguments(6, what, region, arguments)) &&
                    succeeded(check.yields(7, what, region, yielded))));
  };
  return failure(
      failed(verifyRegion("'combine'", getCombine(),
                          regions::combineArguments(*this), number)) ||
      failed(verifyRegion("'score'", getScore(), regions::scoreArguments(*this),
                          number)) ||
      failed(verifyRegion("'mask'", getMask(), regions::maskArguments(*this),
                          IntegerType::get(getContext(), 1))) ||
      failed(verifyRegion("'sink'", getSink(), regions::sinkArguments(*this),
                          number)));
}

//===----------------------------------------------------------------------===//
// recurrence
//===----------------------------------------------------------------------===//

/// Operands that enter a step as units: the last index is u, of fixed extent.
static LogicalResult verifyUnits(Checker &check, unsigned constraint,
                                 const MapRule &rule, ValueRange operands,
                                 ArrayAttr maps) {
  if (failed(check.maps(constraint, rule, operands, maps)))
    return failure();
  for (auto [operand, entry] : llvm::zip(operands, maps)) {
    AffineMap map = getOptionalMap(entry);
    bool endsWithUnits =
        map.getNumResults() != 0 &&
        map.getResults().back() == getAffineDimExpr(RU, operand.getContext());
    auto type = cast<ShapedType>(operand.getType());
    if (!endsWithUnits || ShapedType::isDynamic(type.getShape().back()))
      return check.fail(constraint)
             << rule.what << " of type " << type
             << ", expected its last index to be 'u', of static extent";
  }
  return success();
}

LogicalResult RecurrenceOp::verify() {
  Checker check(*this, getDims());
  constexpr unsigned dims = NumRecurrenceDims;
  if (failed(check.space(1, getExtents(), {"b", "t", "u", "k"})) ||
      failed(check.optionalMap(2, {"the input", dims, 0, {RU}}, getInput(),
                               getInputMap())))
    return failure();
  if (static_cast<bool>(getInput()) == getWeights().empty())
    return check.fail(2) << "'project' and 'weights' go together";
  for (Value weight : getWeights())
    if (!getMatrixStack(weight.getType()))
      return check.fail(2) << "a weight of type " << weight.getType()
                           << ", expected a static matrix or stack";
  return failure(
      failed(verifyUnits(check, 3, {"a vector", dims, 0, {RK}}, getVectors(),
                         getVectorMaps())) ||
      failed(verifyUnits(check, 4, {"a state", dims, 0, {RT, RK}}, getStates(),
                         getStateMaps())) ||
      failed(check.optionalMap(5, {"'lengths'", dims, 0, {RT, RU, RK}},
                               getLengths(), getLengthsMap())) ||
      failed(check.maps(6, {"a destination", dims, 0, {RK}}, getOuts(),
                        getOutMaps())));
}

/// Where an index of `operand` is u, there are as many as `units`.
static LogicalResult verifyRoom(Checker &check, unsigned constraint,
                                StringRef what, Value operand, AffineMap map,
                                Type units) {
  int64_t size = cast<UnitsType>(units).getSize();
  auto type = cast<ShapedType>(operand.getType());
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (expr == getAffineDimExpr(RU, operand.getContext()) &&
        !type.isDynamicDim(i) && type.getDimSize(i) < size)
      return check.fail(constraint)
             << what << " of type " << type << ", expected '" << size
             << "' units there";
  return success();
}

/// recurrence_c6, recurrence_c8: what leaves the step fits what receives it.
static LogicalResult verifyStep(Checker &check, RecurrenceOp op, StepOp step) {
  size_t outputs = step.getOutputs().size(), states = step.getStates().size();
  if (states != op.getStates().size())
    return check.fail(8) << "'fused.step' gives '" << states
                         << "' states, expected '" << op.getStates().size()
                         << "'";
  TypeRange arguments = op.getBody().front().getArgumentTypes();
  if (step.getStates().getTypes() != arguments.take_back(states))
    return check.fail(8)
           << "types of states that 'fused.step' gives, expected those of the "
              "body's last arguments";
  if (op.getOuts().size() != outputs + states)
    return check.fail(6) << "'" << op.getOuts().size()
                         << "' destinations, expected '" << outputs + states
                         << "', one per output and state of 'fused.step'";
  for (Attribute map : op.getOutMaps().getValue().take_back(states))
    if (getOptionalMap(map).isFunctionOfDim(RT))
      return check.fail(6) << "map of a final state depends on 't'";
  for (auto [units, out, map] : llvm::zip_equal(
           step->getOperands(), op.getOuts(), op.getOutMaps().getValue()))
    if (failed(verifyRoom(check, 6, "a destination", out, getOptionalMap(map),
                          units.getType())))
      return failure();
  return success();
}

LogicalResult RecurrenceOp::verifyRegions() {
  Checker check(*this, getDims());
  if (failed(check.arguments(7, "the body", getBody(),
                             regions::stepArguments(*this))))
    return failure();
  for (Operation &op : getBody().front())
    if (!isa<PhaseOp, StepOp>(op)) {
      InFlightDiagnostic diag = check.fail(8);
      diag << "'" << op.getName()
           << "' in the body, expected phases and a step";
      return diag;
    }
  auto step = cast<StepOp>(getBody().front().getTerminator());
  if (failed(verifyStep(check, *this, step)))
    return failure();
  SmallVector<unsigned> exempt = {RU};
  if (!getInput())
    exempt.push_back(RK);
  return check.extents(9, exempt);
}

//===----------------------------------------------------------------------===//
// phase
//===----------------------------------------------------------------------===//

/// phase_c1, phase_c2: sizes of products, vectors and results.
static LogicalResult verifySizes(Checker &check, PhaseOp op) {
  if (op.getResults().empty())
    return check.fail(2) << "no result";
  if (op.getFactors().size() != op.getMatrices().size())
    return check.fail(1) << "'" << op.getFactors().size()
                         << "' factors, expected '" << op.getMatrices().size()
                         << "'";
  auto units = cast<UnitsType>(op.getResult(0).getType());
  for (auto [factor, matrix] : llvm::zip(op.getFactors(), op.getMatrices())) {
    std::optional<MatrixStack> stack = getMatrixStack(matrix.getType());
    int64_t size = cast<UnitsType>(factor.getType()).getSize();
    if (!stack || stack->rows != size || stack->columns != units.getSize())
      return check.fail(1) << "a matrix of type " << matrix.getType()
                           << ", expected '" << size << "' rows and '"
                           << units.getSize() << "' columns";
    if (scalarTypeOf(matrix) !=
        cast<UnitsType>(factor.getType()).getElementType())
      return check.fail(1) << "a matrix of type " << matrix.getType()
                           << " with a factor of type " << factor.getType();
  }
  for (Type type :
       llvm::concat<const Type>(SmallVector<Type>(op.getVectors().getTypes()),
                                SmallVector<Type>(op.getResultTypes())))
    if (type != units)
      return check.fail(2) << "a vector or result of type " << type
                           << ", expected " << units;
  return success();
}

LogicalResult PhaseOp::verify() {
  auto recurrence = cast<RecurrenceOp>((*this)->getParentOp());
  Checker check(*this, recurrence.getDims());
  MapRule rule = {"a capture", NumRecurrenceDims, 0, {RK}};
  if (failed(verifySizes(check, *this)) ||
      failed(check.maps(3, rule, getCaptures(), getCaptureMaps(),
                        /*whole=*/true)))
    return failure();
  for (auto [capture, entry] : llvm::zip(getCaptures(), getCaptureMaps()))
    if (AffineMap map = getOptionalMap(entry))
      if (failed(verifyRoom(check, 3, rule.what, capture, map,
                            getResult(0).getType())))
        return failure();
  if (getReductions().size() != getReduces().size())
    return check.fail(4) << "'" << getReductions().size()
                         << "' kinds of reductions, expected '"
                         << getReduces().size() << "'";
  return success();
}

LogicalResult PhaseOp::verifyRegions() {
  auto recurrence = cast<RecurrenceOp>((*this)->getParentOp());
  Checker check(*this, recurrence.getDims());
  for (auto [i, reduce] : llvm::enumerate(getReduces())) {
    if (failed(check.arguments(5, "'reduce'", reduce,
                               regions::phaseArguments(*this, i))))
      return failure();
    size_t yielded = regions::yieldedTypes(reduce).size();
    if (yielded != 1)
      return check.fail(6) << "'reduce' yields '" << yielded
                           << "' values, expected one";
  }
  Types results;
  for (Type type : getResultTypes())
    results.push_back(cast<UnitsType>(type).getElementType());
  unsigned last = getReduces().size();
  return failure(
      failed(check.arguments(5, "'map'", getMap(),
                             regions::phaseArguments(*this, last))) ||
      failed(check.yields(6, "'map'", getMap(), results)));
}
