//===- Link.cpp - static archives and shared objects ----------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Target/Object/Object.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace sinter::package;
using namespace llvm;

Expected<std::string> sinter::package::makeArchive(StringRef object,
                                                   StringRef memberName) {
  std::vector<NewArchiveMember> members;
  members.emplace_back(MemoryBufferRef(object, memberName));
  Expected<std::unique_ptr<MemoryBuffer>> archive = writeArchiveToBuffer(
      members, SymtabWritingMode::NormalSymtab, object::Archive::K_GNU,
      /*Deterministic=*/true, /*Thin=*/false);
  if (!archive)
    return archive.takeError();
  return (*archive)->getBuffer().str();
}

Error sinter::package::linkShared(StringRef objectPath, StringRef outputPath,
                                  StringRef soname) {
  ErrorOr<std::string> compiler = sys::findProgramByName("cc");
  if (!compiler)
    return createStringError(compiler.getError(),
                             "a shared object needs \"cc\" to link it");
  SmallVector<StringRef> arguments = {
      *compiler, "-shared",  "-nostdlib", "-Wl,-z,text", "-Wl,--build-id=none",
      "-o",      outputPath, objectPath};
  std::string name = ("-Wl,-soname," + soname).str();
  if (!soname.empty())
    arguments.push_back(name);
  std::string problem;
  int status = sys::ExecuteAndWait(*compiler, arguments, std::nullopt, {}, 0, 0,
                                   &problem);
  if (status != 0)
    return createStringError(inconvertibleErrorCode(),
                             "linking \"" + outputPath + "\" failed" +
                                 (problem.empty() ? "" : ": " + problem));
  return Error::success();
}
