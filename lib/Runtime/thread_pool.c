/*===- thread_pool.c - Optional workers for compiled models ------*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/
#include "sinter-c/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Body i of a run belongs to worker i, and each run waits until every worker
   has seen it: so nobody ever reads the job of another run. */
struct sinter_pool {
  int32_t workers;
  int32_t started; /* threads, without the caller's */
  pthread_t *threads;
  pthread_mutex_t turn; /* held during a run */

  pthread_mutex_t lock; /* guards sleeping */
  pthread_cond_t wake;
  atomic_uint run;    /* number of the run; a new one starts the workers */
  atomic_int pending; /* workers that have not finished this run */
  atomic_int calls;   /* entries in progress: workers spin, not sleep */

  /* Written before `run` changes. */
  int32_t count;
  void (*body)(void *argument, int32_t i);
  void *argument;
  int stop;
};

struct start {
  sinter_pool *pool;
  int32_t index;
};

static void pause_briefly(int round) {
  if (round % 64 == 63)
    sched_yield();
#if defined(__x86_64__) || defined(__i386__)
  else
    __builtin_ia32_pause();
#endif
}

static void wait_for_run(sinter_pool *pool, unsigned last) {
  int round;
  for (round = 0; round < 2000 ||
                  atomic_load_explicit(&pool->calls, memory_order_relaxed) > 0;
       round = (round + 1) & 0xffff) {
    if (atomic_load_explicit(&pool->run, memory_order_acquire) != last)
      return;
    pause_briefly(round);
  }
  pthread_mutex_lock(&pool->lock);
  while (atomic_load_explicit(&pool->run, memory_order_acquire) == last)
    pthread_cond_wait(&pool->wake, &pool->lock);
  pthread_mutex_unlock(&pool->lock);
}

static void *work(void *argument) {
  struct start start = *(struct start *)argument;
  sinter_pool *pool = start.pool;
  unsigned last = 0;
  free(argument);
  for (;;) {
    wait_for_run(pool, last);
    last = atomic_load_explicit(&pool->run, memory_order_acquire);
    if (pool->stop)
      return NULL;
    if (start.index < pool->count)
      pool->body(pool->argument, start.index);
    atomic_fetch_sub_explicit(&pool->pending, 1, memory_order_release);
  }
}

static void publish(sinter_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  atomic_fetch_add_explicit(&pool->run, 1, memory_order_release);
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->lock);
}

static void run_bodies(void *context, int32_t count,
                       void (*body)(void *argument, int32_t i),
                       void *argument) {
  sinter_pool *pool = context;
  int round;
  if (count <= 0)
    return;
  if (count == 1 || pool->started == 0) {
    int32_t i;
    for (i = 0; i < count; i++)
      body(argument, i);
    return;
  }
  pthread_mutex_lock(&pool->turn);
  pool->count = count;
  pool->body = body;
  pool->argument = argument;
  atomic_store_explicit(&pool->pending, pool->started, memory_order_relaxed);
  publish(pool);
  body(argument, 0);
  for (round = 0;
       atomic_load_explicit(&pool->pending, memory_order_acquire) > 0;
       round = (round + 1) & 0xffff)
    pause_briefly(round);
  pthread_mutex_unlock(&pool->turn);
}

static void begin_call(void *context) {
  sinter_pool *pool = context;
  atomic_fetch_add_explicit(&pool->calls, 1, memory_order_relaxed);
}

static void end_call(void *context) {
  sinter_pool *pool = context;
  atomic_fetch_sub_explicit(&pool->calls, 1, memory_order_relaxed);
}

static int start_thread(sinter_pool *pool, int32_t index) {
  struct start *start = malloc(sizeof *start);
  if (!start)
    return 0;
  start->pool = pool;
  start->index = index;
  if (pthread_create(&pool->threads[index - 1], NULL, work, start) != 0) {
    free(start);
    return 0;
  }
  pool->started++;
  return 1;
}

sinter_pool *sinter_pool_create(int32_t workers) {
  sinter_pool *pool;
  int32_t i;
  if (workers < 1)
    return NULL;
  pool = calloc(1, sizeof *pool);
  if (!pool)
    return NULL;
  pool->workers = workers;
  pool->threads = calloc((size_t)workers, sizeof *pool->threads);
  pthread_mutex_init(&pool->turn, NULL);
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->wake, NULL);
  for (i = 1; pool->threads && i < workers; i++)
    if (!start_thread(pool, i))
      break;
  if (pool->threads && i == workers)
    return pool;
  sinter_pool_destroy(pool);
  return NULL;
}

void sinter_pool_destroy(sinter_pool *pool) {
  int32_t i;
  if (!pool)
    return;
  pool->stop = 1;
  publish(pool);
  for (i = 0; i < pool->started; i++)
    pthread_join(pool->threads[i], NULL);
  pthread_cond_destroy(&pool->wake);
  pthread_mutex_destroy(&pool->lock);
  pthread_mutex_destroy(&pool->turn);
  free(pool->threads);
  free(pool);
}

sinter_exec sinter_pool_exec(sinter_pool *pool) {
  sinter_exec exec = {0};
  exec.size = sizeof exec;
  exec.workers = pool->workers;
  exec.context = pool;
  exec.run = run_bodies;
  exec.begin = begin_call;
  exec.end = end_call;
  return exec;
}
