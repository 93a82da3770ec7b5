//===- recurrence.cuh - fused.recurrence on a GPU ---------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch does one phase of one step: its blocks wait for nobody, the order of
// launches is the only barrier. A phase with reductions takes two launches, one
// for its products and one with a block per row, which reduces and maps. Before
// the first of every `chunk` steps a launch multiplies the inputs of the chunk
// with their weights; the first of these copies the initial states too.
//
// What lives from one launch to a later one is in scratch, in floats:
//   projections [b][chunk][projection_stride]
//   states      [2][b][state_stride]     before even steps, before odd ones
//   results     [b][result_stride]       of phases that later phases use
//   products    [b][product_stride]      of phases that reduce
//
// A row past its length computes nothing: it hands its state on and its outputs
// are 0. All sums run in an order that the shapes fix.
//
// Of a Spec, beside what SpecPrinter.h says of all (dimensions b, t, u, k):
//   rows            batch rows of a block that multiplies
//   chunk           steps; more than there can be where nothing is projected
//   has_prologue    whether chunks begin with a launch of their own
//   projection_stride, state_stride, result_stride, product_stride
//   is_reversed     whether a row starts at its last element
//   length(args, p) steps of row p[0], unchecked, or the extent of t
//   Projections     TypeList of stacks; a stack has
//     gates, depth, units
//     Matrices      TypeList of accesses along u at (u, k), one per gate
//     factor(row, k), the number that row k of the matrices is multiplied by;
//       and `first`, the place of the first gate in a projection, `spacing`
//       between gates
//   States          TypeList with units, offset, Initial and Final (accesses)
//   Launches        TypeList, in order, with `kind` and Phase; a phase has
//     units, products, reductions, spacing (between products in scratch)
//     Stacks        TypeList, with `first`, the number of the first product
//     reduce(Number<i>, row, u, products, reductions)
//     combine(Number<i>, a, b), start(Number<i>) of reduction i
//     map(row, u, products, reductions)   makes and stores all results
//     idle(row, u)                        the same past the row's length
//
//===----------------------------------------------------------------------===//

