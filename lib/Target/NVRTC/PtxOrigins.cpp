//===- PtxOrigins.cpp - Global accesses and whence they come --------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxBody.h"
#include "sinter/Target/NVRTC/Ptx.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <optional>
#include <set>

using namespace llvm;
using namespace sinter::nvrtc;

//===----------------------------------------------------------------------===//
// Where addresses come from
//===----------------------------------------------------------------------===//

/// Registers of an operand; predicates carry no address.
static SmallVector<StringRef> registersOf(StringRef operand) {
  SmallVector<StringRef> registers;
  while (true) {
    operand = operand.drop_until([](char c) { return c == '%'; });
    if (operand.empty())
      return registers;
    StringRef name = operand.drop_front().take_while(isAlnum);
    if (!name.starts_with("p"))
      registers.push_back(name);
    operand = operand.drop_front(name.size() + 1);
  }
}

namespace {
/// Follows words of the parameters through registers, and through shared memory
/// as a whole. Paths are not told apart: what a register holds anywhere counts.
class OriginFinder {
public:
  explicit OriginFinder(ArrayRef<StringRef> body);
  std::vector<PtxOrigin> originsOf(StringRef operand);

private:
  using Origins = std::set<PtxOrigin>;
  bool flow(const Instruction &instruction);
  std::optional<PtxOrigin> parameterAt(StringRef text) const;
  bool readParameter(const Instruction &instruction);
  static bool merge(Origins &into, const Origins &from) {
    size_t before = into.size();
    into.insert(from.begin(), from.end());
    return into.size() != before;
  }

  StringMap<Origins> registers;
  /// Registers that hold addresses of parameters.
  StringMap<PtxOrigin> parameters;
  Origins shared;
};
} // namespace

OriginFinder::OriginFinder(ArrayRef<StringRef> body) {
  SmallVector<Instruction> instructions;
  for (StringRef line : body)
    if (line.contains('%') && line.trim().ends_with(";"))
      instructions.emplace_back(line);
  for (bool changes = true; changes;) {
    changes = false;
    for (const Instruction &instruction : instructions)
      changes |= flow(instruction);
  }
}

/// The place of "k_param_0+8", or of "%rd16+8" where the register holds the
/// address of a parameter.
std::optional<PtxOrigin> OriginFinder::parameterAt(StringRef text) const {
  auto [base, offset] = text.trim("[]").split('+');
  PtxOrigin origin;
  if (base.consume_front("%")) {
    auto known = parameters.find(base);
    if (known == parameters.end())
      return std::nullopt;
    origin = known->second;
  } else if (base.rsplit("_param_").second.getAsInteger(10, origin.parameter)) {
    return std::nullopt;
  }
  unsigned bytes = 0;
  if (!offset.empty() && offset.getAsInteger(10, bytes))
    return std::nullopt;
  origin.byte += bytes;
  return origin;
}

/// "ld.param.v2.u64 {%rd1, %rd2}, [k_param_0+8];".
bool OriginFinder::readParameter(const Instruction &instruction) {
  SmallVector<StringRef> to = registersOf(instruction.operands.front());
  std::optional<PtxOrigin> origin = parameterAt(instruction.address());
  if (to.empty() || !origin)
    return false;
  unsigned bytes = bytesOf(instruction.parts) / to.size();
  bool changes = false;
  for (StringRef name : to) {
    changes |= registers[name].insert(*origin).second;
    origin->byte += bytes;
  }
  return changes;
}

bool OriginFinder::flow(const Instruction &instruction) {
  if (instruction.isAsyncCopy() || instruction.operands.empty())
    return false;
  bool isShared = any_of(instruction.parts, [](StringRef part) {
    return part.starts_with("shared");
  });
  if (instruction.parts.front() == "ld" && instruction.has("param"))
    return readParameter(instruction);
  if (instruction.parts.front() == "mov" && instruction.operands.size() == 2)
    if (std::optional<PtxOrigin> at = parameterAt(instruction.operands[1]))
      return parameters.try_emplace(instruction.operands[0].drop_front(), *at)
          .second;
  if (instruction.isAccess() && !isShared)
    return false;
  ArrayRef<StringRef> operands = instruction.operands;
  bool changes = false;
  if (instruction.parts.front() == "st") {
    for (StringRef name : registersOf(operands.back()))
      changes |= merge(shared, registers[name]);
    return changes;
  }
  Origins from = instruction.isAccess() ? shared : Origins();
  if (!instruction.isAccess())
    for (StringRef operand : operands.drop_front())
      for (StringRef name : registersOf(operand))
        merge(from, registers[name]);
  for (StringRef name : registersOf(operands.front()))
    changes |= merge(registers[name], from);
  return changes;
}

