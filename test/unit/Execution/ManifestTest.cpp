//===- ManifestTest.cpp - Tests of manifests -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Execution/Manifest.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sinter;
using namespace sinter::execution;

static constexpr StringLiteral text = R"({
  "format": 1, "name": "m", "prefix": "m", "target": "t",
  "weights": {"bytes": 64, "embedded": false, "hash": "0"},
  "session": {
    "dimensions": [{"name": "batch", "lower": 1, "upper": 8}],
    "states": [{"name": "a", "cursor": "context"}, {"name": "b", "cursor": "context"}, {"name": "h"}]
  },
  "entries": [{
    "name": "run", "function": "m_run", "session": true, "weights": true,
    "dimensions": [{"name": "sequence", "lower": 0, "upper": 9, "argument": true}],
    "tensors": [
      {"name": "ids", "role": "input", "type": "i32", "shape": ["batch", 3], "limit": 5, "lengths": 1},
      {"name": "n", "role": "lengths", "type": "i64", "shape": ["batch"], "counts": "sequence"},
      {"name": "y", "role": "output", "type": "f32", "shape": ["batch"]}],
    "cursors": [{"name": "context", "use": "append"}],
    "workspace_arguments": ["sequence", "workers"]
  }],
  "kernels": []
})";

TEST(Manifest, ReadsAll) {
  Expected<Manifest> manifest = Manifest::parse(text);
  ASSERT_TRUE(static_cast<bool>(manifest)) << toString(manifest.takeError());
  EXPECT_FALSE(manifest->weightsEmbedded);
  EXPECT_EQ(manifest->weightBytes, 64u);
  EXPECT_EQ(manifest->cursors, std::vector<std::string>{"context"});
  const EntryManifest *entry = manifest->findEntry("run");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(manifest->findEntry("walk"), nullptr);
  EXPECT_TRUE(entry->findDim("sequence")->isArgument);
  ASSERT_EQ(entry->findTensor("ids"), 0);
  EXPECT_EQ(entry->findTensor("z"), -1);
  const TensorManifest &ids = entry->tensors[0];
  EXPECT_EQ(ids.type, StoredType::I32);
  EXPECT_EQ(ids.shape[0].name, "batch");
  EXPECT_EQ(ids.shape[1].value, 3);
  EXPECT_EQ(ids.limit, 5);
  EXPECT_EQ(ids.lengths, 1);
  EXPECT_EQ(entry->tensors[1].role, TensorManifest::Lengths);
  EXPECT_EQ(entry->tensors[1].counts.name, "sequence");
  EXPECT_EQ(entry->tensors[2].role, TensorManifest::Output);
}

TEST(Manifest, RefusesWhatIsNone) {
  for (StringRef wrong : {"", "{}", "[1]", R"({"format": 2})"}) {
    Expected<Manifest> manifest = Manifest::parse(wrong);
    EXPECT_FALSE(static_cast<bool>(manifest)) << wrong.str();
    consumeError(manifest.takeError());
  }
  std::string type = text.str();
  type.replace(type.find("\"i32\""), 5, "\"q32\"");
  Expected<Manifest> manifest = Manifest::parse(type);
  ASSERT_FALSE(static_cast<bool>(manifest));
  EXPECT_NE(toString(manifest.takeError()).find("element type"),
            std::string::npos);
}
