//===- Ptx.cpp - Memory accesses in the loops of a kernel -----------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Target/NVRTC/Ptx.h"
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

/// The lines of a kernel's body, and the number of the first one.
static SmallVector<StringRef> kernelLines(StringRef ptx, StringRef name,
                                          unsigned &first) {
  SmallVector<StringRef> all, body;
  ptx.split(all, '\n');
  bool inside = false;
  for (auto [number, line] : enumerate(all)) {
    StringRef signature = line.split(".entry ").second;
    if (signature.split('(').first.trim() == name && !signature.empty()) {
      inside = true;
      first = number + 1;
    }
    if (inside)
      body.push_back(line);
    if (inside && line == "}")
      break;
  }
  return body;
}

/// Without its predicate: "@%p1 bra $L;" gives "bra $L;".
static StringRef instructionOf(StringRef line) {
  line = line.trim();
  if (line.starts_with("@"))
    line = line.split(' ').second.ltrim();
  return line;
}

/// Bytes of an access, from its suffixes: ".v4" and ".f32" give 16.
static unsigned bytesOf(ArrayRef<StringRef> suffixes) {
  unsigned lanes = 1, bits = 0;
  for (StringRef suffix : suffixes) {
    StringRef digits = suffix.drop_front(!suffix.empty());
    unsigned number = 0;
    if (suffix.empty() || digits.getAsInteger(10, number))
      continue;
    if (suffix.front() == 'v')
      lanes = number;
    else if (StringRef("busf").contains(suffix.front()))
      bits = number;
  }
  return lanes * bits / 8;
}

/// "cp.async.cg.shared.global [%r1], [%rd2], 16;", with the bytes third.
static PtxAccesses asyncCopy(StringRef instruction) {
  SmallVector<StringRef> operands;
  instruction.split(operands, ',');
  unsigned bytes = 0;
  if (operands.size() < 3 || operands[2].trim(" \t;").getAsInteger(10, bytes))
    return {};
  PtxAccesses result;
  (bytes == 16 ? result.wideGlobal : result.narrowGlobal) = 1;
  return result;
}

static PtxAccesses accessOf(StringRef line) {
  StringRef instruction = instructionOf(line);
  StringRef name = instruction.take_until(isSpace);
  if (name.starts_with("cp.async.c"))
    return asyncCopy(instruction);
  SmallVector<StringRef> parts;
  name.split(parts, '.');
  PtxAccesses result;
  if (!is_contained({"ld", "ldu", "st", "red", "atom"}, parts.front()))
    return result;
  if (is_contained(parts, "global"))
    (bytesOf(parts) == 16 ? result.wideGlobal : result.narrowGlobal) = 1;
  else if (is_contained(parts, "local"))
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
