//===- HeaderText.cpp - what the header says of dimensions and tensors ----===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeaderText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace sinter::package;

std::string sinter::package::comment(llvm::StringRef text) {
  std::string result;
  for (char c : text)
    result += llvm::isPrint(c) &&
                      !(c == '/' && !result.empty() && (result.back() == '*'))
                  ? c
                  : ' ';
  size_t at = 0;
  while ((at = result.find("/*", at)) != std::string::npos)
    result[at + 1] = ' ';
  return result;
}

std::string sinter::package::quote(llvm::StringRef text) {
  std::string result;
  llvm::raw_string_ostream os(result);
  os << '"';
  llvm::printEscapedString(text, os);
  os << '"';
  return result;
}

static std::string bound(int64_t value) {
  return value == kMaxDim ? "2^31-1" : std::to_string(value);
}

/// "batch: 1 .. 2^31-1".
static std::string describe(llvm::StringRef dim, int64_t lower, int64_t upper) {
  std::string name = comment(dim);
  if (cDimension(dim) != dim)
    name = cDimension(dim) + " \"" + name + "\"";
  return name + ": " + bound(lower) + " .. " + bound(upper);
}

std::string sinter::package::describe(const SessionDim &dim) {
  return ::describe(dim.name, dim.lower, dim.upper);
}

std::string sinter::package::describe(const EntryDim &dim) {
  return ::describe(dim.name, dim.lower, dim.upper);
}

/// ", 0 .. sequence, or NULL: all sequence; a row of 0 is left alone".
static std::string describeLengths(const Extent &counted) {
  bool isOne = counted.isConstant() && counted.value == 1;
  return (isOne ? ", 0 or 1" : ", 0 .. " + spellExtent(counted)) +
         ", or NULL: all " + spellExtent(counted) +
         "; a row of 0 is left alone";
}

/// ", ids 0 .. 511", below a number, a dimension or the least of both.
static std::string describeIds(const Tensor &tensor) {
  std::string limits;
  if (tensor.limit > 0)
    limits = ", ids 0 .. " + std::to_string(tensor.limit - 1);
  if (!tensor.below.empty())
    limits += (limits.empty() ? ", ids 0 .. " : " and ") +
              cDimension(tensor.below) + " - 1";
  return limits;
}

std::string sinter::package::describe(const EntryInterface &entry,
                                      const Tensor &tensor) {
  std::string text = "[";
  llvm::ListSeparator separator;
  for (auto [number, extent] : llvm::enumerate(tensor.shape))
    if (!llvm::is_contained(tensor.bound, number))
      text += (llvm::StringRef(separator) + spellExtent(extent)).str();
  text += "]";
  if (cParameter(tensor.name) != tensor.name)
    text += " \"" + tensor.name + "\"";
  if (tensor.role == Tensor::Lengths)
    text += describeLengths(tensor.extent);
  text += describeIds(tensor);
  if (tensor.lengths >= 0)
    text += ", up to each row's " + entry.tensors[tensor.lengths].name;
  if (tensor.type == ElementType::F16 || tensor.type == ElementType::BF16)
    text += (", bits of " + nameOf(tensor.type)).str();
  if (!tensor.comment.empty())
    text += " " + tensor.comment;
  return comment(text);
}
