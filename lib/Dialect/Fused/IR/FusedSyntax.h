//===- FusedSyntax.h - What the skeletons' syntax shares --------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A skeleton is written as a list of clauses,
//   dims(b, h = 1, k)  ins(%x by (b, 2 * k), %table : T, U)  symbols(p = %s by
//   (b) : T)  rows(%n by (b) of t : T)  index(b, k)
// whose maps are expressions over the op's named dimensions and symbols.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_DIALECT_FUSED_IR_FUSEDSYNTAX_H
#define SINTER_LIB_DIALECT_FUSED_IR_FUSEDSYNTAX_H

#include "sinter/Dialect/Fused/IR/Fused.h"

namespace sinter::fused {

/// Operands of one clause; an entry of `maps` is a unit attribute where the
/// operand has none.
struct Clause {
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> operands;
  llvm::SmallVector<mlir::Attribute> maps;
  llvm::SmallVector<mlir::Type> types;
  llvm::SMLoc loc;
};

enum class Maps { None, Optional, Required };

/// Parses clauses into the state of one operation.
class ClauseParser {
public:
  using Names = llvm::SmallVector<llvm::StringRef>;
  using ElementParser = llvm::function_ref<mlir::ParseResult()>;

  ClauseParser(mlir::OpAsmParser &parser, mlir::OperationState &state)
      : parser(parser), state(state), builder(parser.getBuilder()) {}

  /// `dims(b, h = 1, k)` into `dims` and `extents`.
  mlir::ParseResult parseDims();
  /// Takes the dimensions of the skeleton around this op.
  mlir::ParseResult useEnclosingDims();

  /// `keyword(%x by (b, k), ... : types)`; `before` parses what stands before
  /// an operand, `after` what stands between it and its map.
  mlir::ParseResult parseClause(llvm::StringRef keyword, Clause &clause,
                                Maps maps, ElementParser before = nullptr,
                                ElementParser after = nullptr);
  /// The same where the keyword may be absent.
  mlir::ParseResult parseOptionalClause(llvm::StringRef keyword, Clause &clause,
                                        Maps maps,
                                        ElementParser before = nullptr,
                                        ElementParser after = nullptr);
  /// `symbols(p = %s by (b) : T)` into `symbol_names` and `symbol_maps`; from
  /// here on maps may use them.
  mlir::ParseResult parseSymbols(Clause &clause);
  /// `rows(%n by (b) of t : T)` into `rows_map` and `rows_dim`.
  mlir::ParseResult parseRows(Clause &clause);
  /// `index(b, t)` into `index_dims`.
  mlir::ParseResult parseIndices();
  /// `outs(%x by (b), %x by (2 * b) : T, T)`: stores, where an operand that
  /// stands twice is one destination. Into `store_outs` and `store_maps`.
  mlir::ParseResult parseStores(Clause &outs);
  /// `schedule {...}`.
  mlir::ParseResult parseSchedule();
  /// `attributes {...}`.
  mlir::ParseResult parseAttributes();
  /// An isolated scalar region.
  mlir::ParseResult parseScalarRegion(mlir::Region &region);
  /// A body whose ops use this op's dimension names.
  mlir::ParseResult parseSkeletonBody(mlir::Region &region);

  /// Resolves the groups in the order of the op's operands.
  mlir::ParseResult resolve(llvm::ArrayRef<Clause *> groups);
  /// Every destination that is a tensor has a result.
  void addResults(const Clause &outs);

  void addMaps(llvm::StringRef name, const Clause &clause);
  /// The map of a clause with one operand; nothing if it has none.
  void addMap(llvm::StringRef name, const Clause &clause);
  void addNumbers(llvm::StringRef name, llvm::ArrayRef<int64_t> numbers);

  mlir::ParseResult parseMap(mlir::AffineMap &map);
  /// One of the dimensions, by name.
  mlir::ParseResult parseDimName(int64_t &number);

  mlir::OpAsmParser &parser;
  mlir::OperationState &state;
  mlir::Builder &builder;
  Names dims, symbols;

private:
  mlir::ParseResult parseRest(llvm::StringRef keyword, Clause &clause,
                              Maps maps, ElementParser before,
                              ElementParser after);
  mlir::ParseResult parseElements(Clause &clause, Maps maps,
                                  ElementParser before, ElementParser after);
};

/// Prints clauses; the inverse of ClauseParser.
class ClausePrinter {
public:
  using ElementPrinter = llvm::function_ref<void(size_t)>;

  ClausePrinter(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                mlir::ArrayAttr dims, mlir::ArrayAttr symbols = {});

  void printDims(llvm::ArrayRef<int64_t> extents);
  /// Nothing where there is no operand. `maps` may be null.
  void printClause(llvm::StringRef keyword, mlir::ValueRange operands,
                   mlir::ArrayAttr maps, ElementPrinter before = nullptr,
                   ElementPrinter after = nullptr);
  void printSymbols(mlir::ValueRange operands, mlir::ArrayAttr maps);
  void printClause(llvm::StringRef keyword, mlir::Value operand,
                   std::optional<mlir::AffineMap> map);
  void printRows(mlir::Value rows, std::optional<mlir::AffineMap> map,
                 std::optional<uint64_t> dim);
  void printIndices(llvm::ArrayRef<int64_t> numbers);
  void printStores(mlir::ValueRange outs, llvm::ArrayRef<int64_t> numbers,
                   mlir::ArrayAttr maps);
  void printSchedule(mlir::DictionaryAttr schedule);
  void printAttributes();
  /// ` keyword {...}`, nothing where the region is empty.
  void printRegion(llvm::StringRef keyword, mlir::Region &region);

private:
  void printMap(mlir::AffineMap map);

  mlir::OpAsmPrinter &printer;
  mlir::Operation *op;
  llvm::SmallVector<llvm::StringRef> dims, symbols;
};

/// `reduce sum {...} reduce max {...}`, into `reductions` and `regions`.
mlir::ParseResult
parseReduces(ClauseParser &clauses,
             llvm::SmallVectorImpl<std::unique_ptr<mlir::Region>> &regions);
void printReduces(ClausePrinter &clauses, mlir::ArrayAttr kinds,
                  llvm::MutableArrayRef<mlir::Region> regions);

/// The name under which `partials` maps know the number of a column tile.
inline constexpr llvm::StringLiteral tileName = "tile";

/// Prints `expr` with names for its dimensions and symbols.
void printExpr(llvm::raw_ostream &os, mlir::AffineExpr expr,
               llvm::ArrayRef<llvm::StringRef> dims,
               llvm::ArrayRef<llvm::StringRef> symbols);

} // namespace sinter::fused

#endif // SINTER_LIB_DIALECT_FUSED_IR_FUSEDSYNTAX_H
