/* Truncation of more rows than the runtime looks at in one go, against the
   processor: all rows, one row, and what is refused and leaves all as it was.
 */
#include "device.h"
#include "left_gpu.h"
#include "left_host.h"
#include <math.h>

enum { ROWS = 70, CONTEXT = 4, SEQUENCE = 3, WIDTH = 8 };

static SINTER_ALIGNED(64) char handle[LEFT_GPU_SESSION_HANDLE_SIZE];
static SINTER_ALIGNED(64) char device_handle[LEFT_GPU_DEVICE_HANDLE_SIZE];
static SINTER_ALIGNED(64) char memory[LEFT_HOST_SESSION_SIZE(ROWS, CONTEXT)];
static SINTER_ALIGNED(
    64) char work[LEFT_HOST_RUN_WORKSPACE_SIZE(ROWS, SEQUENCE, 1)];
static float x[ROWS * SEQUENCE * WIDTH], found[ROWS * SEQUENCE * WIDTH],
    expected[ROWS * SEQUENCE * WIDTH];
static left_gpu_session *there;
static left_host_session *here;
static void *stream;

static void good(sinter_status status) {
  if (status == SINTER_OK)
    return;
  printf("%s\n", left_gpu_status_string(status));
  exit(1);
}

static void fill(void) {
  size_t bytes = left_gpu_session_size(ROWS, CONTEXT);
  size_t size = left_gpu_run_workspace_size(ROWS, SEQUENCE);
  void *workspace = allocate(size), *x_there = allocate(sizeof x);
  void *y_there = allocate(sizeof found);
  left_gpu_device *device;
  good(left_gpu_device_open(device_handle, sizeof device_handle,
                            allocate(LEFT_GPU_DEVICE_MEMORY_SIZE),
                            LEFT_GPU_DEVICE_MEMORY_SIZE, stream, &device));
  good(left_gpu_session_init(handle, sizeof handle, allocate(bytes), bytes,
                             ROWS, CONTEXT, stream, &there));
  good(left_host_session_init(memory, sizeof memory, ROWS, CONTEXT, &here));
  upload(x_there, x, sizeof x, stream);
  good(left_gpu_run(there, device, stream, workspace, size, SEQUENCE, x_there,
                    y_there));
  good(left_gpu_status(workspace, stream));
  good(left_host_run(here, NULL, work, sizeof work, SEQUENCE, x, expected));
  download(found, y_there, sizeof found, stream);
  for (int i = 0; i < ROWS * SEQUENCE * WIDTH; i++)
    expect(fabsf(found[i] - expected[i]) <= 1e-5f, "equal results");
}

/* Both sides answer alike, and hold the same. */
static void cut(int64_t row, int64_t length) {
  sinter_status a = left_gpu_session_truncate(there, row, length, stream);
  sinter_status b = left_host_session_truncate(here, row, length);
  if ((a < 0) != (b < 0) || SINTER_KIND(a) != SINTER_KIND(b)) {
    printf("row %d to %d: \"%s\", expected \"%s\"\n", (int)row, (int)length,
           left_gpu_status_string(a), left_host_status_string(b));
    exit(1);
  }
  for (int i = 0; i < ROWS; i++)
    if (left_gpu_session_length(there, i, stream) !=
        left_host_session_length(here, i)) {
      printf("row %d to %d: row %d differs\n", (int)row, (int)length, i);
      exit(1);
    }
}

int main(void) {
  use_device();
  for (int i = 0; i < ROWS * SEQUENCE * WIDTH; i++)
    x[i] = (float)(i * 11 % 17) / 8 - 1;
  check(cuda->cuStreamCreate(&stream, 1), "stream");
  fill();
  cut(ROWS - 1, 2);
  cut(-1, 3); /* the last row has less */
  cut(-1, 2);
  cut(65, 1);
  cut(-1, 2);
  cut(0, -1);
  cut(ROWS, 0);
  cut(-2, 0);
  cut(-1, 0);
  printf("the same rows\n");
  return 0;
}
