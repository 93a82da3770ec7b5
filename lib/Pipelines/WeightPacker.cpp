//===- WeightPacker.cpp - The weight blob of a module ---------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Pipelines/WeightPacker.h"
#include "sinter/Analysis/NormalizeRows.h"
#include "sinter/Dialect/Fused/IR/Fused.h"
#include "sinter/Dialect/Fused/Transforms/Sizes.h"
#include "sinter/Reference/AffinePoint.h"
#include "sinter/Reference/Scalar.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <cmath>

using namespace mlir;
using namespace sinter;

static void evaluate(AffineMap map, ArrayRef<int64_t> point,
                     SmallVectorImpl<int64_t> &result) {
  result.clear();
  for (AffineExpr expr : map.getResults())
    result.push_back(evaluateAt(expr, point));
}

namespace {

/// The regions of a normalize, ready to run.
class RowEvaluator {
public:
  static FailureOr<RowEvaluator> create(fused::NormalizeOp op) {
    RowEvaluator row(op);
    auto add = [&](Region &region) {
      auto evaluator =
          RegionEvaluator::create(region, [](Value) { return std::nullopt; });
      if (succeeded(evaluator))
        row.regions.push_back(std::move(*evaluator));
      return success(succeeded(evaluator));
    };
    if (failed(add(op.getPost())))
      return failure();
    for (Region &reduce : op.getReduces())
      if (failed(add(reduce)))
        return failure();
    if (!op.getPre().empty() && failed(add(op.getPre())))
      return failure();
    return row;
  }

  /// What `pre` makes of the inputs at one column.
  FailureOr<SmallVector<ScalarOrTensor>>
  values(SmallVector<ScalarOrTensor> inputs) {
    if (op.getPre().empty())
      return inputs;
    auto made = regions.back().run(inputs);
    if (failed(made))
      return failure();
    return SmallVector<ScalarOrTensor>(made->begin(), made->end());
  }

  /// Adds reduction `number` over the columns to `reductions`.
  LogicalResult reduce(unsigned number,
                       ArrayRef<SmallVector<ScalarOrTensor>> columns,
                       SmallVectorImpl<ScalarOrTensor> &reductions) {
    bool isSum =
        cast<fused::ReductionAttr>(op.getReductions()[number]).getValue() ==
        fused::Reduction::sum;
    double all = isSum ? 0 : -std::numeric_limits<double>::infinity();
    for (const SmallVector<ScalarOrTensor> &column : columns) {
      SmallVector<ScalarOrTensor> arguments(column);
      llvm::append_range(arguments, reductions);
      auto made = regions[1 + number].run(arguments);
      if (failed(made))
        return failure();
      double value = made->front().real;
      all = isSum ? all + value : std::fmax(all, value);
    }
    Region &region = op.getReduces()[number];
    reductions.push_back(ScalarValue::ofReal(
        region.front().getTerminator()->getOperand(0).getType(), all));
    return success();
  }

  FailureOr<SmallVector<ScalarValue>> post(ArrayRef<ScalarOrTensor> arguments) {
    return regions.front().run(arguments);
  }

private:
  explicit RowEvaluator(fused::NormalizeOp op) : op(op) {}

  fused::NormalizeOp op;
  /// post, the reductions, pre.
  SmallVector<RegionEvaluator, 0> regions;
};

/// Evaluates the body of one `fused.packed`.
class PackedEvaluator {
public:
  explicit PackedEvaluator(WeightArchives &archives) : archives(archives) {}

  FailureOr<Tensor> run(fused::PackedOp packed) {
    for (Operation &op : packed.getBody().front()) {
      if (auto yield = dyn_cast<fused::YieldOp>(op))
        return values[yield.getOperand(0)];
      if (failed(evaluateOp(&op)))
        return failure();
    }
    return packed.emitError("expects its body to end in 'fused.yield'");
  }

private:
  LogicalResult evaluateOp(Operation *op) {
    if (isa<tensor::EmptyOp>(op))
      return success();
    if (auto weight = dyn_cast<fused::WeightOp>(op)) {
      auto type = cast<RankedTensorType>(weight.getType());
      auto tensor = archives.load(weight.getName(), weight.getFile(), type,
                                  weight.getLoc());
      if (failed(tensor))
        return failure();
      values[weight] = std::move(*tensor);
      return success();
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      values[constant] =
          Tensor::fromElements(cast<DenseElementsAttr>(constant.getValue()));
      return success();
    }
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
      auto type = cast<RankedTensorType>(op->getResult(0).getType());
      values[op->getResult(0)] =
          values[op->getOperand(0)].reshaped(type.getShape());
      return success();
    }
    if (auto map = dyn_cast<fused::MapOp>(op))
      return evaluateMap(map);
    if (auto normalize = dyn_cast<fused::NormalizeOp>(op))
      return evaluateNormalize(normalize);
    return op->emitError() << "'" << op->getName()
                           << "' can't be evaluated while packing weights";
  }

