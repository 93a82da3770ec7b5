/*===- sinter_cuda.h - the CUDA driver, opened on demand ---------*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a model compiled for CUDA imports: one function, defined in Sinter::rt
 * (lib/Runtime/cuda_driver.c). An application that has its own way to the
 * driver may define it instead. C99 and C++.
 *===--------------------------------------------------------------------===*/
#ifndef SINTER_CUDA_H
#define SINTER_CUDA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Functions of the CUDA driver under the driver's names without the suffix of a
   version; contexts, modules, functions, streams and graphs are pointers,
   device memory is uint64_t, and 0 is success. SINTER_CUDA_FUNCTIONS(F) lists
   F(name, symbol, parameters). */
#define SINTER_CUDA_FUNCTIONS(F)                                               \
  F(cuInit, "cuInit", (unsigned flags))                                        \
  F(cuGetErrorString, "cuGetErrorString", (int error, const char **text))      \
  F(cuDeviceGetCount, "cuDeviceGetCount", (int *count))                        \
  F(cuDeviceGet, "cuDeviceGet", (int *device, int ordinal))                    \
  F(cuDeviceGetName, "cuDeviceGetName", (char *name, int size, int device))    \
  F(cuDeviceGetAttribute, "cuDeviceGetAttribute",                              \
    (int *value, int attribute, int device))                                   \
  F(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain",                      \
    (void **context, int device))                                              \
  F(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (int device))   \
  F(cuCtxGetCurrent, "cuCtxGetCurrent", (void **context))                      \
  F(cuCtxSetCurrent, "cuCtxSetCurrent", (void *context))                       \
  F(cuCtxGetDevice, "cuCtxGetDevice", (int *device))                           \
  F(cuModuleLoadData, "cuModuleLoadData", (void **module, const void *image))  \
  F(cuModuleUnload, "cuModuleUnload", (void *module))                          \
  F(cuModuleGetFunction, "cuModuleGetFunction",                                \
    (void **function, void *module, const char *name))                         \
  F(cuFuncSetAttribute, "cuFuncSetAttribute",                                  \
    (void *function, int attribute, int value))                                \
  F(cuLaunchKernel, "cuLaunchKernel",                                          \
    (void *function, unsigned gridX, unsigned gridY, unsigned gridZ,        \
     unsigned blockX, unsigned blockY, unsigned blockZ, unsigned shared,    \
     void *stream, void **parameters, void **extra))                           \
  F(cuMemAlloc, "cuMemAlloc_v2", (uint64_t *address, size_t bytes))            \
  F(cuMemFree, "cuMemFree_v2", (uint64_t address))                             \
  F(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2",                                 \
    (uint64_t to, const void *from, size_t bytes, void *stream))               \
  F(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2",                                 \
    (void *to, uint64_t from, size_t bytes, void *stream))                     \
  F(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2",                                 \
    (uint64_t to, uint64_t from, size_t bytes, void *stream))                  \
  F(cuMemsetD8Async, "cuMemsetD8Async",                                        \
    (uint64_t to, unsigned char value, size_t bytes, void *stream))            \
  F(cuStreamCreate, "cuStreamCreate", (void **stream, unsigned flags))         \
  F(cuStreamDestroy, "cuStreamDestroy_v2", (void *stream))                     \
  F(cuStreamSynchronize, "cuStreamSynchronize", (void *stream))                \
  F(cuStreamIsCapturing, "cuStreamIsCapturing", (void *stream, int *status))   \
  F(cuStreamBeginCapture, "cuStreamBeginCapture_v2",                           \
    (void *stream, int mode))                                                  \
  F(cuStreamEndCapture, "cuStreamEndCapture", (void *stream, void **graph))    \
  F(cuGraphInstantiate, "cuGraphInstantiateWithFlags",                         \
    (void **executable, void *graph, unsigned long long flags))                \
  F(cuGraphLaunch, "cuGraphLaunch", (void *executable, void *stream))          \
  F(cuGraphExecDestroy, "cuGraphExecDestroy", (void *executable))              \
  F(cuGraphDestroy, "cuGraphDestroy", (void *graph))

#define SINTER_CUDA_MEMBER(name, symbol, parameters) int(*name) parameters;
typedef struct sinter_cuda {
  size_t size; /* sizeof(sinter_cuda); new members come at the end, and a model
                  refuses a driver that has fewer than it was compiled with */
  SINTER_CUDA_FUNCTIONS(SINTER_CUDA_MEMBER)
  /* Not the driver's. Or NULL: in the thread that calls an entry, done = 0
     before a kernel's launches are queued on its stream, 1 after. */
  void (*trace)(void *context, int32_t kernel, int32_t done, void *stream);
  void *context; /* passed to it */
} sinter_cuda;
#undef SINTER_CUDA_MEMBER

/* Numbers of the driver's interface that are used with these. */
enum {
  SINTER_CUDA_COMPUTE_MAJOR = 75, /* of cuDeviceGetAttribute */
  SINTER_CUDA_COMPUTE_MINOR = 76,
  SINTER_CUDA_BLOCK_SHARED = 97, /* the most that a function can be given */
  SINTER_CUDA_MAX_SHARED = 8 /* of cuFuncSetAttribute: dynamic, in bytes */
};

/* The driver, initialised; NULL where there is none, it lacks a function, or it
   finds no device. Opened once, by the first call of any thread: the library
   that the environment names in SINTER_CUDA_DRIVER, else libcuda.so.1. */
const sinter_cuda *sinter_cuda_driver(void);

/* Why sinter_cuda_driver gives NULL, in words; "" where it does not. */
const char *sinter_cuda_driver_error(void);

#ifdef __cplusplus
}
#endif
#endif /* SINTER_CUDA_H */
