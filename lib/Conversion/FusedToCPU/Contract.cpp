//===- Contract.cpp - fused.contract on a CPU -----------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task is a block of rows by a block of columns of one segment. In it, tiles
// of columns are outside and tiles of rows inside, so that a column's weights
// stay in L1 while the rows pass by; k is not blocked. Rows that fill no tile
// take tiles of 4 and 2 rows, a single row one that is wider in columns, which
// is also the way of a one-row product: it reads four panels at a time, as
// fast as memory gives them. An activation as second operand is read in place
// where n runs fastest, else made into panels in scratch.
//
//===----------------------------------------------------------------------===//

#include "ContractTile.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <numeric>

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

/// Rows of a task: a multiple of every tile height, and A's rows fit L2.
static constexpr int64_t rowsPerTask = 144;
/// Bytes of weights that a task should read at least.
static constexpr int64_t weightBytesPerTask = 128 * 1024;

namespace {
/// The part of a contract that one segment is.
struct SegmentPlan {
  fused::SegmentOp op;
  ContractTile tile;
  /// kDynamic where it is known at run time only.
  int64_t columns;
  RegisterTile full, single;
  int64_t columnsPerTask;
  /// Makes panels, once written.
  LLVM::LLVMFuncOp packing;

  SegmentPlan(KernelLowering &lowering, fused::ContractOp contract,
              fused::SegmentOp op, unsigned number, int64_t depth);
};

class ContractLowering {
public:
  ContractLowering(KernelLowering &lowering, fused::ContractOp op);
  LogicalResult lower();

private:
  using Function = LLVM::LLVMFuncOp;
  Function tile(SegmentPlan &plan, unsigned rows, unsigned vectors);
  Function lastTile(SegmentPlan &plan, unsigned rows, RegisterTile shape);
  Function edgeTile(SegmentPlan &plan, unsigned rows);
  Function remember(SegmentPlan &plan, const TileSpec &spec);
  Function packing(SegmentPlan &plan) {
    if (!plan.packing)
      plan.packing = plan.tile.emitPack();
    return plan.packing;
  }

  Value rowCount(KernelBuilder &k, ArrayRef<Value> extents);
  Value columnCount(KernelBuilder &k, SegmentPlan &plan,
                    ArrayRef<Value> extents);
  /// Rows [row, rowEnd) and columns [column, columnEnd) of `columns`.
  struct Block {
    Value args, scratch, row, rowEnd, column, columnEnd, columns;
  };
  void emitTask(KernelBuilder &k, Value args, Value task, Value scratch);
  void emitBlock(KernelBuilder &k, SegmentPlan &plan, const Block &block);
  void emitRest(KernelBuilder &k, unsigned height, Value whole, Value rest,
                llvm::function_ref<void(unsigned rows, Value row)> call);
  void emitRows(KernelBuilder &k, SegmentPlan &plan, const Block &block,
                ArrayRef<Value> extents);
  /// For all column tiles of a block.
  void overColumns(
      KernelBuilder &k, SegmentPlan &plan, RegisterTile shape,
      const Block &block,
      llvm::function_ref<void(llvm::function_ref<Function(unsigned rows)> tile,
                              Value column, Value lanes)>
          body);

  KernelLowering &lowering;
  fused::ContractOp op;
  unsigned rowDims;
  std::vector<SegmentPlan> plans;
  std::map<std::string, Function> tiles;
  LogicalResult status = success();
};
} // namespace

SegmentPlan::SegmentPlan(KernelLowering &lowering, fused::ContractOp contract,
                         fused::SegmentOp op, unsigned number, int64_t depth)
    : op(op), tile(lowering, contract, op, number), columns(op.getN()) {
  const TargetInfo &target = lowering.target;
  unsigned paired = tile.paired();
  unsigned wide = target.lanes == 16 ? 4 : 8;
  single = {1, std::max(1u, wide / paired)};
  full = single;
  if (tile.isPacked())
    full = target.tile(paired, (columns + 15) / 16);
  else if (tile.sharesWeights())
    full = target.tile(paired, /*panels=*/4);
  bool packs = tile.wantsPanels();
  if (packs)
    single.vectors = full.vectors;
  // A block of columns holds whole tiles of both kinds.
  int64_t unit = std::lcm(full.vectors, single.vectors) * target.lanes;
  if (packs)
    unit = std::lcm(unit, int64_t(TargetInfo::panelColumns));
  int64_t bytes =
      unit * paired * 4 *
      (ShapedType::isDynamic(depth) ? 1024 : std::max<int64_t>(1, depth));
  columnsPerTask = unit * std::max<int64_t>(1, weightBytesPerTask / bytes);
  if (packs)
    tile.setPanels(columnsPerTask);
}

ContractLowering::ContractLowering(KernelLowering &lowering,
                                   fused::ContractOp op)
    : lowering(lowering), op(op), rowDims(op.getDims().size() - 2) {
  unsigned number = 0;
  int64_t depth = lowering.staticExtent(rowDims + 1);
  for (fused::SegmentOp segment : op.getSegments())
    plans.emplace_back(lowering, op, segment, number++, depth);
}

