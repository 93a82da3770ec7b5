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
//     factors<Wide>(row, k), laneDepth numbers from k on that these rows of the
//       matrices are multiplied by, 0 past the end (is_whole: there are none);
//       Wide: in one access, which aligned(args) must allow
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
