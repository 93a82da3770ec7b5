//===- attention_scores.cuh - From products to weights ----------*- C++ -*-===//
//
// What a block of attention does with a tile of keys before it mixes values.
//
//===----------------------------------------------------------------------===//

namespace sinter {

/// Products of a tile's keys with the rows, their scores, and the softmax.
template <class Spec, class Schedule>
class AttentionScores : protected AttentionRing<Spec, Schedule> {
protected:
  using Base = AttentionRing<Spec, Schedule>;
  using Numbers = AttentionNumbers<Spec, Schedule>;

  using Base::args, Base::column, Base::columns, Base::count, Base::end;
  using Base::isFull, Base::p, Base::rowOf, Base::rows, Base::setRow;
  using Base::shared, Base::shift, Base::smaller, Base::status;
  using Base::valueFirst;
  using Numbers::depth, Numbers::keySize, Numbers::keyStride;
  using Numbers::keyThreads, Numbers::rowStride, Numbers::threadKeys;
  using Numbers::threadPacks, Numbers::warps;
  /// What a thread has of the rows of its group.
  struct Rows {
    float maximum[rows], sum[rows];
    float mixture[rows][threadPacks][4];
  };
  using Scores = float[rows][threadKeys];
  /// Scores are products.
  static constexpr bool isPlain =
      !Spec::has_score && !Spec::has_mask && !Spec::keeps_scores;

  using Base::Base;

  SINTER_DEVICE void start(Rows &at) {
#pragma unroll
    for (i32 r = 0; r < rows; ++r) {
      at.maximum[r] = attentionNone;
      at.sum[r] = 0.0f;
      if constexpr (Spec::has_sink) {
        setRow(rowOf(r));
        float s = Spec::sink(args, status, p, p[DimQ] + shift);
        at.maximum[r] = fmaxf(attentionNone, s);
        // One thread of a group counts it.
        at.sum[r] = column == 0 ? attentionWeight(s, at.maximum[r]) : 0.0f;
      }
#pragma unroll
      for (i32 j = 0; j < threadPacks; ++j)
#pragma unroll
        for (i32 c = 0; c < 4; ++c)
          at.mixture[r][j][c] = 0.0f;
    }
  }

  /// The thread's keys of a tile; threads past the last key work on the first.
  SINTER_DEVICE i32 firstKey() const {
    return column < keyThreads ? column * threadKeys : 0;
  }

  SINTER_DEVICE void loadKeys(float (&numbers)[threadKeys], const u8 *stage,
                              i32 d) const {
    if constexpr (Numbers::hasPanels) {
      loadFloats(numbers, stage + (d * keyStride + firstKey()) * 4);
    } else {
#pragma unroll
      for (i32 i = 0; i < threadKeys; ++i)
        numbers[i] = loadShared(reinterpret_cast<const float *>(
            stage + ((firstKey() + i) * keyStride + d) * 4));
    }
  }

  /// Adds the numbers [first, first + depth) of the head.
  SINTER_DEVICE void products(Scores &scores, i32 key, i32 first,
                              const u8 *stage) {
    i32 some = keySize % depth == 0 || first + depth < keySize
                   ? depth
                   : keySize - first;
    if constexpr (keySize == 0)
      return;
    const u8 *queries = shared + (first * rowStride + rowOf(0)) * 4;
    if constexpr (Spec::has_combine) {
#pragma unroll 1
      for (i32 d = 0; d < some; ++d)
        combine(scores, key, first + d, queries + d * rowStride * 4, stage, d);
    } else {
#pragma unroll 2
      for (i32 d = 0; d < some; ++d) {
        float q[rows], k[threadKeys];
        loadFloats(q, queries + d * rowStride * 4);
        loadKeys(k, stage, d);
#pragma unroll
        for (i32 r = 0; r < rows; ++r)
#pragma unroll
          for (i32 i = 0; i < threadKeys; ++i)
            scores[r][i] += q[r] * k[i];
      }
    }
  }

  SINTER_DEVICE void combine(Scores &scores, i32 key, i32 size,
                             const u8 *queries, const u8 *stage, i32 d) {
    float q[rows], k[threadKeys];
    loadFloats(q, queries);
    loadKeys(k, stage, d);
    p[DimD] = size;
#pragma unroll
    for (i32 r = 0; r < rows; ++r) {
      setRow(rowOf(r));
#pragma unroll
      for (i32 i = 0; i < threadKeys; ++i) {
        setKey(key, firstKey() + i);
        scores[r][i] += Spec::combine(args, status, p, q[r], k[i]);
      }
    }
  }

  /// Sets the point to key n of a tile; those past the end repeat the last.
  SINTER_DEVICE void setKey(i32 key, i32 n) {
    p[DimK] = n < end - key ? key + n : end - 1;
  }

  /// The score of row r of the group and key n of a tile; -inf where the key
  /// does not count. `seen`: the row sees it.
  SINTER_DEVICE float score(float s, i32 r, i32 key, i32 n, bool seen) {
    setRow(rowOf(r));
    setKey(key, n);
    i64 query = p[DimQ] + shift;
    if constexpr (Spec::has_score)
      s = Spec::score(args, status, p, s, query);
    if (!seen) {
      if (n >= end - key)
        return attentionNoScore();
      if constexpr (Spec::has_mask)
        if (!Spec::mask(args, status, p, query))
          return attentionNoScore();
    }
    if constexpr (Spec::keeps_scores)
      if (rowOf(r) < count && valueFirst == 0)
        storeGlobal(Spec::KeptScores::at(args, p), s);
    return s;
  }

