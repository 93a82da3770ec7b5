/* The same story on a GPU and on the processor: two objects of one model in one
   program; ragged rows, refusals, a captured graph, forks and saved bytes. */
#include "device.h"
#include "gpu.h"
#include "host.h"
#include <math.h>
#include <string.h>

enum { ROWS = 2, CONTEXT = 24, PROMPT = 3, STEPS = 6, VOCABULARY = 512 };

/* The GPU's side. */
static SINTER_ALIGNED(64) char device_handle[GPU_DEVICE_HANDLE_SIZE];
static SINTER_ALIGNED(64) char session_handle[GPU_SESSION_HANDLE_SIZE];
static SINTER_ALIGNED(64) char second_handle[GPU_SESSION_HANDLE_SIZE];
static gpu_device *device;
static gpu_session *session;
static void *session_memory, *stream, *workspace, *tokens_there, *lengths_there,
    *logits_there;
static size_t workspace_size;

/* The processor's. */
static SINTER_ALIGNED(64) char memory[HOST_SESSION_SIZE(ROWS, CONTEXT)];
static SINTER_ALIGNED(
    64) char work[HOST_PREFILL_WORKSPACE_SIZE(ROWS, PROMPT, 1) +
                  HOST_DECODE_WORKSPACE_SIZE(ROWS, 1)];
static host_session *here;

static int32_t tokens[ROWS * PROMPT] = {1, 403, 407, 1, 9038, 2};
static float expected[ROWS * VOCABULARY], found[ROWS * VOCABULARY];

static void good(sinter_status status, const char *what) {
  if (status == SINTER_OK)
    return;
  printf("%s: %s\n", what, gpu_status_string(status));
  exit(1);
}

static void compare(const char *what) {
  download(found, logits_there, sizeof found, stream);
  for (int i = 0; i < ROWS * VOCABULARY; i++)
    if (!(fabsf(found[i] - expected[i]) <= 2e-4f)) {
      printf("%s: %d is %g, expected %g\n", what, i, found[i], expected[i]);
      exit(1);
    }
}

static void start(void) {
  size_t bytes = gpu_session_size(ROWS, CONTEXT);
  size_t prefill = gpu_prefill_workspace_size(ROWS, PROMPT);
  workspace_size = gpu_decode_workspace_size(ROWS);
  if (workspace_size < prefill)
    workspace_size = prefill;
  expect(prefill == GPU_PREFILL_WORKSPACE_SIZE(ROWS, PROMPT) &&
             bytes == GPU_SESSION_SIZE(ROWS, CONTEXT),
         "macros equal functions");
  check(cuda->cuStreamCreate(&stream, 1), "stream");
  workspace = allocate(workspace_size);
  tokens_there = allocate(sizeof tokens);
  lengths_there = allocate(8 * ROWS);
  logits_there = allocate(sizeof found);
  good(gpu_device_open(device_handle, sizeof device_handle,
                       allocate(GPU_DEVICE_MEMORY_SIZE), GPU_DEVICE_MEMORY_SIZE,
                       stream, &device),
       "open");
  session_memory = allocate(bytes);
  good(gpu_session_init(session_handle, sizeof session_handle, session_memory,
                        bytes, ROWS, CONTEXT, stream, &session),
       "init");
  good(host_session_init(memory, sizeof memory, ROWS, CONTEXT, &here), "init");
}

/* A prompt with rows of different lengths. */
static void prefill(void) {
  const int64_t lengths[ROWS] = {PROMPT, 1};
  upload(tokens_there, tokens, sizeof tokens, stream);
  upload(lengths_there, lengths, sizeof lengths, stream);
  good(gpu_prefill(session, device, stream, workspace, workspace_size, PROMPT,
                   lengths_there, tokens_there, logits_there),
       "prefill");
  good(gpu_status(workspace, stream), "prefill");
  good(host_prefill(here, NULL, work, sizeof work, PROMPT, lengths, tokens,
                    expected),
       "prefill");
  compare("prefill");
  expect(gpu_session_length(session, 0, stream) == PROMPT &&
             gpu_session_length(session, 1, stream) == 1,
         "lengths of rows");
}

/* Leaves the next tokens in `tokens` and on the device. */
static void choose(void) {
  for (int row = 0; row < ROWS; row++) {
    const float *scores = expected + row * VOCABULARY;
    tokens[row] = 0;
    for (int i = 1; i < VOCABULARY; i++)
      if (scores[i] > scores[tokens[row]])
        tokens[row] = i;
  }
  upload(tokens_there, tokens, 4 * ROWS, stream);
}