namespace sinter {

template <int> struct Number {};

/// What a launch does of a phase.
enum class PhaseKind {
  Elements, ///< A phase without products and reductions: all of it.
  Panels,   ///< A phase without reductions: all of it.
  Products, ///< The products of a phase with reductions.
  Reduce    ///< Reductions and map.
};

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// A batch row in a step.
template <class Spec> struct RecurrenceRow {
  const typename Spec::Arguments *arguments;
  Status *status;
  /// Where it reads and writes: b and t; the rest is 0.
  typename Spec::Point p;
  /// Whether it takes the step, and whether this is the last step of all.
  bool isActive, isLast;
  float *projections, *states, *nextStates, *results, *products;

  SINTER_DEVICE const typename Spec::Arguments &args() const {
    return *arguments;
  }
  SINTER_DEVICE typename Spec::Point at(i64 unit) const {
    typename Spec::Point point = p;
    point[2] = unit;
    return point;
  }
};

/// A launch, as all its blocks see it.
template <class Spec> struct RecurrenceLaunch {
  const typename Spec::Arguments &args;
  Status *status;
  float *scratch;
  typename Spec::Point extents;

  SINTER_DEVICE i64 batch() const { return extents[0]; }
  SINTER_DEVICE i64 steps() const { return extents[1]; }

  /// `row` at most the last one's number.
  SINTER_DEVICE RecurrenceRow<Spec> row(i64 number, i64 step) const {
    typename Spec::Point p = {};
    p[0] = number;
    const i64 all = steps();
    i64 length = Spec::length(args, p);
    length = length < 0 ? 0 : length < all ? length : all;
    const bool isActive = step < length;
    p[1] = Spec::is_reversed && isActive ? length - 1 - step : step;
    float *states = scratch + batch() * (Spec::projection_stride * Spec::chunk),
          *results = states + 2 * batch() * Spec::state_stride,
          *products = results + batch() * Spec::result_stride;
    const i64 before = (step % 2 * batch() + number) * Spec::state_stride,
              after = ((step + 1) % 2 * batch() + number) * Spec::state_stride,
              inChunk = number * Spec::chunk + step % Spec::chunk;
    return {&args,
            status,
            p,
            isActive,
            step + 1 == all,
            scratch + inChunk * Spec::projection_stride,
            states + before,
            states + after,
            results + number * Spec::result_stride,
            products + number * Spec::product_stride};
  }
};

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Matrices that are multiplied at once with `rows` rows.
template <class Spec> struct ProductLimit {
  static constexpr int gates = 16 / Spec::rows;
};

/// The matrices of a stack from `First` on, as panelProducts reads them. Units
/// past the last are 0.
template <class Spec, class Stack, int First> struct StackPanel {
  const typename Spec::Arguments &args;
  i64 unit;

  template <int Gate> SINTER_DEVICE Pack<float, laneColumns> read(i64 k) const {
    using Matrix = TypeAt<First + Gate, typename Stack::Matrices>;
    typename Spec::Point p = {};
    p[3] = k;
    const i64 first = unit + firstLaneColumn();
    p[2] = first;
    Pack<float, laneColumns> values = {};
    if (Matrix::lanes >= laneColumns && Matrix::aligned(args)) {
      if (first < Stack::units)
        values = loadGlobal(reinterpret_cast<const Pack<float, laneColumns> *>(
            Matrix::at(args, p)));
      return values;
    }
#pragma unroll
    for (int c = 0; c < laneColumns; ++c) {
      p[2] = first + c;
      if (first + c < Stack::units)
        values.lane[c] =
            loadGlobal(static_cast<const float *>(Matrix::at(args, p)));
    }
    return values;
  }
};

/// The factors of a stack, as panelProducts reads them.
template <class Spec, class Stack> struct StackFactors {
  RecurrenceRow<Spec> rows[Spec::rows];

  SINTER_DEVICE float at(int r, i64 k) const {
    return Stack::factor(rows[r], k);
  }
};

/// Calls use(row, gate, column, sum) for the products of a panel of a stack.
/// Collective of a block.
template <class Spec, class Stack, int First = 0, class Use>
SINTER_DEVICE void multiplyStack(const typename Spec::Arguments &args,
                                 const StackFactors<Spec, Stack> &rows,
                                 i64 unit, float *partials, Use use) {
  if constexpr (First < Stack::gates) {
    constexpr int most = ProductLimit<Spec>::gates, left = Stack::gates - First;
    constexpr int count = left < most ? left : most;
    blockBarrier();
    panelProducts<Spec::rows, count>(Stack::depth, rows,
                                     StackPanel<Spec, Stack, First>{args, unit},
                                     partials);
    blockBarrier();
    for (int i = threadIndex(); i < Spec::rows * count * panelColumns;
         i += Spec::threads) {
      const int column = i % panelColumns, number = i / panelColumns,
                row = number / count, gate = number % count;
      use(row, First + gate, column,
          panelSum<Spec::rows, count>(partials, row, gate, column));
    }
    multiplyStack<Spec, Stack, First + count>(args, rows, unit, partials, use);
  }
}

//===----------------------------------------------------------------------===//
// Projections and initial states
//===----------------------------------------------------------------------===//

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
  StackFactors<Spec, Stack> factors;
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

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

/// The products of a panel, into `sums`: [product][row][column].
template <class Spec, class Phase, int Stacks = 0>
SINTER_DEVICE void phaseProducts(const RecurrenceLaunch<Spec> &launch,
                                 const RecurrenceRow<Spec> (&rows)[Spec::rows],
                                 i64 unit, float *sums, float *partials) {
  if constexpr (Stacks < Phase::Stacks::size) {
    using Stack = TypeAt<Stacks, typename Phase::Stacks>;
    StackFactors<Spec, Stack> factors;
#pragma unroll
    for (int r = 0; r < Spec::rows; ++r)
      factors.rows[r] = rows[r];
    multiplyStack<Spec, Stack>(
        launch.args, factors, unit, partials,
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
  RecurrenceRow<Spec> rows[Spec::rows];
  bool isActive = false;
#pragma unroll
  for (int r = 0; r < Spec::rows; ++r) {
    const i64 last = launch.batch() - 1;
    rows[r] = launch.row(firstRow + r < last ? firstRow + r : last, step);
    isActive |= rows[r].isActive;
  }
  float *partials = shared + Phase::products * Spec::rows * panelColumns;
  if (isActive)
    phaseProducts<Spec, Phase>(launch, rows, unit, shared, partials);
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

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

template <class Spec, int Number = 0>
SINTER_DEVICE void recurrencePhase(const RecurrenceLaunch<Spec> &launch,
                                   i64 step, i64 number, float *shared) {
  if constexpr (Number < Spec::Launches::size) {
    if (number != Number)
      return recurrencePhase<Spec, Number + 1>(launch, step, number, shared);
    using Launch = TypeAt<Number, typename Spec::Launches>;
    using Phase = typename Launch::Phase;
    if constexpr (Launch::kind == PhaseKind::Elements)
      phaseElements<Spec, Phase>(launch, step);
    else if constexpr (Launch::kind == PhaseKind::Reduce)
      phaseReduce<Spec, Phase>(launch, step, shared);
    else
      phasePanel<Spec, Phase, Launch::kind>(launch, step, shared);
  }
}

/// Launch `number` of the kernel: prologue of a chunk, then launch by launch of
/// its steps.
template <class Spec>
SINTER_DEVICE void recurrence(const typename Spec::Arguments &args, i64 number,
                              Status *status, u8 *scratch) {
  if (isAborted(status))
    return;
  SINTER_SHARED(memory);
  float *shared = reinterpret_cast<float *>(memory);
  const RecurrenceLaunch<Spec> launch{
      args, status, reinterpret_cast<float *>(scratch), Spec::extents(args)};
  constexpr i64 perStep = Spec::Launches::size,
                perChunk = Spec::chunk * perStep + Spec::has_prologue;
  const i64 chunk = divide(number, perChunk);
  const i64 inChunk = number - chunk * perChunk - Spec::has_prologue;
  if (inChunk < 0)
    return recurrencePrologue(launch, chunk, shared);
  const i64 step = inChunk / perStep;
  recurrencePhase(launch, chunk * Spec::chunk + step, inChunk - step * perStep,
                  shared);
}

} // namespace sinter
