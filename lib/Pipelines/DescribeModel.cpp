//===- DescribeModel.cpp - The interface of a planned module --------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Pipelines/DescribeModel.h"
#include "ReadSession.h"
#include "ScratchSizes.h"
#include "sinter/Dialect/Fused/IR/Fused.h"
#include "sinter/Dialect/Fused/Transforms/Sizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::package;

/// Symbol i of `expr` is the dimension names[i].
static SizeExpr sizeOf(AffineExpr expr, ArrayAttr names) {
  return *sizeOf(expr, [&](unsigned symbol) -> std::optional<SizeExpr> {
    return SizeExpr::dim(cast<StringAttr>(names[symbol]).getValue());
  });
}

namespace {

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
    readStates();
    function.walk([&](Operation *op) {
      entry.usesWeights |= isa<fused::ConstantOp>(op);
      entry.usesSession |= isa<fused::StateOp, fused::CursorOp,
                               fused::AdvanceOp, fused::CommitOp>(op);
    });
    entry.usesSession |= !entry.reads.empty();
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
    fused::EntryDims dims(function);
    for (auto name : names.getAsRange<StringAttr>()) {
      EntryDim dim;
      dim.name = name.str();
      StringRef session = name.getValue();
      session.consume_back(".capacity");
      if (sessionDim(session)) {
        dim.session = session.str();
        // An argument's dimension named like a capacity is a parameter, at
        // most that.
        if (session != name.getValue() || session == model.rows.name)
          dim.kind = EntryDim::Session;
        else if (!llvm::is_contained(dims.parameterNames(), name))
          dim.kind = llvm::is_contained(dims.currentNames(), name)
                         ? EntryDim::State
                         : EntryDim::Session;
      }
      entry.dims.push_back(dim);
    }
  }

  /// An entry that touches no state takes its dimensions from its caller.
  void dropUnusedSession() {
    if (entry.usesSession)
      return;
    for (EntryDim &dim : entry.dims) {
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

  /// The one Lengths tensor that counts positions of `extent`; -1: none, or
  /// several, of which none speaks for all.
  int lengthsOf(const package::Extent &extent) const {
    int found = -1;
    for (auto [number, tensor] : llvm::enumerate(entry.tensors)) {
      if (tensor.role != Tensor::Lengths || tensor.extent.name != extent.name ||
          tensor.extent.value != extent.value)
        continue;
      if (found >= 0)
        return -1;
      found = number;
    }
    return found;
  }

  LogicalResult readTensor(BlockArgument argument) {
    Tensor tensor;
    if (auto name = argumentAttr<StringAttr>(argument, "sinter.name"))
      tensor.name = name.str();
    else
      tensor.name = "argument" + std::to_string(argument.getArgNumber());
    auto type = cast<MemRefType>(argument.getType());
    auto element = elementTypeOf(type.getElementType(), argument.getLoc());
    if (failed(element))
      return failure();
    tensor.type = *element;
    if (auto map = argumentAttr<AffineMapAttr>(argument, "fused.extents")) {
      tensor.role = Tensor::Output;
      for (AffineExpr extent : map.getValue().getResults()) {
        FailureOr<package::Extent> known = extentOf(extent, argument.getLoc());
        if (failed(known))
          return failure();
        tensor.shape.push_back(*known);
      }
    } else {
      auto dims = argumentAttr<ArrayAttr>(argument, "sinter.dims");
      unsigned next = 0;
      for (int64_t extent : type.getShape())
        tensor.shape.push_back(
            ShapedType::isDynamic(extent)
                ? package::Extent::dim(
                      cast<StringAttr>(dims[next++]).getValue())
                : package::Extent::constant(extent));
    }
    readContent(argument, tensor);
    entry.tensors.push_back(std::move(tensor));
    return success();
  }

  /// What a caller must know of the numbers in a tensor.
  void readContent(BlockArgument argument, Tensor &tensor) {
    if (auto extent = argumentAttr<Attribute>(argument, "sinter.lengths")) {
      tensor.role = Tensor::Lengths;
      tensor.extent = extentFromAttr(extent);
    }
    if (auto limit = argumentAttr<IntegerAttr>(argument, "sinter.range"))
      tensor.limit = limit.getInt();
    if (auto below = argumentAttr<StringAttr>(argument, "sinter.below"))
      tensor.below = below.str();
    if (auto bound = argumentAttr<DenseI64ArrayAttr>(argument, "sinter.bound"))
      tensor.bound.assign(bound.asArrayRef().begin(), bound.asArrayRef().end());
  }

  template <typename AttrT>
  AttrT argumentAttr(BlockArgument argument, StringRef name) {
    return dyn_cast_or_null<AttrT>(
        function.getArgAttr(argument.getArgNumber(), name));
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
    } else if (advance.getLengths()) {
      return advance.emitError("moves cursor '")
             << use.cursor << "' by lengths that are no argument of the entry";
    } else if (auto idle =
                   function->getAttrOfType<IntegerAttr>("sinter.idle_rows");
               idle && !moves) {
      use.lengths = idle.getInt();
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

  /// Tensor states of current extents, read and written.
  void readStates() {
    if (auto reads = function->getAttrOfType<ArrayAttr>("fused.reads"))
      for (auto symbol : reads.getAsRange<FlatSymbolRefAttr>())
        entry.reads.push_back(symbol.getValue().str());
    for (auto commit : function.getBody().getOps<fused::CommitOp>()) {
      StateWrite write{commit.getSymbol().str(), {}};
      const State *state = model.findState(write.state);
      AffineMap extents =
          commit->getAttrOfType<AffineMapAttr>("fused.extents").getValue();
      for (auto [extent, written] :
           llvm::zip_equal(state->shape, extents.getResults().drop_front()))
        if (!extent.isConstant())
          write.extents.push_back(sizeOf(written, names));
      entry.writes.push_back(std::move(write));
    }
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

/// At the entry that it is about, if it is about one.
static void reportProblem(ModuleOp module, llvm::Error error) {
  llvm::handleAllErrors(
      std::move(error), [&](const package::InterfaceError &problem) {
        auto entry = problem.entry.empty()
                         ? func::FuncOp()
                         : module.lookupSymbol<func::FuncOp>(problem.entry);
        emitError(entry ? entry.getLoc() : module.getLoc()) << problem.message;
      });
}

FailureOr<package::ModelInterface> sinter::describeModel(ModuleOp module,
                                                         bool onDevice) {
  ModelInterface model;
  model.onDevice = onDevice;
  model.name = module.getName().value_or("model").str();
  if (failed(readSession(module, model)))
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
    reportProblem(module, std::move(error));
    return failure();
  }
  return model;
}
