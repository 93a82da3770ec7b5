/*===- model.h - the tables that drive the runtime -------------*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * sinterc emits one constant struct sinter_model (Descriptor.cpp); the C files
 * beside this one interpret it. All members are eight bytes wide, so that the
 * emitted constants are plain lists of i64 and ptr.
 *===--------------------------------------------------------------------===*/
#ifndef SINTER_RUNTIME_MODEL_H
#define SINTER_RUNTIME_MODEL_H

#include "sinter/Target/Package/CallLayout.h"
#include <stdint.h>

/* Size programs: a stack machine over int64; any overflow makes the whole
   program fail. One program ends at SINTER_OP_END. */
enum {
  SINTER_OP_END,
  SINTER_OP_CONST,     /* operand: the value */
  SINTER_OP_DIM,       /* operand: index into dims */
  SINTER_OP_ADD,       /* a b -> a + b */
  SINTER_OP_MUL,       /* a b -> a * b */
  SINTER_OP_MAX,       /* a b -> the larger */
  SINTER_OP_CEILDIV,   /* operand: divisor; a -> ceil(a / divisor) */
  SINTER_OP_STACK = 16 /* depth that every program keeps to */
};

/* An extent in a table: >= 0 a constant, else dims[~value]. */

enum { SINTER_ROLE_INPUT, SINTER_ROLE_LENGTHS, SINTER_ROLE_OUTPUT };
enum {
  SINTER_CURSOR_READ,
  SINTER_CURSOR_APPEND,
  SINTER_CURSOR_FILL,
  SINTER_CURSOR_RESTART
};
enum { SINTER_STATE_CACHE, SINTER_STATE_TENSOR };

/* Checks are numbered from 1 over the whole model; the number stands above the
   kind in a status and indexes sinter_model::checks. These are the model's own;
   then comes one per session dimension, then the entries' blocks. */
enum {
  SINTER_CHECK_NONE,
  SINTER_CHECK_INIT_MEMORY_NULL,
  SINTER_CHECK_INIT_MEMORY_ALIGN,
  SINTER_CHECK_INIT_SIZE,
  SINTER_CHECK_INIT_OUT_NULL,
  SINTER_CHECK_RESTORE_MEMORY_NULL,
  SINTER_CHECK_RESTORE_MEMORY_ALIGN,
  SINTER_CHECK_RESTORE_SIZE,
  SINTER_CHECK_RESTORE_OUT_NULL,
  SINTER_CHECK_RESTORE_CONTENT,
  SINTER_CHECK_LENGTH_SESSION_NULL,
  SINTER_CHECK_LENGTH_SESSION_BAD,
  SINTER_CHECK_LENGTH_ROW,
  SINTER_CHECK_TRUNCATE_SESSION_NULL,
  SINTER_CHECK_TRUNCATE_SESSION_BAD,
  SINTER_CHECK_TRUNCATE_ROW,
  SINTER_CHECK_TRUNCATE_LENGTH,
  SINTER_CHECK_RESET_SESSION_NULL,
  SINTER_CHECK_RESET_SESSION_BAD,
  SINTER_CHECK_RESET_ROW,
  SINTER_CHECK_COPY_TO_NULL,
  SINTER_CHECK_COPY_TO_BAD,
  SINTER_CHECK_COPY_TO_ROW,
  SINTER_CHECK_COPY_FROM_NULL,
  SINTER_CHECK_COPY_FROM_BAD,
  SINTER_CHECK_COPY_FROM_ROW,
  SINTER_CHECK_COPY_FULL,
  SINTER_CHECK_OPEN_BYTES_NULL,
  SINTER_CHECK_OPEN_ALIGN,
  SINTER_CHECK_OPEN_SIZE,
  SINTER_CHECK_OPEN_OUT_NULL,
  SINTER_CHECK_OPEN_HEADER,
  SINTER_CHECK_VERIFY_NULL,
  SINTER_CHECK_VERIFY_HEADER,
  SINTER_CHECK_VERIFY_HASH,
  SINTER_CHECK_NOTICE_CLAMPED,
  SINTER_MODEL_CHECKS
};

/* An entry's block: first_check + one of these; then SINTER_DIM_CHECKS per
   dimension, SINTER_TENSOR_CHECKS per tensor, one per cursor use, one per
   position check, one per extent read, one per extent written. */
