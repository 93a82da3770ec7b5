//===- Normalize.cpp - fused.normalize on a CPU ---------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row is read once per reduction and once for the result, out of L1 after the
// first time. A task is a number of rows that follows from the shape alone.
//
//===----------------------------------------------------------------------===//

#include "KeptReduction.h"
#include "sinter/Analysis/NormalizeRows.h"
#include "sinter/Conversion/FusedToCPU/KernelLowering.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

/// Numbers of a task: some 5 us of work.
static constexpr int64_t numbersPerTask = 16384;
static constexpr int64_t rowsPerTaskOfUnknownLength = 16;
/// Vectors in flight of a reduction: an addition takes 4 cycles.
static constexpr unsigned reductionUnroll = 4;

namespace {
class NormalizeLowering {
public:
  NormalizeLowering(KernelLowering &lowering, fused::NormalizeOp op)
      : lowering(lowering), op(op), inner(op.getDims().size() - 1),
        reductions(op.getReductions().size()), kept(findKeptReduction(op)) {}

  LogicalResult lower();

private:
  struct Operands {
    SmallVector<TensorView> inputs, captures, outs;
    std::optional<TensorView> rows;
    SmallVector<Value> extents;
  };
  /// A row while it is worked on: `dims` has the outer indices, `results` the
  /// reductions so far.
  struct Row {
    const Operands &at;
    SmallVector<LaneIndex> dims;
    SmallVector<std::optional<RegionArgument>> captures;
    SmallVector<Value> results;
  };

  Operands operands(KernelBuilder &k, Value args);
  unsigned lanes();
  int64_t rowsPerTask();
  AffineMap storeMap(unsigned number) {
    return cast<AffineMapAttr>(op.getStoreMaps()[number]).getValue();
  }
  const TensorView &outOf(const Row &row, unsigned number) {
    return row.at.outs[op.getStoreOuts()[number]];
  }
  bool usesInner(AffineMap map) const { return map.isFunctionOfDim(inner); }
  Value rowCount(KernelBuilder &k, ArrayRef<Value> extents);

  void row(KernelBuilder &k, const Operands &at, Value flat);
  void wholeRow(KernelBuilder &k, const Operands &at, ArrayRef<Value> outer);
  SmallVector<RegionArgument> values(KernelBuilder &k, Row &row, Value active);
  void setInner(Row &row, Value from, unsigned width);
  Value identity(KernelBuilder &k, unsigned number, Type type);
  Value combine(KernelBuilder &k, unsigned number, Value sum, Value value);
  void reduce(KernelBuilder &k, Row &row, unsigned first, unsigned last);
  void accumulate(KernelBuilder &k, Row &row, unsigned first,
                  MutableArrayRef<Value> sums, Value from, Value active);
  SmallVector<Value> accumulateAll(KernelBuilder &k, Row &row, unsigned first,
                                   ArrayRef<Value> sums, Value from, Value to,
                                   unsigned unroll);
  void results(KernelBuilder &k, Row &row);
  void store(KernelBuilder &k, Row &row, ArrayRef<RegionArgument> values,
             unsigned width, Value active);
  void storeAt(KernelBuilder &k, Row &row, unsigned number, Value value,
               Value active);
  SmallVector<Value> emit(KernelBuilder &k, Block &block,
                          ArrayRef<RegionArgument> arguments, unsigned width);

  KernelLowering &lowering;
  fused::NormalizeOp op;
  unsigned inner, reductions;
  std::optional<KeptReduction> kept;
  LogicalResult status = success();
};
} // namespace

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

NormalizeLowering::Operands NormalizeLowering::operands(KernelBuilder &k,
                                                        Value args) {
  Operands at;
  for (Value input : op.getInputs())
    at.inputs.push_back(lowering.view(k, args, input));
  for (Value capture : op.getCaptures())
    at.captures.push_back(lowering.view(k, args, capture));
  for (Value out : op.getOuts())
    at.outs.push_back(lowering.view(k, args, out));
  if (op.getRows())
    at.rows = lowering.view(k, args, op.getRows());
  at.extents = lowering.extents(k, args);
  return at;
}

unsigned NormalizeLowering::lanes() {
  int64_t extent = lowering.staticExtent(inner);
  if (ShapedType::isDynamic(extent))
    return lowering.target.lanes;
  // A short row takes a short vector rather than a masked one.
  return std::min<int64_t>(
      lowering.target.lanes,
      llvm::bit_floor<uint64_t>(std::max<int64_t>(1, extent)));
}

int64_t NormalizeLowering::rowsPerTask() {
  int64_t extent = lowering.staticExtent(inner);
  if (ShapedType::isDynamic(extent))
    return rowsPerTaskOfUnknownLength;
  return std::max<int64_t>(1, numbersPerTask / std::max<int64_t>(1, extent));
}

Value NormalizeLowering::rowCount(KernelBuilder &k, ArrayRef<Value> extents) {
  Value count = k.i64(1);
  for (Value extent : extents.take_front(inner))
    count = k.mul(count, extent);
  return count;
}

