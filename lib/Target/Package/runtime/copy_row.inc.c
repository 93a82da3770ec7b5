/*===- copy_row.inc.c - forking a row of a session -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===--------------------------------------------------------------------===*/

static void sinter_move(void *context, char *to, const char *from,
                        int64_t bytes) {
  (void)context;
  memcpy(to, from, (size_t)bytes);
}

static int32_t sinter_check_copy(const struct sinter_model *model,
                                 const void *to, int64_t to_row,
                                 const void *from, int64_t from_row) {
  int32_t status = sinter_check_copy_rows(model, to, to_row, from, from_row);
  if (status != SINTER_OK)
    return status;
  for (int64_t c = 0; c < model->cursor_count; c++)
    if (sinter_session_cursor(model, from, c)[from_row] >
        sinter_session_capacity(model, to, c))
      return sinter_fail(model, SINTER_CHECK_COPY_FULL);
  return sinter_extents_fit(model, to, from)
             ? SINTER_OK
             : sinter_fail(model, SINTER_CHECK_COPY_FULL);
}

static void sinter_copy_tensor(const struct sinter_model *model, int64_t index,
                               void *to, int64_t to_row, const void *from,
                               int64_t from_row) {
  const struct sinter_state *state = &model->states[index];
  if (state->kind != SINTER_STATE_TENSOR)
    return;
  const int64_t *extents = sinter_own_extents(model, to, state);
  const int64_t *old = sinter_own_extents(model, from, state);
  sinter_copy_box(state,
                  sinter_state_buffer(model, to, index) +
                      to_row * sinter_row_bytes(state, extents),
                  extents,
                  sinter_state_buffer(model, from, index) +
                      from_row * sinter_row_bytes(state, old),
                  old);
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
  for (int64_t i = 0; i < model->state_count; i++)
    sinter_copy_tensor(model, i, to, to_row, from, from_row);
  for (int64_t c = 0; c < model->cursor_count; c++) {
    int64_t length = sinter_session_cursor(model, from, c)[from_row];
    sinter_copy_caches(model, 0, to, to_row, from, from_row, c, length);
    sinter_session_cursor(model, to, c)[to_row] = length;
  }
  return SINTER_OK;
}