enum {
  SINTER_ENTRY_SESSION_NULL,
  SINTER_ENTRY_SESSION_BAD,
  SINTER_ENTRY_WEIGHTS_NULL,
  SINTER_ENTRY_WEIGHTS_BAD,
  SINTER_ENTRY_EXEC_SIZE,
  SINTER_ENTRY_EXEC_WORKERS,
  SINTER_ENTRY_EXEC_RUN,
  SINTER_ENTRY_CPU,
  SINTER_ENTRY_WORKSPACE_NULL,
  SINTER_ENTRY_WORKSPACE_ALIGN,
  SINTER_ENTRY_WORKSPACE_SIZE,
  SINTER_ENTRY_CHECKS
};
enum { SINTER_DIM_RANGE, SINTER_DIM_SESSION, SINTER_DIM_CHECKS };
enum {
  SINTER_TENSOR_NULL,
  SINTER_TENSOR_ALIGN,
  SINTER_TENSOR_SIZE,
  SINTER_TENSOR_RANGE,
  SINTER_TENSOR_CHECKS
};

/* Checks of a model for a device, numbered from sinter_model::device_checks on,
   after those of the entries. */
enum {
  SINTER_DEVICE_OPEN_MEMORY_NULL,
  SINTER_DEVICE_OPEN_MEMORY_ALIGN,
  SINTER_DEVICE_OPEN_SIZE,
  SINTER_DEVICE_OPEN_OUT_NULL,
  SINTER_DEVICE_OPEN_BUFFER_NULL,
  SINTER_DEVICE_OPEN_BUFFER_ALIGN,
  SINTER_DEVICE_OPEN_BUFFER_SIZE,
  SINTER_DEVICE_OPEN_WEIGHTS_NULL,
  SINTER_DEVICE_OPEN_WEIGHTS_BAD,
  SINTER_DEVICE_OPEN_DRIVER,
  SINTER_DEVICE_OPEN_CONTEXT,
  SINTER_DEVICE_OPEN_IMAGE,
  SINTER_DEVICE_OPEN_SHARED,
  SINTER_DEVICE_CLOSE_NULL,
  SINTER_DEVICE_CLOSE_BAD,
  SINTER_DEVICE_DRIVER, /* gone since the device was opened */
  SINTER_DEVICE_STATUS_NULL,
  SINTER_DEVICE_STATUS_ALIGN,
  SINTER_DEVICE_STATUS_BAD,
  SINTER_DEVICE_INIT_BUFFER_NULL,
  SINTER_DEVICE_INIT_BUFFER_ALIGN,
  SINTER_DEVICE_INIT_BUFFER_SIZE,
  SINTER_DEVICE_RESTORE_BUFFER_NULL,
  SINTER_DEVICE_RESTORE_BUFFER_ALIGN,
  SINTER_DEVICE_RESTORE_BUFFER_SIZE,
  SINTER_DEVICE_COPY_NULL,
  SINTER_DEVICE_COPY_BAD,
  SINTER_DEVICE_CAPTURE, /* current extents are to be read in a capture */
  SINTER_DEVICE_GRID,    /* more tasks than a launch can have */
  SINTER_DEVICE_CHECKS
};
/* An error of the driver is no check: this plus its number. */
enum { SINTER_DEVICE_ERROR = 1 << 20 };

/* The wrapper's argument array: these, then the parameters among the
   dimensions in order, then all tensors in model order. */
enum {
  SINTER_ARG_SESSION,
  SINTER_ARG_WEIGHTS, /* on a device: its handle */
  SINTER_ARG_EXEC,    /* on a device: the stream */
  SINTER_ARG_WORKSPACE,
  SINTER_ARG_WORKSPACE_SIZE,
  SINTER_ARG_DIMS
};

enum { SINTER_ALIGNMENT = 64, SINTER_WEIGHTS_HEADER = 64 };

/* First words of a session: magic, model hash, bytes, then its dimensions, then
   the current extents of tensor states. */
#define SINTER_SESSION_MAGIC INT64_C(0x3130534e49530a0d)
enum {
  SINTER_SESSION_MAGIC_WORD,
  SINTER_SESSION_HASH_WORD,
  SINTER_SESSION_BYTES_WORD,
  SINTER_SESSION_DIMS_WORD
};
/* On a device these words stand at the start of its memory, under that magic
   number, and in the session's handle in host memory, where two words of the
   handle's own follow. */
#define SINTER_HANDLE_MAGIC INT64_C(0x3148534e49530a0d)
enum { SINTER_HANDLE_MEMORY, SINTER_HANDLE_EXTENTS, SINTER_HANDLE_WORDS };
/* Of the handle's current extents: to be read before they are used; a graph may
   change them whenever it is launched, so that each use outside of a capture
   reads them. */
