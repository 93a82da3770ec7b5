//===- FusedAssembly.cpp - Syntax of map, contract and normalize ----------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusedSyntax.h"

using namespace mlir;
using namespace sinter::fused;

/// `sum` or `max`.
static ParseResult parseReduction(OpAsmParser &parser,
                                  SmallVectorImpl<Attribute> &kinds) {
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<Reduction> kind = symbolizeReduction(name);
  if (!kind)
    return parser.emitError(loc, "expected 'sum' or 'max', got '")
           << name << "'";
  kinds.push_back(ReductionAttr::get(parser.getContext(), *kind));
  return success();
}

static StringRef reductionName(Attribute kind) {
  return stringifyReduction(cast<ReductionAttr>(kind).getValue());
}

//===----------------------------------------------------------------------===//
// map
//===----------------------------------------------------------------------===//

ParseResult MapOp::parse(OpAsmParser &parser, OperationState &state) {
  ClauseParser clauses(parser, state);
  Clause inputs, symbols, rows, outs;
  if (clauses.parseDims() || clauses.parseSymbols(symbols) ||
      clauses.parseOptionalClause("ins", inputs, Maps::Optional) ||
      clauses.parseRows(rows) || clauses.parseStores(outs) ||
      clauses.parseIndices() || clauses.parseAttributes() ||
      clauses.parseScalarRegion(*state.addRegion()))
    return failure();
  clauses.addMaps("input_maps", inputs);
  clauses.addResults(outs);
  return clauses.resolve({&inputs, &symbols, &rows, &outs});
}

void MapOp::print(OpAsmPrinter &printer) {
  ClausePrinter clauses(printer, *this, getDims(), getSymbolNames());
  clauses.printDims(getExtents());
  clauses.printSymbols(getSymbols(), getSymbolMaps());
  clauses.printClause("ins", getInputs(), getInputMaps());
  clauses.printRows(getRows(), getRowsMap(), getRowsDim());
  clauses.printStores(getOuts(), getStoreOuts(), getStoreMaps());
  clauses.printIndices(getIndexDims());
  clauses.printAttributes();
  clauses.printRegion("", getBody());
}

//===----------------------------------------------------------------------===//
// contract and segment
//===----------------------------------------------------------------------===//

ParseResult ContractOp::parse(OpAsmParser &parser, OperationState &state) {
  ClauseParser clauses(parser, state);
  Clause input, rows, outs;
  if (clauses.parseDims() ||
      clauses.parseClause("ins", input, Maps::Required) ||
      clauses.parseRows(rows) ||
      clauses.parseClause("outs", outs, Maps::None) ||
      clauses.parseSchedule() || clauses.parseAttributes() ||
      clauses.parseSkeletonBody(*state.addRegion()))
    return failure();
  clauses.addMap("input_map", input);
  clauses.addResults(outs);
  return clauses.resolve({&input, &rows, &outs});
}

void ContractOp::print(OpAsmPrinter &printer) {
  ClausePrinter clauses(printer, *this, getDims());
  clauses.printDims(getExtents());
  clauses.printClause("ins", getInput(), getInputMap());
  clauses.printRows(getRows(), getRowsMap(), getRowsDim());
  clauses.printClause("outs", getOuts(), ArrayAttr());
  clauses.printSchedule(getScheduleAttr());
  clauses.printAttributes();
  clauses.printRegion("", getBody());
}

/// `n(32)`; `n(?)` where only the weights tell.
static ParseResult parseColumns(ClauseParser &clauses) {
  int64_t columns = ShapedType::kDynamic;
  OpAsmParser &parser = clauses.parser;
  if (parser.parseKeyword("n") || parser.parseLParen())
    return failure();
  if (parser.parseOptionalQuestion() && parser.parseInteger(columns))
    return failure();
  clauses.state.addAttribute("n", clauses.builder.getI64IntegerAttr(columns));
  return parser.parseRParen();
}

/// Weights without a map are matrices [k, n].
static ParseResult parseWeights(ClauseParser &clauses, Clause &weights) {
  SMLoc loc = clauses.parser.getCurrentLocation();
  if (clauses.parseClause("weights", weights, Maps::Optional))
    return failure();
  unsigned rank = clauses.dims.size();
  if (rank < 2)
    return clauses.parser.emitError(loc, "expected dimensions n and k");
  AffineMap matrix = AffineMap::getMultiDimMapWithTargets(
      rank, {rank - 1, rank - 2}, clauses.builder.getContext());
  for (Attribute &map : weights.maps)
    if (isa<UnitAttr>(map))
      map = AffineMapAttr::get(matrix);
  clauses.addMaps("weight_maps", weights);
  return success();
}

/// `partials(sum %s by (b, tile) : T)`: maps over the dimensions and `tile`.
static ParseResult parsePartials(ClauseParser &clauses, Clause &partials) {
  SmallVector<Attribute> kinds;
  ClauseParser::Names symbols;
  std::swap(clauses.symbols, symbols);
  clauses.dims.push_back(tileName);
  auto parseKind = [&] { return parseReduction(clauses.parser, kinds); };
  if (clauses.parseOptionalClause("partials", partials, Maps::Required,
                                  parseKind))
    return failure();
  clauses.dims.pop_back();
  std::swap(clauses.symbols, symbols);
  clauses.state.addAttribute("partial_kinds",
                             clauses.builder.getArrayAttr(kinds));
  clauses.addMaps("partial_maps", partials);
  return success();
}

