//===- StackUse.cpp - how much stack a call needs -------------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StackUse.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/MemoryBufferRef.h"

using namespace sinter;
using namespace llvm;

/// The function that a relocation points at, by the name of its section:
/// ".text.<function>".
static Expected<StringRef> functionOf(const object::RelocationRef &relocation) {
  Expected<StringRef> name = relocation.getSymbol()->getName();
  if (name)
    name->consume_front(".text.");
  return name;
}

/// One table: entries of an address, given by a relocation, and the frame as
/// ULEB128.
static Error readTable(const object::SectionRef &table,
                       const object::SectionRef &relocations,
                       StringMap<uint64_t> &frames) {
  Expected<StringRef> contents = table.getContents();
  if (!contents)
    return contents.takeError();
  DataExtractor data(*contents, /*IsLittleEndian=*/true, /*AddressSize=*/8);
  for (const object::RelocationRef &relocation : relocations.relocations()) {
    uint64_t offset = relocation.getOffset() + 8;
    uint64_t size = data.getULEB128(&offset);
    Expected<StringRef> function = functionOf(relocation);
    if (!function)
      return function.takeError();
    frames[*function] = size;
  }
  return Error::success();
}

Expected<StringMap<uint64_t>> sinter::readFrames(StringRef code) {
  Expected<std::unique_ptr<object::ObjectFile>> file =
      object::ObjectFile::createELFObjectFile(MemoryBufferRef(code, "model"));
  if (!file)
    return file.takeError();
  StringMap<uint64_t> frames;
  for (const object::SectionRef &section : (*file)->sections()) {
    Expected<object::section_iterator> table = section.getRelocatedSection();
    if (!table)
      return table.takeError();
    if (*table == (*file)->section_end())
      continue;
    Expected<StringRef> name = (*table)->getName();
    if (!name)
      return name.takeError();
    if (*name != ".stack_sizes")
      continue;
    if (Error e = readTable(**table, section, frames))
      return std::move(e);
  }
  return frames;
}

namespace {
class Depth {
public:
  Depth(const Module &module, const StringMap<uint64_t> &frames)
      : frames(frames) {
    for (const Function &function : module)
      if (!function.isDeclaration() && function.hasAddressTaken())
        pointees.push_back(&function);
  }
  uint64_t of(const Function &function);

private:
  uint64_t below(const CallBase &call);

  const StringMap<uint64_t> &frames;
  SmallVector<const Function *> pointees;
  DenseMap<const Function *, uint64_t> known;
};
} // namespace

/// For memcpy and its kind.
static constexpr uint64_t kLibraryFrame = 256;
/// Return address, pushed registers' slack and realignment to a cache line.
static constexpr uint64_t kPerFrame = 8 + 64;

uint64_t Depth::below(const CallBase &call) {
  if (call.isInlineAsm())
    return 0;
  if (const Function *callee = call.getCalledFunction())
    return callee->isDeclaration() ? kLibraryFrame : of(*callee);
  uint64_t deepest = 0;
  for (const Function *pointee : pointees)
    if (pointee->getFunctionType() == call.getFunctionType())
      deepest = std::max(deepest, of(*pointee));
  return deepest;
}

uint64_t Depth::of(const Function &function) {
  // A hook's call may seem to come back here by its type; it does not.
  auto [entry, isNew] = known.try_emplace(&function, 0);
  if (!isNew)
    return entry->second;
  uint64_t deepest = 0;
  for (const Instruction &instruction : instructions(function))
    if (const auto *call = dyn_cast<CallBase>(&instruction))
      deepest = std::max(deepest, below(*call));
  uint64_t depth = deepest + frames.lookup(function.getName()) + kPerFrame;
  return known[&function] = depth;
}

uint64_t sinter::deepestStack(const Module &module,
                              const StringMap<uint64_t> &frames) {
  Depth depth(module, frames);
  uint64_t deepest = 0;
  for (const Function &function : module)
    if (!function.isDeclaration())
      deepest = std::max(deepest, depth.of(function));
  return (deepest + 63) / 64 * 64;
}