std::vector<PtxOrigin> OriginFinder::originsOf(StringRef operand) {
  Origins origins;
  for (StringRef name : registersOf(operand))
    merge(origins, registers[name]);
  return {origins.begin(), origins.end()};
}

//===----------------------------------------------------------------------===//
// What lies on a cycle
//===----------------------------------------------------------------------===//

namespace {
/// Lines between labels and branches, and where control goes from there.
struct Block {
  size_t end = 0; ///< the line after the last
  SmallVector<size_t> next;
};

/// The control flow of a body.
class Flow {
public:
  explicit Flow(ArrayRef<StringRef> body);
  /// Whether control may come back to a line.
  bool isOnCycle(size_t line) const;

private:
  void findBlocks(ArrayRef<StringRef> body);
  void connect(ArrayRef<StringRef> body);

  std::vector<Block> blocks;
  StringMap<size_t> labels; ///< numbers of blocks
};
} // namespace

static bool endsBlock(StringRef instruction) {
  return instruction.starts_with("bra") || instruction.starts_with("brx") ||
         instruction.starts_with("ret") || instruction.starts_with("exit");
}

Flow::Flow(ArrayRef<StringRef> body) {
  findBlocks(body);
  connect(body);
}

void Flow::findBlocks(ArrayRef<StringRef> body) {
  blocks.emplace_back();
  for (auto [number, line] : enumerate(body)) {
    StringRef text = line.trim();
    if (text.consume_back(":")) {
      blocks.back().end = number;
      blocks.emplace_back();
      labels[text] = blocks.size() - 1;
    } else if (endsBlock(instructionOf(line))) {
      blocks.back().end = number + 1;
      blocks.emplace_back();
    }
  }
  blocks.back().end = body.size();
}

void Flow::connect(ArrayRef<StringRef> body) {
  for (auto [number, block] : enumerate(blocks)) {
    StringRef line = block.end ? body[block.end - 1].trim() : "";
    StringRef last = instructionOf(line);
    bool isPredicated = line.starts_with("@");
    if (!endsBlock(last) || isPredicated)
      if (number + 1 < blocks.size())
        block.next.push_back(number + 1);
    // The table of a branch by index is not read: it may go anywhere.
    if (last.starts_with("brx"))
      for (const auto &label : labels)
        block.next.push_back(label.second);
    if (!last.starts_with("bra"))
      continue;
    StringRef target = last.take_until([](char c) { return c == ';'; });
    auto label = labels.find(target.substr(target.find('$')));
    if (label != labels.end())
      block.next.push_back(label->second);
  }
}

bool Flow::isOnCycle(size_t line) const {
  const auto *own = partition_point(
      ArrayRef(blocks), [&](const Block &block) { return block.end <= line; });
  SmallVector<size_t> pending(own->next);
  std::vector<bool> seen(blocks.size());
  while (!pending.empty()) {
    size_t block = pending.pop_back_val();
    if (&blocks[block] == own)
      return true;
    if (!seen[block])
      pending.append(blocks[block].next);
    seen[block] = true;
  }
  return false;
}

std::vector<PtxGlobalAccess>
sinter::nvrtc::readPtxGlobalAccesses(StringRef ptx, StringRef name) {
  unsigned first = 0;
  SmallVector<StringRef> body = kernelLines(ptx, name, first);
  OriginFinder finder(body);
  Flow flow(body);
  std::vector<PtxGlobalAccess> accesses;
  for (auto [number, line] : enumerate(body)) {
    Instruction instruction(line);
    unsigned bytes = instruction.globalBytes();
    if (!bytes)
      continue;
    accesses.push_back({first + static_cast<unsigned>(number), bytes,
                        flow.isOnCycle(number),
                        finder.originsOf(instruction.address())});
  }
  return accesses;
}
