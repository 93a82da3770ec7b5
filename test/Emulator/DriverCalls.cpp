//===- DriverCalls.cpp - Right and wrong calls of the driver --------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints what each call returns; driver.test has what is expected. The module
// is Inputs/pipeline.cu's.
//
//===----------------------------------------------------------------------===//

#include "DriverCalls.h"
#include <cstdint>
#include <cstdio>

namespace {
class Calls {
public:
  Calls(const sinter_cuda &cuda, void *module) : cuda(cuda), module(module) {}
  void memory();
  void launches();
  void capture();

private:
  void print(const char *what, int error) { printf("%s: %d\n", what, error); }
  int launch(unsigned blocks, unsigned threads, unsigned shared);

  const sinter_cuda &cuda;
  void *module;
  void *function = nullptr, *stream = nullptr;
  uint64_t in = 0, out = 0, status = 0;
};
} // namespace

void Calls::memory() {
  char bytes[64] = {};
  print("no bytes", cuda.cuMemAlloc(&in, 0));
  print("allocated", cuda.cuMemAlloc(&in, 64));
  print("copied", cuda.cuMemcpyHtoDAsync(in, bytes, 64, nullptr));
  print("past the end", cuda.cuMemcpyHtoDAsync(in + 4, bytes, 64, nullptr));
  print("not memory", cuda.cuMemsetD8Async(16, 0, 64, nullptr));
  print("unknown stream", cuda.cuMemsetD8Async(in, 0, 64, &in));
  print("freed", cuda.cuMemFree(in));
  print("freed twice", cuda.cuMemFree(in));
  print("after free", cuda.cuMemcpyDtoHAsync(bytes, in, 64, nullptr));
}

/// Of a kernel whose input is empty and whose output has one number.
int Calls::launch(unsigned blocks, unsigned threads, unsigned shared) {
  int64_t slots[] = {static_cast<int64_t>(in), static_cast<int64_t>(out), 0, 1};
  int64_t step = 0;
  uint64_t scratch = 0;
  void *parameters[] = {slots, &step, &status, &scratch};
  return cuda.cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, shared,
                             stream, parameters, nullptr);
}

void Calls::launches() {
  print("no kernel", cuda.cuModuleGetFunction(&function, module, "nothing"));
  print("kernel", cuda.cuModuleGetFunction(&function, module, "none"));
  cuda.cuStreamCreate(&stream, 1);
  cuda.cuMemAlloc(&in, 256);
  cuda.cuMemAlloc(&out, 4);
  cuda.cuMemAlloc(&status, 8);
  cuda.cuMemsetD8Async(status, 0, 8, stream);
  print("no blocks", launch(0, 64, 4096));
  print("threads", launch(1, 32, 4096));
  print("too much shared memory", launch(1, 64, 64 << 10));
  print("more is asked for",
        cuda.cuFuncSetAttribute(function, SINTER_CUDA_MAX_SHARED, 64 << 10));
  print("shared memory", launch(1, 64, 64 << 10));
  print("more than there is",
        cuda.cuFuncSetAttribute(function, SINTER_CUDA_MAX_SHARED, 1 << 20));
  print("unknown function",
        cuda.cuFuncSetAttribute(&in, SINTER_CUDA_MAX_SHARED, 1024));
}

/// A captured launch runs when its graph does, and each time that it does.
void Calls::capture() {
  void *graph = nullptr, *executable = nullptr;
  float result = 5;
  int state = 0;
  cuda.cuMemsetD8Async(out, 0xff, 4, stream);
  print("begin", cuda.cuStreamBeginCapture(stream, 0));
  cuda.cuStreamIsCapturing(stream, &state);
  print("capturing", state);
  print("captured launch", launch(1, 64, 4096));
  print("waiting", cuda.cuStreamSynchronize(stream));
  print("spoilt", cuda.cuStreamEndCapture(stream, &graph));
  print("begin again", cuda.cuStreamBeginCapture(stream, 0));
  print("captured launch", launch(1, 64, 4096));
  print("end", cuda.cuStreamEndCapture(stream, &graph));
  print("instantiated", cuda.cuGraphInstantiate(&executable, graph, 0));
  cuda.cuMemcpyDtoHAsync(&result, out, 4, stream);
  cuda.cuStreamSynchronize(stream);
  printf("before: %g\n", result);
  print("launched", cuda.cuGraphLaunch(executable, stream));
  cuda.cuMemcpyDtoHAsync(&result, out, 4, stream);
  printf("not yet: %g\n", result);
  cuda.cuStreamSynchronize(stream);
  printf("after: %g\n", result);
  print("destroyed", cuda.cuGraphDestroy(graph));
  print("destroyed", cuda.cuGraphExecDestroy(executable));
  print("unknown graph", cuda.cuGraphLaunch(executable, stream));
}

void readDeviceMemory(const sinter_cuda &cuda) {
  uint64_t address = 0;
  cuda.cuMemAlloc(&address, 64);
  printf("%d\n", *reinterpret_cast<volatile int *>(address));
}

void callDriver(const sinter_cuda &cuda, void *module) {
  Calls calls(cuda, module);
  calls.memory();
  calls.launches();
  calls.capture();
}
