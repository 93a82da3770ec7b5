/*===- check_memory.inc.c - what is wrong with tensors and states -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads only: whatever these find, nothing was written. Each returns a status.
 *===--------------------------------------------------------------------===*/

static int32_t sinter_check_pointers(const struct sinter_frame *frame) {
  const struct sinter_model *model = frame->model;
  int32_t status = sinter_check_session(frame);
  if (status != SINTER_OK)
    return status;
  if (frame->entry->weights == 1) {
    const void *weights = (const void *)frame->args[SINTER_ARG_WEIGHTS];
    if (!weights)
      return sinter_entry_fail(frame, SINTER_ENTRY_WEIGHTS_NULL);
    if (!sinter_weights_match(model, weights))
      return sinter_entry_fail(frame, SINTER_ENTRY_WEIGHTS_BAD);
  }
  const sinter_exec *exec = frame->exec;
  if (exec && exec->size < sizeof(sinter_exec))
    return sinter_entry_fail(frame, SINTER_ENTRY_EXEC_SIZE);
  if (exec && exec->workers < 1)
    return sinter_entry_fail(frame, SINTER_ENTRY_EXEC_WORKERS);
  if (exec && !exec->run)
    return sinter_entry_fail(frame, SINTER_ENTRY_EXEC_RUN);
  return SINTER_OK;
}

int64_t sinter_entry_extent(const struct sinter_entry *entry,
                            const void *session, int64_t dim) {
  struct sinter_frame frame = {
      .entry = entry, .model = entry->model, .session = (char *)session};
  int32_t status = sinter_check_session(&frame);
  return status == SINTER_OK ? sinter_shared_extent(entry, session, dim)
                             : status;
}

static int32_t sinter_check_lengths(const struct sinter_frame *frame) {
  const struct sinter_entry *entry = frame->entry;
  for (int64_t i = 0; i < entry->tensor_count; i++) {
    const struct sinter_tensor *tensor = &entry->tensors[i];
    const int64_t *lengths = frame->tensors[i];
    if (tensor->role != SINTER_ROLE_LENGTHS || !lengths)
      continue;
    int64_t rows = sinter_count(frame, tensor, 0);
    int64_t limit = sinter_extent(tensor->extent, frame->dims);
    for (int64_t row = 0; row < rows; row++)
      if (lengths[row] < 0 || lengths[row] > limit)
        return sinter_tensor_fail(frame, i, SINTER_TENSOR_RANGE);
  }
  return SINTER_OK;
}

static int sinter_ids_outside(const void *ids, int64_t element_bytes,
                              int64_t begin, int64_t end, uint64_t limit) {
  int outside = 0;
  if (element_bytes == 8)
    for (int64_t i = begin; i < end; i++)
      outside |= ((const uint64_t *)ids)[i] >= limit;
  else
    for (int64_t i = begin; i < end; i++)
      outside |= (uint64_t)(int64_t)((const int32_t *)ids)[i] >= limit;
  return outside;
}

/* Ids up to each row's length are in [0, limit). */
static int32_t sinter_check_ids(const struct sinter_frame *frame) {
  const struct sinter_entry *entry = frame->entry;
  for (int64_t i = 0; i < entry->tensor_count; i++) {
    const struct sinter_tensor *tensor = &entry->tensors[i];
    const int64_t *lengths =
        tensor->lengths >= 0 ? frame->tensors[tensor->lengths] : 0;
    int64_t limit = sinter_id_limit(frame, tensor);
    if (tensor->role != SINTER_ROLE_INPUT || limit == INT64_MAX)
      continue;
    int64_t rows = 1, stride = sinter_count(frame, tensor, 0), each = 1;
    if (lengths) {
      rows = sinter_extent(tensor->shape[0], frame->dims);
      stride = sinter_count(frame, tensor, 1);
      each = sinter_count(frame, tensor, 2);
    }
    for (int64_t row = 0; row < rows; row++)
      if (sinter_ids_outside(
              frame->tensors[i], tensor->element_bytes, row * stride,
              row * stride + (lengths ? lengths[row] * each : stride),
              (uint64_t)limit))
        return sinter_tensor_fail(frame, i, SINTER_TENSOR_RANGE);
  }
  return SINTER_OK;
}

/* Positions that a row moves by. */
static int64_t sinter_moved(const struct sinter_frame *frame, int64_t by,
                            int64_t lengths, int64_t row) {
  if (lengths >= 0 && frame->tensors[lengths])
    return ((const int64_t *)frame->tensors[lengths])[row];
  return sinter_extent(by, frame->dims);
}

static int32_t sinter_check_room(const struct sinter_frame *frame) {
  const struct sinter_entry *entry = frame->entry;
  int64_t rows =
      frame->session ? sinter_session_rows(frame->model, frame->session) : 0;
  for (int64_t i = 0; i < entry->cursor_use_count; i++) {
    const struct sinter_cursor_use *use = &entry->cursor_uses[i];
    const int64_t *cursor =
        sinter_session_cursor(frame->model, frame->session, use->cursor);
    int64_t room =
        sinter_session_capacity(frame->model, frame->session, use->cursor);
    for (int64_t row = 0; row < rows; row++) {
      int64_t start = use->kind == SINTER_CURSOR_FILL ? 0 : cursor[row];
      int64_t moved =
          use->kind == SINTER_CURSOR_APPEND || use->kind == SINTER_CURSOR_FILL
              ? sinter_moved(frame, use->by, use->lengths, row)
              : 0;
      if (start < 0 || start > room || moved > room - start)
        return sinter_entry_fail(frame, sinter_cursor_check(entry, i));
    }
  }
  for (int64_t i = 0; i < entry->position_count; i++) {
    const struct sinter_position_check *check = &entry->positions[i];
    const int64_t *cursor =
        sinter_session_cursor(frame->model, frame->session, check->cursor);
    for (int64_t row = 0; row < rows; row++) {
      int64_t moved = sinter_moved(frame, check->by, check->lengths, row);
      if (moved > 0 && moved > check->limit - cursor[row])
        return sinter_entry_fail(
            frame, sinter_cursor_check(entry, entry->cursor_use_count + i));
    }
  }
  return SINTER_OK;
}
