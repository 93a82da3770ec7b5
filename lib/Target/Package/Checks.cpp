//===- Checks.cpp - the sentences of all statuses -------------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "runtime/model.h"
#include "sinter-c/sinter_types.h"
#include "llvm/ADT/STLExtras.h"

using namespace sinter::package;

unsigned sinter::package::numExtentReads(const ModelInterface &model,
                                         const EntryInterface &entry) {
  unsigned count = 0;
  for (const std::string &read : entry.reads)
    count += model.findState(read)->currentDims().size();
  return count;
}

unsigned sinter::package::numExtentWrites(const EntryInterface &entry) {
  unsigned count = 0;
  for (const StateWrite &write : entry.writes)
    count += write.extents.size();
  return count;
}

static unsigned numEntryChecks(const ModelInterface &model,
                               const EntryInterface &entry) {
  return SINTER_ENTRY_CHECKS + SINTER_DIM_CHECKS * entry.dims.size() +
         SINTER_TENSOR_CHECKS * entry.tensors.size() + entry.cursors.size() +
         entry.positions.size() + numExtentReads(model, entry) +
         numExtentWrites(entry);
}

unsigned sinter::package::firstCheck(const ModelInterface &model,
                                     unsigned entry) {
  unsigned first = SINTER_MODEL_CHECKS + model.sessionDims.size();
  for (unsigned i = 0; i < entry; ++i)
    first += numEntryChecks(model, model.entries[i]);
  return first;
}

unsigned sinter::package::deviceChecks(const ModelInterface &model) {
  return firstCheck(model, model.entries.size());
}

unsigned sinter::package::numChecks(const ModelInterface &model) {
  return deviceChecks(model) + (model.onDevice ? SINTER_DEVICE_CHECKS : 0);
}

void sinter::package::setChecks(llvm::ArrayRef<CheckRow> rows, unsigned first,
                                const std::string &name,
                                std::vector<Check> &checks) {
  for (const CheckRow &row : rows) {
    std::string function = row.function ? name + "_" + row.function : name;
    checks[first + row.number] = {row.kind, function + ": " + row.sentence};
  }
}

/// "1..512".
static std::string range(int64_t lower, int64_t upper) {
  return std::to_string(lower) + ".." + std::to_string(upper);
}

/// "0..511", "0..sequence - 1" or what is less.
static std::string idRange(const Tensor &tensor) {
  std::string below =
      tensor.below.empty() ? "" : "0.." + cDimension(tensor.below) + " - 1";
  if (tensor.limit <= 0)
    return below;
  std::string fixed = range(0, tensor.limit - 1);
  return below.empty() ? fixed : fixed + " or " + below;
}

namespace {
class CheckTable {
public:
  explicit CheckTable(const ModelInterface &model)
      : model(model), prefix(model.prefix()) {
    checks.resize(numChecks(model));
  }
  std::vector<Check> build();

private:
  /// Sets a check of function `<prefix>_<function>`.
  void set(unsigned number, int kind, const std::string &function,
           const std::string &what) {
    checks[number] = {kind, prefix + "_" + function + ": " + what};
  }
  void addSessionDims();
  void addEntry(const EntryInterface &entry, unsigned first);
  void addDims(const EntryInterface &entry, unsigned first);
  void addTensors(const EntryInterface &entry, unsigned first);
  unsigned addCursors(const EntryInterface &entry, unsigned first);
  void addExtents(const EntryInterface &entry, unsigned first);

  const ModelInterface &model;
  std::string prefix;
  std::vector<Check> checks;
};
} // namespace

void CheckTable::addSessionDims() {
  for (auto [index, dim] : llvm::enumerate(model.sessionDims))
    set(SINTER_MODEL_CHECKS + index, SINTER_DIMENSION, "session_init",
        cDimension(dim.name) + " is outside " + range(dim.lower, dim.upper));
}

static constexpr CheckRow entryRows[] = {
    {SINTER_ENTRY_SESSION_NULL, SINTER_ARGUMENT, nullptr, sentences::noSession},
    {SINTER_ENTRY_SESSION_BAD, SINTER_SESSION, nullptr, sentences::badSession},
    {SINTER_ENTRY_WEIGHTS_NULL, SINTER_ARGUMENT, nullptr, sentences::noWeights},
    {SINTER_ENTRY_WEIGHTS_BAD, SINTER_WEIGHTS, nullptr, sentences::badWeights},
    {SINTER_ENTRY_EXEC_SIZE, SINTER_ARGUMENT, nullptr,
     "exec->size is less than sizeof(sinter_exec)"},
    {SINTER_ENTRY_EXEC_WORKERS, SINTER_ARGUMENT, nullptr,
     "exec->workers is less than 1"},
    {SINTER_ENTRY_EXEC_RUN, SINTER_ARGUMENT, nullptr, "exec->run is NULL"},
    {SINTER_ENTRY_WORKSPACE_NULL, SINTER_ARGUMENT, nullptr,
     sentences::noWorkspace},
    {SINTER_ENTRY_WORKSPACE_ALIGN, SINTER_MEMORY, nullptr,
     sentences::unalignedWorkspace}};
