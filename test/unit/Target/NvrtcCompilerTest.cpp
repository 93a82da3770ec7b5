//===- NvrtcCompilerTest.cpp - the loader, on a toy NVRTC -----------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Target/NVRTC/Kernels.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace sinter::nvrtc;
using testing::HasSubstr;

static std::string problemOf(llvm::StringRef path) {
  auto compiler = Compiler::load(path);
  return compiler ? "" : llvm::toString(compiler.takeError());
}

static std::unique_ptr<Compiler> toy() {
  auto compiler = Compiler::load(SINTER_TOY_NVRTC);
  if (!compiler)
    return nullptr;
  return std::move(*compiler);
}

static int toyCompilations() {
  void *handle = dlopen(SINTER_TOY_NVRTC, RTLD_NOW);
  return *static_cast<int *>(dlsym(handle, "toy_compilations"));
}

TEST(NvrtcCompiler, SaysWhatToInstall) {
  std::string problem = problemOf("/nowhere/libnvrtc.so");
  EXPECT_THAT(problem, HasSubstr("/nowhere/libnvrtc.so"));
  EXPECT_THAT(problem, HasSubstr("nvidia-cuda-nvrtc-cu12"));
  EXPECT_THAT(problem, HasSubstr("set SINTER_NVRTC to the path"));
}

TEST(NvrtcCompiler, AnotherLibraryIsRefused) {
  EXPECT_THAT(problemOf("libm.so.6"), HasSubstr("has no 'nvrtcVersion'"));
}

TEST(NvrtcCompiler, TheEnvironmentNamesTheLibrary) {
  setenv("SINTER_NVRTC", SINTER_TOY_NVRTC, 1);
  auto compiler = Compiler::load();
  unsetenv("SINTER_NVRTC");
  ASSERT_TRUE(bool(compiler)) << llvm::toString(compiler.takeError());
  EXPECT_EQ((*compiler)->version(), "12.4");
}

TEST(NvrtcCompiler, TooOldForAnArchitecture) {
  auto compiler = toy();
  ASSERT_TRUE(compiler);
  EXPECT_FALSE(bool(compiler->checkArchitecture({90, true})));
  std::string problem = llvm::toString(compiler->checkArchitecture({100}));
  EXPECT_THAT(problem, HasSubstr("NVRTC 12.4 does not know sm_100, which "
                                 "needs version 12.8 or later"));
}

TEST(NvrtcCompiler, FlagsOfTheEnvironmentDoNotCount) {
  setenv("NVRTC_APPEND_FLAGS", "-lineinfo", 1);
  auto compiler = toy();
  ASSERT_TRUE(compiler);
  auto compiled = compiler->compile("k", "text", {80});
  ASSERT_TRUE(bool(compiled)) << llvm::toString(compiled.takeError());
  EXPECT_EQ(compiled->cubin, "--gpu-architecture=sm_80 --std=c++20 "
                             "--ptxas-options=-v --diag-suppress=177 text");
  EXPECT_EQ(compiled->ptx, "toy ptx");
  EXPECT_TRUE(compiled->log.isClean());
}

TEST(NvrtcCompiler, ErrorsHoldTheLog) {
  auto compiler = toy();
  ASSERT_TRUE(compiler);
  auto compiled = compiler->compile("k", "#error", {80});
  ASSERT_FALSE(bool(compiled));
  EXPECT_EQ(llvm::toString(compiled.takeError()),
            "NVRTC does not compile kernel 'k' for sm_80: "
            "NVRTC_ERROR_COMPILATION\ntoy.cu(1): error: #error directive");
}

TEST(NvrtcKernels, OrderIsThatOfTheTexts) {
  auto compiler = toy();
  ASSERT_TRUE(compiler);
  std::vector<KernelText> texts;
  for (int i = 0; i < 40; ++i)
    texts.push_back({"k" + std::to_string(i), "text " + std::to_string(i)});
  texts[7].text += " #warning";
  KernelsOptions options;
  options.architectures = {{80}, {90}};
  for (unsigned threads : {1, 8}) {
    options.threads = threads;
    auto kernels = compileKernels(*compiler, texts, options, Cache(""));
    ASSERT_TRUE(bool(kernels)) << llvm::toString(kernels.takeError());
    ASSERT_EQ(kernels->size(), texts.size());
    for (auto [kernel, text] : llvm::zip_equal(*kernels, texts)) {
      EXPECT_EQ(kernel.name, text.name);
      EXPECT_EQ(kernel.ptxArch, Architecture{80});
      ASSERT_EQ(kernel.images.size(), 2u);
      EXPECT_THAT(kernel.images[0].cubin, HasSubstr("sm_80"));
      EXPECT_THAT(kernel.images[1].cubin, HasSubstr("sm_90"));
      EXPECT_THAT(kernel.images[1].cubin, HasSubstr(text.text));
      // No cubin, so nothing is known of it.
      EXPECT_FALSE(kernel.images[0].resources);
      EXPECT_EQ(kernel.images[0].log.isClean(), kernel.name != "k7");
    }
  }
}

