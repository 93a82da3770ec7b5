/*===- session_program.cuh - What the session's kernel is told --*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * C, too: the runtime of compiled models (lib/Target/Package/runtime) writes
 * what session.cuh reads. An address is a word.
 *===--------------------------------------------------------------------===*/

enum {
  SINTER_SESSION_WORDS = 120, /* launch slots of the kernel */
  SINTER_SESSION_THREADS = 256,

  /* Its steps. BEGIN and MORE run a program of records, BEGIN after it has
     cleared the status. The others take the words that stand below. */
  SINTER_STEP_BEGIN = 0,
  SINTER_STEP_MORE,
  SINTER_STEP_COPY_WORDS,
  SINTER_STEP_GROW_STATE,
  SINTER_STEP_COPY_STATE,
  SINTER_STEP_SET_EXTENTS,

  /* Records: an operation and its words. Checks stand before fills; the first
     that fails aborts the call with its number. `moved` positions are
     lengths[row], or `by` where lengths is 0. */
  SINTER_RECORD_END = 0,
  SINTER_CHECK_LENGTHS, /* number, lengths, rows, limit */
  SINTER_CHECK_ROOM, /* number, cursor (0: from 0), rows, room, lengths, by */
  SINTER_CHECK_POSITIONS, /* number, cursor, rows, limit, lengths, by */
  SINTER_CHECK_IDS,       /* number, ids, element bytes, rows, ids of a row, ids
                             of a position, lengths, limit */
  SINTER_CHECK_WORD,      /* number, address, value */
  SINTER_FILL_WORDS,      /* to, count, value */
  SINTER_FILL_CURSOR,     /* end, now, start (or 0), rows, lengths, by, whether
                             rows that do not move keep theirs, SINTER_MOVE_* */
  SINTER_MOVE_APPEND = 0, /* end = now + moved */
  SINTER_MOVE_SET,        /* end = moved */
  SINTER_MOVE_ZERO,       /* end = 0 */

  /* Words of COPY_WORDS. */
  SINTER_COPY_TO = 0,
  SINTER_COPY_FROM,
  SINTER_COPY_COUNT,

  /* Words of the steps on a tensor state: rows of `rank` extents each, of which
     the current ones lie at EXTENTS; what is written has those at WRITTEN. The
     state takes them over, unless there are idle rows (of length 0) or
     SINTER_STATE_KEEP is set: then it grows to the larger ones. */
  SINTER_STATE_BUFFER = 0,
  SINTER_STATE_SOURCE,
  SINTER_STATE_ROWS, /* of the state */
  SINTER_STATE_LENGTHS,
  SINTER_STATE_BYTES,   /* of an element: 1, 2, 4 or 8 */
  SINTER_STATE_EXTENTS, /* address of the current extents */
  SINTER_STATE_COUNT,   /* of current extents */
  SINTER_STATE_RANK,
  SINTER_STATE_KEEP,
  SINTER_STATE_FIRST, /* rows [first, last) are copied, */
  SINTER_STATE_LAST,
  SINTER_STATE_FROM_ROW, /* from this row of the source on */
  SINTER_STATE_SHAPE,    /* rank words: >= 0 a constant, else extent ~word */
  SINTER_STATE_WRITTEN = SINTER_STATE_SHAPE + 16
};
