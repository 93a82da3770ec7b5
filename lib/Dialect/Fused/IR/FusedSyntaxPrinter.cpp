//===- FusedSyntaxPrinter.cpp - Printing clauses --------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusedSyntax.h"

using namespace mlir;
using namespace sinter::fused;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

namespace {

/// Prints an expression as `parseAffineExpr` reads it, constants first in
/// products.
class ExprPrinter {
public:
  ExprPrinter(raw_ostream &os, ArrayRef<StringRef> dims,
              ArrayRef<StringRef> symbols)
      : os(os), dims(dims), symbols(symbols) {}

  void print(AffineExpr expr) {
    if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr))
      return printBinary(binary);
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      os << constant.getValue();
    else if (auto dim = dyn_cast<AffineDimExpr>(expr))
      printName(dims, dim.getPosition(), 'd');
    else
      printName(symbols, cast<AffineSymbolExpr>(expr).getPosition(), 's');
  }

private:
  void printName(ArrayRef<StringRef> names, unsigned position, char letter) {
    if (position < names.size())
      os << names[position];
    else
      os << letter << position;
  }

  void printFactor(AffineExpr expr) {
    bool composed = isa<AffineBinaryOpExpr>(expr);
    os << (composed ? "(" : "");
    print(expr);
    os << (composed ? ")" : "");
  }

  void printBinary(AffineBinaryOpExpr expr) {
    AffineExpr lhs = expr.getLHS(), rhs = expr.getRHS();
    switch (expr.getKind()) {
    case AffineExprKind::Add:
      return printSum(lhs, rhs);
    case AffineExprKind::Mul:
      if (isa<AffineConstantExpr>(rhs))
        std::swap(lhs, rhs);
      return printPair(lhs, " * ", rhs);
    case AffineExprKind::FloorDiv:
      return printPair(lhs, " floordiv ", rhs);
    case AffineExprKind::CeilDiv:
      return printPair(lhs, " ceildiv ", rhs);
    default:
      return printPair(lhs, " mod ", rhs);
    }
  }

  void printPair(AffineExpr lhs, StringRef sign, AffineExpr rhs) {
    printFactor(lhs);
    os << sign;
    printFactor(rhs);
  }

  /// A negative constant, or a product with one.
  static bool isNegative(AffineExpr expr) {
    if (auto product = dyn_cast<AffineBinaryOpExpr>(expr))
      expr = product.getKind() == AffineExprKind::Mul ? product.getRHS()
                                                      : AffineExpr();
    auto factor = dyn_cast_or_null<AffineConstantExpr>(expr);
    return factor && factor.getValue() < 0;
  }

  /// `a + b`, or `a - b` where one has a negative factor.
  void printSum(AffineExpr lhs, AffineExpr rhs) {
    if (isNegative(lhs) && !isNegative(rhs))
      std::swap(lhs, rhs);
    print(lhs);
    bool negative = isNegative(rhs);
    os << (negative ? " - " : " + ");
    if (negative)
      rhs = -rhs;
    // A subtracted sum would need parentheses; other operands bind tighter.
    auto sum = dyn_cast<AffineBinaryOpExpr>(rhs);
    if (negative && sum && sum.getKind() == AffineExprKind::Add)
      return printFactor(rhs);
    print(rhs);
  }

  raw_ostream &os;
  ArrayRef<StringRef> dims, symbols;
};

} // namespace

void sinter::fused::printExpr(raw_ostream &os, AffineExpr expr,
                              ArrayRef<StringRef> dims,
                              ArrayRef<StringRef> symbols) {
  ExprPrinter(os, dims, symbols).print(expr);
}

//===----------------------------------------------------------------------===//
// Clauses
//===----------------------------------------------------------------------===//

static void addNames(SmallVectorImpl<StringRef> &names, ArrayAttr attr) {
  if (attr)
    llvm::append_range(names, attr.getAsValueRange<StringAttr>());
}

ClausePrinter::ClausePrinter(OpAsmPrinter &printer, Operation *op,
                             ArrayAttr dims, ArrayAttr symbols)
    : printer(printer), op(op) {
  addNames(this->dims, dims);
  addNames(this->symbols, symbols);
}

void ClausePrinter::printDims(ArrayRef<int64_t> extents) {
  printer << " dims(";
  llvm::interleaveComma(llvm::zip(dims, extents), printer.getStream(),
                        [&](auto pair) {
                          auto [name, extent] = pair;
                          printer << name;
                          if (!ShapedType::isDynamic(extent))
                            printer << " = " << extent;
                        });
  printer << ')';
}

void ClausePrinter::printMap(AffineMap map) {
  raw_ostream &os = printer.getStream();
  // A map over one dimension more than the op has: the column tile.
  SmallVector<StringRef> names = dims;
  if (map.getNumDims() > names.size())
    names.push_back(tileName);
  os << " by (";
  llvm::interleaveComma(map.getResults(), os, [&](AffineExpr expr) {
    printExpr(os, expr, names, symbols);
  });
  os << ')';
}

void ClausePrinter::printClause(StringRef keyword, ValueRange operands,
                                ArrayAttr maps, ElementPrinter before,
                                ElementPrinter after) {
  if (operands.empty())
    return;
  printer << ' ' << keyword << '(';
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (i != 0)
      printer << ", ";
    if (before)
      before(i);
    printer << operand;
    if (after)
      after(i);
    if (AffineMap map = maps ? getOptionalMap(maps[i]) : AffineMap())
      printMap(map);
  }
  printer << " : " << operands.getTypes() << ')';
}

void ClausePrinter::printClause(StringRef keyword, Value operand,
                                std::optional<AffineMap> map) {
  if (!operand)
    return;
  printer << ' ' << keyword << '(' << operand;
  if (map)
    printMap(*map);
  printer << " : " << operand.getType() << ')';
}

void ClausePrinter::printSymbols(ValueRange operands, ArrayAttr maps) {
  auto printName = [&](size_t i) { printer << symbols[i] << " = "; };
  printClause("symbols", operands, maps, printName);
}

void ClausePrinter::printRows(Value rows, std::optional<AffineMap> map,
                              std::optional<uint64_t> dim) {
  if (!rows || !map || !dim)
    return;
  printer << " rows(" << rows;
  printMap(*map);
  printer << " of " << dims[*dim] << " : " << rows.getType() << ')';
}

void ClausePrinter::printIndices(ArrayRef<int64_t> numbers) {
  if (numbers.empty())
    return;
  printer << " index(";
  llvm::interleaveComma(numbers, printer.getStream(),
                        [&](int64_t number) { printer << dims[number]; });
  printer << ')';
}

void ClausePrinter::printStores(ValueRange outs, ArrayRef<int64_t> numbers,
                                ArrayAttr maps) {
  SmallVector<Value> destinations;
  for (int64_t number : numbers)
    destinations.push_back(outs[number]);
  printClause("outs", destinations, maps);
}

void ClausePrinter::printSchedule(DictionaryAttr schedule) {
  if (schedule)
    printer << " schedule " << schedule;
}

void ClausePrinter::printAttributes() {
  printer.printOptionalAttrDictWithKeyword(
      op->getDiscardableAttrDictionary().getValue());
}

void ClausePrinter::printRegion(StringRef keyword, Region &region) {
  if (region.empty())
    return;
  printer << ' ';
  if (!keyword.empty())
    printer << keyword << ' ';
  printer.printRegion(region);
}
