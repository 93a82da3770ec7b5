/* sinter_rt.h: an optional pool of threads for compiled models (C99, C++).
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *   sinter_pool *pool = sinter_pool_create(0);
 *   const sinter_exec *exec = sinter_pool_exec(pool);
 *   void *work = aligned_alloc(64, model_run_workspace_size(n, exec->workers));
 *   status = model_run(exec, work, ...);
 *   sinter_pool_destroy(pool);
 */
#ifndef SINTER_RT_H
#define SINTER_RT_H
#include "sinter_types.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct sinter_pool sinter_pool;

/* A pool of `workers` threads in all, the caller's among them; 0: one for each
   processor that the process may use. NULL if threads or memory are short. */
sinter_pool *sinter_pool_create(int32_t workers);
/* Waits for its threads to end. No call may be running. NULL: nothing. */
void sinter_pool_destroy(sinter_pool *pool);

/* The pool as a sinter_exec, valid until the pool is destroyed. It serves one
   call at a time; a second thread that calls meanwhile waits its turn at each
   kernel. Threads sleep between calls and spin for a while inside one. */
const sinter_exec *sinter_pool_exec(sinter_pool *pool);

#ifdef __cplusplus
}
#endif
#endif /* SINTER_RT_H */
