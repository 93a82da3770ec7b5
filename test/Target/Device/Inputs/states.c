/* The same calls on a GPU and on a processor leave the same tensor states. Two
   threads do it at once with one device. */
#include "device.h"
#include "gpu.h"
#include "host.h"
#include <pthread.h>
#include <string.h>

enum {
  ROWS = 3,
  SOURCE = 7,
  SMALL = 5,
  WIDTH = 6,
  MOST = ROWS * SOURCE * WIDTH
};

static SINTER_ALIGNED(64) char device_handle[GPU_DEVICE_HANDLE_SIZE];
static gpu_device *device;
static void *context;

/* A session on both sides. */
struct pair {
  SINTER_ALIGNED(64) char handle[GPU_SESSION_HANDLE_SIZE];
  SINTER_ALIGNED(64) char memory[HOST_SESSION_SIZE(ROWS, SOURCE)];
  gpu_session *there;
  host_session *here;
};

/* What a thread has. */
struct side {
  struct pair large, small;
  SINTER_ALIGNED(64) char work[1 << 16];
  void *stream, *workspace, *x_there, *ids_there, *lengths_there, *out_there,
      *twice_there;
  float x[MOST], out[MOST], twice[MOST], found[MOST];
  int64_t ids[ROWS * SOURCE], lengths[ROWS];
  int seed;
};

static void good(sinter_status status, const char *what) {
  if (status == SINTER_OK)
    return;
  printf("%s: %s\n", what, gpu_status_string(status));
  exit(1);
}

static void open_pair(struct pair *pair, int64_t source, void *stream) {
  size_t bytes = gpu_session_size(ROWS, source);
  good(gpu_session_init(pair->handle, sizeof pair->handle, allocate(bytes),
                        bytes, ROWS, source, stream, &pair->there),
       "init");
  good(host_session_init(pair->memory, sizeof pair->memory, ROWS, source,
                         &pair->here),
       "init");
}

static void open_side(struct side *side) {
  check(cuda->cuCtxSetCurrent(context), "context");
  check(cuda->cuStreamCreate(&side->stream, 1), "stream");
  side->workspace = allocate(sizeof side->work);
  side->x_there = allocate(sizeof side->x);
  side->ids_there = allocate(sizeof side->ids);
  side->lengths_there = allocate(sizeof side->lengths);
  side->out_there = allocate(sizeof side->out);
  side->twice_there = allocate(sizeof side->twice);
  open_pair(&side->large, SOURCE, side->stream);
  open_pair(&side->small, SMALL, side->stream);
}

/* Other numbers for each call. */
static void fill(struct side *side) {
  for (int i = 0; i < MOST; i++)
    side->x[i] = (float)((i * 37 + side->seed * 101) % 211 - 100) / 8;
  for (int i = 0; i < ROWS * SOURCE; i++)
    side->ids[i] = i * 1000 + side->seed;
  side->seed++;
  upload(side->x_there, side->x, sizeof side->x, side->stream);
  upload(side->ids_there, side->ids, sizeof side->ids, side->stream);
}

static void set_lengths(struct side *side, int64_t a, int64_t b, int64_t c) {
  side->lengths[0] = a;
  side->lengths[1] = b;
  side->lengths[2] = c;
  upload(side->lengths_there, side->lengths, sizeof side->lengths,
         side->stream);
}

static sinter_status encode_there(struct side *side, int64_t source) {
  return gpu_encode(side->large.there, device, side->stream, side->workspace,
                    sizeof side->work, source, side->lengths_there,
                    side->x_there, side->out_there);
}

static void encode_here(struct side *side, int64_t source) {
  good(host_encode(side->large.here, NULL, side->work, sizeof side->work,
                   source, side->lengths, side->x, side->out),
       "encode");
}

static void encode(struct side *side, int64_t source) {
  fill(side);
  good(encode_there(side, source), "encode");
  good(gpu_status(side->workspace, side->stream), "encode");
  encode_here(side, source);
}

static void put(struct side *side, struct pair *pair, int64_t source) {
  fill(side);
  good(gpu_put(pair->there, device, side->stream, side->workspace,
               sizeof side->work, source, side->x_there, side->ids_there),
       "put");
  good(gpu_status(side->workspace, side->stream), "put");
  good(host_put(pair->here, NULL, side->work, sizeof side->work, source,
                side->x, side->ids),
       "put");
}

