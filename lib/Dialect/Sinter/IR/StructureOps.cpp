//===- StructureOps.cpp - weights, layers, state, entries
//---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Sinter/IR/Sinter.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace sinter;

LogicalResult WeightOp::verify() {
  // weight_c1
  if (getNames().size() != getNumResults())
    return emitOpError("has '") << getNames().size() << "' names for '"
                                << getNumResults() << "' results";
  for (auto [name, type] : llvm::zip_equal(getNames(), getResultTypes())) {
    // weight_c2
    if (cast<StringAttr>(name).getValue().empty())
      return emitOpError("expects non-empty names");
    // weight_c3
    if (!cast<RankedTensorType>(type).hasStaticShape())
      return emitOpError("expects a static shape for ")
             << name << ", got " << type;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// layers
//===----------------------------------------------------------------------===//

/// (`from` `(` integer `)` | `index` `(` ssa-id `)`)*
static ParseResult
parseLayersClauses(OpAsmParser &parser, LayersOp::Properties &properties,
                   SmallVectorImpl<OpAsmParser::Argument> &arguments) {
  Builder &builder = parser.getBuilder();
  while (true) {
    if (succeeded(parser.parseOptionalKeyword("from"))) {
      int64_t first = 0;
      if (parser.parseLParen() || parser.parseInteger(first) ||
          parser.parseRParen())
        return failure();
      properties.first = builder.getI64IntegerAttr(first);
    } else if (arguments.empty() &&
               succeeded(parser.parseOptionalKeyword("index"))) {
      OpAsmParser::Argument &index = arguments.emplace_back();
      if (parser.parseLParen() || parser.parseArgument(index) ||
          parser.parseRParen())
        return failure();
      index.type = builder.getIndexType();
      properties.with_index = builder.getUnitAttr();
    } else {
      return success();
    }
  }
}

/// layers ::= string `count` `(` integer `)` clauses
///            (`(` (ssa-id `=` operand),+ `)` `:` type-list)?
///            (`attributes` attr-dict)? region
ParseResult LayersOp::parse(OpAsmParser &parser, OperationState &result) {
  Properties &properties = result.getOrAddProperties<Properties>();
  SmallVector<OpAsmParser::Argument> arguments, carried;
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  int64_t count = 0;
  if (parser.parseAttribute(properties.scope) || parser.parseKeyword("count") ||
      parser.parseLParen() || parser.parseInteger(count) ||
      parser.parseRParen() || parseLayersClauses(parser, properties, arguments))
    return failure();
  properties.count = parser.getBuilder().getI64IntegerAttr(count);
  SMLoc loc = parser.getCurrentLocation();
  OptionalParseResult list = parser.parseOptionalAssignmentList(carried, inits);
  if (list.has_value()) {
    if (failed(*list) || parser.parseColonTypeList(result.types) ||
        parser.resolveOperands(inits, result.types, loc, result.operands))
      return failure();
  }
  for (auto [argument, type] : llvm::zip_equal(carried, result.types))
    argument.type = type;
  arguments.append(carried);
  return failure(parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
                 parser.parseRegion(*result.addRegion(), arguments));
}

void LayersOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getScopeAttr() << " count(" << getCount() << ')';
  if (getFirst() != 0)
    printer << " from(" << getFirst() << ')';
  if (BlockArgument index = getIndexArgument())
    printer << " index(" << index << ')';
  if (!getInits().empty()) {
    printer << " (";
    llvm::interleaveComma(
        llvm::zip_equal(getCarried(), getInits()), printer, [&](auto pair) {
          printer << std::get<0>(pair) << " = " << std::get<1>(pair);
        });
    printer << ") : " << getInits().getTypes();
  }
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {"scope", "count", "first", "with_index"});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult LayersOp::verify() {
  // layers_c1
  if (getScope().empty())
    return emitOpError("expects a non-empty scope");
  // layers_c2
  if (static_cast<int64_t>(getCount()) < 0 ||
      static_cast<int64_t>(getFirst()) < 0)
    return emitOpError("expects count and from of at least 0");
  // layers_c3
  if (getInits().getTypes() != getResultTypes())
    return emitOpError("expects results of the types of its initial values");
  return success();
}

LogicalResult LayersOp::verifyRegions() {
  // layers_c4
  SmallVector<Type> expected;
  if (getWithIndex())
    expected.push_back(IndexType::get(getContext()));
  llvm::append_range(expected, getInits().getTypes());
  if (TypeRange(getBody().getArgumentTypes()) != TypeRange(expected))
    return emitOpError("expects block arguments of the types of its initial "
                       "values");
  // layers_c5
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield)
    return emitOpError("expects a body that ends with 'sinter.yield'");
  if (yield.getValues().getTypes() != getResultTypes())
    return yield.emitOpError("expects values of the types of the layers' "
                             "results");
  return success();
}