TEST(NvrtcKernels, TheFirstErrorIsReported) {
  auto compiler = toy();
  ASSERT_TRUE(compiler);
  KernelsOptions options;
  options.architectures = {{80}};
  auto kernels =
      compileKernels(*compiler, {{"a", ""}, {"b", "#error"}, {"c", "#error"}},
                     options, Cache(""));
  ASSERT_FALSE(bool(kernels));
  llvm::handleAllErrors(kernels.takeError(), [](const KernelError &error) {
    EXPECT_EQ(error.kernel, "b");
    EXPECT_THAT(error.problem, HasSubstr("kernel 'b'"));
  });
  options.architectures = {{80}, {100}};
  kernels = compileKernels(*compiler, {{"a", ""}}, options, Cache(""));
  ASSERT_FALSE(bool(kernels));
  EXPECT_THAT(llvm::toString(kernels.takeError()), HasSubstr("sm_100"));
}

TEST(NvrtcKernels, WhatSpillsIsCompiledAgain) {
  auto compiler = toy();
  ASSERT_TRUE(compiler);
  KernelsOptions options;
  options.architectures = {{80}};
  llvm::SmallString<64> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("sinter-cache", folder));
  std::vector<KernelText> texts = {{"a", "text", "FEWER=1"},
                                   {"b", "#spill", "FEWER=1"},
                                   {"c", "#spill", ""},
                                   {"d", "#stack", "FEWER=1"}};
  int before = toyCompilations();
  for (int run = 0; run < 2; ++run) {
    auto kernels = compileKernels(*compiler, texts, options, Cache(folder));
    ASSERT_TRUE(bool(kernels)) << llvm::toString(kernels.takeError());
    auto imageOf = [&](size_t i) { return (*kernels)[i].images.front(); };
    EXPECT_FALSE(imageOf(0).isRelaxed);
    EXPECT_TRUE(imageOf(1).isRelaxed);
    EXPECT_TRUE(imageOf(1).log.isClean());
    EXPECT_THAT(imageOf(1).cubin, HasSubstr("--define-macro=FEWER=1 #spill"));
    EXPECT_FALSE(imageOf(2).isRelaxed);
    EXPECT_EQ(imageOf(2).log.localBytes(), 64u);
    // More registers do not help: the first result stays.
    EXPECT_FALSE(imageOf(3).isRelaxed);
    EXPECT_EQ(imageOf(3).log.localBytes(), 8u);
    // Both results of a text lie in the cache.
    EXPECT_EQ(toyCompilations() - before, 6);
  }
  llvm::sys::fs::remove_directories(folder);
}

TEST(NvrtcKernels, SpecificCodeIsNoFallback) {
  auto compiler = toy();
  ASSERT_TRUE(compiler);
  KernelsOptions options;
  options.architectures = {{90, true}};
  auto kernels = compileKernels(*compiler, {{"a", ""}}, options, Cache(""));
  ASSERT_TRUE(bool(kernels)) << llvm::toString(kernels.takeError());
  EXPECT_EQ(kernels->front().ptx, "");
}

TEST(NvrtcKernels, TheCacheSavesCompilations) {
  auto compiler = toy();
  ASSERT_TRUE(compiler);
  llvm::SmallString<64> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("sinter-cache", folder));
  KernelsOptions options;
  options.architectures = {{80}, {90}};
  std::string first;
  int before = toyCompilations();
  for (int run = 0; run < 2; ++run) {
    auto kernels =
        compileKernels(*compiler, {{"a", "#warning"}}, options, Cache(folder));
    ASSERT_TRUE(bool(kernels)) << llvm::toString(kernels.takeError());
    const KernelImage &image = kernels->front().images.back();
    EXPECT_EQ(image.log.remarks.size(), 1u);
    if (run)
      EXPECT_EQ(image.cubin, first);
    first = image.cubin;
    EXPECT_EQ(toyCompilations() - before, 2);
  }
  llvm::sys::fs::remove_directories(folder);
}
