//===- FusedGeneric.cpp - linalg.generic as a loop nest of its own --------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is no skeleton (a convolution, say) stays upstream's structured op. To
// planning and outlining it is one more loop nest with maps.
//
//===----------------------------------------------------------------------===//

#include "FusedGeneric.h"
#include "sinter/Dialect/Fused/IR/Fused.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/FoldInterfaces.h"

using namespace mlir;
using namespace sinter::fused;

namespace {
struct GenericSkeleton
    : SkeletonInterface::ExternalModel<GenericSkeleton, linalg::GenericOp> {
  ArrayAttr getDims(Operation *op) const {
    SmallVector<Attribute> names;
    for (unsigned i : llvm::seq(cast<linalg::GenericOp>(op).getNumLoops()))
      names.push_back(
          StringAttr::get(op->getContext(), "d" + std::to_string(i)));
    return ArrayAttr::get(op->getContext(), names);
  }

  /// Operands tell all extents; the list is an attribute so that it lives.
  ArrayRef<int64_t> getExtents(Operation *op) const {
    SmallVector<int64_t> dynamic(cast<linalg::GenericOp>(op).getNumLoops(),
                                 ShapedType::kDynamic);
    return DenseI64ArrayAttr::get(op->getContext(), dynamic).asArrayRef();
  }

  SmallVector<std::pair<Value, AffineMap>> getAccesses(Operation *op) const {
    SmallVector<std::pair<Value, AffineMap>> accesses;
    auto generic = cast<linalg::GenericOp>(op);
    for (auto [operand, map] :
         llvm::zip_equal(op->getOperands(), generic.getIndexingMapsArray()))
      accesses.push_back({operand, map});
    return accesses;
  }
};
/// Bodies keep their constants: a kernel has no values from outside.
struct KeepConstants : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;
  bool shouldMaterializeInto(Region *) const override { return true; }
};
} // namespace

void sinter::fused::detail::attachGenericSkeleton(MLIRContext *context) {
  auto *dialect = context->getOrLoadDialect<linalg::LinalgDialect>();
  if (!dialect->getRegisteredInterface<DialectFoldInterface>())
    dialect->addInterface<KeepConstants>();
  linalg::GenericOp::attachInterface<GenericSkeleton>(*context);
}
