/* Sessions with current extents: random calls, forks, resets and moves on a GPU
   and on the processor, which must refuse the same and hold the same after
   each. states SEED ROUNDS */
#include "device.h"
#include "gpu.h"
#include "host.h"
#include <math.h>
#include <string.h>

enum { ROWS = 3, HEIGHT = 8, WIDTH = 5, SEQUENCE = 3, ROOM = 1 << 18 };

/* Sizes of the two sessions; either is the larger one in some dimension. */
static const int64_t dims[2][4] = {{3, 5, 4, 9}, {2, 7, 3, 6}};

/* One session on both sides. */
struct pair {
  const int64_t *dims; /* batch, height, width, context */
  size_t bytes;
  SINTER_ALIGNED(64) char handle[GPU_SESSION_HANDLE_SIZE];
  gpu_session *there;
  void *memory_there;
  host_session *here;
  char *memory_here;
};

static struct pair pairs[2];
static SINTER_ALIGNED(64) char device_handle[GPU_DEVICE_HANDLE_SIZE];
static SINTER_ALIGNED(64) char work[ROOM];
static gpu_device *device;
static void *stream, *workspace;
static unsigned seed;

/* Arguments and results, here and there. */
static struct values {
  float grid[ROWS * HEIGHT * WIDTH * 3], rows[ROWS * HEIGHT * 4],
      last[ROWS * 4];
  float q[ROWS * SEQUENCE * 8], y[ROWS * SEQUENCE * 8];
  int64_t ids[ROWS * HEIGHT], count[ROWS], lengths[ROWS];
  int32_t marks[ROWS * WIDTH];
} given, found, expected, *values_there, *results_there;

static int64_t below(int64_t limit) {
  seed = seed * 1664525u + 1013904223u;
  return (int64_t)((seed >> 8) % (unsigned)limit);
}

static void draw(int64_t longest) {
  for (size_t i = 0; i < sizeof given.grid / 4; i++)
    given.grid[i] = (float)below(1000);
  for (size_t i = 0; i < sizeof given.rows / 4; i++)
    given.rows[i] = (float)below(1000);
  for (size_t i = 0; i < sizeof given.q / 4; i++)
    given.q[i] = (float)below(17) / 8 - 1;
  for (int i = 0; i < ROWS * HEIGHT; i++)
    given.ids[i] = below(1 << 20) << 20;
  for (int i = 0; i < ROWS * WIDTH; i++)
    given.marks[i] = (int32_t)below(2);
  for (int row = 0; row < ROWS; row++)
    given.lengths[row] = below(longest + 1);
  upload(values_there, &given, sizeof given, stream);
}

/* Both sides end alike; whether they did something. */
static int alike(const char *what, sinter_status there, sinter_status here) {
  if (there == SINTER_OK)
    there = gpu_status(workspace, stream);
  if ((there < 0) != (here < 0) || SINTER_KIND(there) != SINTER_KIND(here)) {
    printf("%s: \"%s\", expected \"%s\"\n", what, gpu_status_string(there),
           host_status_string(here));
    exit(1);
  }
  return here == SINTER_OK;
}

/* The same for what does not run as an entry does: there is no status to ask.
 */
static int alike_at_once(const char *what, sinter_status there,
                         sinter_status here) {
  if ((there < 0) != (here < 0) || SINTER_KIND(there) != SINTER_KIND(here)) {
    printf("%s: \"%s\", expected \"%s\"\n", what, gpu_status_string(there),
           host_status_string(here));
    exit(1);
  }
  return here == SINTER_OK;
}

static void same_bytes(const char *what, const void *a, const void *b,
                       int64_t bytes) {
  if (memcmp(a, b, (size_t)bytes) == 0)
    return;
  printf("%s differs\n", what);
  exit(1);
}

static void same_floats(const char *what, const float *a, const float *b,
                        int64_t count) {
  for (int64_t i = 0; i < count; i++)
    if (!(fabsf(a[i] - b[i]) <= 1e-5f)) {
      printf("%s: %d is %g, expected %g\n", what, (int)i, a[i], b[i]);
      exit(1);
    }
}

static void same_number(const char *what, int64_t a, int64_t b) {
  if (a == b || (a < 0 && b < 0))
    return;
  printf("%s is %d, expected %d\n", what, (int)a, (int)b);
  exit(1);
}

static void start(struct pair *p, const int64_t *sizes) {
  p->dims = sizes;
  p->bytes = gpu_session_size(sizes[0], sizes[1], sizes[2], sizes[3]);
  p->memory_there = allocate(p->bytes);
  p->memory_here = aligned_alloc(64, p->bytes);
  expect(host_session_size(sizes[0], sizes[1], sizes[2], sizes[3]) == p->bytes,
         "sessions of one size");
  alike_at_once("init",
                gpu_session_init(p->handle, sizeof p->handle, p->memory_there,
                                 p->bytes, sizes[0], sizes[1], sizes[2],
                                 sizes[3], stream, &p->there),
                host_session_init(p->memory_here, p->bytes, sizes[0], sizes[1],
                                  sizes[2], sizes[3], &p->here));
}

