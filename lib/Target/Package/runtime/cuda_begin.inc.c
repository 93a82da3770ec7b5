/*===- cuda_begin.inc.c - the program of an entry's first kernel -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What check_memory.inc.c and enter.inc.c do with tensors and states on a
 * processor is told to the device here, in the same order.
 *===--------------------------------------------------------------------===*/

/* Whole records gather here; what is full is launched. */
struct sinter_program {
  struct sinter_stream *s;
  const int64_t *device;
  const void *status;
  int64_t step, count;
  int64_t words[SINTER_SESSION_WORDS];
};

static void sinter_flush(struct sinter_program *p) {
  for (int64_t i = p->count; i < SINTER_SESSION_WORDS; i++)
    p->words[i] = SINTER_RECORD_END;
  sinter_launch_session(p->s, p->device, p->words, p->step, p->status, 1);
  p->step = SINTER_STEP_MORE;
  p->count = 0;
}

static void sinter_add(struct sinter_program *p, const int64_t *record,
                       int64_t count) {
  if (p->count + count >= SINTER_SESSION_WORDS)
    sinter_flush(p);
  for (int64_t i = 0; i < count; i++)
    p->words[p->count++] = record[i];
}

#define SINTER_ADD(program, ...)                                               \
  do {                                                                         \
    const int64_t record[] = {__VA_ARGS__};                                    \
    sinter_add(program, record, sizeof record / sizeof record[0]);             \
  } while (0)

static int64_t sinter_number(const struct sinter_frame *frame, int64_t check) {
  return frame->entry->first_check + check;
}

static int64_t sinter_tensor_number(const struct sinter_frame *frame,
                                    int64_t tensor) {
  return sinter_number(
      frame, SINTER_ENTRY_CHECKS + SINTER_DIM_CHECKS * frame->entry->dim_count +
                 SINTER_TENSOR_CHECKS * tensor + SINTER_TENSOR_RANGE);
}

/* Where lengths are given, and what each row moves by where they are not. */
static int64_t sinter_lengths(const struct sinter_frame *frame,
                              int64_t lengths) {
  return lengths < 0 ? 0 : (int64_t)frame->tensors[lengths];
}

static int64_t sinter_moves_by(const struct sinter_frame *frame, int64_t by,
                               int64_t lengths) {
  return sinter_extent(lengths < 0 ? by : frame->entry->tensors[lengths].extent,
                       frame->dims);
}

static void sinter_add_lengths(struct sinter_program *p,
                               const struct sinter_frame *frame) {
  const struct sinter_entry *entry = frame->entry;
  for (int64_t i = 0; i < entry->tensor_count; i++) {
    const struct sinter_tensor *tensor = &entry->tensors[i];
    if (tensor->role == SINTER_ROLE_LENGTHS && frame->tensors[i])
      SINTER_ADD(p, SINTER_CHECK_LENGTHS, sinter_tensor_number(frame, i),
                 (int64_t)frame->tensors[i], sinter_count(frame, tensor, 0),
                 sinter_extent(tensor->extent, frame->dims));
  }
}

static void sinter_add_room(struct sinter_program *p,
                            const struct sinter_frame *frame) {
  const struct sinter_entry *entry = frame->entry;
  const struct sinter_model *model = frame->model;
  int64_t rows =
      frame->session ? sinter_session_rows(model, frame->session) : 0;
  for (int64_t i = 0; i < entry->cursor_use_count; i++) {
    const struct sinter_cursor_use *use = &entry->cursor_uses[i];
    int fills = use->kind == SINTER_CURSOR_FILL;
    int moves = fills || use->kind == SINTER_CURSOR_APPEND;
    SINTER_ADD(p, SINTER_CHECK_ROOM,
               sinter_number(frame, sinter_cursor_check(entry, i)),
               fills ? 0
                     : (int64_t)sinter_session_cursor(model, frame->session,
                                                      use->cursor),
               rows,
               sinter_session_capacity(model, frame->session, use->cursor),
               moves ? sinter_lengths(frame, use->lengths) : 0,
               moves ? sinter_moves_by(frame, use->by, use->lengths) : 0);
  }
  for (int64_t i = 0; i < entry->position_count; i++) {
    const struct sinter_position_check *check = &entry->positions[i];
    SINTER_ADD(
        p, SINTER_CHECK_POSITIONS,
        sinter_number(frame,
                      sinter_cursor_check(entry, entry->cursor_use_count + i)),
        (int64_t)sinter_session_cursor(model, frame->session, check->cursor),
        rows, check->limit, sinter_lengths(frame, check->lengths),
        sinter_extent(check->by, frame->dims));
  }
}

