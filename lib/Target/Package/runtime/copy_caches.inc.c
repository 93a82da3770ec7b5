/*===- copy_caches.inc.c - forking a row of the caches -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===--------------------------------------------------------------------===*/

static int64_t sinter_panels(const struct sinter_state *state,
                             int64_t positions) {
  return (positions + state->panel - 1) / state->panel;
}

/* Moves bytes of sessions; a target's own. */
static void sinter_move(void *context, char *to, const char *from,
                        int64_t bytes);

/* Copies the first `bytes` of each of `heads` parts from one row to another;
   parts lie stride bytes apart. */
static void sinter_copy_parts(void *context, char *to, int64_t to_row,
                              int64_t to_stride, const char *from,
                              int64_t from_row, int64_t from_stride,
                              int64_t heads, int64_t bytes) {
  to += to_row * heads * to_stride;
  from += from_row * heads * from_stride;
  for (int64_t head = 0; head < heads; head++)
    sinter_move(context, to + head * to_stride, from + head * from_stride,
                bytes);
}

/* Walks over the buffers of the states. */
struct sinter_buffers {
  const void *session;
  char *at; /* the next one */
  const int64_t *program;
};

static struct sinter_buffers sinter_buffers_of(const struct sinter_model *model,
                                               const void *session) {
  char *at = (char *)sinter_session_cursor(model, session, model->cursor_count);
  struct sinter_buffers b = {session, at, model->state_bytes};
  return b;
}

static char *sinter_next_buffer(struct sinter_buffers *buffers) {
  char *at = buffers->at;
  int64_t bytes;
  buffers->program = sinter_evaluate(
      buffers->program, sinter_session_dims(buffers->session), &bytes);
  buffers->at += bytes;
  return at;
}

/* The `length` positions of all caches of one cursor. */
static void sinter_copy_caches(const struct sinter_model *model, void *context,
                               const void *to, int64_t to_row, const void *from,
                               int64_t from_row, int64_t cursor,
                               int64_t length) {
  struct sinter_buffers target = sinter_buffers_of(model, to);
  struct sinter_buffers source = sinter_buffers_of(model, from);
  int64_t room = sinter_session_capacity(model, to, cursor);
  int64_t size = sinter_session_capacity(model, from, cursor);
  for (int64_t i = 0; i < model->state_count; i++) {
    const struct sinter_state *state = &model->states[i];
    char *to_keys = sinter_next_buffer(&target);
    char *from_keys = sinter_next_buffer(&source);
    if (state->kind != SINTER_STATE_CACHE)
      continue;
    char *to_values = sinter_next_buffer(&target);
    char *from_values = sinter_next_buffer(&source);
    if (state->cursor != cursor)
      continue;
    int64_t panel = state->panel * state->key_bytes;
    sinter_copy_parts(context, to_keys, to_row,
                      sinter_panels(state, room) * panel, from_keys, from_row,
                      sinter_panels(state, size) * panel, state->heads,
                      sinter_panels(state, length) * panel);
    sinter_copy_parts(context, to_values, to_row, room * state->value_bytes,
                      from_values, from_row, size * state->value_bytes,
                      state->heads, length * state->value_bytes);
  }
}

static int32_t sinter_check_copy_rows(const struct sinter_model *model,
                                      const void *to, int64_t to_row,
                                      const void *from, int64_t from_row) {
  if (!to)
    return sinter_fail(model, SINTER_CHECK_COPY_TO_NULL);
  if (!from)
    return sinter_fail(model, SINTER_CHECK_COPY_FROM_NULL);
  if (!sinter_session_valid(model, to))
    return sinter_fail(model, SINTER_CHECK_COPY_TO_BAD);
  if (!sinter_session_valid(model, from))
    return sinter_fail(model, SINTER_CHECK_COPY_FROM_BAD);
  if (to_row < 0 || to_row >= sinter_session_rows(model, to))
    return sinter_fail(model, SINTER_CHECK_COPY_TO_ROW);
  if (from_row < 0 || from_row >= sinter_session_rows(model, from))
    return sinter_fail(model, SINTER_CHECK_COPY_FROM_ROW);
  return SINTER_OK;
}

/* The current extents of `from` fit `to`. */
static int sinter_extents_fit(const struct sinter_model *model, const void *to,
                              const void *from) {
  const int64_t *extents = sinter_session_extents(model, from);
  for (int64_t i = 0; i < model->extent_count; i++)
    if (extents[i] > sinter_session_dims(to)[model->extents[i]])
      return 0;
  return 1;
}
