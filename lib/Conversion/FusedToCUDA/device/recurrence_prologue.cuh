//===- recurrence_prologue.cuh - What comes before a chunk of steps *- C++
//-*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs times their weights for all steps of the chunk, and the initial
// states.
//
//===----------------------------------------------------------------------===//

namespace sinter {

/// Steps of a chunk that starts with step `first`.
template <class Spec>
SINTER_DEVICE i64 chunkSteps(const RecurrenceLaunch<Spec> &launch, i64 first) {
  const i64 left = launch.steps() - first;
  return left < Spec::chunk ? left : Spec::chunk;
}

/// Rows here are pairs of a batch row and a step of the chunk.
template <class Spec, class Stack>
SINTER_DEVICE void projectPanel(const RecurrenceLaunch<Spec> &launch, i64 first,
                                i64 firstRow, i64 panel, float *shared) {
  const i64 inChunk = chunkSteps(launch, first),
            count = launch.batch() * inChunk, unit = panel * panelColumns;
  StackRows<Spec> factors;
  bool isActive = false;
#pragma unroll
  for (int r = 0; r < Spec::rows; ++r) {
    const i64 row = firstRow + r < count ? firstRow + r : count - 1;
    const i64 number = divide(row, inChunk);
    factors.rows[r] = launch.row(number, first + row - number * inChunk);
    isActive |= factors.rows[r].isActive;
  }
  if (!isActive)
    return;
  multiplyStack<Spec, Stack>(
      launch.args, factors, unit, shared,
      [&](int r, int gate, int column, float sum) {
        const i64 row = firstRow + r;
        if (row >= count || unit + column >= Stack::units)
          return;
        const i64 number = divide(row, inChunk);
        const RecurrenceRow<Spec> to =
            launch.row(number, first + row - number * inChunk);
        storeGlobal(to.projections + Stack::first + gate * Stack::spacing +
                        unit + column,
                    sum);
      });
}

template <class Spec, int Stacks = 0>
SINTER_DEVICE void project(const RecurrenceLaunch<Spec> &launch, i64 first,
                           i64 rowBlocks, i64 block, float *shared) {
  if constexpr (Stacks < Spec::Projections::size) {
    using Stack = TypeAt<Stacks, typename Spec::Projections>;
    const i64 panel = divide(block, rowBlocks),
              panels = (Stack::units + panelColumns - 1) / panelColumns;
    if (panel >= panels)
      return project<Spec, Stacks + 1>(launch, first, rowBlocks,
                                       block - panels * rowBlocks, shared);
    projectPanel<Spec, Stack>(
        launch, first, (block - panel * rowBlocks) * Spec::rows, panel, shared);
  }
}

/// Copies number `at` of the states of a row; where there are no steps, to
/// where final states go too.
template <class Spec, int States = 0>
SINTER_DEVICE void copyState(const RecurrenceLaunch<Spec> &launch,
                             const RecurrenceRow<Spec> &row, i64 at) {
  if constexpr (States < Spec::States::size) {
    using State = TypeAt<States, typename Spec::States>;
    const i64 unit = at - State::offset;
    if (unit < 0 || unit >= State::units)
      return copyState<Spec, States + 1>(launch, row, at);
    const auto p = row.at(unit);
    const float value = loadOne<typename State::Initial>(launch.args, p);
    storeGlobal(row.states + at, value);
    if (launch.steps() == 0)
      storeOne<typename State::Final>(launch.args, p, value);
  }
}

/// What comes before the steps of a chunk.
template <class Spec>
SINTER_DEVICE void recurrencePrologue(const RecurrenceLaunch<Spec> &launch,
                                      i64 chunk, float *shared) {
  i64 block = blockIndex();
  if (chunk == 0) {
    const i64 numbers = launch.batch() * Spec::state_stride,
              blocks = ceilDivide(numbers, Spec::threads);
    if (block < blocks) {
      const i64 flat = block * Spec::threads + threadIndex();
      if (flat < numbers) {
        const i64 row =
            flat / (Spec::state_stride > 0 ? Spec::state_stride : 1);
        copyState(launch, launch.row(row, 0), flat - row * Spec::state_stride);
      }
      return;
    }
    block -= blocks;
  }
  const i64 first = chunk * Spec::chunk;
  const i64 rowBlocks =
      ceilDivide(launch.batch() * chunkSteps(launch, first), Spec::rows);
  project(launch, first, rowBlocks, block, shared);
}

} // namespace sinter
