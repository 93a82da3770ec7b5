/*===- copy_row.inc.c - forking a row of a session -*- C -*-===//
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

/* Copies the first `bytes` of each of `heads` parts from one row to another;
   parts lie stride bytes apart. */
static void sinter_copy_parts(char *to, int64_t to_row, int64_t to_stride,
                              const char *from, int64_t from_row,
                              int64_t from_stride, int64_t heads,
                              int64_t bytes) {
  to += to_row * heads * to_stride;
  from += from_row * heads * from_stride;
  for (int64_t head = 0; head < heads; head++)
    memcpy(to + head * to_stride, from + head * from_stride, (size_t)bytes);
}

struct sinter_row {
  const void *session;
  int64_t row;
  char *at; /* the next buffer of the states */
  const int64_t *program;
};

static struct sinter_row sinter_row_of(const struct sinter_model *model,
                                       const void *session, int64_t row) {
  char *at = (char *)sinter_session_cursor(model, session, model->cursor_count);
  struct sinter_row r = {session, row, at, model->state_bytes};
  return r;
}

static char *sinter_next_buffer(struct sinter_row *row) {
  char *at = row->at;
  int64_t bytes;
  row->program =
      sinter_evaluate(row->program, sinter_session_dims(row->session), &bytes);
  row->at += bytes;
  return at;
}

static void sinter_copy_state(const struct sinter_model *model,
                              const struct sinter_state *state,
                              struct sinter_row *to, struct sinter_row *from) {
  char *target = sinter_next_buffer(to), *source = sinter_next_buffer(from);
  if (state->kind == SINTER_STATE_TENSOR) {
    const int64_t *extents = sinter_own_extents(model, to->session, state);
    const int64_t *old = sinter_own_extents(model, from->session, state);
    sinter_copy_box(state, target + to->row * sinter_row_bytes(state, extents),
                    extents, source + from->row * sinter_row_bytes(state, old),
                    old);
    return;
  }
  int64_t length =
      sinter_session_cursor(model, from->session, state->cursor)[from->row];
  int64_t room = sinter_session_capacity(model, to->session, state->cursor);
  int64_t size = sinter_session_capacity(model, from->session, state->cursor);
  int64_t panel = state->panel * state->key_bytes;
  sinter_copy_parts(target, to->row, sinter_panels(state, room) * panel, source,
                    from->row, sinter_panels(state, size) * panel, state->heads,
                    sinter_panels(state, length) * panel);
  target = sinter_next_buffer(to);
  source = sinter_next_buffer(from);
  sinter_copy_parts(target, to->row, room * state->value_bytes, source,
                    from->row, size * state->value_bytes, state->heads,
                    length * state->value_bytes);
}

static int32_t sinter_check_copy(const struct sinter_model *model,
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
  for (int64_t c = 0; c < model->cursor_count; c++)
    if (sinter_session_cursor(model, from, c)[from_row] >
        sinter_session_capacity(model, to, c))
      return sinter_fail(model, SINTER_CHECK_COPY_FULL);
  const int64_t *extents = sinter_session_extents(model, from);
  for (int64_t i = 0; i < model->extent_count; i++)
    if (extents[i] > sinter_session_dims(to)[model->extents[i]])
      return sinter_fail(model, SINTER_CHECK_COPY_FULL);
  return SINTER_OK;
}

int32_t sinter_session_copy_row(const struct sinter_model *model, void *to,
                                int64_t to_row, const void *from,
                                int64_t from_row) {
  int32_t status = sinter_check_copy(model, to, to_row, from, from_row);
  if (status != SINTER_OK || (to == from && to_row == from_row))
    return status;
  for (int64_t i = 0; i < model->state_count; i++)
    sinter_grow_state(model, to, i,
                      sinter_own_extents(model, from, &model->states[i]));
  struct sinter_row target = sinter_row_of(model, to, to_row);
  struct sinter_row source = sinter_row_of(model, from, from_row);
  for (int64_t i = 0; i < model->state_count; i++)
    sinter_copy_state(model, &model->states[i], &target, &source);
  for (int64_t c = 0; c < model->cursor_count; c++)
    sinter_session_cursor(model, to, c)[to_row] =
        sinter_session_cursor(model, from, c)[from_row];
  return SINTER_OK;
}
