//===- Architecture.cpp - GPUs that kernels are compiled for --------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Target/NVRTC/Architecture.h"
#include "sinter/Support/CommandLine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace sinter::nvrtc;

static constexpr unsigned kWarp = 32;
/// A multiprocessor's register file is in four parts, each with its own warps.
static constexpr unsigned kParts = 4;
static constexpr unsigned kRegisterUnit = 256;
static constexpr unsigned kSharedUnit = 128;

std::string Architecture::name() const {
  return "sm_" + std::to_string(number) + (specific ? "a" : "");
}

Limits Architecture::limits() const {
  Limits limits;
  limits.sharedBytes = (number < 90 ? 164 : 228) * 1024;
  limits.sharedBytesPerBlock = (number < 90 ? 163 : 227) * 1024;
  return limits;
}

ArrayRef<StringRef> sinter::nvrtc::knownArchitectures() {
  static constexpr StringRef names[] = {"sm_80", "sm_90", "sm_90a", "sm_100",
                                        "sm_100a"};
  return names;
}

ArrayRef<Architecture> sinter::nvrtc::defaultArchitectures() {
  static constexpr Architecture all[] = {{80}, {90}, {100}};
  return all;
}

Expected<Architecture> sinter::nvrtc::architectureFor(unsigned capability) {
  for (Architecture arch : reverse(defaultArchitectures()))
    if (arch.number <= capability)
      return arch;
  return createStringError(
      "the GPU has compute capability " + std::to_string(capability / 10) +
      "." + std::to_string(capability % 10) + "; kernels need 8.0 or later");
}

std::string sinter::nvrtc::describe(ArrayRef<Architecture> architectures) {
  std::string text;
  for (Architecture arch : architectures)
    text += (text.empty() ? "" : ",") + arch.name();
  return text;
}

Expected<Architecture> sinter::nvrtc::parseArchitecture(StringRef name) {
  if (!is_contained(knownArchitectures(), name))
    return unknownName("value", name, knownArchitectures(), "for '--gpu-arch'");
  Architecture arch;
  arch.specific = name.consume_back("a");
  name.consume_front("sm_");
  name.getAsInteger(10, arch.number);
  return arch;
}

Expected<std::vector<Architecture>>
sinter::nvrtc::parseArchitectures(StringRef list) {
  SmallVector<StringRef> names;
  list.split(names, ',');
  std::vector<Architecture> result;
  for (StringRef name : names) {
    Expected<Architecture> arch = parseArchitecture(name);
    if (!arch)
      return arch.takeError();
    if (is_contained(result, *arch))
      return createStringError("'--gpu-arch' names '" + name + "' twice");
    result.push_back(*arch);
  }
  sort(result, [](Architecture a, Architecture b) {
    return std::pair(a.number, a.specific) < std::pair(b.number, b.specific);
  });
  return result;
}

std::pair<unsigned, unsigned>
sinter::nvrtc::firstVersionFor(Architecture arch) {
  if (arch.number >= 100)
    return {12, 8};
  return {12, 0};
}

unsigned sinter::nvrtc::residentBlocks(Architecture arch, unsigned threads,
                                       unsigned registers,
                                       unsigned sharedBytes) {
  const Limits limits = arch.limits();
  if (!threads || threads > limits.threadsPerBlock ||
      registers > limits.registersPerThread ||
      sharedBytes > limits.sharedBytesPerBlock)
    return 0;
  unsigned warps = divideCeil(threads, kWarp);
  unsigned blocks = std::min(limits.blocks, limits.threads / kWarp / warps);
  if (registers) {
    unsigned ofWarp = alignTo(registers * kWarp, kRegisterUnit);
    // A block must fit with its warps spread evenly over the parts.
    if (ofWarp * alignTo(warps, kParts) > limits.registers)
      return 0;
    unsigned resident = limits.registers / kParts / ofWarp * kParts;
    blocks = std::min(blocks, resident / warps);
  }
  unsigned ofBlock =
      alignTo(sharedBytes + limits.sharedBytesReserved, kSharedUnit);
  return std::min(blocks, limits.sharedBytes / ofBlock);
}
