/* Workspaces of all entries of memory.mlir from 512 to 32768, and calls that
 * have not a byte more. */
#include "memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SHORTEST = 512, LONGEST = 32768, FLOATS = LONGEST * 32 };

static float *q, *k, *v, *y, *extra;
static memory_session *session;

#define PATH(name, size, call)                                                 \
  static size_t name##_size(int64_t n) {                                       \
    (void)n;                                                                   \
    return size;                                                               \
  }                                                                            \
  static sinter_status name##_run(int64_t n, void *work, size_t bytes) {       \
    (void)n;                                                                   \
    return call;                                                               \
  }

PATH(full, memory_full_workspace_size(1, n, 1),
     memory_full(NULL, work, bytes, 1, n, NULL, q, k, v, y))
PATH(causal, memory_causal_workspace_size(1, n, 1),
     memory_causal(NULL, work, bytes, 1, n, q, k, v, y))
PATH(window, memory_window_workspace_size(1, n, 1),
     memory_window(NULL, work, bytes, 1, n, q, k, v, y))
PATH(cross, memory_cross_workspace_size(1, 33, n, 1),
     memory_cross(NULL, work, bytes, 1, 33, n, q, k, v, y))
PATH(sink, memory_sink_workspace_size(1, n, 1),
     memory_sink(NULL, work, bytes, 1, n, q, k, v, y, extra))
PATH(additive, memory_additive_workspace_size(1, n, 1),
     memory_additive(NULL, work, bytes, 1, n, q, k, v, y))
PATH(prefill, memory_prefill_workspace_size(1, n, 1),
     memory_prefill(session, NULL, work, bytes, n, q, k, v, y))
PATH(decode, memory_decode_workspace_size(1, 1),
     memory_decode(session, NULL, work, bytes, q, k, v, y))
PATH(layer, memory_layer_workspace_size(1, n, 1),
     memory_layer(NULL, work, bytes, 1, n, q, y))
PATH(lstm, memory_lstm_workspace_size(1, n, 1),
     memory_lstm(NULL, work, bytes, 1, n, q, y))

static const struct path {
  const char *name;
  size_t (*size)(int64_t n);
  sinter_status (*run)(int64_t n, void *work, size_t bytes);
  int64_t length; /* of the call */
} paths[] = {
#define ROW(name, length) {#name, name##_size, name##_run, length}
    ROW(full, 8192),     ROW(causal, 8192),  ROW(window, LONGEST),
    ROW(cross, LONGEST), ROW(prefill, 8192), ROW(decode, 1),
    ROW(layer, 8192),    ROW(lstm, LONGEST), ROW(sink, 4096),
    ROW(additive, 2048),
};

/* How the size grows when the length doubles again and again. */
static const char *growth(const struct path *path) {
  if (path->size(LONGEST) == path->size(SHORTEST))
    return "constant";
  for (int64_t n = 2 * SHORTEST; 2 * n <= LONGEST; n *= 2)
    if (path->size(2 * n) - path->size(n) >
        2 * (path->size(n) - path->size(n / 2)))
      return "faster than linear";
  return "linear";
}

/* `bytes` bytes that end where a page that cannot be touched begins. */
static char *guarded(size_t bytes, char **map, size_t *mapped) {
  size_t page = 4096, room = (bytes + page - 1) / page * page;
  *mapped = room + page;
  *map = mmap(NULL, *mapped, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (*map == MAP_FAILED || mprotect(*map + room, page, PROT_NONE))
    exit(3);
  return *map + room - bytes;
}

static void *call_all(void *failed) {
  for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
    size_t bytes = (paths[i].size(paths[i].length) + 63) / 64 * 64, mapped;
    char *map;
    char *work = guarded(bytes, &map, &mapped);
    memset(work, 0xff, bytes);
    sinter_status status = paths[i].run(paths[i].length, work, bytes);
    if (status || y[0] != y[0]) {
      printf("%s failed: %s\n", paths[i].name, memory_status_string(status));
      *(int *)failed = 1;
    }
    munmap(map, mapped);
  }
  return NULL;
}

int main(void) {
  q = malloc(5 * FLOATS * sizeof *q);
  size_t size = memory_session_size(1, LONGEST);
  void *memory = aligned_alloc(MEMORY_ALIGN, (size + MEMORY_ALIGN - 1) /
                                                 MEMORY_ALIGN * MEMORY_ALIGN);
  if (!q || !memory || memory_session_init(memory, size, 1, LONGEST, &session))
    return 2;
  for (int i = 0; i < 3 * FLOATS; ++i)
    q[i] = (float)(i % 17) / 16;
  k = q + FLOATS, v = k + FLOATS, y = v + FLOATS, extra = y + FLOATS;

  for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
    printf("%s", paths[i].name);
    for (int64_t n = SHORTEST; n <= LONGEST; n *= 2)
      printf(" %lld: %zu", (long long)n, paths[i].size(n));
    printf(" %s\n", growth(&paths[i]));
  }

  int failed = 0;
  pthread_attr_t small;
  pthread_t thread;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 << 10);
  if (pthread_create(&thread, &small, call_all, &failed) ||
      pthread_join(thread, NULL))
    return 2;
  free(memory);
  free(q);
  return failed;
}