static sinter_status queue_put(struct pair *p, int64_t height, int64_t width,
                               int ragged) {
  return gpu_put(p->there, device, stream, workspace, ROOM, height, width,
                 ragged ? values_there->lengths : NULL, values_there->grid,
                 values_there->ids, values_there->marks, values_there->rows,
                 results_there->last);
}

static sinter_status put_here(struct pair *p, int64_t height, int64_t width,
                              int ragged) {
  return host_put(p->here, NULL, work, ROOM, height, width,
                  ragged ? given.lengths : NULL, given.grid, given.ids,
                  given.marks, given.rows, expected.last);
}

/* Now and then more than there is room for. */
static void put(struct pair *p) {
  int64_t height = below(p->dims[1] + 2), width = below(p->dims[2] + 2);
  int ragged = below(3) != 0;
  draw(height);
  if (!alike("put", queue_put(p, height, width, ragged),
             put_here(p, height, width, ragged)))
    return;
  download(&found, results_there, sizeof found, stream);
  /* A row of length 0 has no last element. */
  for (int64_t row = 0; row < p->dims[0]; row++)
    if (ragged ? given.lengths[row] : height)
      same_floats("last", found.last + 4 * row, expected.last + 4 * row, 4);
}

static void append(struct pair *p) {
  int64_t sequence = below(SEQUENCE + 1);
  int ragged = below(2) != 0;
  draw(sequence);
  if (!alike("append",
             gpu_append(p->there, device, stream, workspace, ROOM, sequence,
                        ragged ? values_there->lengths : NULL, values_there->q,
                        results_there->y),
             host_append(p->here, NULL, work, ROOM, sequence,
                         ragged ? given.lengths : NULL, given.q, expected.y)))
    return;
  download(&found, results_there, sizeof found, stream);
  if (!ragged)
    same_floats("append", found.y, expected.y, p->dims[0] * sequence * 8);
}

/* The last row of each is none. */
static void fork_row(void) {
  struct pair *to = &pairs[below(2)], *from = &pairs[below(2)];
  int64_t a = below(to->dims[0] + 1), b = below(from->dims[0] + 1);
  if (below(2)) {
    a = below(to->dims[0]);
    b = below(from->dims[0]);
  }
  alike_at_once(
      "fork",
      gpu_session_copy_row(device, to->there, a, from->there, b, stream),
      host_session_copy_row(to->here, a, from->here, b));
}

static void reset(struct pair *p) {
  int64_t row = below(p->dims[0] + 2) - 1;
  alike_at_once("reset", gpu_session_reset(p->there, row, stream),
                host_session_reset(p->here, row));
}

/* To another address. */
static void move(struct pair *p) {
  char *saved = malloc(p->bytes), *here = aligned_alloc(64, p->bytes);
  void *there = allocate(p->bytes);
  download(saved, p->memory_there, p->bytes, stream);
  upload(there, saved, p->bytes, stream);
  memcpy(here, p->memory_here, p->bytes);
  memset(p->handle, 0, sizeof p->handle);
  alike_at_once("restore",
                gpu_session_restore(p->handle, sizeof p->handle, there,
                                    p->bytes, stream, &p->there),
                host_session_restore(here, p->bytes, &p->here));
  check(cuda->cuMemFree((uintptr_t)p->memory_there), "free");
  free(p->memory_here);
  free(saved);
  p->memory_there = there;
  p->memory_here = here;
}

/* What both sides hold. */
static void compare(struct pair *p) {
  int64_t height = host_get_extent_height(p->here);
  int64_t width = host_get_extent_width(p->here), rows = p->dims[0];
  same_number("height", gpu_get_extent_height(p->there, stream), height);
  same_number("width", gpu_get_extent_width(p->there, stream), width);
  for (int64_t row = 0; row < rows; row++)
    same_number("length", gpu_session_length(p->there, row, stream),
                host_session_length(p->here, row));
  draw(1);
  if (alike("get",
            gpu_get(p->there, device, stream, workspace, ROOM,
                    results_there->grid, results_there->ids,
                    results_there->marks, results_there->count),
            host_get(p->here, NULL, work, ROOM, expected.grid, expected.ids,
                     expected.marks, expected.count))) {
    download(&found, results_there, sizeof found, stream);
    same_bytes("grid", found.grid, expected.grid, rows * height * width * 12);
    same_bytes("ids", found.ids, expected.ids, rows * height * 8);
    same_bytes("marks", found.marks, expected.marks, rows * width * 4);
    same_bytes("count", found.count, expected.count, rows * 8);
  }
  if (alike("look",
            gpu_look(p->there, device, stream, workspace, ROOM, 1,
                     values_there->q, results_there->y),
            host_look(p->here, NULL, work, ROOM, 1, given.q, expected.y))) {
    download(&found, results_there, sizeof found, stream);
    same_floats("look", found.y, expected.y, rows * 8);
  }
}

