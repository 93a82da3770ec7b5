//===- Architecture.h - GPUs that kernels are compiled for ------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TARGET_NVRTC_ARCHITECTURE_H
#define SINTER_TARGET_NVRTC_ARCHITECTURE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace sinter::nvrtc {

/// What one multiprocessor of an architecture has (CUDA C++ Programming Guide,
/// "Compute Capabilities", tables of technical specifications).
struct Limits {
  unsigned threads = 2048; ///< resident on a multiprocessor
  unsigned blocks = 32;    ///< resident on a multiprocessor
  unsigned threadsPerBlock = 1024;
  unsigned registers = 65536; ///< of 32 bits, also the most of a block
  unsigned registersPerThread = 255;
  unsigned sharedBytes = 0;            ///< of a multiprocessor
  unsigned sharedBytesPerBlock = 0;    ///< after opting in
  unsigned sharedBytesReserved = 1024; ///< taken by the system for each block
};

/// An architecture as `--gpu-arch` names it: "sm_90".
struct Architecture {
  unsigned number = 0; ///< 80: compute capability 8.0
  /// Features of this architecture alone ("sm_90a"); such code runs on no later
  /// one.
  bool specific = false;

  std::string name() const;
  Limits limits() const;
  bool operator==(const Architecture &) const = default;
};

/// Names that `--gpu-arch` takes.
llvm::ArrayRef<llvm::StringRef> knownArchitectures();

/// Those that are compiled for unless others are asked for.
llvm::ArrayRef<Architecture> defaultArchitectures();

/// "sm_80" and its kin; an error names the valid ones.
llvm::Expected<Architecture> parseArchitecture(llvm::StringRef name);

/// A list with commas, in ascending order; a repetition is an error.
llvm::Expected<std::vector<Architecture>>
parseArchitectures(llvm::StringRef list);

/// The one to compile for where the code shall run on a device of this compute
/// capability (89: 8.9), itself or by way of its PTX. An error if there is
/// none.
llvm::Expected<Architecture> architectureFor(unsigned capability);

/// "sm_80,sm_90".
std::string describe(llvm::ArrayRef<Architecture> architectures);

/// The NVRTC that first knew the architecture: {12, 8}.
std::pair<unsigned, unsigned> firstVersionFor(Architecture arch);

/// Blocks that fit on one multiprocessor at a time; 0: not even one.
/// `registers` are those of a thread, `sharedBytes` static and dynamic ones.
/// Registers are handed out by warp in units of 256 from four equal parts,
/// shared memory in units of 128 bytes (CUDA Occupancy Calculator's rules).
unsigned residentBlocks(Architecture arch, unsigned threads, unsigned registers,
                        unsigned sharedBytes);

} // namespace sinter::nvrtc

#endif // SINTER_TARGET_NVRTC_ARCHITECTURE_H
