//===- WeightPacker.cpp - The weight blob of a module ---------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Pipelines/WeightPacker.h"
#include "sinter/Dialect/Fused/IR/Fused.h"
#include "sinter/Dialect/Fused/Transforms/Sizes.h"
#include "sinter/Reference/AffinePoint.h"
#include "sinter/Reference/Scalar.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace sinter;

static void evaluate(AffineMap map, ArrayRef<int64_t> point,
                     SmallVectorImpl<int64_t> &result) {
  result.clear();
  for (AffineExpr expr : map.getResults())
    result.push_back(evaluateAt(expr, point));
}

namespace {

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
    return op->emitError() << "'" << op->getName()
                           << "' can't be evaluated while packing weights";
  }

  FailureOr<SmallVector<int64_t>> extentsOf(fused::MapOp map) {
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
    SmallVector<Tensor> results;
    for (Value out : map.getOuts()) {
      auto type = cast<RankedTensorType>(out.getType());
      auto known = values.find(out);
      results.push_back(known != values.end()
                            ? known->second
                            : Tensor(type.getShape(), type.getElementType()));
    }
    if (isCopy(map)) {
      copyElements(map, *extents, results.front());
      values[map.getResult(0)] = std::move(results.front());
      return success();
    }
    LogicalResult status = success();
    SmallVector<int64_t> index;
    forEachIndex(*extents, [&](ArrayRef<int64_t> point) {
      if (failed(status))
        return;
      SmallVector<ScalarOrTensor> arguments = argumentsAt(map, point);
      auto yielded = evaluator->run(arguments);
      if (failed(yielded)) {
        status = failure();
        return;
      }
      for (auto [number, value] : llvm::enumerate(*yielded)) {
        Tensor &target = results[map.getStoreOuts()[number]];
        evaluate(cast<AffineMapAttr>(map.getStoreMaps()[number]).getValue(),
                 point, index);
        target.set(target.offset(index), value);
      }
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

  SmallVector<ScalarOrTensor> argumentsAt(fused::MapOp map,
                                          ArrayRef<int64_t> point) {
    SmallVector<ScalarOrTensor> arguments;
    SmallVector<int64_t> index;
    for (auto [input, attr] :
         llvm::zip_equal(map.getInputs(), map.getInputMaps())) {
      const Tensor &tensor = values[input];
      AffineMap access = fused::getOptionalMap(attr);
      if (!access) {
        arguments.push_back(tensor);
        continue;
      }
      evaluate(access, point, index);
      arguments.push_back(tensor.get(tensor.offset(index)));
    }
    for (int64_t dim : map.getIndexDims())
      arguments.push_back(
          ScalarValue::ofInteger(IndexType::get(map.getContext()), point[dim]));
    return arguments;
  }

  WeightArchives &archives;
  llvm::DenseMap<Value, Tensor> values;
};

} // namespace

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
