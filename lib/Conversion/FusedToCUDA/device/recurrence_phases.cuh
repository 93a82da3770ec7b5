//===- recurrence_phases.cuh - What a launch does of a phase ----*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The products of a panel of units and their map, a map alone, or the
// reductions of a row and their map.
//
//===----------------------------------------------------------------------===//

namespace sinter {

/// The products of a panel, into `sums`: [product][row][column].
template <class Spec, class Phase, int Stacks = 0>
SINTER_DEVICE void phaseProducts(const RecurrenceLaunch<Spec> &launch,
                                 const StackRows<Spec> &rows, i64 unit,
                                 float *sums, float *partials) {
  if constexpr (Stacks < Phase::Stacks::size) {
    using Stack = TypeAt<Stacks, typename Phase::Stacks>;
    multiplyStack<Spec, Stack>(
        launch.args, rows, unit, partials,
        [&](int r, int gate, int column, float sum) {
          storeShared(
              sums + ((Stack::first + gate) * Spec::rows + r) * panelColumns +
                  column,
              sum);
        });
    phaseProducts<Spec, Phase, Stacks + 1>(launch, rows, unit, sums, partials);
  }
}

/// Products of a unit, one at least, so that they are an array.
template <class Phase>
constexpr int productCount = Phase::products > 0 ? Phase::products : 1;
template <class Phase>
constexpr int reductionCount = Phase::reductions > 0 ? Phase::reductions : 1;

/// A panel of a phase: its products, and what becomes of them.
template <class Spec, class Phase, PhaseKind Kind>
SINTER_DEVICE void phasePanel(const RecurrenceLaunch<Spec> &launch, i64 step,
                              float *shared) {
  constexpr i64 panels = (Phase::units + panelColumns - 1) / panelColumns;
  const i64 rowBlock = blockIndex() / panels, firstRow = rowBlock * Spec::rows,
            unit = (blockIndex() - rowBlock * panels) * panelColumns;
  StackRows<Spec> all;
  bool isActive = false;
#pragma unroll
  for (int r = 0; r < Spec::rows; ++r) {
    const i64 last = launch.batch() - 1;
    all.rows[r] = launch.row(firstRow + r < last ? firstRow + r : last, step);
    isActive |= all.rows[r].isActive;
  }
  float *partials = shared + Phase::products * Spec::rows * panelColumns;
  if (isActive)
    phaseProducts<Spec, Phase>(launch, all, unit, shared, partials);
  blockBarrier();
  const int r = threadIndex() / panelColumns,
            column = threadIndex() % panelColumns;
  if (r >= Spec::rows || firstRow + r >= launch.batch() ||
      unit + column >= Phase::units)
    return;
  const RecurrenceRow<Spec> row = launch.row(firstRow + r, step);
  float products[productCount<Phase>] = {}, reductions[1] = {};
  if (isActive)
#pragma unroll
    for (int i = 0; i < Phase::products; ++i)
      products[i] =
          loadShared(shared + (i * Spec::rows + r) * panelColumns + column);
  if constexpr (Kind == PhaseKind::Products) {
    if (row.isActive)
#pragma unroll
      for (int i = 0; i < Phase::products; ++i)
        storeGlobal(row.products + i * Phase::spacing + unit + column,
                    products[i]);
  } else {
    if (row.isActive)
      Phase::map(row, unit + column, products, reductions);
    else
      Phase::idle(row, unit + column);
  }
}

template <class Spec, class Phase>
SINTER_DEVICE void phaseElements(const RecurrenceLaunch<Spec> &launch,
                                 i64 step) {
  const i64 flat = i64(blockIndex()) * Spec::threads + threadIndex();
  if (flat >= launch.batch() * Phase::units)
    return;
  const i64 number = flat / Phase::units, unit = flat - number * Phase::units;
  const RecurrenceRow<Spec> row = launch.row(number, step);
  const float products[1] = {}, reductions[1] = {};
  if (row.isActive)
    Phase::map(row, unit, products, reductions);
  else
    Phase::idle(row, unit);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

template <class Spec, class Phase> struct PhaseReduction {
  const RecurrenceRow<Spec> &row;
  float *shared;

  using Products = float[productCount<Phase>];
  using Reductions = float[reductionCount<Phase>];

  SINTER_DEVICE void load(i64 unit, Products &products) const {
#pragma unroll
    for (int i = 0; i < Phase::products; ++i)
      products[i] = loadGlobal(row.products + i * Phase::spacing + unit);
  }

  /// The reduction over a block: lanes by halving, then warps in order.
  template <int Reduction> SINTER_DEVICE float overBlock(float value) const {
#pragma unroll
    for (int mask = 16; mask > 0; mask /= 2)
      value =
          Phase::combine(Number<Reduction>(), value, shuffleXor(value, mask));
    if (laneIndex() == 0)
      storeShared(shared + warpIndex(), value);
    blockBarrier();
    value = loadShared(shared);
    for (int warp = 1; warp < Spec::threads / 32; ++warp)
      value =
          Phase::combine(Number<Reduction>(), value, loadShared(shared + warp));
    blockBarrier();
    return value;
  }

  template <int Reduction>
  SINTER_DEVICE void reduce(Reductions &reductions) const {
    if constexpr (Reduction < Phase::reductions) {
      float value = Phase::start(Number<Reduction>());
      for (i64 unit = threadIndex(); unit < Phase::units;
           unit += Spec::threads) {
        Products products = {};
        load(unit, products);
        value = Phase::combine(Number<Reduction>(), value,
                               Phase::reduce(Number<Reduction>(), row, unit,
                                             products, reductions));
      }
      reductions[Reduction] = overBlock<Reduction>(value);
      reduce<Reduction + 1>(reductions);
    }
  }
};

/// A block makes the reductions of a row, then all its units.
template <class Spec, class Phase>
SINTER_DEVICE void phaseReduce(const RecurrenceLaunch<Spec> &launch, i64 step,
                               float *shared) {
  const RecurrenceRow<Spec> row = launch.row(blockIndex(), step);
  const PhaseReduction<Spec, Phase> reduction{row, shared};
  typename PhaseReduction<Spec, Phase>::Reductions reductions = {};
  if (row.isActive)
    reduction.template reduce<0>(reductions);
  for (i64 unit = threadIndex(); unit < Phase::units; unit += Spec::threads) {
    if (!row.isActive) {
      Phase::idle(row, unit);
      continue;
    }
    typename PhaseReduction<Spec, Phase>::Products products = {};
    reduction.load(unit, products);
    Phase::map(row, unit, products, reductions);
  }
}

} // namespace sinter
