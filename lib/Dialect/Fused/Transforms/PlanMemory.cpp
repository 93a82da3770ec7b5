//===- PlanMemory.cpp - Tensors become views of one arena -----------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferPlan.h"
#include "sinter/Dialect/Fused/IR/FusedBuilders.h"
#include "sinter/Dialect/Fused/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/SaveAndRestore.h"

namespace sinter::fused {
#define GEN_PASS_DEF_FUSEDPLANMEMORY
#include "sinter/Dialect/Fused/Transforms/Passes.h.inc"
} // namespace sinter::fused

using namespace mlir;
using namespace sinter::fused;

/// An identity map from `source` to `target`, of one type. Rows (the first
/// dimension) whose `lengths` are 0 stay as they are; null: none.
static void buildCopy(OpBuilder &builder, Location loc, Value source,
                      Value target, Value lengths) {
  unsigned rank = cast<MemRefType>(source.getType()).getRank();
  SmallVector<std::string> names;
  for (unsigned i = 0; i != rank; ++i)
    names.push_back("i" + std::to_string(i));
  MapSpec spec;
  spec.space.names.assign(names.begin(), names.end());
  spec.space.extents.assign(rank, ShapedType::kDynamic);
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  if (lengths) {
    // A dimension of one point, which exists where the length is not 0.
    spec.space.names.insert(spec.space.names.begin() + 1, "some");
    spec.space.extents.insert(spec.space.extents.begin() + 1, 1);
    identity = identity.shiftDims(1, 1);
    spec.rows = RowLimit{
        lengths, AffineMap::get(rank + 1, 0, builder.getAffineDimExpr(0)), 1};
  }
  spec.inputs.push_back({source, identity});
  spec.destinations.add(target, identity);
  spec.body = [](OpBuilder &, Location, ValueRange arguments) {
    return SmallVector<Value>(arguments);
  };
  buildMap(builder, loc, spec);
}

namespace {

/// Writes a planned entry beside the old one, on memrefs.
class PlanWriter {
public:
  PlanWriter(func::FuncOp entry, const BufferPlan &plan)
      : entry(entry), plan(plan), builder(entry) {}

  void write() {
    createFunction();
    writeBlock(entry.getBody().front());
  }

private:
  void writeBlock(Block &block) {
    for (Operation &op : block) {
      if (isa<SkeletonInterface>(op))
        writeSkeleton(&op);
      else if (auto loop = dyn_cast<scf::ForOp>(op))
        writeLoop(loop);
      else if (auto advance = dyn_cast<AdvanceOp>(op))
        writeAdvance(advance);
      else if (isa<func::ReturnOp>(op))
        writeEnd(op.getLoc());
    }
  }

  void writeLoop(scf::ForOp loop) {
    const BufferPlan::LoopCopies &copies = plan.copiesOf(loop);
    for (const BufferPlan::Copy &copy : copies.before)
      buildCopy(builder, copy.loc, memrefOf(copy.source),
                memrefOf(copy.carried), Value());
    Location loc = loop.getLoc();
    auto planned = scf::ForOp::create(
        builder, loc, extentOf(loop.getLowerBound(), loc),
        extentOf(loop.getUpperBound(), loc), extentOf(loop.getStep(), loc));
    OpBuilder::InsertionGuard guard(builder);
    llvm::SaveAndRestore outer(outermost, outermost ? outermost : planned);
    builder.setInsertionPoint(planned.getBody()->getTerminator());
    writeBlock(*loop.getBody());
    // Old values first: the memory of another carried value is overwritten.
    SmallVector<Value> sources;
    for (const BufferPlan::Copy &copy : copies.after)
      sources.push_back(throughSlot(copy, memrefOf(copy.source)));
    for (auto [copy, source] : llvm::zip_equal(copies.after, sources))
      buildCopy(builder, copy.loc, source, memrefOf(copy.carried), Value());
  }

  /// `source`, or a copy of it in the slot that the plan says.
  Value throughSlot(const BufferPlan::Copy &copy, Value source) {
    if (copy.slot < 0)
      return source;
    Value slot = SlotOp::create(builder, copy.loc, typeOf(copy.source),
                                copy.slot, dynamicExtents(copy.source));
    buildCopy(builder, copy.loc, source, slot, Value());
    return slot;
  }

