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
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace sinter {

Error checkTriple(StringRef triple) {
  Triple parsed(Triple::normalize(triple));
  if (parsed.getArch() == Triple::x86_64 && parsed.isOSBinFormatELF())
    return Error::success();
  return unknownName("value", triple,
                     {defaultTriple, "x86_64-linux-musl", "cuda"},
                     "for '--target'");
}

static Error checkFeatures(StringRef features, const MCSubtargetInfo &info) {
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

Error checkTarget(const CompileRequest &request) {
  if (Error error = checkTriple(request.triple))
    return error;
  if (!is_contained(package::targetCpus(), request.cpu))
    return unknownName("value", request.cpu, package::targetCpus(),
                       "for '--target-cpu'");
  bool sameArchitecture = Triple(sys::getProcessTriple()).getArch() ==
                          Triple(request.triple).getArch();
  if (request.cpu == "native" && !sameArchitecture)
    return createStringError("'--target-cpu=native' needs a target of this "
                             "machine's own architecture");
  auto machine = package::createTargetMachine(
      {request.triple, request.cpu, /*features=*/""});
  if (!machine)
    return machine.takeError();
  return checkFeatures(request.features, *(*machine)->getMCSubtargetInfo());
}

void printCPUs(raw_ostream &os) {
  for (StringRef name : package::targetCpus())
    os << name << '\n';
}

} // namespace sinter
