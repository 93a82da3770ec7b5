//===- Passes.td - From model operations to kernels -----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_CONVERSION_SINTERTOFUSED_PASSES
#define SINTER_CONVERSION_SINTERTOFUSED_PASSES

include "mlir/Pass/PassBase.td"

def ConvertSinterToFused : Pass<"convert-sinter-to-fused", "::mlir::ModuleOp"> {
  let summary = "Group the operations of entries into the five skeletons";
  let description = [{
    Expects what `--sinter-expand-entries` and `--sinter-expand-library` leave: entries as straight-line public functions, state per
    layer, weight names absolute. Works in three steps:

    1. `sinter.last` moves up through operations that treat each position alone, so that only the last one is computed.
    2. Each operation becomes one skeleton in destination-passing style, or a view of its operand (`tensor.expand_shape`,
       `tensor.collapse_shape`).
    3. Skeletons are fused: element-wise maps into the epilogue of a contract, into the maps before or after them, into a
       normalize; contracts of one input whose results meet become paired weights; copies into access maps. No rule asks what
       an operation was called.

    What was fused and what not, and why, is told by remarks of the category `fusion`.
  }];
  let options = [
    Option<"fuse", "fuse", "bool", /*default=*/"true", "Do step 3">,
  ];
  let dependentDialects = [
    "::sinter::fused::FusedDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect", "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect"
  ];
}

#endif // SINTER_CONVERSION_SINTERTOFUSED_PASSES
