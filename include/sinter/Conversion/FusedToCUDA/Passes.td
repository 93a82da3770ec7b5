//===- Passes.td - From kernels to CUDA C++ -------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_CONVERSION_FUSEDTOCUDA_PASSES
#define SINTER_CONVERSION_FUSEDTOCUDA_PASSES

include "mlir/Pass/PassBase.td"

def ConvertFusedToCUDA : Pass<"convert-fused-to-cuda", "::mlir::ModuleOp"> {
  let summary = "Print kernels as CUDA C++ and lower entries to host functions";
  let description = [{
    Every `fused.kernel @k` becomes a record in the module's attribute `fused.device_kernels`: the text of a struct that
    specialises one of the templates in device/, and what a launch must know (threads, shared memory, scratch). On the host
    it leaves `@k_tasks` and `@k_steps` of internal linkage, the number of blocks and of launches. Entries are lowered as for
    a CPU: `llvm.func @<entry>_run(ptr)` calls `sinter_launch` with `@<k>_kernel`, both external.

    The kernel's skeleton op alone decides which template it is; a region may hold anything that has a translation.
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"
  ];
}

#endif // SINTER_CONVERSION_FUSEDTOCUDA_PASSES
