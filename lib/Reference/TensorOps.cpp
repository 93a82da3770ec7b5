//===- TensorOps.cpp - Upstream arith, tensor and element-wise ops on a run
//---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryRun.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace sinter {

//===----------------------------------------------------------------------===//
// Element-wise
//===----------------------------------------------------------------------===//

LogicalResult applyElementwise(Operation *op, ScalarFunction function,
                               EntryRun &run) {
  SmallVector<const Tensor *> operands;
  ArrayRef<int64_t> shape;
  for (Value operand : op->getOperands()) {
    operands.push_back(&run.get(operand));
    if (!isa<ShapedType>(operand.getType()))
      continue;
    if (shape.empty())
      shape = operands.back()->shape();
    if (shape != operands.back()->shape())
      return op->emitError("operands have different extents");
  }
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  Tensor result(shape, element);
  ScalarErrorBound errorBound = ScalarErrorBound::get(op);
  for (int64_t i = 0, e = result.size(); i < e; ++i) {
    SmallVector<ScalarValue, 4> scalars;
    for (const Tensor *operand : operands)
      scalars.push_back(operand->get(operand->rank() == 0 ? 0 : i));
    std::optional<ScalarValue> value = function(op, element, scalars);
    if (!value)
      return op->emitError("the result of '")
             << op->getName() << "' is undefined for element '" << i << "'";
    result.set(i, run.noise ? run.noise->disturb(*value, errorBound, scalars)
                            : *value);
  }
  run.define(op->getResult(0), std::move(result));
  return success();
}

static LogicalResult runConstant(arith::ConstantOp op, EntryRun &run) {
  if (auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
      elements && isReferenceElementType(elements.getElementType())) {
    run.define(op.getResult(), Tensor::fromElements(elements));
    return success();
  }
  std::optional<ScalarValue> value = ScalarValue::fromAttribute(op.getValue());
  if (!value)
    return op.emitError("the reference does not know constants of type ")
           << op.getType();
  run.define(op.getResult(), Tensor::splat({}, *value));
  return success();
}

//===----------------------------------------------------------------------===//
// Elements and extents
//===----------------------------------------------------------------------===//

static ScalarValue indexValue(Operation *op, int64_t value) {
  return ScalarValue::ofInteger(IndexType::get(op->getContext()), value);
}

static LogicalResult runDim(tensor::DimOp op, EntryRun &run) {
  const Tensor &source = run.get(op.getSource());
  int64_t dim = run.getScalar(op.getIndex()).integer;
  if (dim < 0 || dim >= source.rank())
    return op.emitError("dimension '")
           << dim << "' of a tensor of rank '" << source.rank() << "'";
  run.define(op.getResult(),
             Tensor::splat({}, indexValue(op, source.dim(dim))));
  return success();
}

static LogicalResult runExtract(tensor::ExtractOp op, EntryRun &run) {
  const Tensor &source = run.get(op.getTensor());
  Shape indices;
  for (Value index : op.getIndices())
    indices.push_back(run.getScalar(index).integer);
  std::optional<int64_t> offset = source.clampedOffset(indices);
  run.define(op.getResult(),
             Tensor::splat({}, offset ? source.get(*offset)
                                      : ScalarValue{source.elementType()}));
  return success();
}

/// The shape of `type`, its dynamic extents read from `sizes` in order; fails
/// for a negative one.
static FailureOr<Shape> dynamicShape(Operation *op, RankedTensorType type,
                                     ValueRange sizes, const EntryRun &run) {
  Shape shape(type.getShape());
  for (int64_t &extent : shape) {
    if (!ShapedType::isDynamic(extent))
      continue;
    extent = run.getScalar(sizes.front()).integer;
    sizes = sizes.drop_front();
    if (extent < 0)
      return op->emitError("an extent is '") << extent << "'";
  }
  return shape;
}

static LogicalResult runEmpty(tensor::EmptyOp op, EntryRun &run) {
  FailureOr<Shape> shape =
      dynamicShape(op, op.getType(), op.getDynamicSizes(), run);
  if (failed(shape))
    return failure();
  run.define(op.getResult(), Tensor(*shape, op.getType().getElementType()));
  return success();
}

static LogicalResult runSplat(tensor::SplatOp op, EntryRun &run) {
  FailureOr<Shape> shape =
      dynamicShape(op, op.getType(), op.getDynamicSizes(), run);
  if (failed(shape))
    return failure();
  run.define(op.getResult(),
             Tensor::splat(*shape, run.getScalar(op.getInput())));
  return success();
}

