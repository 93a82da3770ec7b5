//===- FusedBuilders.h - Making skeleton ops --------------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each skeleton is described by a plain struct and built by one function, which
// derives attributes, result types and region arguments. Maps are over all of
// the op's named dimensions, in order; a builder adds the op's symbols to a map
// that has none.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_FUSED_IR_FUSEDBUILDERS_H
#define SINTER_DIALECT_FUSED_IR_FUSEDBUILDERS_H

#include "mlir/IR/Builders.h"
#include "sinter/Dialect/Fused/IR/Fused.h"
#include <functional>
#include <optional>

namespace sinter::fused {

/// An operand and the map through which it is read or stored; a null map means
/// the operand as a whole, for `fused.read`.
struct Access {
  mlir::Value value;
  mlir::AffineMap map;
};

/// Integers read per row (`map`: dimensions to the one index of `value`), which
/// the op's maps use as symbols, in the order of the list.
struct Symbol {
  llvm::StringRef name;
  mlir::Value value;
  mlir::AffineMap map;
};

/// Points whose index in dimension `dim` is value[map] or more are left out.
struct RowLimit {
  mlir::Value value;
  mlir::AffineMap map;
  unsigned dim;
};

/// A yielded value goes to destination number `out` through `map`.
struct Store {
  unsigned out;
  mlir::AffineMap map;
};

/// Fills a scalar region: makes the code at the builder's insertion point and
/// returns the values to yield. Null means that the region stays empty.
using RegionBuilder = std::function<llvm::SmallVector<mlir::Value>(
    mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

/// Iteration dimensions: names, and extents where a number fixes one
/// (ShapedType::kDynamic elsewhere; empty: none fixed).
struct Space {
  llvm::SmallVector<llvm::StringRef> names;
  llvm::SmallVector<int64_t> extents = {};
};

/// Destinations and the stores into them.
struct Destinations {
  llvm::SmallVector<mlir::Value> outs;
  llvm::SmallVector<Store> stores;

  /// Adds a store into `destination`, which becomes an `outs` operand unless
  /// it is one; returns its number.
  unsigned add(mlir::Value destination, mlir::AffineMap map);
};

/// fused.map; body arguments: a scalar per input (the whole where its map is
/// null), then an index per entry of `indexDims`.
struct MapSpec {
  Space space;
  llvm::SmallVector<Access> inputs;
  Destinations destinations;
  llvm::SmallVector<Symbol> symbols = {};
  std::optional<RowLimit> rows = std::nullopt;
  llvm::SmallVector<int64_t> indexDims = {};
  RegionBuilder body = {};
};
MapOp buildMap(mlir::OpBuilder &builder, mlir::Location loc,
               const MapSpec &spec);

/// fused.contract; the last two dimensions are n and k. Segments are added
/// afterwards.
struct ContractSpec {
  Space space;
  Access input;
  llvm::SmallVector<mlir::Value> outs;
  std::optional<RowLimit> rows = std::nullopt;
};
ContractOp buildContract(mlir::OpBuilder &builder, mlir::Location loc,
                         const ContractSpec &spec);

/// A partial reduction per row and column tile: the map has one dimension more
/// than the contract, the tile's number.
struct Partial {
  Reduction kind;
  Access access;
};

/// fused.segment. A weight with a null map is read as (k, n). Stores and
/// partials go into `outs` operands of the contract. Epilogue arguments:
/// accumulators, captures, indices; it yields one value per store, then one per
/// partial. `n`: ShapedType::kDynamic where only the weights tell.
struct SegmentSpec {
  int64_t n;
  llvm::SmallVector<Access> weights;
  llvm::SmallVector<Access> stores;
  RegionBuilder epilogue;
  llvm::SmallVector<Access> captures = {};
  llvm::SmallVector<Symbol> symbols = {};
  llvm::SmallVector<Partial> partials = {};
  llvm::SmallVector<int64_t> indexDims = {};
};
SegmentOp addSegment(ContractOp contract, mlir::Location loc,
                     const SegmentSpec &spec);

/// A region of an attention with its captures; absent while `body` is null.
struct AttentionRegion {
  llvm::SmallVector<Access> captures = {};
  RegionBuilder body = {};
};

/// fused.attention; dimensions b, h, q, k, d, e in this order. `outs`: the
/// mixture, then one per name in `extras` ("lse", "scores", "weights").
struct AttentionSpec {
  Space space;
  Access query, key, value;
  llvm::SmallVector<Access> outs;
  std::optional<Access> offset = std::nullopt;
  std::optional<Access> length = std::nullopt;
  std::optional<Access> rows = std::nullopt;
  AttentionRegion combine = {}, score = {}, mask = {}, sink = {};
  llvm::SmallVector<llvm::StringRef> extras = {};
};
AttentionOp buildAttention(mlir::OpBuilder &builder, mlir::Location loc,
                           const AttentionSpec &spec);

/// fused.normalize; the last dimension is reduced. Arguments: pre(inputs);
/// reduce i (values of pre, or inputs; reductions before i); post(values of
/// pre unless statistics only, reductions, captures, indices).
struct NormalizeSpec {
  Space space;
  llvm::SmallVector<Access> inputs;
  Destinations destinations;
  llvm::SmallVector<std::pair<Reduction, RegionBuilder>> reduces;
  RegionBuilder post;
  RegionBuilder pre = {};
  llvm::SmallVector<Access> captures = {};
  std::optional<RowLimit> rows = std::nullopt;
  llvm::SmallVector<int64_t> indexDims = {};
};
NormalizeOp buildNormalize(mlir::OpBuilder &builder, mlir::Location loc,
                           const NormalizeSpec &spec);

/// What a step of a recurrence ends with: units values.
struct StepValues {
  llvm::SmallVector<mlir::Value> outputs, states;
};

/// fused.recurrence; dimensions b, t, u, k in this order. `outs`: the outputs,
/// over (b, t, u), then the final states, over (b, u). A weight is a matrix
/// [k, u] or a stack [g, k, u]. `step` gets one units value per matrix (g of a
/// stack, in order), per vector and per state, and calls addPhase.
struct RecurrenceSpec {
  Space space;
  std::optional<Access> input;
  llvm::SmallVector<mlir::Value> weights;
  llvm::SmallVector<Access> vectors;
  llvm::SmallVector<Access> states;
  llvm::SmallVector<Access> outs;
  std::function<StepValues(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>
      step;
  std::optional<Access> lengths = std::nullopt;
  bool reverse = false;
};
RecurrenceOp buildRecurrence(mlir::OpBuilder &builder, mlir::Location loc,
                             const RecurrenceSpec &spec);

/// Units times a constant matrix [k, u], or a stack [g, k, u] of them: one or g
/// arguments.
struct Product {
  mlir::Value factor, matrix;
};

/// fused.phase over `units` units. Capture maps are over the recurrence's
/// dimensions. Arguments everywhere: products, vectors, earlier reductions,
/// captures. `map` yields one value per result.
struct PhaseSpec {
  int64_t units;
  llvm::SmallVector<Product> products;
  llvm::SmallVector<mlir::Value> vectors;
  RegionBuilder map;
  llvm::SmallVector<Access> captures = {};
  llvm::SmallVector<std::pair<Reduction, RegionBuilder>> reduces = {};
};
PhaseOp addPhase(mlir::OpBuilder &builder, mlir::Location loc,
                 const PhaseSpec &spec);

} // namespace sinter::fused

#endif // SINTER_DIALECT_FUSED_IR_FUSEDBUILDERS_H
