/*===- thread_pool.h - Optional workers for compiled models ------*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/
/* A small pool of POSIX threads behind `sinter_exec`. A program that has
   workers of its own (OpenMP, TBB, GCD) lends those instead and needs nothing
   of this.

     sinter_pool *pool = sinter_pool_create(4);
     sinter_exec exec = sinter_pool_exec(pool);
     status = model_entry(session, &exec, workspace, size, ...);
     sinter_pool_destroy(pool);                                              */
#ifndef SINTER_C_THREAD_POOL_H
#define SINTER_C_THREAD_POOL_H

#include "sinter-c/sinter_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sinter_pool sinter_pool;

/* `workers` counts the calling thread: 4 starts three threads. NULL where
   workers < 1 or the system refuses memory or a thread. */
sinter_pool *sinter_pool_create(int32_t workers);

/* No call may be running. NULL is nothing to do. */
void sinter_pool_destroy(sinter_pool *pool);

/* What to give to an entry. Calls from several threads take turns. */
sinter_exec sinter_pool_exec(sinter_pool *pool);

#ifdef __cplusplus
}
#endif
#endif /* SINTER_C_THREAD_POOL_H */
