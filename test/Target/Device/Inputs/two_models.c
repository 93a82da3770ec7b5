/* Two models in one program: both open, their entries queued in turn without a
   wait, on one stream and on two; each must give what its object for the
   processor gives. */
#include "device.h"
#include "left_gpu.h"
#include "left_host.h"
#include "right_gpu.h"
#include "right_host.h"
#include <math.h>

enum { ROWS = 2, SEQUENCE = 3, WIDTH = 8, STEPS = 5 };
enum { CONTEXT = SEQUENCE * STEPS, CALL = ROWS * SEQUENCE * WIDTH };

static float inputs[STEPS][CALL], found[STEPS][CALL], expected[STEPS][CALL];
static void *inputs_there;

static float *at(void *calls, int step) { return (float *)calls + step * CALL; }

static void compare(const char *what) {
  for (int step = 0; step < STEPS; step++)
    for (int i = 0; i < CALL; i++)
      if (!(fabsf(found[step][i] - expected[step][i]) <= 1e-5f)) {
        printf("%s, call %d: %d is %g, expected %g\n", what, step, i,
               found[step][i], expected[step][i]);
        exit(1);
      }
}

/* A model's device, and sessions of it with all memory that their calls take.
   The dimensions of its session are `...`. */
#define DEFINE(model, MODEL, ...)                                              \
  static SINTER_ALIGNED(                                                       \
      64) char model##_handle[MODEL##_GPU_DEVICE_HANDLE_SIZE];                 \
  static model##_gpu_device *model##_device;                                   \
  struct model##_run {                                                         \
    SINTER_ALIGNED(64) char handle[MODEL##_GPU_SESSION_HANDLE_SIZE];           \
    model##_gpu_session *session;                                              \
    void *stream, *workspace, *results;                                        \
  };                                                                           \
  static void model##_good(sinter_status status, const char *what) {           \
    if (status == SINTER_OK)                                                   \
      return;                                                                  \
    printf("%s: %s\n", what, model##_gpu_status_string(status));               \
    exit(1);                                                                   \
  }                                                                            \
  static void model##_open(void) {                                             \
    model##_good(model##_gpu_device_open(                                      \
                     model##_handle, sizeof model##_handle,                    \
                     allocate(MODEL##_GPU_DEVICE_MEMORY_SIZE),                 \
                     MODEL##_GPU_DEVICE_MEMORY_SIZE, NULL, &model##_device),   \
                 "open");                                                      \
  }                                                                            \
  static void model##_start(struct model##_run *run, void *stream) {           \
    size_t bytes = model##_gpu_session_size(__VA_ARGS__);                      \
    run->stream = stream;                                                      \
    run->results = allocate(sizeof found);                                     \
    run->workspace = allocate(MODEL##_GPU_RUN_WORKSPACE_SIZE(ROWS, SEQUENCE)); \
    model##_good(model##_gpu_session_init(run->handle, sizeof run->handle,     \
                                          allocate(bytes), bytes, __VA_ARGS__, \
                                          stream, &run->session),              \
                 "init");                                                      \
  }                                                                            \
  static void model##_queue(struct model##_run *run, int step) {               \
    model##_good(model##_gpu_run(                                              \
                     run->session, model##_device, run->stream,                \
                     run->workspace,                                           \
                     MODEL##_GPU_RUN_WORKSPACE_SIZE(ROWS, SEQUENCE), SEQUENCE, \
                     at(inputs_there, step), at(run->results, step)),          \
                 "queue");                                                     \
  }                                                                            \
  static void model##_finish(struct model##_run *run, const char *what) {      \
    static SINTER_ALIGNED(                                                     \
        64) char memory[MODEL##_HOST_SESSION_SIZE(__VA_ARGS__)];               \
    static SINTER_ALIGNED(                                                     \
        64) char work[MODEL##_HOST_RUN_WORKSPACE_SIZE(ROWS, SEQUENCE, 1)];     \
    model##_host_session *session;                                             \
    model##_good(model##_gpu_status(run->workspace, run->stream), what);       \
    download(found, run->results, sizeof found, run->stream);                  \
    model##_good(model##_host_session_init(memory, sizeof memory, __VA_ARGS__, \
                                           &session),                          \
                 what);                                                        \
    for (int step = 0; step < STEPS; step++)                                   \
      model##_good(model##_host_run(session, NULL, work, sizeof work,          \
                                    SEQUENCE, inputs[step], expected[step]),   \
                   what);                                                      \
    compare(what);                                                             \
  }
DEFINE(left, LEFT, ROWS, CONTEXT)
DEFINE(right, RIGHT, ROWS)

static void *new_stream(void) {
  void *stream;
  check(cuda->cuStreamCreate(&stream, 1), "stream");
  return stream;
}

static void one_stream(void) {
  static struct left_run left;
  static struct right_run right;
  void *stream = new_stream();
  left_start(&left, stream);
  right_start(&right, stream);
  for (int step = 0; step < STEPS; step++) {
    left_queue(&left, step);
    right_queue(&right, step);
  }
  left_finish(&left, "left, one stream");
  right_finish(&right, "right, one stream");
}

/* Each model has a session on each stream. The second stream is ahead. */
static void two_streams(void) {
  static struct left_run left, left_too;
  static struct right_run right, right_too;
  void *one = new_stream(), *two = new_stream();
  left_start(&left, one);
  right_start(&right, two);
  left_start(&left_too, two);
  right_start(&right_too, one);
  for (int step = 0; step < STEPS; step++) {
    right_queue(&right, step);
    left_queue(&left_too, step);
    left_queue(&left, step);
    right_queue(&right_too, step);
  }
  left_finish(&left_too, "left, second stream");
  right_finish(&right_too, "right, first stream");
  right_finish(&right, "right, second stream");
  left_finish(&left, "left, first stream");
}

/* What is one model's is refused by the other. */
static void mixed_up(void) {
  static struct left_run left;
  static struct right_run right;
  size_t size = LEFT_GPU_RUN_WORKSPACE_SIZE(ROWS, SEQUENCE);
  sinter_status status;
  left_start(&left, NULL);
  right_start(&right, NULL);
  status =
      left_gpu_run(left.session, (left_gpu_device *)right_device, NULL,
                   left.workspace, size, SEQUENCE, inputs_there, left.results);
  printf("%s\n", left_gpu_status_string(status));
  expect(SINTER_KIND(status) == SINTER_ARGUMENT, "another's device is refused");
  status =
      left_gpu_run((left_gpu_session *)right.session, left_device, NULL,
                   left.workspace, size, SEQUENCE, inputs_there, left.results);
  printf("%s\n", left_gpu_status_string(status));
  expect(SINTER_KIND(status) == SINTER_SESSION, "another's session is refused");
}

/* Closing one leaves the other. */
static void close_one(void) {
  static struct right_run right;
  left_good(left_gpu_device_close(left_device), "close");
  right_start(&right, NULL);
  for (int step = 0; step < STEPS; step++)
    right_queue(&right, step);
  right_finish(&right, "right, alone");
  right_good(right_gpu_device_close(right_device), "close");
}

int main(void) {
  use_device();
  for (int step = 0; step < STEPS; step++)
    for (int i = 0; i < CALL; i++)
      inputs[step][i] = (float)((step * 37 + i * 11) % 17) / 8 - 1;
  inputs_there = allocate(sizeof inputs);
  upload(inputs_there, inputs, sizeof inputs, NULL);
  left_open();
  right_open();
  one_stream();
  two_streams();
  mixed_up();
  close_one();
  printf("both right\n");
  return 0;
}
