//===- DescribeModel.h - The interface of a planned module ------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_PIPELINES_DESCRIBEMODEL_H
#define SINTER_PIPELINES_DESCRIBEMODEL_H

#include "sinter/Target/Package/ModelInterface.h"

#include "mlir/IR/BuiltinOps.h"

namespace sinter {

/// Reads the interface of a module of launches (after
/// `--fused-outline-kernels`): entries with their dimensions, tensors, checks
/// and slots, storages, kernels and the size of the weight blob. Target,
/// version and per-worker scratch are left to the caller. Emits a located error
/// for what a C interface can't say. `onDevice`: the kernels run on a GPU.
mlir::FailureOr<package::ModelInterface> describeModel(mlir::ModuleOp module,
                                                       bool onDevice = false);

} // namespace sinter

#endif // SINTER_PIPELINES_DESCRIBEMODEL_H
