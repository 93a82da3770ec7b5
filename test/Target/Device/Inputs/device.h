/* What the programs of this folder share: memory of the first GPU. */
#include "sinter-c/sinter_cuda.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static const sinter_cuda *cuda;

/* Ends the program where the driver says no. */
static void check(int error, const char *what) {
  const char *text = "";
  if (error == 0)
    return;
  cuda->cuGetErrorString(error, &text);
  printf("%s: %s\n", what, text);
  exit(1);
}

static void use_device(void) {
  void *context;
  int device;
  cuda = sinter_cuda_driver();
  if (!cuda) {
    printf("no driver: %s\n", sinter_cuda_driver_error());
    exit(2);
  }
  check(cuda->cuDeviceGet(&device, 0), "device");
  check(cuda->cuDevicePrimaryCtxRetain(&context, device), "context");
  check(cuda->cuCtxSetCurrent(context), "context");
}

static void *allocate(size_t bytes) {
  uint64_t address = 0;
  check(cuda->cuMemAlloc(&address, bytes), "memory");
  return (void *)(uintptr_t)address;
}

static void upload(void *to, const void *from, size_t bytes, void *stream) {
  check(cuda->cuMemcpyHtoDAsync((uintptr_t)to, from, bytes, stream), "copy");
  check(cuda->cuStreamSynchronize(stream), "wait");
}

static void download(void *to, const void *from, size_t bytes, void *stream) {
  check(cuda->cuMemcpyDtoHAsync(to, (uintptr_t)from, bytes, stream), "copy");
  check(cuda->cuStreamSynchronize(stream), "wait");
}

static void expect(int condition, const char *what) {
  if (condition)
    return;
  printf("not as promised: %s\n", what);
  exit(1);
}
