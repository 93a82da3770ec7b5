/* A device that is closed in the wrong context, and a call whose second kernel
   has too many blocks: nothing of the first is to be seen. */
#include "device.h"
#include "gpu.h"

enum { FEW = 4 };

static SINTER_ALIGNED(64) char handle[GPU_DEVICE_HANDLE_SIZE];

static void good(sinter_status status, const char *what) {
  if (status == SINTER_OK)
    return;
  printf("%s: %s\n", what, gpu_status_string(status));
  exit(1);
}

/* The driver refuses; in the right context it is closed after all. */
static void close_twice(gpu_device *device) {
  void *context;
  sinter_status status;
  check(cuda->cuCtxGetCurrent(&context), "context");
  check(cuda->cuCtxSetCurrent(NULL), "context");
  status = gpu_device_close(device);
  printf("gpu_device_close: %s\n", gpu_status_string(status));
  expect(SINTER_KIND(status) == SINTER_DEVICE, "it is not closed");
  check(cuda->cuCtxSetCurrent(context), "context");
  good(gpu_device_close(device), "close");
  expect(gpu_device_close(device) < 0, "it is closed");
}

int main(void) {
  /* So many rows are far more than there is memory: they are never looked at.
   */
  const int64_t batch = (int64_t)1 << 20, rows = (int64_t)1 << 15;
  size_t bytes = gpu_twice_workspace_size(FEW, batch, rows);
  float x[FEW] = {0, 1, 2, 3}, a[FEW] = {-7, -7, -7, -7};
  gpu_device *device;
  void *stream, *x_there, *a_there, *workspace;
  sinter_status status;
  use_device();
  check(cuda->cuStreamCreate(&stream, 1), "stream");
  good(gpu_device_open(handle, sizeof handle, stream, &device), "open");
  close_twice(device);
  good(gpu_device_open(handle, sizeof handle, stream, &device), "open again");
  workspace = allocate(bytes);
  x_there = allocate(sizeof x);
  a_there = allocate(sizeof a);
  upload(x_there, x, sizeof x, stream);
  upload(a_there, a, sizeof a, stream);
  status = gpu_twice(device, stream, workspace, bytes, FEW, batch, rows,
                     x_there, x_there, a_there, a_there);
  printf("gpu_twice: %s\n", gpu_status_string(status));
  expect(SINTER_KIND(status) == SINTER_DEVICE, "too many blocks are refused");
  download(a, a_there, sizeof a, stream);
  expect(a[0] == -7, "a refused call writes nothing");
  good(gpu_device_close(device), "close");
  printf("as it was\n");
  return 0;
}
