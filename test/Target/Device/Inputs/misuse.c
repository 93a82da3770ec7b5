/* Wrong calls of a model on a GPU: each is refused with a sentence, and the
   next right call works. */
#include "device.h"
#include "small.h"
#include <string.h>

enum { ROWS = 2, CONTEXT = 8, SOURCE = 6, SEQUENCE = 3 };

static SINTER_ALIGNED(64) char handle[SMALL_DEVICE_HANDLE_SIZE + 64];
static SINTER_ALIGNED(64) char second[SMALL_DEVICE_HANDLE_SIZE];
static SINTER_ALIGNED(64) char cache[SMALL_SESSION_HANDLE_SIZE + 64];
static SINTER_ALIGNED(64) char other[SMALL_SESSION_HANDLE_SIZE];
static SINTER_ALIGNED(64) char host[4096];
static small_device *device;
static small_session *session;
static void *stream, *weights, *states, *workspace, *ids, *lengths, *y, *x;
static size_t bytes, work;

static void tell(const char *what, sinter_status status) {
  printf("%s: %s\n", what, small_status_string(status));
}

static void good(const char *what, sinter_status status) {
  if (status != SINTER_OK) {
    tell(what, status);
    exit(1);
  }
}

#define OPEN(memory, size, buffer, buffer_size, queue, out)                    \
  small_device_open(memory, size, buffer, buffer_size, queue, out)
static void openings(void) {
  const size_t size = SMALL_DEVICE_HANDLE_SIZE, blob = SMALL_DEVICE_MEMORY_SIZE;
  small_device *d = (small_device *)7;
  tell("open NULL", OPEN(NULL, size, weights, blob, stream, &d));
  tell("open odd", OPEN(handle + 8, size, weights, blob, stream, &d));
  tell("open small", OPEN(handle, size - 1, weights, blob, stream, &d));
  tell("open nowhere", OPEN(handle, size, NULL, blob, stream, &d));
  tell("open odd weights",
       OPEN(handle, size, (char *)weights + 4, blob, stream, &d));
  tell("open little", OPEN(handle, size, weights, blob - 1, stream, &d));
  tell("open no result", OPEN(handle, size, weights, blob, stream, NULL));
  tell("open host memory", OPEN(handle, size, host, blob, stream, &d));
  tell("open strange stream", OPEN(handle, size, weights, blob, handle, &d));
  expect(d == (small_device *)7, "a refused open gives no device");
  tell("close NULL", small_device_close(NULL));
  tell("close unopened", small_device_close((small_device *)handle));
  tell("close session", small_device_close((small_device *)cache));
  good("open", OPEN(handle, size, weights, blob, stream, &device));
  good("open again", OPEN(second, size, weights, blob, stream, &d));
  good("close", small_device_close(d));
  tell("close twice", small_device_close(d));
  tell("entry after close",
       small_put(session, d, stream, workspace, work, 1, x));
}

static void inits(void) {
  const size_t size = SMALL_SESSION_HANDLE_SIZE;
  small_session *s = (small_session *)7;
  tell("run before init", small_put((small_session *)cache, device, stream,
                                    workspace, work, 1, x));
  tell("length before init",
       (sinter_status)small_session_length((small_session *)cache, 0, stream));
  tell("reset before init",
       small_session_reset((small_session *)cache, -1, stream));
  tell("init NULL", small_session_init(NULL, size, states, bytes, ROWS, CONTEXT,
                                       SOURCE, stream, &s));
  tell("init odd", small_session_init(cache + 8, size, states, bytes, ROWS,
                                      CONTEXT, SOURCE, stream, &s));
  tell("init small", small_session_init(cache, size - 1, states, bytes, ROWS,
                                        CONTEXT, SOURCE, stream, &s));
  tell("init nowhere", small_session_init(cache, size, NULL, bytes, ROWS,
                                          CONTEXT, SOURCE, stream, &s));
  tell("init odd states",
       small_session_init(cache, size, (char *)states + 8, bytes, ROWS, CONTEXT,
                          SOURCE, stream, &s));
  tell("init little", small_session_init(cache, size, states, bytes - 1, ROWS,
                                         CONTEXT, SOURCE, stream, &s));
  tell("init no rows", small_session_init(cache, size, states, bytes, 0,
                                          CONTEXT, SOURCE, stream, &s));
  tell("init huge", small_session_init(cache, size, states, bytes, INT64_MAX,
                                       CONTEXT, SOURCE, stream, &s));
  tell("init 2^31-1 everywhere",
       small_session_init(cache, size, states, bytes, INT32_MAX, INT32_MAX,
                          INT32_MAX, stream, &s));
  tell("init no result", small_session_init(cache, size, states, bytes, ROWS,
                                            CONTEXT, SOURCE, stream, NULL));
  tell("init host memory", small_session_init(cache, size, host, bytes, ROWS,
                                              CONTEXT, SOURCE, stream, &s));
  tell("init strange stream",
       small_session_init(cache, size, states, bytes, ROWS, CONTEXT, SOURCE,
                          handle, &s));
  expect(s == (small_session *)7, "a refused init gives no session");
  tell("run after refused init", small_put((small_session *)cache, device,
                                           stream, workspace, work, 1, x));
  good("init", small_session_init(cache, size, states, bytes, ROWS, CONTEXT,
                                  SOURCE, stream, &session));
}

