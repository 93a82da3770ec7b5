//===- RecurrenceLaunches.cpp - Launches and their blocks -----------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host's side of how device/recurrence.cuh numbers launches and blocks.
//
//===----------------------------------------------------------------------===//

#include "RecurrencePlan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cuda;

/// Units of a block that multiplies.
static constexpr int64_t panel = 16;

static Value countBlocks(host::HostBuilder &k, const RecurrencePlan &plan,
                         const LaunchPlan &launch, Value batch) {
  if (launch.kind == LaunchKind::Reduce)
    return batch;
  if (launch.kind == LaunchKind::Elements)
    return k.ceilDiv(k.mul(batch, launch.units), plan.threads);
  return k.mul(k.ceilDiv(batch, plan.rows),
               llvm::divideCeil(launch.units, panel));
}

static Value prologueBlocks(host::HostBuilder &k, const RecurrencePlan &plan,
                            ValueRange extents, Value chunk) {
  Value steps =
      k.min(k.i64(plan.chunk), k.sub(extents[DimT], k.mul(chunk, plan.chunk)));
  int64_t panels = 0;
  for (const StackPlan &stack : plan.projections)
    panels += llvm::divideCeil(stack.stack.columns, panel);
  Value blocks =
      panels == 0
          ? k.i64(0)
          : k.mul(k.ceilDiv(k.mul(extents[DimB], steps), plan.rows), panels);
  Value copies =
      k.ceilDiv(k.mul(extents[DimB], plan.stateStride), plan.threads);
  return k.add(blocks, k.select(k.eq(chunk, k.i64(0)), copies, k.i64(0)));
}

void cuda::writeRecurrenceHost(host::KernelFunctions &host,
                               const RecurrencePlan &plan) {
  int64_t perStep = plan.launches.size(), prologue = plan.hasPrologue();
  int64_t perChunk = plan.chunk * perStep + prologue;
  host.steps([&](host::HostBuilder &k, Value args) {
    SmallVector<Value> extents = host.extents(k, args);
    Value steps = extents[DimT];
    Value chunks = k.max(k.ceilDiv(steps, plan.chunk), k.i64(1));
    Value launches = k.add(k.mul(steps, perStep), k.mul(chunks, prologue));
    // Of no row no step is counted either: there may be 2^31 of them.
    return k.select(k.eq(extents[DimB], k.i64(0)), k.i64(0), launches);
  });
  host.tasks([&](host::HostBuilder &k, Value args, Value step) {
    SmallVector<Value> extents = host.extents(k, args);
    Value chunk = k.div(step, perChunk);
    Value inChunk = k.sub(step, k.mul(chunk, perChunk));
    Value launch = k.rem(k.add(inChunk, perStep - prologue), perStep);
    Value blocks = countBlocks(k, plan, plan.launches[0], extents[DimB]);
    for (int64_t i = 1; i < perStep; ++i)
      blocks = k.select(k.eq(launch, k.i64(i)),
                        countBlocks(k, plan, plan.launches[i], extents[DimB]),
                        blocks);
    if (!prologue)
      return blocks;
    return k.select(k.eq(inChunk, k.i64(0)),
                    prologueBlocks(k, plan, extents, chunk), blocks);
  });
}
