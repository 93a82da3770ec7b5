//===- AttentionSchedule.h - Tiles of attention on a GPU --------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_FUSEDTOCUDA_ATTENTIONSCHEDULE_H
#define SINTER_LIB_CONVERSION_FUSEDTOCUDA_ATTENTIONSCHEDULE_H

#include "sinter/Analysis/MaskTiles.h"

#include <optional>

namespace sinter::cuda {

/// What of an attention its tiles depend on.
struct AttentionProblem {
  int64_t keySize = 0, valueSize = 0;
  /// Keys lie in panels, else each in a row.
  bool hasKeyPanels = true;
  /// Results beside the mixture.
  bool hasExtras = false;
  /// Operations of combine (0: products are summed), and of score and mask.
  int64_t combineSize = 0, scoreSize = 0;
  /// Query heads that share keys and values.
  int64_t heads = 1;
  /// Query rows, if that is known.
  std::optional<int64_t> queries;
  MaskShape mask;

  /// Whether score and mask may stand once for each row of a thread.
  bool hasShortRegions() const { return scoreSize <= 8 && !hasExtras; }
};

/// The numbers of a schedule; device/attention.cuh says what they mean.
struct AttentionTile {
  int64_t heads = 1, groups = 1, rows = 1, keys = 64;
  int64_t depth = 4, span = 1, stages = 3, valueTile = 0;

  int64_t blockRows() const { return groups * rows; }
  /// Blocks that share the columns of a value of that size.
  int64_t valueTiles(int64_t valueSize) const;
  int64_t sharedBytes(const AttentionProblem &problem) const;
  /// Sums and maxima that a thread holds, and addresses of its rows in further
  /// results.
  int64_t accumulators(bool hasExtras) const;
};

/// At least one of the two: few query rows take the first, others the second.
struct AttentionSchedules {
  static constexpr int64_t threads = 256;
  static constexpr int64_t fewQueries = 3;

  std::optional<AttentionTile> few, many;
  int64_t sharedBytes = 0;
  /// Blocks of a multiprocessor (sm_80) at once, by shared memory and
  /// registers.
  int64_t blocksPerSM = 1;
};

/// None if a single row is too long for shared memory.
std::optional<AttentionSchedules>
chooseAttentionSchedules(const AttentionProblem &problem);

} // namespace sinter::cuda

#endif // SINTER_LIB_CONVERSION_FUSEDTOCUDA_ATTENTIONSCHEDULE_H
