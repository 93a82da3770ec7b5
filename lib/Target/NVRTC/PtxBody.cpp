//===- PtxBody.cpp - Lines of a kernel's PTX ------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxBody.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace sinter::nvrtc;

SmallVector<StringRef> sinter::nvrtc::kernelLines(StringRef ptx, StringRef name,
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

StringRef sinter::nvrtc::instructionOf(StringRef line) {
  line = line.trim();
  if (line.starts_with("@"))
    line = line.split(' ').second.ltrim();
  return line;
}

unsigned sinter::nvrtc::bytesOf(ArrayRef<StringRef> suffixes) {
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

Instruction::Instruction(StringRef line) {
  StringRef text = instructionOf(line);
  name = text.take_until(isSpace);
  name.split(parts, '.');
  StringRef rest = text.drop_front(name.size()).trim(" \t;");
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= rest.size(); ++i) {
    if (i == rest.size() || (rest[i] == ',' && depth == 0)) {
      operands.push_back(rest.slice(start, i).trim());
      start = i + 1;
    } else {
      depth += StringRef("{[").contains(rest[i]);
      depth -= StringRef("}]").contains(rest[i]);
    }
  }
}

/// The bytes of "cp.async.cg.shared.global [%r1], [%rd2], 16;" are its third
/// operand.
unsigned Instruction::globalBytes() const {
  unsigned bytes = 0;
  if (isAsyncCopy())
    return operands.size() < 3 || operands[2].getAsInteger(10, bytes) ? 0
                                                                      : bytes;
  return isAccess() && has("global") ? std::max(1u, bytesOf(parts)) : 0;
}

StringRef Instruction::address() const {
  StringRef address;
  for (StringRef operand : operands)
    if (operand.starts_with("["))
      address = operand;
  return address;
}