  /// Over the threads of the group.
  SINTER_DEVICE void groupMaximum(float (&value)[rows]) {
    reduce(value, [](float a, float b) { return fmaxf(a, b); });
  }
  SINTER_DEVICE void groupSum(float (&value)[rows]) {
    reduce(value, [](float a, float b) { return a + b; });
  }
  template <class Combine>
  SINTER_DEVICE void reduce(float (&value)[rows], Combine combine) {
#pragma unroll
    for (i32 mask = 1; mask < columns && mask < 32; mask *= 2)
#pragma unroll
      for (i32 r = 0; r < rows; ++r)
        value[r] = combine(value[r], shuffleXor(value[r], mask));
    if constexpr (columns > 32) {
      // Between two exchanges lies a barrier of another kind.
      if (laneIndex() == 0)
        storeFloats(shareOf(warpIndex()), value);
      blockBarrier();
      loadFloats(value, shareOf(0));
#pragma unroll 1
      for (i32 warp = 1; warp < warps; ++warp) {
        float share[rows];
        loadFloats(share, shareOf(warp));
#pragma unroll
        for (i32 r = 0; r < rows; ++r)
          value[r] = combine(value[r], share[r]);
      }
    }
  }
  SINTER_DEVICE u8 *shareOf(i32 warp) {
    return shared + (Numbers::sharesAt + warp * 8) * 4;
  }

  /// Products become weights relative to the new maxima; what was summed and
  /// mixed before is scaled to them.
  SINTER_DEVICE void weigh(Rows &at, const Scores &products, i32 key) {
    bool seen = isFull(key);
    float maximum[rows];
#pragma unroll
    for (i32 r = 0; r < rows; ++r)
      maximum[r] = attentionNone;
    if (column < keyThreads)
      makeScores(products, key, seen, maximum);
    groupMaximum(maximum);
    rescale(at, maximum);
    if (column < keyThreads)
      makeWeights(at);
  }

  /// Puts the scores into shared memory and finds the largest of each row. NaN
  /// stays out of the maximum and makes the sum NaN.
  SINTER_DEVICE void makeScores(const Scores &products, i32 key, bool seen,
                                float (&maximum)[rows]) {
    float s[rows];
#pragma unroll
    for (i32 i = 0; i < threadKeys; ++i) {
#pragma unroll
      for (i32 r = 0; r < rows; ++r)
        s[r] = isPlain ? score(products[r][i], r, key, firstKey() + i, seen)
                       : products[r][i];
      storeFloats(weightsOf(firstKey() + i), s);
    }
    if constexpr (!isPlain)
      applyRegions(key, seen);
#pragma unroll
    for (i32 i = 0; i < threadKeys; ++i) {
      loadFloats(s, weightsOf(firstKey() + i));
#pragma unroll
      for (i32 r = 0; r < rows; ++r)
        maximum[r] = fmaxf(maximum[r], s[r]);
    }
  }

  /// Products in shared memory become scores, one after the other: so a long
  /// region stands once, not for every row and key of a thread.
  SINTER_DEVICE void applyRegions(i32 key, bool seen) {
#pragma unroll 1
    for (i32 i = 0; i < threadKeys; ++i)
#pragma unroll(Spec::has_short_regions ? 4 : 1)
      for (i32 r = 0; r < rows; ++r) {
        float *at = reinterpret_cast<float *>(weightsOf(firstKey() + i)) + r;
        float product = loadShared<float>(at);
        storeShared(at, score(product, r, key, firstKey() + i, seen));
      }
  }

  SINTER_DEVICE void makeWeights(Rows &at) {
#pragma unroll
    for (i32 i = 0; i < threadKeys; ++i) {
      float w[rows];
      loadFloats(w, weightsOf(firstKey() + i));
#pragma unroll
      for (i32 r = 0; r < rows; ++r) {
        w[r] = attentionWeight(w[r], at.maximum[r]);
        at.sum[r] += w[r];
      }
      storeFloats(weightsOf(firstKey() + i), w);
    }
  }

  SINTER_DEVICE void rescale(Rows &at, const float (&maximum)[rows]) {
#pragma unroll
    for (i32 r = 0; r < rows; ++r) {
      float before = at.maximum[r];
      at.maximum[r] = fmaxf(before, maximum[r]);
      float scale = attentionWeight(before, at.maximum[r]);
      at.sum[r] *= scale;
#pragma unroll
      for (i32 j = 0; j < threadPacks; ++j)
#pragma unroll
        for (i32 c = 0; c < 4; ++c)
          at.mixture[r][j][c] *= scale;
    }
  }

  /// Where the weights of key `n` of a tile lie. Keys of neighbouring threads
  /// are neighbours, so that their writes take different banks.
  SINTER_DEVICE u8 *weightsOf(i32 n) {
    i32 place = n % threadKeys * keyThreads + n / threadKeys;
    return shared + (Numbers::weightsAt + place * rowStride + rowOf(0)) * 4;
  }
};

} // namespace sinter
