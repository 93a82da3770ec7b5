//===- SafetensorsTest.cpp - Reader of safetensors archives ---------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Support/Safetensors.h"
#include "llvm/Support/Endian.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sinter;

namespace {

/// A file with this header and `bytes` zero bytes of data.
std::string archive(StringRef header, size_t bytes) {
  std::string file(8, '\0');
  support::endian::write64le(file.data(), header.size());
  return file + header.str() + std::string(bytes, '\0');
}

std::string errorOf(StringRef contents) {
  auto opened = SafetensorsArchive::create(
      MemoryBuffer::getMemBufferCopy(contents, "w.safetensors"));
  return opened ? "" : toString(opened.takeError());
}

} // namespace

TEST(Safetensors, ReadsTensorsInTheOrderOfTheirBytes) {
  std::string file =
      archive(R"({"b":{"dtype":"F32","shape":[2,1],"data_offsets":[4,12]},)"
              R"("__metadata__":{"format":"pt"},)"
              R"("a":{"dtype":"I32","shape":[],"data_offsets":[0,4]}}   )",
              12);
  auto opened = SafetensorsArchive::create(
      MemoryBuffer::getMemBufferCopy(file, "w.safetensors"));
  ASSERT_TRUE(bool(opened));
  ArrayRef<ArchiveTensor> tensors = (*opened)->tensors();
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors[0].name, "a");
  EXPECT_EQ(tensors[0].type, StoredType::I32);
  EXPECT_EQ(tensors[1].bytes.size(), 8u);
  EXPECT_EQ(tensors[1].shape, (SmallVector<int64_t, 4>{2, 1}));
  EXPECT_EQ((*opened)->lookup("c"), nullptr);
}

TEST(Safetensors, MissingTensorNamesTheNearest) {
  std::string file = archive(
      R"({"norm.weight":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})", 0);
  auto opened = SafetensorsArchive::create(
      MemoryBuffer::getMemBufferCopy(file, "w.safetensors"));
  ASSERT_TRUE(bool(opened));
  auto found = (*opened)->find("norm.wieght");
  ASSERT_FALSE(bool(found));
  EXPECT_EQ(toString(found.takeError()),
            "'w.safetensors' has no tensor 'norm.wieght'; did you mean "
            "'norm.weight'?");
}

TEST(Safetensors, MissingFile) {
  auto opened = SafetensorsArchive::open("/nonexistent/w.safetensors");
  ASSERT_FALSE(bool(opened));
  EXPECT_EQ(toString(opened.takeError()),
            "'/nonexistent/w.safetensors': No such file or directory");
}

TEST(Safetensors, MalformedFiles) {
  auto one = [](StringRef description, size_t bytes) {
    return errorOf(archive(("{\"a\":" + description + "}").str(), bytes));
  };
  auto has = [](const std::string &message, StringRef part) {
    return StringRef(message).contains(part)
               ? testing::AssertionSuccess()
               : testing::AssertionFailure() << message;
  };
  EXPECT_TRUE(has(errorOf("abc"), "truncated: a safetensors file has"));
  EXPECT_TRUE(has(errorOf(std::string(8, '\xff')), "at most 100000000"));
  EXPECT_TRUE(has(errorOf(archive("{}", 0).substr(0, 9)),
                  "truncated: the header should have 2 bytes"));
  EXPECT_TRUE(has(errorOf(archive("[]", 0)), "does not start with '{'"));
  EXPECT_TRUE(has(errorOf(archive("{\"a\":", 0)), "the header is not JSON"));
  EXPECT_TRUE(has(errorOf(archive(std::string(1 << 20, '{'), 0)), "nested"));
  EXPECT_TRUE(has(one("1", 0), "is not a JSON object"));
  EXPECT_TRUE(has(one("{}", 0), "is missing"));
  EXPECT_TRUE(has(one(R"({"dtype":"F31","shape":[],"data_offsets":[0,4]})", 4),
                  "tensor 'a': unknown dtype 'F31'"));
  EXPECT_TRUE(
      has(one(R"({"dtype":"F32","shape":[-1],"data_offsets":[0,4]})", 4),
          "an extent that is not"));
  EXPECT_TRUE(has(one(R"({"dtype":"F32","shape":[],"data_offsets":[4,0]})", 4),
                  "is not a range"));
  EXPECT_TRUE(has(one(R"({"dtype":"F32","shape":[],"data_offsets":[0,8]})", 4),
                  "lie outside the 4 bytes of data"));
  EXPECT_TRUE(has(one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,4]})", 4),
                  "2xf32 needs 8 bytes, 'data_offsets' gives 4"));
  EXPECT_TRUE(has(one(R"({"dtype":"F32","shape":[4294967296,4294967296],)"
                      R"("data_offsets":[0,4]})",
                      4),
                  "needs too many bytes"));
  EXPECT_TRUE(has(one(R"({"dtype":"F32","shape":[],"data_offsets":[0,4]})", 5),
                  "bytes 4..5 of the data belong to no tensor"));
}

TEST(Safetensors, OverlapsAndHoles) {
  EXPECT_EQ(
      errorOf(archive(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                      R"("b":{"dtype":"U8","shape":[4],"data_offsets":[3,7]}})",
                      7)),
      "'w.safetensors': tensor 'b': its bytes overlap those of 'a'");
  EXPECT_EQ(
      errorOf(archive(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                      R"("b":{"dtype":"U8","shape":[4],"data_offsets":[5,9]}})",
                      9)),
      "'w.safetensors': bytes 4..5 of the data belong to no tensor");
}