static void calls(void) {
  tell("no session",
       small_run(NULL, device, stream, workspace, work, 1, NULL, ids, y));
  tell("device as session", small_run((small_session *)device, device, stream,
                                      workspace, work, 1, NULL, ids, y));
  tell("no device",
       small_run(session, NULL, stream, workspace, work, 1, NULL, ids, y));
  tell("session as device", small_run(session, (small_device *)session, stream,
                                      workspace, work, 1, NULL, ids, y));
  tell("odd device", small_run(session, (small_device *)(handle + 4), stream,
                               workspace, work, 1, NULL, ids, y));
  tell("no workspace",
       small_run(session, device, stream, NULL, work, 1, NULL, ids, y));
  tell("odd workspace",
       small_run(session, device, stream, (char *)workspace + 8, work, 1, NULL,
                 ids, y));
  tell("little workspace",
       small_run(session, device, stream, workspace, 64, 1, NULL, ids, y));
  tell("negative size",
       small_run(session, device, stream, workspace, work, -1, NULL, ids, y));
  tell("huge size", small_run(session, device, stream, workspace, work,
                              INT64_MAX, NULL, ids, y));
  tell("no ids",
       small_run(session, device, stream, workspace, work, 1, NULL, NULL, y));
  tell("odd ids", small_run(session, device, stream, workspace, work, 1, NULL,
                            (int64_t *)((char *)ids + 4), y));
  tell("no output",
       small_run(session, device, stream, workspace, work, 1, NULL, ids, NULL));
  tell("odd lengths", small_run(session, device, stream, workspace, work, 1,
                                (int64_t *)((char *)lengths + 1), ids, y));
  tell("strange stream",
       small_run(session, device, handle, workspace, work, 1, NULL, ids, y));
  tell("status of nothing", small_status(NULL, stream));
  tell("status odd", small_status((char *)workspace + 4, stream));
  tell("status of host memory", small_status(host, stream));
  tell("status of a strange stream", small_status(workspace, handle));
  tell("status code", INT32_MIN);
  tell("status code", 77);
}

static void onDevice(void) {
  const int64_t badIds[] = {7, 0, INT64_MIN, 1}, goodIds[] = {1, 2, 3, 4, 5, 6};
  const int64_t badLengths[][2] = {{4, 1}, {-1, 1}, {INT64_MAX, INT64_MIN}};
  tell("unused workspace", small_status(allocate(256), stream));
  upload(ids, badIds, sizeof badIds, stream);
  good("queue",
       small_run(session, device, stream, workspace, work, 2, NULL, ids, y));
  tell("bad ids", small_status(workspace, stream));
  upload(ids, goodIds, sizeof goodIds, stream);
  for (int i = 0; i < 3; i++) {
    upload(lengths, badLengths[i], 16, stream);
    good("queue", small_run(session, device, stream, workspace, work, 3,
                            lengths, ids, y));
    tell("bad lengths", small_status(workspace, stream));
  }
  good("queue",
       small_run(session, device, stream, workspace, work, 3, NULL, ids, y));
  good("right", small_status(workspace, stream));
  good("queue",
       small_run(session, device, stream, workspace, work, 3, NULL, ids, y));
  good("right", small_status(workspace, stream));
  good("queue",
       small_run(session, device, stream, workspace, work, 3, NULL, ids, y));
  tell("full", small_status(workspace, stream));
  tell("full, asked again", small_status(workspace, stream));
  expect(small_session_length(session, 0, stream) == 6, "a full cache stays");
  tell("length of row 2",
       (sinter_status)small_session_length(session, 2, stream));
  tell("length of row -1",
       (sinter_status)small_session_length(session, -1, stream));
}