//===----------------------------------------------------------------------===//
// Tile functions
//===----------------------------------------------------------------------===//

ContractLowering::Function ContractLowering::remember(SegmentPlan &plan,
                                                      const TileSpec &spec) {
  std::string key =
      llvm::formatv("{0}/{1}/{2}/{3}/{4}", plan.op.getOperation(), spec.rows,
                    spec.vectors, spec.column.value_or(-1), spec.dynamicLanes);
  auto [entry, isNew] = tiles.try_emplace(key);
  if (!isNew)
    return entry->second;
  FailureOr<Function> function = plan.tile.emit(spec);
  if (failed(function))
    status = failure();
  else
    entry->second = *function;
  return entry->second;
}

ContractLowering::Function
ContractLowering::tile(SegmentPlan &plan, unsigned rows, unsigned vectors) {
  TileSpec spec;
  spec.rows = rows;
  spec.vectors = vectors;
  return remember(plan, spec);
}

/// The columns that fill no tile of this shape.
ContractLowering::Function ContractLowering::lastTile(SegmentPlan &plan,
                                                      unsigned rows,
                                                      RegisterTile shape) {
  unsigned lanes = lowering.target.lanes;
  int64_t width = shape.vectors * lanes, rest = plan.columns % width;
  TileSpec spec;
  spec.rows = rows;
  spec.vectors = (rest + lanes - 1) / lanes;
  spec.lastLanes = rest % lanes;
  spec.column = plan.columns - rest;
  return remember(plan, spec);
}

