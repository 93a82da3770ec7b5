//===- FusedChecker.cpp - Constraints that skeletons share ----------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusedChecker.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace sinter::fused;

Type sinter::fused::scalarTypeOf(Value operand) {
  return getScalarType(getElementTypeOrSelf(operand.getType()));
}

Checker::Checker(Operation *op, ArrayAttr dims) : op(op) {
  llvm::append_range(names, dims.getAsValueRange<StringAttr>());
}

InFlightDiagnostic Checker::fail(unsigned constraint) {
  StringRef mnemonic = op->getName().stripDialect();
  return op->emitOpError() << mnemonic << "_c" << constraint << ": ";
}

LogicalResult Checker::space(unsigned constraint, ArrayRef<int64_t> extents,
                             ArrayRef<StringRef> expected) {
  if (names.size() != extents.size())
    return fail(constraint) << names.size() << " dimensions but "
                            << extents.size() << " extents";
  for (auto [i, name] : llvm::enumerate(names)) {
    if (llvm::is_contained(ArrayRef(names).take_front(i), name))
      return fail(constraint) << "dimension '" << name << "' stands twice";
    if (!ShapedType::isDynamic(extents[i]) && extents[i] <= 0)
      return fail(constraint) << "extent '" << extents[i] << "' of '" << name
                              << "', expected a positive number";
  }
  if (!expected.empty() && ArrayRef(names) != expected)
    return fail(constraint)
           << "dimensions '" << llvm::join(names, ", ") << "', expected '"
           << llvm::join(expected, ", ") << "'";
  return success();
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

LogicalResult Checker::map(unsigned constraint, const MapRule &rule,
                           Value operand, AffineMap map) {
  if (map.getNumDims() != rule.dims || map.getNumSymbols() != rule.symbols)
    return fail(constraint) << "map of " << rule.what << " is over '"
                            << map.getNumDims() << "' dimensions and '"
                            << map.getNumSymbols() << "' symbols, expected '"
                            << rule.dims << "' and '" << rule.symbols << "'";
  int64_t rank = cast<ShapedType>(operand.getType()).getRank();
  if (map.getNumResults() != rank)
    return fail(constraint) << "map of " << rule.what << " has '"
                            << map.getNumResults() << "' results, expected '"
                            << rank << "' for type " << operand.getType();
  for (unsigned dim : rule.forbidden)
    if (map.isFunctionOfDim(dim))
      return fail(constraint) << "map of " << rule.what
                              << " depends on dimension '" << names[dim] << "'";
  return success();
}

LogicalResult Checker::maps(unsigned constraint, const MapRule &rule,
                            ValueRange operands, ArrayAttr maps, bool whole) {
  if (operands.size() != maps.size())
    return fail(constraint) << "'" << maps.size() << "' maps of " << rule.what
                            << ", expected '" << operands.size() << "'";
  for (auto [operand, entry] : llvm::zip(operands, maps)) {
    if (whole && isa<UnitAttr>(entry))
      continue;
    AffineMap found = getOptionalMap(entry);
    if (!found)
      return fail(constraint) << entry << " is not a map of " << rule.what;
    if (failed(map(constraint, rule, operand, found)))
      return failure();
  }
  return success();
}

LogicalResult Checker::optionalMap(unsigned constraint, const MapRule &rule,
                                   Value operand,
                                   std::optional<AffineMap> found) {
  if (static_cast<bool>(operand) != found.has_value())
    return fail(constraint) << rule.what << " needs an operand and a map";
  return operand ? map(constraint, rule, operand, *found) : success();
}

LogicalResult Checker::symbols(unsigned constraint, ValueRange operands,
                               ArrayAttr symbolNames, ArrayAttr maps) {
  if (symbolNames.size() != operands.size())
    return fail(constraint)
           << "'" << symbolNames.size() << "' names of symbols, expected '"
           << operands.size() << "'";
  SmallVector<StringRef> all = names;
  for (StringRef name : symbolNames.getAsValueRange<StringAttr>()) {
    if (llvm::is_contained(all, name))
      return fail(constraint) << "symbol '" << name << "' stands twice";
    all.push_back(name);
  }
  MapRule rule = {"symbol", static_cast<unsigned>(names.size())};
  return this->maps(constraint, rule, operands, maps);
}

LogicalResult Checker::rows(unsigned constraint, Value operand,
                            std::optional<AffineMap> map,
                            std::optional<uint64_t> dim) {
  if (static_cast<bool>(operand) != dim.has_value())
    return fail(constraint) << "'rows' needs an operand and a dimension";
  MapRule rule = {"'rows'", static_cast<unsigned>(names.size())};
  if (dim && *dim >= names.size())
    return fail(constraint) << "dimension number '" << *dim << "' of '"
                            << names.size() << "' dimensions";
  if (dim)
    rule.forbidden.push_back(*dim);
  return optionalMap(constraint, rule, operand, map);
}

LogicalResult Checker::stores(unsigned constraint, const MapRule &rule,
                              ValueRange outs, ArrayRef<int64_t> numbers,
                              ArrayAttr maps) {
  SmallVector<Value> destinations;
  int64_t known = 0;
  for (int64_t number : numbers) {
    if (number < 0 || number >= static_cast<int64_t>(outs.size()))
      return fail(constraint) << "destination number '" << number << "' of '"
                              << outs.size() << "' destinations";
    if (number > known)
      return fail(constraint)
             << "destination number '" << number << "' before number '" << known
             << "': they go in order of first use";
    known = std::max(known, number + 1);
    destinations.push_back(outs[number]);
  }
  if (known != static_cast<int64_t>(outs.size()))
    return fail(constraint)
           << "nothing is stored into destination number '" << known << "'";
  return this->maps(constraint, rule, destinations, maps);
}

LogicalResult Checker::indices(unsigned constraint, ArrayRef<int64_t> numbers) {
  for (int64_t number : numbers)
    if (number < 0 || number >= static_cast<int64_t>(names.size()))
      return fail(constraint) << "index of dimension number '" << number
                              << "' of '" << names.size() << "' dimensions";
  return success();
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// `(f32, index)`.
static std::string spell(TypeRange types) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '(';
  llvm::interleaveComma(types, os);
  os << ')';
  return text;
}

LogicalResult Checker::arguments(unsigned constraint, StringRef what,
                                 Region &region, TypeRange types) {
  if (!region.hasOneBlock())
    return fail(constraint) << what << " needs one block";
  TypeRange found = region.front().getArgumentTypes();
  if (found != types)
    return fail(constraint) << what << " has arguments '" << spell(found)
                            << "', expected '" << spell(types) << "'";
  return success();
}

LogicalResult Checker::yields(unsigned constraint, StringRef what,
                              Region &region, TypeRange types) {
  Block &block = region.front();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return fail(constraint) << what << " must end with 'fused.yield'";
  if (yield.getValues().getTypes() != types)
    return fail(constraint)
           << what << " yields '" << spell(yield.getValues().getTypes())
           << "', expected '" << spell(types) << "'";
  return success();
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

LogicalResult Checker::extent(unsigned constraint, unsigned dim) {
  auto skeleton = cast<SkeletonInterface>(op);
  int64_t extent = skeleton.getExtents()[dim];
  bool fixed = !ShapedType::isDynamic(extent);
  auto [source, index] = skeleton.getExtentSource(dim);
  if (!fixed && !source)
    return fail(constraint)
           << "nothing tells the extent of dimension '" << names[dim] << "'";
  if (!fixed)
    extent = cast<ShapedType>(source.getType()).getDimSize(index);
  if (ShapedType::isDynamic(extent))
    return success();

  OperandRange outs = cast<DestinationStyleOpInterface>(op).getDpsInits();
  for (auto [value, map] : skeleton.getAccesses()) {
    if (!map)
      continue;
    bool atLeast = fixed || llvm::is_contained(outs, value);
    for (auto [i, result] : llvm::enumerate(map.getResults())) {
      int64_t other = cast<ShapedType>(value.getType()).getDimSize(i);
      auto plain = dyn_cast<AffineDimExpr>(result);
      if (!plain || plain.getPosition() != dim || ShapedType::isDynamic(other))
        continue;
      if (atLeast ? other < extent : other != extent)
        return fail(constraint)
               << "dimension '" << names[dim] << "' has extent '" << extent
               << "', but an operand of type " << value.getType() << " has '"
               << other << "' there";
    }
  }
  return success();
}

LogicalResult Checker::extents(unsigned constraint, ArrayRef<unsigned> exempt) {
  for (unsigned dim = 0; dim < names.size(); ++dim)
    if (!llvm::is_contained(exempt, dim) && failed(extent(constraint, dim)))
      return failure();
  return success();
}