static LogicalResult runFromElements(tensor::FromElementsOp op, EntryRun &run) {
  Tensor result(op.getType().getShape(), op.getType().getElementType());
  for (auto [i, element] : llvm::enumerate(op.getElements()))
    result.set(static_cast<int64_t>(i), run.getScalar(element));
  run.define(op.getResult(), std::move(result));
  return success();
}

static LogicalResult runCast(tensor::CastOp op, EntryRun &run) {
  run.define(op.getResult(), run.get(op.getSource()));
  return success();
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

static LogicalResult runConcat(tensor::ConcatOp op, EntryRun &run) {
  auto concatDim = static_cast<int64_t>(op.getDim());
  SmallVector<const Tensor *> parts;
  for (Value input : op.getInputs()) {
    parts.push_back(&run.get(input));
    for (int64_t dim = 0; dim < parts.back()->rank(); ++dim)
      if (dim != concatDim &&
          failed(checkSame(op, "extent", parts.front()->dim(dim),
                           parts.back()->dim(dim))))
        return failure();
  }
  run.define(op.getResult(), reference::concat(parts, concatDim));
  return success();
}

/// The numbers of a list that mixes constants and values.
static SmallVector<int64_t> mixed(ArrayRef<OpFoldResult> list,
                                  const EntryRun &run) {
  return llvm::map_to_vector(list, [&](OpFoldResult entry) {
    if (auto value = dyn_cast<Value>(entry))
      return run.getScalar(value).integer;
    return cast<IntegerAttr>(cast<Attribute>(entry)).getInt();
  });
}

namespace {

/// A slice with its numbers known.
struct Slice {
  SmallVector<int64_t> offsets, sizes, strides;
};

} // namespace

/// The numbers of a slice op; fails where it reaches outside of `source`.
static FailureOr<Slice> sliceOf(OffsetSizeAndStrideOpInterface op,
                                const Tensor &source, const EntryRun &run) {
  Slice slice{mixed(op.getMixedOffsets(), run), mixed(op.getMixedSizes(), run),
              mixed(op.getMixedStrides(), run)};
  for (int64_t dim = 0; dim < source.rank(); ++dim) {
    int64_t offset = slice.offsets[dim], size = slice.sizes[dim];
    int64_t last = offset + (size - 1) * slice.strides[dim];
    bool isInside =
        size == 0 || (size > 0 && offset >= 0 && last >= 0 &&
                      offset < source.dim(dim) && last < source.dim(dim));
    if (!isInside)
      return op.emitError("the slice leaves dimension '")
             << dim << "' of extent '" << source.dim(dim) << "'";
  }
  return slice;
}

/// The sizes without the dimensions that a rank-reducing slice drops.
static Shape reducedShape(ArrayRef<int64_t> sizes,
                          const llvm::SmallBitVector &dropped) {
  Shape shape;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!dropped.test(dim))
      shape.push_back(size);
  return shape;
}

static LogicalResult runExtractSlice(tensor::ExtractSliceOp op, EntryRun &run) {
  const Tensor &source = run.get(op.getSource());
  FailureOr<Slice> slice = sliceOf(op, source, run);
  if (failed(slice))
    return failure();
  Tensor result =
      reference::slice(source, slice->offsets, slice->sizes, slice->strides);
  run.define(op.getResult(),
             result.reshaped(reducedShape(slice->sizes, op.getDroppedDims())));
  return success();
}

static LogicalResult runInsertSlice(tensor::InsertSliceOp op, EntryRun &run) {
  const Tensor &source = run.get(op.getSource());
  Tensor result = run.get(op.getDest());
  FailureOr<Slice> slice = sliceOf(op, result, run);
  if (failed(slice))
    return failure();
  if (failed(
          checkSame(op, "elements", elementCount(slice->sizes), source.size())))
    return failure();
  int64_t from = 0;
  forEachIndex(slice->sizes, [&](ArrayRef<int64_t> index) {
    Shape to(index);
    for (size_t dim = 0; dim < to.size(); ++dim)
      to[dim] = slice->offsets[dim] + index[dim] * slice->strides[dim];
    result.copyFrom(result.offset(to), source, from++);
  });
  run.define(op.getResult(), std::move(result));
  return success();
}

