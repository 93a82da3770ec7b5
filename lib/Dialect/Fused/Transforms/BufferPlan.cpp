//===- BufferPlan.cpp - Where each tensor of an entry lies ----------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace sinter::fused;

MemRefType sinter::fused::memrefTypeOf(RankedTensorType type) {
  auto layout = dyn_cast_or_null<LayoutAttr>(type.getEncoding());
  if (!layout)
    return MemRefType::get(type.getShape(), type.getElementType());
  return MemRefType::get(type.getShape(), type.getElementType(),
                         cast<MemRefLayoutAttrInterface>(layout));
}

FailureOr<BufferPlan> BufferPlan::create(func::FuncOp entry) {
  BufferPlan plan(entry);
  if (failed(plan.visitArguments()))
    return failure();
  for (Operation &op : entry.getBody().front())
    if (failed(plan.visit(&op)))
      return failure();
  plan.colour();
  return plan;
}

LogicalResult BufferPlan::visitArguments() {
  for (BlockArgument argument : entry.getArguments()) {
    if (!isa<RankedTensorType>(argument.getType()))
      continue;
    auto sizes = dimensions.argumentExtents(argument);
    if (failed(sizes))
      return failure();
    roots[argument] = argument;
    places[argument] = {Place::Argument};
    extents[argument] = *sizes;
  }
  return success();
}

LogicalResult BufferPlan::visit(Operation *op) {
  if (isa<SkeletonInterface>(op))
    return visitSkeleton(op);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitLoop(loop);
  if (isa<tensor::EmptyOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
          tensor::CastOp>(op))
    return visitShape(op);
  if (isa<ConstantOp, CursorOp, StateOp>(op))
    return visitStorage(op);
  if (auto commit = dyn_cast<CommitOp>(op))
    return visitCommit(commit), success();
  if (auto returnOp = dyn_cast<func::ReturnOp>(op))
    return visitReturn(returnOp), success();
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  if (isa<AdvanceOp, tensor::DimOp>(op) ||
      (llvm::none_of(op->getOperandTypes(), isTensor) &&
       llvm::none_of(op->getResultTypes(), isTensor)))
    return success();
  InFlightDiagnostic diag = op->emitError()
                            << "'" << op->getName()
                            << "' has no place in the memory plan";
  diag.attachNote() << "it must be lowered to a fused op first";
  return diag;
}

LogicalResult BufferPlan::define(Value value, Value root,
                                 ArrayRef<OpFoldResult> sizes) {
  SmallVector<AffineExpr> exprs;
  for (OpFoldResult size : sizes) {
    if (auto attr = dyn_cast<Attribute>(size)) {
      exprs.push_back(getAffineConstantExpr(cast<IntegerAttr>(attr).getInt(),
                                            entry.getContext()));
      continue;
    }
    auto expr = dimensions.expression(cast<Value>(size));
    if (failed(expr))
      return failure();
    exprs.push_back(*expr);
  }
  roots[value] = root;
  extents[value] = std::move(exprs);
  return success();
}

LogicalResult BufferPlan::visitShape(Operation *op) {
  Value result = op->getResult(0);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return define(result, result, empty.getMixedSizes());
  Value source = op->getOperand(0);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return define(result, rootOf(source), expand.getMixedOutputShape());
  roots[result] = rootOf(source);
  SmallVector<AffineExpr> old(extentsOf(source));
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
  if (!collapse) {
    extents[result] = std::move(old);
    return success();
  }
  for (const ReassociationIndices &group : collapse.getReassociationIndices()) {
    AffineExpr product = getAffineConstantExpr(1, entry.getContext());
    for (int64_t dim : group)
      product = product * old[dim];
    extents[result].push_back(product);
  }
  return success();
}

StorageOp BufferPlan::storageOf(FlatSymbolRefAttr symbol) const {
  return SymbolTable::lookupNearestSymbolFrom<StorageOp>(entry, symbol);
}

StorageOp BufferPlan::storageWithCursor(StringRef name) const {
  for (auto storage : entry->getParentOfType<ModuleOp>().getOps<StorageOp>())
    if (storage.getCursor() == name)
      return storage;
  return {};
}

