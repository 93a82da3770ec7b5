//===- SizeExpr.h - symbolic sizes over named dimensions --------*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TARGET_PACKAGE_SIZEEXPR_H
#define SINTER_TARGET_PACKAGE_SIZEEXPR_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sinter::package {

/// A non-negative size: a polynomial with non-negative coefficients whose atoms
/// are named dimensions, rounded-up quotients and maxima. Equal polynomials
/// compare equal and print equally, so the generated macros are readable and
/// deterministic. Values above 2^63-1 count as overflow.
class SizeExpr {
public:
  SizeExpr() = default; // zero
  /*implicit*/ SizeExpr(uint64_t constant);
  static SizeExpr dim(llvm::StringRef name);
  /// ceil(value / divisor), divisor > 0. Exact where every coefficient divides.
  static SizeExpr ceilDiv(const SizeExpr &value, uint64_t divisor);
  static SizeExpr max(const SizeExpr &a, const SizeExpr &b);

  SizeExpr operator+(const SizeExpr &other) const;
  SizeExpr operator*(const SizeExpr &other) const;
  SizeExpr &operator+=(const SizeExpr &other) { return *this = *this + other; }
  /// The smallest multiple of `alignment` that is not below this.
  SizeExpr alignTo(uint64_t alignment) const;

  bool isZero() const { return terms.empty(); }
  /// The value when no dimension occurs.
  std::optional<uint64_t> asConstant() const;
  /// A number that divides every value of this expression (0 for zero).
  uint64_t knownDivisor() const;
  /// Names of all dimensions that occur, sorted.
  std::vector<std::string> dims() const;

  /// Value under `lookup`; nullopt on overflow.
  std::optional<uint64_t>
  evaluate(llvm::function_ref<uint64_t(llvm::StringRef)> lookup) const;
  /// A C constant expression of type size_t; each dimension is printed as
  /// `(size_t)(<spelling>)`.
  std::string
  printC(llvm::function_ref<std::string(llvm::StringRef)> spelling) const;
  /// Appends a program of the runtime's stack machine (runtime/model.h,
  /// SINTER_OP_*), without the final SINTER_OP_END.
  void encode(llvm::function_ref<int64_t(llvm::StringRef)> dimIndex,
              llvm::SmallVectorImpl<int64_t> &program) const;

  bool operator==(const SizeExpr &other) const { return compare(other) == 0; }
  bool operator<(const SizeExpr &other) const { return compare(other) < 0; }

private:
  struct Atom {
    enum Kind { Dim, CeilDiv, Max } kind;
    std::string name;               // Dim
    uint64_t divisor = 0;           // CeilDiv
    std::vector<SizeExpr> operands; // CeilDiv: one; Max: two or more
    int compare(const Atom &other) const;
    bool operator<(const Atom &other) const { return compare(other) < 0; }
  };
  /// A product of atoms, sorted; empty for the constant term.
  using Monomial = std::vector<Atom>;

  static SizeExpr fromAtom(Atom atom);
  void addTerm(const Monomial &monomial, uint64_t coefficient);
  int compare(const SizeExpr &other) const;

  std::map<Monomial, uint64_t> terms;
};

} // namespace sinter::package

#endif // SINTER_TARGET_PACKAGE_SIZEEXPR_H