/* Both sides have the same memory, of the same extents. */
static void compare(struct side *side, struct pair *pair, const char *what) {
  int64_t extent = host_get_extent_source(pair->here);
  size_t bytes = (size_t)extent * ROWS * WIDTH * sizeof(float);
  if (gpu_get_extent_source(pair->there, side->stream) != extent) {
    printf("%s: %d positions, expected %d\n", what,
           (int)gpu_get_extent_source(pair->there, side->stream), (int)extent);
    exit(1);
  }
  good(gpu_get(pair->there, device, side->stream, side->workspace,
               sizeof side->work, side->out_there, side->twice_there),
       what);
  good(gpu_status(side->workspace, side->stream), what);
  good(host_get(pair->here, NULL, side->work, sizeof side->work, side->out,
                side->twice),
       what);
  download(side->found, side->out_there, bytes, side->stream);
  expect(memcmp(side->found, side->out, bytes) == 0, what);
  download(side->found, side->twice_there, bytes, side->stream);
  expect(memcmp(side->found, side->twice, bytes) == 0, what);
}

static void grow_and_fork(struct side *side) {
  struct pair *large = &side->large, *small = &side->small;
  compare(side, large, "nothing is written");
  put(side, large, 3);
  compare(side, large, "three positions");
  set_lengths(side, 2, 0, 5);
  encode(side, 5);
  compare(side, large, "row 1 is idle: it keeps its positions");
  put(side, small, 2);
  good(gpu_session_copy_row(device, small->there, 2, large->there, 0,
                            side->stream),
       "fork");
  good(host_session_copy_row(small->here, 2, large->here, 0), "fork");
  compare(side, small, "a fork makes more positions");
  good(gpu_session_copy_row(device, large->there, 1, small->there, 0,
                            side->stream),
       "fork");
  good(host_session_copy_row(large->here, 1, small->here, 0), "fork");
  compare(side, large, "a fork of fewer positions");
  set_lengths(side, 6, 6, 1);
  encode(side, 6);
  expect(gpu_session_copy_row(device, small->there, 0, large->there, 0,
                              side->stream) < 0,
         "six positions don't fit five");
  compare(side, small, "a refused fork");
  good(gpu_session_reset(large->there, 1, side->stream), "reset");
  good(host_session_reset(large->here, 1), "reset");
  compare(side, large, "a reset of one row");
}

static void begin_capture(struct side *side) {
  check(cuda->cuStreamBeginCapture(side->stream, 1), "capture");
}

static void *end_capture(struct side *side) {
  void *graph, *executable;
  check(cuda->cuStreamEndCapture(side->stream, &graph), "capture");
  check(cuda->cuGraphInstantiate(&executable, graph, 0), "graph");
  check(cuda->cuGraphDestroy(graph), "graph");
  return executable;
}

/* A graph changes extents behind the host's back. */
static void replay(struct side *side) {
  struct pair *large = &side->large;
  void *writes, *resets;
  sinter_status status;
  set_lengths(side, 4, 1, 2);
  begin_capture(side);
  good(encode_there(side, 4), "capture");
  status = gpu_get(large->there, device, side->stream, side->workspace,
                   sizeof side->work, side->out_there, side->twice_there);
  printf("gpu_get: %s\n", gpu_status_string(status));
  writes = end_capture(side);
  begin_capture(side);
  good(gpu_session_reset(large->there, -1, side->stream), "capture");
  resets = end_capture(side);
  set_lengths(side, 1, 2, 2);
  encode(side, 2);
  compare(side, large, "two positions");
  fill(side);
  set_lengths(side, 4, 1, 2);
  check(cuda->cuGraphLaunch(writes, side->stream), "graph");
  encode_here(side, 4);
  compare(side, large, "a graph writes four");
  check(cuda->cuGraphLaunch(resets, side->stream), "graph");
  good(host_session_reset(large->here, -1), "reset");
  compare(side, large, "a graph resets");
  check(cuda->cuGraphExecDestroy(writes), "graph");
  check(cuda->cuGraphExecDestroy(resets), "graph");
}

static void *run(void *argument) {
  struct side *side = argument;
  open_side(side);
  grow_and_fork(side);
  return side;
}

static struct side sides[2];

int main(void) {
  pthread_t threads[2];
  use_device();
  check(cuda->cuCtxGetCurrent(&context), "context");
  good(gpu_device_open(device_handle, sizeof device_handle, NULL, &device),
       "open");
  for (int i = 0; i < 2; i++)
    expect(pthread_create(&threads[i], NULL, run, &sides[i]) == 0, "a thread");
  for (int i = 0; i < 2; i++)
    expect(pthread_join(threads[i], NULL) == 0, "a thread");
  /* A capture may refuse what other threads do. */
  for (int i = 0; i < 2; i++) {
    replay(&sides[i]);
    printf("the same states\n");
  }
  good(gpu_device_close(device), "close");
  return 0;
}