LogicalResult BufferPlan::visitStorage(Operation *op) {
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  roots[result] = result;
  StorageOp storage;
  if (auto state = dyn_cast<StateOp>(op)) {
    places[result] = {Place::State};
    storage = storageOf(state.getSymbolAttr());
    if (!storage)
      return op->emitError() << "'" << state.getSymbol() << "' is no storage";
  } else if (auto cursor = dyn_cast<CursorOp>(op)) {
    places[result] = {Place::Cursor};
    storage = storageWithCursor(cursor.getName());
    if (!storage)
      return op->emitError()
             << "no storage has the cursor '" << cursor.getName() << "'";
  } else {
    places[result] = {Place::Constant};
  }
  unsigned next = 0;
  for (int64_t extent : type.getShape()) {
    if (!ShapedType::isDynamic(extent)) {
      extents[result].push_back(
          getAffineConstantExpr(extent, entry.getContext()));
      continue;
    }
    // The first dimension of a storage is the rows, the others are capacities
    // of a cache and current extents of a tensor.
    auto name = cast<StringAttr>(storage.getDims()[next]);
    bool isCapacity = next != 0 && storage.getCursor();
    extents[result].push_back(isCapacity ? dimensions.capacity(name)
                                         : dimensions.dim(name));
    ++next;
  }
  return success();
}

/// `op` updates the memory of `init`: nobody may need the old content after.
LogicalResult BufferPlan::checkInPlace(Operation *op, Value init) {
  Value root = rootOf(init);
  Block &body = *op->getBlock();
  auto carried = dyn_cast<BlockArgument>(root);
  if (carried ? carried.getOwner()->isEntryBlock() &&
                    carried.getOwner()->getParentOp() == entry
              : isa<ConstantOp, CursorOp>(root.getDefiningOp()))
    return op->emitError("would update an input or a weight in place");
  if (root.getParentBlock() != &body)
    return op->emitError("would update in place what its loop does not carry");
  auto state = root.getDefiningOp<StateOp>();
  auto sharesMemory = [&](Value value) {
    if (rootOf(value) == root)
      return true;
    auto other = value.getDefiningOp<StateOp>();
    return state && other && other.getSymbolAttr() == state.getSymbolAttr();
  };
  // All values of that memory made before `op` hold the old content.
  for (Operation &old : body) {
    if (&old == op)
      break;
    for (Value value : old.getResults())
      if (sharesMemory(value))
        for (Operation *user : value.getUsers())
          if (user != op &&
              op->isBeforeInBlock(body.findAncestorOpInBlock(*user)))
            return user->emitError(
                           "reads a value after it was updated in place")
                       .attachNote(op->getLoc())
                   << "updated here";
  }
  return success();
}

LogicalResult BufferPlan::visitSkeleton(Operation *op) {
  auto dps = cast<DestinationStyleOpInterface>(op);
  // What is read though nothing was written, for its shape say, has memory too.
  for (OpOperand *input : dps.getDpsInputOperands())
    if (Value root = rootOf(input->get());
        root && root.getDefiningOp<tensor::EmptyOp>() &&
        !llvm::is_contained(fresh, root))
      fresh.push_back(root);
  for (OpOperand &init : dps.getDpsInitsMutable()) {
    Value result = dps.getTiedOpResult(&init);
    Value root = rootOf(init.get());
    SmallVector<AffineExpr> sizes = extents.lookup(init.get());
    extents[result] = std::move(sizes);
    if (root && !root.getDefiningOp<tensor::EmptyOp>()) {
      if (failed(checkInPlace(op, init.get())))
        return failure();
      roots[result] = root;
      continue;
    }
    roots[result] = result;
    fresh.push_back(result);
  }
  return success();
}

void BufferPlan::visitCommit(CommitOp op) {
  Value root = rootOf(op.getValue());
  auto state = root.getDefiningOp<StateOp>();
  if (state && state.getSymbolAttr() == op.getSymbolAttr())
    return;
  Copy copy{op.getValue(), -1, op.getSymbolAttr(), op.getLoc()};
  if (auto idle = entry->getAttrOfType<IntegerAttr>("sinter.idle_rows"))
    copy.lengths = entry.getArgument(idle.getInt());
  copyList.push_back(copy);
}

void BufferPlan::visitReturn(func::ReturnOp op) {
  for (auto [number, value] : llvm::enumerate(op.getOperands())) {
    Value root = rootOf(value);
    bool taken = places.contains(root);
    auto type = dyn_cast<RankedTensorType>(root.getType());
    // A kernel may write rows that the caller must find untouched.
    auto rows = entry.getResultAttrOfType<IntegerAttr>(number, "sinter.rows");
    if (rows) {
      copyList.push_back({value,
                          static_cast<int64_t>(number),
                          {},
                          op.getLoc(),
                          entry.getArgument(rows.getInt())});
      continue;
    }
    if (!taken && !type.getEncoding())
      places[root] = {Place::Output, static_cast<int64_t>(number)};
    else
      copyList.push_back(
          {value, static_cast<int64_t>(number), {}, op.getLoc()});
  }
}

