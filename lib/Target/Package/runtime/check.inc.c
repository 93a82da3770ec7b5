/*===- check.inc.c - everything that can be wrong with a call -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads only: whatever these find, nothing was written. Each returns a status.
 *===--------------------------------------------------------------------===*/

/* A call while it is being checked. The arrays lie in the wrapper's frame. */
struct sinter_frame {
  const struct sinter_entry *entry;
  const struct sinter_model *model;
  const int64_t *args;
  int64_t *dims;
  void **tensors;
  char **slots;
  char **states;
  int64_t **cursors;
  char *session;
  const sinter_exec *exec;
  char *workspace;
  int64_t scratch_at; /* bytes from the workspace's start */
};

static int32_t sinter_entry_fail(const struct sinter_frame *frame,
                                 int64_t check) {
  return sinter_fail(frame->model, frame->entry->first_check + check);
}

static int32_t sinter_tensor_fail(const struct sinter_frame *frame,
                                  int64_t tensor, int64_t check) {
  return sinter_entry_fail(
      frame, SINTER_ENTRY_CHECKS + SINTER_DIM_CHECKS * frame->entry->dim_count +
                 SINTER_TENSOR_CHECKS * tensor + check);
}

/* The check of cursor use i; position checks follow the cursor uses, extents
   read and written those. */
static int64_t sinter_cursor_check(const struct sinter_entry *entry,
                                   int64_t i) {
  return SINTER_ENTRY_CHECKS + SINTER_DIM_CHECKS * entry->dim_count +
         SINTER_TENSOR_CHECKS * entry->tensor_count + i;
}

static int32_t sinter_check_pointers(const struct sinter_frame *frame) {
  const struct sinter_model *model = frame->model;
  if (frame->entry->uses_session) {
    if (!frame->session)
      return sinter_entry_fail(frame, SINTER_ENTRY_SESSION_NULL);
    if (!sinter_session_valid(model, frame->session))
      return sinter_entry_fail(frame, SINTER_ENTRY_SESSION_BAD);
  }
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

/* Fills and checks frame->dims. */
static int32_t sinter_check_dims(const struct sinter_frame *frame) {
  const struct sinter_entry *entry = frame->entry;
  const int64_t *argument = frame->args + SINTER_ARG_DIMS;
  const int64_t *session =
      frame->session ? sinter_session_dims(frame->session) : 0;
  for (int64_t i = 0; i < entry->dim_count; i++) {
    const struct sinter_dim *dim = &entry->dims[i];
    int64_t check = SINTER_ENTRY_CHECKS + SINTER_DIM_CHECKS * i;
    if (dim->source != SINTER_DIM_FROM_ARGUMENT) {
      frame->dims[i] =
          session[dim->session + (dim->source == SINTER_DIM_FROM_STATE
                                      ? frame->model->session_dim_count
                                      : 0)];
      continue;
    }
    int64_t value = frame->dims[i] = *argument++;
    if (value < dim->lower || value > dim->upper)
      return sinter_entry_fail(frame, check + SINTER_DIM_RANGE);
    if (dim->session >= 0 && value > session[dim->session])
      return sinter_entry_fail(frame, check + SINTER_DIM_SESSION);
  }
  return SINTER_OK;
}

/* Current extents are those that the entry reads; those it writes fit. */
static int32_t sinter_check_extents(const struct sinter_frame *frame) {
  const struct sinter_entry *entry = frame->entry;
  int64_t check = sinter_cursor_check(entry, entry->cursor_use_count +
                                                 entry->position_count);
  for (int64_t i = 0; i < entry->extent_read_count; i++) {
    const struct sinter_extent_read *read = &entry->extent_reads[i];
    if (sinter_session_extents(frame->model, frame->session)[read->extent] !=
        frame->dims[read->dim])
      return sinter_entry_fail(frame, check + i);
  }
  check += entry->extent_read_count;
  for (int64_t i = 0; i < entry->extent_write_count; i++) {
    const struct sinter_extent_write *write = &entry->extent_writes[i];
    int64_t extent;
    sinter_evaluate(write->program, frame->dims, &extent);
    if (extent < 0 ||
        extent > sinter_session_dims(frame->session)[write->session])
      return sinter_entry_fail(frame, check + i);
  }
  return SINTER_OK;
}

int64_t sinter_entry_extent(const struct sinter_entry *entry,
                            const void *session, int64_t dim) {
  const struct sinter_model *model = entry->model;
  int64_t shared = -1, first = entry->first_check;
  if (!session)
    return sinter_fail(model, first + SINTER_ENTRY_SESSION_NULL);
  if (!sinter_session_valid(model, session))
    return sinter_fail(model, first + SINTER_ENTRY_SESSION_BAD);
  first += sinter_cursor_check(entry,
                               entry->cursor_use_count + entry->position_count);
  for (int64_t i = 0; i < entry->extent_read_count; i++) {
    const struct sinter_extent_read *read = &entry->extent_reads[i];
    int64_t extent = sinter_session_extents(model, session)[read->extent];
    if (read->dim != dim)
      continue;
    if (shared >= 0 && extent != shared)
      return sinter_fail(model, first + i);
    shared = extent;
  }
  return shared;
}

/* Product of the extents from dimension `first` on; -1 on overflow. */
static int64_t sinter_count(const struct sinter_frame *frame,
                            const struct sinter_tensor *tensor, int64_t first) {
  int64_t count = 1;
  for (int64_t i = first; i < tensor->rank; i++)
    if (__builtin_mul_overflow(
            count, sinter_extent(tensor->shape[i], frame->dims), &count))
      return -1;
  return count;
}

/* Fills and checks frame->tensors, except for the elements. */
static int32_t sinter_check_tensors(const struct sinter_frame *frame,
                                    const int64_t *argument) {
  const struct sinter_entry *entry = frame->entry;
  for (int64_t i = 0; i < entry->tensor_count; i++) {
    const struct sinter_tensor *tensor = &entry->tensors[i];
    void *pointer = frame->tensors[i] = (void *)argument[i];
    int64_t bytes, count = sinter_count(frame, tensor, 0);
    if (count < 0 ||
        __builtin_mul_overflow(count, tensor->element_bytes, &bytes))
      return sinter_tensor_fail(frame, i, SINTER_TENSOR_SIZE);
    if (!pointer && count != 0 && tensor->role != SINTER_ROLE_LENGTHS)
      return sinter_tensor_fail(frame, i, SINTER_TENSOR_NULL);
    if (sinter_misaligned(pointer, tensor->element_bytes))
      return sinter_tensor_fail(frame, i, SINTER_TENSOR_ALIGN);
  }
  return SINTER_OK;
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
    int64_t limit = sinter_extent(tensor->below, frame->dims);
    if (tensor->limit > 0 && tensor->limit < limit)
      limit = tensor->limit;
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
