//===- RecurrenceProjection.cpp - Inputs times their weights --------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input of a chunk of steps is multiplied at once, in tiles of rows times
// blocks of 16 columns: matrices of a stack, which lie side by side, and
// several panels where the stack is narrow.
//
//===----------------------------------------------------------------------===//

#include "ProductTile.h"
#include "RecurrenceTask.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

/// x times the weights for steps [firstStep, firstStep + steps), row i of the
/// buffer being step i / rows of batch row i mod rows.
void RecurrenceTask::project(Value firstStep, Value steps) {
  Value count = k.mul(steps, rows);
  auto emit = [&](unsigned tileRows) {
    projectRows(tileRows, firstStep, count);
    return SmallVector<Value>();
  };
  k.ifElse(
      k.le(count, k.i64(2)), {}, [&] { return emit(1); },
      [&] { return emit(lanes >= 8 ? 6 : 2); });
}

/// A tile of weights meets all rows before the next is read.
void RecurrenceTask::projectRows(unsigned tileRows, Value firstStep,
                                 Value count) {
  // 6 x 64 numbers, 6 x 16, 2 x 16; a single row takes 64 or 32.
  int64_t widest = lanes == 16 ? 4 : tileRows > 1 ? 1 : lanes == 8 ? 4 : 2;
  auto run = [&](const WeightTile &tile, int64_t from, int64_t to) {
    if (from == to)
      return;
    k.loop(k.i64(from), k.i64(to), tile.panels, [&](Value panel) {
      k.loop(k.i64(0), count, tileRows, [&](Value first) {
        projectTile({firstStep, count, first, tileRows}, tile, panel);
      });
    });
  };
  for (auto [weight, stack] : llvm::enumerate(plan.weights)) {
    int64_t panels = llvm::divideCeil(stack.columns, 16);
    int64_t perTile = std::min(stack.count, widest);
    int64_t together = widest / perTile, whole = panels / together * together;
    for (int64_t gate = 0; gate < stack.count; gate += perTile) {
      WeightTile tile{static_cast<unsigned>(weight), gate,
                      std::min(perTile, stack.count - gate), together};
      run(tile, 0, whole);
      tile.panels = 1;
      run(tile, whole, panels);
    }
  }
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

void RecurrenceTask::projectTile(const ProjectionRows &rows,
                                 const WeightTile &tile, Value panel) {
  SmallVector<Value> inputs = inputRows(rows);
  const fused::MatrixStack &stack = plan.weights[tile.weight];
  int64_t vectors = 16 / lanes, columns = tile.panels * tile.gates * vectors;
  int64_t pitch = stack.count * 16, panelSize = stack.rows * pitch;
  Value base = k.gep(f32, at.weights[tile.weight].pointer,
                     k.add(k.mul(panel, panelSize), tile.gate * 16));
  auto input = [&](unsigned i, Value t, int64_t plus) {
    return k.load(f32, k.gep(f32, k.gep(f32, inputs[i], t), k.i64(plus)));
  };
  auto value = [&](unsigned j, Value t, int64_t plus) {
    int64_t perPanel = tile.gates * vectors;
    int64_t offset =
        j / perPanel * panelSize + plus * pitch + j % perPanel * lanes;
    Value row = k.gep(f32, base, k.mul(t, pitch));
    return k.load(vector, k.gep(f32, row, k.i64(offset)), lanes * 4);
  };
  ProductTile product{rows.rows, SmallVector<Type>(columns, vector)};
  // See AttentionTiles::scores.
  if (rows.rows * columns > 16)
    product.unroll = 2;
  SmallVector<Value> sums =
      product.emit(k, k.i64(0), k.i64(stack.rows), input, value);
  Value to =
      k.gep(f32, projectionBase, k.mul(rows.first, plan.projectionStride));
  to = k.gep(f32, to, k.mul(panel, 16));
  int64_t units = plan.padded(stack.columns);
  for (unsigned i = 0; i < rows.rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      int64_t block = j / vectors, gate = tile.gate + block % tile.gates;
      int64_t offset = i * plan.projectionStride +
                       plan.weightOffsets[tile.weight] + gate * units +
                       block / tile.gates * 16 + j % vectors * lanes;
      k.store(sums[i * columns + j], gepF32(to, offset), lanes * 4);
    }
}