  template <typename OpT> FailureOr<SmallVector<int64_t>> extentsOf(OpT map) {
    SmallVector<int64_t> extents(map.getExtents());
    auto skeleton = cast<fused::SkeletonInterface>(map.getOperation());
    for (auto [dim, extent] : llvm::enumerate(extents)) {
      if (!ShapedType::isDynamic(extent))
        continue;
      auto [value, index] = skeleton.getExtentSource(dim);
      if (!value)
        return map.emitError()
               << "the extent of dimension " << dim << " is unknown";
      extent = cast<ShapedType>(value.getType()).getDimSize(index);
    }
    return extents;
  }

  LogicalResult evaluateMap(fused::MapOp map) {
    auto extents = extentsOf(map);
    if (failed(extents))
      return failure();
    auto evaluator = RegionEvaluator::create(
        map.getBody(), [](Value) { return std::nullopt; });
    if (failed(evaluator))
      return failure();
    SmallVector<Tensor> results = destinations(map.getOuts());
    if (isCopy(map)) {
      copyElements(map, *extents, results.front());
      values[map.getResult(0)] = std::move(results.front());
      return success();
    }
    LogicalResult status = success();
    forEachIndex(*extents, [&](ArrayRef<int64_t> point) {
      if (failed(status))
        return;
      SmallVector<ScalarOrTensor> arguments =
          read(map.getInputs(), map.getInputMaps(), point);
      addIndices(map.getIndexDims(), point, map.getContext(), arguments);
      status = store(map, evaluator->run(arguments), point, results);
    });
    for (auto [number, result] : llvm::enumerate(map.getResults()))
      values[result] = std::move(results[number]);
    return status;
  }

  /// True if a map moves the elements of one tensor: most weights are only
  /// transposed or laid out, and there are many.
  static bool isCopy(fused::MapOp map) {
    auto yield = dyn_cast<fused::YieldOp>(map.getBody().front().front());
    return yield && map.getInputs().size() == 1 &&
           map.getStoreMaps().size() == 1 &&
           fused::getOptionalMap(map.getInputMaps()[0]) &&
           yield.getOperand(0) == map.getBody().getArgument(0);
  }

  void copyElements(fused::MapOp map, ArrayRef<int64_t> extents,
                    Tensor &target) {
    const Tensor &source = values[map.getInputs()[0]];
    AffineMap read = fused::getOptionalMap(map.getInputMaps()[0]);
    AffineMap store = cast<AffineMapAttr>(map.getStoreMaps()[0]).getValue();
    SmallVector<int64_t> from, to;
    forEachIndex(extents, [&](ArrayRef<int64_t> point) {
      evaluate(read, point, from);
      evaluate(store, point, to);
      target.copyFrom(target.offset(to), source, source.offset(from));
    });
  }

  /// What each destination holds before.
  SmallVector<Tensor> destinations(ValueRange outs) {
    SmallVector<Tensor> results;
    for (Value out : outs) {
      auto type = cast<RankedTensorType>(out.getType());
      auto known = values.find(out);
      results.push_back(known != values.end()
                            ? known->second
                            : Tensor(type.getShape(), type.getElementType()));
    }
    return results;
  }

  SmallVector<ScalarOrTensor> read(ValueRange inputs, ArrayAttr maps,
                                   ArrayRef<int64_t> point) {
    SmallVector<ScalarOrTensor> arguments;
    SmallVector<int64_t> index;
    for (auto [input, attr] : llvm::zip_equal(inputs, maps)) {
      const Tensor &tensor = values[input];
      AffineMap access = fused::getOptionalMap(attr);
      if (!access) {
        arguments.push_back(tensor);
        continue;
      }
      evaluate(access, point, index);
      arguments.push_back(tensor.get(tensor.offset(index)));
    }
    return arguments;
  }

  static void addIndices(ArrayRef<int64_t> dims, ArrayRef<int64_t> point,
                         MLIRContext *context,
                         SmallVectorImpl<ScalarOrTensor> &arguments) {
    for (int64_t dim : dims)
      arguments.push_back(
          ScalarValue::ofInteger(IndexType::get(context), point[dim]));
  }

