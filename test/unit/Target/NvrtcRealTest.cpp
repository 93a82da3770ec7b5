//===- NvrtcRealTest.cpp - NVRTC itself, where there is one ---------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Target/NVRTC/Kernels.h"
#include "sinter/Target/NVRTC/Ptx.h"
#include "llvm/Support/FileSystem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace sinter::nvrtc;
using testing::HasSubstr;

namespace {
/// The library that SINTER_NVRTC names, else the one that ./run-tests fetched,
/// else the system's.
class NvrtcReal : public testing::Test {
protected:
  void SetUp() override {
    bool fetched = llvm::sys::fs::exists(SINTER_FETCHED_NVRTC);
    auto loaded = Compiler::load(
        !std::getenv("SINTER_NVRTC") && fetched ? SINTER_FETCHED_NVRTC : "");
    if (!loaded)
      GTEST_SKIP() << llvm::toString(loaded.takeError());
    compiler = std::move(*loaded);
    for (Architecture arch : defaultArchitectures()) {
      if (llvm::Error error = compiler->checkArchitecture(arch))
        llvm::consumeError(std::move(error));
      else
        options.architectures.push_back(arch);
    }
  }

  KernelImages compileOne(llvm::StringRef name, llvm::StringRef text) {
    auto kernels = compileKernels(*compiler, {{name.str(), text.str()}},
                                  options, Cache(""));
    if (kernels)
      return std::move(kernels->front());
    ADD_FAILURE() << llvm::toString(kernels.takeError());
    return {};
  }

  std::unique_ptr<Compiler> compiler;
  KernelsOptions options;
};
} // namespace

static constexpr llvm::StringLiteral kCopy = R"(
struct Arguments { long long slot[3]; };
extern "C" __global__ void __launch_bounds__(128, 2)
copy(const __grid_constant__ Arguments args, long long step) {
  extern __shared__ float dynamic[];
  __shared__ float fixed[32];
  auto *x = (const float4 *)args.slot[0];
  auto *y = (float4 *)args.slot[1];
  fixed[threadIdx.x % 32] = dynamic[threadIdx.x];
  __syncthreads();
  for (long long i = threadIdx.x; i < args.slot[2]; i += 128) {
    float4 value = x[i];
    value.x += fixed[(threadIdx.x + i + step) % 32];
    y[i] = value;
  }
}
)";

TEST_F(NvrtcReal, ReadsTheResourcesOfEveryArchitecture) {
  KernelImages kernel = compileOne("copy", kCopy);
  ASSERT_EQ(kernel.images.size(), options.architectures.size());
  for (const KernelImage &image : kernel.images) {
    SCOPED_TRACE(image.arch.name());
    EXPECT_TRUE(image.log.isClean());
    ASSERT_TRUE(image.resources);
    const KernelResources &resources = *image.resources;
    EXPECT_EQ(resources.maxThreads, 128u);
    EXPECT_EQ(resources.parameterBytes, 32u);
    EXPECT_EQ(resources.sharedBytes, 128u);
    EXPECT_EQ(resources.stackBytes, 0u);
    EXPECT_GT(resources.registers, 8u);
    EXPECT_LE(resources.registers, 255u);
    EXPECT_EQ(resources.localLoads(), 0u);
    EXPECT_EQ(resources.localStores(), 0u);
    EXPECT_EQ(resources.count(operation::barrier), 1u);
    EXPECT_GE(resources.count(operation::globalLoad), 1u);
    EXPECT_GE(resources.count(operation::globalStore), 1u);
    EXPECT_EQ(resources.count(operation::genericLoad), 0u);
  }
  EXPECT_EQ(kernel.ptxArch, options.architectures.front());
  EXPECT_THAT(kernel.ptx, HasSubstr(".target sm_80"));
  PtxAccesses all;
  for (const PtxLoop &loop : readPtxLoops(kernel.ptx, "copy"))
    all += loop.accesses;
  EXPECT_GE(all.wideGlobal, 2u);
  EXPECT_EQ(all.narrowGlobal + all.generic + all.local, 0u);
}

