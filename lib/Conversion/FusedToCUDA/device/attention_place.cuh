//===- attention_place.cuh - Rows and keys of a block -----------*- C++ -*-===//
//
// Which rows a block of attention works on, and which keys these may see.
//
//===----------------------------------------------------------------------===//

namespace sinter {

/// Where a block stands. Tiles of keys start at multiples of their size.
template <class Spec, class Schedule>
class AttentionPlace : protected AttentionNumbers<Spec, Schedule> {
protected:
  using Numbers = AttentionNumbers<Spec, Schedule>;
  using Arguments = typename Spec::Arguments;
  using Point = typename Spec::Point;

  using Numbers::blockRows, Numbers::columns, Numbers::heads, Numbers::keys;
  using Numbers::rows;

  SINTER_DEVICE AttentionPlace(const Arguments &args, Status *status)
      : args(args), status(status) {}

  /// Tiles of one batch row and head lie side by side, last rows first: with a
  /// causal mask these take the longest.
  SINTER_DEVICE void place(i64 task) {
    const Point extents = Spec::extents(args);
    Indices<4> space{{extents[DimB], extents[DimH] / heads,
                      ceilDivide(extents[DimQ] * heads, blockRows),
                      Numbers::valueTiles}};
    Indices<4> index;
    splitIndex<4>(task, space, index);
    valueFirst = static_cast<i32>(index[3]) * Numbers::tileColumns;
    firstRow = (space[2] - 1 - index[2]) * blockRows;
    firstHead = static_cast<i32>(index[1]) * heads;
    p = {};
    p[DimB] = index[0];
    p[DimH] = firstHead;
    p[DimQ] = firstRow / heads;
    shift = Spec::offset(args, p);
    end = static_cast<i32>(smaller(extents[DimK], Spec::key_limit(args, p)));
    i64 left = smaller(extents[DimQ], Spec::row_limit(args, p)) * heads;
    count = static_cast<i32>(smaller(blockRows, left - firstRow));
    group = threadIndex() / columns;
    column = threadIndex() % columns;
  }

  static SINTER_DEVICE i64 smaller(i64 a, i64 b) { return a < b ? a : b; }

  /// Sets the point to a row of the block; those past the end repeat the last.
  SINTER_DEVICE void setRow(i32 row) {
    i64 number = firstRow + (row < count ? row : count - 1);
    p[DimH] = heads == 1 ? firstHead : firstHead + number % heads;
    p[DimQ] = number / heads;
  }
  SINTER_DEVICE i32 rowOf(i32 i) const { return group * rows + i; }

  /// The keys that some row of the block may see.
  SINTER_DEVICE void findKeys() {
    begin = 0, fullBegin = 0, fullEnd = end;
    if constexpr (Spec::has_mask) {
      if (end <= 0)
        return;
      setRow(0);
      firstQuery = p[DimQ] + shift;
      setRow(count - 1);
      lastQuery = p[DimQ] + shift;
      p[DimH] = firstHead;
      auto range = [&] {
        if constexpr (heads == 1)
          return Spec::key_range(args, status, p, firstQuery, lastQuery + 1, 0,
                                 end);
        else
          return Spec::heads_key_range(args, status, p, firstQuery,
                                       lastQuery + 1, 0, end);
      }();
      begin = static_cast<i32>(range.v0) / keys * keys;
      end = static_cast<i32>(range.v1);
      fullBegin = static_cast<i32>(range.v2);
      fullEnd = static_cast<i32>(range.v3);
    }
  }

  /// Keys from `key` on are counted from there, so that no sum is beyond 2^31.
  SINTER_DEVICE i32 after(i32 key) const {
    return end - key > keys ? key + keys : end;
  }

  /// Whether some row may see some key of the tile (v0) and every row sees all
  /// that lie before the end (v1).
  SINTER_DEVICE auto tileState(i32 key) {
    setRow(0);
    p[DimH] = firstHead;
    if constexpr (heads == 1)
      return Spec::tile_state(args, status, p, firstQuery, lastQuery + 1, key,
                              after(key));
    else
      return Spec::heads_tile_state(args, status, p, firstQuery, lastQuery + 1,
                                    key, after(key));
  }

  /// The first tile from `key` on that some row may see.
  SINTER_DEVICE i32 nextTile(i32 key) {
    if constexpr (Spec::has_mask && !Spec::range_is_exact)
      while (key < end && !tileState(key).v0)
        key = after(key);
    return key;
  }

  /// Whether every row sees every key of the tile.
  SINTER_DEVICE bool isFull(i32 key) {
    if (end - key < keys)
      return false;
    if (key >= fullBegin && fullEnd - key >= keys)
      return true;
    if constexpr (Spec::has_mask && !Spec::range_is_exact)
      return tileState(key).v1;
    return false;
  }

  const Arguments &args;
  Status *status;
  /// Of the dimensions; set to what is read or asked next.
  Point p;
  /// The block's first row among those of its heads, and the place of query 0
  /// among the keys.
  i64 firstRow, shift;
  /// The number of the block's rows, its first head and column of values.
  i32 count, firstHead, valueFirst;
  /// Keys that some row may see, and that every row sees: an entry refuses
  /// dimensions beyond 31 bits.
  i32 begin, end, fullBegin, fullEnd;
  /// Absolute places of the first and last query.
  i64 firstQuery, lastQuery;
  /// The thread's place.
  i32 group, column;
};

} // namespace sinter
