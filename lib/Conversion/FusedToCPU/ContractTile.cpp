//===- ContractTile.cpp - Register tiles of a contract --------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile holds its accumulators in registers over all k and hands them to the
// epilogue there. A is read in place, one pointer per row; weight panels are
// read as they lie; an activation as second operand is read through its map.
//
//===----------------------------------------------------------------------===//

#include "ContractTile.h"
#include "ProductTile.h"
#include "sinter/Analysis/ContractAccess.h"

#include "llvm/Support/FormatVariadic.h"

#include <numeric>

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

/// (k, n) -> (n floordiv 16, k, n mod 16), read at (k, n).
static bool isPanel(Value weight, AffineMap map, unsigned rowDims) {
  MLIRContext *context = weight.getContext();
  AffineExpr n = getAffineDimExpr(rowDims, context);
  AffineExpr k = getAffineDimExpr(rowDims + 1, context);
  if (map.getResults() != ArrayRef<AffineExpr>{k, n})
    return false;
  fused::LayoutAttr layout = fused::getLayout(weight.getType());
  static_assert(fused::panelWidth == TargetInfo::panelColumns);
  return layout && layout.isPanels(/*blocked=*/1, /*inner=*/0);
}

ContractTile::ContractTile(KernelLowering &lowering, fused::ContractOp op,
                           fused::SegmentOp segment, unsigned number)
    : lowering(lowering), op(op), segment(segment), number(number),
      rowDims(op.getDims().size() - 2), packed(true) {
  for (auto [weight, map] : llvm::zip_equal(
           segment.getWeights(),
           segment.getWeightMaps().getAsValueRange<AffineMapAttr>()))
    packed &= isPanel(weight, map, rowDims);
  contiguous = isInputContiguous(op);
}

bool ContractTile::sharesWeights() {
  auto maps = segment.getWeightMaps().getAsValueRange<AffineMapAttr>();
  return rowDims > 0 && llvm::none_of(maps, [&](AffineMap map) {
           return map.isFunctionOfDim(rowDims - 1);
         });
}

