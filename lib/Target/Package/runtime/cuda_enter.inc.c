/*===- cuda_enter.inc.c - one call of an entry, on a stream -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===--------------------------------------------------------------------===*/

/* What a launch needs beside the call; the call stands first. */
struct sinter_device_call {
  struct sinter_call call;
  struct sinter_stream s;
  const int64_t *device;
  const char *status;
  int looks; /* what would be launched is looked at only */
};

/* Says that a kernel comes or has come. */
static void sinter_trace(const struct sinter_device_call *c, int64_t kernel,
                         int32_t done) {
  const sinter_cuda *driver = c->s.driver;
  if (!c->looks && c->s.status == SINTER_OK && driver->trace)
    driver->trace(driver->context, (int32_t)kernel, done, c->s.stream);
}

void sinter_launch(struct sinter_call *call, const struct sinter_kernel *record,
                   const int64_t *args) {
  struct sinter_device_call *c = (void *)call;
  const struct sinter_device_kernel *kernel = (const void *)record;
  sinter_trace(c, kernel->index, 0);
  int64_t steps = kernel->steps ? kernel->steps(args) : 1;
  for (int64_t step = 0; step < steps; step++) {
    int64_t blocks = kernel->tasks ? kernel->tasks(args, step) : 1;
    if (!c->looks)
      sinter_launch_blocks(&c->s, c->device, kernel->index, args, step,
                           c->status, call->scratch, blocks);
    else if (blocks > INT32_MAX && c->s.status == SINTER_OK)
      c->s.status = sinter_device_fail(c->s.model, SINTER_DEVICE_GRID);
  }
  sinter_trace(c, kernel->index, 1);
}

void sinter_commit_state(struct sinter_call *call, int64_t index,
                         int64_t lengths, const int64_t *args) {
  struct sinter_device_call *c = (void *)call;
  const struct sinter_model *model = c->s.model;
  const struct sinter_state *state = &model->states[index];
  int64_t written[SINTER_MAX_RANK], words[SINTER_SESSION_WORDS];
  if (c->looks)
    return;
  for (int64_t i = 0; i < state->rank; i++)
    if (state->shape[i] < 0)
      written[~state->shape[i]] = args[1 + i];
  sinter_state_words(model, call->session, index, written, words);
  words[SINTER_STATE_SOURCE] = args[0];
  words[SINTER_STATE_LENGTHS] =
      lengths < 0 ? 0 : (int64_t)call->tensors[lengths];
  if (state->extent_count > 0)
    sinter_extents_change(&c->s, call->session);
  sinter_write_state(&c->s, c->device, words,
                     words[SINTER_STATE_ROWS] *
                         (sinter_row_bytes(state, written) / state->key_bytes),
                     c->status);
}

static void sinter_commit_cursors(struct sinter_device_call *c,
                                  const struct sinter_frame *frame) {
  for (int64_t i = 0; i < frame->entry->cursor_use_count; i++) {
    const struct sinter_cursor_use *use = &frame->entry->cursor_uses[i];
    if (!sinter_moves(use))
      continue;
    int64_t words[SINTER_SESSION_WORDS] = {0};
    words[SINTER_COPY_TO] = (int64_t)sinter_session_cursor(
        frame->model, frame->session, use->cursor);
    words[SINTER_COPY_FROM] = (int64_t)frame->cursors[2 * use->cursor + 1];
    words[SINTER_COPY_COUNT] =
        sinter_session_rows(frame->model, frame->session);
    sinter_launch_session(&c->s, c->device, words, SINTER_STEP_COPY_WORDS,
                          c->status, 1);
  }
}

static int32_t sinter_check_device(const struct sinter_frame *frame,
                                   const void *device) {
  if (!device)
    return sinter_entry_fail(frame, SINTER_ENTRY_WEIGHTS_NULL);
  if (!sinter_device_valid(frame->model, device))
    return sinter_entry_fail(frame, SINTER_ENTRY_WEIGHTS_BAD);
  return SINTER_OK;
}

