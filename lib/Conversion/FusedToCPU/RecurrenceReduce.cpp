//===- RecurrenceReduce.cpp - Phases that reduce over their units ---------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All products of the phase are made and kept; then each row is read once per
// reduction that uses an earlier one, and once for the map. The order of a sum
// follows from the number of units and the length of a vector.
//
//===----------------------------------------------------------------------===//

#include "RecurrenceTask.h"

#include <limits>

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

/// Vectors in flight of a reduction: an addition takes 4 cycles.
static constexpr unsigned reductionUnroll = 4;

static bool isSum(fused::PhaseOp op, unsigned number) {
  return cast<fused::ReductionAttr>(op.getReductions()[number]).getValue() ==
         fused::Reduction::sum;
}

/// The type that a reduction yields.
static Type typeOf(fused::PhaseOp op, unsigned number) {
  Block &block = op.getReduces()[number].front();
  return block.getTerminator()->getOperand(0).getType();
}

/// What a reduction starts with, in all lanes.
static Value identity(KernelBuilder &k, fused::PhaseOp op, unsigned number) {
  return k.constant(
      KernelBuilder::vec(typeOf(op, number), k.target.lanes),
      isSum(op, number) ? 0.0 : -std::numeric_limits<double>::infinity());
}

/// A NaN does not become the maximum; what is made of the row has it.
static Value combine(KernelBuilder &k, fused::PhaseOp op, unsigned number,
                     Value sum, Value value) {
  return isSum(op, number) ? k.addF(sum, value) : k.maxF(value, sum);
}

/// Reductions that do not use one of this pass join it.
static unsigned passEnd(const PhasePlan &phase, unsigned first) {
  fused::PhaseOp op = phase.op;
  unsigned last = first + 1, count = op.getReductions().size();
  unsigned before = phase.products.size() + op.getVectors().size();
  for (; last < count; ++last) {
    Block &block = op.getReduces()[last].front();
    auto earlier = block.getArguments().slice(before + first, last - first);
    if (!llvm::all_of(earlier, [](Value value) { return value.use_empty(); }))
      break;
  }
  return last;
}

/// Adds the units of `piece` to the sums of a pass.
void RecurrenceTask::accumulate(const PhasePlan &phase, const RowStep &row,
                                unsigned first, MutableArrayRef<Value> sums,
                                Lanes piece, ArrayRef<Value> reductions) {
  fused::PhaseOp phaseOp = phase.op;
  SmallVector<Value> products = keptProducts(phase, row, piece.first);
  for (auto [i, sum] : llvm::enumerate(sums)) {
    unsigned number = first + i;
    // Results of this pass are not used in it.
    SmallVector<Value> earlier(reductions);
    while (earlier.size() < number)
      earlier.push_back(k.zero(typeOf(phaseOp, earlier.size())));
    Value value = run(phaseOp.getReduces()[number].front(), phase, row, piece,
                      products, earlier)[0];
    value = k.broadcast(value, lanes);
    if (piece.active)
      value = k.select(k.laneMask(lanes, piece.active), value,
                       identity(k, phaseOp, number));
    sum = combine(k, phaseOp, number, sum, value);
  }
}

/// Reductions [first, last) in one pass over the row.
void RecurrenceTask::reduce(const PhasePlan &phase, const RowStep &row,
                            unsigned first, unsigned last,
                            SmallVectorImpl<Value> &reductions) {
  fused::PhaseOp phaseOp = phase.op;
  unsigned count = last - first;
  SmallVector<Value> sums;
  for (unsigned n = 0; n < reductionUnroll * count; ++n)
    sums.push_back(identity(k, phaseOp, first + n % count));
  // Units [from, to) in steps of `unroll` vectors, each with its own sums.
  auto pass = [&](int64_t from, int64_t to, unsigned unroll) {
    if (from == to)
      return;
    sums = k.loop(k.i64(from), k.i64(to), unroll * lanes, sums,
                  [&](Value unit, ValueRange carried) {
                    SmallVector<Value> next(carried);
                    for (unsigned u = 0; u < unroll; ++u)
                      accumulate(phase, row, first,
                                 MutableArrayRef(next).slice(u * count, count),
                                 {k.add(unit, u * lanes), nullptr}, reductions);
                    return next;
                  });
  };
  int64_t step = reductionUnroll * lanes;
  int64_t unrolled = phase.units / step * step,
          whole = phase.units / lanes * lanes;
  pass(0, unrolled, reductionUnroll);
  for (unsigned n = count; n < sums.size(); ++n)
    sums[n % count] =
        combine(k, phaseOp, first + n % count, sums[n % count], sums[n]);
  sums.truncate(count);
  pass(unrolled, whole, 1);
  if (whole != phase.units)
    accumulate(phase, row, first, sums,
               {k.i64(whole), k.i64(phase.units - whole)}, reductions);
  for (auto [i, sum] : llvm::enumerate(sums))
    reductions.push_back(isSum(phaseOp, first + i) ? k.horizontalSum(sum)
                                                   : k.horizontalMax(sum));
}

void RecurrenceTask::reducingPhase(const PhasePlan &phase) {
  forPanels(phase, [](Value, std::optional<int64_t>, ArrayRef<Value>) {});
  fused::PhaseOp phaseOp = phase.op;
  unsigned count = phaseOp.getReductions().size();
  for (const RowStep &row : steps) {
    SmallVector<Value> reductions;
    for (unsigned first = 0; first < count;) {
      unsigned last = passEnd(phase, first);
      reduce(phase, row, first, last, reductions);
      first = last;
    }
    forUnits(phase.units, [&](Lanes piece) {
      mapUnits(phase, row, piece, keptProducts(phase, row, piece.first),
               reductions);
    });
  }
}