ParseResult SegmentOp::parse(OpAsmParser &parser, OperationState &state) {
  ClauseParser clauses(parser, state);
  Clause weights, captures, symbols, stores, partials;
  if (clauses.useEnclosingDims() || parseColumns(clauses) ||
      parseWeights(clauses, weights) || clauses.parseSymbols(symbols) ||
      clauses.parseOptionalClause("captures", captures, Maps::Optional) ||
      clauses.parseOptionalClause("stores", stores, Maps::Required) ||
      parsePartials(clauses, partials) || clauses.parseIndices() ||
      clauses.parseAttributes() ||
      clauses.parseScalarRegion(*state.addRegion()))
    return failure();
  clauses.addMaps("capture_maps", captures);
  clauses.addMaps("store_maps", stores);
  return clauses.resolve({&weights, &captures, &symbols, &stores, &partials});
}

void SegmentOp::print(OpAsmPrinter &printer) {
  auto contract = (*this)->getParentOfType<ContractOp>();
  ClausePrinter clauses(printer, *this,
                        contract ? contract.getDims() : ArrayAttr(),
                        getSymbolNames());
  printer << " n(";
  if (ShapedType::isDynamic(getN()))
    printer << '?';
  else
    printer << getN();
  printer << ')';
  SmallVector<Attribute> maps(getWeightMaps().getValue());
  for (Attribute &map : maps)
    if (contract && getOptionalMap(map) == contract.getMatrixMap())
      map = UnitAttr::get(getContext());
  auto printKind = [&](size_t i) {
    printer << reductionName(getPartialKinds()[i]) << ' ';
  };
  clauses.printClause("weights", getWeights(),
                      ArrayAttr::get(getContext(), maps));
  clauses.printSymbols(getSymbols(), getSymbolMaps());
  clauses.printClause("captures", getCaptures(), getCaptureMaps());
  clauses.printClause("stores", getStores(), getStoreMaps());
  clauses.printClause("partials", getPartials(), getPartialMaps(), printKind);
  clauses.printIndices(getIndexDims());
  clauses.printAttributes();
  clauses.printRegion("", getEpilogue());
}

//===----------------------------------------------------------------------===//
// normalize
//===----------------------------------------------------------------------===//

ParseResult
sinter::fused::parseReduces(ClauseParser &clauses,
                            SmallVectorImpl<std::unique_ptr<Region>> &regions) {
  SmallVector<Attribute> kinds;
  while (succeeded(clauses.parser.parseOptionalKeyword("reduce"))) {
    regions.push_back(std::make_unique<Region>());
    if (parseReduction(clauses.parser, kinds) ||
        clauses.parseScalarRegion(*regions.back()))
      return failure();
  }
  clauses.state.addAttribute("reductions", clauses.builder.getArrayAttr(kinds));
  return success();
}

void sinter::fused::printReduces(ClausePrinter &clauses, ArrayAttr kinds,
                                 MutableArrayRef<Region> regions) {
  for (auto [kind, region] : llvm::zip(kinds, regions))
    clauses.printRegion(("reduce " + reductionName(kind)).str(), region);
}

ParseResult NormalizeOp::parse(OpAsmParser &parser, OperationState &state) {
  ClauseParser clauses(parser, state);
  Clause inputs, captures, rows, outs;
  Region *pre = state.addRegion(), *post = state.addRegion();
  SmallVector<std::unique_ptr<Region>> reduces;
  if (clauses.parseDims() ||
      clauses.parseClause("ins", inputs, Maps::Required) ||
      clauses.parseOptionalClause("captures", captures, Maps::Optional) ||
      clauses.parseRows(rows) || clauses.parseStores(outs) ||
      clauses.parseIndices() || clauses.parseAttributes())
    return failure();
  if (succeeded(parser.parseOptionalKeyword("pre")) &&
      clauses.parseScalarRegion(*pre))
    return failure();
  if (parseReduces(clauses, reduces) || parser.parseKeyword("post") ||
      clauses.parseScalarRegion(*post))
    return failure();
  state.addRegions(reduces);
  clauses.addMaps("input_maps", inputs);
  clauses.addMaps("capture_maps", captures);
  clauses.addResults(outs);
  return clauses.resolve({&inputs, &captures, &rows, &outs});
}

void NormalizeOp::print(OpAsmPrinter &printer) {
  ClausePrinter clauses(printer, *this, getDims());
  clauses.printDims(getExtents());
  clauses.printClause("ins", getInputs(), getInputMaps());
  clauses.printClause("captures", getCaptures(), getCaptureMaps());
  clauses.printRows(getRows(), getRowsMap(), getRowsDim());
  clauses.printStores(getOuts(), getStoreOuts(), getStoreMaps());
  clauses.printIndices(getIndexDims());
  clauses.printAttributes();
  clauses.printRegion("pre", getPre());
  printReduces(clauses, getReductions(), getReduces());
  clauses.printRegion("post", getPost());
}