static void play(int rounds) {
  for (int round = 0; round < rounds; round++) {
    struct pair *p = &pairs[below(2)];
    int64_t kind = below(10);
    if (kind < 4)
      put(p);
    else if (kind < 5)
      append(p);
    else if (kind < 8)
      fork_row();
    else if (kind < 9)
      reset(p);
    else
      move(p);
    compare(&pairs[0]);
    compare(&pairs[1]);
  }
}

/* A read is captured once the extents are known; it is refused while they are
   not, and aborts when they have become others. */
static void replay_read(struct pair *p) {
  void *graph, *executable;
  sinter_status status;
  check(cuda->cuStreamBeginCapture(stream, 0), "capture");
  status =
      gpu_get(p->there, device, stream, workspace, ROOM, results_there->grid,
              results_there->ids, results_there->marks, results_there->count);
  printf("%s\n", gpu_status_string(status));
  expect(SINTER_KIND(status) == SINTER_DEVICE, "unknown extents are refused");
  check(cuda->cuStreamEndCapture(stream, &graph), "capture");
  check(cuda->cuGraphDestroy(graph), "graph");
  expect(gpu_get_extent_height(p->there, stream) == 2, "the height is known");
  check(cuda->cuStreamBeginCapture(stream, 0), "capture");
  expect(gpu_get(p->there, device, stream, workspace, ROOM, results_there->grid,
                 results_there->ids, results_there->marks,
                 results_there->count) == SINTER_OK,
         "a read is captured");
  check(cuda->cuStreamEndCapture(stream, &graph), "capture");
  check(cuda->cuGraphInstantiate(&executable, graph, 0), "graph");
  check(cuda->cuGraphLaunch(executable, stream), "graph");
  alike("read", SINTER_OK,
        host_get(p->here, NULL, work, ROOM, expected.grid, expected.ids,
                 expected.marks, expected.count));
  download(&found, results_there, sizeof found, stream);
  same_bytes("grid", found.grid, expected.grid, p->dims[0] * 2 * 3 * 12);
  alike("put", queue_put(p, 1, 3, 0), put_here(p, 1, 3, 0));
  check(cuda->cuGraphLaunch(executable, stream), "graph");
  status = gpu_status(workspace, stream);
  printf("%s\n", gpu_status_string(status));
  expect(SINTER_KIND(status) == SINTER_DIMENSION, "other extents are refused");
  check(cuda->cuGraphExecDestroy(executable), "graph");
  check(cuda->cuGraphDestroy(graph), "graph");
  compare(p);
}

/* A captured write runs behind the back of the host, which must not trust the
   extents that it has seen. */
static void replay(struct pair *p) {
  void *graph, *executable;
  draw(2);
  check(cuda->cuStreamBeginCapture(stream, 0), "capture");
  expect(queue_put(p, 2, 3, 0) == SINTER_OK, "a write is captured");
  check(cuda->cuStreamEndCapture(stream, &graph), "capture");
  check(cuda->cuGraphInstantiate(&executable, graph, 0), "graph");
  check(cuda->cuGraphLaunch(executable, stream), "graph");
  alike("graph", SINTER_OK, put_here(p, 2, 3, 0));
  replay_read(p);
  for (int time = 0; time < 2; time++) {
    alike("put", queue_put(p, 1 + time, 1, 0), put_here(p, 1 + time, 1, 0));
    compare(p);
    draw(2);
    check(cuda->cuGraphLaunch(executable, stream), "graph");
    alike("graph", SINTER_OK, put_here(p, 2, 3, 0));
    compare(p);
    alike_at_once("reset", gpu_session_reset(p->there, -1, stream),
                  host_session_reset(p->here, -1));
    compare(p);
    check(cuda->cuGraphLaunch(executable, stream), "graph");
    alike("graph", SINTER_OK, put_here(p, 2, 3, 0));
    compare(p);
  }
  check(cuda->cuGraphExecDestroy(executable), "graph");
  check(cuda->cuGraphDestroy(graph), "graph");
}

int main(int argc, char **argv) {
  seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  use_device();
  check(cuda->cuStreamCreate(&stream, 1), "stream");
  workspace = allocate(ROOM);
  values_there = allocate(sizeof given);
  results_there = allocate(sizeof found);
  alike_at_once(
      "open",
      gpu_device_open(device_handle, sizeof device_handle, stream, &device),
      SINTER_OK);
  for (int i = 0; i < 2; i++)
    start(&pairs[i], dims[i]);
  play(argc > 2 ? atoi(argv[2]) : 20);
  replay(&pairs[0]);
  printf("the same states\n");
  return 0;
}