/* All that the host knows. */
static int32_t sinter_check_call(struct sinter_stream *s,
                                 struct sinter_frame *frame,
                                 const void *device) {
  int32_t status = sinter_check_session(frame);
  if (status == SINTER_OK)
    status = sinter_check_device(frame, device);
  if (status == SINTER_OK && frame->entry->extent_read_count > 0) {
    sinter_refresh(s, frame->session);
    status = s->status;
  }
  if (status == SINTER_OK)
    status = sinter_check_sizes(frame);
  return status == SINTER_OK ? s->status : status;
}

static int32_t sinter_run(struct sinter_stream *s, struct sinter_frame *frame,
                          const int64_t *device) {
  sinter_begin(s, frame, device);
  if (frame->session)
    sinter_session_states(frame->model, frame->session, frame->states);
  struct sinter_device_call c = {
      .call = {.dims = frame->dims,
               .tensors = frame->tensors,
               .slots = frame->slots,
               .weights = (const char *)device[SINTER_DEVICE_WEIGHTS_WORD],
               .states = frame->states,
               .cursors = (const int64_t *const *)frame->cursors,
               .scratch = frame->slots[frame->entry->slot_count - 1],
               .model = frame->model,
               .session = frame->session},
      .s = *s,
      .device = device,
      .status = frame->workspace,
      .looks = 1};
  /* A refused call has written nothing: so all launches are looked at before
     the first is made. */
  frame->entry->run(&c.call);
  c.looks = 0;
  if (c.s.status == SINTER_OK)
    frame->entry->run(&c.call);
  sinter_commit_cursors(&c, frame);
  return c.s.status;
}

int32_t sinter_enter(const struct sinter_entry *entry, const int64_t *args,
                     int64_t *tables) {
  const void *device = (const void *)args[SINTER_ARG_WEIGHTS];
  struct sinter_frame frame = {.entry = entry,
                               .model = entry->model,
                               .args = args,
                               .session = (char *)args[SINTER_ARG_SESSION],
                               .workspace = (char *)args[SINTER_ARG_WORKSPACE],
                               .workers = 1};
  struct sinter_stream s =
      sinter_use_stream(entry->model, (void *)args[SINTER_ARG_EXEC]);
  sinter_divide_tables(&frame, tables);
  int32_t status = sinter_check_call(&s, &frame, device);
  return status == SINTER_OK ? sinter_run(&s, &frame, device) : status;
}

int64_t sinter_device_entry_extent(const struct sinter_entry *entry,
                                   void *session, int64_t dim, void *stream) {
  struct sinter_frame frame = {
      .entry = entry, .model = entry->model, .session = session};
  int32_t status = sinter_check_session(&frame);
  if (status != SINTER_OK)
    return status;
  struct sinter_stream s = sinter_use_stream(entry->model, stream);
  sinter_refresh(&s, session);
  return s.status == SINTER_OK ? sinter_shared_extent(entry, session, dim)
                               : s.status;
}

int32_t sinter_device_status(const struct sinter_model *model,
                             const void *workspace, void *stream) {
  int32_t words[2] = {0, 0}; /* abort, notice */
  if (!workspace)
    return sinter_device_fail(model, SINTER_DEVICE_STATUS_NULL);
  if (sinter_misaligned(workspace, SINTER_ALIGNMENT))
    return sinter_device_fail(model, SINTER_DEVICE_STATUS_ALIGN);
  struct sinter_stream s = sinter_use_stream(model, stream);
  sinter_download(&s, words, workspace, sizeof words);
  if (s.status != SINTER_OK)
    return s.status;
  if (words[0] < 0 || words[0] >= model->check_count)
    return sinter_device_fail(model, SINTER_DEVICE_STATUS_BAD);
  if (words[0] > 0)
    return sinter_fail(model, words[0]);
  return words[1] ? -sinter_fail(model, SINTER_CHECK_NOTICE_CLAMPED)
                  : SINTER_OK;
}
