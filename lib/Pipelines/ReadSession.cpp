//===- ReadSession.cpp - Session-wide facts of a module -------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadSession.h"
#include "sinter/Dialect/Fused/IR/Fused.h"
#include "sinter/Dialect/Sinter/IR/SessionRows.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::package;

FailureOr<ElementType> sinter::elementTypeOf(Type type, Location loc) {
  if (type.isF32())
    return ElementType::F32;
  if (type.isF64())
    return ElementType::F64;
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return ElementType::I1;
    case 8:
      return ElementType::I8;
    case 16:
      return ElementType::I16;
    case 32:
      return ElementType::I32;
    case 64:
      return ElementType::I64;
    }
  }
  return emitError(loc) << "a tensor of " << type
                        << " can't cross the C interface";
}

namespace {

/// Session-wide facts from the `fused.storage` symbols.
class SessionReader {
public:
  SessionReader(ModuleOp module, ModelInterface &model)
      : module(module), model(model) {}

  LogicalResult read() {
    for (auto storage : module.getOps<fused::StorageOp>())
      if (failed(readStorage(storage)))
        return failure();
    return success();
  }

private:
  LogicalResult readStorage(fused::StorageOp storage) {
    auto type = cast<RankedTensorType>(storage.getType());
    FailureOr<ElementType> element =
        elementTypeOf(type.getElementType(), storage.getLoc());
    if (failed(element))
      return failure();
    SmallVector<package::Extent> shape;
    unsigned next = 0;
    for (int64_t extent : type.getShape())
      shape.push_back(ShapedType::isDynamic(extent)
                          ? readDim(storage, next++)
                          : package::Extent::constant(extent));
    if (failed(readRows(storage, shape.front())) || failed(fixRows(storage)))
      return failure();
    if (!storage.getCursor()) {
      State state;
      state.kind = State::Tensor;
      state.name = storage.getSymName().str();
      state.type = *element;
      state.shape.assign(shape.begin() + 1, shape.end());
      model.states.push_back(std::move(state));
      return success();
    }
    return readCache(storage, shape, *element);
  }

  /// All states have the same rows.
  LogicalResult readRows(fused::StorageOp storage,
                         const package::Extent &rows) {
    if (first &&
        (rows.name != model.rows.name || rows.value != model.rows.value))
      return storage.emitError("its rows are ")
                 .append(spell(rows), ", those of '", first.getSymName(),
                         "' are ", spell(model.rows))
                 .attachNote(first.getLoc())
             << "all states of a model have the same rows";
    first = storage;
    model.rows = rows;
    return success();
  }

  /// Entries with a constant number of rows take sessions of as many only.
  LogicalResult fixRows(fused::StorageOp storage) {
    auto rows = storage->getAttrOfType<IntegerAttr>(sessionRowsAttrName);
    if (!rows)
      return success();
    for (SessionDim &dim : model.sessionDims) {
      if (dim.name != model.rows.name)
        continue;
      bool isFixed = dim.lower == dim.upper;
      if (rows.getInt() < dim.lower || rows.getInt() > dim.upper)
        return storage.emitError("entries that use it have '")
               << rows.getInt() << "' rows, "
               << (isFixed ? "those of another state" : "a session has at most")
               << " '" << dim.upper << "'";
      dim.lower = dim.upper = rows.getInt();
    }
    return success();
  }

  static std::string spell(const package::Extent &extent) {
    return "'" +
           (extent.isConstant() ? std::to_string(extent.value) : extent.name) +
           "'";
  }

  /// Keys come first and values right after them.
  LogicalResult readCache(fused::StorageOp storage,
                          ArrayRef<package::Extent> shape,
                          ElementType element) {
    if (!model.findCursor(*storage.getCursor()))
      model.cursors.push_back({storage.getCursor()->str(), shape[2]});
    if (std::optional<StringRef> name = storage.getKeysOf()) {
      State state;
      state.kind = State::Cache;
      state.name = name->str();
      state.type = element;
      state.cursor = storage.getCursor()->str();
      state.heads = shape[1].value;
      state.key = shape[3].value;
      if (fused::LayoutAttr layout = fused::getLayout(storage.getType()))
        state.panel = layout.getPanelWidth(/*dim=*/2);
      model.states.push_back(std::move(state));
      return success();
    }
    if (model.states.empty() ||
        model.states.back().name != *storage.getValuesOf())
      return storage.emitError(
          "expects the values of a cache right after its keys");
    model.states.back().value = shape[3].value;
    return success();
  }

  package::Extent readDim(fused::StorageOp storage, unsigned number) {
    StringRef name = cast<StringAttr>(storage.getDims()[number]).getValue();
    int64_t bound = storage.getBounds()[number];
    for (const SessionDim &dim : model.sessionDims)
      if (dim.name == name)
        return package::Extent::dim(name);
    SessionDim dim;
    dim.name = name.str();
    if (bound > 0)
      dim.upper = bound;
    model.sessionDims.push_back(dim);
    return package::Extent::dim(name);
  }

  ModuleOp module;
  ModelInterface &model;
  fused::StorageOp first;
};

} // namespace

LogicalResult sinter::readSession(ModuleOp module, ModelInterface &model) {
  return SessionReader(module, model).read();
}
