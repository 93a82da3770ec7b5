//===- attention_base.cuh - Numbers of a schedule ---------------*- C++ -*-===//
//
// What follows from a schedule (attention.cuh) at compile time.
//
//===----------------------------------------------------------------------===//

namespace sinter {

/// Dimensions of the skeleton.
enum AttentionDim { DimB, DimH, DimQ, DimK, DimD, DimE };

/// The maximum of a row that has seen no key: finite, so that no difference of
/// a score and a maximum is NaN, and no finite score is below it.
constexpr float attentionNone = -3.40282346638528859812e38f;

/// A key that does not count has this score, so its weight is exactly 0.
SINTER_DEVICE float attentionNoScore() { return bitCast<float>(0xff800000u); }

/// exp(score - maximum): 1 where they are equal, so that a maximum that stays
/// leaves sums as they are; 0 where their difference overflows.
SINTER_DEVICE float attentionWeight(float score, float maximum) {
  return ex2((score - maximum) * 1.44269504088896340736f); // log2 e
}

//===----------------------------------------------------------------------===//
// Numbers of a schedule
//===----------------------------------------------------------------------===//

template <class Spec, class Schedule> struct AttentionNumbers {
  SINTER_DEVICE static constexpr i32 divideUp(i32 a, i32 b) {
    return (a + b - 1) / b;
  }
  SINTER_DEVICE static constexpr i32 larger(i32 a, i32 b) {
    return a < b ? b : a;
  }
  /// The largest power of two of at most `limit`, or the first that holds `n`.
  SINTER_DEVICE static constexpr i32 powerFor(i32 n, i32 limit) {
    i32 power = 1;
    while (power < n && power * 2 <= limit)
      power *= 2;
    return power;
  }

  static constexpr i32 heads = Schedule::heads, groups = Schedule::groups;
  static constexpr i32 rows = Schedule::rows, blockRows = groups * rows;
  static constexpr i32 columns = Spec::threads / groups;
  static constexpr i32 warps = Spec::threads / 32;

  static constexpr i32 keys = Schedule::keys;
  static constexpr i32 threadKeys = divideUp(keys, columns);
  static constexpr i32 keyThreads = keys / threadKeys;
  static constexpr i32 keySize = Spec::key_size, depth = Schedule::depth;
  static constexpr i32 keyStages = larger(1, divideUp(keySize, depth));

  static constexpr i32 tileColumns = Schedule::value_tile;
  static constexpr i32 valueTiles =
      larger(1, divideUp(Spec::value_size, larger(1, tileColumns)));
  static constexpr i32 packs = divideUp(tileColumns, 4);
  static constexpr i32 valueThreads = powerFor(packs, columns);
  static constexpr i32 parts = columns / valueThreads;
  static constexpr i32 threadPacks = larger(1, divideUp(packs, valueThreads));
  static constexpr i32 span = Schedule::span;
  static constexpr i32 valueStages = tileColumns ? keys / span : 0;

  /// Keys side by side, or one key's numbers.
  static constexpr bool hasPanels = Spec::Key::along == DimK;
  static constexpr i32 keyStride = hasPanels ? keys : depth + 4;
  static constexpr i32 valueStride = packs * 4;
  /// From the rows of the block at one d (queries) or key (weights) to those at
  /// the next: such that writers of neighbours take different banks.
  static constexpr i32 rowStride = groups == 1 ? rows : blockRows + 4;

  /// Offsets in shared memory, in floats.
  static constexpr i32 stages = Schedule::stages;
  static constexpr i32 stageSize =
      larger((hasPanels ? depth : keys) * keyStride, span *valueStride);
  static constexpr i32 weightsAt = divideUp(keySize * rowStride, 4) * 4;
  static constexpr i32 sharesAt = weightsAt + keys * rowStride;
  static constexpr i32 stagesAt = sharesAt + warps * 8;
  /// At the end parts are added up where the stages were.
  static constexpr i32 partsSize =
      parts == 1 ? 0 : Spec::threads * threadPacks * 4;
  static constexpr i32 sharedBytes =
      (stagesAt + larger(stages * stageSize, partsSize)) * 4;

  static_assert(rows <= 8 && threadKeys <= 4 && threadKeys != 3);
  static_assert(keys % threadKeys == 0 && keys % larger(1, span) == 0);
  static_assert(columns * groups == Spec::threads && stages >= 2);
  static_assert(depth % 4 == 0 && keys % 16 == 0 && blockRows % rows == 0);
  static_assert(groups == 1 || blockRows % 4 == 0);
  static_assert(columns <= 32 || groups == 1);
  static_assert(sharedBytes <= Spec::shared_bytes);
};

/// Reads or writes N floats in shared memory that lie side by side.
template <i32 N> SINTER_DEVICE void loadFloats(float (&to)[N], const u8 *from) {
  constexpr i32 width = N < 4 ? N : 4;
#pragma unroll
  for (i32 i = 0; i < N; i += width) {
    auto pack =
        loadShared(reinterpret_cast<const Pack<float, width> *>(from + i * 4));
#pragma unroll
    for (i32 j = 0; j < width; ++j)
      to[i + j] = pack.lane[j];
  }
}
template <i32 N>
SINTER_DEVICE void storeFloats(u8 *to, const float (&from)[N]) {
  constexpr i32 width = N < 4 ? N : 4;
#pragma unroll
  for (i32 i = 0; i < N; i += width) {
    Pack<float, width> pack;
#pragma unroll
    for (i32 j = 0; j < width; ++j)
      pack.lane[j] = from[i + j];
    storeShared(reinterpret_cast<Pack<float, width> *>(to + i * 4), pack);
  }
}

} // namespace sinter