enum { SINTER_EXTENTS_UNREAD = 1, SINTER_EXTENTS_IN_GRAPH = 2 };
/* Words of a device's handle: magic, model hash, address of the weights, then a
   module and a function of each kernel, the session's behind them. */
#define SINTER_DEVICE_MAGIC INT64_C(0x3144534e49530a0d)
enum {
  SINTER_DEVICE_MAGIC_WORD,
  SINTER_DEVICE_HASH_WORD,
  SINTER_DEVICE_WEIGHTS_WORD,
  SINTER_DEVICE_KERNELS_WORD
};
/* Bytes of the workspace's start that hold the status of the last call. */
enum { SINTER_DEVICE_RESERVED = 64 };
/* First words of weights: magic, hash of the blob, its bytes; rest zero. */
#define SINTER_WEIGHTS_MAGIC INT64_C(0x3130574e49530a0d)

/* The code of a kernel of a device. */
struct sinter_image {
  int64_t arch; /* 90: compute capability 9.0 */
  int64_t kind;
  const void *code;
};
enum {
  SINTER_IMAGE_CODE,     /* for `arch` and later minor numbers of its major */
  SINTER_IMAGE_SPECIFIC, /* for `arch` alone */
  SINTER_IMAGE_PTX       /* for `arch` and all later ones */
};
/* What `<kernel>_kernel` is on a device. */
struct sinter_device_kernel {
  const char *name; /* of the function in its images, too */
  int64_t (*tasks)(const int64_t *args, int64_t step); /* blocks; NULL: 1 */
  int64_t (*steps)(const int64_t *args);               /* launches; NULL: 1 */
  int64_t index;
  int64_t threads;      /* of a block */
  int64_t shared_bytes; /* dynamic */
  int64_t image_count;
  const struct sinter_image *images;
};

struct sinter_check {
  int64_t kind; /* SINTER_ARGUMENT ... */
  const char *sentence;
};
/* Where an entry's dimension comes from. */
enum {
  SINTER_DIM_FROM_SESSION,  /* the session's dimension `session` */
  SINTER_DIM_FROM_ARGUMENT, /* an argument; `session` is its limit */
  SINTER_DIM_FROM_STATE     /* the current extent `session` */
};
struct sinter_dim {
  int64_t lower, upper;
  int64_t session; /* or -1 */
  int64_t source;
};
struct sinter_tensor {
  int64_t role;
  int64_t element_bytes;
  int64_t rank;
  const int64_t *shape; /* extents */
  int64_t extent;       /* of lengths: what they count */
  int64_t limit;        /* > 0: ids in [0, limit) */
  int64_t below;        /* ids in [0, this extent); INT64_MAX: no such limit */
  int64_t lengths;      /* tensor, or -1 */
};
struct sinter_cursor_use {
  int64_t cursor, kind, by, lengths;
};
struct sinter_position_check {
  int64_t cursor, by, lengths, limit;
};
/* A current extent that must be the entry's dimension. */
struct sinter_extent_read {
  int64_t extent, dim;
};
/* What an entry writes to a state may have at most the session's dimension. */
struct sinter_extent_write {
  const int64_t *program; /* over the entry's dimensions */
  int64_t session;
};
struct sinter_entry {
  void (*run)(struct sinter_call *);
  const struct sinter_model *model;
  int64_t uses_session,
      weights; /* weights: 0 none, 1 an argument, 2 embedded */
  int64_t first_check;
  int64_t dim_count;
  const struct sinter_dim *dims;
  int64_t tensor_count;
  const struct sinter_tensor *tensors;
  int64_t cursor_use_count;
  const struct sinter_cursor_use *cursor_uses;
  int64_t position_count;
  const struct sinter_position_check *positions;
  int64_t extent_read_count;
  const struct sinter_extent_read *extent_reads;
  int64_t extent_write_count;
  const struct sinter_extent_write *extent_writes;
  int64_t rows; /* extent over dims: the session's rows; 0 without session */
  int64_t slot_count;
  const int64_t *slots;   /* slot_count programs, one after the other */
  int64_t scratch_bytes;  /* multiple of 64 */
  int64_t reserved_bytes; /* of the workspace's start, the target's own */
};
struct sinter_state {
  int64_t kind;
  int64_t cursor; /* of a cache */
  int64_t heads;
  int64_t key_bytes;   /* of one position of one head; tensor: of an element */
  int64_t value_bytes; /* of one position of one head */
  int64_t panel;       /* of a cache: positions in a panel of keys */
  int64_t first_extent, extent_count; /* of a tensor: its current extents */
  int64_t rank;         /* of a tensor: dimensions behind the rows */
  const int64_t *shape; /* >= 0 a constant, else its own extent ~value */
};
enum { SINTER_MAX_RANK = 16 };
struct sinter_model {
  int64_t hash;
  int64_t mxcsr;
  int64_t cpu_features;
  const char *isa;
  int64_t session_dim_count;
  const struct sinter_dim *session_dims;
  int64_t rows; /* extent over the session's dimensions */
  int64_t cursor_count;
  const int64_t *capacities; /* extents over the session's dimensions */
  int64_t extent_count;
  const int64_t *extents; /* of each current extent: its session dimension */
  int64_t state_count;
  const struct sinter_state *states;
  int64_t state_slot_count;
  const int64_t *state_bytes; /* state_slot_count programs */
  int64_t weights_bytes;      /* of the blob */
  int64_t weights_hash;
  const char *embedded; /* the blob, or NULL */
  int64_t check_count;
  const struct sinter_check *checks; /* [check_count], entry 0 unused */
  int64_t kernel_count;
  /* On a device struct sinter_device_kernel, and the session's kernel behind
     the last. */
  const struct sinter_kernel *const *kernels;
  int64_t device_checks; /* number of the first; 0: no device */
};

