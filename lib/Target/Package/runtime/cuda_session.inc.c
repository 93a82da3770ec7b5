/*===- cuda_session.inc.c - a handle and a block of the device's -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The device's memory holds what a session on a processor does. The handle
 * repeats its first words, so that no call has to read them; of these only the
 * current extents ever change. A call that writes such states leaves them
 * unknown to the host, for it may still be refused: the next use reads them.
 *===--------------------------------------------------------------------===*/

static int64_t *sinter_handle_word(const struct sinter_model *model,
                                   const void *session, int64_t word) {
  return (int64_t *)((char *)session + sinter_session_header(model)) + word;
}

static int64_t sinter_handle_bytes(const struct sinter_model *model) {
  return sinter_session_header(model) + sinter_align(8 * SINTER_HANDLE_WORDS);
}

static int sinter_session_valid(const struct sinter_model *model,
                                const void *session) {
  return sinter_session_matches(model, session, SINTER_HANDLE_MAGIC);
}

static char *sinter_session_memory(const struct sinter_model *model,
                                   const void *session) {
  return (char *)*sinter_handle_word(model, session, SINTER_HANDLE_MEMORY);
}

/* Where the current extents lie on the device. */
static char *sinter_extents_on_device(const struct sinter_model *model,
                                      const void *session) {
  return sinter_session_memory(model, session) +
         8 * (SINTER_SESSION_DIMS_WORD + model->session_dim_count);
}

static int sinter_is_capturing(struct sinter_stream *s) {
  int capture = 0;
  if (s->status == SINTER_OK)
    sinter_note(s, s->driver->cuStreamIsCapturing(s->stream, &capture));
  return capture != 0;
}

/* Reads the current extents if the host does not know them. In a capture what
   was read last counts: the first kernel of an entry sees whether it holds. */
static void sinter_refresh(struct sinter_stream *s, void *session) {
  int64_t *known = sinter_handle_word(s->model, session, SINTER_HANDLE_EXTENTS);
  if (!*known || s->status != SINTER_OK)
    return;
  if (sinter_is_capturing(s)) {
    if (*known & SINTER_EXTENTS_UNREAD)
      s->status = sinter_device_fail(s->model, SINTER_DEVICE_CAPTURE);
    return;
  }
  sinter_download(s, sinter_session_extents(s->model, session),
                  sinter_extents_on_device(s->model, session),
                  8 * s->model->extent_count);
  if (s->status == SINTER_OK)
    *known &= ~(int64_t)SINTER_EXTENTS_UNREAD;
}

/* What is queued may change the current extents. */
static void sinter_extents_change(struct sinter_stream *s, void *session) {
  *sinter_handle_word(s->model, session, SINTER_HANDLE_EXTENTS) |=
      SINTER_EXTENTS_UNREAD |
      (sinter_is_capturing(s) ? SINTER_EXTENTS_IN_GRAPH : 0);
}

/* Empties rows [first, last): cursors and tensor states become zero, and so do
   the extents if these are all rows. */
static void sinter_session_clear(struct sinter_stream *s, void *session,
                                 int64_t first, int64_t last) {
  const struct sinter_model *model = s->model;
  int64_t *extents = sinter_session_extents(model, session);
  if (last - first == sinter_session_rows(model, session)) {
    int64_t *known = sinter_handle_word(model, session, SINTER_HANDLE_EXTENTS);
    *known &= SINTER_EXTENTS_IN_GRAPH;
    if (model->extent_count > 0 && sinter_is_capturing(s))
      sinter_extents_change(s, session);
    memset(extents, 0, 8 * (size_t)model->extent_count);
    sinter_clear(s, sinter_extents_on_device(model, session),
                 8 * model->extent_count);
  } else {
    sinter_refresh(s, session);
  }
  for (int64_t c = 0; c < model->cursor_count; c++)
    sinter_clear(s, sinter_session_cursor(model, session, c) + first,
                 8 * (last - first));
  for (int64_t i = 0; i < model->state_count; i++) {
    const struct sinter_state *state = &model->states[i];
    if (state->kind != SINTER_STATE_TENSOR)
      continue;
    int64_t row = sinter_row_bytes(state, extents + state->first_extent);
    sinter_clear(s, sinter_state_buffer(model, session, i) + first * row,
                 (last - first) * row);
  }
}

