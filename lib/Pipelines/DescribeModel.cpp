//===- DescribeModel.cpp - The interface of a planned module --------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Pipelines/DescribeModel.h"
#include "sinter/Dialect/Fused/IR/Fused.h"
#include "sinter/Dialect/Fused/Transforms/Sizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::package;

static FailureOr<ElementType> elementTypeOf(Type type, Location loc) {
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

/// Symbol i of `expr` is the dimension names[i].
static SizeExpr sizeOf(AffineExpr expr, ArrayAttr names) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return SizeExpr(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return SizeExpr::dim(
        cast<StringAttr>(names[symbol.getPosition()]).getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  SizeExpr lhs = sizeOf(binary.getLHS(), names);
  if (binary.getKind() == AffineExprKind::CeilDiv)
    return SizeExpr::ceilDiv(
        lhs, cast<AffineConstantExpr>(binary.getRHS()).getValue());
  SizeExpr rhs = sizeOf(binary.getRHS(), names);
  return binary.getKind() == AffineExprKind::Add ? lhs + rhs : lhs * rhs;
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
    model.rows = shape.front();
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

  /// Keys come first and values right after them.
  LogicalResult readCache(fused::StorageOp storage,
                          ArrayRef<package::Extent> shape, ElementType element) {
    StringRef name = storage.getSymName();
    if (!model.findCursor(*storage.getCursor()))
      model.cursors.push_back({storage.getCursor()->str(), shape[2]});
    if (name.consume_back(".keys")) {
      State state;
      state.kind = State::Cache;
      state.name = name.str();
      state.type = element;
      state.cursor = storage.getCursor()->str();
      state.heads = shape[1].value;
      state.key = shape[3].value;
      model.states.push_back(std::move(state));
      return success();
    }
    if (!name.consume_back(".values") || model.states.empty() ||
        model.states.back().name != name)
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
};

/// One entry from its function.
class EntryReader {
public:
  EntryReader(func::FuncOp function, const ModelInterface &model)
      : function(function), model(model),
        names(function->getAttrOfType<ArrayAttr>("fused.dims")) {}

  FailureOr<EntryInterface> read() {
    entry.name = function.getName().str();
    if (auto comment = function->getAttrOfType<StringAttr>("sinter.comment"))
      entry.comment = comment.str();
    readDims();
    if (failed(readTensors()) || failed(readCursors()) ||
        failed(readPositions()))
      return failure();
    readSlots();
    function.walk([&](Operation *op) {
      entry.usesWeights |= isa<fused::ConstantOp>(op);
      entry.usesSession |=
          isa<fused::StateOp, fused::CursorOp, fused::AdvanceOp>(op);
    });
    dropUnusedSession();
    return entry;
  }

private:
  const SessionDim *sessionDim(StringRef name) const {
    for (const SessionDim &dim : model.sessionDims)
      if (dim.name == name)
        return &dim;
    return nullptr;
  }

  void readDims() {
    for (auto name : names.getAsRange<StringAttr>()) {
      EntryDim dim;
      dim.name = name.str();
      if (sessionDim(name)) {
        dim.kind = EntryDim::Session;
        dim.session = dim.name;
      }
      entry.dims.push_back(dim);
    }
  }

  /// An entry that touches no state takes its dimensions from its caller.
  void dropUnusedSession() {
    if (entry.usesSession)
      return;
    for (EntryDim &dim : entry.dims) {
      if (dim.kind != EntryDim::Session)
        continue;
      dim.kind = EntryDim::Parameter;
      dim.session.clear();
    }
  }

  LogicalResult readTensors() {
    for (BlockArgument argument : function.getArguments())
      if (failed(readTensor(argument)))
        return failure();
    for (Tensor &tensor : entry.tensors)
      if (tensor.role != Tensor::Lengths && tensor.shape.size() >= 2)
        tensor.lengths = lengthsOf(tensor.shape[1]);
    return success();
  }

  /// The Lengths tensor that counts positions of `extent`; -1: none.
  int lengthsOf(const package::Extent &extent) const {
    for (auto [number, tensor] : llvm::enumerate(entry.tensors))
      if (tensor.role == Tensor::Lengths && tensor.extent.name == extent.name &&
          tensor.extent.value == extent.value)
        return number;
    return -1;
  }

  LogicalResult readTensor(BlockArgument argument) {
    unsigned number = argument.getArgNumber();
    auto type = cast<MemRefType>(argument.getType());
    auto attr = [&](StringRef name) {
      return function.getArgAttr(number, name);
    };
    Tensor tensor;
    if (auto name = dyn_cast_or_null<StringAttr>(attr("sinter.name")))
      tensor.name = name.str();
    else
      tensor.name = "argument" + std::to_string(number);
    auto element = elementTypeOf(type.getElementType(), argument.getLoc());
    if (failed(element))
      return failure();
    tensor.type = *element;
    if (auto map = dyn_cast_or_null<AffineMapAttr>(attr("fused.extents"))) {
      tensor.role = Tensor::Output;
      for (AffineExpr extent : map.getValue().getResults()) {
        FailureOr<package::Extent> known = extentOf(extent, argument.getLoc());
        if (failed(known))
          return failure();
        tensor.shape.push_back(*known);
      }
    } else {
      auto dims = dyn_cast_or_null<ArrayAttr>(attr("sinter.dims"));
      unsigned next = 0;
      for (int64_t extent : type.getShape())
        tensor.shape.push_back(
            ShapedType::isDynamic(extent)
                ? package::Extent::dim(cast<StringAttr>(dims[next++]).getValue())
                : package::Extent::constant(extent));
    }
    if (Attribute extent = attr("sinter.lengths")) {
      tensor.role = Tensor::Lengths;
      tensor.extent = extentFromAttr(extent);
    }
    if (auto limit = dyn_cast_or_null<IntegerAttr>(attr("sinter.range")))
      tensor.limit = limit.getInt();
    entry.tensors.push_back(std::move(tensor));
    return success();
  }

  static package::Extent extentFromAttr(Attribute attr) {
    if (auto name = dyn_cast<StringAttr>(attr))
      return package::Extent::dim(name.getValue());
    return package::Extent::constant(cast<IntegerAttr>(attr).getInt());
  }

  FailureOr<package::Extent> extentOf(AffineExpr expr, Location loc) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return package::Extent::constant(constant.getValue());
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      return package::Extent::dim(
          cast<StringAttr>(names[symbol.getPosition()]).getValue());
    return emitError(loc) << "an extent of an output must be a constant or a "
                             "named dimension, not an expression";
  }

  LogicalResult readCursors() {
    for (const Cursor &cursor : model.cursors) {
      fused::AdvanceOp advance;
      bool read = false;
      for (Operation &op : function.getBody().front()) {
        if (auto use = dyn_cast<fused::CursorOp>(op))
          read |= use.getName() == cursor.name;
        if (auto use = dyn_cast<fused::AdvanceOp>(op))
          if (use.getName() == cursor.name)
            advance = use;
      }
      if (advance && failed(readAdvance(advance)))
        return failure();
      if (!advance && read)
        addCursor(cursor.name, CursorUse::Read);
    }
    return success();
  }

  void addCursor(StringRef name, CursorUse::Kind kind) {
    CursorUse use;
    use.cursor = name.str();
    use.kind = kind;
    entry.cursors.push_back(std::move(use));
  }

  LogicalResult readAdvance(fused::AdvanceOp advance) {
    CursorUse use;
    use.cursor = advance.getName().str();
    bool moves = advance.getLengths() || advance.getExtent();
    use.kind = !advance.getRestart() ? CursorUse::Append
               : moves               ? CursorUse::Fill
                                     : CursorUse::Restart;
    if (auto lengths = dyn_cast_or_null<BlockArgument>(advance.getLengths())) {
      use.lengths = lengths.getArgNumber();
      use.by = entry.tensors[use.lengths].extent;
    } else if (advance.getExtent()) {
      fused::EntryDims dims(function);
      auto expr = dims.expression(advance.getExtent());
      if (failed(expr))
        return failure();
      auto by = extentOf(*expr, advance.getLoc());
      if (failed(by))
        return failure();
      use.by = *by;
    }
    boundBy(use.by, use.cursor);
    entry.cursors.push_back(std::move(use));
    return success();
  }

  /// No call can append more positions than a cache may ever hold.
  void boundBy(const package::Extent &extent, StringRef capacity) {
    if (const SessionDim *limit = sessionDim(capacity))
      limitDim(extent, limit->upper);
  }

  void limitDim(const package::Extent &extent, int64_t upper) {
    for (EntryDim &dim : entry.dims)
      if (dim.kind == EntryDim::Parameter && dim.name == extent.name)
        dim.upper = std::min(dim.upper, upper);
  }

  LogicalResult readPositions() {
    auto checks = function->getAttrOfType<ArrayAttr>("sinter.positions");
    if (!checks)
      return success();
    for (auto check : checks.getAsRange<DictionaryAttr>()) {
      PositionCheck position;
      position.by = extentFromAttr(check.get("extent"));
      auto cursor = check.getAs<StringAttr>("cursor");
      if (!cursor) {
        limitDim(position.by, check.getAs<IntegerAttr>("limit").getInt());
        continue;
      }
      position.cursor = cursor.str();
      position.lengths = lengthsOf(position.by);
      position.limit = check.getAs<IntegerAttr>("limit").getInt();
      entry.positions.push_back(std::move(position));
    }
    return success();
  }

  void readSlots() {
    auto slots = function->getAttrOfType<ArrayAttr>("fused.slots");
    for (auto attr : slots.getAsRange<AffineMapAttr>()) {
      SizeExpr size;
      for (AffineExpr expr : attr.getValue().getResults())
        size = SizeExpr::max(size, sizeOf(expr, names));
      entry.slots.push_back(size);
    }
  }

  func::FuncOp function;
  const ModelInterface &model;
  ArrayAttr names;
  EntryInterface entry;
};

} // namespace

FailureOr<package::ModelInterface> sinter::describeModel(ModuleOp module) {
  ModelInterface model;
  model.name = module.getName().value_or("model").str();
  if (failed(SessionReader(module, model).read()))
    return failure();
  for (auto function : module.getOps<func::FuncOp>()) {
    FailureOr<EntryInterface> entry = EntryReader(function, model).read();
    if (failed(entry))
      return failure();
    model.entries.push_back(std::move(*entry));
  }
  for (auto kernel : module.getOps<fused::KernelOp>())
    model.kernels.push_back(kernel.getSymName().str());
  for (auto packed : module.getOps<fused::PackedOp>()) {
    uint64_t end =
        packed.getOffset() +
        fused::staticSizeInBytes(cast<RankedTensorType>(packed.getType()));
    model.weights.bytes = std::max(model.weights.bytes, end);
  }
  model.complete();
  if (llvm::Error error = model.verify()) {
    module.emitError() << llvm::toString(std::move(error));
    return failure();
  }
  return model;
}