static void *capturing(void (*call)(void)) {
  void *graph = NULL, *executable = NULL;
  check(cuda->cuStreamBeginCapture(stream, 0), "capture");
  call();
  int error = cuda->cuStreamEndCapture(stream, &graph);
  printf("capture ends with %d\n", error);
  if (error || !graph)
    return NULL;
  check(cuda->cuGraphInstantiate(&executable, graph, 0), "graph");
  check(cuda->cuGraphDestroy(graph), "graph");
  return executable;
}

static void launch(const char *what, void *graph) {
  check(cuda->cuGraphLaunch(graph, stream), "graph");
  tell(what, small_status(workspace, stream));
}

static void put(int source) {
  good("put", small_put(session, device, stream, workspace, work, source, x));
}

static void get(const char *what) {
  long extent = (long)small_get_extent_source(session, stream);
  printf("%s: extent %ld\n", what, extent);
  sinter_status status = small_get(session, device, stream, workspace, work, y);
  tell(what, status);
  if (status == SINTER_OK)
    tell(what, small_status(workspace, stream));
}

static void put4(void) { put(4); }
static void get_(void) {
  tell("get in a capture",
       small_get(session, device, stream, workspace, work, y));
}
static void run_(void) {
  good("run",
       small_run(session, device, stream, workspace, work, 2, NULL, ids, y));
}
static void wait_(void) {
  tell("status in a capture", small_status(workspace, stream));
}
static void length_(void) {
  tell("length in a capture",
       (sinter_status)small_session_length(session, 0, stream));
}
static void reset_(void) {
  tell("reset in a capture", small_session_reset(session, -1, stream));
}
static void row_(void) {
  tell("reset of a row in a capture", small_session_reset(session, 1, stream));
}
static void copy_(void) {
  tell("copy in a capture",
       small_session_copy_row(device, session, 1, session, 0, stream));
}
static void init_(void) {
  small_session *s;
  tell("init in a capture",
       small_session_init(other, sizeof other, states, bytes, ROWS, CONTEXT,
                          SOURCE, stream, &s));
}
static void restore_(void) {
  small_session *s;
  tell("restore in a capture",
       small_session_restore(other, sizeof other, states, bytes, stream, &s));
}
static void open_(void) {
  small_device *d;
  tell("open in a capture", OPEN(second, sizeof second, weights,
                                 SMALL_DEVICE_MEMORY_SIZE, stream, &d));
}

static void captures(void) {
  put(2);
  get("2 positions");
  void *writes = capturing(put4);
  get("a capture writes nothing");
  launch("4 positions by a graph", writes);
  get("4 positions by a graph");
  put(3);
  get("3 positions");
  launch("4 positions by a graph", writes);
  get("4 positions by a graph");
  void *reads = capturing(get_);
  launch("read by a graph", reads);
  put(2);
  launch("read by a graph of another extent", reads);
  put(4);
  launch("read by a graph", reads);
  put(2);
  capturing(get_);
  get("after it");
  good("reset", small_session_reset(session, -1, stream));
  get("after a reset");
}

/* What waits is refused in a capture, which it spoils, and nothing else. */
static void waits(void (*wait)(void), void *runs) {
  small_session *s;
  capturing(wait);
  if (wait == init_)
    good("init",
         small_session_restore(other, sizeof other, states, bytes, stream, &s));
  launch("run", runs);
  put(3);
  get("after it");
  good("reset", small_session_reset(session, -1, stream));
}

static void replays(void) {
  void *runs = capturing(run_);
  launch("run", runs);
  launch("run", runs);
  launch("run", runs);
  launch("run", runs);
  launch("run with a full cache", runs);
  good("reset", small_session_reset(session, 1, stream));
  launch("run with a full row", runs);
  good("reset", small_session_reset(session, -1, stream));
  launch("run", runs);
  void (*waiting[])(void) = {wait_, length_, reset_,   row_,
                             copy_, init_,   restore_, open_};
  for (int i = 0; i < 8; i++)
    waits(waiting[i], runs);
}

