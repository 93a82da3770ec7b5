//===- Names.cpp - C names and what can be wrong with an interface --------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/model.h"
#include "sinter/Target/Package/ModelInterface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace sinter::package;

/// Keywords of C11 and C++20, types and macros of <stddef.h> and <stdint.h>,
/// and what compilers define by themselves.
static constexpr llvm::StringLiteral kReserved =
    "NULL alignas alignof and and_eq asm auto bitand bitor bool break case "
    "catch char char16_t char32_t char8_t class co_await co_return co_yield "
    "compl concept const const_cast consteval constexpr constinit continue "
    "decltype default delete do double dynamic_cast else enum explicit export "
    "extern false float for friend goto i386 if inline int linux long mutable "
    "namespace new noexcept not not_eq nullptr offsetof operator or or_eq "
    "private protected ptrdiff_t public register reinterpret_cast requires "
    "restrict return short signed size_t sizeof static static_assert "
    "static_cast struct switch template this thread_local throw true try "
    "typedef typeid typename typeof union unix unsigned using virtual void "
    "volatile wchar_t while xor xor_eq";

static bool isWord(llvm::StringRef name, llvm::StringRef words) {
  for (llvm::StringRef word : llvm::split(words, ' '))
    if (word == name)
      return true;
  return false;
}

/// "int32_t", "uint_fast8_t", "INT32_MAX", "SIZE_MAX", "SINTER_OK" ... A model
/// "sinter" would have functions and macros of those names.
static bool isStandardNumber(llvm::StringRef name) {
  if (name.starts_with_insensitive("sinter_") ||
      name.equals_insensitive("sinter"))
    return true;
  llvm::StringRef stem = name;
  stem.consume_front("u");
  if (stem.starts_with("int") && name.ends_with("_t"))
    return true;
  return name.ends_with("_MAX") || name.ends_with("_MIN") ||
         (name.contains("INT") && name.ends_with("_C"));
}

static bool isReserved(llvm::StringRef name) {
  return isWord(name, kReserved) || isStandardNumber(name);
}

std::string sinter::package::cIdentifier(llvm::StringRef name) {
  std::string result;
  for (char c : name)
    result += llvm::isAlnum(c) ? c : '_';
  if (result.empty() || llvm::isDigit(result.front()))
    result.insert(result.begin(), '_');
  // "_X" and "__x" belong to the implementation.
  if (result.size() > 1 && result[0] == '_' &&
      (result[1] == '_' || llvm::isUpper(result[1])))
    result.insert(result.begin(), 'x');
  if (isReserved(result))
    result += '_';
  return result;
}

std::string sinter::package::cParameter(llvm::StringRef name) {
  std::string result = cIdentifier(name);
  if (isWord(result, "exec session weights workers workspace workspace_size"))
    result += '_';
  return result;
}

std::string sinter::package::cDimension(llvm::StringRef name) {
  std::string result = cParameter(name);
  if (isWord(result, "memory size"))
    result += '_';
  return result;
}

std::string sinter::package::spellExtent(const Extent &extent) {
  return extent.isConstant() ? std::to_string(extent.value)
                             : cDimension(extent.name);
}

char InterfaceError::ID = 0;

template <typename... Parts> static llvm::Error error(const Parts &...parts) {
  std::string message;
  (message.append(parts), ...);
  return llvm::make_error<InterfaceError>(message);
}

namespace {
/// Inserts names and complains about the second of a kind.
class Scope {
public:
  explicit Scope(std::string where) : where(std::move(where)) {}
  /// The API's own names have no original.
  llvm::Error add(llvm::StringRef cName, llvm::StringRef original) {
    auto [entry, isNew] = names.try_emplace(cName, original.str());
    if (isNew)
      return llvm::Error::success();
    if (entry->second.empty())
      return error(where, "\"", original.str(), "\" is \"", cName.str(),
                   "\" in C, a name of the API's own");
    return error(where, "\"", original.str(), "\" and \"", entry->second,
                 "\" are both \"", cName.str(), "\" in C");
  }

private:
  std::string where;
  llvm::StringMap<std::string> names;
};
} // namespace

static llvm::Error verifyExtent(const EntryInterface &entry,
                                const Extent &extent) {
  if (extent.isConstant() ? extent.value >= 0 : !!entry.findDim(extent.name))
    return llvm::Error::success();
  return error("entry \"", entry.name, "\" has no dimension \"", extent.name,
               "\"");
}

