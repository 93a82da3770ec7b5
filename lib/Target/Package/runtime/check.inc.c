/*===- check.inc.c - what can be wrong with a call -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Without looking at tensors or states, which may lie in a device's memory.
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
  const sinter_exec *exec; /* of a processor */
  char *workspace;
  int64_t workers;
  int64_t scratch_at; /* bytes from the workspace's start */
};

static void sinter_divide_tables(struct sinter_frame *frame, int64_t *tables) {
  frame->dims = tables;
  frame->tensors = (void **)(frame->dims + frame->entry->dim_count);
  frame->slots = (char **)(frame->tensors + frame->entry->tensor_count);
  frame->states = frame->slots + frame->entry->slot_count;
  frame->cursors = (int64_t **)(frame->states + frame->model->state_slot_count);
}

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

static int32_t sinter_check_session(const struct sinter_frame *frame) {
  if (!frame->entry->uses_session)
    return SINTER_OK;
  if (!frame->session)
    return sinter_entry_fail(frame, SINTER_ENTRY_SESSION_NULL);
  if (!sinter_session_valid(frame->model, frame->session))
    return sinter_entry_fail(frame, SINTER_ENTRY_SESSION_BAD);
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

/* What the entry's dimension `dim` is, a current extent of states it reads. */
static int64_t sinter_shared_extent(const struct sinter_entry *entry,
                                    const void *session, int64_t dim) {
  const struct sinter_model *model = entry->model;
  int64_t shared = -1, first = entry->first_check;
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
static int32_t sinter_check_tensors(const struct sinter_frame *frame) {
  const struct sinter_entry *entry = frame->entry;
  const int64_t *argument = frame->args + SINTER_ARG_DIMS;
  for (int64_t i = 0; i < entry->dim_count; i++)
    argument += entry->dims[i].source == SINTER_DIM_FROM_ARGUMENT;
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

/* Ids of a tensor are below this; INT64_MAX: it has none. */
static int64_t sinter_id_limit(const struct sinter_frame *frame,
                               const struct sinter_tensor *tensor) {
  int64_t limit = sinter_extent(tensor->below, frame->dims);
  return tensor->limit > 0 && tensor->limit < limit ? tensor->limit : limit;
}
