/* A tensor state of current extents beside a cache and a recurrent state:
   random writes, forks, resets and saves of two sessions against a plain copy
   in which all that the extents don't hold is zero. */
#include "memo.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3, SOURCE = 7, WIDTH = 5, ROUNDS = 4000 };

static int failures;
#define EXPECT(x)                                                              \
  ((x) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #x)))

struct twin {
  memo_session *session;
  void *memory;
  size_t size;
  int source, width; /* capacities */
  int now_source, now_width;
  int32_t rows[ROWS][SOURCE][2][WIDTH];
  float calls[ROWS];
  int64_t moved[ROWS];
};

static uint32_t seed = 1;
static int below(int n) {
  seed = seed * 1664525u + 1013904223u;
  return (int)((seed >> 8) % (uint32_t)n);
}

static void start(struct twin *twin, int source, int width) {
  memset(twin, 0, sizeof *twin);
  twin->source = source;
  twin->width = width;
  twin->size = memo_session_size(ROWS, source, width, 100000);
  twin->memory = aligned_alloc(64, twin->size);
  memset(twin->memory, 0xff, twin->size);
  EXPECT(twin->size == MEMO_SESSION_SIZE(ROWS, source, width, 100000));
  EXPECT(memo_session_init(twin->memory, twin->size, ROWS, source, width,
                           100000, &twin->session) == SINTER_OK);
}

static void check(struct twin *twin) {
  int32_t y[ROWS * SOURCE * 2 * WIDTH], *at = y;
  float calls[ROWS];
  size_t size = memo_get_workspace_size(ROWS, twin->source, twin->width, 1);
  void *space = aligned_alloc(64, size);
  int b, s, h, w;
  EXPECT(memo_get_extent_source(twin->session) == twin->now_source);
  EXPECT(memo_twice_extent_width(twin->session) == twin->now_width);
  EXPECT(memo_get(twin->session, NULL, space, size, y, calls) == SINTER_OK);
  for (b = 0; b < ROWS; b++) {
    EXPECT(calls[b] == ++twin->calls[b]);
    EXPECT(memo_session_length(twin->session, b) == ++twin->moved[b]);
    for (s = 0; s < twin->now_source; s++)
      for (h = 0; h < 2; h++)
        for (w = 0; w < twin->now_width; w++)
          EXPECT(*at++ == twin->rows[b][s][h][w]);
  }
  free(space);
}

static int larger(int a, int b) { return a > b ? a : b; }

/* Any extents, also too large ones; sometimes some rows are left alone. */
static void put(struct twin *twin) {
  int source = below(SOURCE + 1), width = below(WIDTH + 1), b, s, h, w;
  int32_t x[ROWS * SOURCE * 2 * WIDTH], *at = x;
  int64_t lengths[ROWS];
  int ragged = source > 0 && below(2), any_idle = 0;
  size_t size = memo_put_workspace_size(ROWS, source, width, 1);
  void *space = aligned_alloc(64, size);
  sinter_status status;
  for (b = 0; b < ROWS * SOURCE * 2 * WIDTH; b++)
    x[b] = 1 + below(1000);
  for (b = 0; b < ROWS; b++) {
    lengths[b] = ragged ? below(source + 1) : source;
    any_idle |= lengths[b] == 0;
  }
  status = memo_put(twin->session, NULL, space, size, source, width,
                    ragged ? lengths : NULL, x);
  free(space);
  if (source > twin->source || width > twin->width) {
    EXPECT(status < 0 && SINTER_KIND(status) == SINTER_DIMENSION);
    return;
  }
  EXPECT(status == SINTER_OK);
  twin->now_source = any_idle ? larger(twin->now_source, source) : source;
  twin->now_width = any_idle ? larger(twin->now_width, width) : width;
  for (b = 0; b < ROWS; b++) {
    if (lengths[b] != 0)
      memset(twin->rows[b], 0, sizeof twin->rows[b]);
    for (s = 0; s < source; s++)
      for (h = 0; h < 2; h++)
        for (w = 0; w < width; w++, at++)
          if (lengths[b] != 0)
            twin->rows[b][s][h][w] = *at;
  }
}

static void fork_row(struct twin *to, struct twin *from) {
  int a = below(ROWS), b = below(ROWS);
  sinter_status status =
      memo_session_copy_row(to->session, a, from->session, b);
  if (from->now_source > to->source || from->now_width > to->width) {
    EXPECT(status < 0 && SINTER_KIND(status) == SINTER_FULL);
    return;
  }
  EXPECT(status == SINTER_OK);
  to->now_source = larger(to->now_source, from->now_source);
  to->now_width = larger(to->now_width, from->now_width);
  memmove(to->rows[a], from->rows[b], sizeof to->rows[a]);
  to->calls[a] = from->calls[b];
  to->moved[a] = from->moved[b];
}

static void reset(struct twin *twin) {
  int row = below(ROWS + 1) - 1, b;
  EXPECT(memo_session_reset(twin->session, row) == SINTER_OK);
  for (b = 0; b < ROWS; b++)
    if (row < 0 || b == row) {
      memset(twin->rows[b], 0, sizeof twin->rows[b]);
      twin->calls[b] = 0;
      twin->moved[b] = 0;
    }
  if (row < 0)
    twin->now_source = twin->now_width = 0;
}

/* The bytes go elsewhere. */
static void save(struct twin *twin) {
  void *memory = aligned_alloc(64, twin->size);
  memcpy(memory, twin->memory, twin->size);
  memset(twin->memory, 0xff, twin->size);
  free(twin->memory);
  twin->memory = memory;
  EXPECT(memo_session_restore(memory, twin->size, &twin->session) == SINTER_OK);
}

/* What is written is a sum; the check knows it before anything is written. */
static void twice(struct twin *twin) {
  size_t size = memo_twice_workspace_size(ROWS, twin->source, twin->width, 1);
  void *space = aligned_alloc(64, size);
  sinter_status status = memo_twice(twin->session, NULL, space, size);
  int b, old = twin->now_source;
  free(space);
  if (2 * old > twin->source) {
    EXPECT(SINTER_KIND(status) == SINTER_DIMENSION);
    EXPECT(strcmp(memo_status_string(status),
                  "memo_twice: \"memory\" would have more than the session's "
                  "source") == 0);
    return;
  }
  EXPECT(status == SINTER_OK);
  for (b = 0; b < ROWS && old > 0; b++)
    memcpy(twin->rows[b][old], twin->rows[b][0],
           (size_t)old * sizeof twin->rows[b][0]);
  twin->now_source = 2 * old;
}

static void test_damaged(struct twin *twin) {
  memo_session *session;
  /* Words: magic, model, bytes, four dimensions, two extents. */
  int64_t *words = twin->memory;
  words[7] = twin->source + 1;
  EXPECT(SINTER_KIND(memo_session_restore(twin->memory, twin->size,
                                          &session)) == SINTER_SESSION);
  words[7] = -1;
  EXPECT(SINTER_KIND(memo_session_restore(twin->memory, twin->size,
                                          &session)) == SINTER_SESSION);
}

int main(void) {
  static struct twin twins[2];
  int round;
  start(&twins[0], 6, 4);
  start(&twins[1], 5, 3);
  check(&twins[0]); /* never written: no extent */
  for (round = 0; round < ROUNDS && failures == 0; round++) {
    struct twin *one = &twins[below(2)];
    switch (below(6)) {
    case 0:
    case 1:
      put(one);
      break;
    case 2:
      fork_row(one, &twins[below(2)]);
      break;
    case 3:
      below(4) ? twice(one) : reset(one);
      break;
    case 4:
      twice(one);
      break;
    default:
      save(one);
    }
    check(&twins[0]);
    check(&twins[1]);
  }
  test_damaged(&twins[0]);
  puts(failures ? "failed" : "all remembered");
  free(twins[0].memory);
  free(twins[1].memory);
  return failures != 0;
}
