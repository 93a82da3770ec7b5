//===- session.cuh - The start and the end of an entry ----------*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a processor does before and after its kernels stands in device memory
// here: ids, lengths and cursors are checked, filled and moved by one kernel,
// which session_program.cuh tells what to do. It serves every model.
//
//===----------------------------------------------------------------------===//

namespace sinter {

struct SessionSpec {
  static constexpr int threads = SINTER_SESSION_THREADS;
  static constexpr int blocks_per_sm = 1;
  using Arguments = sinter::Arguments<SINTER_SESSION_WORDS>;
};

namespace session {

using Words = SessionSpec::Arguments;

template <class T> SINTER_DEVICE T *pointer(i64 address) {
  return reinterpret_cast<T *>(address);
}

SINTER_DEVICE i64 moved(i64 lengths, i64 by, i64 row) {
  return lengths ? loadGlobal(pointer<const i64>(lengths) + row) : by;
}

/// Words of a record, its operation included.
SINTER_DEVICE int sizeOf(i64 operation) {
  switch (operation) {
  case SINTER_CHECK_LENGTHS:
    return 5;
  case SINTER_CHECK_ROOM:
  case SINTER_CHECK_POSITIONS:
    return 7;
  case SINTER_CHECK_IDS:
    return 9;
  case SINTER_CHECK_WORD:
  case SINTER_FILL_WORDS:
    return 4;
  default: // SINTER_FILL_CURSOR
    return 9;
  }
}

//===----------------------------------------------------------------------===//
// Checks: each thread looks at its part and says whether that is wrong
//===----------------------------------------------------------------------===//

SINTER_DEVICE bool badLengths(const Words &words, int at) {
  bool bad = false;
  for (i64 row = threadIndex(); row < words.slot[at + 3];
       row += threadCount()) {
    i64 length = loadGlobal(pointer<const i64>(words.slot[at + 2]) + row);
    bad |= length < 0 || length > words.slot[at + 4];
  }
  return bad;
}

SINTER_DEVICE bool noRoom(const Words &words, int at) {
  bool bad = false;
  for (i64 row = threadIndex(); row < words.slot[at + 3];
       row += threadCount()) {
    i64 cursor = words.slot[at + 2], room = words.slot[at + 4];
    i64 start = cursor ? loadGlobal(pointer<const i64>(cursor) + row) : 0;
    bad |= start < 0 || start > room ||
           moved(words.slot[at + 5], words.slot[at + 6], row) > room - start;
  }
  return bad;
}

SINTER_DEVICE bool badPositions(const Words &words, int at) {
  bool bad = false;
  for (i64 row = threadIndex(); row < words.slot[at + 3];
       row += threadCount()) {
    i64 count = moved(words.slot[at + 5], words.slot[at + 6], row);
    bad |= count > 0 &&
           count > words.slot[at + 4] -
                       loadGlobal(pointer<const i64>(words.slot[at + 2]) + row);
  }
  return bad;
}

/// Ids past a row's length are not read; a length that is wrong itself is told
/// by its own check.
SINTER_DEVICE bool badIds(const Words &words, int at) {
  i64 ids = words.slot[at + 2], perRow = words.slot[at + 5];
  u64 limit = words.slot[at + 8];
  bool wide = words.slot[at + 3] == 8, bad = false;
  for (i64 row = 0; row < words.slot[at + 4]; ++row) {
    i64 count = perRow;
    if (words.slot[at + 7]) {
      count = moved(words.slot[at + 7], 0, row) * words.slot[at + 6];
      count = count < 0 ? 0 : count > perRow ? perRow : count;
    }
    for (i64 i = threadIndex(); i < count; i += threadCount()) {
      i64 index = row * perRow + i;
      i64 id = wide ? loadGlobal(pointer<const i64>(ids) + index)
                    : loadGlobal(pointer<const i32>(ids) + index);
      bad |= static_cast<u64>(id) >= limit;
    }
  }
  return bad;
}

SINTER_DEVICE bool fails(const Words &words, int at) {
  switch (words.slot[at]) {
  case SINTER_CHECK_LENGTHS:
    return badLengths(words, at);
  case SINTER_CHECK_ROOM:
    return noRoom(words, at);
  case SINTER_CHECK_POSITIONS:
    return badPositions(words, at);
  case SINTER_CHECK_IDS:
    return badIds(words, at);
  case SINTER_CHECK_WORD:
    return loadGlobal(pointer<const i64>(words.slot[at + 2])) !=
           words.slot[at + 3];
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// Fills
//===----------------------------------------------------------------------===//

SINTER_DEVICE void fillCursor(const Words &words, int at) {
  for (i64 row = threadIndex(); row < words.slot[at + 4];
       row += threadCount()) {
    i64 now = loadGlobal(pointer<const i64>(words.slot[at + 2]) + row);
    i64 count = moved(words.slot[at + 5], words.slot[at + 6], row), end = 0;
    if (words.slot[at + 7] && count == 0)
      end = now;
    else if (words.slot[at + 8] == SINTER_MOVE_APPEND)
      end = now + count;
    else if (words.slot[at + 8] == SINTER_MOVE_SET)
      end = count;
    storeGlobal(pointer<i64>(words.slot[at + 1]) + row, end);
    if (words.slot[at + 3])
      storeGlobal(pointer<i64>(words.slot[at + 3]) + row, i64(0));
  }
}

SINTER_DEVICE void fill(const Words &words, int at) {
  if (words.slot[at] == SINTER_FILL_CURSOR)
    fillCursor(words, at);
  if (words.slot[at] == SINTER_FILL_WORDS)
    for (i64 i = threadIndex(); i < words.slot[at + 2]; i += threadCount())
      storeGlobal(pointer<i64>(words.slot[at + 1]) + i, words.slot[at + 3]);
}

/// One block. `abort` holds the place of the first failed check until all
/// threads are done, then its number; the smaller a place the larger the word.
SINTER_DEVICE void runProgram(const Words &words, i64 step, Status *status) {
  if (step == SINTER_STEP_BEGIN) {
    if (threadIndex() == 0) {
      storeRelaxed(&status->abort, 0);
      storeRelaxed(&status->notice, 0);
    }
    blockBarrier();
  } else {
    const i32 before = loadRelaxed(&status->abort);
    // What a check of this launch finds must not end the threads behind.
    blockBarrier();
    if (before)
      return;
  }
  for (int at = 0; words.slot[at] != SINTER_RECORD_END;
       at += sizeOf(words.slot[at]))
    if (fails(words, at))
      atomicMaxRelaxed(&status->abort, SINTER_SESSION_WORDS - at);
  blockBarrier();
  const i32 found = loadRelaxed(&status->abort);
  blockBarrier();
  if (found) {
    if (threadIndex() == 0)
      storeRelaxed(
          &status->abort,
          static_cast<i32>(words.slot[SINTER_SESSION_WORDS - found + 1]));
    return;
  }
  for (int at = 0; words.slot[at] != SINTER_RECORD_END;
       at += sizeOf(words.slot[at]))
    fill(words, at);
}

//===----------------------------------------------------------------------===//
// Tensor states
//===----------------------------------------------------------------------===//

/// Extents of a state, as a function of its own current ones.
struct Extents {
  const Words &words;
  bool current; ///< What lies at EXTENTS, else
  bool largest; ///< the larger of both, else what is written.

  SINTER_DEVICE i64 own(i64 i) const {
    i64 written = words.slot[SINTER_STATE_WRITTEN + i];
    if (!current && !largest)
      return written;
    i64 now =
        loadGlobal(pointer<const i64>(words.slot[SINTER_STATE_EXTENTS]) + i);
    return largest && written > now ? written : now;
  }
  SINTER_DEVICE i64 at(i64 i) const {
    i64 extent = words.slot[SINTER_STATE_SHAPE + i];
    return extent >= 0 ? extent : own(~extent);
  }
  SINTER_DEVICE i64 count() const {
    i64 count = 1;
    for (i64 i = 0; i < words.slot[SINTER_STATE_RANK]; ++i)
      count *= at(i);
    return count;
  }
};

SINTER_DEVICE bool isIdle(const Words &words, i64 row) {
  i64 lengths = words.slot[SINTER_STATE_LENGTHS];
  return lengths && loadGlobal(pointer<const i64>(lengths) + row) == 0;
}

/// Whether rows stay that this call does not write.
SINTER_DEVICE bool keepsRows(const Words &words) {
  if (words.slot[SINTER_STATE_KEEP])
    return true;
  bool any = false;
  for (i64 row = 0; row < words.slot[SINTER_STATE_ROWS]; ++row)
    any |= isIdle(words, row);
  return any;
}

/// The place in a row of extents `from` of place `at` in a row of extents `to`;
/// -1: there is none.
SINTER_DEVICE i64 samePlace(const Words &words, i64 at, const Extents &to,
                            const Extents &from) {
  i64 place = 0, stride = 1;
  for (i64 i = words.slot[SINTER_STATE_RANK] - 1; i >= 0; --i) {
    i64 extent = to.at(i), limit = from.at(i), index = at % extent;
    if (index >= limit)
      return -1;
    place += index * stride;
    stride *= limit;
    at /= extent;
  }
  return place;
}

SINTER_DEVICE u64 readElement(i64 address, i64 index, i64 bytes) {
  switch (bytes) {
  case 1:
    return loadGlobal(pointer<const u8>(address) + index);
  case 2:
    return loadGlobal(pointer<const u16>(address) + index);
  case 4:
    return loadGlobal(pointer<const u32>(address) + index);
  default:
    return loadGlobal(pointer<const u64>(address) + index);
  }
}

SINTER_DEVICE void writeElement(i64 address, i64 index, i64 bytes, u64 value) {
  switch (bytes) {
  case 1:
    return storeGlobal(pointer<u8>(address) + index, static_cast<u8>(value));
  case 2:
    return storeGlobal(pointer<u16>(address) + index, static_cast<u16>(value));
  case 4:
    return storeGlobal(pointer<u32>(address) + index, static_cast<u32>(value));
  default:
    return storeGlobal(pointer<u64>(address) + index, value);
  }
}

/// One block: rows move to their places under larger extents, in their own
/// memory. Every place lies at or behind the one that it is copied from, so the
/// last ones go first, and a block's worth is read before it is written.
SINTER_DEVICE void growState(const Words &words) {
  const Extents now{words, true, false}, grown{words, false, true};
  if (!keepsRows(words))
    return;
  const i64 size = grown.count(), old = now.count();
  const i64 bytes = words.slot[SINTER_STATE_BYTES];
  const i64 buffer = words.slot[SINTER_STATE_BUFFER];
  if (size != old)
    for (i64 end = words.slot[SINTER_STATE_ROWS] * size; end > 0;
         end -= threadCount()) {
      const i64 index = end - 1 - threadIndex();
      u64 value = 0;
      if (index >= 0) {
        i64 place = samePlace(words, index % size, grown, now);
        if (place >= 0)
          value = readElement(buffer, index / size * old + place, bytes);
      }
      blockBarrier();
      if (index >= 0)
        writeElement(buffer, index, bytes, value);
      blockBarrier();
    }
  blockBarrier();
  if (threadIndex() != 0)
    return;
  for (i64 i = 0; i < words.slot[SINTER_STATE_COUNT]; ++i)
    storeGlobal(pointer<i64>(words.slot[SINTER_STATE_EXTENTS]) + i,
                grown.own(i));
}

/// Many blocks.
SINTER_DEVICE void copyState(const Words &words) {
  const Extents written{words, false, false}, now{words, true, false};
  const bool keeps = words.slot[SINTER_STATE_COUNT] && keepsRows(words);
  const i64 size = keeps ? now.count() : written.count();
  const i64 old = written.count();
  const i64 bytes = words.slot[SINTER_STATE_BYTES];
  const i64 first = words.slot[SINTER_STATE_FIRST];
  const i64 total = (words.slot[SINTER_STATE_LAST] - first) * size;
  for (i64 i = i64(blockIndex()) * threadCount() + threadIndex(); i < total;
       i += i64(blockCount()) * threadCount()) {
    const i64 row = i / size, at = i - row * size;
    if (isIdle(words, first + row))
      continue;
    const i64 place = keeps ? samePlace(words, at, now, written) : at;
    const i64 from = words.slot[SINTER_STATE_FROM_ROW] + row;
    writeElement(words.slot[SINTER_STATE_BUFFER], first * size + i, bytes,
                 place < 0 ? 0
                           : readElement(words.slot[SINTER_STATE_SOURCE],
                                         from * old + place, bytes));
  }
}

SINTER_DEVICE void setExtents(const Words &words) {
  if (!keepsRows(words) && threadIndex() < words.slot[SINTER_STATE_COUNT])
    storeGlobal(pointer<i64>(words.slot[SINTER_STATE_EXTENTS]) + threadIndex(),
                words.slot[SINTER_STATE_WRITTEN + threadIndex()]);
}

} // namespace session

/// The kernel; without a status nothing can have aborted.
template <class Spec>
SINTER_DEVICE void session_step(const typename Spec::Arguments &words, i64 step,
                                Status *status, u8 *) {
  if (step == SINTER_STEP_BEGIN || step == SINTER_STEP_MORE)
    return session::runProgram(words, step, status);
  if (status && loadRelaxed(&status->abort))
    return;
  if (step == SINTER_STEP_COPY_WORDS)
    for (i64 i = threadIndex(); i < words.slot[SINTER_COPY_COUNT];
         i += threadCount())
      storeGlobal(
          session::pointer<i64>(words.slot[SINTER_COPY_TO]) + i,
          loadGlobal(session::pointer<const i64>(words.slot[SINTER_COPY_FROM]) +
                     i));
  else if (step == SINTER_STEP_GROW_STATE)
    session::growState(words);
  else if (step == SINTER_STEP_COPY_STATE)
    session::copyState(words);
  else if (step == SINTER_STEP_SET_EXTENTS)
    session::setExtents(words);
}

} // namespace sinter
