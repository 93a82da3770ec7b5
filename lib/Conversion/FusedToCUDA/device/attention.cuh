//===- attention.cuh - fused.attention on a GPU -----------------*- C++ -*-===//
//
// A block takes a tile of query rows of one batch row, and of one head or of
// the heads that share keys, past tiles of keys with an online softmax
// (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018;
// Dao et al., "FlashAttention", 2022). Scores never reach memory: a tile's
// weights pass through shared memory on their way to the mixture.
//
// Threads stand in `groups` x `columns`. A group has `rows` query rows. A
// thread has, of all rows of its group, the scores of a few keys, then a few
// columns of the mixture; it knows the running maximum of each row and has its
// own part of each row's sum. Where there are fewer columns than threads, each
// of several `parts` of a group mixes some of the keys, and the parts are added
// up at the end.
//
// Keys and values come through a ring of stages in shared memory: `depth`
// numbers of all keys of a tile, or `span` keys' values. While one is worked
// on the next ones are under way (cp.async).
//
// The Spec has
//   Query, Key, Value, Out, LogSumExp, KeptScores, Weights   accesses
//   key_size, value_size, has_..., keeps_scores, range_is_exact   constants
//   offset(args, p), key_limit(args, p), row_limit(args, p)
//   combine, score, mask, sink(args, status, p, ...)          the regions
//   key_range, tile_state, and the same for several heads     mask analysis
//   Few, Many                           schedules: up to `few_queries` queries
//                                       take the first, others the second
// and a schedule
//   heads, groups, rows, keys, depth, span, stages, value_tile
//
//===----------------------------------------------------------------------===//

namespace sinter {

template <class Spec, class Schedule>
class AttentionBlock : AttentionScores<Spec, Schedule> {
  using Base = AttentionScores<Spec, Schedule>;
  using Numbers = AttentionNumbers<Spec, Schedule>;

  using Base::advance, Base::after, Base::args, Base::begin, Base::column;
  using Base::columns, Base::count, Base::end, Base::fetch, Base::groupSum;
  using Base::rowOf, Base::rows, Base::setRow, Base::stageAt, Base::start;
  using Base::valueFirst, Base::weigh, Base::weightsOf;
  using Base::Base::keys, Base::nextTile, Base::p, Base::products;
  using Numbers::depth, Numbers::keyStages, Numbers::packs, Numbers::parts;
  using Numbers::span, Numbers::stages, Numbers::threadPacks;
  using Numbers::valueStages, Numbers::valueStride, Numbers::valueThreads;
  using typename Base::Arguments;
  using typename Base::Position;
  using typename Base::Rows;
  using typename Base::Scores;

public:
  SINTER_DEVICE AttentionBlock(const Arguments &args, Status *status,
                               u8 *shared)
      : Base(args, status, shared) {}

  /// All of block `task`.
  SINTER_DEVICE void run(i64 task) {
    this->place(task);
    if (count <= 0)
      return;
    fillScores();
    this->loadQueries();
    this->findKeys();
    Rows at;
    start(at);
    Position ahead{nextTile(begin), 0};
    for (i32 i = 0; i + 1 < stages; ++i)
      fetch(ahead, i);
    i32 slot = 0;
    for (i32 key = nextTile(begin); key < end; key = nextTile(after(key))) {
      Scores scores = {};
      for (i32 stage = 0; stage < keyStages; ++stage) {
        advance(ahead, slot);
        products(scores, key, stage * depth, stageAt(slot));
        slot = slot + 1 == stages ? 0 : slot + 1;
      }
      weigh(at, scores, key);
      for (i32 stage = 0; stage < valueStages; ++stage) {
        advance(ahead, slot);
        mix(at, stage * span, stageAt(slot));
        slot = slot + 1 == stages ? 0 : slot + 1;
      }
    }
    copyAsyncWait<0>();
    blockBarrier();
    finish(at);
  }

private:
  //===--- Mixture --------------------------------------------------------===//

  /// The thread's columns of the mixture in packs of 4; those past the last
  /// repeat it and are not stored.
  SINTER_DEVICE i32 packOf(i32 j) const {
    return column % valueThreads + j * valueThreads;
  }

  /// Adds the weighted values of keys [first, first + span) of a tile. Of keys
  /// at or past the end, weights and values are 0.
  SINTER_DEVICE void mix(Rows &at, i32 first, const u8 *stage) {
    if constexpr (valueStages > 0) {
      i32 pack[threadPacks];
#pragma unroll
      for (i32 j = 0; j < threadPacks; ++j)
        pack[j] = packOf(j) < packs ? packOf(j) : packs - 1;
#pragma unroll 2
      for (i32 n = column / valueThreads; n < span; n += parts) {
        float weights[rows];
        loadFloats(weights, weightsOf(first + n));
#pragma unroll
        for (i32 j = 0; j < threadPacks; ++j) {
          float values[4];
          loadFloats(values, stage + (n * valueStride + pack[j] * 4) * 4);
#pragma unroll
          for (i32 r = 0; r < rows; ++r)
#pragma unroll
            for (i32 c = 0; c < 4; ++c)
              at.mixture[r][j][c] += weights[r] * values[c];
        }
      }
    }
  }