bool ContractTile::usesRows(AffineMap map) const {
  if (!map)
    return false;
  for (unsigned dim = 0; dim < rowDims; ++dim)
    if (map.isFunctionOfDim(dim))
      return true;
  // A segment's maps are all declared with all of its symbols.
  for (unsigned symbol = 0; symbol < map.getNumSymbols(); ++symbol)
    if (map.isFunctionOfSymbol(symbol))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Operands and rows
//===----------------------------------------------------------------------===//

ContractTile::Operands ContractTile::operands(KernelBuilder &k, Value args) {
  Operands at;
  auto views = [&](ValueRange values, SmallVector<TensorView> &into) {
    for (Value value : values)
      into.push_back(lowering.view(k, args, value));
  };
  at.input = lowering.view(k, args, op.getInput());
  views(segment.getWeights(), at.weights);
  views(segment.getCaptures(), at.captures);
  views(segment.getSymbols(), at.symbols);
  views(segment.getStores(), at.stores);
  if (op.getRows())
    at.limit = lowering.view(k, args, op.getRows());
  at.notice = lowering.notice(k, args);
  at.extents = lowering.extents(k, args);
  return at;
}

SmallVector<LaneIndex> ContractTile::dimsOf(KernelBuilder &k, const Row &row,
                                            const LaneIndex &column,
                                            Value depth) {
  SmallVector<LaneIndex> dims;
  for (Value index : row.indices)
    dims.push_back(LaneIndex::uniform(index));
  dims.push_back(column);
  dims.push_back(LaneIndex::uniform(depth));
  return dims;
}

/// The first row by division, the others by counting on.
std::vector<ContractTile::Row> ContractTile::rowsFrom(KernelBuilder &k,
                                                      const Operands &at,
                                                      Value first,
                                                      unsigned count) {
  ArrayRef<Value> extents = ArrayRef(at.extents).take_front(rowDims);
  std::vector<Row> rows(count);
  rows[0].indices = delinearize(k, first, extents);
  for (unsigned i = 1; i < count; ++i)
    rows[i].indices = nextIndices(k, rows[i - 1].indices, extents);
  return rows;
}

LaneIndex ContractTile::columnsAt(KernelBuilder &k, Value column,
                                  unsigned vector, unsigned columns) {
  unsigned lanes = k.target.lanes;
  int64_t multiple = std::gcd<int64_t>(columns, vector * lanes);
  return LaneIndex::consecutive(k.add(column, vector * lanes), lanes, multiple);
}

/// Lanes of a vector that are columns of the segment; null: all.
static Value activeLanes(KernelBuilder &k, const TileSpec &spec,
                         unsigned vector, Value active) {
  bool cut = spec.lastLanes && vector + 1 == spec.vectors;
  return cut ? k.i64(spec.lastLanes) : active;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Value ContractTile::rowPointer(KernelBuilder &k, const Operands &at,
                               const Row &row) {
  Value zero = k.i64(0);
  LaneAddress address = locate(k, at.input, op.getInputMap(),
                               dimsOf(k, row, LaneIndex::uniform(zero), zero));
  return k.gep(k.getF32Type(), at.input.pointer, address.offset.base);
}

/// The address of each vector's column at k = 0.
SmallVector<Value> ContractTile::panelPointers(KernelBuilder &k,
                                               const TileSpec &spec,
                                               const Operands &at,
                                               Value column) {
  constexpr int64_t panel = TargetInfo::panelColumns;
  Value depth = at.extents.back();
  SmallVector<Value> pointers;
  for (unsigned v = 0; v < spec.vectors; ++v)
    for (auto [number, weight] : llvm::enumerate(at.weights)) {
      Value n = k.add(column, v * k.target.lanes);
      Value offset =
          k.add(k.mul(k.mul(k.div(n, panel), depth), panel), k.rem(n, panel));
      if (packs())
        offset = k.add(offset, k.mul(depth, number * panelColumns));
      Value base = packs() ? at.panels : weight.pointer;
      pointers.push_back(k.gep(k.getF32Type(), base, offset));
    }
  return pointers;
}

/// A vector of an activation, read where it lies.
Value ContractTile::columnInPlace(KernelBuilder &k, const TileSpec &spec,
                                  const Operands &at, const Row &row,
                                  unsigned index, Value column, Value depth,
                                  Value active) {
  unsigned lanes = k.target.lanes, pairs = at.weights.size();
  AffineMap map =
      cast<AffineMapAttr>(segment.getWeightMaps()[index % pairs]).getValue();
  LaneIndex columns = columnsAt(k, column, index / pairs, spec.vectors * lanes);
  LaneAddress address =
      locate(k, at.weights[index % pairs], map, dimsOf(k, row, columns, depth));
  active = activeLanes(k, spec, index / pairs, active);
  return k.broadcast(loadLanes(k, address, active), lanes);
}

SmallVector<Value> ContractTile::products(KernelBuilder &k,
                                          const TileSpec &spec,
                                          const Operands &at,
                                          ArrayRef<Row> rows, Value column,
                                          Value active) {
  unsigned lanes = k.target.lanes;
  Type f32 = k.getF32Type(), vector = KernelBuilder::vec(f32, lanes);
  Value zero = k.i64(0), depth = at.extents.back();

  SmallVector<Value> pointers, bases;
  if (contiguous)
    for (const Row &row : rows)
      pointers.push_back(rowPointer(k, at, row));
  auto a = [&](unsigned row, Value t, int64_t plus) -> Value {
    if (contiguous)
      return k.load(f32, k.gep(f32, k.gep(f32, pointers[row], t), k.i64(plus)));
    return loadLanes(k, locate(k, at.input, op.getInputMap(),
                               dimsOf(k, rows[row], LaneIndex::uniform(zero),
                                      k.add(t, plus))));
  };

  constexpr int64_t panel = TargetInfo::panelColumns;
  if (packed || packs())
    bases = panelPointers(k, spec, at, column);
  auto b = [&](unsigned index, Value t, int64_t plus) -> Value {
    if (bases.empty())
      return columnInPlace(k, spec, at, rows[0], index, column, k.add(t, plus),
                           active);
    Value step = k.gep(f32, bases[index], k.mul(t, panel));
    return k.load(vector, k.gep(f32, step, k.i64(plus * panel)), 4 * lanes);
  };

  ProductTile tile;
  tile.rows = rows.size();
  tile.columns.assign(spec.vectors * at.weights.size(), vector);
  return tile.emit(k, zero, depth, a, b);
}

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

void ContractTile::point(KernelBuilder &k, const Operands &at, Row &row,
                         const LaneIndex &column, ValueRange sums,
                         ArrayRef<std::optional<RegionArgument>> shared,
                         Value active) {
  SmallVector<LaneIndex> dims = dimsOf(k, row, column, k.i64(0));
  SmallVector<RegionArgument> arguments(sums.begin(), sums.end());
  for (auto [i, attr] : llvm::enumerate(segment.getCaptureMaps())) {
    if (shared[i])
      arguments.push_back(*shared[i]);
    else if (row.captures[i])
      arguments.push_back(*row.captures[i]);
    else
      arguments.push_back(readArgument(k, at.captures[i],
                                       fused::getOptionalMap(attr), dims,
                                       row.symbols, active));
  }
  for (int64_t dim : segment.getIndexDims())
    arguments.push_back(dims[dim]);
  FailureOr<SmallVector<Value>> values =
      emitRegion(k, segment.getEpilogue().front(), arguments, k.target.lanes,
                 ClampReport{at.notice, active});
  if (failed(values)) {
    status = failure();
    return;
  }
  for (auto [value, view, map] :
       llvm::zip(*values, at.stores,
                 segment.getStoreMaps().getAsValueRange<AffineMapAttr>()))
    storeLanes(k, value, locate(k, view, map, dims, row.symbols), active);
}

/// What a row needs whatever the column.
void ContractTile::readRow(KernelBuilder &k, const Operands &at, Row &row) {
  Value zero = k.i64(0);
  SmallVector<LaneIndex> dims = dimsOf(k, row, LaneIndex::uniform(zero), zero);
  for (auto [view, map] : llvm::zip_equal(
           at.symbols,
           segment.getSymbolMaps().getAsValueRange<AffineMapAttr>()))
    row.symbols.push_back(
        LaneIndex::uniform(loadLanes(k, locate(k, view, map, dims))));
  row.captures.resize(at.captures.size());
  for (auto [i, attr] : llvm::enumerate(segment.getCaptureMaps()))
    if (AffineMap map = fused::getOptionalMap(attr);
        map && usesRows(map) && !map.isFunctionOfDim(rowDims))
      row.captures[i] = readArgument(k, at.captures[i], map, dims, row.symbols);
  if (!at.limit)
    return;
  Value limit = loadLanes(k, locate(k, *at.limit, *op.getRowsMap(), dims));
  row.stored = k.lt(row.indices[*op.getRowsDim()], limit);
}

/// What all rows have in common at these columns.
SmallVector<std::optional<RegionArgument>>
ContractTile::sharedCaptures(KernelBuilder &k, const Operands &at,
                             const Row &row, const LaneIndex &columns,
                             Value active) {
  SmallVector<std::optional<RegionArgument>> shared(at.captures.size());
  for (auto [i, attr] : llvm::enumerate(segment.getCaptureMaps())) {
    AffineMap map = fused::getOptionalMap(attr);
    if (!map || !usesRows(map))
      shared[i] = readArgument(k, at.captures[i], map,
                               dimsOf(k, row, columns, k.i64(0)), {}, active);
  }
  return shared;
}

void ContractTile::epilogue(KernelBuilder &k, const TileSpec &spec,
                            const Operands &at, MutableArrayRef<Row> rows,
                            ValueRange sums, Value column, Value active) {
  unsigned lanes = k.target.lanes, pairs = at.weights.size();
  for (Row &row : rows)
    readRow(k, at, row);
  for (unsigned v = 0; v < spec.vectors; ++v) {
    LaneIndex columns = columnsAt(k, column, v, spec.vectors * lanes);
    Value some = activeLanes(k, spec, v, active);
    auto shared = sharedCaptures(k, at, rows[0], columns, some);
    for (auto [i, row] : llvm::enumerate(rows)) {
      ValueRange own = sums.slice((i * spec.vectors + v) * pairs, pairs);
      auto emit = [&, &row = row] {
        point(k, at, row, columns, own, shared, some);
      };
      if (row.stored)
        k.ifThen(row.stored, emit);
      else
        emit();
    }
  }
}

void ContractTile::fill(KernelBuilder &k, const TileSpec &spec,
                        ValueRange arguments) {
  Operands at = operands(k, arguments[0]);
  if (!ShapedType::isDynamic(segment.getN()))
    at.extents[rowDims] = k.i64(segment.getN());
  at.panels = arguments[4];
  std::vector<Row> rows = rowsFrom(k, at, arguments[1], spec.rows);
  Value column = spec.column ? k.i64(*spec.column) : arguments[2];
  Value active = spec.dynamicLanes ? arguments[3] : Value();
  SmallVector<Value> sums = products(k, spec, at, rows, column, active);
  epilogue(k, spec, at, rows, sums, column, active);
}

FailureOr<LLVM::LLVMFuncOp> ContractTile::emit(const TileSpec &spec) {
  Builder builder(op.getContext());
  Type ptr = LLVM::LLVMPointerType::get(op.getContext());
  Type i64 = builder.getI64Type();
  std::string suffix = llvm::formatv("_s{0}_{1}x{2}", number, spec.rows,
                                     spec.vectors * lowering.target.lanes);
  if (spec.column)
    suffix += "_last";
  if (spec.dynamicLanes)
    suffix += "_edge";
  LLVM::LLVMFuncOp function =
      lowering.function(suffix, {ptr, i64, i64, i64, ptr}, Type(),
                        [&](KernelBuilder &k, ValueRange arguments) {
                          fill(k, spec, arguments);
                          return Value();
                        });
  if (failed(status))
    return failure();
  return function;
}