// Two depend on the model.
static_assert(std::size(entryRows) == SINTER_ENTRY_CHECKS - 2);

void CheckTable::addEntry(const EntryInterface &entry, unsigned first) {
  std::string function = cIdentifier(entry.name);
  setChecks(entryRows, first, prefix + "_" + function, checks);
  set(first + SINTER_ENTRY_CPU, SINTER_CPU, function,
      "this processor lacks instructions of \"" + model.target + "\"");
  set(first + SINTER_ENTRY_WORKSPACE_SIZE, SINTER_MEMORY, function,
      "workspace_size is less than " + function + "_workspace_size");
  addDims(entry, first + SINTER_ENTRY_CHECKS);
  first += SINTER_ENTRY_CHECKS + SINTER_DIM_CHECKS * entry.dims.size();
  addTensors(entry, first);
  addExtents(entry, addCursors(entry, first + SINTER_TENSOR_CHECKS *
                                                  entry.tensors.size()));
}

void CheckTable::addDims(const EntryInterface &entry, unsigned first) {
  std::string function = cIdentifier(entry.name);
  for (const EntryDim &dim : entry.dims) {
    std::string name = cDimension(dim.name);
    set(first + SINTER_DIM_RANGE, SINTER_DIMENSION, function,
        name + " is outside " + range(dim.lower, dim.upper));
    set(first + SINTER_DIM_SESSION, SINTER_DIMENSION, function,
        name + " is more than the session's " + cDimension(dim.session));
    first += SINTER_DIM_CHECKS;
  }
}

void CheckTable::addTensors(const EntryInterface &entry, unsigned first) {
  std::string function = cIdentifier(entry.name);
  for (const Tensor &tensor : entry.tensors) {
    std::string name = cParameter(tensor.name);
    auto put = [&](unsigned check, int kind, const std::string &what) {
      set(first + check, kind, function, name + what);
    };
    put(SINTER_TENSOR_NULL, SINTER_ARGUMENT, " is NULL");
    put(SINTER_TENSOR_ALIGN, SINTER_ARGUMENT,
        " is not aligned to its element's " +
            std::to_string(bytesOf(tensor.type)) + " bytes");
    put(SINTER_TENSOR_SIZE, SINTER_DIMENSION, " has too many elements");
    if (tensor.role == Tensor::Lengths)
      put(SINTER_TENSOR_RANGE, SINTER_DIMENSION,
          " has a length outside 0.." + spellExtent(tensor.extent));
    else
      put(SINTER_TENSOR_RANGE, SINTER_INDEX,
          " has an id outside " + idRange(tensor));
    first += SINTER_TENSOR_CHECKS;
  }
}

unsigned CheckTable::addCursors(const EntryInterface &entry, unsigned first) {
  std::string function = cIdentifier(entry.name);
  for (const CursorUse &use : entry.cursors) {
    std::string room = "the session has no room in \"" + use.cursor + "\"";
    if (use.kind == CursorUse::Read || use.kind == CursorUse::Restart)
      set(first++, SINTER_SESSION, function,
          "session has a damaged cursor \"" + use.cursor + "\"");
    else
      set(first++, SINTER_FULL, function, room + " for a row's positions");
  }
  for (const PositionCheck &check : entry.positions)
    set(first++, SINTER_FULL, function,
        "a row would pass the model's last position, " +
            std::to_string(check.limit - 1));
  return first;
}

void CheckTable::addExtents(const EntryInterface &entry, unsigned first) {
  std::string function = cIdentifier(entry.name);
  for (const std::string &read : entry.reads)
    for (const std::string &dim : model.findState(read)->currentDims()) {
      bool isParameter = entry.findDim(dim)->kind == EntryDim::Parameter;
      set(first++, SINTER_DIMENSION, function,
          cDimension(dim) + " of the session's \"" + read + "\" is not " +
              (isParameter ? "the argument's" : "that of another state"));
    }
  for (const StateWrite &write : entry.writes)
    for (const std::string &dim : model.findState(write.state)->currentDims())
      set(first++, SINTER_DIMENSION, function,
          "\"" + write.state + "\" would have more than the session's " +
              cDimension(dim));
}

std::vector<Check> CheckTable::build() {
  setModelChecks(prefix, checks);
  addSessionDims();
  for (auto [index, entry] : llvm::enumerate(model.entries))
    addEntry(entry, firstCheck(model, index));
  if (model.onDevice)
    setDeviceChecks(model, checks);
  return std::move(checks);
}

std::vector<Check> sinter::package::buildChecks(const ModelInterface &model) {
  return CheckTable(model).build();
}
