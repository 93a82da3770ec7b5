//===- FusedVerifiers.cpp - Constraints of map, contract, normalize -------===//
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

/// What the values stored by these numbers are in a region.
static Types storedTypes(ValueRange outs, ArrayRef<int64_t> numbers) {
  Types types;
  for (int64_t number : numbers)
    types.push_back(scalarTypeOf(outs[number]));
  return types;
}

//===----------------------------------------------------------------------===//
// map
//===----------------------------------------------------------------------===//

LogicalResult MapOp::verify() {
  Checker check(*this, getDims());
  unsigned dims = getDims().size();
  unsigned symbols = getSymbols().size();
  return failure(failed(check.space(1, getExtents())) ||
                 failed(check.symbols(3, getSymbols(), getSymbolNames(),
                                      getSymbolMaps())) ||
                 failed(check.maps(2, {"an input", dims, symbols}, getInputs(),
                                   getInputMaps(), /*whole=*/true)) ||
                 failed(check.rows(4, getRows(), getRowsMap(), getRowsDim())) ||
                 failed(check.stores(5, {"a store", dims, symbols}, getOuts(),
                                     getStoreOuts(), getStoreMaps())) ||
                 failed(check.indices(6, getIndexDims())) ||
                 failed(check.extents(9)));
}

LogicalResult MapOp::verifyRegions() {
  Checker check(*this, getDims());
  return failure(failed(check.arguments(7, "the body", getBody(),
                                        regions::bodyArguments(*this))) ||
                 failed(check.yields(8, "the body", getBody(),
                                     storedTypes(getOuts(), getStoreOuts()))));
}

//===----------------------------------------------------------------------===//
// contract
//===----------------------------------------------------------------------===//

LogicalResult ContractOp::verify() {
  Checker check(*this, getDims());
  unsigned dims = getDims().size();
  if (failed(check.space(1, getExtents())))
    return failure();
  if (dims < 2)
    return check.fail(1) << "'" << dims
                         << "' dimensions, expected rows, n and k";
  if (failed(check.map(2, {"the input", dims, 0, {dims - 2}}, getInput(),
                       getInputMap())) ||
      failed(check.rows(3, getRows(), getRowsMap(), getRowsDim())))
    return failure();
  if (getRowsDim() && *getRowsDim() >= dims - 2)
    return check.fail(3) << "'rows' limits n or k, expected a row dimension";
  for (Operation &op : getBody().front())
    if (!isa<SegmentOp>(op)) {
      InFlightDiagnostic diag = check.fail(4);
      diag << "'" << op.getName() << "' in the body, expected 'fused.segment'";
      return diag;
    }
  if (getSegments().empty())
    return check.fail(4) << "no segment";
  return success();
}

LogicalResult ContractOp::verifyRegions() {
  Checker check(*this, getDims());
  for (auto [i, out] : llvm::enumerate(getOuts())) {
    bool stored = llvm::any_of(getSegments(), [&](SegmentOp segment) {
      return llvm::is_contained(segment.getStores(), out) ||
             llvm::is_contained(segment.getPartials(), out);
    });
    if (!stored)
      return check.fail(5) << "no segment stores into destination number '" << i
                           << "'";
  }
  // Every segment has its own n.
  return check.extents(6, {static_cast<unsigned>(getDims().size()) - 2});
}

//===----------------------------------------------------------------------===//
// segment
//===----------------------------------------------------------------------===//

/// segment_c9: a weight that is read plainly at n has N columns.
static LogicalResult verifyColumns(Checker &check, SegmentOp op, unsigned n) {
  int64_t columns = op.getN();
  if (!ShapedType::isDynamic(columns) && columns <= 0)
    return check.fail(9) << "'" << columns
                         << "' columns, expected a positive number";
  bool told = !ShapedType::isDynamic(columns);
  for (auto [weight, entry] : llvm::zip(op.getWeights(), op.getWeightMaps())) {
    AffineMap map = getOptionalMap(entry);
    auto position = map.getResultPosition(getAffineDimExpr(n, op.getContext()));
    told |= position.has_value();
    if (!position || ShapedType::isDynamic(columns))
      continue;
    int64_t extent = cast<ShapedType>(weight.getType()).getDimSize(*position);
    if (!ShapedType::isDynamic(extent) && extent != columns)
      return check.fail(9) << "a weight has '" << extent
                           << "' columns, expected '" << columns << "'";
  }
  return told ? success()
              : LogicalResult(check.fail(9)
                              << "nothing tells the number of columns");
}

/// segment_c4, segment_c5: destinations belong to the contract.
static LogicalResult verifyDestinations(Checker &check, SegmentOp op,
                                        ContractOp contract) {
  for (Value store : op.getStores())
    if (!llvm::is_contained(contract.getOuts(), store))
      return check.fail(4) << "a store goes to no 'outs' operand";
  for (Value partial : op.getPartials())
    if (!llvm::is_contained(contract.getOuts(), partial))
      return check.fail(5) << "a partial goes to no 'outs' operand";
  if (op.getPartialKinds().size() != op.getPartials().size())
    return check.fail(5) << "'" << op.getPartialKinds().size()
                         << "' kinds of partials, expected '"
                         << op.getPartials().size() << "'";
  if (op.getStores().empty() && op.getPartials().empty())
    return check.fail(4) << "nothing is stored";
  return success();
}

