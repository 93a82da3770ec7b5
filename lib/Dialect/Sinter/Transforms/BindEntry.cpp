//===- BindEntry.cpp - with and keep of an entry --------------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandEntries.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace sinter;

namespace {
/// Types that changed, by value: what they were before.
using OldTypes = llvm::DenseMap<Value, Type>;

class EntryBinder {
public:
  EntryBinder(EntryOp entry, func::FuncOp function)
      : entry(entry), function(function) {}

  LogicalResult bind() {
    dropResults();
    comment();
    bindDims();
    if (failed(bindArguments()) || failed(refineTypes()))
      return failure();
    finishSignature();
    eraseDeadCode();
    return success();
  }

private:
  void dropResults();
  void comment();
  void bindDims();
  LogicalResult bindArguments();
  std::optional<int64_t> numberOf(BlockArgument argument);
  Value makeExtent(OpBuilder &builder, StringRef name);
  FailureOr<Value> makeConstant(OpBuilder &builder, BlockArgument argument,
                                int64_t number);
  LogicalResult refineTypes();
  LogicalResult refine(Operation *op);
  LogicalResult refine(ScanOp scan);
  void finishSignature();
  void eraseDeadCode();

  std::optional<int64_t> lookUp(StringRef name) const;
  RankedTensorType bound(RankedTensorType type, ArrayAttr dims) const;
  ArrayAttr remainingDims(RankedTensorType before, RankedTensorType after,
                          ArrayAttr dims) const;

  StringAttr attrName(StringRef name) {
    return StringAttr::get(function.getContext(), name);
  }

  EntryOp entry;
  func::FuncOp function;
  OldTypes oldTypes;
};
} // namespace

/// The number bound to `name`, if any.
std::optional<int64_t> EntryBinder::lookUp(StringRef name) const {
  for (NamedAttribute binding : EntryOp(entry).getBound())
    if (binding.getName() == name)
      return cast<IntegerAttr>(binding.getValue()).getInt();
  return std::nullopt;
}

/// `type` with bound numbers in place of the dynamic dimensions they name.
RankedTensorType EntryBinder::bound(RankedTensorType type,
                                    ArrayAttr dims) const {
  SmallVector<int64_t> shape(type.getShape());
  if (!dims)
    return type;
  auto name = dims.getAsValueRange<StringAttr>().begin();
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = lookUp(*name++).value_or(ShapedType::kDynamic);
  return type.clone(shape);
}

/// The names in `dims`, those of `before`, that still belong to dynamic
/// dimensions of `after`.
ArrayAttr EntryBinder::remainingDims(RankedTensorType before,
                                     RankedTensorType after,
                                     ArrayAttr dims) const {
  SmallVector<Attribute> names;
  const auto *name = dims.begin();
  for (auto [old, now] : llvm::zip_equal(before.getShape(), after.getShape())) {
    if (!ShapedType::isDynamic(old))
      continue;
    if (ShapedType::isDynamic(now))
      names.push_back(*name);
    ++name;
  }
  return ArrayAttr::get(dims.getContext(), names);
}

/// Takes the results that `keep` leaves out from the function.
void EntryBinder::dropResults() {
  llvm::BitVector dropped(function.getNumResults());
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto name = function.getResultAttrOfType<StringAttr>(i, nameAttrName);
    if (!entry.keeps(name ? name.getValue() : ""))
      dropped.set(i);
  }
  function.getBody().front().getTerminator()->eraseOperands(dropped);
  (void)function.eraseResults(dropped);
}

/// "@decode: @prefill with sequence = 1.": what the header says of the entry.
void EntryBinder::comment() {
  std::string text =
      "@" + entry.getSymName().str() + ": @" + entry.getFunction().str();
  StringRef separator = " with ";
  for (NamedAttribute binding : entry.getBound()) {
    text += (separator + binding.getName().getValue() + " = " +
             Twine(cast<IntegerAttr>(binding.getValue()).getInt()))
                .str();
    separator = ", ";
  }
  function->setAttr("sinter.comment", attrName(text + "."));
}

/// Dimensions that are 1 now and were not before.
static SmallVector<int64_t> boundToOne(RankedTensorType before,
                                       RankedTensorType after) {
  SmallVector<int64_t> dims;
  for (auto [dim, old, now] :
       llvm::enumerate(before.getShape(), after.getShape()))
    if (old != now && now == 1)
      dims.push_back(dim);
  return dims;
}

