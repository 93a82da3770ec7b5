/*===- cuda_driver.c - opens the CUDA driver ---------------------*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * C11 and POSIX. Nothing of CUDA is needed to compile or to link it.
 *===--------------------------------------------------------------------===*/
#include "sinter-c/sinter_cuda.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sinter_cuda driver;
static char problem[512];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A function of the library, or NULL and `problem`. */
static void *find(void *library, const char *symbol) {
  void *function = dlsym(library, symbol);
  if (!function && !problem[0])
    snprintf(problem, sizeof problem, "the CUDA driver has no function '%s'",
             symbol);
  return function;
}

/* Initialises the driver and sees that it has a device. */
static void start(void) {
  const char *text = "";
  int count = 0, error = driver.cuInit(0);
  if (error == 0)
    error = driver.cuDeviceGetCount(&count);
  if (error != 0) {
    if (driver.cuGetErrorString(error, &text) != 0 || !text)
      text = "unknown error";
    snprintf(problem, sizeof problem, "the CUDA driver reports: %s", text);
  } else if (count == 0) {
    snprintf(problem, sizeof problem, "the CUDA driver finds no device");
  }
}

static void open_driver(void) {
  const char *path = getenv("SINTER_CUDA_DRIVER");
  if (!path || !path[0])
    path = "libcuda.so.1";
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(problem, sizeof problem, "the CUDA driver cannot be opened: %s",
             dlerror());
    return;
  }
  /* ISO C has no conversion from void * to a function. */
#define SINTER_CUDA_FIND(name, symbol, parameters)                             \
  {                                                                            \
    void *function = find(library, symbol);                                    \
    memcpy(&driver.name, &function, sizeof function);                          \
  }
  SINTER_CUDA_FUNCTIONS(SINTER_CUDA_FIND)
#undef SINTER_CUDA_FIND
  driver.size = sizeof driver;
  if (!problem[0])
    start();
}

const sinter_cuda *sinter_cuda_driver(void) {
  pthread_once(&once, open_driver);
  return problem[0] ? NULL : &driver;
}

const char *sinter_cuda_driver_error(void) {
  pthread_once(&once, open_driver);
  return problem;
}
