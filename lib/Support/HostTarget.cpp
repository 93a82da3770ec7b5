//===- HostTarget.cpp - The level that this machine has -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Support/HostTarget.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;

namespace sinter {

TargetInfo kernelTarget(StringRef cpu) {
  if (std::optional<TargetInfo> level = TargetInfo::get(cpu))
    return *level;
  StringMap<bool> host = sys::getHostCPUFeatures();
  auto has = [&](ArrayRef<StringRef> names) {
    return all_of(names, [&](StringRef name) { return host.lookup(name); });
  };
  if (has({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}))
    return *TargetInfo::get("x86-64-v4");
  if (has({"avx2", "fma", "f16c", "bmi", "bmi2", "lzcnt"}))
    return *TargetInfo::get("x86-64-v3");
  return *TargetInfo::get("x86-64-v2");
}

} // namespace sinter
