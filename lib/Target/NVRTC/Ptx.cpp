//===- Ptx.cpp - Memory accesses in the loops of a kernel -----------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Target/NVRTC/Ptx.h"
#include "PtxBody.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;
using namespace sinter::nvrtc;

PtxAccesses &PtxAccesses::operator+=(const PtxAccesses &other) {
  wideGlobal += other.wideGlobal;
  narrowGlobal += other.narrowGlobal;
  generic += other.generic;
  local += other.local;
  return *this;
}

static PtxAccesses accessOf(StringRef line) {
  Instruction instruction(line);
  ArrayRef<StringRef> parts = instruction.parts;
  PtxAccesses result;
  if (unsigned bytes = instruction.globalBytes()) {
    (bytes == 16 ? result.wideGlobal : result.narrowGlobal) = 1;
    return result;
  }
  if (!instruction.isAccess())
    return result;
  if (is_contained(parts, "local"))
    result.local = 1;
  else if (none_of(parts, [](StringRef part) {
             return part.starts_with("shared") || part.starts_with("param") ||
                    part.starts_with("const");
           }))
    result.generic = 1;
  return result;
}

namespace {
/// Positions in the body: the label and the last branch back to it.
struct Range {
  size_t label, branch;
  bool contains(const Range &other) const {
    return label <= other.label && other.branch <= branch;
  }
};
} // namespace

static SmallVector<Range> findLoops(ArrayRef<StringRef> body) {
  StringMap<size_t> labels;
  SmallVector<Range> loops;
  for (auto [number, line] : enumerate(body)) {
    StringRef text = line.trim();
    if (text.consume_back(":")) {
      labels[text] = number;
      continue;
    }
    StringRef branch = instructionOf(line);
    if (!branch.consume_front("bra"))
      continue;
    StringRef target = branch.take_until([](char c) { return c == ';'; });
    auto label = labels.find(target.substr(target.find('$')));
    if (label == labels.end())
      continue;
    auto *known = find_if(
        loops, [&](const Range &loop) { return loop.label == label->second; });
    if (known == loops.end())
      loops.push_back({label->second, number});
    else
      known->branch = number;
  }
  sort(loops, [](const Range &a, const Range &b) { return a.label < b.label; });
  return loops;
}

std::vector<PtxLoop> sinter::nvrtc::readPtxLoops(StringRef ptx,
                                                 StringRef name) {
  unsigned first = 0;
  SmallVector<StringRef> body = kernelLines(ptx, name, first);
  SmallVector<Range> ranges = findLoops(body);
  std::vector<PtxLoop> loops(ranges.size());
  for (auto [loop, range] : zip_equal(loops, ranges)) {
    loop.line = first + range.label;
    for (const Range &other : ranges) {
      loop.depth += other.contains(range);
      if (&other != &range && range.contains(other))
        loop.innermost = false;
    }
  }
  for (auto [number, line] : enumerate(body)) {
    PtxLoop *deepest = nullptr;
    for (auto [loop, range] : zip_equal(loops, ranges))
      if (range.label <= number && number <= range.branch &&
          (!deepest || loop.depth > deepest->depth))
        deepest = &loop;
    if (deepest)
      deepest->accesses += accessOf(line);
  }
  return loops;
}

PtxAccesses sinter::nvrtc::countPtxAccesses(StringRef ptx, StringRef name) {
  unsigned first = 0;
  PtxAccesses all;
  for (StringRef line : kernelLines(ptx, name, first))
    all += accessOf(line);
  return all;
}
