//===- Passes.td - From kernels to CPU code -------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_CONVERSION_FUSEDTOCPU_PASSES
#define SINTER_CONVERSION_FUSEDTOCPU_PASSES

include "mlir/Pass/PassBase.td"

def ConvertFusedToCPU : Pass<"convert-fused-to-cpu", "::mlir::ModuleOp"> {
  let summary = "Lower kernels and entries to functions for a CPU";
  let description = [{
    Every `fused.kernel @k` becomes the functions `@k`, `@k_tasks` and `@k_steps` of internal linkage, in scf, arith,
    native vectors and pointers of the LLVM dialect; `fused.scratch` on `@k` says how many bytes a worker lends it.
    Every entry becomes `llvm.func @<entry>_run(ptr)`, whose argument is a `struct sinter_call`; it calls `sinter_launch`
    with `@<k>_kernel`, both external. Storages and packed weights are dropped: who needs them reads them before.

    The kernel's skeleton op alone decides how it is lowered; a region may hold anything that has a translation.
  }];
  let options = [Option<"cpu", "cpu", "std::string", /*default=*/"\"x86-64-v3\"",
                        "ISA level: x86-64-v2, x86-64-v3 or x86-64-v4">];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def FinishCPUKernels : Pass<"finish-cpu-kernels", "::mlir::ModuleOp"> {
  let summary = "Put loop annotations where the translation to LLVM IR reads them";
  let description = [{
    `scf.for` hands on only attributes of the `llvm` dialect, and LLVM IR is made from `loop_annotation` alone; without
    this the request not to unroll a loop vanishes.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // SINTER_CONVERSION_FUSEDTOCPU_PASSES
