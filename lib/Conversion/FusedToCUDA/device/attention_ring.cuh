//===- attention_ring.cuh - Operands on their way ---------------*- C++ -*-===//
//
// Queries, keys and values of a block of attention come into shared memory.
//
//===----------------------------------------------------------------------===//

namespace sinter {

/// Queries stay; keys and values come through a ring of stages: `depth` numbers
/// of all keys of a tile, or `span` keys' values. While one is worked on the
/// next ones are under way.
template <class Spec, class Schedule>
class AttentionRing : protected AttentionPlace<Spec, Schedule> {
protected:
  using Base = AttentionPlace<Spec, Schedule>;
  using Numbers = AttentionNumbers<Spec, Schedule>;

  using Base::after, Base::args, Base::blockRows, Base::end, Base::firstHead,
      Base::keys;
  using Base::nextTile, Base::p, Base::setRow, Base::valueFirst;
  using Numbers::depth, Numbers::keySize, Numbers::keyStages;
  using Numbers::keyStride, Numbers::rowStride, Numbers::span;
  using Numbers::stages, Numbers::valueStages, Numbers::valueStride;
  using typename Base::Arguments;

  /// A stage of a tile: the first stages hold keys, the others values.
  struct Position {
    i32 key, stage;
  };

  SINTER_DEVICE AttentionRing(const Arguments &args, Status *status, u8 *shared)
      : Base(args, status), shared(shared) {}

  /// Queries as [d][row].
  SINTER_DEVICE void loadQueries() {
    constexpr i32 lanes = Spec::Query::lanes >= 4 && keySize % 4 == 0 ? 4 : 1;
    if constexpr (keySize > 0) {
      if (lanes > 1 && Spec::Query::aligned(args))
        loadQueries<lanes>();
      else
        loadQueries<1>();
    }
  }
  template <i32 lanes> SINTER_DEVICE void loadQueries() {
    constexpr i32 perRow = keySize / lanes;
#pragma unroll 1
    for (i32 i = threadIndex(); i < blockRows * perRow; i += Spec::threads) {
      i32 row = i / perRow, d = i % perRow * lanes;
      setRow(row);
      p[DimD] = d;
      auto numbers = loadGlobal(reinterpret_cast<const Pack<float, lanes> *>(
          Spec::Query::at(args, p)));
#pragma unroll
      for (i32 j = 0; j < lanes; ++j)
        storeShared(
            reinterpret_cast<float *>(shared + (d + j) * rowStride * 4) + row,
            numbers.lane[j]);
    }
  }

  SINTER_DEVICE u8 *stageAt(i32 slot) {
    return shared + (Numbers::stagesAt + slot * Numbers::stageSize) * 4;
  }

  /// Waits for the stage in `slot` and sends for one more, which takes the
  /// place of the stage before.
  SINTER_DEVICE void advance(Position &ahead, i32 slot) {
    copyAsyncWait<stages - 2>();
    blockBarrier();
    fetch(ahead, slot == 0 ? stages - 1 : slot - 1);
  }

  /// Sends for the stage at `ahead` and moves on.
  SINTER_DEVICE void fetch(Position &ahead, i32 slot) {
    if (ahead.key < end) {
      if (ahead.stage < keyStages)
        fetchKeys(ahead.key, ahead.stage * depth, stageAt(slot));
      else if constexpr (valueStages > 0)
        fetchValues(ahead.key, (ahead.stage - keyStages) * span, stageAt(slot));
      if (++ahead.stage == keyStages + valueStages)
        ahead = {nextTile(after(ahead.key)), 0};
    }
    copyAsyncCommit();
  }

  SINTER_DEVICE void fetchKeys(i32 key, i32 d, u8 *stage) {
    constexpr bool fits = Numbers::hasPanels || keySize % 4 == 0;
    constexpr i32 lanes = Spec::Key::lanes >= 4 && fits ? 4 : 1;
    if (lanes > 1 && Spec::Key::aligned(args))
      fetchKeys<lanes>(key, d, stage);
    else
      fetchKeys<1>(key, d, stage);
  }
  template <i32 lanes>
  SINTER_DEVICE void fetchKeys(i32 key, i32 first, u8 *stage) {
    constexpr i32 keyLanes = Numbers::hasPanels ? lanes : 1;
    constexpr i32 sizeLanes = Numbers::hasPanels ? 1 : lanes;
    constexpr i32 keyPieces = keys / keyLanes;
    constexpr i32 sizePieces = depth / sizeLanes;
    p[DimH] = firstHead;
#pragma unroll 1 // What does not change would stay in registers.
    for (i32 i = threadIndex(); i < keyPieces * sizePieces;
         i += Spec::threads) {
      i32 n, d;
      if constexpr (Numbers::hasPanels) {
        // Panels of 16 keys: their d are neighbours.
        constexpr i32 panel = 16 / keyLanes;
        n = (i / (panel * depth) * panel + i % panel) * keyLanes;
        d = i / panel % depth;
      } else {
        n = i / sizePieces;
        d = i % sizePieces * sizeLanes;
      }
      bool valid = n < end - key && first + d < keySize;
      p[DimK] = valid ? key + n : 0;
      p[DimD] = valid ? first + d : 0;
      i32 to = Numbers::hasPanels ? d * keyStride + n : n * keyStride + d;
      copyAsync<lanes * 4>(stage + to * 4, Spec::Key::at(args, p), valid);
    }
  }

  SINTER_DEVICE void fetchValues(i32 key, i32 first, u8 *stage) {
    constexpr bool fits = Spec::value_size % 4 == 0;
    constexpr i32 lanes = Spec::Value::lanes >= 4 && fits ? 4 : 1;
    if (lanes > 1 && Spec::Value::aligned(args))
      fetchValues<lanes>(key, first, stage);
    else
      fetchValues<1>(key, first, stage);
  }
  template <i32 lanes>
  SINTER_DEVICE void fetchValues(i32 key, i32 first, u8 *stage) {
    constexpr i32 pieces = valueStride / lanes;
    p[DimH] = firstHead;
#pragma unroll 1
    for (i32 i = threadIndex(); i < span * pieces; i += Spec::threads) {
      i32 n = i / pieces, e = i % pieces * lanes;
      bool valid = first + n < end - key && valueFirst + e < Spec::value_size;
      p[DimK] = valid ? key + first + n : 0;
      p[DimE] = valid ? valueFirst + e : 0;
      copyAsync<lanes * 4>(stage + (n * valueStride + e) * 4,
                           Spec::Value::at(args, p), valid);
    }
  }

  u8 *shared;
};

} // namespace sinter
