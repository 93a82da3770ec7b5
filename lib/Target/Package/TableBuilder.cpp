//===- TableBuilder.cpp - constants that mirror the runtime's structures --===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TableBuilder.h"
#include "Checks.h"
#include "runtime/model.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DerivedTypes.h"

using namespace sinter::package;
using llvm::Constant;

/// All exceptions masked, round to nearest; flush adds FTZ and DAZ.
static constexpr int64_t kModePreserve = 0x1f80, kModeFlush = 0x9fc0;

TableBuilder::TableBuilder(llvm::Module &module, const ModelInterface &model)
    : module(module), interface(model), context(module.getContext()) {
  // Declared first: the entries' tables point back at it.
  llvm::SmallVector<llvm::Type *> members(23, llvm::Type::getInt64Ty(context));
  for (unsigned pointer : {3, 5, 8, 10, 12, 14, 17, 19, 21})
    members[pointer] = llvm::PointerType::get(context, 0);
  modelTable = new llvm::GlobalVariable(
      module, llvm::StructType::get(context, members), /*isConstant=*/true,
      llvm::GlobalValue::InternalLinkage, nullptr, "sinter_model_table");
}

Constant *TableBuilder::number(int64_t value) {
  return llvm::ConstantInt::getSigned(llvm::Type::getInt64Ty(context), value);
}

Constant *TableBuilder::null() {
  return llvm::ConstantPointerNull::get(llvm::PointerType::get(context, 0));
}

Constant *TableBuilder::record(llvm::ArrayRef<Constant *> members) {
  return llvm::ConstantStruct::getAnon(context, members);
}

Constant *TableBuilder::array(llvm::ArrayRef<Constant *> elements) {
  if (elements.empty())
    return null();
  auto *type =
      llvm::ArrayType::get(elements.front()->getType(), elements.size());
  auto *global = new llvm::GlobalVariable(
      module, type, /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage,
      llvm::ConstantArray::get(type, elements), "table");
  global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  global->setAlignment(llvm::Align(8));
  return global;
}

Constant *TableBuilder::numbers(llvm::ArrayRef<int64_t> values) {
  return array(llvm::map_to_vector(
      values, [&](int64_t value) { return number(value); }));
}

Constant *TableBuilder::string(llvm::StringRef text) {
  Constant *data = llvm::ConstantDataArray::getString(context, text);
  auto *global = new llvm::GlobalVariable(
      module, data->getType(),
      /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage, data, "text");
  global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  global->setAlignment(llvm::Align(1));
  return global;
}

Constant *TableBuilder::functionOrNull(const std::string &name) {
  llvm::Function *function = module.getFunction(name);
  return function && !function->isDeclaration() ? function : null();
}

static llvm::Error missing(llvm::StringRef what) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "the module lacks the function \"" + what +
                                     "\"");
}

void TableBuilder::addKernel(const std::string &name, Constant *value) {
  auto *global =
      new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                               llvm::GlobalValue::InternalLinkage, value);
  std::string symbol = name + "_kernel";
  if (llvm::GlobalVariable *declared = module.getNamedGlobal(symbol)) {
    declared->replaceAllUsesWith(global);
    declared->eraseFromParent();
  }
  global->setName(symbol);
  kernels.push_back(global);
}

