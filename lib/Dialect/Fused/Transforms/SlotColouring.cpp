//===- SlotColouring.cpp - Values into arena slots ------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Fused/Transforms/SlotColouring.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace sinter::fused;

/// The free slot to reuse for a value of `bytes`, or the number of slots.
static int64_t chooseSlot(const SlotColouring &result,
                          ArrayRef<int64_t> lastUse,
                          const LiveInterval &value) {
  int64_t best = result.sizes.size();
  for (int64_t slot = 0, e = result.sizes.size(); slot != e; ++slot) {
    if (lastUse[slot] >= value.first)
      continue;
    if (llvm::is_contained(result.sizes[slot], value.bytes))
      return slot;
    if (best == e || lastUse[slot] > lastUse[best])
      best = slot;
  }
  return best;
}

SlotColouring sinter::fused::colourSlots(ArrayRef<LiveInterval> intervals) {
  SlotColouring result;
  SmallVector<int64_t> lastUse;
  for (const LiveInterval &value : intervals) {
    int64_t slot = chooseSlot(result, lastUse, value);
    if (slot == static_cast<int64_t>(result.sizes.size())) {
      result.sizes.emplace_back();
      lastUse.push_back(0);
    }
    if (!llvm::is_contained(result.sizes[slot], value.bytes))
      result.sizes[slot].push_back(value.bytes);
    lastUse[slot] = value.last;
    result.slotOf.push_back(slot);
  }
  return result;
}
