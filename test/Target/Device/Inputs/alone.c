/* A program that does not look for a device itself. */
#include "gpu.h"
#include <stdio.h>

static SINTER_ALIGNED(64) char handle[GPU_DEVICE_HANDLE_SIZE];

int main(void) {
  gpu_device *device;
  /* The address is not used before there is a device. */
  sinter_status status = gpu_device_open(handle, sizeof handle, handle,
                                         GPU_DEVICE_MEMORY_SIZE, NULL, &device);
  printf("%s\n", gpu_status_string(status));
  return SINTER_KIND(status) != SINTER_DEVICE;
}