static llvm::Error verifyIndices(const ModelInterface &model,
                                 const EntryInterface &entry) {
  auto isLengths = [&](int index) {
    return index < 0 || (index < int(entry.tensors.size()) &&
                         entry.tensors[index].role == Tensor::Lengths);
  };
  bool good = llvm::all_of(
      entry.tensors, [&](const Tensor &t) { return isLengths(t.lengths); });
  auto known = [&](const auto &use) {
    return isLengths(use.lengths) && model.cursorIndex(use.cursor) >= 0 &&
           entry.usesSession;
  };
  good &= llvm::all_of(entry.cursors, known);
  good &= llvm::all_of(entry.positions, known);
  good &= llvm::all_of(entry.tensors, [&](const Tensor &tensor) {
    return tensor.below.empty() || entry.findDim(tensor.below);
  });
  for (const EntryDim &dim : entry.dims)
    good &= (dim.kind == EntryDim::Parameter && dim.session.empty()) ||
            (entry.usesSession &&
             llvm::any_of(model.sessionDims, [&](const SessionDim &candidate) {
               return candidate.name == dim.session;
             }));
  return good ? llvm::Error::success()
              : error("entry \"", entry.name,
                      "\" refers to lengths, a cursor or a session dimension "
                      "that do not exist");
}

static bool isSame(const Extent &a, const Extent &b) {
  return a.name == b.name && a.value == b.value;
}

/// What the runtime's loops over rows rely on.
static llvm::Error verifyTensor(const EntryInterface &entry,
                                const Tensor &tensor) {
  auto wrong = [&](const char *what) {
    return error("entry \"", entry.name, "\": \"", tensor.name, "\" ", what);
  };
  if (tensor.role == Tensor::Lengths &&
      (tensor.type != ElementType::I64 || tensor.shape.size() != 1))
    return wrong("counts positions and so must be one i64 per row");
  if (tensor.limit > 0 && tensor.type != ElementType::I32 &&
      tensor.type != ElementType::I64)
    return wrong("has a range and so must be i32 or i64");
  if (tensor.role != Tensor::Input || tensor.lengths < 0)
    return llvm::Error::success();
  const Extent &counted = entry.tensors[tensor.lengths].extent;
  bool isOne =
      tensor.shape.size() == 1 && counted.isConstant() && counted.value == 1;
  if (!isOne && (tensor.shape.size() < 2 || !isSame(tensor.shape[1], counted)))
    return wrong("does not have the positions that its lengths count");
  return llvm::Error::success();
}

static llvm::Error verifyEntry(const ModelInterface &model,
                               const EntryInterface &entry) {
  Scope scope("entry \"" + entry.name + "\": ");
  std::vector<llvm::StringRef> fixed = {"workspace", "workspace_size"};
  if (model.onDevice)
    fixed.insert(fixed.end(), {"device", "stream"});
  else
    fixed.insert(fixed.end(), {"exec", "workers"});
  if (entry.usesSession)
    fixed.push_back("session");
  if (entry.usesWeights && !model.weights.embedded && !model.onDevice)
    fixed.push_back("weights");
  for (llvm::StringRef name : fixed)
    if (llvm::Error e = scope.add(name, ""))
      return e;
  for (const EntryDim &dim : entry.dims)
    if (llvm::Error e = scope.add(cDimension(dim.name), dim.name))
      return e;
  for (const Tensor &tensor : entry.tensors) {
    if (llvm::Error e = scope.add(cParameter(tensor.name), tensor.name))
      return e;
    if (llvm::Error e = verifyExtent(entry, tensor.extent))
      return e;
    for (const Extent &extent : tensor.shape)
      if (llvm::Error e = verifyExtent(entry, extent))
        return e;
  }
  for (const SizeExpr &slot : entry.slots)
    for (const std::string &name : slot.dims())
      if (llvm::Error e = verifyExtent(entry, Extent::dim(name)))
        return e;
  if (entry.usesSession && entry.rows.name.empty() != model.rows.name.empty())
    return error("entry \"", entry.name, "\" was not completed");
  if (llvm::Error e = verifyIndices(model, entry))
    return e;
  for (const Tensor &tensor : entry.tensors)
    if (llvm::Error e = verifyTensor(entry, tensor))
      return e;
  return llvm::Error::success();
}

static llvm::Error verifyStates(const ModelInterface &model) {
  auto isSessionDim = [&](llvm::StringRef name) {
    return llvm::any_of(model.sessionDims, [&](const SessionDim &dim) {
      return dim.name == name;
    });
  };
  for (const State &state : model.states) {
    if (state.kind == State::Cache && !model.findCursor(state.cursor))
      return error("state \"", state.name, "\" has no cursor \"", state.cursor,
                   "\"");
    if (state.shape.size() > SINTER_MAX_RANK)
      return error("state \"", state.name, "\" has too many dimensions");
    for (const std::string &dim : state.currentDims())
      if (!isSessionDim(dim))
        return error("state \"", state.name,
                     "\": the session has no "
                     "dimension \"",
                     dim, "\"");
  }
  return llvm::Error::success();
}