//===----------------------------------------------------------------------===//
// state
//===----------------------------------------------------------------------===//

LogicalResult StateOp::verify() {
  // state_c1
  if (getDims().size() != getBounds().size())
    return emitOpError("expects one bound per dimension");
  if (getCacheType()) {
    // state_c2
    if (getDims().size() != 2)
      return emitOpError("expects two dimension names for a cache, got '")
             << getDims().size() << "'";
    return success();
  }
  // state_c3
  auto tensor = dyn_cast<RankedTensorType>(getType());
  if (!tensor)
    return emitOpError("expects a ranked tensor or a cache, got ") << getType();
  Type element = tensor.getElementType();
  if (!element.isF32() && !element.isInteger(32) && !element.isInteger(64))
    return emitOpError("expects elements of f32, i32 or i64, got ") << element;
  // state_c4
  if (getDims().size() != static_cast<size_t>(tensor.getNumDynamicDims()))
    return emitOpError("has '")
           << getDims().size() << "' names for '" << tensor.getNumDynamicDims()
           << "' dynamic dimensions of " << tensor;
  // state_c5
  if (tensor.getRank() == 0 ||
      (tensor.getNumDynamicDims() > 0 && !tensor.isDynamicDim(0)))
    return emitOpError("expects rows as the first dimension, dynamic if any "
                       "other is, got ")
           << tensor;
  return success();
}

/// The state that `op` uses, or null after an error.
static StateOp lookUpState(Operation *op, FlatSymbolRefAttr name,
                           SymbolTableCollection &symbols) {
  auto state = symbols.lookupNearestSymbolFrom<StateOp>(op, name);
  if (!state)
    op->emitOpError("uses an unknown state ") << name;
  return state;
}

/// Checks that `op` moves values of `type` in or out of a tensor state. What is
/// read has the state's extents, whatever they are; what is written may have
/// constant ones, which the call checks.
static LogicalResult verifyTensorUse(Operation *op, FlatSymbolRefAttr name,
                                     Type type, bool isRead,
                                     SymbolTableCollection &symbols) {
  StateOp state = lookUpState(op, name, symbols);
  if (!state)
    return failure();
  auto expected = dyn_cast<RankedTensorType>(state.getType());
  auto actual = cast<RankedTensorType>(type);
  if (expected && expected.getElementType() == actual.getElementType() &&
      (isRead ? expected == actual
              : succeeded(verifyCompatibleShape(expected, actual))))
    return success();
  InFlightDiagnostic diag = op->emitOpError("expects a tensor like state ")
                            << name << ", got " << type;
  diag.attachNote(state.getLoc()) << "the state is " << state.getType();
  return diag;
}

LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // read_c1
  return verifyTensorUse(*this, getStateAttr(), getType(), /*isRead=*/true,
                         symbols);
}

LogicalResult WriteOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // write_c1
  return verifyTensorUse(*this, getStateAttr(), getValue().getType(),
                         /*isRead=*/false, symbols);
}

