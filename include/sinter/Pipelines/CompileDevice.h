//===- CompileDevice.h - Kernels of a module for GPUs -----------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_PIPELINES_COMPILEDEVICE_H
#define SINTER_PIPELINES_COMPILEDEVICE_H

#include "sinter/Conversion/FusedToCUDA/DeviceKernel.h"
#include "sinter/Target/NVRTC/Kernels.h"
#include "sinter/Target/Package/DeviceCode.h"

namespace sinter {

/// What kernels are compiled for, and how.
struct DeviceOptions {
  std::vector<nvrtc::Architecture> architectures; ///< ascending
  bool flushDenormals = false;
  unsigned threads = 0; ///< at most; 0: one for each core of this machine
};

/// A kernel as it was printed and as it was compiled.
struct CompiledKernel {
  cuda::DeviceKernel kernel;
  nvrtc::KernelImages code;
};

/// Compiles the kernels that `--convert-fused-to-cuda` left on `module`, in
/// their order, and the session's as the last. A kernel that spills with the
/// blocks it claims for a multiprocessor is compiled again with registers for
/// one. Without NVRTC, or where it refuses a text, it emits an error at the
/// place of the kernel's operation; what `checkClaims` finds are warnings
/// there.
mlir::FailureOr<std::vector<CompiledKernel>>
compileDevice(mlir::ModuleOp module, const DeviceOptions &options);

/// Sentences on what is not as the kernel's record promises: registers spilled,
/// local memory, remarks in the log, static shared memory, other launch bounds,
/// fewer resident blocks than claimed. Empty where all is well or where the
/// image is no GPU's machine code.
std::vector<std::string> checkClaims(const cuda::DeviceKernel &kernel,
                                     const nvrtc::KernelImage &image);

/// A line for each architecture:
/// "contract_0 (contract) on sm_90: 64 registers, 128 threads, 33792 bytes
/// shared, 6 blocks on a multiprocessor (37% of its warps)", and whether that
/// is less than the kernel claims because it would spill.
std::string describeDevice(const CompiledKernel &compiled);

/// All kernels of the object as one text, which NVRTC compiles: each device
/// file once, the session's kernel last.
std::string deviceText(mlir::ModuleOp module);

/// `deviceText` as PTX or as a cubin for one architecture, with registers for
/// one block where a kernel would spill.
mlir::FailureOr<std::string> compileDeviceText(mlir::ModuleOp module,
                                               nvrtc::Architecture arch,
                                               bool asPtx,
                                               const DeviceOptions &options);

/// What an object holds of the kernels.
std::vector<package::DeviceKernelCode>
packageDevice(llvm::ArrayRef<CompiledKernel> kernels);

} // namespace sinter

#endif // SINTER_PIPELINES_COMPILEDEVICE_H
