/*===- cuda_state.inc.c - tensor states, forking a row -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * session.cuh does on the device what state.inc.c does on a processor.
 *===--------------------------------------------------------------------===*/

/* Elements that a thread copies, about. */
enum { SINTER_ELEMENTS_PER_THREAD = 4, SINTER_MOST_BLOCKS = 4096 };

/* The words of a state's steps; `written`: current extents of the source. */
static void sinter_state_words(const struct sinter_model *model,
                               const void *session, int64_t index,
                               const int64_t *written, int64_t *words) {
  const struct sinter_state *state = &model->states[index];
  int64_t rows = sinter_session_rows(model, session);
  memset(words, 0, 8 * SINTER_SESSION_WORDS);
  words[SINTER_STATE_BUFFER] =
      (int64_t)sinter_state_buffer(model, session, index);
  words[SINTER_STATE_ROWS] = words[SINTER_STATE_LAST] = rows;
  words[SINTER_STATE_BYTES] = state->key_bytes;
  words[SINTER_STATE_EXTENTS] =
      (int64_t)(sinter_extents_on_device(model, session) +
                8 * state->first_extent);
  words[SINTER_STATE_COUNT] = state->extent_count;
  words[SINTER_STATE_RANK] = state->rank;
  for (int64_t i = 0; i < state->rank; i++)
    words[SINTER_STATE_SHAPE + i] = state->shape[i];
  for (int64_t i = 0; i < state->extent_count; i++)
    words[SINTER_STATE_WRITTEN + i] = written[i];
}

/* Grows the state if it must, copies, and sets its extents. The blocks follow
   from the session's dimensions, so that they are the same in every call. */
static void sinter_write_state(struct sinter_stream *s, const int64_t *device,
                               const int64_t *words, int64_t elements,
                               const void *status) {
  int64_t share = SINTER_SESSION_THREADS * SINTER_ELEMENTS_PER_THREAD;
  int64_t blocks = elements / share + 1;
  if (blocks > SINTER_MOST_BLOCKS)
    blocks = SINTER_MOST_BLOCKS;
  if (words[SINTER_STATE_COUNT] > 0)
    sinter_launch_session(s, device, words, SINTER_STEP_GROW_STATE, status, 1);
  sinter_launch_session(s, device, words, SINTER_STEP_COPY_STATE, status,
                        blocks);
  if (words[SINTER_STATE_COUNT] > 0)
    sinter_launch_session(s, device, words, SINTER_STEP_SET_EXTENTS, status, 1);
}

static void sinter_move(void *context, char *to, const char *from,
                        int64_t bytes) {
  sinter_copy(context, to, from, bytes);
}

static void sinter_copy_tensor(struct sinter_stream *s, const int64_t *device,
                               int64_t index, void *to, int64_t to_row,
                               const void *from, int64_t from_row) {
  const struct sinter_state *state = &s->model->states[index];
  if (state->kind != SINTER_STATE_TENSOR)
    return;
  int64_t words[SINTER_SESSION_WORDS];
  const int64_t *extents = sinter_own_extents(s->model, from, state);
  int64_t *own = sinter_own_extents(s->model, to, state);
  sinter_state_words(s->model, to, index, extents, words);
  words[SINTER_STATE_SOURCE] =
      (int64_t)sinter_state_buffer(s->model, from, index);
  words[SINTER_STATE_KEEP] = 1;
  words[SINTER_STATE_FIRST] = to_row;
  words[SINTER_STATE_LAST] = to_row + 1;
  words[SINTER_STATE_FROM_ROW] = from_row;
  for (int64_t i = 0; i < state->extent_count; i++)
    if (own[i] < extents[i])
      own[i] = extents[i];
  sinter_write_state(s, device, words,
                     sinter_row_bytes(state, own) / state->key_bytes, 0);
}

static int32_t sinter_check_copy(struct sinter_stream *s, const void *device,
                                 void *to, int64_t to_row, void *from,
                                 int64_t from_row) {
  const struct sinter_model *model = s->model;
  if (!device)
    return sinter_device_fail(model, SINTER_DEVICE_COPY_NULL);
  if (!sinter_device_valid(model, device))
    return sinter_device_fail(model, SINTER_DEVICE_COPY_BAD);
  int32_t status = sinter_check_copy_rows(model, to, to_row, from, from_row);
  if (status != SINTER_OK)
    return status;
  sinter_refresh(s, to);
  sinter_refresh(s, from);
  for (int64_t c = 0; s->status == SINTER_OK && c < model->cursor_count; c++) {
    int64_t length = 0;
    sinter_download(s, &length,
                    sinter_session_cursor(model, from, c) + from_row, 8);
    if (length > sinter_session_capacity(model, to, c))
      return sinter_fail(model, SINTER_CHECK_COPY_FULL);
  }
  if (s->status != SINTER_OK)
    return s->status;
  return sinter_extents_fit(model, to, from)
             ? SINTER_OK
             : sinter_fail(model, SINTER_CHECK_COPY_FULL);
}

int32_t sinter_device_session_copy_row(const struct sinter_model *model,
                                       void *device, void *to, int64_t to_row,
                                       void *from, int64_t from_row,
                                       void *stream) {
  struct sinter_stream s = sinter_use_stream(model, stream);
  int32_t status = sinter_check_copy(&s, device, to, to_row, from, from_row);
  if (status != SINTER_OK || (to == from && to_row == from_row))
    return status;
  for (int64_t i = 0; i < model->state_count; i++)
    sinter_copy_tensor(&s, device, i, to, to_row, from, from_row);
  for (int64_t c = 0; c < model->cursor_count; c++) {
    int64_t *cursor = sinter_session_cursor(model, from, c) + from_row;
    int64_t length = 0;
    sinter_download(&s, &length, cursor, 8);
    sinter_copy_caches(model, &s, to, to_row, from, from_row, c, length);
    sinter_copy(&s, sinter_session_cursor(model, to, c) + to_row, cursor, 8);
  }
  return s.status;
}