/// What a loop carries has memory of its own, from before the loop on.
LogicalResult BufferPlan::visitLoop(scf::ForOp loop) {
  for (auto [argument, init, result] : llvm::zip_equal(
           loop.getRegionIterArgs(), loop.getInits(), loop.getResults())) {
    if (!isa<RankedTensorType>(argument.getType()))
      return loop.emitError("carries what is no tensor");
    SmallVector<AffineExpr> sizes = extents.lookup(init);
    roots[argument] = roots[result] = argument;
    extents[argument] = sizes;
    extents[result] = std::move(sizes);
    fresh.push_back(argument);
  }
  for (Operation &op : loop.getBody()->without_terminator())
    if (failed(visit(&op)))
      return failure();
  LoopCopies &copies = loopCopies[loop];
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (auto [argument, init, yielded] : llvm::zip_equal(
           loop.getRegionIterArgs(), loop.getInits(), yield.getOperands())) {
    if (!rootOf(init).getDefiningOp<tensor::EmptyOp>())
      copies.before.push_back({init, -1, {}, loop.getLoc(), {}, -1, argument});
    if (rootOf(yielded) != argument)
      copies.after.push_back(
          {yielded, -1, {}, yield.getLoc(), {}, -1, argument});
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

void BufferPlan::number(Block &block, int64_t &next) {
  for (Operation &op : block) {
    spans[&op].first = next++;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      number(*loop.getBody(), next);
    spans[&op].last = next - 1;
  }
}

/// The block in whose order a root lives: what a loop carries lives around it.
static Block *blockOf(Value root) {
  auto argument = dyn_cast<BlockArgument>(root);
  if (!argument)
    return root.getParentBlock();
  Operation *parent = argument.getOwner()->getParentOp();
  return isa<scf::ForOp>(parent) ? parent->getBlock() : argument.getOwner();
}

/// A use inside of a loop lasts until the loop ends.
void BufferPlan::findLastUses() {
  auto use = [&](Value value, Operation *op) {
    Value root = rootOf(value);
    Operation *ancestor =
        root ? blockOf(root)->findAncestorOpInBlock(*op) : nullptr;
    if (!ancestor)
      return;
    int64_t &last = lastUse[root];
    last = std::max(last, spans.lookup(ancestor).last);
  };
  entry.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      use(operand, op);
  });
  // A value that goes elsewhere at the end of a body lives until then; so does
  // what goes elsewhere at the end of the entry.
  for (auto &[loop, copies] : loopCopies)
    for (const Copy &copy : copies.after)
      use(copy.source, cast<scf::ForOp>(loop).getBody()->getTerminator());
  for (const Copy &copy : copyList)
    use(copy.source, entry.getBody().front().getTerminator());
}

/// Copies whose source is overwritten by another copy of the same place.
SmallVector<BufferPlan::Copy *> BufferPlan::copiesThroughSlots() {
  SmallVector<Copy *> result;
  for (Copy &copy : copyList)
    if (copy.storage && placeOf(rootOf(copy.source)).kind == Place::State)
      result.push_back(&copy);
  for (auto &[loop, copies] : loopCopies)
    for (Copy &copy : copies.after)
      if (llvm::is_contained(cast<scf::ForOp>(loop).getRegionIterArgs(),
                             rootOf(copy.source)))
        result.push_back(&copy);
  return result;
}

/// Liveness in the order of the program.
void BufferPlan::colour() {
  int64_t next = 0;
  number(entry.getBody().front(), next);
  findLastUses();
  SmallVector<LiveInterval> intervals;
  SmallVector<Value> inSlots;
  auto sizeOf = [&](Value value) {
    return dimensions.sizeInBytes(cast<RankedTensorType>(value.getType()),
                                  extentsOf(value));
  };
  for (Value root : fresh) {
    if (places.contains(root))
      continue;
    Operation *definition = root.getDefiningOp();
    if (!definition)
      definition = cast<BlockArgument>(root).getOwner()->getParentOp();
    Span span = spans.lookup(definition);
    // What a loop carries is there until the loop ends.
    int64_t last = isa<BlockArgument>(root) ? span.last : span.first;
    inSlots.push_back(root);
    intervals.push_back(
        {span.first, std::max(last, lastUse.lookup(root)), sizeOf(root)});
  }
  SmallVector<Copy *> throughSlots = copiesThroughSlots();
  for (Copy *copy : throughSlots) {
    Operation *end = entry.getBody().front().getTerminator();
    if (copy->carried)
      end = cast<BlockArgument>(copy->carried).getOwner()->getTerminator();
    int64_t at = spans.lookup(end).first;
    intervals.push_back({at, at, sizeOf(copy->source)});
  }
  colouring = colourSlots(intervals);
  ArrayRef<int64_t> slotOf = colouring.slotOf;
  for (auto [root, slot] : llvm::zip(inSlots, slotOf))
    places[root] = {Place::Slot, slot};
  for (auto [copy, slot] :
       llvm::zip(throughSlots, slotOf.drop_front(inSlots.size())))
    copy->slot = slot;
}