/// Reads and writes of tensor states have their extents.
static llvm::Error verifyStateUses(const ModelInterface &model,
                                   const EntryInterface &entry) {
  for (const std::string &name : entry.reads) {
    const State *state = model.findState(name);
    if (!state || !entry.usesSession)
      return error("entry \"", entry.name, "\" reads no state \"", name, "\"");
    for (const std::string &dim : state->currentDims())
      if (llvm::Error e = verifyExtent(entry, Extent::dim(dim)))
        return e;
  }
  for (const StateWrite &write : entry.writes) {
    const State *state = model.findState(write.state);
    if (!state || !entry.usesSession ||
        state->currentDims().size() != write.extents.size())
      return error("entry \"", entry.name, "\" writes no state \"", write.state,
                   "\" of these extents");
    for (const SizeExpr &extent : write.extents)
      for (const std::string &name : extent.dims())
        if (llvm::Error e = verifyExtent(entry, Extent::dim(name)))
          return e;
  }
  return llvm::Error::success();
}

/// Functions `<prefix>_...`, with what they are made from.
static std::vector<std::pair<std::string, std::string>>
functionNames(const ModelInterface &model) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const char *taken :
       {"abi", "isa", "manifest", "status_string", "kernel_name", "session",
        "session_size", "session_init", "session_restore", "session_length",
        "session_truncate", "session_reset", "session_copy_row", "weights",
        "weights_open", "weights_verify", "guard_"})
    names.emplace_back(taken, "");
  if (model.onDevice)
    for (const char *taken :
         {"device", "device_open", "device_close", "status"})
      names.emplace_back(taken, "");
  for (const Cursor &cursor : model.cursors)
    for (const char *stem : {"session_length_", "session_truncate_"})
      names.emplace_back(stem + cIdentifier(cursor.name), cursor.name);
  for (const EntryInterface &entry : model.entries) {
    names.emplace_back(cIdentifier(entry.name), entry.name);
    names.emplace_back(cIdentifier(entry.name) + "_workspace_size", entry.name);
    for (const EntryDim &dim : entry.dims)
      if (dim.kind == EntryDim::State)
        names.emplace_back(cIdentifier(entry.name) + "_extent_" +
                               cIdentifier(dim.name),
                           entry.name + "." + dim.name);
  }
  return names;
}

/// Macros `<PREFIX>_...`, with what they are made from.
static std::vector<std::pair<std::string, std::string>>
macroNames(const ModelInterface &model) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const char *taken :
       {"H", "API", "SINTER_VERSION", "TARGET", "ABI", "MODEL", "ALIGN",
        "STACK", "WEIGHTS_SIZE", "SESSION_SIZE"})
    names.emplace_back(taken, "");
  if (model.onDevice)
    for (const char *taken :
         {"DEVICE_HANDLE_SIZE", "DEVICE_MEMORY_SIZE", "SESSION_HANDLE_SIZE"})
      names.emplace_back(taken, "");
  for (const EntryInterface &entry : model.entries) {
    std::string upper = llvm::StringRef(cIdentifier(entry.name)).upper();
    names.emplace_back(upper + "_WORKSPACE_SIZE", entry.name);
    names.emplace_back(upper + "_WORKSPACE_SIZE_FOR", entry.name);
    for (const Tensor &tensor : entry.tensors)
      if (tensor.role != Tensor::Lengths)
        names.emplace_back(
            upper + "_" + llvm::StringRef(cIdentifier(tensor.name)).upper() +
                "_COUNT",
            entry.name + "." + tensor.name);
  }
  return names;
}

static llvm::Error verifyGlobalNames(const ModelInterface &model) {
  Scope functions("module \"" + model.name + "\": ");
  for (const auto &[cName, original] : functionNames(model))
    if (llvm::Error e = functions.add(cName, original))
      return e;
  Scope macros("module \"" + model.name + "\": ");
  for (const auto &[cName, original] : macroNames(model))
    if (llvm::Error e = macros.add(cName, original))
      return e;
  return llvm::Error::success();
}

llvm::Error ModelInterface::verify() const {
  for (const EntryInterface &entry : entries) {
    llvm::Error found = verifyEntry(*this, entry);
    if (!found)
      found = verifyStateUses(*this, entry);
    if (found)
      return llvm::handleErrors(
          std::move(found), [&](const InterfaceError &error) -> llvm::Error {
            InterfaceError located = error;
            located.entry = entry.name;
            return llvm::make_error<InterfaceError>(located);
          });
  }
  Scope dimensions("session: ");
  std::vector<llvm::StringRef> fixed = {"memory", "size", "session"};
  if (onDevice)
    fixed.insert(fixed.end(),
                 {"device_memory", "device_memory_size", "stream"});
  for (llvm::StringRef name : fixed)
    if (llvm::Error e = dimensions.add(name, ""))
      return e;
  for (const SessionDim &dim : sessionDims)
    if (llvm::Error e = dimensions.add(cDimension(dim.name), dim.name))
      return e;
  if (llvm::Error e = verifyStates(*this))
    return e;
  return verifyGlobalNames(*this);
}