static void sinter_add_ids(struct sinter_program *p,
                           const struct sinter_frame *frame) {
  const struct sinter_entry *entry = frame->entry;
  for (int64_t i = 0; i < entry->tensor_count; i++) {
    const struct sinter_tensor *tensor = &entry->tensors[i];
    int64_t limit = sinter_id_limit(frame, tensor);
    if (tensor->role != SINTER_ROLE_INPUT || limit == INT64_MAX)
      continue;
    int64_t lengths = sinter_lengths(frame, tensor->lengths);
    int64_t rows = 1, stride = sinter_count(frame, tensor, 0), each = 1;
    if (lengths) {
      rows = sinter_extent(tensor->shape[0], frame->dims);
      stride = sinter_count(frame, tensor, 1);
      each = sinter_count(frame, tensor, 2);
    }
    SINTER_ADD(p, SINTER_CHECK_IDS, sinter_tensor_number(frame, i),
               (int64_t)frame->tensors[i], tensor->element_bytes, rows, stride,
               each, lengths, limit);
  }
}

/* The extents that the host computed with are those that the states have: a
   captured graph may run after another call has changed them. */
static void sinter_add_extents(struct sinter_program *p,
                               const struct sinter_frame *frame) {
  const struct sinter_entry *entry = frame->entry;
  int64_t check = sinter_cursor_check(entry, entry->cursor_use_count +
                                                 entry->position_count);
  for (int64_t i = 0; i < entry->extent_read_count; i++) {
    const struct sinter_extent_read *read = &entry->extent_reads[i];
    SINTER_ADD(
        p, SINTER_CHECK_WORD, sinter_number(frame, check + i),
        (int64_t)(sinter_extents_on_device(frame->model, frame->session) +
                  8 * read->extent),
        frame->dims[read->dim]);
  }
}

/* Lengths that the caller left out. Returns the end of their place. */
static char *sinter_add_filled_lengths(struct sinter_program *p,
                                       struct sinter_frame *frame) {
  char *at = frame->workspace + SINTER_DEVICE_RESERVED;
  for (int64_t i = 0; i < frame->entry->tensor_count; i++) {
    const struct sinter_tensor *tensor = &frame->entry->tensors[i];
    if (tensor->role != SINTER_ROLE_LENGTHS)
      continue;
    if (!frame->tensors[i]) {
      SINTER_ADD(p, SINTER_FILL_WORDS, (int64_t)at,
                 sinter_count(frame, tensor, 0),
                 sinter_extent(tensor->extent, frame->dims));
      frame->tensors[i] = at;
    }
    at += sinter_rows_bytes(frame, tensor);
  }
  return at;
}

/* Where each cursor starts and will end; `given` are lengths that the caller
   gave, for those that are filled may not be there yet. */
static void sinter_add_cursor(struct sinter_program *p,
                              struct sinter_frame *frame,
                              const struct sinter_cursor_use *use,
                              int64_t lengths, char *at) {
  int64_t rows = sinter_session_rows(frame->model, frame->session);
  int64_t **cursors = frame->cursors + 2 * use->cursor, *now = cursors[0];
  int64_t kind = SINTER_MOVE_ZERO;
  if (use->kind == SINTER_CURSOR_APPEND)
    kind = SINTER_MOVE_APPEND;
  cursors[1] = (int64_t *)at;
  if (use->kind == SINTER_CURSOR_FILL) {
    kind = SINTER_MOVE_SET;
    cursors[0] = (int64_t *)(at + sinter_align(8 * rows));
  }
  SINTER_ADD(p, SINTER_FILL_CURSOR, (int64_t)cursors[1], (int64_t)now,
             cursors[0] == now ? 0 : (int64_t)cursors[0], rows, lengths,
             sinter_moves_by(frame, use->by, use->lengths), use->lengths >= 0,
             kind);
}

static void sinter_point_at_cursors(struct sinter_frame *frame) {
  for (int64_t c = 0; frame->session && c < frame->model->cursor_count; c++)
    frame->cursors[2 * c] = frame->cursors[2 * c + 1] =
        sinter_session_cursor(frame->model, frame->session, c);
}

/* Launches the entry's first kernel and fills what the others are given. */
static void sinter_begin(struct sinter_stream *s, struct sinter_frame *frame,
                         const int64_t *device) {
  const struct sinter_entry *entry = frame->entry;
  struct sinter_program p = {
      .s = s, .device = device, .status = frame->workspace};
  p.step = SINTER_STEP_BEGIN;
  sinter_add_lengths(&p, frame);
  sinter_add_room(&p, frame);
  sinter_add_ids(&p, frame);
  sinter_add_extents(&p, frame);
  sinter_point_at_cursors(frame);
  /* Cursors before lengths: only these tell what the caller gave. */
  char *at = frame->workspace + SINTER_DEVICE_RESERVED;
  for (int64_t i = 0; i < entry->tensor_count; i++)
    if (entry->tensors[i].role == SINTER_ROLE_LENGTHS)
      at += sinter_rows_bytes(frame, &entry->tensors[i]);
  for (int64_t i = 0; i < entry->cursor_use_count; i++) {
    const struct sinter_cursor_use *use = &entry->cursor_uses[i];
    if (!sinter_moves(use))
      continue;
    int64_t stride =
        sinter_align(8 * sinter_session_rows(frame->model, frame->session));
    sinter_add_cursor(&p, frame, use, sinter_lengths(frame, use->lengths), at);
    at += stride * (use->kind == SINTER_CURSOR_FILL ? 2 : 1);
  }
  sinter_add_filled_lengths(&p, frame);
  sinter_flush(&p);
}
