//===- TargetInfo.cpp - What a CPU level offers to kernels ----------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Support/TargetInfo.h"

#include <algorithm>

using namespace sinter;

static constexpr llvm::StringRef levelNames[] = {"x86-64-v2", "x86-64-v3",
                                                 "x86-64-v4"};

llvm::ArrayRef<llvm::StringRef> TargetInfo::names() { return levelNames; }

TargetInfo TargetInfo::forFeatures(llvm::StringRef cpu, bool hasAvx2Fma,
                                   bool hasAvx512) {
  TargetInfo info;
  info.cpu = cpu.str();
  info.lanes = hasAvx512 ? 16 : hasAvx2Fma ? 8 : 4;
  info.registers = hasAvx512 ? 32 : 16;
  info.hasFma = hasAvx2Fma || hasAvx512;
  info.hasAvx512 = hasAvx512;
  return info;
}

std::optional<TargetInfo> TargetInfo::get(llvm::StringRef cpu) {
  if (cpu == "x86-64-v2")
    return forFeatures(cpu, false, false);
  if (cpu == "x86-64-v3")
    return forFeatures(cpu, true, false);
  if (cpu == "x86-64-v4")
    return forFeatures(cpu, true, true);
  return std::nullopt;
}

RegisterTile TargetInfo::tile(unsigned paired, int64_t panels) const {
  // Vectors of one weight that are held at once: with one weight as many as
  // reach 16 accumulators and more, with several what is left.
  unsigned widest = lanes == 16 ? 4 : 2;
  unsigned vectors = std::max(1u, widest / paired);
  // 8x48 where panels split in threes, 6x64 where in fours.
  if (lanes == 16 && paired == 1 && panels % 4 != 0 && panels % 3 == 0)
    vectors = 3;
  vectors = std::min<int64_t>(vectors,
                              std::max<int64_t>(1, panels) * vectorsPerPanel());
  unsigned columns = vectors * paired;
  // One broadcast; without FMA also the product.
  unsigned reserved = hasFma ? 1 : 2;
  unsigned fit = columns + reserved < registers
                     ? (registers - reserved - columns) / columns
                     : 1;
  // More than 8 rows read in place need too many row pointers.
  return {std::clamp(fit, 1u, 8u), vectors};
}