llvm::Error TableBuilder::buildKernels() {
  if (interface.onDevice) {
    for (auto [index, kernel] : llvm::enumerate(interface.deviceKernels))
      addKernel(kernel.name, deviceKernel(kernel, index));
    return llvm::Error::success();
  }
  for (auto [index, name] : llvm::enumerate(interface.kernels)) {
    Constant *body = functionOrNull(name);
    if (body->isNullValue())
      return missing(name);
    addKernel(name, record({string(name), body, functionOrNull(name + "_tasks"),
                            functionOrNull(name + "_steps"), number(index)}));
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

int64_t TableBuilder::sessionDimIndex(llvm::StringRef name) const {
  for (auto [index, dim] : llvm::enumerate(interface.sessionDims))
    if (dim.name == name)
      return index;
  return -1;
}

static int64_t dimIndex(const EntryInterface &entry, llvm::StringRef name) {
  return entry.findDim(name) - entry.dims.data();
}

static int64_t encode(const EntryInterface &entry, const Extent &extent) {
  return extent.isConstant() ? extent.value : ~dimIndex(entry, extent.name);
}

/// Numbers of the current extents in dimension `name` that the entry reads.
static std::vector<unsigned> readExtents(const ModelInterface &model,
                                         const EntryInterface &entry,
                                         llvm::StringRef name) {
  std::vector<unsigned> numbers;
  for (const std::string &read : entry.reads)
    for (auto [index, dim] :
         llvm::enumerate(model.findState(read)->currentDims()))
      if (dim == name)
        numbers.push_back(model.firstExtent(read) + index);
  return numbers;
}

Constant *TableBuilder::entryDims(const EntryInterface &entry) {
  llvm::SmallVector<Constant *> rows;
  for (const EntryDim &dim : entry.dims) {
    int64_t session = sessionDimIndex(dim.session);
    int64_t source = SINTER_DIM_FROM_SESSION;
    if (dim.kind == EntryDim::Parameter)
      source = SINTER_DIM_FROM_ARGUMENT;
    if (dim.kind == EntryDim::State) {
      // Any state that is read; that all have this extent is a check.
      source = SINTER_DIM_FROM_STATE;
      session = readExtents(interface, entry, dim.name).front();
    }
    rows.push_back(record({number(dim.lower), number(dim.upper),
                           number(session), number(source)}));
  }
  return array(rows);
}

Constant *TableBuilder::tensors(const EntryInterface &entry) {
  llvm::SmallVector<Constant *> rows;
  for (const Tensor &tensor : entry.tensors) {
    llvm::SmallVector<int64_t> shape;
    for (const Extent &extent : tensor.shape)
      shape.push_back(encode(entry, extent));
    rows.push_back(
        record({number(tensor.role), number(bytesOf(tensor.type)),
                number(shape.size()), numbers(shape),
                number(encode(entry, tensor.extent)), number(tensor.limit),
                number(tensor.below.empty() ? INT64_MAX
                                            : ~dimIndex(entry, tensor.below)),
                number(tensor.lengths)}));
  }
  return array(rows);
}

Constant *TableBuilder::cursorUses(const EntryInterface &entry) {
  llvm::SmallVector<Constant *> rows;
  for (const CursorUse &use : entry.cursors)
    rows.push_back(
        record({number(interface.cursorIndex(use.cursor)), number(use.kind),
                number(encode(entry, use.by)), number(use.lengths)}));
  return array(rows);
}

Constant *TableBuilder::positions(const EntryInterface &entry) {
  llvm::SmallVector<Constant *> rows;
  for (const PositionCheck &check : entry.positions)
    rows.push_back(record({number(interface.cursorIndex(check.cursor)),
                           number(encode(entry, check.by)),
                           number(check.lengths), number(check.limit)}));
  return array(rows);
}

Constant *TableBuilder::extentReads(const EntryInterface &entry) {
  llvm::SmallVector<Constant *> rows;
  for (const std::string &read : entry.reads)
    for (auto [index, dim] :
         llvm::enumerate(interface.findState(read)->currentDims()))
      rows.push_back(record({number(interface.firstExtent(read) + index),
                             number(dimIndex(entry, dim))}));
  return array(rows);
}

Constant *TableBuilder::extentWrites(const EntryInterface &entry) {
  llvm::SmallVector<Constant *> rows;
  for (const StateWrite &write : entry.writes)
    for (auto [dim, extent] : llvm::zip_equal(
             interface.findState(write.state)->currentDims(), write.extents)) {
      llvm::SmallVector<int64_t> program;
      extent.encode([&](llvm::StringRef name) { return dimIndex(entry, name); },
                    program);
      program.push_back(SINTER_OP_END);
      rows.push_back(record({numbers(program), number(sessionDimIndex(dim))}));
    }
  return array(rows);
}

Constant *TableBuilder::slots(const EntryInterface &entry) {
  llvm::SmallVector<int64_t> program;
  for (const SizeExpr &slot : entry.slots) {
    slot.alignTo(SINTER_ALIGNMENT)
        .encode([&](llvm::StringRef name) { return dimIndex(entry, name); },
                program);
    program.push_back(SINTER_OP_END);
  }
  return numbers(program);
}

llvm::Error TableBuilder::buildEntry(const EntryInterface &entry,
                                     unsigned index) {
  Constant *run = functionOrNull(entry.name + "_run");
  if (run->isNullValue())
    return missing(entry.name + "_run");
  int64_t weights = !entry.usesWeights ? 0 : interface.weights.embedded ? 2 : 1;
  SizeExpr scratch = SizeExpr(entry.scratchBytes).alignTo(SINTER_ALIGNMENT);
  Constant *value =
      record({run,
              modelTable,
              number(entry.usesSession),
              number(weights),
              number(firstCheck(interface, index)),
              number(entry.dims.size()),
              entryDims(entry),
              number(entry.tensors.size()),
              tensors(entry),
              number(entry.cursors.size()),
              cursorUses(entry),
              number(entry.positions.size()),
              positions(entry),
              number(numExtentReads(interface, entry)),
              extentReads(entry),
              number(numExtentWrites(entry)),
              extentWrites(entry),
              number(entry.usesSession ? encode(entry, entry.rows) : 0),
              number(entry.slots.size()),
              slots(entry),
              number(*scratch.asConstant()),
              number(entry.reservedBytes)});
  entryTables.push_back(
      new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                               llvm::GlobalValue::InternalLinkage, value,
                               "sinter_entry_table_" + entry.name));
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

Constant *TableBuilder::sessionDims() {
  llvm::SmallVector<Constant *> rows;
  for (auto [index, dim] : llvm::enumerate(interface.sessionDims))
    rows.push_back(record(
        {number(dim.lower), number(dim.upper), number(index), number(1)}));
  return array(rows);
}

Constant *TableBuilder::tensorShape(const State &state) {
  llvm::SmallVector<int64_t> shape;
  int64_t own = 0;
  for (const Extent &extent : state.shape)
    shape.push_back(extent.isConstant() ? extent.value : ~own++);
  return numbers(shape);
}

Constant *TableBuilder::states() {
  llvm::SmallVector<Constant *> rows;
  for (const State &state : interface.states) {
    int64_t element = bytesOf(state.type);
    bool cache = state.kind == State::Cache;
    rows.push_back(record(
        {number(cache ? SINTER_STATE_CACHE : SINTER_STATE_TENSOR),
         number(cache ? interface.cursorIndex(state.cursor) : 0),
         number(state.heads), number(cache ? state.key * element : element),
         number(state.value * element), number(state.panel),
         number(interface.firstExtent(state.name)),
         number(state.currentDims().size()), number(state.shape.size()),
         tensorShape(state)}));
  }
  return array(rows);
}

Constant *TableBuilder::stateBytes() {
  llvm::SmallVector<int64_t> program;
  for (const State &state : interface.states) {
    const Cursor *cursor = interface.findCursor(state.cursor);
    for (const SizeExpr &bytes : state.bufferBytes(
             interface.rows, cursor ? cursor->capacity : Extent())) {
      bytes.encode([&](llvm::StringRef name) { return sessionDimIndex(name); },
                   program);
      program.push_back(SINTER_OP_END);
    }
  }
  return numbers(program);
}

Constant *TableBuilder::checks() {
  llvm::SmallVector<Constant *> rows;
  for (const Check &check : buildChecks(interface))
    rows.push_back(record({number(check.kind), string(check.sentence)}));
  return array(rows);
}

Constant *TableBuilder::embeddedWeights(llvm::StringRef blob) {
  if (!interface.weights.embedded || blob.empty())
    return null();
  Constant *data = llvm::ConstantDataArray::getRaw(
      blob, blob.size(), llvm::Type::getInt8Ty(context));
  auto *global = new llvm::GlobalVariable(
      module, data->getType(), /*isConstant=*/true,
      llvm::GlobalValue::InternalLinkage, data, "sinter_weights_blob");
  global->setAlignment(llvm::Align(SINTER_ALIGNMENT));
  return global;
}

llvm::Error TableBuilder::build(llvm::ArrayRef<char> weights) {
  if (llvm::Error e = buildKernels())
    return e;
  for (auto [index, entry] : llvm::enumerate(interface.entries))
    if (llvm::Error e = buildEntry(entry, index))
      return e;
  auto encodeSession = [&](const Extent &extent) {
    return extent.isConstant() ? extent.value : ~sessionDimIndex(extent.name);
  };
  llvm::SmallVector<int64_t> capacities;
  for (const Cursor &cursor : interface.cursors)
    capacities.push_back(encodeSession(cursor.capacity));
  llvm::SmallVector<int64_t> extents;
  for (const std::string &dim : interface.extents())
    extents.push_back(sessionDimIndex(dim));
  llvm::StringRef blob(weights.data(), weights.size());
  uint64_t weightsHash = hashBytes(blob);
  Constant *embedded = embeddedWeights(blob);
  size_t lastSpace = interface.target.rfind(' ') + 1; // npos + 1 is 0
  modelTable->setInitializer(
      record({number(modelHash(interface, weightsHash)),
              number(interface.flushDenormals ? kModeFlush : kModePreserve),
              number(interface.cpuFeatures),
              string(llvm::StringRef(interface.target).substr(lastSpace)),
              number(interface.sessionDims.size()),
              sessionDims(),
              number(encodeSession(interface.rows)),
              number(interface.cursors.size()),
              numbers(capacities),
              number(extents.size()),
              numbers(extents),
              number(interface.states.size()),
              states(),
              number(interface.numStateSlots()),
              stateBytes(),
              number(interface.weights.bytes),
              number(weightsHash),
              embedded,
              number(numChecks(interface)),
              checks(),
              number(interface.kernels.size()),
              array(kernels),
              number(interface.onDevice ? deviceChecks(interface) : 0)}));
  return llvm::Error::success();
}
