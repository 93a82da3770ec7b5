/*===- CallLayout.h - what an entry's code sees of a call ------*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The structures that compiled entries (LLVM IR built against them) and the
 * runtime (C) share. C99 and C++. All members are eight bytes wide, in this
 * order, so the LLVM type of a structure is a plain list of i64 and ptr.
 *===--------------------------------------------------------------------===*/
#ifndef SINTER_TARGET_PACKAGE_CALLLAYOUT_H
#define SINTER_TARGET_PACKAGE_CALLLAYOUT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
/* NOLINTBEGIN(readability-identifier-naming): C names. */

/* One kernel. The packager defines a constant of this type, named
   `<kernel>_kernel`, for every name in ModelInterface::kernels, from the
   functions `<kernel>`, `<kernel>_tasks` and `<kernel>_steps`; the module that
   it gets declares that symbol external where a launch refers to it.

   args: one int64 per launch slot; a memref takes its address, then its dynamic
   extents; an integer takes one slot. */
struct sinter_kernel {
  const char *name;
  /* One task. scratch: the worker's own, 64-aligned, contents undefined. */
  void (*body)(const int64_t *args, int64_t step, int64_t task, void *scratch);
  /* Number of independent tasks of a step; NULL (no such function): 1. */
  int64_t (*tasks)(const int64_t *args, int64_t step);
  /* Number of steps, run one after the other; NULL: 1. */
  int64_t (*steps)(const int64_t *args);
  int64_t index; /* position in ModelInterface::kernels */
};

/* One call of an entry; the argument of `void <entry>_run(struct sinter_call
 *)`. All checks have passed. Pointers are valid until run returns. */
struct sinter_call {
  /* 0: dims[i] is the value of EntryInterface::dims[i]. */
  const int64_t *dims;
  /* 1: tensors[i] belongs to EntryInterface::tensors[i] (model order: inputs,
     then outputs). A NULL lengths tensor was replaced by a filled array. */
  void *const *tensors;
  /* 2: slots[i] is the address of EntryInterface::slots[i], 64-aligned. */
  char *const *slots;
  /* 3: first byte of the weight blob, 64-aligned. */
  const char *weights;
  /* 4: addresses of the session's buffers, 64-aligned; see
     ModelInterface::stateSlot: a cache has two (keys, values), a tensor one. */
  char *const *states;
  /* 5: cursors[2 * c] is where cursor c starts, cursors[2 * c + 1] where it
     will stand after this call; int64 per row. */
  const int64_t *const *cursors;
  /* 6: a kernel that clamps an index computed inside the graph stores 1 here
     (relaxed, through the address passed to it); the call then reports it. */
  int64_t notice;
  /* From here on the runtime's own. */
  const void *exec;
  char *scratch;
  int64_t scratch_bytes;
  int64_t mxcsr;
  const void *model;
  char *session;
};

/* Member numbers of struct sinter_call for code that builds IR. */
enum {
  SINTER_CALL_DIMS = 0,
  SINTER_CALL_TENSORS = 1,
  SINTER_CALL_SLOTS = 2,
  SINTER_CALL_WEIGHTS = 3,
  SINTER_CALL_STATES = 4,
  SINTER_CALL_CURSORS = 5,
  SINTER_CALL_NOTICE = 6
};

/* Runs all steps and tasks of a kernel, in parallel where the caller lends
   workers, and returns when all are done. Declared external in the module that
   the packager gets, internal after linking. */
void sinter_launch(struct sinter_call *call, const struct sinter_kernel *kernel,
                   const int64_t *args);

/* The content of a tensor state, number `state` of the model, becomes what lies
   at args[0], whose extents behind the rows are args[1], args[2] ...; so do the
   state's. `lengths`: the tensor that holds 0 for rows that stay as they are,
   or -1. After the last launch only: nothing reads the old content any more. */
void sinter_commit_state(struct sinter_call *call, int64_t state,
                         int64_t lengths, const int64_t *args);

/* NOLINTEND(readability-identifier-naming) */
#ifdef __cplusplus
}
#endif
#endif /* SINTER_TARGET_PACKAGE_CALLLAYOUT_H */
