//===- TargetInfoTest.cpp - Tiles fit the registers -----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Support/TargetInfo.h"

#include "gtest/gtest.h"

using namespace sinter;

TEST(TargetInfo, KnowsItsLevelsOnly) {
  for (llvm::StringRef name : TargetInfo::names())
    EXPECT_EQ(TargetInfo::get(name)->cpu, name.str());
  EXPECT_FALSE(TargetInfo::get("pentium"));
}

TEST(TargetInfo, TilesFitTheRegisters) {
  for (llvm::StringRef name : TargetInfo::names()) {
    TargetInfo target = *TargetInfo::get(name);
    for (unsigned paired = 1; paired <= 4; ++paired)
      for (int64_t panels = 1; panels <= 12; ++panels) {
        RegisterTile tile = target.tile(paired, panels);
        unsigned columns = tile.vectors * paired;
        unsigned temporaries = target.hasFma ? 1 : 2;
        EXPECT_LE(tile.rows * columns + columns + temporaries, target.registers)
            << name.str() << ", " << paired << " weights, " << panels
            << " panels";
        EXPECT_GE(tile.rows, 1u);
      }
  }
}

TEST(TargetInfo, TilesOfOneWeight) {
  auto expectTile = [](llvm::StringRef cpu, int64_t panels, unsigned rows,
                       unsigned columns) {
    TargetInfo target = *TargetInfo::get(cpu);
    RegisterTile tile = target.tile(1, panels);
    EXPECT_EQ(tile.rows, rows) << cpu.str();
    EXPECT_EQ(tile.vectors * target.lanes, columns) << cpu.str();
  };
  expectTile("x86-64-v4", 48, 6, 64);
  expectTile("x86-64-v4", 6, 8, 48);
  expectTile("x86-64-v4", 1, 8, 16);
  expectTile("x86-64-v3", 48, 6, 16);
  expectTile("x86-64-v2", 48, 6, 8);
}
