//===- Names.cpp - C names and what can be wrong with an interface --------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Target/Package/ModelInterface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace sinter::package;

/// Keywords of C11 and C++20, and macros that <stddef.h> and <stdint.h> may
/// define.
static bool isReserved(llvm::StringRef name) {
  static constexpr llvm::StringLiteral words[] = {"NULL",
                                                  "alignas",
                                                  "alignof",
                                                  "and",
                                                  "and_eq",
                                                  "asm",
                                                  "auto",
                                                  "bitand",
                                                  "bitor",
                                                  "bool",
                                                  "break",
                                                  "case",
                                                  "catch",
                                                  "char",
                                                  "char16_t",
                                                  "char32_t",
                                                  "char8_t",
                                                  "class",
                                                  "co_await",
                                                  "co_return",
                                                  "co_yield",
                                                  "compl",
                                                  "concept",
                                                  "const",
                                                  "const_cast",
                                                  "consteval",
                                                  "constexpr",
                                                  "constinit",
                                                  "continue",
                                                  "decltype",
                                                  "default",
                                                  "delete",
                                                  "do",
                                                  "double",
                                                  "dynamic_cast",
                                                  "else",
                                                  "enum",
                                                  "explicit",
                                                  "export",
                                                  "extern",
                                                  "false",
                                                  "float",
                                                  "for",
                                                  "friend",
                                                  "goto",
                                                  "if",
                                                  "inline",
                                                  "int",
                                                  "linux",
                                                  "long",
                                                  "mutable",
                                                  "namespace",
                                                  "new",
                                                  "noexcept",
                                                  "not",
                                                  "not_eq",
                                                  "nullptr",
                                                  "operator",
                                                  "or",
                                                  "or_eq",
                                                  "private",
                                                  "protected",
                                                  "public",
                                                  "register",
                                                  "reinterpret_cast",
                                                  "requires",
                                                  "restrict",
                                                  "return",
                                                  "short",
                                                  "signed",
                                                  "size_t",
                                                  "sizeof",
                                                  "static",
                                                  "static_assert",
                                                  "static_cast",
                                                  "struct",
                                                  "switch",
                                                  "template",
                                                  "this",
                                                  "thread_local",
                                                  "throw",
                                                  "true",
                                                  "try",
                                                  "typedef",
                                                  "typeid",
                                                  "typename",
                                                  "typeof",
                                                  "union",
                                                  "unix",
                                                  "unsigned",
                                                  "using",
                                                  "virtual",
                                                  "void",
                                                  "volatile",
                                                  "wchar_t",
                                                  "while",
                                                  "xor",
                                                  "xor_eq"};
  return llvm::is_contained(words, name);
}

std::string sinter::package::cIdentifier(llvm::StringRef name) {
  std::string result;
  for (char c : name)
    result += llvm::isAlnum(c) ? c : '_';
  if (result.empty() || llvm::isDigit(result.front()))
    result.insert(result.begin(), '_');
  if (isReserved(result))
    result += '_';
  return result;
}

template <typename... Parts> static llvm::Error error(const Parts &...parts) {
  std::string message;
  (message.append(parts), ...);
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

namespace {
/// Inserts names and complains about the second of a kind.
class Scope {
public:
  explicit Scope(std::string where) : where(std::move(where)) {}
  llvm::Error add(llvm::StringRef cName, llvm::StringRef original) {
    auto [entry, isNew] = names.try_emplace(cName, original.str());
    if (isNew)
      return llvm::Error::success();
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
  std::vector<llvm::StringRef> fixed = {"exec", "workspace", "workspace_size",
                                        "workers"};
  if (entry.usesSession)
    fixed.push_back("session");
  if (entry.usesWeights && !model.weights.embedded)
    fixed.push_back("weights");
  for (llvm::StringRef name : fixed)
    if (llvm::Error e = scope.add(name, name))
      return e;
  for (const EntryDim &dim : entry.dims)
    if (llvm::Error e = scope.add(cIdentifier(dim.name), dim.name))
      return e;
  for (const Tensor &tensor : entry.tensors) {
    if (llvm::Error e = scope.add(cIdentifier(tensor.name), tensor.name))
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
  for (const State &state : model.states) {
    if (state.kind == State::Cache && !model.findCursor(state.cursor))
      return error("state \"", state.name, "\" has no cursor \"", state.cursor,
                   "\"");
    if (state.kind == State::Tensor)
      for (const Extent &extent : state.shape)
        if (!extent.isConstant())
          return error("state \"", state.name, "\" has the dynamic extent \"",
                       extent.name, "\": only rows may be dynamic");
  }
  return llvm::Error::success();
}

llvm::Error ModelInterface::verify() const {
  Scope symbols("module \"" + name + "\": ");
  for (llvm::StringRef taken :
       {"abi", "isa", "manifest", "status_string", "kernel_name", "session",
        "session_size", "session_init", "session_restore", "session_length",
        "session_truncate", "session_reset", "session_copy_row", "weights",
        "weights_open", "weights_verify", "guard_"})
    if (llvm::Error e = symbols.add(taken, taken))
      return e;
  Scope macros("module \"" + name + "\": ");
  for (const EntryInterface &entry : entries) {
    std::string cName = cIdentifier(entry.name);
    if (llvm::Error e = symbols.add(cName, entry.name))
      return e;
    if (llvm::Error e = symbols.add(cName + "_workspace_size", entry.name))
      return e;
    if (llvm::Error e = macros.add(llvm::StringRef(cName).upper(), entry.name))
      return e;
    if (llvm::Error e = verifyEntry(*this, entry))
      return e;
  }
  Scope dimensions("session: ");
  for (llvm::StringRef name : {"memory", "size", "session"})
    if (llvm::Error e = dimensions.add(name, name))
      return e;
  for (const SessionDim &dim : sessionDims)
    if (llvm::Error e = dimensions.add(cIdentifier(dim.name), dim.name))
      return e;
  return verifyStates(*this);
}
