//===- Cubin.h - What a kernel's machine code uses --------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TARGET_NVRTC_CUBIN_H
#define SINTER_TARGET_NVRTC_CUBIN_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>
#include <vector>

namespace sinter::nvrtc {

/// What one kernel of a cubin uses, read from its ELF file.
struct KernelResources {
  std::string name;
  unsigned registers = 0;   ///< of a thread
  unsigned stackBytes = 0;  ///< of a thread, in local memory
  unsigned sharedBytes = 0; ///< static shared memory of a block
  unsigned parameterBytes = 0;
  unsigned maxThreads = 0; ///< __launch_bounds__; 0: not given
  unsigned instructions = 0;
  /// How often an operation occurs, by the low 12 bits of its instruction.
  std::map<unsigned, unsigned> operations;

  unsigned count(unsigned operation) const;
  unsigned localLoads() const;
  unsigned localStores() const;
};

/// Operations under their numbers in `KernelResources::operations`, the same on
/// sm_80 to sm_100: each was found by compiling a text that holds a known
/// number of it.
namespace operation {
inline constexpr unsigned localStore = 0x387;   // STL
inline constexpr unsigned localLoad = 0x983;    // LDL
inline constexpr unsigned globalLoad = 0x981;   // LDG
inline constexpr unsigned globalStore = 0x986;  // STG
inline constexpr unsigned genericLoad = 0x980;  // LD
inline constexpr unsigned genericStore = 0x985; // ST
inline constexpr unsigned asyncCopy = 0xfae;    // LDGSTS
inline constexpr unsigned barrier = 0xb1d;      // BAR
} // namespace operation

/// Whether `image` is machine code for a GPU, by the machine in its ELF header.
bool isCubin(llvm::StringRef image);

/// The kernels of a cubin in the order of their sections. An error says what is
/// wrong with the file.
llvm::Expected<std::vector<KernelResources>> readCubin(llvm::StringRef image);

} // namespace sinter::nvrtc

#endif // SINTER_TARGET_NVRTC_CUBIN_H
