//===- OutputFilesTest.cpp - Outputs that appear together -----------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Support/OutputFiles.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sinter;

namespace {

class OutputFilesTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("sinter-outputs", folder));
  }
  void TearDown() override { sys::fs::remove_directories(folder); }

  std::string in(StringRef name) {
    SmallString<128> path(folder);
    sys::path::append(path, name);
    return path.str().str();
  }
  void write(StringRef name, StringRef text) {
    std::error_code code;
    raw_fd_ostream(in(name), code) << text;
    ASSERT_FALSE(code);
  }
  std::string read(StringRef name) {
    auto buffer = MemoryBuffer::getFile(in(name));
    return buffer ? (*buffer)->getBuffer().str() : "(missing)";
  }
  unsigned fileCount() {
    unsigned count = 0;
    std::error_code code;
    for (sys::fs::directory_iterator it(folder, code), end; it != end && !code;
         it.increment(code))
      ++count;
    return count;
  }

  SmallString<128> folder;
};

} // namespace

TEST_F(OutputFilesTest, NothingIsVisibleBeforeCommit) {
  write("a", "old");
  OutputFiles outputs;
  auto a = outputs.create(in("a"));
  auto b = outputs.create(in("b"));
  ASSERT_TRUE(a && b);
  *a << "new";
  *b << "second";
  EXPECT_EQ(read("a"), "old");
  EXPECT_EQ(read("b"), "(missing)");
  ASSERT_FALSE(bool(outputs.commit()));
  EXPECT_EQ(read("a"), "new");
  EXPECT_EQ(read("b"), "second");
  EXPECT_EQ(fileCount(), 2u);
}

TEST_F(OutputFilesTest, WithoutCommitNothingRemains) {
  write("a", "old");
  {
    OutputFiles outputs;
    auto a = outputs.create(in("a"));
    ASSERT_TRUE(bool(a));
    *a << "new";
  }
  EXPECT_EQ(read("a"), "old");
  EXPECT_EQ(fileCount(), 1u);
}

TEST_F(OutputFilesTest, UnchangedFileKeepsItsTime) {
  write("a.h", "same");
  sys::fs::UniqueID before, after;
  ASSERT_FALSE(sys::fs::getUniqueID(in("a.h"), before));
  for (StringRef text : {"same", "other"}) {
    OutputFiles outputs;
    auto a = outputs.create(in("a.h"), OutputMode::KeepUnchanged);
    ASSERT_TRUE(bool(a));
    *a << text;
    ASSERT_FALSE(bool(outputs.commit()));
    EXPECT_EQ(read("a.h"), text);
    ASSERT_FALSE(sys::fs::getUniqueID(in("a.h"), after));
    EXPECT_EQ(before == after, text == "same");
  }
  EXPECT_EQ(fileCount(), 1u);
}

TEST_F(OutputFilesTest, FullDeviceLeavesTheOthers) {
  if (!sys::fs::exists("/dev/full"))
    GTEST_SKIP() << "no /dev/full";
  write("a", "old");
  OutputFiles outputs;
  auto a = outputs.create(in("a"));
  auto full = outputs.create("/dev/full");
  ASSERT_TRUE(a && full);
  *a << "new";
  *full << "text";
  EXPECT_EQ(toString(outputs.commit()),
            "cannot write '/dev/full': No space left on device");
  EXPECT_EQ(read("a"), "old");
}

TEST_F(OutputFilesTest, FolderThatDoesNotExist) {
  OutputFiles outputs;
  auto a = outputs.create(in("none/a"));
  ASSERT_FALSE(bool(a));
  EXPECT_EQ(toString(a.takeError()),
            "cannot write '" + in("none/a") + "': No such file or directory");
}

TEST_F(OutputFilesTest, FolderInTheWay) {
  OutputFiles outputs;
  auto a = outputs.create(folder.str());
  ASSERT_FALSE(bool(a));
  EXPECT_EQ(toString(a.takeError()),
            "cannot write '" + folder.str().str() + "': Is a directory");
}

TEST_F(OutputFilesTest, LinkIsFollowed) {
  write("real", "old");
  ASSERT_FALSE(sys::fs::create_link("real", in("link")));
  OutputFiles outputs;
  auto a = outputs.create(in("link"));
  ASSERT_TRUE(bool(a));
  *a << "new";
  ASSERT_FALSE(bool(outputs.commit()));
  EXPECT_EQ(read("real"), "new");
}

TEST_F(OutputFilesTest, OnePathTwice) {
  OutputFiles outputs;
  auto a = outputs.create(in("a"));
  ASSERT_TRUE(bool(a));
  auto again = outputs.create(in("a"));
  ASSERT_FALSE(bool(again));
  EXPECT_EQ(toString(again.takeError()),
            "two outputs would be written to '" + in("a") + "'");
}
