//===- ModelInterface.cpp - a compiled model, described completely --------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Target/Package/ModelInterface.h"
#include "runtime/hash.h"
#include "runtime/model.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace sinter::package;

unsigned sinter::package::bytesOf(ElementType type) {
  switch (type) {
  case ElementType::I1:
  case ElementType::I8:
    return 1;
  case ElementType::I16:
  case ElementType::F16:
  case ElementType::BF16:
    return 2;
  case ElementType::I32:
  case ElementType::F32:
    return 4;
  case ElementType::I64:
  case ElementType::F64:
    return 8;
  }
  llvm_unreachable("unknown element type");
}

llvm::StringRef sinter::package::cTypeOf(ElementType type) {
  static constexpr llvm::StringLiteral names[] = {
      "uint8_t",  "int8_t",   "int16_t", "int32_t", "int64_t",
      "uint16_t", "uint16_t", "float",   "double"};
  return names[unsigned(type)];
}

llvm::StringRef sinter::package::nameOf(ElementType type) {
  static constexpr llvm::StringLiteral names[] = {
      "i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"};
  return names[unsigned(type)];
}

uint64_t sinter::package::hashBytes(llvm::StringRef bytes) {
  return sinter_hash(reinterpret_cast<const unsigned char *>(bytes.data()),
                     bytes.size());
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

std::vector<SizeExpr> State::bufferBytes(const Extent &rows,
                                         const Extent &capacity) const {
  SizeExpr bytes = rows.size() * SizeExpr(bytesOf(type));
  if (kind == Tensor) {
    for (const Extent &extent : shape)
      bytes = bytes * extent.size();
    return {bytes.alignTo(SINTER_ALIGNMENT)};
  }
  SizeExpr perPosition = bytes * SizeExpr(heads);
  SizeExpr panels = capacity.size().alignTo(panel);
  return {(perPosition * panels * SizeExpr(key)).alignTo(SINTER_ALIGNMENT),
          (perPosition * capacity.size() * SizeExpr(value))
              .alignTo(SINTER_ALIGNMENT)};
}

/// One int64 per row, 64-aligned.
static SizeExpr rowArrayBytes(const Extent &rows) {
  return (rows.size() * SizeExpr(8)).alignTo(SINTER_ALIGNMENT);
}

SizeExpr ModelInterface::sessionPrefixBytes() const {
  SizeExpr words(
      8 * (SINTER_SESSION_DIMS_WORD + sessionDims.size() + extents().size()));
  return words.alignTo(SINTER_ALIGNMENT) +
         SizeExpr(cursors.size()) * rowArrayBytes(rows);
}

SizeExpr ModelInterface::sessionBytes() const {
  SizeExpr total = sessionPrefixBytes();
  for (const State &state : states) {
    const Cursor *cursor = findCursor(state.cursor);
    for (const SizeExpr &bytes :
         state.bufferBytes(rows, cursor ? cursor->capacity : Extent()))
      total += bytes;
  }
  return total;
}

SizeExpr EntryInterface::count(const Tensor &tensor) const {
  SizeExpr elements(1);
  for (const Extent &extent : tensor.shape)
    elements = elements * extent.size();
  return elements;
}

SizeExpr EntryInterface::prefixBytes() const {
  SizeExpr total;
  for (const Tensor &tensor : tensors)
    if (tensor.role == Tensor::Lengths)
      total += rowArrayBytes(tensor.shape.front());
  for (const CursorUse &use : cursors)
    if (use.kind != CursorUse::Read)
      total +=
          SizeExpr(use.kind == CursorUse::Fill ? 2 : 1) * rowArrayBytes(rows);
  return total;
}

SizeExpr EntryInterface::workspaceBytes() const {
  SizeExpr total = SizeExpr(SINTER_ALIGNMENT + reservedBytes) + prefixBytes();
  for (const SizeExpr &slot : slots)
    total += slot.alignTo(SINTER_ALIGNMENT);
  SizeExpr scratch = SizeExpr(scratchBytes).alignTo(SINTER_ALIGNMENT);
  return total + SizeExpr::dim(kWorkers) * scratch;
}

//===----------------------------------------------------------------------===//
// Look-ups
//===----------------------------------------------------------------------===//

const EntryDim *EntryInterface::findDim(llvm::StringRef name) const {
  auto found = llvm::find_if(
      dims, [&](const EntryDim &dim) { return dim.name == name; });
  return found == dims.end() ? nullptr : &*found;
}

std::vector<const EntryDim *> EntryInterface::sizeDims() const {
  llvm::StringSet<> used;
  for (const std::string &name : workspaceBytes().dims())
    used.insert(name);
  for (const Tensor &tensor : tensors)
    for (const std::string &name : count(tensor).dims())
      used.insert(name);
  std::vector<const EntryDim *> result;
  for (const EntryDim &dim : dims)
    if (dim.kind == EntryDim::Parameter || used.contains(dim.name))
      result.push_back(&dim);
  return result;
}

bool ModelInterface::hasTensorState() const {
  return llvm::any_of(
      states, [](const State &state) { return state.kind == State::Tensor; });
}

std::vector<std::string> State::currentDims() const {
  std::vector<std::string> names;
  for (const Extent &extent : shape)
    if (!extent.isConstant())
      names.push_back(extent.name);
  return names;
}

const State *ModelInterface::findState(llvm::StringRef name) const {
  auto found = llvm::find_if(
      states, [&](const State &state) { return state.name == name; });
  return found == states.end() ? nullptr : &*found;
}

unsigned ModelInterface::firstExtent(llvm::StringRef name) const {
  unsigned first = 0;
  for (const State &state : states) {
    if (state.name == name)
      break;
    first += state.currentDims().size();
  }
  return first;
}

std::vector<std::string> ModelInterface::extents() const {
  std::vector<std::string> names;
  for (const State &state : states)
    llvm::append_range(names, state.currentDims());
  return names;
}

int ModelInterface::cursorIndex(llvm::StringRef name) const {
  for (auto [index, cursor] : llvm::enumerate(cursors))
    if (cursor.name == name)
      return index;
  return -1;
}

const Cursor *ModelInterface::findCursor(llvm::StringRef name) const {
  int index = cursorIndex(name);
  return index < 0 ? nullptr : &cursors[index];
}

int ModelInterface::stateSlot(llvm::StringRef name) const {
  int slot = 0;
  for (const State &state : states) {
    if (state.name == name)
      return slot;
    slot += state.kind == State::Cache ? 2 : 1;
  }
  return -1;
}

unsigned ModelInterface::numStateSlots() const {
  unsigned slots = 0;
  for (const State &state : states)
    slots += state.kind == State::Cache ? 2 : 1;
  return slots;
}

/// The entry's dimension that is dimension `name` of the session.
static Extent sessionDimOf(EntryInterface &entry, llvm::StringRef name) {
  for (const EntryDim &dim : entry.dims)
    if (dim.kind == EntryDim::Session && dim.session == name)
      return Extent::dim(dim.name);
  EntryDim dim;
  dim.name = name.str();
  dim.kind = EntryDim::Session;
  dim.session = name.str();
  entry.dims.push_back(dim);
  return Extent::dim(name);
}

void ModelInterface::complete() {
  for (EntryInterface &entry : entries) {
    entry.reservedBytes = onDevice ? SINTER_DEVICE_RESERVED : 0;
    if (entry.usesSession)
      entry.rows = rows.isConstant() ? rows : sessionDimOf(entry, rows.name);
    for (EntryDim &dim : entry.dims)
      for (const SessionDim &session : sessionDims)
        if (dim.kind != EntryDim::Parameter && dim.session == session.name) {
          dim.lower = dim.kind == EntryDim::State ? 0 : session.lower;
          dim.upper = session.upper;
        }
  }
}

std::string ModelInterface::prefix() const { return cIdentifier(name); }

uint64_t sinter::package::modelHash(const ModelInterface &model,
                                    uint64_t weightsHash) {
  std::string text = model.version + "\n" + model.target + "\n";
  auto asIs = [](llvm::StringRef name) { return name.str(); };
  text += model.sessionBytes().printC(asIs) + "\n";
  for (const State &state : model.states)
    text += state.name + " " + nameOf(state.type).str() + " " + state.cursor +
            " " + std::to_string(state.heads) + " " +
            std::to_string(state.key) + " " + std::to_string(state.value) +
            " " + std::to_string(state.panel) + " " +
            llvm::join(state.currentDims(), " ") + "\n";
  text += llvm::utohexstr(model.computationHash) + " " +
          llvm::utohexstr(weightsHash) + (model.flushDenormals ? " flush" : "");
  return hashBytes(text);
}

std::string sinter::package::weightFileHeader(const ModelInterface &model,
                                              uint64_t weightsHash) {
  std::string header(SINTER_WEIGHTS_HEADER, '\0');
  int64_t words[] = {SINTER_WEIGHTS_MAGIC, int64_t(weightsHash),
                     int64_t(model.weights.bytes)};
  memcpy(header.data(), words, sizeof(words));
  return header;
}
