/*===- session.inc.c - one block of caller's memory per session -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===--------------------------------------------------------------------===*/

static int sinter_session_valid(const struct sinter_model *model,
                                const void *session) {
  return sinter_session_matches(model, session, SINTER_SESSION_MAGIC);
}

static char *sinter_session_memory(const struct sinter_model *model,
                                   const void *session) {
  (void)model;
  return (char *)session;
}

/* Empties rows [first, last): cursors and tensor states become zero, and so do
   the extents if these are all rows. */
static void sinter_session_clear(const struct sinter_model *model,
                                 void *session, int64_t first, int64_t last) {
  int64_t *extents = sinter_session_extents(model, session);
  if (last - first == sinter_session_rows(model, session))
    memset(extents, 0, 8 * (size_t)model->extent_count);
  for (int64_t c = 0; c < model->cursor_count; c++)
    memset(sinter_session_cursor(model, session, c) + first, 0,
           8 * (size_t)(last - first));
  char *at = (char *)sinter_session_cursor(model, session, model->cursor_count);
  const int64_t *program = model->state_bytes;
  for (int64_t i = 0; i < model->state_count; i++) {
    const struct sinter_state *state = &model->states[i];
    int64_t bytes;
    program = sinter_evaluate(program, sinter_session_dims(session), &bytes);
    if (state->kind == SINTER_STATE_TENSOR) {
      int64_t row = sinter_row_bytes(state, extents + state->first_extent);
      memset(at + first * row, 0, (size_t)((last - first) * row));
    }
    at += bytes;
    if (state->kind == SINTER_STATE_CACHE) {
      program = sinter_evaluate(program, sinter_session_dims(session), &bytes);
      at += bytes;
    }
  }
}

int32_t sinter_session_init(const struct sinter_model *model, void *memory,
                            int64_t size, const int64_t *dims, void **session) {
  int32_t status = sinter_check_init_memory(model, memory, dims, session);
  if (status != SINTER_OK)
    return status;
  int64_t bytes = sinter_session_bytes(model, dims);
  if (bytes == 0 || (uint64_t)size < (uint64_t)bytes)
    return sinter_fail(model, SINTER_CHECK_INIT_SIZE);
  int64_t *words = memory;
  memset(memory, 0, (size_t)sinter_session_header(model));
  words[SINTER_SESSION_MAGIC_WORD] = SINTER_SESSION_MAGIC;
  words[SINTER_SESSION_HASH_WORD] = model->hash;
  words[SINTER_SESSION_BYTES_WORD] = bytes;
  for (int64_t i = 0; i < model->session_dim_count; i++)
    words[SINTER_SESSION_DIMS_WORD + i] = dims[i];
  sinter_session_clear(model, memory, 0, sinter_session_rows(model, memory));
  *session = memory;
  return SINTER_OK;
}

int32_t sinter_session_restore(const struct sinter_model *model, void *memory,
                               int64_t size, void **session) {
  int32_t status = sinter_check_restore_memory(model, memory, session);
  if (status != SINTER_OK)
    return status;
  if ((uint64_t)size < (uint64_t)sinter_session_header(model))
    return sinter_fail(model, SINTER_CHECK_RESTORE_SIZE);
  if (!sinter_session_plausible(model, memory, SINTER_SESSION_MAGIC))
    return sinter_fail(model, SINTER_CHECK_RESTORE_CONTENT);
  const int64_t *words = memory;
  if ((uint64_t)size < (uint64_t)words[SINTER_SESSION_BYTES_WORD])
    return sinter_fail(model, SINTER_CHECK_RESTORE_SIZE);
  int64_t rows = sinter_session_rows(model, memory);
  for (int64_t c = 0; c < model->cursor_count; c++) {
    const int64_t *cursor = sinter_session_cursor(model, memory, c);
    int64_t capacity = sinter_session_capacity(model, memory, c);
    for (int64_t row = 0; row < rows; row++)
      if (cursor[row] < 0 || cursor[row] > capacity)
        return sinter_fail(model, SINTER_CHECK_RESTORE_CONTENT);
  }
  const int64_t *extents = sinter_session_extents(model, memory);
  for (int64_t i = 0; i < model->extent_count; i++)
    if (extents[i] < 0 ||
        extents[i] > sinter_session_dims(memory)[model->extents[i]])
      return sinter_fail(model, SINTER_CHECK_RESTORE_CONTENT);
  *session = memory;
  return SINTER_OK;
}

int64_t sinter_session_length(const struct sinter_model *model,
                              const void *session, int64_t cursor,
                              int64_t row) {
  if (!session)
    return sinter_fail(model, SINTER_CHECK_LENGTH_SESSION_NULL);
  if (!sinter_session_valid(model, session))
    return sinter_fail(model, SINTER_CHECK_LENGTH_SESSION_BAD);
  if (row < 0 || row >= sinter_session_rows(model, session))
    return sinter_fail(model, SINTER_CHECK_LENGTH_ROW);
  return sinter_session_cursor(model, session, cursor)[row];
}

int32_t sinter_session_truncate(const struct sinter_model *model, void *session,
                                int64_t cursor, int64_t row, int64_t length) {
  if (!session)
    return sinter_fail(model, SINTER_CHECK_TRUNCATE_SESSION_NULL);
  if (!sinter_session_valid(model, session))
    return sinter_fail(model, SINTER_CHECK_TRUNCATE_SESSION_BAD);
  int64_t rows = sinter_session_rows(model, session);
  if (row < -1 || row >= rows)
    return sinter_fail(model, SINTER_CHECK_TRUNCATE_ROW);
  int64_t first = row < 0 ? 0 : row, last = row < 0 ? rows : row + 1;
  int64_t *lengths = sinter_session_cursor(model, session, cursor);
  for (int64_t i = first; i < last; i++)
    if (length < 0 || length > lengths[i])
      return sinter_fail(model, SINTER_CHECK_TRUNCATE_LENGTH);
  for (int64_t i = first; i < last; i++)
    lengths[i] = length;
  return SINTER_OK;
}

int32_t sinter_session_reset(const struct sinter_model *model, void *session,
                             int64_t row) {
  if (!session)
    return sinter_fail(model, SINTER_CHECK_RESET_SESSION_NULL);
  if (!sinter_session_valid(model, session))
    return sinter_fail(model, SINTER_CHECK_RESET_SESSION_BAD);
  int64_t rows = sinter_session_rows(model, session);
  if (row < -1 || row >= rows)
    return sinter_fail(model, SINTER_CHECK_RESET_ROW);
  sinter_session_clear(model, session, row < 0 ? 0 : row,
                       row < 0 ? rows : row + 1);
  return SINTER_OK;
}