  //===--- Results --------------------------------------------------------===//

  SINTER_DEVICE void finish(Rows &at) {
    groupSum(at.sum);
    float inverse[rows];
#pragma unroll
    for (i32 r = 0; r < rows; ++r)
      inverse[r] = at.sum[r] == 0.0f ? 0.0f : 1.0f / at.sum[r];
    if constexpr (valueStages > 0) {
      addParts(at);
      constexpr bool fits = Spec::value_size % 4 == 0;
      constexpr i32 lanes = Spec::Out::lanes >= 4 && fits ? 4 : 1;
      if (lanes > 1 && Spec::Out::aligned(args))
        storeMixture<lanes>(at, inverse);
      else
        storeMixture<1>(at, inverse);
    }
    if (valueFirst == 0)
      storeExtras(at, inverse);
  }

  /// Sums the parts of each row, which are the same thread's in every group.
  SINTER_DEVICE void addParts(Rows &at) {
    if constexpr (parts > 1) {
      constexpr i32 each = threadPacks * 4;
      u8 *mine = stageAt(0) + threadIndex() * each * 4;
#pragma unroll
      for (i32 r = 0; r < rows; ++r) {
#pragma unroll
        for (i32 j = 0; j < threadPacks; ++j)
          storeFloats(mine + j * 16, at.mixture[r][j]);
        blockBarrier();
        if (column < valueThreads)
#pragma unroll 1
          for (i32 part = 1; part < parts; ++part)
#pragma unroll
            for (i32 j = 0; j < threadPacks; ++j) {
              float other[4];
              loadFloats(other,
                         mine + (part * valueThreads * each + j * 4) * 4);
#pragma unroll
              for (i32 c = 0; c < 4; ++c)
                at.mixture[r][j][c] += other[c];
            }
        blockBarrier();
      }
    }
  }

  template <i32 lanes>
  SINTER_DEVICE void storeMixture(const Rows &at, const float (&scale)[rows]) {
    if (column >= valueThreads)
      return;
#pragma unroll
    for (i32 r = 0; r < rows; ++r) {
      setRow(rowOf(r));
#pragma unroll
      for (i32 j = 0; j < threadPacks; ++j)
#pragma unroll
        for (i32 c = 0; c < 4; c += lanes) {
          p[DimE] = valueFirst + packOf(j) * 4 + c;
          Pack<float, lanes> pack;
#pragma unroll
          for (i32 i = 0; i < lanes; ++i)
            pack.lane[i] = at.mixture[r][j][c + i] * scale[r];
          if (rowOf(r) < count && packOf(j) < packs &&
              p[DimE] < Spec::value_size)
            storeGlobal(
                reinterpret_cast<Pack<float, lanes> *>(Spec::Out::at(args, p)),
                pack);
        }
    }
  }

  SINTER_DEVICE i64 keyExtent() const { return Spec::extents(args)[DimK]; }

  /// Tiles that no row sees are never visited.
  SINTER_DEVICE void fillScores() {
    if constexpr (Spec::keeps_scores) {
      if (valueFirst != 0)
        return;
      for (i32 row = 0; row < count; ++row) {
        setRow(row);
        for (i64 key = threadIndex(); key < keyExtent(); key += Spec::threads) {
          p[DimK] = key;
          storeGlobal(Spec::KeptScores::at(args, p), attentionNoScore());
        }
      }
      blockBarrier();
    }
  }

  SINTER_DEVICE void storeExtras(const Rows &at, const float (&scale)[rows]) {
#pragma unroll
    for (i32 r = 0; r < rows; ++r) {
      if (rowOf(r) >= count)
        continue;
      setRow(rowOf(r));
      // The logarithm of 0, a row that has seen nothing, is -inf.
      if constexpr (Spec::has_log_sum_exp)
        if (column == 0)
          storeGlobal(Spec::LogSumExp::at(args, p),
                      at.maximum[r] + log(at.sum[r]));
      if constexpr (Spec::has_weights)
#pragma unroll 1
        for (i64 key = column; key < keyExtent(); key += columns) {
          p[DimK] = key;
          float s = loadGlobal<float>(Spec::KeptScores::at(args, p));
          float weight = attentionWeight(s, at.maximum[r]) * scale[r];
          // A row that is NaN has no weight either where no key counts.
          storeGlobal(Spec::Weights::at(args, p),
                      s == attentionNoScore() ? 0.0f : weight);
        }
    }
  }
};

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

template <class Spec>
SINTER_DEVICE void attention(const typename Spec::Arguments &args, i64,
                             Status *status, u8 *) {
  if (isAborted(status))
    return;
  SINTER_SHARED(shared);
  bool isFew = Spec::extents(args)[DimQ] <= Spec::few_queries;
  if constexpr (Spec::has_few)
    if (!Spec::has_many || isFew)
      AttentionBlock<Spec, typename Spec::Few>(args, status, shared)
          .run(blockIndex());
  if constexpr (Spec::has_many)
    if (!Spec::has_few || !isFew)
      AttentionBlock<Spec, typename Spec::Many>(args, status, shared)
          .run(blockIndex());
}

} // namespace sinter