static int32_t sinter_check_init(const struct sinter_model *model, void *memory,
                                 int64_t size, void *buffer,
                                 int64_t buffer_size, const int64_t *dims,
                                 void **session) {
  int32_t status = sinter_check_init_memory(model, memory, dims, session);
  if (status != SINTER_OK)
    return status;
  if ((uint64_t)size < (uint64_t)sinter_handle_bytes(model))
    return sinter_fail(model, SINTER_CHECK_INIT_SIZE);
  if (!buffer)
    return sinter_device_fail(model, SINTER_DEVICE_INIT_BUFFER_NULL);
  if (sinter_misaligned(buffer, SINTER_ALIGNMENT))
    return sinter_device_fail(model, SINTER_DEVICE_INIT_BUFFER_ALIGN);
  int64_t bytes = sinter_session_bytes(model, dims);
  if (bytes == 0 || (uint64_t)buffer_size < (uint64_t)bytes)
    return sinter_device_fail(model, SINTER_DEVICE_INIT_BUFFER_SIZE);
  return SINTER_OK;
}

int32_t sinter_device_session_init(const struct sinter_model *model,
                                   void *memory, int64_t size, void *buffer,
                                   int64_t buffer_size, const int64_t *dims,
                                   void *stream, void **session) {
  int32_t status = sinter_check_init(model, memory, size, buffer, buffer_size,
                                     dims, session);
  if (status != SINTER_OK)
    return status;
  struct sinter_stream s = sinter_use_stream(model, stream);
  int64_t *words = memory;
  memset(memory, 0, (size_t)sinter_handle_bytes(model));
  words[SINTER_SESSION_MAGIC_WORD] = SINTER_SESSION_MAGIC;
  words[SINTER_SESSION_HASH_WORD] = model->hash;
  words[SINTER_SESSION_BYTES_WORD] = sinter_session_bytes(model, dims);
  for (int64_t i = 0; i < model->session_dim_count; i++)
    words[SINTER_SESSION_DIMS_WORD + i] = dims[i];
  sinter_upload(&s, buffer, memory, sinter_session_header(model));
  *sinter_handle_word(model, memory, SINTER_HANDLE_MEMORY) = (int64_t)buffer;
  sinter_session_clear(&s, memory, 0, sinter_session_rows(model, memory));
  words[SINTER_SESSION_MAGIC_WORD] =
      s.status == SINTER_OK ? SINTER_HANDLE_MAGIC : 0;
  if (s.status == SINTER_OK)
    *session = memory;
  return s.status;
}

/* Whether every cursor stands where a session of this model can leave it; its
   words have been checked. */
static int sinter_cursors_plausible(struct sinter_stream *s,
                                    const void *session) {
  int64_t part[64], rows = sinter_session_rows(s->model, session);
  int good = 1;
  for (int64_t c = 0; c < s->model->cursor_count; c++)
    for (int64_t first = 0; first < rows; first += 64) {
      int64_t count = rows - first < 64 ? rows - first : 64;
      sinter_download(s, part,
                      sinter_session_cursor(s->model, session, c) + first,
                      8 * count);
      for (int64_t i = 0; s->status == SINTER_OK && i < count; i++)
        good &= part[i] >= 0 &&
                part[i] <= sinter_session_capacity(s->model, session, c);
    }
  return good;
}

static int sinter_restorable(struct sinter_stream *s, const void *memory) {
  const struct sinter_model *model = s->model;
  const int64_t *extents = sinter_session_extents(model, memory);
  for (int64_t i = 0; i < model->extent_count; i++)
    if (extents[i] < 0 ||
        extents[i] > sinter_session_dims(memory)[model->extents[i]])
      return 0;
  return sinter_cursors_plausible(s, memory);
}

