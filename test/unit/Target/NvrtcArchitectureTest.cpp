//===- NvrtcArchitectureTest.cpp - names and occupancy --------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Target/NVRTC/Architecture.h"
#include "gtest/gtest.h"

using namespace sinter::nvrtc;

static std::string problemOf(llvm::StringRef list) {
  auto result = parseArchitectures(list);
  return result ? "" : llvm::toString(result.takeError());
}

TEST(NvrtcArchitecture, ListsAreSorted) {
  auto list = parseArchitectures("sm_100,sm_80,sm_90a,sm_90");
  ASSERT_TRUE(bool(list));
  std::string names;
  for (Architecture arch : *list)
    names += arch.name() + " ";
  EXPECT_EQ(names, "sm_80 sm_90 sm_90a sm_100 ");
}

TEST(NvrtcArchitecture, MistakesAreNamed) {
  EXPECT_EQ(problemOf("sm_80,sm90"),
            "unknown value 'sm90' for '--gpu-arch'; did you mean 'sm_90'? "
            "(valid: 'sm_80', 'sm_90', 'sm_90a', 'sm_100' or 'sm_100a')");
  EXPECT_EQ(problemOf("sm_80,sm_80"), "'--gpu-arch' names 'sm_80' twice");
  EXPECT_NE(problemOf("sm_80,"), "");
  EXPECT_NE(problemOf(""), "");
}

TEST(NvrtcArchitecture, DevicesTakeOlderCode) {
  auto nameFor = [](unsigned capability) {
    auto arch = architectureFor(capability);
    return arch ? arch->name() : llvm::toString(arch.takeError());
  };
  EXPECT_EQ(nameFor(80), "sm_80");
  EXPECT_EQ(nameFor(89), "sm_80");
  EXPECT_EQ(nameFor(90), "sm_90");
  EXPECT_EQ(nameFor(103), "sm_100");
  EXPECT_EQ(nameFor(121), "sm_100");
  EXPECT_EQ(nameFor(75), "the GPU has compute capability 7.5; kernels need 8.0 "
                         "or later");
}

TEST(NvrtcArchitecture, BlocksAreBoundByWhatRunsOutFirst) {
  // Threads, then the number of blocks.
  EXPECT_EQ(residentBlocks({80}, 256, 32, 0), 8u);
  EXPECT_EQ(residentBlocks({80}, 32, 16, 0), 32u);
  // Registers: 126 of 128 threads are 4 warps of 4096; 16 warps fit.
  EXPECT_EQ(residentBlocks({80}, 128, 126, 0), 4u);
  EXPECT_EQ(residentBlocks({80}, 1024, 64, 0), 1u);
  EXPECT_EQ(residentBlocks({80}, 1024, 65, 0), 0u);
  // Shared memory, 1 KB of which the system takes for each block.
  EXPECT_EQ(residentBlocks({80}, 128, 32, 40 * 1024), 4u);
  EXPECT_EQ(residentBlocks({80}, 128, 32, 163 * 1024), 1u);
  EXPECT_EQ(residentBlocks({80}, 128, 32, 163 * 1024 + 1), 0u);
  EXPECT_EQ(residentBlocks({90}, 128, 32, 227 * 1024), 1u);
  EXPECT_EQ(residentBlocks({100}, 128, 168, 100 * 1024), 2u);
  // What no launch can ask for.
  EXPECT_EQ(residentBlocks({90}, 1025, 16, 0), 0u);
  EXPECT_EQ(residentBlocks({90}, 0, 16, 0), 0u);
  EXPECT_EQ(residentBlocks({90}, 32, 256, 0), 0u);
}
