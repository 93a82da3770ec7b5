/*===- state.inc.c - tensor states of any extents -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A tensor state lies contiguous in its current extents, so a change of extents
 * moves its rows. All arrays of extents here are one state's own.
 *===--------------------------------------------------------------------===*/

/* Elements before dimension `rank`. */
static int64_t sinter_outer_count(const struct sinter_state *state,
                                  int64_t rank, const int64_t *extents) {
  int64_t count = 1;
  for (int64_t i = 0; i < rank; i++)
    count *= sinter_state_extent(state, i, extents);
  return count;
}

/* The position in `from_extents` of position `at` in `to_extents`, both over
   the first `rank` dimensions; -1: there is none. */
static int64_t sinter_same_place(const struct sinter_state *state, int64_t rank,
                                 int64_t at, const int64_t *to_extents,
                                 const int64_t *from_extents) {
  int64_t place = 0, stride = 1;
  for (int64_t i = rank - 1; i >= 0; i--) {
    int64_t extent = sinter_state_extent(state, i, to_extents);
    int64_t limit = sinter_state_extent(state, i, from_extents);
    if (at % extent >= limit)
      return -1;
    place += at % extent * stride;
    stride *= limit;
    at /= extent;
  }
  return place;
}

/* Copies a row; what `to` has beyond `from` becomes zero. `to` may lie at or
   behind `from` in one buffer if its extents are not smaller: then every place
   lies at or behind the one that it is copied from, so the last goes first. */
static void sinter_copy_box(const struct sinter_state *state, char *to,
                            const int64_t *to_extents, const char *from,
                            const int64_t *from_extents) {
  int64_t rank = state->rank, bytes = state->key_bytes;
  while (rank > 0 && sinter_state_extent(state, rank - 1, to_extents) ==
                         sinter_state_extent(state, rank - 1, from_extents))
    bytes *= sinter_state_extent(state, --rank, to_extents);
  if (rank == 0) {
    memmove(to, from, (size_t)bytes);
    return;
  }
  rank--;
  int64_t size = bytes * sinter_state_extent(state, rank, to_extents);
  int64_t old = bytes * sinter_state_extent(state, rank, from_extents);
  int64_t common = size < old ? size : old;
  for (int64_t at = sinter_outer_count(state, rank, to_extents); at-- > 0;) {
    int64_t place =
        sinter_same_place(state, rank, at, to_extents, from_extents);
    char *target = to + at * size;
    if (place < 0) {
      memset(target, 0, (size_t)size);
      continue;
    }
    memmove(target, from + place * old, (size_t)common);
    memset(target + common, 0, (size_t)(size - common));
  }
}

/* Makes a state's extents at least `wanted`, moving its rows. */
static void sinter_grow_state(const struct sinter_model *model, void *session,
                              int64_t index, const int64_t *wanted) {
  const struct sinter_state *state = &model->states[index];
  int64_t *now = sinter_own_extents(model, session, state);
  int64_t grown[SINTER_MAX_RANK];
  for (int64_t i = 0; i < state->extent_count; i++)
    grown[i] = now[i] > wanted[i] ? now[i] : wanted[i];
  int64_t size = sinter_row_bytes(state, grown);
  int64_t old = sinter_row_bytes(state, now);
  char *buffer = sinter_state_buffer(model, session, index);
  int64_t rows = size == old ? 0 : sinter_session_rows(model, session);
  for (int64_t row = rows; row-- > 0;)
    sinter_copy_box(state, buffer + row * size, grown, buffer + row * old, now);
  for (int64_t i = 0; i < state->extent_count; i++)
    now[i] = grown[i];
}

static int sinter_any_idle(const int64_t *lengths, int64_t rows) {
  for (int64_t row = 0; lengths && row < rows; row++)
    if (lengths[row] == 0)
      return 1;
  return 0;
}

void sinter_commit_state(struct sinter_call *call, int64_t index,
                         int64_t lengths_tensor, const int64_t *args) {
  const struct sinter_model *model = call->model;
  const struct sinter_state *state = &model->states[index];
  const char *source = (const char *)args[0];
  const int64_t *lengths =
      lengths_tensor < 0 ? 0 : call->tensors[lengths_tensor];
  int64_t *now = sinter_own_extents(model, call->session, state);
  int64_t rows = sinter_session_rows(model, call->session);
  char *buffer = sinter_state_buffer(model, call->session, index);
  int64_t written[SINTER_MAX_RANK];
  for (int64_t i = 0; i < state->rank; i++)
    if (state->shape[i] < 0)
      written[~state->shape[i]] = args[1 + i];
  int64_t bytes = sinter_row_bytes(state, written);
  if (!sinter_any_idle(lengths, rows)) {
    memcpy(buffer, source, (size_t)(rows * bytes));
    memcpy(now, written, 8 * (size_t)state->extent_count);
    return;
  }
  sinter_grow_state(model, call->session, index, written);
  int64_t size = sinter_row_bytes(state, now);
  for (int64_t row = 0; row < rows; row++)
    if (lengths[row] != 0)
      sinter_copy_box(state, buffer + row * size, now, source + row * bytes,
                      written);
}
