/* An application with its own way to the driver; with OLD set it knows fewer
   functions than the model was compiled with. */
#include "gpu.h"
#include "sinter-c/sinter_cuda.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* cuda_driver.c under another name stands for that way. */
const sinter_cuda *opened_driver(void);

static int is_old;

const sinter_cuda *sinter_cuda_driver(void) {
  static sinter_cuda own;
  own = *opened_driver();
  if (is_old)
    own.size = offsetof(sinter_cuda, cuGraphDestroy);
  return &own;
}

const char *sinter_cuda_driver_error(void) { return ""; }

int main(void) {
  static SINTER_ALIGNED(64) char handle[GPU_DEVICE_HANDLE_SIZE];
  const sinter_cuda *cuda = sinter_cuda_driver();
  gpu_device *device;
  void *context;
  sinter_status status;
  if (cuda->cuDevicePrimaryCtxRetain(&context, 0) ||
      cuda->cuCtxSetCurrent(context))
    return 2;
  is_old = getenv("OLD") != NULL;
  status = gpu_device_open(handle, sizeof handle, NULL, &device);
  printf("%s\n", gpu_status_string(status));
  if (status == SINTER_OK)
    status = gpu_device_close(device);
  return status != SINTER_OK;
}
