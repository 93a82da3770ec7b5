//===- NvrtcCacheTest.cpp - compiled texts by content ---------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Target/NVRTC/Cache.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <fstream>
#include <set>
#include <sys/stat.h>

using namespace sinter::nvrtc;

namespace {
class NvrtcCache : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("sinter-cache", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  static CompiledText sample() {
    CompiledText text;
    text.cubin = std::string("cu\0bin", 6);
    text.ptx = "ptx 3:4";
    text.log.remarks = {"a: warning", ""};
    text.log.spills = {{"k", 8, 4, 2}};
    return text;
  }

  llvm::SmallString<64> folder;
};
} // namespace

TEST_F(NvrtcCache, KeepsEverything) {
  Cache cache(folder);
  EXPECT_FALSE(cache.find("key"));
  cache.store("key", sample());
  auto found = cache.find("key");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->cubin, sample().cubin);
  EXPECT_EQ(found->ptx, sample().ptx);
  EXPECT_EQ(found->log.remarks, sample().log.remarks);
  ASSERT_EQ(found->log.spills.size(), 1u);
  EXPECT_EQ(found->log.spills[0].kernel, "k");
  EXPECT_EQ(found->log.spills[0].loadBytes, 2u);
}

TEST_F(NvrtcCache, DamageIsAbsence) {
  Cache cache(folder);
  cache.store("key", sample());
  std::string path = cache.pathOf("key");
  std::string whole = (*llvm::MemoryBuffer::getFile(path))->getBuffer().str();
  auto write = [&](const std::string &bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  };
  for (size_t length = 0; length < whole.size(); ++length) {
    write(whole.substr(0, length));
    EXPECT_FALSE(cache.find("key")) << "cut to " << length;
  }
  for (size_t place = 0; place < whole.size(); ++place) {
    std::string damaged = whole;
    damaged[place] ^= 1;
    write(damaged);
    EXPECT_FALSE(cache.find("key")) << "changed at " << place;
  }
  cache.store("key", sample());
  EXPECT_TRUE(cache.find("key"));
}

TEST_F(NvrtcCache, WhatIsNoFileIsAbsence) {
  Cache cache(folder);
  std::string path = cache.pathOf("key");
  ASSERT_FALSE(llvm::sys::fs::create_link("/dev/zero", path));
  EXPECT_FALSE(cache.find("key"));
  ASSERT_FALSE(llvm::sys::fs::remove(path));
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(cache.find("key"));
  cache.store("key", sample());
  EXPECT_TRUE(cache.find("key"));
}

TEST_F(NvrtcCache, LeavesNoTemporaries) {
  Cache cache(folder);
  cache.store("a", sample());
  cache.store("a", sample());
  std::error_code code;
  unsigned files = 0;
  for (llvm::sys::fs::directory_iterator it(folder, code), end; it != end;
       it.increment(code))
    ++files;
  EXPECT_EQ(files, 1u);
}

TEST_F(NvrtcCache, WithoutAFolderThereIsNone) {
  Cache none("");
  none.store("key", sample());
  EXPECT_FALSE(none.find("key"));
  // A folder that cannot be made is no error either.
  Cache impossible("/dev/null/cache");
  impossible.store("key", sample());
  EXPECT_FALSE(impossible.find("key"));
}

TEST(NvrtcCacheKey, DependsOnAllThatCounts) {
  auto compiler = Compiler::load(SINTER_TOY_NVRTC);
  ASSERT_TRUE(bool(compiler)) << llvm::toString(compiler.takeError());
  std::set<std::string> keys = {
      Cache::keyFor(**compiler, "k", "text", {80}, {}),
      Cache::keyFor(**compiler, "k", "text", {90}, {}),
      Cache::keyFor(**compiler, "k", "text", {80}, {.flushDenormals = true}),
      Cache::keyFor(**compiler, "k", "text ", {80}, {}),
      Cache::keyFor(**compiler, "kt", "ext", {80}, {})};
  EXPECT_EQ(keys.size(), 5u);
  EXPECT_TRUE(keys.count(Cache::keyFor(**compiler, "k", "text", {80}, {})));
}