  void createFunction() {
    auto type = cast<FunctionType>(entry.getFunctionType());
    SmallVector<Type> arguments;
    SmallVector<DictionaryAttr> attributes;
    for (unsigned i = 0, e = type.getNumInputs(); i != e; ++i) {
      arguments.push_back(
          memrefTypeOf(cast<RankedTensorType>(type.getInput(i))));
      attributes.push_back(DictionaryAttr::get(
          entry.getContext(), function_interface_impl::getArgAttrs(entry, i)));
    }
    auto returnOp =
        cast<func::ReturnOp>(entry.getBody().front().getTerminator());
    for (unsigned i = 0, e = type.getNumResults(); i != e; ++i) {
      arguments.push_back(
          memrefTypeOf(cast<RankedTensorType>(type.getResult(i))));
      NamedAttrList list(function_interface_impl::getResultAttrs(entry, i));
      list.set("fused.extents", AffineMapAttr::get(plan.dims().map(
                                    plan.extentsOf(returnOp.getOperand(i)))));
      attributes.push_back(list.getDictionary(entry.getContext()));
    }
    planned = func::FuncOp::create(
        builder, entry.getLoc(), entry.getName(),
        builder.getFunctionType(arguments, {}),
        llvm::to_vector(entry->getDiscardableAttrs()), attributes);
    Block *body = planned.addEntryBlock();
    firstOutput = type.getNumInputs();
    for (BlockArgument argument : entry.getArguments())
      memrefs[argument] = body->getArgument(argument.getArgNumber());
    annotate();
    builder.setInsertionPointToStart(body);
  }

  void annotate() {
    SmallVector<Attribute> names(plan.dims().names().begin(),
                                 plan.dims().names().end());
    SmallVector<Attribute> slots;
    for (const auto &sizes : plan.slots())
      slots.push_back(AffineMapAttr::get(plan.dims().map(sizes)));
    planned->setAttr("fused.dims", builder.getArrayAttr(names));
    planned->setAttr("fused.slots", builder.getArrayAttr(slots));
  }

  void writeSkeleton(Operation *op) {
    IRMapping mapping;
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (!op->isAncestor(operand.getParentBlock()->getParentOp()) &&
            plan.hasPlace(plan.rootOf(operand)))
          mapping.map(operand, memrefOf(operand));
    });
    auto dps = cast<DestinationStyleOpInterface>(op);
    for (OpOperand &init : dps.getDpsInitsMutable())
      mapping.map(init.get(), memrefOf(dps.getTiedOpResult(&init)));

    OperationState state(op->getLoc(), op->getName());
    for (Value operand : op->getOperands())
      state.addOperands(mapping.lookup(operand));
    state.addAttributes(op->getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    for (Region &region : op->getRegions())
      region.cloneInto(state.addRegion(), mapping);
    // Tables reach a region as a whole, so as memrefs from here on.
    builder.create(state)->walk([](Block *block) {
      for (BlockArgument argument : block->getArguments())
        if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
          argument.setType(memrefTypeOf(type));
    });
  }

  void writeAdvance(AdvanceOp op) {
    AdvanceOp::create(builder, op.getLoc(), op.getName(),
                      op.getLengths() ? memrefOf(op.getLengths()) : Value(),
                      op.getExtent() ? extentOf(op.getExtent(), op.getLoc())
                                     : Value(),
                      op.getRestart());
  }

  Value extentOf(Value index, Location loc) {
    EntryDims dims = plan.dims();
    return dims.materialize(builder, loc, *dims.expression(index));
  }

  /// What ends elsewhere than where it was computed is copied last: outputs
  /// and old states first, since states are overwritten after.
  void writeEnd(Location loc) {
    SmallVector<std::pair<const BufferPlan::Copy *, Value>> updates;
    for (const BufferPlan::Copy &copy : plan.copies()) {
      Value source = memrefOf(copy.source);
      if (!copy.storage) {
        copyTo(copy, source, planned.getArgument(firstOutput + copy.output));
        continue;
      }
      updates.push_back({&copy, throughSlot(copy, source)});
    }
    for (auto [copy, source] : updates)
      update(*copy, source);
    func::ReturnOp::create(builder, loc);
  }