TEST_F(NvrtcReal, FindsSpillsAndLocalMemory) {
  KernelImages kernel = compileOne("spill", R"(
extern "C" __global__ void __launch_bounds__(1024, 2)
spill(float *x, const float *y, int n) {
  float a[96];
#pragma unroll
  for (int i = 0; i < 96; i++) a[i] = y[i * 1024 + threadIdx.x];
  for (int k = 0; k < n; k++)
#pragma unroll
    for (int i = 0; i < 96; i++) a[i] = a[i] * a[(i * 7 + 3) % 96] + y[k];
#pragma unroll
  for (int i = 0; i < 96; i++) x[i * 1024 + threadIdx.x] = a[i];
})");
  for (const KernelImage &image : kernel.images) {
    SCOPED_TRACE(image.arch.name());
    ASSERT_EQ(image.log.spills.size(), 1u);
    EXPECT_EQ(image.log.spills[0].kernel, "spill");
    EXPECT_GT(image.log.spills[0].storeBytes, 0u);
    ASSERT_TRUE(image.resources);
    EXPECT_EQ(image.resources->stackBytes, image.log.spills[0].stackBytes);
    EXPECT_GT(image.resources->localLoads(), 0u);
    EXPECT_GT(image.resources->localStores(), 0u);
    EXPECT_LE(image.resources->registers, 32u);
  }
}

TEST_F(NvrtcReal, GenericAccessesAreSeen) {
  KernelImages kernel = compileOne("follow", R"(
extern "C" __global__ void follow(float *x, int n) {
  __shared__ float fixed[64];
  fixed[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  float *either = n % 3 ? x : fixed;
  for (int i = 0; i < n; i++) either[i * n % 64] *= 2;
})");
  PtxAccesses all;
  for (const PtxLoop &loop : readPtxLoops(kernel.ptx, "follow"))
    all += loop.accesses;
  EXPECT_GT(all.generic, 0u);
  for (const KernelImage &image : kernel.images) {
    ASSERT_TRUE(image.resources);
    EXPECT_GT(image.resources->count(operation::genericLoad), 0u);
    EXPECT_GT(image.resources->count(operation::genericStore), 0u);
  }
}

TEST_F(NvrtcReal, SameTextSameBytes) {
  KernelImages first = compileOne("copy", kCopy);
  KernelImages second = compileOne("copy", kCopy);
  EXPECT_EQ(first.ptx, second.ptx);
  for (auto [a, b] : llvm::zip_equal(first.images, second.images))
    EXPECT_EQ(a.cubin, b.cubin);
}

TEST_F(NvrtcReal, ErrorsNameKernelAndLine) {
  auto kernels = compileKernels(
      *compiler, {{"k", "extern \"C\" __global__ void k() {\n  nonsense;\n}"}},
      options, Cache(""));
  ASSERT_FALSE(bool(kernels));
  std::string problem = llvm::toString(kernels.takeError());
  EXPECT_THAT(problem,
              HasSubstr("NVRTC does not compile kernel 'k' for sm_80"));
  EXPECT_THAT(problem, HasSubstr("k.cu(2): error: identifier \"nonsense\""));
}

TEST_F(NvrtcReal, DamagedCubinsAreErrors) {
  KernelImages kernel = compileOne("copy", kCopy);
  std::string cubin = kernel.images.front().cubin;
  for (size_t length = 0; length < cubin.size(); length += 97)
    if (auto read = readCubin(llvm::StringRef(cubin).take_front(length)))
      continue;
    else
      llvm::consumeError(read.takeError());
  for (size_t place = 0; place < cubin.size(); place += 13) {
    std::string damaged = cubin;
    damaged[place] ^= 0xff;
    if (auto read = readCubin(damaged); !read)
      llvm::consumeError(read.takeError());
  }
  EXPECT_TRUE(bool(readCubin(cubin)));
}
