//===- Emulate.cpp - Compiles and runs test kernels -----------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   emulate compile OUT FILE...       the files, one after the other, by the
//                                     NVRTC that SINTER_NVRTC names
//   emulate pipeline OBJECT KERNEL... kernels of Inputs/pipeline.cu; says of
//                                     each whether its results are right
//   emulate bits OBJECT KERNEL...     Inputs/conformance.cu: prints the results
//   emulate calls OBJECT all|host     DriverCalls.h
//
// Kernels run by the driver that SINTER_CUDA_DRIVER names, emulated or not.
//
//===----------------------------------------------------------------------===//

#include "DriverCalls.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

[[noreturn]] static void fail(const std::string &message) {
  fprintf(stderr, "emulate: %s\n", message.c_str());
  exit(1);
}

static std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    fail("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

static void *openLibrary(const char *variable) {
  const char *path = getenv(variable);
  void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!library)
    fail(path ? dlerror() : std::string(variable) + " is not set");
  return library;
}

/// Gives the function's first parameter and calls it.
template <class... Parameters>
static int callNVRTC(void *library, const char *name, Parameters... values) {
  auto function =
      reinterpret_cast<int (*)(Parameters...)>(dlsym(library, name));
  if (!function)
    fail(std::string("NVRTC has no ") + name);
  return function(values...);
}

static std::string readText(void *nvrtc, void *program, const char *what) {
  std::string function = std::string("nvrtcGet") + what;
  size_t size = 0;
  callNVRTC(nvrtc, (function + "Size").c_str(), program, &size);
  std::string text(size, '\0');
  callNVRTC(nvrtc, function.c_str(), program, text.data());
  return text;
}

static int compile(const char *object, const std::vector<std::string> &files) {
  std::string text;
  for (const std::string &file : files)
    text += "#line 1 \"" + file.substr(file.rfind('/') + 1) + "\"\n" +
            readFile(file);
  void *nvrtc = openLibrary("SINTER_NVRTC"), *program = nullptr;
  const char *architecture = getenv("EMULATE_ARCH");
  std::string arch = std::string("--gpu-architecture=") +
                     (architecture ? architecture : "sm_80");
  const char *options[] = {arch.c_str(), "--std=c++20"};
  const char *const *none = nullptr;
  callNVRTC(nvrtc, "nvrtcCreateProgram", &program, text.c_str(), "test.cu", 0,
            none, none);
  int error = callNVRTC(nvrtc, "nvrtcCompileProgram", program, 2,
                        static_cast<const char *const *>(options));
  fprintf(stderr, "%s", readText(nvrtc, program, "ProgramLog").c_str());
  if (error)
    return 1;
  std::string cubin = readText(nvrtc, program, "CUBIN");
  std::ofstream(object, std::ios::binary) << cubin;
  return 0;
}

//===----------------------------------------------------------------------===//
// Device
//===----------------------------------------------------------------------===//

static const sinter_cuda *cuda;

static void check(int error, const char *what) {
  const char *text = nullptr;
  if (!error)
    return;
  cuda->cuGetErrorString(error, &text);
  fail(std::string(what) + ": " + (text ? text : std::to_string(error)));
}
#define CHECK(call) check(cuda->call, #call)

namespace {
/// Device memory with a copy on the host.
template <class T> struct Buffer {
  explicit Buffer(size_t count) : values(count) {
    CHECK(cuMemAlloc(&address, bytes()));
  }
  ~Buffer() { CHECK(cuMemFree(address)); }
  size_t bytes() const { return values.size() * sizeof(T); }
  void upload() {
    CHECK(cuMemcpyHtoDAsync(address, values.data(), bytes(), nullptr));
  }
  void download() {
    CHECK(cuMemcpyDtoHAsync(values.data(), address, bytes(), nullptr));
    CHECK(cuStreamSynchronize(nullptr));
  }
  std::vector<T> values;
  uint64_t address = 0;
};

struct Shape {
  unsigned blocks, threads, shared;
};
} // namespace

/// A kernel's parameters: slots, step 0, a status of zeros, `scratch`.
static void launch(void *module, const char *kernel, Shape shape,
                   std::vector<int64_t> slots, uint64_t scratch) {
  void *function = nullptr;
  Buffer<int32_t> status(2);
  status.upload();
  int64_t step = 0;
  void *parameters[] = {slots.data(), &step, &status.address, &scratch};
  CHECK(cuModuleGetFunction(&function, module, kernel));
  CHECK(cuLaunchKernel(function, shape.blocks, 1, 1, shape.threads, 1, 1,
                       shape.shared, nullptr, parameters, nullptr));
  CHECK(cuStreamSynchronize(nullptr));
}