/// Gives the arguments their bound types.
void EntryBinder::bindDims() {
  for (BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    auto before = dyn_cast<RankedTensorType>(argument.getType());
    auto dims = function.getArgAttrOfType<ArrayAttr>(i, dimsAttrName);
    if (!before || !dims)
      continue;
    RankedTensorType after = bound(before, dims);
    if (after == before)
      continue;
    oldTypes[argument] = before;
    argument.setType(after);
    if (SmallVector<int64_t> one = boundToOne(before, after); !one.empty())
      function.setArgAttr(
          i, "sinter.bound",
          Builder(function.getContext()).getDenseI64ArrayAttr(one));
    ArrayAttr rest = remainingDims(before, after, dims);
    if (rest.empty())
      function.removeArgAttr(i, attrName(dimsAttrName));
    else
      function.setArgAttr(i, dimsAttrName, rest);
  }
}

/// The number that `with` binds to the argument itself, if any.
std::optional<int64_t> EntryBinder::numberOf(BlockArgument argument) {
  auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                    nameAttrName);
  if (!name || !getElementTypeOrSelf(argument.getType()).isSignlessInteger())
    return std::nullopt;
  return lookUp(name.getValue());
}

/// Replaces the arguments that `with` binds by constants.
LogicalResult EntryBinder::bindArguments() {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  llvm::BitVector gone(function.getNumArguments());
  for (BlockArgument argument : function.getArguments()) {
    std::optional<int64_t> number = numberOf(argument);
    if (!number)
      continue;
    FailureOr<Value> constant = makeConstant(builder, argument, *number);
    if (failed(constant))
      return failure();
    if (auto old = oldTypes.find(argument); old != oldTypes.end())
      oldTypes[*constant] = old->second;
    argument.replaceAllUsesWith(*constant);
    gone.set(argument.getArgNumber());
  }
  return function.eraseArguments(gone);
}

/// The extent called `name` of an argument that stays; null if there is none.
Value EntryBinder::makeExtent(OpBuilder &builder, StringRef name) {
  for (BlockArgument argument : function.getArguments()) {
    auto names = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                      dimsAttrName);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!names || !type || numberOf(argument))
      continue;
    auto rest = names.getAsValueRange<StringAttr>().begin();
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim) && *rest++ == name)
        return tensor::DimOp::create(builder, entry.getLoc(), argument, dim);
  }
  return {};
}

/// A value of the type of `argument` that is `number` everywhere.
FailureOr<Value> EntryBinder::makeConstant(OpBuilder &builder,
                                           BlockArgument argument,
                                           int64_t number) {
  Location loc = entry.getLoc();
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  TypedAttr scalar =
      builder.getIntegerAttr(getElementTypeOrSelf(argument.getType()), number);
  if (!type)
    return Value(arith::ConstantOp::create(builder, loc, scalar));
  if (type.hasStaticShape())
    return Value(arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(type, Attribute(scalar))));
  auto dims = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                   dimsAttrName);
  SmallVector<Value> extents;
  for (size_t i = 0; i < size_t(type.getNumDynamicDims()); ++i) {
    StringRef name = dims ? cast<StringAttr>(dims[i]).getValue() : "";
    extents.push_back(makeExtent(builder, name));
    if (!extents.back())
      return entry.emitOpError("binds an argument whose dimension '")
             << name << "' no other argument has";
  }
  Value element = arith::ConstantOp::create(builder, loc, scalar);
  return Value(tensor::SplatOp::create(builder, loc, type, element, extents));
}

//===----------------------------------------------------------------------===//
// Types after binding
//===----------------------------------------------------------------------===//

/// The shape that two tensors which are equal in shape at run time have.
static SmallVector<int64_t> mergeShapes(ArrayRef<int64_t> lhs,
                                        ArrayRef<int64_t> rhs) {
  SmallVector<int64_t> shape;
  for (auto [l, r] : llvm::zip_equal(lhs, rhs))
    shape.push_back(ShapedType::isDynamic(l) ? r : l);
  return shape;
}

/// Casts `operand` to `type` unless it has it already.
static void castOperand(OpOperand &operand, Type type) {
  if (operand.get().getType() == type)
    return;
  OpBuilder builder(operand.getOwner());
  operand.set(tensor::CastOp::create(builder, operand.getOwner()->getLoc(),
                                     type, operand.get()));
}

