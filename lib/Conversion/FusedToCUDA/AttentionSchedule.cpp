//===- AttentionSchedule.cpp - Tiles of attention on a GPU ----------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many query rows: 16 groups of 16 threads. With 4 rows and 4 keys a thread
// does 16 multiply-adds for 2 accesses of 16 bytes to shared memory, 3 of its
// cycles beside 4 of the arithmetic. Few (decoding): one group of 256 threads,
// a key each; what counts is that enough keys are under way.
//
//===----------------------------------------------------------------------===//

#include "AttentionSchedule.h"
#include "sinter/Analysis/AttentionAccess.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cuda;

/// Of a block on sm_80, and of all blocks of a multiprocessor there, each of
/// which takes 1 KiB more than it asks for.
static constexpr int64_t mostShared = 163 << 10;
static constexpr int64_t sharedOfSM = 164 << 10, reservedShared = 1 << 10;
/// Queries stay in shared memory as long as the block lasts.
static constexpr int64_t queryBytes = 72 << 10;
/// Numbers of a stage: with three of them 16 or 32 KiB are under way.
static constexpr int64_t stageNumbers = 2048, streamedStageNumbers = 4096;
/// Two blocks leave 128 registers to a thread. Addresses and loops take up to
/// 70 of them, combining with a long region more.
static constexpr int64_t mostAccumulators = 64, mostCombineSize = 16;

//===----------------------------------------------------------------------===//
// Shared memory and registers
//===----------------------------------------------------------------------===//

int64_t AttentionTile::valueTiles(int64_t valueSize) const {
  return valueTile == 0 ? 1 : llvm::divideCeil(valueSize, valueTile);
}

int64_t AttentionTile::sharedBytes(const AttentionProblem &problem) const {
  constexpr int64_t threads = AttentionSchedules::threads;
  int64_t rowStride = groups == 1 ? rows : blockRows() + 4;
  int64_t stage = problem.hasKeyPanels ? depth * keys : keys * (depth + 4);
  stage = std::max(stage, span * valueTile);
  int64_t columns = threads / groups, packs = valueTile / 4;
  // Where threads share the columns of a value, their parts meet at the end.
  int64_t parts = packs <= columns / 2 ? threads * 4 : 0;
  int64_t ring = std::max(stages * stage, parts);
  int64_t queries = llvm::alignTo(problem.keySize * rowStride, 4);
  return 4 * (queries + keys * rowStride + threads / 32 * 8 + ring);
}

int64_t AttentionTile::accumulators(bool hasExtras) const {
  int64_t columns = AttentionSchedules::threads / groups;
  int64_t keysOfThread = llvm::divideCeil(keys, columns);
  int64_t packs = llvm::divideCeil(valueTile / 4, columns);
  return rows * (keysOfThread + packs * 4 + (hasExtras ? 4 : 2));
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Cuts keys, then values, into stages of at most `numbers`.
static void setStages(AttentionTile &tile, const AttentionProblem &problem,
                      int64_t numbers, int64_t mostColumns) {
  int64_t most = std::max<int64_t>(4, numbers / tile.keys);
  int64_t stages =
      std::max<int64_t>(1, llvm::divideCeil(problem.keySize, most));
  tile.depth = std::max<int64_t>(
      4, llvm::alignTo(llvm::divideCeil(problem.keySize, stages), 4));
  tile.span = tile.keys;
  if (problem.valueSize == 0)
    return;
  int64_t tiles = llvm::divideCeil(problem.valueSize, mostColumns);
  tile.valueTile = llvm::alignTo(llvm::divideCeil(problem.valueSize, tiles), 4);
  while (tile.span % 2 == 0 && tile.span * tile.valueTile > numbers)
    tile.span /= 2;
}

static bool isExact(const MaskShape &mask) {
  return mask.alwaysTrue || mask.isKeyRangeExact;
}

/// One group of rows: each thread has a key.
static AttentionTile streamedTile(const AttentionProblem &problem,
                                  int64_t rows) {
  AttentionTile tile;
  tile.rows = llvm::PowerOf2Ceil(rows);
  while (tile.rows > 1 && problem.keySize * tile.rows * 4 > queryBytes)
    tile.rows /= 2;
  constexpr int64_t threads = AttentionSchedules::threads;
  tile.keys = isExact(problem.mask)
                  ? threads
                  : divisorUpTo(problem.mask.keyBlock, 16, threads, 128);
  setStages(tile, problem, streamedStageNumbers, /*mostColumns=*/1024);
  return tile;
}

static AttentionTile fewTile(const AttentionProblem &problem) {
  int64_t rows = problem.heads * problem.queries.value_or(1);
  int64_t blocks = std::max<int64_t>(1, llvm::divideCeil(rows, 8));
  AttentionTile tile = streamedTile(
      problem, std::max<int64_t>(1, llvm::divideCeil(rows, blocks)));
  tile.heads = problem.heads;
  return tile;
}

/// Keys of a tile, and rows of a group such that the rows of the block divide
/// the blocks of a mask's rule.
static void setSize(AttentionTile &tile, const AttentionProblem &problem) {
  auto divides = [](const std::optional<int64_t> &block, int64_t size) {
    return block && *block % size == 0;
  };
  int64_t fewestRows = problem.queries.value_or(64);
  tile.keys = problem.combineSize ? 32 : 64;
  tile.rows = 4;
  if (!isExact(problem.mask)) {
    for (int64_t keys : {64, 32, 16})
      if (keys <= tile.keys && divides(problem.mask.keyBlock, keys)) {
        tile.keys = keys;
        break;
      }
    for (int64_t rows : {4, 2, 1})
      if (divides(problem.mask.queryBlock, rows * tile.groups)) {
        tile.rows = rows;
        break;
      }
  }
  while (tile.rows > 1 && tile.rows / 2 * tile.groups >= fewestRows)
    tile.rows /= 2;
}

static AttentionTile manyTile(const AttentionProblem &problem) {
  AttentionTile tile;
  tile.groups = 16;
  setSize(tile, problem);
  auto queries = [&] { return problem.keySize * (tile.blockRows() + 4) * 4; };
  while (tile.rows > 1 && queries() > queryBytes)
    tile.rows /= 2;
  setStages(tile, problem, stageNumbers, /*mostColumns=*/256);
  if (tile.sharedBytes(problem) <= mostShared)
    return tile;
  return streamedTile(problem, /*rows=*/8);
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

std::optional<AttentionSchedules>
cuda::chooseAttentionSchedules(const AttentionProblem &problem) {
  AttentionSchedules schedules;
  if (problem.queries.value_or(0) <= AttentionSchedules::fewQueries)
    schedules.few = fewTile(problem);
  if (!problem.queries || *problem.queries > AttentionSchedules::fewQueries)
    schedules.many = manyTile(problem);
  int64_t accumulators = 0;
  for (const auto &tile : {schedules.few, schedules.many})
    if (tile) {
      schedules.sharedBytes =
          std::max(schedules.sharedBytes, tile->sharedBytes(problem));
      accumulators =
          std::max(accumulators, tile->accumulators(problem.hasExtras));
    }
  if (schedules.sharedBytes > mostShared)
    return std::nullopt;
  bool fitsTwice = accumulators <= mostAccumulators &&
                   problem.combineSize <= mostCombineSize;
  if (fitsTwice && 2 * (schedules.sharedBytes + reservedShared) <= sharedOfSM)
    schedules.blocksPerSM = 2;
  return schedules;
}
