//===- TargetOptions.cpp - Triples, CPUs and features that sinterc takes -*- C++
//-*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TargetOptions.h"
#include "sinter/Support/CommandLine.h"
#include "sinter/Support/Spelling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace sinter {
namespace {

/// The levels come first: they are what objects for other machines are made
/// for.
constexpr StringRef levels[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};

std::unique_ptr<MCSubtargetInfo> subtarget(StringRef triple,
                                           StringRef cpu = "") {
  InitializeAllTargetInfos();
  InitializeAllTargetMCs();
  std::string error;
  Triple parsed(triple);
  const llvm::Target *target = TargetRegistry::lookupTarget(parsed, error);
  assert(target && "the triple was checked");
  return std::unique_ptr<MCSubtargetInfo>(
      target->createMCSubtargetInfo(parsed, cpu, ""));
}

/// CPUs on which the lowest level runs.
SmallVector<StringRef> cpuNames(StringRef triple) {
  SmallVector<StringRef> names(std::begin(levels), std::end(levels));
  for (const SubtargetSubTypeKV &cpu :
       subtarget(triple)->getAllProcessorDescriptions()) {
    if (is_contained(names, cpu.Key))
      continue;
    if (subtarget(triple, cpu.Key)->checkFeatures("+64bit,+sse4.1"))
      names.push_back(cpu.Key);
  }
  return names;
}

Error checkCPU(CompileRequest &request) {
  if (request.cpu == "native") {
    if (Triple(sys::getProcessTriple()).getArch() !=
        Triple(request.triple).getArch())
      return createStringError("'--target-cpu=native' needs a target of this "
                               "machine's own architecture");
    request.cpu = sys::getHostCPUName().str();
    return Error::success();
  }
  SmallVector<StringRef> names = cpuNames(request.triple);
  if (is_contained(names, request.cpu))
    return Error::success();
  return createStringError(
      "unknown value '" + request.cpu + "' for '--target-cpu'" +
      didYouMean(request.cpu, names) +
      " (valid: " + listNames({levels[0], levels[1], levels[2], "native"}) +
      "; '--target-cpu=help' lists the other CPUs)");
}

Error checkFeatures(StringRef features, const MCSubtargetInfo &info) {
  SmallVector<StringRef> names, words;
  for (const SubtargetFeatureKV &feature : info.getAllProcessorFeatures())
    names.push_back(feature.Key);
  features.split(words, ',', -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    if (!word.consume_front("+") && !word.consume_front("-"))
      return createStringError("feature '" + word +
                               "' needs '+' or '-' in front");
    if (!is_contained(names, word))
      return createStringError("unknown feature '" + word +
                               "' in '--target-features'" +
                               didYouMean(word, names));
  }
  return Error::success();
}

} // namespace

Error checkTriple(StringRef triple) {
  Triple parsed(Triple::normalize(triple));
  if (parsed.getArch() == Triple::x86_64 && parsed.isOSBinFormatELF())
    return Error::success();
  return unknownName("value", triple, {defaultTriple, "x86_64-linux-musl"},
                     "for '--target'");
}

Error checkTarget(CompileRequest &request) {
  if (Error error = checkTriple(request.triple))
    return error;
  if (Error error = checkCPU(request))
    return error;
  return checkFeatures(request.features, *subtarget(request.triple));
}

void printCPUs(StringRef triple, raw_ostream &os) {
  for (StringRef name : cpuNames(triple))
    os << name << '\n';
}

} // namespace sinter
