/*===- enter.inc.c - one call of an entry -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===--------------------------------------------------------------------===*/

/* All checks, cheap ones first. */
static int32_t sinter_check_call(struct sinter_frame *frame) {
  int32_t status = sinter_check_pointers(frame);
  if (status == SINTER_OK) {
    frame->workers = frame->exec ? frame->exec->workers : 1;
    status = sinter_check_sizes(frame);
  }
  if (status == SINTER_OK)
    status = sinter_check_lengths(frame);
  if (status == SINTER_OK)
    status = sinter_check_room(frame);
  if (status == SINTER_OK)
    status = sinter_check_ids(frame);
  if (status == SINTER_OK && !sinter_cpu_fits(frame->model))
    status = sinter_entry_fail(frame, SINTER_ENTRY_CPU);
  return status;
}

/* The first write: lengths that the caller left out. Returns the end. */
static char *sinter_fill_lengths(struct sinter_frame *frame, char *at) {
  const struct sinter_entry *entry = frame->entry;
  for (int64_t i = 0; i < entry->tensor_count; i++) {
    const struct sinter_tensor *tensor = &entry->tensors[i];
    if (tensor->role != SINTER_ROLE_LENGTHS)
      continue;
    if (!frame->tensors[i]) {
      int64_t rows = sinter_count(frame, tensor, 0);
      for (int64_t row = 0; row < rows; row++)
        ((int64_t *)at)[row] = sinter_extent(tensor->extent, frame->dims);
      frame->tensors[i] = at;
    }
    at += sinter_rows_bytes(frame, tensor);
  }
  return at;
}

static void sinter_fill_cursor(struct sinter_frame *frame,
                               const struct sinter_cursor_use *use, char *at) {
  int64_t rows = sinter_session_rows(frame->model, frame->session);
  int64_t **cursors = frame->cursors + 2 * use->cursor;
  const int64_t *now = cursors[0];
  cursors[1] = (int64_t *)at;
  if (use->kind == SINTER_CURSOR_FILL) {
    cursors[0] = (int64_t *)(at + sinter_align(8 * rows));
    memset(cursors[0], 0, 8 * (size_t)rows);
  }
  for (int64_t row = 0; row < rows; row++) {
    int64_t moved = sinter_moved(frame, use->by, use->lengths, row);
    if (use->lengths >= 0 && moved == 0)
      cursors[1][row] = now[row];
    else if (use->kind == SINTER_CURSOR_APPEND)
      cursors[1][row] = now[row] + moved;
    else
      cursors[1][row] = use->kind == SINTER_CURSOR_FILL ? moved : 0;
  }
}

/* Where each cursor starts and will end. */
static void sinter_fill_cursors(struct sinter_frame *frame, char *at) {
  const struct sinter_entry *entry = frame->entry;
  int64_t stride = 0;
  for (int64_t c = 0; frame->session && c < frame->model->cursor_count; c++)
    frame->cursors[2 * c] = frame->cursors[2 * c + 1] =
        sinter_session_cursor(frame->model, frame->session, c);
  if (frame->session)
    stride =
        sinter_align(8 * sinter_session_rows(frame->model, frame->session));
  for (int64_t i = 0; i < entry->cursor_use_count; i++) {
    const struct sinter_cursor_use *use = &entry->cursor_uses[i];
    if (!sinter_moves(use))
      continue;
    sinter_fill_cursor(frame, use, at);
    at += stride * (use->kind == SINTER_CURSOR_FILL ? 2 : 1);
  }
}

static void sinter_commit(const struct sinter_frame *frame) {
  const struct sinter_entry *entry = frame->entry;
  for (int64_t i = 0; i < entry->cursor_use_count; i++) {
    const struct sinter_cursor_use *use = &entry->cursor_uses[i];
    int64_t rows = sinter_session_rows(frame->model, frame->session);
    if (sinter_moves(use))
      memcpy(sinter_session_cursor(frame->model, frame->session, use->cursor),
             frame->cursors[2 * use->cursor + 1], 8 * (size_t)rows);
  }
}

static int32_t sinter_run(struct sinter_frame *frame) {
  const struct sinter_model *model = frame->model;
  const sinter_exec *exec = frame->exec;
  sinter_fill_cursors(frame, sinter_fill_lengths(frame, frame->workspace));
  if (frame->session)
    sinter_session_states(model, frame->session, frame->states);
  const char *weights = model->embedded;
  if (frame->entry->weights == 1)
    weights =
        (const char *)frame->args[SINTER_ARG_WEIGHTS] + SINTER_WEIGHTS_HEADER;
  struct sinter_call call = {.dims = frame->dims,
                             .tensors = frame->tensors,
                             .slots = frame->slots,
                             .weights = weights,
                             .states = frame->states,
                             .cursors = (const int64_t *const *)frame->cursors,
                             .notice = 0,
                             .exec = exec,
                             .scratch = frame->workspace + frame->scratch_at,
                             .scratch_bytes = frame->entry->scratch_bytes,
                             .mxcsr = model->mxcsr,
                             .model = model,
                             .session = frame->session};
  if (exec && exec->begin)
    exec->begin(exec->context);
  uint32_t mode = sinter_get_mode();
  sinter_set_mode((uint32_t)model->mxcsr);
  frame->entry->run(&call);
  sinter_set_mode(mode);
  if (exec && exec->end)
    exec->end(exec->context);
  sinter_commit(frame);
  if (__atomic_load_n(&call.notice, __ATOMIC_RELAXED) != 0)
    return -sinter_fail(model, SINTER_CHECK_NOTICE_CLAMPED);
  return SINTER_OK;
}

int32_t sinter_enter(const struct sinter_entry *entry, const int64_t *args,
                     int64_t *tables) {
  const struct sinter_model *model = entry->model;
  struct sinter_frame frame = {.entry = entry,
                               .model = model,
                               .args = args,
                               .session = (char *)args[SINTER_ARG_SESSION],
                               .exec =
                                   (const sinter_exec *)args[SINTER_ARG_EXEC],
                               .workspace = (char *)args[SINTER_ARG_WORKSPACE]};
  sinter_divide_tables(&frame, tables);
  int32_t status = sinter_check_call(&frame);
  return status == SINTER_OK ? sinter_run(&frame) : status;
}