  template <typename OpT>
  static LogicalResult
  store(OpT op, const FailureOr<SmallVector<ScalarValue>> &yielded,
        ArrayRef<int64_t> point, MutableArrayRef<Tensor> results) {
    if (failed(yielded))
      return failure();
    SmallVector<int64_t> index;
    for (auto [number, value] : llvm::enumerate(*yielded)) {
      Tensor &target = results[op.getStoreOuts()[number]];
      evaluate(cast<AffineMapAttr>(op.getStoreMaps()[number]).getValue(), point,
               index);
      target.set(target.offset(index), value);
    }
    return success();
  }

  LogicalResult evaluateNormalize(fused::NormalizeOp op);
  LogicalResult evaluateRow(fused::NormalizeOp op, RowEvaluator &row,
                            SmallVector<int64_t> point, int64_t width,
                            MutableArrayRef<Tensor> results);

  WeightArchives &archives;
  llvm::DenseMap<Value, Tensor> values;
};

} // namespace

LogicalResult PackedEvaluator::evaluateRow(fused::NormalizeOp op,
                                           RowEvaluator &row,
                                           SmallVector<int64_t> point,
                                           int64_t width,
                                           MutableArrayRef<Tensor> results) {
  int64_t inner = point.size() - 1;
  SmallVector<SmallVector<ScalarOrTensor>> columns;
  for (point[inner] = 0; point[inner] < width; ++point[inner]) {
    auto column = row.values(read(op.getInputs(), op.getInputMaps(), point));
    if (failed(column))
      return failure();
    columns.push_back(std::move(*column));
  }
  SmallVector<ScalarOrTensor> reductions;
  for (unsigned number = 0; number < op.getReductions().size(); ++number)
    if (failed(row.reduce(number, columns, reductions)))
      return failure();
  bool isStatistics = isStatisticsOnly(op);
  int64_t stores = isStatistics ? 1 : width;
  for (point[inner] = 0; point[inner] < stores; ++point[inner]) {
    SmallVector<ScalarOrTensor> arguments;
    if (!isStatistics)
      arguments = columns[point[inner]];
    llvm::append_range(arguments, reductions);
    llvm::append_range(arguments,
                       read(op.getCaptures(), op.getCaptureMaps(), point));
    addIndices(op.getIndexDims(), point, op.getContext(), arguments);
    if (failed(store(op, row.post(arguments), point, results)))
      return failure();
  }
  return success();
}

LogicalResult PackedEvaluator::evaluateNormalize(fused::NormalizeOp op) {
  auto extents = extentsOf(op);
  auto row = RowEvaluator::create(op);
  if (failed(extents) || failed(row))
    return failure();
  SmallVector<Tensor> results = destinations(op.getOuts());
  LogicalResult status = success();
  forEachIndex(ArrayRef(*extents).drop_back(), [&](ArrayRef<int64_t> outer) {
    SmallVector<int64_t> point(outer);
    point.push_back(0);
    if (succeeded(status))
      status = evaluateRow(op, *row, point, extents->back(), results);
  });
  for (auto [number, result] : llvm::enumerate(op.getResults()))
    values[result] = std::move(results[number]);
  return status;
}

/// The bytes of `tensor` in the layout of `type`, padding 0.
static std::vector<char> layOut(const Tensor &tensor, RankedTensorType type) {
  auto layout = dyn_cast_or_null<fused::LayoutAttr>(type.getEncoding());
  if (!layout)
    return tensor.toBytes();
  Tensor physical(layout.physicalShape(type.getShape()), type.getElementType());
  SmallVector<int64_t> index;
  int64_t next = 0;
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> point) {
    evaluate(layout.getMap(), point, index);
    physical.copyFrom(physical.offset(index), tensor, next++);
  });
  return physical.toBytes();
}

LogicalResult sinter::checkWeights(ModuleOp module, WeightArchives &archives) {
  LogicalResult status = success();
  module.walk([&](fused::WeightOp weight) {
    if (failed(archives.check(weight.getName(), weight.getFile(),
                              cast<RankedTensorType>(weight.getType()),
                              weight.getLoc())))
      status = failure();
  });
  return status;
}

LogicalResult sinter::packWeights(ModuleOp module, WeightArchives &archives,
                                  std::vector<char> &blob) {
  for (auto packed : module.getOps<fused::PackedOp>()) {
    FailureOr<Tensor> tensor = PackedEvaluator(archives).run(packed);
    if (failed(tensor))
      return failure();
    auto type = cast<RankedTensorType>(packed.getType());
    std::vector<char> bytes = layOut(*tensor, type);
    size_t offset = packed.getOffset();
    if (blob.size() < offset + bytes.size())
      blob.resize(offset + bytes.size());
    llvm::copy(bytes, blob.begin() + offset);
  }
  return success();
}
