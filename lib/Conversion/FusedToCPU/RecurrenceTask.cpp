//===- RecurrenceTask.cpp - All steps of a few batch rows -----------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrenceTask.h"
#include "ProductTile.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

RecurrenceTask::RecurrenceTask(KernelBuilder &k, fused::RecurrenceOp op,
                               const RecurrencePlan &plan,
                               const RecurrenceOperands &at, unsigned rows,
                               Value firstRow, Value scratch)
    : k(k), op(op), plan(plan), at(at), rows(rows), lanes(k.target.lanes),
      f32(k.getF32Type()), vector(KernelBuilder::vec(f32, lanes)),
      firstRow(firstRow), projectionBase(scratch) {
  stateBase = k.gep(f32, scratch,
                    k.i64(plan.projectionRows() * plan.projectionStride()));
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

RecurrenceTask::Row RecurrenceTask::rowAt(Value number) {
  Value last = k.sub(at.extents[DimB], k.i64(1));
  Row row{k.min(k.add(firstRow, number), last), at.extents[DimT]};
  if (!at.lengths)
    return row;
  SmallVector<LaneIndex> dims(4, LaneIndex::uniform(k.i64(0)));
  dims[DimB] = LaneIndex::uniform(row.batch);
  Value length =
      loadLanes(k, locate(k, *at.lengths, *op.getLengthsMap(), dims));
  row.length = k.max(k.i64(0), k.min(row.length, length));
  return row;
}

/// Where the row reads and writes in a step. Past its length that is the step
/// itself, where it writes 0.
Value RecurrenceTask::timeOf(const Row &row, Value step) {
  if (!op.getReverse())
    return step;
  Value mirrored = k.sub(k.sub(row.length, k.i64(1)), step);
  return at.lengths ? k.select(k.lt(step, row.length), mirrored, step)
                    : mirrored;
}

SmallVector<LaneIndex> RecurrenceTask::point(const Row &row, Value time) {
  SmallVector<LaneIndex> dims(4, LaneIndex::uniform(k.i64(0)));
  dims[DimB] = LaneIndex::uniform(row.batch);
  dims[DimT] = LaneIndex::uniform(time);
  return dims;
}

/// The content of a state before step `stepNumber`: there are two copies.
Value RecurrenceTask::stateRow(Value stepNumber, unsigned state, unsigned row) {
  Value half = k.mul(k.rem(stepNumber, 2), plan.stateNumbers());
  return k.gep(f32, k.gep(f32, stateBase, half),
               k.i64((state * rows + row) * plan.paddedUnits()));
}

Value RecurrenceTask::projectionRow(Value inChunk, unsigned projection,
                                    unsigned row) {
  Value at = k.gep(f32, projectionBase,
                   k.mul(inChunk, rows * plan.projectionStride()));
  return k.gep(
      f32, at,
      k.i64(row * plan.projectionStride() + projection * plan.paddedUnits()));
}

void RecurrenceTask::forUnits(
    llvm::function_ref<void(Value first, Value active)> body) {
  int64_t whole = plan.units / lanes * lanes;
  k.loop(k.i64(0), k.i64(whole), lanes,
         [&](Value first) { body(first, nullptr); });
  if (whole != plan.units)
    body(k.i64(whole), k.i64(plan.units - whole));
}

//===----------------------------------------------------------------------===//
// Projections
//===----------------------------------------------------------------------===//

/// x times the weights for steps [firstStep, firstStep + steps), row i of the
/// buffer being step i / rows of batch row i mod rows. A panel of weights meets
/// all rows before the next is read.
void RecurrenceTask::project(Value firstStep, Value steps) {
  Value count = k.mul(steps, rows);
  int64_t padded = plan.paddedUnits();
  auto panels = [&](unsigned tileRows) {
    // 6 x 64 or 6 x 16 numbers; a single row takes 64.
    unsigned widest = lanes == 16 ? 4 : tileRows == 1 ? 8 : 2;
    int64_t wide = padded / (widest * lanes) * (widest * lanes);
    auto run = [&](unsigned weight, int64_t from, int64_t to,
                   unsigned vectors) {
      k.loop(k.i64(from), k.i64(to), vectors * lanes, [&](Value column) {
        k.loop(k.i64(0), count, tileRows, [&](Value first) {
          projectTile({firstStep, count, first, tileRows}, weight, column,
                      vectors);
        });
      });
    };
    for (unsigned weight = 0; weight < plan.projections; ++weight) {
      run(weight, 0, wide, widest);
      run(weight, wide, padded, 1);
    }
    return SmallVector<Value>();
  };
  k.ifElse(
      k.le(count, k.i64(2)), {}, [&] { return panels(1); },
      [&] { return panels(6); });
}

/// Where the rows of a tile lie in the input. Rows past the end repeat the last
/// one; the buffer has room for them.
SmallVector<Value> RecurrenceTask::inputRows(const ProjectionRows &tile) {
  SmallVector<Value> inputs;
  for (unsigned i = 0; i < tile.rows; ++i) {
    Value number = k.min(k.add(tile.first, i), k.sub(tile.count, k.i64(1)));
    Row row = rowAt(k.rem(number, rows));
    Value time = timeOf(row, k.add(tile.firstStep, k.div(number, rows)));
    LaneAddress address =
        locate(k, *at.input, *op.getInputMap(), point(row, time));
    inputs.push_back(k.gep(f32, at.input->pointer, address.offset.base));
  }
  return inputs;
}

void RecurrenceTask::projectTile(const ProjectionRows &rows, unsigned weight,
                                 Value column, unsigned vectors) {
  SmallVector<Value> inputs = inputRows(rows);
  Value panel = k.mul(k.div(column, 16), plan.inputSize * 16);
  Value base =
      k.gep(f32, at.weights[weight].pointer, k.add(panel, k.rem(column, 16)));
  auto input = [&](unsigned i, Value t, int64_t plus) {
    return k.load(f32, k.gep(f32, k.gep(f32, inputs[i], t), k.i64(plus)));
  };
  auto value = [&](unsigned j, Value t, int64_t plus) {
    int64_t first = j * lanes;
    int64_t offset = first / 16 * plan.inputSize * 16 + plus * 16 + first % 16;
    return k.load(vector,
                  k.gep(f32, k.gep(f32, base, k.mul(t, 16)), k.i64(offset)),
                  lanes * 4);
  };
  ProductTile tile{rows.rows, SmallVector<Type>(vectors, vector)};
  // See AttentionTiles::scores.
  if (rows.rows * vectors > 16)
    tile.unroll = 2;
  SmallVector<Value> sums =
      tile.emit(k, k.i64(0), k.i64(plan.inputSize), input, value);
  Value to =
      k.gep(f32, projectionBase, k.mul(rows.first, plan.projectionStride()));
  to = k.gep(f32, to, column);
  for (unsigned i = 0; i < rows.rows; ++i)
    for (unsigned j = 0; j < vectors; ++j)
      k.store(sums[i * vectors + j],
              k.gep(f32, to,
                    k.i64(i * plan.projectionStride() +
                          weight * plan.paddedUnits() + j * lanes)),
              lanes * 4);
}

//===----------------------------------------------------------------------===//
// States and outputs at both ends
//===----------------------------------------------------------------------===//

void RecurrenceTask::loadStates() {
  for (unsigned state = 0; state < plan.states; ++state)
    for (unsigned i = 0; i < rows; ++i) {
      AffineMap map = cast<AffineMapAttr>(op.getStateMaps()[state]).getValue();
      SmallVector<LaneIndex> dims = point(batchRows[i], k.i64(0));
      forUnits([&](Value first, Value active) {
        dims[DimU] = LaneIndex::consecutive(first, lanes, lanes);
        Value value =
            loadLanes(k, locate(k, at.states[state], map, dims), active);
        k.store(k.broadcast(value, lanes),
                k.gep(f32, stateRow(k.i64(0), state, i), first), lanes * 4);
      });
    }
}

void RecurrenceTask::storeStates(Value steps) {
  for (unsigned state = 0; state < plan.states; ++state)
    for (unsigned i = 0; i < rows; ++i) {
      unsigned out = plan.outputs + state;
      AffineMap map = cast<AffineMapAttr>(op.getOutMaps()[out]).getValue();
      SmallVector<LaneIndex> dims = point(batchRows[i], k.i64(0));
      Value from = stateRow(steps, state, i);
      forUnits([&](Value first, Value active) {
        dims[DimU] = LaneIndex::consecutive(first, lanes, lanes);
        storeLanes(k, k.load(vector, k.gep(f32, from, first), lanes * 4),
                   locate(k, at.outs[out], map, dims), active);
      });
    }
}

/// Steps that no row takes.
void RecurrenceTask::clearOutputs(Value steps) {
  k.loop(steps, at.extents[DimT], 1, [&](Value time) {
    for (unsigned out = 0; out < plan.outputs; ++out)
      for (const Row &row : batchRows) {
        AffineMap map = cast<AffineMapAttr>(op.getOutMaps()[out]).getValue();
        SmallVector<LaneIndex> dims = point(row, time);
        forUnits([&](Value first, Value active) {
          dims[DimU] = LaneIndex::consecutive(first, lanes, lanes);
          storeLanes(k, k.zero(vector), locate(k, at.outs[out], map, dims),
                     active);
        });
      }
  });
}

//===----------------------------------------------------------------------===//
// The task
//===----------------------------------------------------------------------===//

LogicalResult RecurrenceTask::emit() {
  Value steps = k.i64(0);
  for (unsigned i = 0; i < rows; ++i) {
    batchRows.push_back(rowAt(k.i64(i)));
    steps = k.max(steps, batchRows.back().length);
  }
  loadStates();
  // Fewer rows make longer chunks of the same buffer.
  int64_t chunk = plan.chunk * plan.rows / rows;
  k.loop(k.i64(0), steps, chunk, [&](Value firstStep) {
    Value count = k.min(k.i64(chunk), k.sub(steps, firstStep));
    if (plan.projections)
      project(firstStep, count);
    k.loop(k.i64(0), count, 1,
           [&](Value inChunk) { step(k.add(firstStep, inChunk), inChunk); });
  });
  storeStates(steps);
  if (at.lengths)
    clearOutputs(steps);
  return status;
}