/// Gives all tensors of an element-wise op one shape.
static void refineElementwise(Operation *op) {
  SmallVector<int64_t> shape;
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<RankedTensorType>(operand.getType()))
      shape = shape.empty() ? SmallVector<int64_t>(type.getShape())
                            : mergeShapes(shape, type.getShape());
  for (OpOperand &operand : op->getOpOperands())
    if (auto type = dyn_cast<RankedTensorType>(operand.get().getType()))
      castOperand(operand, type.clone(shape));
  for (Value result : op->getResults())
    if (auto type = dyn_cast<RankedTensorType>(result.getType()))
      result.setType(type.clone(shape));
}

/// Ops that take tensors of any extents and whose results don't follow them.
static bool acceptsAnyExtents(Operation *op) {
  return isa<tensor::CastOp, tensor::DimOp, tensor::ExtractOp,
             tensor::ExtractSliceOp, func::ReturnOp, WriteOp, FillOp, YieldOp>(
      op);
}

/// Initial values take the types of the states, whose batch may be known from
/// elsewhere; the body is refined after this.
LogicalResult EntryBinder::refine(ScanOp scan) {
  for (BlockArgument argument : scan.getBody().getArguments())
    oldTypes[argument] = argument.getType();
  if (failed(refineResultTypes(scan)))
    return failure();
  MutableOperandRange initials = scan.getInitialsMutable();
  unsigned next = 0;
  for (auto [number, state] : llvm::enumerate(scan.getStates()))
    if (scan.getInitial(number))
      castOperand(initials[next++], state.getType());
  return success();
}

/// Casts what the step of a scan yields to the types of its states.
static void castStates(YieldOp yield) {
  auto scan = dyn_cast<ScanOp>(yield->getParentOp());
  if (!scan)
    return;
  unsigned first = yield->getNumOperands() - scan.getNumStates();
  for (auto [number, state] : llvm::enumerate(scan.getStates()))
    castOperand(yield->getOpOperand(first + number), state.getType());
}

LogicalResult EntryBinder::refine(Operation *op) {
  SmallVector<Type> before(op->getResultTypes());
  if (auto yield = dyn_cast<YieldOp>(op))
    castStates(yield);
  if (op->hasTrait<OpTrait::Elementwise>()) {
    refineElementwise(op);
  } else if (auto scan = dyn_cast<ScanOp>(op)) {
    if (failed(refine(scan)))
      return failure();
  } else if (isa<SinterDialect>(op->getDialect()) ||
             isa<tensor::ConcatOp>(op)) {
    if (failed(refineResultTypes(op)))
      return failure();
  } else if (!acceptsAnyExtents(op)) {
    for (OpOperand &operand : op->getOpOperands())
      if (auto old = oldTypes.find(operand.get()); old != oldTypes.end())
        castOperand(operand, old->second);
  }
  for (auto [result, type] : llvm::zip_equal(op->getResults(), before))
    if (result.getType() != type)
      oldTypes[result] = type;
  return success();
}

/// Recomputes the types of all results in the body, in order.
LogicalResult EntryBinder::refineTypes() {
  WalkResult result =
      function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
        return failed(refine(op)) ? WalkResult::interrupt()
                                  : WalkResult::advance();
      });
  if (!result.wasInterrupted())
    return success();
  return entry.emitOpError("can't bind these dimensions");
}

/// Makes the function's type that of its body, and its results' names follow.
void EntryBinder::finishSignature() {
  Operation *terminator = function.getBody().front().getTerminator();
  for (OpOperand &operand : terminator->getOpOperands()) {
    unsigned i = operand.getOperandNumber();
    auto before = dyn_cast<RankedTensorType>(function.getResultTypes()[i]);
    auto dims = function.getResultAttrOfType<ArrayAttr>(i, dimsAttrName);
    if (!before || !dims)
      continue;
    auto inferred = cast<RankedTensorType>(operand.get().getType());
    RankedTensorType after = before.clone(
        mergeShapes(bound(before, dims).getShape(), inferred.getShape()));
    castOperand(operand, after);
    if (SmallVector<int64_t> one = boundToOne(before, after); !one.empty())
      function.setResultAttr(
          i, "sinter.bound",
          Builder(function.getContext()).getDenseI64ArrayAttr(one));
    ArrayAttr rest = remainingDims(before, after, dims);
    if (rest.empty())
      function.removeResultAttr(i, attrName(dimsAttrName));
    else
      function.setResultAttr(i, dimsAttrName, rest);
  }
  function.setFunctionType(FunctionType::get(
      function.getContext(), function.getBody().getArgumentTypes(),
      terminator->getOperandTypes()));
}

/// Erases what only dropped results needed.
void EntryBinder::eraseDeadCode() {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

LogicalResult sinter::bindEntry(EntryOp entry, func::FuncOp function) {
  return EntryBinder(entry, function).bind();
}