  /// Where extents change with the content, the runtime copies.
  void update(const BufferPlan::Copy &copy, Value source) {
    auto storage =
        SymbolTable::lookupNearestSymbolFrom<StorageOp>(planned, copy.storage);
    if (!storage.hasCurrentExtents()) {
      copyTo(
          copy, source,
          StateOp::create(builder, copy.loc, source.getType(), copy.storage));
      return;
    }
    auto commit = CommitOp::create(builder, copy.loc, copy.storage, source);
    commit->setAttr("fused.extents", AffineMapAttr::get(plan.dims().map(
                                         plan.extentsOf(copy.source))));
  }

  void copyTo(const BufferPlan::Copy &copy, Value source, Value target) {
    buildCopy(builder, copy.loc, source, target,
              copy.lengths ? memrefOf(copy.lengths) : Value());
  }

  /// The memref of a tensor; created at its first use, outside of loops.
  Value memrefOf(Value value) {
    if (Value known = memrefs.lookup(value))
      return known;
    OpBuilder::InsertionGuard guard(builder);
    if (outermost)
      builder.setInsertionPoint(outermost);
    Value root = plan.rootOf(value);
    Value memref = root == value ? createRoot(root) : memrefOf(root);
    if (memref.getType() != typeOf(value))
      memref = ViewOp::create(builder, value.getLoc(), typeOf(value), memref,
                              dynamicExtents(value));
    return memrefs[value] = memref;
  }

  Value createRoot(Value root) {
    Location loc = root.getLoc();
    MemRefType type = typeOf(root);
    BufferPlan::Place place = plan.placeOf(root);
    switch (place.kind) {
    case BufferPlan::Place::Argument:
      return memrefs.lookup(root);
    case BufferPlan::Place::Output:
      return planned.getArgument(firstOutput + place.number);
    case BufferPlan::Place::Slot:
      return SlotOp::create(builder, loc, type, place.number,
                            dynamicExtents(root));
    case BufferPlan::Place::Constant:
      return ConstantOp::create(builder, loc, type,
                                root.getDefiningOp<ConstantOp>().getSymbol());
    case BufferPlan::Place::Cursor: {
      auto cursor = root.getDefiningOp<CursorOp>();
      return CursorOp::create(builder, loc, type, cursor.getName(),
                              cursor.getAfter());
    }
    case BufferPlan::Place::State:
      return StateOp::create(builder, loc, type,
                             root.getDefiningOp<StateOp>().getSymbol());
    }
    llvm_unreachable("all kinds of places are handled");
  }

  static MemRefType typeOf(Value value) {
    return memrefTypeOf(cast<RankedTensorType>(value.getType()));
  }

  SmallVector<Value> dynamicExtents(Value value) {
    SmallVector<Value> extents;
    for (auto [size, extent] :
         llvm::zip_equal(typeOf(value).getShape(), plan.extentsOf(value)))
      if (ShapedType::isDynamic(size))
        extents.push_back(
            plan.dims().materialize(builder, value.getLoc(), extent));
    return extents;
  }

  func::FuncOp entry;
  const BufferPlan &plan;
  OpBuilder builder;
  func::FuncOp planned;
  unsigned firstOutput = 0;
  /// The loop of the planned entry that is being written, if any.
  scf::ForOp outermost;
  llvm::DenseMap<Value, Value> memrefs;
};

struct PlanMemoryPass
    : sinter::fused::impl::FusedPlanMemoryBase<PlanMemoryPass> {
  void runOnOperation() override {
    for (auto entry :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (entry.isExternal())
        continue;
      FailureOr<BufferPlan> plan = BufferPlan::create(entry);
      if (failed(plan))
        return signalPassFailure();
      PlanWriter(entry, *plan).write();
      entry.erase();
    }
  }
};

} // namespace