SmallVector<Value> NormalizeLowering::emit(KernelBuilder &k, Block &block,
                                           ArrayRef<RegionArgument> arguments,
                                           unsigned width) {
  FailureOr<SmallVector<Value>> values = emitRegion(k, block, arguments, width);
  if (succeeded(values))
    return *values;
  status = failure();
  // Something of the right type, so that what follows can be emitted.
  SmallVector<Value> nothing;
  for (Type type : block.getTerminator()->getOperandTypes())
    nothing.push_back(k.zero(type));
  return nothing;
}

void NormalizeLowering::setInner(Row &row, Value from, unsigned width) {
  row.dims[inner] = LaneIndex::consecutive(from, width, width);
}

/// What pre makes of the inputs at the row's present columns.
SmallVector<RegionArgument> NormalizeLowering::values(KernelBuilder &k,
                                                      Row &row, Value active) {
  SmallVector<RegionArgument> inputs;
  for (auto [view, map] :
       llvm::zip_equal(row.at.inputs, op.getInputMaps().getValue()))
    inputs.push_back(readArgument(k, view, cast<AffineMapAttr>(map).getValue(),
                                  row.dims, {}, active));
  if (op.getPre().empty())
    return inputs;
  SmallVector<Value> made =
      emit(k, op.getPre().front(), inputs, row.dims[inner].lanes());
  return SmallVector<RegionArgument>(made.begin(), made.end());
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static fused::Reduction kindOf(fused::NormalizeOp op, unsigned number) {
  return cast<fused::ReductionAttr>(op.getReductions()[number]).getValue();
}

Value NormalizeLowering::identity(KernelBuilder &k, unsigned number,
                                  Type type) {
  bool isSum = kindOf(op, number) == fused::Reduction::sum;
  return k.constant(type,
                    isSum ? 0.0 : -std::numeric_limits<double>::infinity());
}

Value NormalizeLowering::combine(KernelBuilder &k, unsigned number, Value sum,
                                 Value value) {
  // A NaN does not become the maximum; what is made of the row has it.
  return kindOf(op, number) == fused::Reduction::sum ? k.addF(sum, value)
                                                     : k.maxF(value, sum);
}

/// Adds the columns from `from` on to the sums of a pass.
void NormalizeLowering::accumulate(KernelBuilder &k, Row &row, unsigned first,
                                   MutableArrayRef<Value> sums, Value from,
                                   Value active) {
  unsigned width = KernelBuilder::lanesOf(sums[0]);
  setInner(row, from, width);
  SmallVector<RegionArgument> made = values(k, row, active);
  for (auto [i, sum] : llvm::enumerate(sums)) {
    unsigned number = first + i;
    SmallVector<RegionArgument> arguments = made;
    // Results of this pass are not used in it.
    for (unsigned r = 0; r < number; ++r)
      arguments.push_back(
          r < row.results.size()
              ? row.results[r]
              : k.zero(KernelBuilder::elementOf(sum.getType())));
    Value value = emit(k, op.getReduces()[number].front(), arguments, width)[0];
    value = k.broadcast(value, width);
    if (kept && number == reductions - 1)
      storeAt(k, row, kept->store, value, active);
    if (active)
      value = k.select(k.laneMask(width, active), value,
                       identity(k, number, value.getType()));
    sum = combine(k, number, sum, value);
  }
}

/// Columns [from, to) in steps of `unroll` vectors, each with its own sums.
SmallVector<Value> NormalizeLowering::accumulateAll(KernelBuilder &k, Row &row,
                                                    unsigned first,
                                                    ArrayRef<Value> sums,
                                                    Value from, Value to,
                                                    unsigned unroll) {
  unsigned width = lanes(), count = sums.size() / unroll;
  return k.loop(from, to, unroll * width, sums,
                [&](Value j, ValueRange carried) {
                  SmallVector<Value> next(carried);
                  for (unsigned u = 0; u < unroll; ++u)
                    accumulate(k, row, first,
                               MutableArrayRef(next).slice(u * count, count),
                               k.add(j, u * width), nullptr);
                  return next;
                });
}

/// Reductions [first, last) in one pass over the row.
void NormalizeLowering::reduce(KernelBuilder &k, Row &row, unsigned first,
                               unsigned last) {
  unsigned width = lanes(), count = last - first;
  Value extent = row.at.extents[inner];
  SmallVector<Value> sums;
  for (unsigned u = 0; u < reductionUnroll; ++u)
    for (unsigned number = first; number < last; ++number) {
      Operation *end = op.getReduces()[number].front().getTerminator();
      Type type = KernelBuilder::vec(end->getOperand(0).getType(), width);
      sums.push_back(identity(k, number, type));
    }
  Value unrolled = k.roundDown(extent, reductionUnroll * width);
  Value whole = k.roundDown(extent, width);
  sums =
      accumulateAll(k, row, first, sums, k.i64(0), unrolled, reductionUnroll);
  for (unsigned n = count; n < sums.size(); ++n)
    sums[n % count] = combine(k, first + n % count, sums[n % count], sums[n]);
  sums.truncate(count);
  sums = accumulateAll(k, row, first, sums, unrolled, whole, 1);

  Value rest = k.sub(extent, whole);
  if (width > 1 && KernelBuilder::constantOf(rest) != 0)
    sums = k.ifElse(
        k.lt(k.i64(0), rest), ValueRange(sums).getTypes(),
        [&] {
          SmallVector<Value> next = sums;
          accumulate(k, row, first, next, whole, rest);
          return next;
        },
        [&] { return sums; });
  for (auto [i, sum] : llvm::enumerate(sums))
    row.results.push_back(kindOf(op, first + i) == fused::Reduction::sum
                              ? k.horizontalSum(sum)
                              : k.horizontalMax(sum));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void NormalizeLowering::store(KernelBuilder &k, Row &row,
                              ArrayRef<RegionArgument> values, unsigned width,
                              Value active) {
  SmallVector<RegionArgument> arguments(values);
  llvm::append_range(arguments, row.results);
  for (auto [i, attr] : llvm::enumerate(op.getCaptureMaps()))
    arguments.push_back(row.captures[i]
                            ? *row.captures[i]
                            : readArgument(k, row.at.captures[i],
                                           fused::getOptionalMap(attr),
                                           row.dims, {}, active));
  for (int64_t dim : op.getIndexDims())
    arguments.push_back(row.dims[dim]);
  if (kept)
    arguments.push_back(readArgument(k, outOf(row, kept->store),
                                     storeMap(kept->store), row.dims, {},
                                     active));
  Block &post = kept ? kept->post->front() : op.getPost().front();
  for (auto [number, value] : llvm::enumerate(emit(k, post, arguments, width)))
    storeAt(k, row, number, value, active);
}

void NormalizeLowering::storeAt(KernelBuilder &k, Row &row, unsigned number,
                                Value value, Value active) {
  storeLanes(k, value,
             locate(k, outOf(row, number), storeMap(number), row.dims), active);
}

void NormalizeLowering::results(KernelBuilder &k, Row &row) {
  if (isStatisticsOnly(op)) {
    row.dims[inner] = LaneIndex::uniform(k.i64(0));
    return store(k, row, {}, 1, nullptr);
  }
  unsigned width = lanes();
  k.forVectors(row.at.extents[inner], width, [&](Value from, Value active) {
    setInner(row, from, width);
    store(k, row, values(k, row, active), width, active);
  });
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void NormalizeLowering::wholeRow(KernelBuilder &k, const Operands &at,
                                 ArrayRef<Value> outer) {
  Row row{at, {}, {}, {}};
  for (Value index : outer)
    row.dims.push_back(LaneIndex::uniform(index));
  row.dims.push_back(LaneIndex::uniform(k.i64(0)));
  // What all columns share is read once.
  for (auto [i, attr] : llvm::enumerate(op.getCaptureMaps())) {
    AffineMap map = fused::getOptionalMap(attr);
    row.captures.emplace_back();
    if (!map || !usesInner(map))
      row.captures.back() = readArgument(k, at.captures[i], map, row.dims);
  }
  for (unsigned first = 0; first < reductions;) {
    unsigned last = getPassEnd(op, first);
    reduce(k, row, first, last);
    first = last;
  }
  results(k, row);
}

void NormalizeLowering::row(KernelBuilder &k, const Operands &at, Value flat) {
  SmallVector<Value> outer =
      delinearize(k, flat, ArrayRef(at.extents).take_front(inner));
  if (!at.rows)
    return wholeRow(k, at, outer);
  SmallVector<LaneIndex> dims;
  for (Value index : outer)
    dims.push_back(LaneIndex::uniform(index));
  dims.push_back(LaneIndex::uniform(k.i64(0)));
  Value limit = loadLanes(k, locate(k, *at.rows, *op.getRowsMap(), dims));
  k.ifThen(k.lt(outer[*op.getRowsDim()], limit),
           [&] { wholeRow(k, at, outer); });
}

LogicalResult NormalizeLowering::lower() {
  int64_t perTask = rowsPerTask();
  lowering.tasks([&](KernelBuilder &k, Value args, Value) {
    return k.ceilDiv(rowCount(k, lowering.extents(k, args)), perTask);
  });
  lowering.body([&](KernelBuilder &k, Value args, Value, Value task, Value) {
    Operands at = operands(k, args);
    Value from = k.mul(task, perTask);
    Value to = k.min(k.add(from, perTask), rowCount(k, at.extents));
    k.loop(from, to, 1, [&](Value flat) { row(k, at, flat); });
  });
  return status;
}

LogicalResult cpu::lowerSkeleton(KernelLowering &lowering,
                                 fused::NormalizeOp op) {
  return NormalizeLowering(lowering, op).lower();
}
