/*===- session_layout.inc.c - where things lie in a session -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Words (magic, model hash, bytes, dimensions, current extents), one array of
 * int64 per cursor, then the states' buffers; each part a multiple of 64 bytes.
 * No pointers. A target says where the words that its functions are given are,
 * which sessions are valid, and where all of it lies: sinter_session_valid and
 * sinter_session_memory.
 *===--------------------------------------------------------------------===*/

static int sinter_session_valid(const struct sinter_model *model,
                                const void *session);
static char *sinter_session_memory(const struct sinter_model *model,
                                   const void *session);

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
  return (int64_t *)(sinter_session_memory(model, session) +
                     sinter_session_header(model) + cursor * stride);
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

static int sinter_session_matches(const struct sinter_model *model,
                                  const void *session, int64_t magic) {
  const int64_t *words = session;
  return !sinter_misaligned(session, SINTER_ALIGNMENT) &&
         words[SINTER_SESSION_MAGIC_WORD] == magic &&
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

/* Words and cursors as a session of this model could have left them. */
static int sinter_session_plausible(const struct sinter_model *model,
                                    const void *memory, int64_t magic) {
  const int64_t *words = memory, *dims = sinter_session_dims(memory);
  if (!sinter_session_matches(model, memory, magic) ||
      sinter_session_bad_dim(model, dims) >= 0)
    return 0;
  int64_t bytes = sinter_session_bytes(model, dims);
  return bytes != 0 && words[SINTER_SESSION_BYTES_WORD] == bytes;
}

static int64_t *sinter_own_extents(const struct sinter_model *model,
                                   const void *session,
                                   const struct sinter_state *state) {
  return sinter_session_extents(model, session) + state->first_extent;
}

/* The first buffer of state number `index`. */
static char *sinter_state_buffer(const struct sinter_model *model,
                                 const void *session, int64_t index) {
  char *at = (char *)sinter_session_cursor(model, session, model->cursor_count);
  const int64_t *program = model->state_bytes;
  for (int64_t i = 0; i < index; i++) {
    int64_t buffers = model->states[i].kind == SINTER_STATE_CACHE ? 2 : 1;
    for (int64_t buffer = 0; buffer < buffers; buffer++) {
      int64_t bytes;
      program = sinter_evaluate(program, sinter_session_dims(session), &bytes);
      at += bytes;
    }
  }
  return at;
}

/* The arguments of init and restore that are alike on all targets. */
static int32_t sinter_check_init_memory(const struct sinter_model *model,
                                        const void *memory, const int64_t *dims,
                                        void **session) {
  if (!memory)
    return sinter_fail(model, SINTER_CHECK_INIT_MEMORY_NULL);
  if (!session)
    return sinter_fail(model, SINTER_CHECK_INIT_OUT_NULL);
  int64_t bad = sinter_session_bad_dim(model, dims);
  if (bad >= 0)
    return sinter_fail(model, SINTER_MODEL_CHECKS + bad);
  if (sinter_misaligned(memory, SINTER_ALIGNMENT))
    return sinter_fail(model, SINTER_CHECK_INIT_MEMORY_ALIGN);
  return SINTER_OK;
}

static int32_t sinter_check_restore_memory(const struct sinter_model *model,
                                           const void *memory, void **session) {
  if (!memory)
    return sinter_fail(model, SINTER_CHECK_RESTORE_MEMORY_NULL);
  if (!session)
    return sinter_fail(model, SINTER_CHECK_RESTORE_OUT_NULL);
  if (sinter_misaligned(memory, SINTER_ALIGNMENT))
    return sinter_fail(model, SINTER_CHECK_RESTORE_MEMORY_ALIGN);
  return SINTER_OK;
}
