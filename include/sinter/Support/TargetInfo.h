//===- TargetInfo.h - What a CPU level offers to kernels --------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_SUPPORT_TARGETINFO_H
#define SINTER_SUPPORT_TARGETINFO_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace sinter {

/// A register tile of a matrix product: `rows` rows of A times `vectors`
/// native vectors of columns of each of the paired weights.
struct RegisterTile {
  unsigned rows;
  unsigned vectors;
};

/// One level of an instruction set, as far as kernels depend on it.
struct TargetInfo {
  /// The name given to LLVM as the CPU, such as "x86-64-v3".
  std::string cpu;
  /// f32 numbers in a native vector: 4, 8 or 16.
  unsigned lanes;
  /// Native vector registers.
  unsigned registers;
  bool hasFma;
  /// Mask registers and vscalefps (AVX-512).
  bool hasAvx512;

  /// Columns that lie side by side in a weight panel, on every level.
  static constexpr unsigned panelColumns = 16;

  unsigned vectorsPerPanel() const { return panelColumns / lanes; }

  /// The tile for `paired` weights over `panels` panels of 16 columns. The
  /// accumulators, a vector of each column and a broadcast fit the registers.
  RegisterTile tile(unsigned paired, int64_t panels) const;

  /// Levels by name: "x86-64-v2", "x86-64-v3", "x86-64-v4".
  static std::optional<TargetInfo> get(llvm::StringRef cpu);
  /// The level to which a CPU with these features belongs, under its own name.
  static TargetInfo forFeatures(llvm::StringRef cpu, bool hasAvx2Fma,
                                bool hasAvx512);
  static llvm::ArrayRef<llvm::StringRef> names();
};

} // namespace sinter

#endif // SINTER_SUPPORT_TARGETINFO_H