ContractLowering::Function ContractLowering::edgeTile(SegmentPlan &plan,
                                                      unsigned rows) {
  TileSpec spec;
  spec.rows = rows;
  spec.dynamicLanes = true;
  return remember(plan, spec);
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

Value ContractLowering::rowCount(KernelBuilder &k, ArrayRef<Value> extents) {
  Value count = k.i64(1);
  for (Value extent : extents.take_front(rowDims))
    count = k.mul(count, extent);
  return count;
}

Value ContractLowering::columnCount(KernelBuilder &k, SegmentPlan &plan,
                                    ArrayRef<Value> extents) {
  return ShapedType::isDynamic(plan.columns) ? extents[rowDims]
                                             : k.i64(plan.columns);
}

void ContractLowering::overColumns(
    KernelBuilder &k, SegmentPlan &plan, RegisterTile shape, const Block &block,
    llvm::function_ref<void(llvm::function_ref<Function(unsigned)>, Value,
                            Value)>
        body) {
  int64_t width = shape.vectors * lowering.target.lanes;
  Value lanes = k.i64(lowering.target.lanes);
  auto [column, columnEnd, columns] =
      std::tie(block.column, block.columnEnd, block.columns);
  // Blocks begin at whole tiles, so only the segment's end has a rest.
  Value whole = k.min(columnEnd, k.roundDown(columns, width));
  k.loop(column, whole, width, [&](Value n) {
    body([&](unsigned rows) { return tile(plan, rows, shape.vectors); }, n,
         lanes);
  });
  if (ShapedType::isDynamic(plan.columns)) {
    k.loop(k.max(column, whole), columnEnd, lowering.target.lanes,
           [&](Value n) {
             body([&](unsigned rows) { return edgeTile(plan, rows); }, n,
                  k.min(lanes, k.sub(columnEnd, n)));
           });
  } else if (plan.columns % width) {
    k.ifThen(k.eq(columnEnd, columns), [&] {
      body([&](unsigned rows) { return lastTile(plan, rows, shape); }, whole,
           lanes);
    });
  }
}

/// Rows that fill no tile of `height`: four, then two.
void ContractLowering::emitRest(
    KernelBuilder &k, unsigned height, Value whole, Value rest,
    llvm::function_ref<void(unsigned rows, Value row)> call) {
  for (unsigned rows = 4; rows >= 2; rows /= 2) {
    if (rows >= height)
      continue;
    // Rows of the rest that larger tiles have taken.
    Value taken = k.roundDown(rest, 2 * rows);
    k.ifThen(k.le(k.i64(rows), k.sub(rest, taken)),
             [&] { call(rows, k.add(whole, taken)); });
  }
}

void ContractLowering::emitBlock(KernelBuilder &k, SegmentPlan &plan,
                                 const Block &block) {
  unsigned height = plan.full.rows;
  Value panels = block.scratch;
  if (plan.tile.packs()) {
    Value depth = k.i64(lowering.staticExtent(rowDims + 1));
    Value before = k.sub(k.i64(0), k.mul(block.column, depth));
    panels = k.gep(k.getF32Type(), panels, before);
    callFunction(
        k, packing(plan),
        {block.args, block.row, block.column, block.columnEnd, panels});
  }
  Value rows = k.sub(block.rowEnd, block.row);
  Value whole = k.add(block.row, k.roundDown(rows, height));
  auto call = [&](Function tile, Value m, Value n, Value lanes) {
    if (tile)
      callFunction(k, tile, {block.args, m, n, lanes, panels});
  };
  using TileOf = llvm::function_ref<Function(unsigned)>;
  if (height > 1)
    overColumns(k, plan, plan.full, block,
                [&](TileOf tile, Value n, Value lanes) {
                  k.loop(block.row, whole, height,
                         [&](Value m) { call(tile(height), m, n, lanes); });
                  emitRest(k, height, whole, k.sub(block.rowEnd, whole),
                           [&](unsigned rows, Value m) {
                             call(tile(rows), m, n, lanes);
                           });
                });
  Value rest = k.sub(block.rowEnd, whole);
  Value single = height > 1 ? k.sub(block.rowEnd, k.rem(rest, 2)) : block.row;
  k.loop(single, block.rowEnd, 1, [&](Value m) {
    overColumns(
        k, plan, plan.single, block,
        [&](TileOf tile, Value n, Value lanes) { call(tile(1), m, n, lanes); });
  });
}

/// Weights that are activations may differ from one run of the last row
/// dimension to the next, so tiles stay within a run.
void ContractLowering::emitRows(KernelBuilder &k, SegmentPlan &plan,
                                const Block &block, ArrayRef<Value> extents) {
  if (plan.tile.isPacked() || plan.full.rows == 1 || rowDims == 1)
    return emitBlock(k, plan, block);
  Value run = extents[rowDims - 1];
  Value last = k.div(k.sub(block.rowEnd, k.i64(1)), run);
  k.loop(k.div(block.row, run), k.add(last, 1), 1, [&](Value number) {
    Value first = k.mul(number, run);
    Block part = block;
    part.row = k.max(block.row, first);
    part.rowEnd = k.min(block.rowEnd, k.add(first, run));
    emitBlock(k, plan, part);
  });
}

/// Tasks are numbered row block by row block, in each segment by segment.
void ContractLowering::emitTask(KernelBuilder &k, Value args, Value task,
                                Value scratch) {
  SmallVector<Value> extents = lowering.extents(k, args);
  SmallVector<Value> starts = {k.i64(0)}, columns;
  for (SegmentPlan &plan : plans) {
    columns.push_back(columnCount(k, plan, extents));
    starts.push_back(
        k.add(starts.back(), k.ceilDiv(columns.back(), plan.columnsPerTask)));
  }
  Value rowBlock = k.div(task, starts.back());
  Value number = k.sub(task, k.mul(rowBlock, starts.back()));
  Value row = k.mul(rowBlock, rowsPerTask);
  Value rowEnd = k.min(k.add(row, rowsPerTask), rowCount(k, extents));
  for (auto [i, plan] : llvm::enumerate(plans)) {
    auto emit = [&, i = i, &plan = plan] {
      Value column = k.mul(k.sub(number, starts[i]), plan.columnsPerTask);
      Value end = k.min(k.add(column, plan.columnsPerTask), columns[i]);
      emitRows(k, plan, {args, scratch, row, rowEnd, column, end, columns[i]},
               extents);
    };
    if (plans.size() == 1)
      emit();
    else
      k.ifThen(k.both(k.le(starts[i], number), k.lt(number, starts[i + 1])),
               emit);
  }
}

static LogicalResult check(fused::ContractOp op, fused::SegmentOp segment) {
  if (!segment.getPartials().empty())
    return segment.emitError("partials are not supported on a CPU");
  auto isSingle = [](Value value) {
    return cast<ShapedType>(value.getType()).getElementType().isF32();
  };
  if (!isSingle(op.getInput()) || !llvm::all_of(segment.getWeights(), isSingle))
    return segment.emitError("products are of f32 on a CPU");
  return success();
}

LogicalResult ContractLowering::lower() {
  for (SegmentPlan &plan : plans)
    if (failed(check(op, plan.op)))
      return failure();
  lowering.tasks([&](KernelBuilder &k, Value args, Value) {
    SmallVector<Value> extents = lowering.extents(k, args);
    Value blocks = k.i64(0);
    for (SegmentPlan &plan : plans)
      blocks = k.add(blocks, k.ceilDiv(columnCount(k, plan, extents),
                                       plan.columnsPerTask));
    return k.mul(k.ceilDiv(rowCount(k, extents), rowsPerTask), blocks);
  });
  lowering.body([&](KernelBuilder &k, Value args, Value, Value task,
                    Value scratch) { emitTask(k, args, task, scratch); });
  int64_t scratch = 0;
  for (SegmentPlan &plan : plans)
    scratch = std::max(scratch, plan.tile.scratchBytes());
  lowering.setScratch(scratch);
  return status;
}

LogicalResult cpu::lowerSkeleton(KernelLowering &lowering,
                                 fused::ContractOp op) {
  return ContractLowering(lowering, op).lower();
}
