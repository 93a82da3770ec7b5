//===- FusedSyntax.cpp - Parsing clauses ----------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusedSyntax.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace sinter::fused;

/// Names of the skeleton whose body is being parsed on this thread. The parser
/// makes an operation only after its regions, so an op in the body has no other
/// way to learn the names that its maps use.
static thread_local const ClauseParser::Names *enclosingDims = nullptr;

//===----------------------------------------------------------------------===//
// Dimensions and maps
//===----------------------------------------------------------------------===//

ParseResult ClauseParser::parseDims() {
  SmallVector<int64_t> extents;
  auto parseOne = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&dims.emplace_back()))
      return failure();
    if (llvm::is_contained(ArrayRef(dims).drop_back(), dims.back()))
      return parser.emitError(loc, "dimension '")
             << dims.back() << "' stands twice";
    extents.push_back(ShapedType::kDynamic);
    return failure(succeeded(parser.parseOptionalEqual()) &&
                   parser.parseInteger(extents.back()));
  };
  if (parser.parseKeyword("dims") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne))
    return failure();
  state.addAttribute("dims", builder.getStrArrayAttr(dims));
  addNumbers("extents", extents);
  return success();
}

ParseResult ClauseParser::useEnclosingDims() {
  if (!enclosingDims)
    return parser.emitError(
        parser.getNameLoc(),
        "expected to stand in the body of a skeleton in custom syntax");
  dims = *enclosingDims;
  return success();
}

ParseResult ClauseParser::parseMap(AffineMap &map) {
  SmallVector<std::pair<StringRef, AffineExpr>> names;
  MLIRContext *context = builder.getContext();
  for (auto [i, name] : llvm::enumerate(dims))
    names.emplace_back(name, getAffineDimExpr(i, context));
  for (auto [i, name] : llvm::enumerate(symbols))
    names.emplace_back(name, getAffineSymbolExpr(i, context));
  SmallVector<AffineExpr> results;
  auto parseOne = [&] {
    return parser.parseAffineExpr(names, results.emplace_back());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne))
    return failure();
  map = AffineMap::get(dims.size(), symbols.size(), results, context);
  return success();
}

ParseResult ClauseParser::parseDimName(int64_t &number) {
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return failure();
  auto *found = llvm::find(dims, name);
  if (found == dims.end())
    return parser.emitError(loc, "unknown dimension '") << name << "'";
  number = found - dims.begin();
  return success();
}

//===----------------------------------------------------------------------===//
// Clauses
//===----------------------------------------------------------------------===//

ParseResult ClauseParser::parseElements(Clause &clause, Maps maps,
                                        ElementParser before,
                                        ElementParser after) {
  clause.loc = parser.getCurrentLocation();
  auto parseOne = [&]() -> ParseResult {
    if (before && before())
      return failure();
    if (parser.parseOperand(clause.operands.emplace_back()) ||
        (after && after()))
      return failure();
    clause.maps.push_back(builder.getUnitAttr());
    if (maps == Maps::None)
      return success();
    if (maps == Maps::Required ? parser.parseKeyword("by")
                               : parser.parseOptionalKeyword("by"))
      return failure(maps == Maps::Required);
    AffineMap map;
    if (parseMap(map))
      return failure();
    clause.maps.back() = AffineMapAttr::get(map);
    return success();
  };
  return parser.parseCommaSeparatedList(parseOne);
}

ParseResult ClauseParser::parseRest(StringRef keyword, Clause &clause,
                                    Maps maps, ElementParser before,
                                    ElementParser after) {
  if (parser.parseLParen() || parseElements(clause, maps, before, after) ||
      parser.parseColonTypeList(clause.types) || parser.parseRParen())
    return failure();
  if (clause.types.size() != clause.operands.size())
    return parser.emitError(clause.loc)
           << clause.operands.size() << " operands but " << clause.types.size()
           << " types in '" << keyword << "'";
  return success();
}

ParseResult ClauseParser::parseClause(StringRef keyword, Clause &clause,
                                      Maps maps, ElementParser before,
                                      ElementParser after) {
  return failure(parser.parseKeyword(keyword) ||
                 parseRest(keyword, clause, maps, before, after));
}

ParseResult ClauseParser::parseOptionalClause(StringRef keyword, Clause &clause,
                                              Maps maps, ElementParser before,
                                              ElementParser after) {
  clause.loc = parser.getCurrentLocation();
  if (parser.parseOptionalKeyword(keyword))
    return success();
  return parseRest(keyword, clause, maps, before, after);
}

