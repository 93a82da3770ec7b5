//===- ScratchSizes.h - Device memory that kernels use besides --*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_PIPELINES_SCRATCHSIZES_H
#define SINTER_LIB_PIPELINES_SCRATCHSIZES_H

#include "sinter/Conversion/FusedToCUDA/DeviceKernel.h"
#include "sinter/Target/Package/SizeExpr.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace sinter {

/// The value of an expression of sums, products and quotients, rounded up or
/// down (a bound: rounded up), whose symbols have the values that `symbol`
/// gives; none where one of them has none.
std::optional<package::SizeExpr>
sizeOf(mlir::AffineExpr expr,
       llvm::function_ref<std::optional<package::SizeExpr>(unsigned)> symbol);

/// What launches pass to kernels, as far as it follows from an entry's
/// dimensions. Read while the entries still are what planning left.
class LaunchSlots {
public:
  explicit LaunchSlots(mlir::func::FuncOp entry);

  /// The largest scratch of any launch of these kernels. A located error if it
  /// depends on what is known at run time only.
  mlir::FailureOr<package::SizeExpr>
  scratchBytes(llvm::ArrayRef<cuda::DeviceKernel> kernels) const;

private:
  using Slot = std::optional<package::SizeExpr>;
  struct Launch {
    std::string kernel;
    mlir::Location loc;
    llvm::SmallVector<Slot> slots;
  };
  std::vector<Launch> launches;
};

} // namespace sinter

#endif // SINTER_LIB_PIPELINES_SCRATCHSIZES_H