static void damageBits(const char *saved, void *elsewhere) {
  /* Every bit of the words and the cursors. */
  int refused = 0, taken = 0;
  char *damaged = malloc(bytes);
  small_session *s;
  for (size_t bit = 0; bit < 8 * 256; bit++) {
    memcpy(damaged, saved, bytes);
    damaged[bit / 8] ^= (char)(1 << bit % 8);
    upload(elsewhere, damaged, bytes, stream);
    sinter_status status = small_session_restore(other, sizeof other, elsewhere,
                                                 bytes, stream, &s);
    refused += status != SINTER_OK;
    if (status != SINTER_OK)
      continue;
    taken++;
    good("run", small_run(s, device, stream, workspace, work, 1, NULL, ids, y));
    (void)!small_status(workspace, stream);
    good("get", small_get(s, device, stream, workspace, work, y));
    (void)!small_status(workspace, stream);
    good("copy", small_session_copy_row(device, s, 1, s, 0, stream));
  }
  free(damaged);
  printf("%d refused, %d taken\n", refused, taken);
}

static void restores(void) {
  const size_t size = SMALL_SESSION_HANDLE_SIZE;
  char *saved = malloc(bytes);
  void *elsewhere = allocate(bytes);
  small_session *s = (small_session *)7;
  run_();
  put(3);
  good("status", small_status(workspace, stream));
  download(saved, states, bytes, stream);
  tell("restore NULL",
       small_session_restore(NULL, size, elsewhere, bytes, stream, &s));
  tell("restore odd",
       small_session_restore(other + 8, size, elsewhere, bytes, stream, &s));
  tell("restore small",
       small_session_restore(other, size - 1, elsewhere, bytes, stream, &s));
  tell("restore nowhere",
       small_session_restore(other, size, NULL, bytes, stream, &s));
  tell("restore odd states",
       small_session_restore(other, size, (char *)elsewhere + 8, bytes, stream,
                             &s));
  tell("restore no result",
       small_session_restore(other, size, elsewhere, bytes, stream, NULL));
  tell("restore host memory",
       small_session_restore(other, size, host, bytes, stream, &s));
  tell("restore nothing",
       small_session_restore(other, size, elsewhere, bytes, stream, &s));
  tell("restore a few bytes",
       small_session_restore(other, size, elsewhere, 8, stream, &s));
  upload(elsewhere, saved, bytes, stream);
  tell("restore little",
       small_session_restore(other, size, elsewhere, bytes - 1, stream, &s));
  expect(s == (small_session *)7, "a refused restore gives no session");
  tell("use of a refused restore",
       small_session_reset((small_session *)other, -1, stream));
  damageBits(saved, elsewhere);
  upload(elsewhere, saved, bytes, stream);
  good("restore",
       small_session_restore(other, size, elsewhere, bytes, stream, &session));
  get("restored");
  /* Damage after it was restored: no crash, and a status. */
  int64_t wrong[] = {INT64_MIN, -1, CONTEXT + 1, INT64_MAX};
  for (int i = 0; i < 4; i++) {
    upload((char *)elsewhere + 64, &wrong[i], 8, stream);
    good("run",
         small_run(session, device, stream, workspace, work, 1, NULL, ids, y));
    tell("a damaged cursor", small_status(workspace, stream));
    printf("copy: %d\n", SINTER_KIND(small_session_copy_row(
                             device, session, 1, session, 0, stream)));
  }
  free(saved);
}

int main(void) {
  use_device();
  check(cuda->cuStreamCreate(&stream, 1), "stream");
  weights = allocate(SMALL_DEVICE_MEMORY_SIZE);
  bytes = small_session_size(ROWS, CONTEXT, SOURCE);
  work = small_run_workspace_size(ROWS, CONTEXT) +
         small_put_workspace_size(ROWS, SOURCE) +
         small_get_workspace_size(SOURCE, ROWS);
  states = allocate(bytes);
  workspace = allocate(work);
  ids = allocate(8 * ROWS * CONTEXT);
  lengths = allocate(8 * ROWS + 8);
  y = allocate(4 * 4 * ROWS * CONTEXT);
  x = allocate(4 * 4 * ROWS * SOURCE);
  openings();
  inits();
  calls();
  onDevice();
  captures();
  replays();
  restores();
  return 0;
}