static void *openModule(const char *object) {
  void *context = nullptr, *module = nullptr;
  cuda = sinter_cuda_driver();
  if (!cuda)
    fail(sinter_cuda_driver_error());
  CHECK(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(cuCtxSetCurrent(context));
  std::string image = readFile(object);
  CHECK(cuModuleLoadData(&module, image.data()));
  return module;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

// As in Inputs/pipeline.cu.
static constexpr int kBlocks = 3, kThreads = 64, kTiles = 4;
static constexpr int kTile = 4 * kThreads;
static constexpr int kInputs = kBlocks * kTiles * kTile - 172;
static constexpr int kOutputs = kBlocks * kThreads - 10;

/// What pipeline.cu calls a[b][t].
static float tileSum(const std::vector<float> &in, int block, int thread) {
  float sum = 0;
  for (int j = 0; j < kTiles; ++j)
    for (int e = 0; e < 4; ++e) {
      size_t index =
          (block * kTiles + j) * kTile + (thread + 40) % kThreads * 4 + e;
      sum += index < in.size() ? in[index] : 0;
    }
  return sum;
}

static float expected(const std::vector<float> &in, int index) {
  int block = index / kThreads, thread = index % kThreads;
  float total = 0;
  for (int other = 0; other < kThreads; ++other)
    total += tileSum(in, block, other);
  return tileSum(in, block, thread) + 2 * tileSum(in, block, thread ^ 1) +
         total;
}

/// Small integers: sums are exact in any order.
static bool runPipeline(void *module, const char *kernel) {
  Buffer<float> in(kInputs), out(kOutputs), scratch(kThreads);
  for (int i = 0; i < kInputs; ++i)
    in.values[i] = i * 7 % 23 - 11;
  in.upload();
  std::vector<float> original = in.values;
  launch(module, kernel,
         {kBlocks, kThreads, (2 * kTile + kThreads + 2) * sizeof(float)},
         {static_cast<int64_t>(in.address), static_cast<int64_t>(out.address),
          kInputs, kOutputs},
         scratch.address);
  out.download();
  for (int i = 0; i < kOutputs; ++i) {
    float want = expected(original, i);
    if (out.values[i] == want)
      continue;
    printf("%s: wrong: out[%d] is %g; expected %g\n", kernel, i, out.values[i],
           want);
    return false;
  }
  printf("%s: right\n", kernel);
  return true;
}

/// Pseudorandom bits in, bits out.
static void printBits(void *module, const char *kernel) {
  constexpr int threads = 128, blocks = 4, words = 64;
  Buffer<uint32_t> in(threads * blocks * words);
  Buffer<uint32_t> out(threads * blocks * words);
  uint64_t state = 1;
  for (uint32_t &word : in.values) {
    state = state * 6364136223846793005 + 1442695040888963407;
    word = state >> 32;
  }
  in.upload();
  CHECK(cuMemsetD8Async(out.address, 0, out.bytes(), nullptr));
  launch(module, kernel, {blocks, threads, threads * 64},
         {static_cast<int64_t>(in.address), static_cast<int64_t>(out.address)},
         in.address);
  out.download();
  for (size_t i = 0; i < out.values.size(); ++i)
    printf("%08x%c", out.values[i], i % 8 == 7 ? '\n' : ' ');
}

int main(int count, char **words) {
  std::vector<std::string> rest(words + std::min(count, 3), words + count);
  if (rest.empty())
    fail("usage: emulate compile|pipeline|bits|calls OBJECT NAME...");
  std::string command = words[1];
  if (command == "compile")
    return compile(words[2], rest);
  void *module = openModule(words[2]);
  bool isRight = true;
  if (command == "calls") {
    if (rest[0] == "host")
      readDeviceMemory(*cuda);
    else
      callDriver(*cuda, module);
    return 0;
  }
  for (const std::string &kernel : rest) {
    if (command == "bits")
      printBits(module, kernel.c_str());
    else
      isRight &= runPipeline(module, kernel.c_str());
  }
  return !isRight;
}
