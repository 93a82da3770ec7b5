/*===- session.inc.c - one block of caller's memory per session -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Words (magic, model hash, bytes, dimensions, current extents), one array of
 * int64 per cursor, then the states' buffers; each part a multiple of 64 bytes.
 * No pointers.
 *===--------------------------------------------------------------------===*/

static const int64_t *sinter_session_dims(const void *session) {
  return (const int64_t *)session + SINTER_SESSION_DIMS_WORD;
}

static int64_t *sinter_session_extents(const struct sinter_model *model,
                                       const void *session) {
  return (int64_t *)session + SINTER_SESSION_DIMS_WORD +
         model->session_dim_count;
}

static int64_t sinter_session_rows(const struct sinter_model *model,
                                   const void *session) {
  return sinter_extent(model->rows, sinter_session_dims(session));
}

static int64_t sinter_session_capacity(const struct sinter_model *model,
                                       const void *session, int64_t cursor) {
  return sinter_extent(model->capacities[cursor], sinter_session_dims(session));
}

static int64_t sinter_session_header(const struct sinter_model *model) {
  return sinter_align(8 * (SINTER_SESSION_DIMS_WORD + model->session_dim_count +
                           model->extent_count));
}

static int64_t *sinter_session_cursor(const struct sinter_model *model,
                                      const void *session, int64_t cursor) {
  int64_t stride = sinter_align(8 * sinter_session_rows(model, session));
  return (int64_t *)((char *)session + sinter_session_header(model) +
                     cursor * stride);
}

/* Writes the address of every buffer of the states. */
static void sinter_session_states(const struct sinter_model *model,
                                  const void *session, char **states) {
  char *at = (char *)sinter_session_cursor(model, session, model->cursor_count);
  const int64_t *program = model->state_bytes;
  for (int64_t i = 0; i < model->state_slot_count; i++) {
    int64_t bytes;
    states[i] = at;
    program = sinter_evaluate(program, sinter_session_dims(session), &bytes);
    at += bytes;
  }
}

/* First session dimension out of range, or -1. */
static int64_t sinter_session_bad_dim(const struct sinter_model *model,
                                      const int64_t *dims) {
  for (int64_t i = 0; i < model->session_dim_count; i++)
    if (dims[i] < model->session_dims[i].lower ||
        dims[i] > model->session_dims[i].upper)
      return i;
  return -1;
}

/* Bytes for dimensions in range; 0 on overflow. */
static int64_t sinter_session_bytes(const struct sinter_model *model,
                                    const int64_t *dims) {
  int64_t rows = sinter_extent(model->rows, dims), cursors, bytes;
  int64_t total = sinter_session_header(model);
  if (rows > INT64_MAX / 16 ||
      __builtin_mul_overflow(sinter_align(8 * rows), model->cursor_count,
                             &cursors))
    return 0;
  sinter_accumulate(&total, cursors);
  const int64_t *program = model->state_bytes;
  for (int64_t i = 0; i < model->state_slot_count; i++) {
    program = sinter_evaluate(program, dims, &bytes);
    sinter_accumulate(&total, bytes);
  }
  return total < 0 ? 0 : total;
}

static int sinter_session_valid(const struct sinter_model *model,
                                const void *session) {
  const int64_t *words = session;
  return !sinter_misaligned(session, SINTER_ALIGNMENT) &&
         words[SINTER_SESSION_MAGIC_WORD] == SINTER_SESSION_MAGIC &&
         words[SINTER_SESSION_HASH_WORD] == model->hash;
}

int64_t sinter_session_size(const struct sinter_model *model,
                            const int64_t *dims) {
  return sinter_session_bad_dim(model, dims) < 0
             ? sinter_session_bytes(model, dims)
             : 0;
}

/* An extent of a tensor state whose own current extents are `extents`. */
static int64_t sinter_state_extent(const struct sinter_state *state, int64_t i,
                                   const int64_t *extents) {
  return sinter_extent(state->shape[i], extents);
}

/* Bytes of a row of a tensor state. */
static int64_t sinter_row_bytes(const struct sinter_state *state,
                                const int64_t *extents) {
  int64_t bytes = state->key_bytes;
  for (int64_t i = 0; i < state->rank; i++)
    bytes *= sinter_state_extent(state, i, extents);
  return bytes;
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
  if (!memory)
    return sinter_fail(model, SINTER_CHECK_INIT_MEMORY_NULL);
  if (!session)
    return sinter_fail(model, SINTER_CHECK_INIT_OUT_NULL);
  int64_t bad = sinter_session_bad_dim(model, dims);
  if (bad >= 0)
    return sinter_fail(model, SINTER_MODEL_CHECKS + bad);
  if (sinter_misaligned(memory, SINTER_ALIGNMENT))
    return sinter_fail(model, SINTER_CHECK_INIT_MEMORY_ALIGN);
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

/* Words and cursors as a session of this model could have left them. */
static int sinter_session_plausible(const struct sinter_model *model,
                                    const void *memory) {
  const int64_t *words = memory, *dims = sinter_session_dims(memory);
  if (!sinter_session_valid(model, memory) ||
      sinter_session_bad_dim(model, dims) >= 0)
    return 0;
  int64_t bytes = sinter_session_bytes(model, dims);
  return bytes != 0 && words[SINTER_SESSION_BYTES_WORD] == bytes;
}

int32_t sinter_session_restore(const struct sinter_model *model, void *memory,
                               int64_t size, void **session) {
  if (!memory)
    return sinter_fail(model, SINTER_CHECK_RESTORE_MEMORY_NULL);
  if (!session)
    return sinter_fail(model, SINTER_CHECK_RESTORE_OUT_NULL);
  if (sinter_misaligned(memory, SINTER_ALIGNMENT))
    return sinter_fail(model, SINTER_CHECK_RESTORE_MEMORY_ALIGN);
  if ((uint64_t)size < (uint64_t)sinter_session_header(model))
    return sinter_fail(model, SINTER_CHECK_RESTORE_SIZE);
  if (!sinter_session_plausible(model, memory))
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