int32_t sinter_device_session_restore(const struct sinter_model *model,
                                      void *memory, int64_t size, void *buffer,
                                      int64_t buffer_size, void *stream,
                                      void **session) {
  int32_t status = sinter_check_restore_memory(model, memory, session);
  if (status != SINTER_OK)
    return status;
  if ((uint64_t)size < (uint64_t)sinter_handle_bytes(model))
    return sinter_fail(model, SINTER_CHECK_RESTORE_SIZE);
  if (!buffer)
    return sinter_device_fail(model, SINTER_DEVICE_RESTORE_BUFFER_NULL);
  if (sinter_misaligned(buffer, SINTER_ALIGNMENT))
    return sinter_device_fail(model, SINTER_DEVICE_RESTORE_BUFFER_ALIGN);
  if ((uint64_t)buffer_size < (uint64_t)sinter_session_header(model))
    return sinter_device_fail(model, SINTER_DEVICE_RESTORE_BUFFER_SIZE);
  struct sinter_stream s = sinter_use_stream(model, stream);
  int64_t *words = memory;
  memset(memory, 0, (size_t)sinter_handle_bytes(model));
  sinter_download(&s, memory, buffer, sinter_session_header(model));
  *sinter_handle_word(model, memory, SINTER_HANDLE_MEMORY) = (int64_t)buffer;
  if (s.status == SINTER_OK &&
      !sinter_session_plausible(model, memory, SINTER_SESSION_MAGIC))
    s.status = sinter_fail(model, SINTER_CHECK_RESTORE_CONTENT);
  if (s.status == SINTER_OK &&
      (uint64_t)buffer_size < (uint64_t)words[SINTER_SESSION_BYTES_WORD])
    s.status = sinter_device_fail(model, SINTER_DEVICE_RESTORE_BUFFER_SIZE);
  if (s.status == SINTER_OK && !sinter_restorable(&s, memory) &&
      s.status == SINTER_OK)
    s.status = sinter_fail(model, SINTER_CHECK_RESTORE_CONTENT);
  words[SINTER_SESSION_MAGIC_WORD] =
      s.status == SINTER_OK ? SINTER_HANDLE_MAGIC : 0;
  if (s.status == SINTER_OK)
    *session = memory;
  return s.status;
}

int64_t sinter_device_session_length(const struct sinter_model *model,
                                     const void *session, int64_t cursor,
                                     int64_t row, void *stream) {
  int64_t length = 0;
  if (!session)
    return sinter_fail(model, SINTER_CHECK_LENGTH_SESSION_NULL);
  if (!sinter_session_valid(model, session))
    return sinter_fail(model, SINTER_CHECK_LENGTH_SESSION_BAD);
  if (row < 0 || row >= sinter_session_rows(model, session))
    return sinter_fail(model, SINTER_CHECK_LENGTH_ROW);
  struct sinter_stream s = sinter_use_stream(model, stream);
  sinter_download(&s, &length,
                  sinter_session_cursor(model, session, cursor) + row, 8);
  return s.status == SINTER_OK ? length : s.status;
}

int32_t sinter_device_session_truncate(const struct sinter_model *model,
                                       void *session, int64_t cursor,
                                       int64_t row, int64_t length,
                                       void *stream) {
  if (!session)
    return sinter_fail(model, SINTER_CHECK_TRUNCATE_SESSION_NULL);
  if (!sinter_session_valid(model, session))
    return sinter_fail(model, SINTER_CHECK_TRUNCATE_SESSION_BAD);
  int64_t rows = sinter_session_rows(model, session);
  if (row < -1 || row >= rows)
    return sinter_fail(model, SINTER_CHECK_TRUNCATE_ROW);
  struct sinter_stream s = sinter_use_stream(model, stream);
  int64_t first = row < 0 ? 0 : row, last = row < 0 ? rows : row + 1;
  int64_t *lengths = sinter_session_cursor(model, session, cursor);
  /* The first round looks, the second writes. */
  for (int round = 0; round < 2; round++)
    for (int64_t i = first; s.status == SINTER_OK && i < last; i += 64) {
      int64_t part[64], count = last - i < 64 ? last - i : 64;
      if (round == 0)
        sinter_download(&s, part, lengths + i, 8 * count);
      for (int64_t k = 0; s.status == SINTER_OK && k < count; k++) {
        if (round == 0 && (length < 0 || length > part[k]))
          return sinter_fail(model, SINTER_CHECK_TRUNCATE_LENGTH);
        part[k] = length;
      }
      if (round == 1)
        sinter_upload(&s, lengths + i, part, 8 * count);
    }
  return s.status;
}

int32_t sinter_device_session_reset(const struct sinter_model *model,
                                    void *session, int64_t row, void *stream) {
  if (!session)
    return sinter_fail(model, SINTER_CHECK_RESET_SESSION_NULL);
  if (!sinter_session_valid(model, session))
    return sinter_fail(model, SINTER_CHECK_RESET_SESSION_BAD);
  int64_t rows = sinter_session_rows(model, session);
  if (row < -1 || row >= rows)
    return sinter_fail(model, SINTER_CHECK_RESET_ROW);
  struct sinter_stream s = sinter_use_stream(model, stream);
  /* Where a row lies follows from extents, which a graph would go on using. */
  if (row >= 0 && model->extent_count > 0 && sinter_is_capturing(&s))
    s.status = sinter_device_fail(model, SINTER_DEVICE_CAPTURE);
  if (s.status != SINTER_OK)
    return s.status;
  sinter_session_clear(&s, session, row < 0 ? 0 : row,
                       row < 0 ? rows : row + 1);
  return s.status;
}