ParseResult ClauseParser::parseSymbols(Clause &clause) {
  Names names;
  auto parseName = [&]() -> ParseResult {
    return failure(parser.parseKeyword(&names.emplace_back()) ||
                   parser.parseEqual());
  };
  if (parseOptionalClause("symbols", clause, Maps::Required, parseName))
    return failure();
  symbols = names;
  state.addAttribute("symbol_names", builder.getStrArrayAttr(names));
  addMaps("symbol_maps", clause);
  return success();
}

ParseResult ClauseParser::parseRows(Clause &clause) {
  if (parser.parseOptionalKeyword("rows"))
    return success();
  AffineMap map;
  int64_t dim;
  clause.loc = parser.getCurrentLocation();
  // A row's limit never depends on symbols.
  Names none;
  std::swap(symbols, none);
  llvm::scope_exit restore([&] { std::swap(symbols, none); });
  if (parser.parseLParen() ||
      parser.parseOperand(clause.operands.emplace_back()) ||
      parser.parseKeyword("by") || parseMap(map) || parser.parseKeyword("of") ||
      parseDimName(dim) || parser.parseColonType(clause.types.emplace_back()) ||
      parser.parseRParen())
    return failure();
  state.addAttribute("rows_map", AffineMapAttr::get(map));
  state.addAttribute("rows_dim", builder.getI64IntegerAttr(dim));
  return success();
}

ParseResult ClauseParser::parseIndices() {
  SmallVector<int64_t> numbers;
  auto parseOne = [&] { return parseDimName(numbers.emplace_back()); };
  if (succeeded(parser.parseOptionalKeyword("index")) &&
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne))
    return failure();
  addNumbers("index_dims", numbers);
  return success();
}

ParseResult ClauseParser::parseStores(Clause &outs) {
  Clause stores;
  if (parseClause("outs", stores, Maps::Required))
    return failure();
  SmallVector<int64_t> numbers;
  outs.loc = stores.loc;
  for (auto [operand, type] : llvm::zip(stores.operands, stores.types)) {
    auto *found = llvm::find_if(outs.operands, [&](auto &known) {
      return known.name == operand.name && known.number == operand.number;
    });
    numbers.push_back(found - outs.operands.begin());
    if (found != outs.operands.end())
      continue;
    outs.operands.push_back(operand);
    outs.types.push_back(type);
  }
  addNumbers("store_outs", numbers);
  addMaps("store_maps", stores);
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes, regions, operands
//===----------------------------------------------------------------------===//

ParseResult ClauseParser::parseSchedule() {
  DictionaryAttr schedule;
  if (parser.parseOptionalKeyword("schedule"))
    return success();
  return parser.parseAttribute(schedule, "schedule", state.attributes);
}

ParseResult ClauseParser::parseAttributes() {
  return parser.parseOptionalAttrDictWithKeyword(state.attributes);
}

ParseResult ClauseParser::parseScalarRegion(Region &region) {
  return parser.parseRegion(region, /*arguments=*/{},
                            /*enableNameShadowing=*/true);
}

ParseResult ClauseParser::parseSkeletonBody(Region &region) {
  const Names *outer = enclosingDims;
  enclosingDims = &dims;
  llvm::scope_exit restore([&] { enclosingDims = outer; });
  if (parser.parseRegion(region))
    return failure();
  // `{}` is a body without ops.
  if (region.empty())
    region.emplaceBlock();
  return success();
}

ParseResult ClauseParser::resolve(ArrayRef<Clause *> groups) {
  SmallVector<int32_t> sizes;
  for (Clause *group : groups) {
    sizes.push_back(group->operands.size());
    if (parser.resolveOperands(group->operands, group->types, group->loc,
                               state.operands))
      return failure();
  }
  state.addAttribute("operandSegmentSizes",
                     builder.getDenseI32ArrayAttr(sizes));
  return success();
}

void ClauseParser::addResults(const Clause &outs) {
  for (Type type : outs.types)
    if (isa<RankedTensorType>(type))
      state.addTypes(type);
}

void ClauseParser::addMaps(StringRef name, const Clause &clause) {
  state.addAttribute(name, builder.getArrayAttr(clause.maps));
}

void ClauseParser::addMap(StringRef name, const Clause &clause) {
  if (!clause.maps.empty())
    state.addAttribute(name, clause.maps.front());
}

void ClauseParser::addNumbers(StringRef name, ArrayRef<int64_t> numbers) {
  state.addAttribute(name, builder.getDenseI64ArrayAttr(numbers));
}
