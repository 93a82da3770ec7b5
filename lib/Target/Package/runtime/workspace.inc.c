/*===- workspace.inc.c - how a call's workspace is divided -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===--------------------------------------------------------------------===*/

/* Whether the entry keeps an array of its own for this cursor's end. */
static int sinter_moves(const struct sinter_cursor_use *use) {
  return use->kind != SINTER_CURSOR_READ;
}

static int64_t sinter_rows_bytes(const struct sinter_frame *frame,
                                 const struct sinter_tensor *tensor) {
  return sinter_align(8 * sinter_count(frame, tensor, 0));
}

/* Lays the workspace out: what the target keeps for itself, filled lengths,
   cursor arrays, slots, scratch of each worker, and 64 bytes. Fills
   frame->slots when asked. Returns the bytes, -1 on overflow. */
static int64_t sinter_layout(struct sinter_frame *frame, int64_t rows,
                             int64_t workers, int fill) {
  const struct sinter_entry *entry = frame->entry;
  int64_t at = entry->reserved_bytes, bytes, arrays = 0;
  for (int64_t i = 0; i < entry->tensor_count; i++)
    if (entry->tensors[i].role == SINTER_ROLE_LENGTHS)
      sinter_accumulate(&at, sinter_rows_bytes(frame, &entry->tensors[i]));
  for (int64_t i = 0; i < entry->cursor_use_count; i++) {
    arrays += sinter_moves(&entry->cursor_uses[i]);
    arrays += entry->cursor_uses[i].kind == SINTER_CURSOR_FILL;
  }
  if (__builtin_mul_overflow(arrays, sinter_align(8 * rows), &bytes))
    return -1;
  sinter_accumulate(&at, bytes);
  const int64_t *program = entry->slots;
  for (int64_t i = 0; i < entry->slot_count; i++) {
    program = sinter_evaluate(program, frame->dims, &bytes);
    if (fill)
      frame->slots[i] = frame->workspace + at;
    sinter_accumulate(&at, bytes);
  }
  frame->scratch_at = at;
  if (__builtin_mul_overflow(entry->scratch_bytes, workers, &bytes))
    return -1;
  sinter_accumulate(&at, bytes);
  sinter_accumulate(&at, 64);
  return at;
}

int64_t sinter_workspace_size(const struct sinter_entry *entry,
                              const int64_t *dims, int64_t workers) {
  struct sinter_frame frame = {.entry = entry, .dims = (int64_t *)dims};
  for (int64_t i = 0; i < entry->dim_count; i++)
    if (dims[i] < entry->dims[i].lower || dims[i] > entry->dims[i].upper)
      return 0;
  if (workers < 1)
    return 0;
  int64_t bytes =
      sinter_layout(&frame, sinter_extent(entry->rows, dims), workers, 0);
  return bytes < 0 ? 0 : bytes;
}

static int32_t sinter_check_workspace(struct sinter_frame *frame) {
  if (!frame->workspace)
    return sinter_entry_fail(frame, SINTER_ENTRY_WORKSPACE_NULL);
  if (sinter_misaligned(frame->workspace, SINTER_ALIGNMENT))
    return sinter_entry_fail(frame, SINTER_ENTRY_WORKSPACE_ALIGN);
  int64_t bytes = sinter_layout(
      frame, sinter_extent(frame->entry->rows, frame->dims), frame->workers, 1);
  if (bytes < 0 ||
      (uint64_t)frame->args[SINTER_ARG_WORKSPACE_SIZE] < (uint64_t)bytes)
    return sinter_entry_fail(frame, SINTER_ENTRY_WORKSPACE_SIZE);
  return SINTER_OK;
}

/* What needs no look at the caller's numbers. */
static int32_t sinter_check_sizes(struct sinter_frame *frame) {
  int32_t status = sinter_check_dims(frame);
  if (status == SINTER_OK)
    status = sinter_check_extents(frame);
  if (status == SINTER_OK)
    status = sinter_check_tensors(frame);
  if (status == SINTER_OK)
    status = sinter_check_workspace(frame);
  return status;
}