static LogicalResult runCollapse(tensor::CollapseShapeOp op, EntryRun &run) {
  const Tensor &source = run.get(op.getSrc());
  Shape shape;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    shape.push_back(1);
    for (int64_t dim : group)
      shape.back() *= source.dim(dim);
  }
  run.define(op.getResult(), source.reshaped(shape));
  return success();
}

static LogicalResult runExpand(tensor::ExpandShapeOp op, EntryRun &run) {
  const Tensor &source = run.get(op.getSrc());
  SmallVector<int64_t> shape = mixed(op.getMixedOutputShape(), run);
  if (failed(checkSame(op, "elements", source.size(), elementCount(shape))))
    return failure();
  run.define(op.getResult(), source.reshaped(shape));
  return success();
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// Sets every element that `isWanted` accepts to what the region yields for its
/// index.
static LogicalResult
fillFromRegion(Region &region, EntryRun &run, Tensor &result,
               llvm::function_ref<bool(ArrayRef<int64_t>)> isWanted) {
  FailureOr<RegionEvaluator> evaluator = RegionEvaluator::create(
      region, [&](Value value) { return run.outer(value); });
  if (failed(evaluator))
    return failure();
  LogicalResult status = success();
  forEachIndex(result.shape(), [&](ArrayRef<int64_t> index) {
    if (failed(status) || !isWanted(index))
      return;
    SmallVector<ScalarOrTensor> arguments;
    for (int64_t i : index)
      arguments.push_back(indexValue(region.getParentOp(), i));
    auto values = evaluator->run(arguments);
    status = values;
    if (succeeded(status))
      result.set(result.offset(index), values->front());
  });
  return status;
}

static LogicalResult runGenerate(tensor::GenerateOp op, EntryRun &run) {
  auto type = cast<RankedTensorType>(op.getType());
  FailureOr<Shape> shape = dynamicShape(op, type, op.getDynamicExtents(), run);
  if (failed(shape))
    return failure();
  Tensor result(*shape, type.getElementType());
  if (failed(fillFromRegion(op.getBody(), run, result,
                            [](ArrayRef<int64_t>) { return true; })))
    return failure();
  run.define(op.getResult(), std::move(result));
  return success();
}

static LogicalResult runPad(tensor::PadOp op, EntryRun &run) {
  const Tensor &source = run.get(op.getSource());
  SmallVector<int64_t> low = mixed(op.getMixedLowPad(), run);
  SmallVector<int64_t> high = mixed(op.getMixedHighPad(), run);
  Shape shape(source.shape());
  for (auto [extent, before, after] : llvm::zip_equal(shape, low, high)) {
    extent += before + after;
    if (before < 0 || after < 0)
      return op.emitError("the reference does not know negative padding");
  }
  auto sourceIndex = [&](ArrayRef<int64_t> index) {
    Shape from(index);
    bool isInside = true;
    for (auto [i, before, extent] :
         llvm::zip_equal(from, low, source.shape())) {
      i -= before;
      isInside &= i >= 0 && i < extent;
    }
    return isInside ? std::optional(from) : std::nullopt;
  };
  Tensor result(shape, source.elementType());
  if (failed(fillFromRegion(
          op.getRegion(), run, result,
          [&](ArrayRef<int64_t> index) { return !sourceIndex(index); })))
    return failure();
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    if (std::optional<Shape> from = sourceIndex(index))
      result.copyFrom(result.offset(index), source, source.offset(*from));
  });
  run.define(op.getResult(), std::move(result));
  return success();
}

void addTensorOps(OpTable &table) {
  table.add<arith::ConstantOp>(runConstant);
  table.add<tensor::DimOp>(runDim);
  table.add<tensor::ExtractOp>(runExtract);
  table.add<tensor::EmptyOp>(runEmpty);
  table.add<tensor::SplatOp>(runSplat);
  table.add<tensor::FromElementsOp>(runFromElements);
  table.add<tensor::CastOp>(runCast);
  table.add<tensor::ConcatOp>(runConcat);
  table.add<tensor::ExtractSliceOp>(runExtractSlice);
  table.add<tensor::InsertSliceOp>(runInsertSlice);
  table.add<tensor::CollapseShapeOp>(runCollapse);
  table.add<tensor::ExpandShapeOp>(runExpand);
  table.add<tensor::GenerateOp>(runGenerate);
  table.add<tensor::PadOp>(runPad);
}

} // namespace sinter
