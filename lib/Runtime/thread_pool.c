/*===- thread_pool.c - an optional pool of threads --------------*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Thread 0 is the caller. A run posts one word, its number and the count of
 * bodies; thread i < count runs body i and reports. The others never touch the
 * job, so they may be late, and a run waits for no thread that has no part.
 *===--------------------------------------------------------------------===*/
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "sinter-c/sinter_rt.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { SPINS = 4096, LINE = 64 };

struct worker {
  struct sinter_pool *pool;
  pthread_t thread;
  int32_t index;
};

struct sinter_pool {
  sinter_exec exec;
  struct worker *workers; /* exec.workers - 1 */
  pthread_mutex_t turn;   /* one run at a time */
  pthread_mutex_t sleep;
  pthread_cond_t wake;
  /* The job: written before `posted`, read by those it counts. */
  void (*body)(void *argument, int32_t i);
  void *argument;
  char pad0[LINE];
  atomic_uint_fast64_t posted; /* run number << 32 | count */
  char pad1[LINE];
  atomic_int_fast32_t pending; /* threads of the run that are not done */
  char pad2[LINE];
  atomic_int_fast32_t calls; /* between begin and end: threads spin */
  atomic_int_fast32_t sleepers;
  atomic_bool stop;
};

static void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* Blocks until something other than `seen` was posted, or stop. */
static void sleep_until_posted(struct sinter_pool *pool, uint64_t seen) {
  pthread_mutex_lock(&pool->sleep);
  atomic_fetch_add(&pool->sleepers, 1);
  while (atomic_load(&pool->posted) == seen && !atomic_load(&pool->stop))
    pthread_cond_wait(&pool->wake, &pool->sleep);
  atomic_fetch_sub(&pool->sleepers, 1);
  pthread_mutex_unlock(&pool->sleep);
}

static uint64_t wait_for_run(struct sinter_pool *pool, uint64_t seen) {
  uint64_t now = seen;
  int spin;
  for (spin = 0; spin < SPINS &&
                 atomic_load_explicit(&pool->calls, memory_order_relaxed) > 0;
       spin++) {
    now = atomic_load_explicit(&pool->posted, memory_order_acquire);
    if (now != seen)
      return now;
    pause_briefly();
  }
  sleep_until_posted(pool, seen);
  return atomic_load_explicit(&pool->posted, memory_order_acquire);
}

static void *work(void *argument) {
  struct worker *self = argument;
  struct sinter_pool *pool = self->pool;
  uint64_t seen = 0;
  for (;;) {
    seen = wait_for_run(pool, seen);
    if (atomic_load_explicit(&pool->stop, memory_order_relaxed))
      return NULL;
    if (self->index >= (int32_t)(seen & 0xffffffffu))
      continue;
    pool->body(pool->argument, self->index);
    atomic_fetch_sub_explicit(&pool->pending, 1, memory_order_release);
  }
}

static void wake_sleepers(struct sinter_pool *pool) {
  if (atomic_load(&pool->sleepers) == 0)
    return;
  pthread_mutex_lock(&pool->sleep);
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->sleep);
}

static void run(void *context, int32_t count,
                void (*body)(void *argument, int32_t i), void *argument) {
  struct sinter_pool *pool = context;
  int32_t shared = count < pool->exec.workers ? count : pool->exec.workers, i;
  int spin = 0;
  pthread_mutex_lock(&pool->turn);
  if (shared > 1) {
    uint64_t number = (atomic_load(&pool->posted) >> 32) + 1;
    pool->body = body;
    pool->argument = argument;
    atomic_store_explicit(&pool->pending, shared - 1, memory_order_relaxed);
    atomic_store(&pool->posted, number << 32 | (uint32_t)shared);
    wake_sleepers(pool);
  }
  if (count > 0)
    body(argument, 0);
  for (i = shared; i < count; i++) /* more than was promised: still right */
    body(argument, i);
  while (shared > 1 &&
         atomic_load_explicit(&pool->pending, memory_order_acquire) > 0) {
    if (++spin < SPINS)
      pause_briefly();
    else
      sched_yield(); /* fewer processors than threads */
  }
  pthread_mutex_unlock(&pool->turn);
}

static void begin(void *context) {
  atomic_fetch_add(&((struct sinter_pool *)context)->calls, 1);
}

static void end(void *context) {
  atomic_fetch_sub(&((struct sinter_pool *)context)->calls, 1);
}

static int32_t count_processors(void) {
  long online;
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
    return CPU_COUNT(&set);
#endif
  online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (int32_t)online : 1;
}

/* Ends the first `started` threads and frees everything. */
static void dissolve(struct sinter_pool *pool, int32_t started) {
  int32_t i;
  atomic_store(&pool->stop, 1);
  pthread_mutex_lock(&pool->sleep);
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->sleep);
  for (i = 0; i < started; i++)
    pthread_join(pool->workers[i].thread, NULL);
  pthread_cond_destroy(&pool->wake);
  pthread_mutex_destroy(&pool->sleep);
  pthread_mutex_destroy(&pool->turn);
  free(pool->workers);
  free(pool);
}

sinter_pool *sinter_pool_create(int32_t workers) {
  struct sinter_pool *pool = calloc(1, sizeof *pool);
  int32_t count = workers > 0 ? workers : count_processors(), i;
  if (!pool)
    return NULL;
  pool->workers = calloc((size_t)count, sizeof *pool->workers);
  if (!pool->workers || pthread_mutex_init(&pool->turn, NULL) ||
      pthread_mutex_init(&pool->sleep, NULL) ||
      pthread_cond_init(&pool->wake, NULL)) {
    free(pool->workers);
    free(pool);
    return NULL;
  }
  pool->exec =
      (sinter_exec){sizeof pool->exec, count, pool, run, begin, end, NULL};
  for (i = 0; i < count - 1; i++) {
    struct worker *worker = &pool->workers[i];
    worker->pool = pool;
    worker->index = i + 1;
    if (pthread_create(&worker->thread, NULL, work, worker)) {
      dissolve(pool, i);
      return NULL;
    }
  }
  return pool;
}

void sinter_pool_destroy(sinter_pool *pool) {
  if (pool)
    dissolve(pool, pool->exec.workers - 1);
}

const sinter_exec *sinter_pool_exec(sinter_pool *pool) { return &pool->exec; }
