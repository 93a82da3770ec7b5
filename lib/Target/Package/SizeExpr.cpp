//===- SizeExpr.cpp - symbolic sizes over named dimensions ----------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Target/Package/SizeExpr.h"
#include "runtime/model.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>
#include <set>

using namespace sinter::package;

/// Sizes above this count as overflow, here and in the runtime.
static constexpr uint64_t kLimit = INT64_MAX;

static uint64_t saturatingMul(uint64_t a, uint64_t b) {
  return std::min(llvm::SaturatingMultiply(a, b), kLimit);
}
static uint64_t saturatingAdd(uint64_t a, uint64_t b) {
  return std::min(llvm::SaturatingAdd(a, b), kLimit);
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

SizeExpr::SizeExpr(uint64_t constant) {
  addTerm({}, std::min(constant, kLimit));
}

void SizeExpr::addTerm(const Monomial &monomial, uint64_t coefficient) {
  if (coefficient == 0)
    return;
  uint64_t &sum = terms[monomial];
  sum = saturatingAdd(sum, coefficient);
}

SizeExpr SizeExpr::fromAtom(Atom atom) {
  SizeExpr result;
  result.addTerm({std::move(atom)}, 1);
  return result;
}

SizeExpr SizeExpr::dim(llvm::StringRef name) {
  return fromAtom(Atom{Atom::Dim, name.str(), 0, {}});
}

SizeExpr SizeExpr::operator+(const SizeExpr &other) const {
  SizeExpr result = *this;
  for (const auto &[monomial, coefficient] : other.terms)
    result.addTerm(monomial, coefficient);
  return result;
}

SizeExpr SizeExpr::operator*(const SizeExpr &other) const {
  SizeExpr result;
  for (const auto &[a, ca] : terms)
    for (const auto &[b, cb] : other.terms) {
      Monomial product = a;
      product.insert(product.end(), b.begin(), b.end());
      llvm::sort(product);
      result.addTerm(product, saturatingMul(ca, cb));
    }
  return result;
}

SizeExpr SizeExpr::ceilDiv(const SizeExpr &value, uint64_t divisor) {
  assert(divisor > 0 && "division by zero");
  if (std::optional<uint64_t> constant = value.asConstant())
    return SizeExpr(llvm::divideCeil(*constant, divisor));
  if (value.knownDivisor() % divisor != 0)
    return fromAtom(Atom{Atom::CeilDiv, "", divisor, {value}});
  SizeExpr result;
  for (const auto &[monomial, coefficient] : value.terms)
    result.addTerm(monomial, coefficient / divisor);
  return result;
}

SizeExpr SizeExpr::alignTo(uint64_t alignment) const {
  return ceilDiv(*this, alignment) * SizeExpr(alignment);
}

SizeExpr SizeExpr::max(const SizeExpr &a, const SizeExpr &b) {
  auto covers = [](const SizeExpr &large, const SizeExpr &small) {
    return llvm::all_of(small.terms, [&](const auto &term) {
      auto found = large.terms.find(term.first);
      return found != large.terms.end() && found->second >= term.second;
    });
  };
  if (covers(a, b))
    return a;
  if (covers(b, a))
    return b;
  // Flat and sorted, so that the order of merging does not show.
  std::vector<SizeExpr> operands;
  for (const SizeExpr *side : {&a, &b}) {
    bool isMax = side->terms.size() == 1 && side->terms.begin()->second == 1 &&
                 side->terms.begin()->first.size() == 1 &&
                 side->terms.begin()->first[0].kind == Atom::Max;
    if (isMax)
      llvm::append_range(operands, side->terms.begin()->first[0].operands);
    else
      operands.push_back(*side);
  }
  llvm::sort(operands);
  operands.erase(llvm::unique(operands), operands.end());
  return fromAtom(Atom{Atom::Max, "", 0, std::move(operands)});
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

int SizeExpr::Atom::compare(const Atom &other) const {
  if (kind != other.kind)
    return kind < other.kind ? -1 : 1;
  if (int order = name.compare(other.name))
    return order < 0 ? -1 : 1;
  if (divisor != other.divisor)
    return divisor < other.divisor ? -1 : 1;
  if (operands.size() != other.operands.size())
    return operands.size() < other.operands.size() ? -1 : 1;
  for (auto [a, b] : llvm::zip(operands, other.operands))
    if (int order = a.compare(b))
      return order;
  return 0;
}

int SizeExpr::compare(const SizeExpr &other) const {
  if (terms.size() != other.terms.size())
    return terms.size() < other.terms.size() ? -1 : 1;
  for (auto [a, b] : llvm::zip(terms, other.terms)) {
    if (a.first.size() != b.first.size())
      return a.first.size() < b.first.size() ? -1 : 1;
    for (auto [x, y] : llvm::zip(a.first, b.first))
      if (int order = x.compare(y))
        return order;
    if (a.second != b.second)
      return a.second < b.second ? -1 : 1;
  }
  return 0;
}

std::optional<uint64_t> SizeExpr::asConstant() const {
  if (terms.empty())
    return 0;
  if (terms.size() == 1 && terms.begin()->first.empty())
    return terms.begin()->second;
  return std::nullopt;
}

uint64_t SizeExpr::knownDivisor() const {
  uint64_t divisor = 0;
  for (const auto &[monomial, coefficient] : terms)
    divisor = std::gcd(divisor, coefficient);
  return divisor;
}

std::vector<std::string> SizeExpr::dims() const {
  std::set<std::string> names;
  for (const auto &[monomial, coefficient] : terms)
    for (const Atom &atom : monomial) {
      if (atom.kind == Atom::Dim)
        names.insert(atom.name);
      for (const SizeExpr &operand : atom.operands)
        for (std::string &name : operand.dims())
          names.insert(std::move(name));
    }
  return {names.begin(), names.end()};
}

std::optional<uint64_t>
SizeExpr::evaluate(llvm::function_ref<uint64_t(llvm::StringRef)> lookup) const {
  uint64_t sum = 0;
  auto atomValue = [&](const Atom &atom) -> std::optional<uint64_t> {
    if (atom.kind == Atom::Dim)
      return lookup(atom.name);
    uint64_t largest = 0;
    for (const SizeExpr &operand : atom.operands) {
      std::optional<uint64_t> value = operand.evaluate(lookup);
      if (!value)
        return std::nullopt;
      largest = std::max(largest, *value);
    }
    return atom.kind == Atom::Max ? largest
                                  : llvm::divideCeil(largest, atom.divisor);
  };
  for (const auto &[monomial, coefficient] : terms) {
    bool overflow = coefficient > kLimit;
    uint64_t product = coefficient;
    for (const Atom &atom : monomial) {
      std::optional<uint64_t> value = atomValue(atom);
      if (!value)
        return std::nullopt;
      product = llvm::SaturatingMultiply(product, *value, &overflow);
      if (overflow || product > kLimit)
        return std::nullopt;
    }
    sum = llvm::SaturatingAdd(sum, product, &overflow);
    if (overflow || sum > kLimit)
      return std::nullopt;
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Printing and encoding
//===----------------------------------------------------------------------===//

std::string SizeExpr::printC(
    llvm::function_ref<std::string(llvm::StringRef)> spelling) const {
  if (terms.empty())
    return "(size_t)0";
  auto printMax = [&](const Atom &atom) {
    std::string text = "(" + atom.operands[0].printC(spelling) + ")";
    for (const SizeExpr &operand : llvm::drop_begin(atom.operands)) {
      std::string next = "(" + operand.printC(spelling) + ")";
      text = "(" + text + " > " + next + " ? " + text + " : " + next + ")";
    }
    return text;
  };
  auto printAtom = [&](const Atom &atom) -> std::string {
    if (atom.kind == Atom::Dim)
      return "(size_t)(" + spelling(atom.name) + ")";
    if (atom.kind == Atom::Max)
      return printMax(atom);
    std::string by = std::to_string(atom.divisor);
    std::string round = std::to_string(atom.divisor - 1);
    return "((" + atom.operands[0].printC(spelling) + " + " + round + ") / " +
           by + ")";
  };
  std::string text;
  for (const auto &[monomial, coefficient] : terms) {
    if (!text.empty())
      text += " + ";
    if (monomial.empty())
      text += "(size_t)" + std::to_string(coefficient);
    for (const Atom &atom : monomial)
      text += (&atom == &monomial.front() ? "" : " * ") + printAtom(atom);
    if (!monomial.empty() && coefficient != 1)
      text += " * " + std::to_string(coefficient);
  }
  return text;
}

void SizeExpr::encode(llvm::function_ref<int64_t(llvm::StringRef)> dimIndex,
                      llvm::SmallVectorImpl<int64_t> &program) const {
  auto encodeAtom = [&](const Atom &atom) {
    if (atom.kind == Atom::Dim) {
      program.append({SINTER_OP_DIM, dimIndex(atom.name)});
      return;
    }
    for (const SizeExpr &operand : atom.operands) {
      operand.encode(dimIndex, program);
      if (&operand != &atom.operands.front())
        program.push_back(SINTER_OP_MAX);
    }
    if (atom.kind == Atom::CeilDiv)
      program.append({SINTER_OP_CEILDIV, int64_t(atom.divisor)});
  };
  if (terms.empty())
    program.append({SINTER_OP_CONST, 0});
  bool first = true;
  for (const auto &[monomial, coefficient] : terms) {
    program.append({SINTER_OP_CONST, int64_t(coefficient)});
    for (const Atom &atom : monomial) {
      encodeAtom(atom);
      program.push_back(SINTER_OP_MUL);
    }
    if (!first)
      program.push_back(SINTER_OP_ADD);
    first = false;
  }
}