/* What the exported wrappers call. args: int64 or pointer values, eight bytes
   each. tables: room for dims, tensors, slots, states and twice the cursors. */
int32_t sinter_enter(const struct sinter_entry *entry, const int64_t *args,
                     int64_t *tables);
/* args: all dimensions but unused capacities are in `dims`, workers apart. */
int64_t sinter_workspace_size(const struct sinter_entry *entry,
                              const int64_t *dims, int64_t workers);
int64_t sinter_session_size(const struct sinter_model *model,
                            const int64_t *dims);
int32_t sinter_session_init(const struct sinter_model *model, void *memory,
                            int64_t size, const int64_t *dims, void **session);
int32_t sinter_session_restore(const struct sinter_model *model, void *memory,
                               int64_t size, void **session);
int64_t sinter_session_length(const struct sinter_model *model,
                              const void *session, int64_t cursor, int64_t row);
/* What the entry's dimension `dim` is, a current extent of states it reads. */
int64_t sinter_entry_extent(const struct sinter_entry *entry,
                            const void *session, int64_t dim);
int32_t sinter_session_truncate(const struct sinter_model *model, void *session,
                                int64_t cursor, int64_t row, int64_t length);
int32_t sinter_session_reset(const struct sinter_model *model, void *session,
                             int64_t row);
int32_t sinter_session_copy_row(const struct sinter_model *model, void *to,
                                int64_t to_row, const void *from,
                                int64_t from_row);
int32_t sinter_weights_open(const struct sinter_model *model, const void *bytes,
                            int64_t size, const void **weights);
int32_t sinter_weights_verify(const struct sinter_model *model,
                              const void *weights);

/* The same on a device. `buffer` is its memory, `memory` the host's. */
int32_t sinter_device_open(const struct sinter_model *model, void *memory,
                           int64_t size, void *buffer, int64_t buffer_size,
                           const void *weights, void *stream, void **device);
int32_t sinter_device_close(const struct sinter_model *model, void *device);
int32_t sinter_device_status(const struct sinter_model *model,
                             const void *workspace, void *stream);
int32_t sinter_device_session_init(const struct sinter_model *model,
                                   void *memory, int64_t size, void *buffer,
                                   int64_t buffer_size, const int64_t *dims,
                                   void *stream, void **session);
int32_t sinter_device_session_restore(const struct sinter_model *model,
                                      void *memory, int64_t size, void *buffer,
                                      int64_t buffer_size, void *stream,
                                      void **session);
int64_t sinter_device_session_length(const struct sinter_model *model,
                                     const void *session, int64_t cursor,
                                     int64_t row, void *stream);
int64_t sinter_device_entry_extent(const struct sinter_entry *entry,
                                   void *session, int64_t dim, void *stream);
int32_t sinter_device_session_truncate(const struct sinter_model *model,
                                       void *session, int64_t cursor,
                                       int64_t row, int64_t length,
                                       void *stream);
int32_t sinter_device_session_reset(const struct sinter_model *model,
                                    void *session, int64_t row, void *stream);
int32_t sinter_device_session_copy_row(const struct sinter_model *model,
                                       void *device, void *to, int64_t to_row,
                                       void *from, int64_t from_row,
                                       void *stream);

const char *sinter_status_string(const struct sinter_model *model,
                                 int32_t status);
const char *sinter_kernel_name(const struct sinter_model *model,
                               int32_t kernel);

#endif /* SINTER_RUNTIME_MODEL_H */