static void decode_here(void) {
  good(host_decode(here, NULL, work, sizeof work, NULL, tokens, expected),
       "decode");
}

static void decode(void) {
  choose();
  good(gpu_decode(session, device, stream, workspace, workspace_size, NULL,
                  tokens_there, logits_there),
       "decode");
  good(gpu_status(workspace, stream), "decode");
  decode_here();
  compare("decode");
}

/* One call in a graph tells the rest of the story. */
static void replay(int steps) {
  void *graph, *executable;
  check(cuda->cuStreamBeginCapture(stream, 0), "capture");
  good(gpu_decode(session, device, stream, workspace, workspace_size, NULL,
                  tokens_there, logits_there),
       "capture");
  check(cuda->cuStreamEndCapture(stream, &graph), "capture");
  check(cuda->cuGraphInstantiate(&executable, graph, 0), "graph");
  for (int step = 0; step < steps; step++) {
    choose();
    check(cuda->cuGraphLaunch(executable, stream), "graph");
    good(gpu_status(workspace, stream), "graph");
    decode_here();
    compare("graph");
  }
  check(cuda->cuGraphExecDestroy(executable), "graph");
  check(cuda->cuGraphDestroy(graph), "graph");
}

/* What is found on the device leaves all as it was. */
static void refuse(void) {
  const int32_t bad[ROWS] = {5, VOCABULARY};
  const int64_t lengths[ROWS] = {1, 2};
  int64_t before = gpu_session_length(session, 1, stream);
  float untouched = -7;
  sinter_status status;
  upload(logits_there, &untouched, sizeof untouched, stream);
  upload(tokens_there, bad, sizeof bad, stream);
  good(gpu_decode(session, device, stream, workspace, workspace_size, NULL,
                  tokens_there, logits_there),
       "queue");
  status = gpu_status(workspace, stream);
  printf("%s\n", gpu_status_string(status));
  expect(SINTER_KIND(status) == SINTER_INDEX, "an id is refused");
  upload(lengths_there, lengths, sizeof lengths, stream);
  good(gpu_decode(session, device, stream, workspace, workspace_size,
                  lengths_there, tokens_there, logits_there),
       "queue");
  status = gpu_status(workspace, stream);
  printf("%s\n", gpu_status_string(status));
  expect(SINTER_KIND(status) == SINTER_DIMENSION, "a length is refused");
  download(&untouched, logits_there, sizeof untouched, stream);
  expect(untouched == -7, "a refused call writes nothing");
  expect(gpu_session_length(session, 1, stream) == before,
         "a refused call leaves the session");
  status = gpu_decode(session, NULL, stream, workspace, workspace_size, NULL,
                      tokens_there, logits_there);
  printf("%s\n", gpu_status_string(status));
  expect(SINTER_KIND(status) == SINTER_ARGUMENT, "no device is refused");
  status = gpu_decode(session, device, stream, workspace, 64, NULL,
                      tokens_there, logits_there);
  expect(SINTER_KIND(status) == SINTER_MEMORY, "too little is refused");
}

/* Row 0 in the place of row 1, then the session at another address. */
static void move(void) {
  size_t bytes = gpu_session_size(ROWS, CONTEXT);
  void *saved = malloc(bytes), *elsewhere = allocate(bytes);
  good(gpu_session_copy_row(device, session, 1, session, 0, stream), "fork");
  good(host_session_copy_row(here, 1, here, 0), "fork");
  decode();
  good(gpu_session_truncate(session, -1, 2, stream), "truncate");
  good(host_session_truncate(here, -1, 2), "truncate");
  expect(gpu_session_truncate(session, 0, 3, stream) < 0, "too long");
  download(saved, session_memory, bytes, stream);
  upload(elsewhere, saved, bytes, stream);
  free(saved);
  good(gpu_session_restore(second_handle, sizeof second_handle, elsewhere,
                           bytes, stream, &session),
       "restore");
  decode();
}

static void run_out(void) {
  sinter_status status = SINTER_OK;
  choose();
  for (int step = 0; status == SINTER_OK && step < CONTEXT + 1; step++) {
    good(gpu_decode(session, device, stream, workspace, workspace_size, NULL,
                    tokens_there, logits_there),
         "queue");
    status = gpu_status(workspace, stream);
  }
  printf("%s\n", gpu_status_string(status));
  expect(SINTER_KIND(status) == SINTER_FULL, "the cache is full");
}

int main(void) {
  use_device();
  start();
  prefill();
  for (int step = 0; step < STEPS; step++)
    decode();
  replay(4);
  refuse();
  move();
  run_out();
  good(gpu_device_close(device), "close");
  printf("the same story\n");
  return 0;
}