LogicalResult FillOp::verify() {
  // fill_c2
  ShapeCheck check(getLoc(), getOperationName());
  RankedTensorType key = check.tensor(getKey(), "key", 4, 4);
  RankedTensorType value = check.tensor(getValue(), "value", 4, 4);
  if (!key || !value)
    return failure();
  for (int64_t dim = 0; dim < 3; ++dim)
    if (failed(check.same(key.getDimSize(dim), value.getDimSize(dim),
                          "dimension " + Twine(dim) + " of value")))
      return failure();
  // fill_c3
  if (Value lengths = getLengths()) {
    RankedTensorType type = check.tensor(lengths, "lengths", 1, 1);
    if (!type || failed(check.same(key.getDimSize(0), type.getDimSize(0),
                                   "the size of lengths")))
      return failure();
  }
  return success();
}

LogicalResult FillOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // fill_c1
  StateOp state = lookUpState(*this, getStateAttr(), symbols);
  if (!state)
    return failure();
  CacheType cache = state.getCacheType();
  if (!cache)
    return emitOpError("expects a cache, got a state of ") << state.getType();
  // fill_c4
  ShapeCheck check(getLoc(), getOperationName());
  ArrayRef<int64_t> key = getKey().getType().getShape();
  if (failed(check.same(cache.getHeads(), key[2], "the heads")) ||
      failed(check.same(cache.getKey(), key[3], "the key size")) ||
      failed(check.same(cache.getValue(), getValue().getType().getDimSize(3),
                        "the value size")))
    return failure();
  return success();
}

/// Checks that some cache of the module has the cursor `name`.
static LogicalResult verifyCursor(Operation *op, StringRef name) {
  auto module = op->getParentOfType<ModuleOp>();
  if (module)
    for (StateOp state : module.getOps<StateOp>())
      if (state.getCacheType() && state.getCursor() == name)
        return success();
  return op->emitOpError("names the cursor '")
         << name << "', which no cache of the module has";
}

LogicalResult RestartOp::verifySymbolUses(SymbolTableCollection &) {
  // restart_c1
  return verifyCursor(*this, getCursor());
}

LogicalResult PositionsOp::verifySymbolUses(SymbolTableCollection &) {
  // positions_c2
  return getAfter() ? verifyCursor(*this, *getAfter()) : success();
}

//===----------------------------------------------------------------------===//
// entry
//===----------------------------------------------------------------------===//

LogicalResult EntryOp::verify() {
  // entry_c1
  for (NamedAttribute binding : getBound()) {
    auto number = dyn_cast<IntegerAttr>(binding.getValue());
    if (!number || number.getInt() < 0)
      return emitOpError("expects a number of at least 0 for '")
             << binding.getName().getValue() << "'";
  }
  return success();
}

/// Adds the names that `with` can bind: of dimensions and of integer arguments.
static void collectBindable(FunctionOpInterface function,
                            llvm::StringSet<> &names) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (auto dims = function.getArgAttrOfType<ArrayAttr>(i, dimsAttrName))
      for (auto dim : dims.getAsRange<StringAttr>())
        names.insert(dim.getValue());
    auto name = function.getArgAttrOfType<StringAttr>(i, nameAttrName);
    if (name && getElementTypeOrSelf(function.getArgumentTypes()[i])
                    .isSignlessInteger())
      names.insert(name.getValue());
  }
}

LogicalResult EntryOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // entry_c2
  auto function = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getFunctionAttr());
  if (!function || function.isExternal())
    return emitOpError("expects a function with a body, got ")
           << getFunctionAttr();
  // entry_c3
  llvm::StringSet<> names;
  collectBindable(function, names);
  for (NamedAttribute binding : getBound())
    if (!names.contains(binding.getName()))
      return emitOpError("binds '")
             << binding.getName().getValue() << "', which is no dimension or "
             << "integer argument of " << getFunctionAttr();
  // entry_c4
  names.clear();
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (auto name = function.getResultAttrOfType<StringAttr>(i, nameAttrName))
      names.insert(name.getValue());
  if (!getKeepAttr())
    return success();
  for (auto name : getKeepAttr().getAsRange<StringAttr>())
    if (!names.contains(name.getValue()))
      return emitOpError("keeps '")
             << name.getValue() << "', which is no result of "
             << getFunctionAttr();
  return success();
}