LogicalResult SegmentOp::verify() {
  auto contract = cast<ContractOp>((*this)->getParentOp());
  Checker check(*this, contract.getDims());
  unsigned dims = contract.getDims().size();
  unsigned n = dims - 2, k = dims - 1;
  unsigned symbols = getSymbols().size();
  if (failed(check.maps(1, {"a weight", dims}, getWeights(), getWeightMaps())))
    return failure();
  if (getWeights().empty())
    return check.fail(1) << "no weight";
  for (Value weight : getWeights())
    if (scalarTypeOf(weight) != scalarTypeOf(contract.getInput()))
      return check.fail(1) << "a weight of type " << weight.getType()
                           << " with an input of type "
                           << contract.getInput().getType();
  return failure(
      failed(
          check.symbols(3, getSymbols(), getSymbolNames(), getSymbolMaps())) ||
      failed(check.maps(2, {"a capture", dims, symbols, {k}}, getCaptures(),
                        getCaptureMaps(), /*whole=*/true)) ||
      failed(check.maps(4, {"a store", dims, symbols, {k}}, getStores(),
                        getStoreMaps())) ||
      failed(check.maps(5, {"a partial", dims + 1, 0, {n, k}}, getPartials(),
                        getPartialMaps())) ||
      failed(verifyDestinations(check, *this, contract)) ||
      failed(check.indices(6, getIndexDims())) ||
      failed(verifyColumns(check, *this, n)));
}

LogicalResult SegmentOp::verifyRegions() {
  auto contract = cast<ContractOp>((*this)->getParentOp());
  Checker check(*this, contract.getDims());
  Types stored;
  for (Value store : getStores())
    stored.push_back(scalarTypeOf(store));
  for (Value partial : getPartials())
    stored.push_back(scalarTypeOf(partial));
  return failure(
      failed(check.arguments(7, "the epilogue", getEpilogue(),
                             regions::epilogueArguments(*this))) ||
      failed(check.yields(8, "the epilogue", getEpilogue(), stored)));
}

//===----------------------------------------------------------------------===//
// normalize
//===----------------------------------------------------------------------===//

/// normalize_c5: a statistic has one value per row, other stores one per j.
static LogicalResult verifyStatistics(Checker &check, NormalizeOp op) {
  unsigned reduced = op.getDims().size() - 1;
  if (regions::isStatisticsOnly(op))
    return success();
  for (Attribute map : op.getStoreMaps())
    if (!getOptionalMap(map).isFunctionOfDim(reduced))
      return check.fail(5) << "some stores depend on the reduced dimension and "
                              "some do not";
  return success();
}

LogicalResult NormalizeOp::verify() {
  Checker check(*this, getDims());
  unsigned dims = getDims().size();
  if (dims == 0)
    return check.fail(1) << "no dimension to reduce";
  if (failed(check.space(1, getExtents())) ||
      failed(check.maps(2, {"an input", dims}, getInputs(), getInputMaps())) ||
      failed(check.maps(3, {"a capture", dims}, getCaptures(), getCaptureMaps(),
                        /*whole=*/true)) ||
      failed(check.rows(4, getRows(), getRowsMap(), getRowsDim())) ||
      failed(check.stores(5, {"a store", dims}, getOuts(), getStoreOuts(),
                          getStoreMaps())) ||
      failed(verifyStatistics(check, *this)))
    return failure();
  if (getRowsDim() && *getRowsDim() == dims - 1)
    return check.fail(4) << "'rows' limits the reduced dimension";
  if (getInputs().empty())
    return check.fail(2) << "no input";
  size_t reduces = getReduces().size();
  if (reduces == 0 || reduces > 2 || getReductions().size() != reduces)
    return check.fail(6) << "'" << getReductions().size() << "' kinds and '"
                         << reduces
                         << "' regions of reductions, expected one or two";
  return failure(failed(check.indices(7, getIndexDims())) ||
                 failed(check.extents(10)));
}

LogicalResult NormalizeOp::verifyRegions() {
  Checker check(*this, getDims());
  if (!getPre().empty()) {
    if (failed(check.arguments(8, "'pre'", getPre(),
                               regions::preArguments(*this))))
      return failure();
    if (regions::yieldedTypes(getPre()).empty())
      return check.fail(9) << "'pre' yields nothing";
  }
  for (auto [i, reduce] : llvm::enumerate(getReduces())) {
    if (failed(check.arguments(8, "'reduce'", reduce,
                               regions::reduceArguments(*this, i))))
      return failure();
    size_t yielded = regions::yieldedTypes(reduce).size();
    if (yielded != 1)
      return check.fail(9) << "'reduce' yields '" << yielded
                           << "' values, expected one";
  }
  return failure(failed(check.arguments(8, "'post'", getPost(),
                                        regions::postArguments(*this))) ||
                 failed(check.yields(9, "'post'", getPost(),
                                     storedTypes(getOuts(), getStoreOuts()))));
}
