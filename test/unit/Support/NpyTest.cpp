//===- NpyTest.cpp - NumPy array files ------------------------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Support/Npy.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace llvm;
using namespace sinter;

namespace {

std::string npy(StoredType type, ArrayRef<int64_t> shape, ArrayRef<char> data) {
  std::string text;
  raw_string_ostream os(text);
  writeNpy(os, type, shape, data);
  return text;
}

std::string little(uint64_t value, unsigned bytes) {
  std::string text;
  for (unsigned i = 0; i < bytes; ++i)
    text += char(value >> (8 * i));
  return text;
}

/// A zip archive with one stored member.
std::string zipArchive(const std::string &name, const std::string &contents,
                       unsigned method) {
  std::string local = "PK\3\4" + little(20, 2) + little(0, 2) +
                      little(method, 2) + little(0, 8) +
                      little(contents.size(), 4) + little(contents.size(), 4) +
                      little(name.size(), 2) + little(0, 2) + name + contents;
  std::string central =
      "PK\1\2" + little(20, 2) + little(20, 2) + little(0, 2) +
      little(method, 2) + little(0, 8) + little(contents.size(), 4) +
      little(contents.size(), 4) + little(name.size(), 2) + little(0, 2) +
      little(0, 2) + little(0, 8) + little(0, 4) + name;
  return local + central + "PK\5\6" + little(0, 4) + little(1, 2) +
         little(1, 2) + little(central.size(), 4) + little(local.size(), 4) +
         little(0, 2);
}

} // namespace

TEST(Npy, RoundTrip) {
  float values[] = {1, 2, 3, 4, 5, 6};
  ArrayRef<char> bytes(reinterpret_cast<char *>(values), sizeof values);
  std::string file = npy(StoredType::F32, {2, 3}, bytes);
  EXPECT_EQ((file.size() - sizeof values) % 64, 0u);
  Expected<NpyArray> array = parseNpy(file);
  ASSERT_TRUE(bool(array)) << toString(array.takeError());
  EXPECT_EQ(array->type, StoredType::F32);
  EXPECT_EQ(array->shape, (SmallVector<int64_t, 4>{2, 3}));
  EXPECT_EQ(std::memcmp(array->data.data(), values, sizeof values), 0);
}

TEST(Npy, ScalarAndVector) {
  std::string eight(8, '\1');
  Expected<NpyArray> scalar = parseNpy(npy(StoredType::I64, {}, eight));
  ASSERT_TRUE(bool(scalar)) << toString(scalar.takeError());
  EXPECT_TRUE(scalar->shape.empty());
  Expected<NpyArray> vector = parseNpy(npy(StoredType::I32, {2}, eight));
  ASSERT_TRUE(bool(vector)) << toString(vector.takeError());
  EXPECT_EQ(vector->shape, (SmallVector<int64_t, 4>{2}));
}

TEST(Npy, Malformed) {
  std::string good = npy(StoredType::F32, {1}, std::string(4, '\0'));
  auto errorOf = [](StringRef contents) {
    Expected<NpyArray> array = parseNpy(contents);
    return array ? "" : toString(array.takeError());
  };
  EXPECT_EQ(errorOf("PK"), "not a .npy file");
  EXPECT_EQ(errorOf(good.substr(0, 40)), "truncated .npy header");
  EXPECT_EQ(errorOf(good.substr(0, good.size() - 1)),
            "1xf32 does not have the 3 bytes that follow the .npy header");
  std::string other = good;
  other.replace(other.find("<f4"), 3, ">f4");
  EXPECT_EQ(errorOf(other), "unsupported .npy type '>f4'");
  other = good;
  other.replace(other.find("False"), 5, "True ");
  EXPECT_NE(errorOf(other).find("Fortran"), std::string::npos);
}

TEST(Npz, Members) {
  std::string array = npy(StoredType::F32, {1}, std::string(4, '\0'));
  auto stored = parseNpz(zipArchive("tokens.npy", array, 0));
  ASSERT_TRUE(bool(stored)) << toString(stored.takeError());
  ASSERT_EQ(stored->size(), 1u);
  EXPECT_EQ(stored->front().first, "tokens");
  auto deflated = parseNpz(zipArchive("tokens.npy", array, 8));
  ASSERT_FALSE(bool(deflated));
  EXPECT_NE(toString(deflated.takeError()).find("numpy.savez"),
            std::string::npos);
  std::string file = zipArchive("tokens.npy", array, 0);
  auto cut = parseNpz(file.substr(0, file.size() - 30));
  ASSERT_FALSE(bool(cut));
  EXPECT_EQ(toString(cut.takeError()), "not an .npz file: no zip directory");
}
