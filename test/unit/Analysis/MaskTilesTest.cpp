//===- MaskTilesTest.cpp - The mask analysis against brute force ----------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MaskOracle.h"

#include "gtest/gtest.h"

using namespace sinter;
using namespace sinter::test;

namespace {

constexpr char causal[] = "%r = arith.cmpi sle, %k, %q : index";
constexpr char window[] = R"(
  %w = arith.constant 5 : index
  %d = arith.subi %q, %k : index
  %near = arith.cmpi slt, %d, %w : index
  %past = arith.cmpi sle, %k, %q : index
  %r = arith.andi %near, %past : i1)";
constexpr char length[] = "%r = arith.cmpi slt, %k, %n : index";
constexpr char prefix[] = R"(
  %past = arith.cmpi sle, %k, %q : index
  %first = arith.cmpi slt, %k, %n : index
  %r = arith.ori %past, %first : i1)";
constexpr char blocks[] = R"(
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %bi = arith.divui %q, %c4 : index
  %bj = arith.divui %k, %c4 : index
  %next = arith.addi %bj, %c1 : index
  %near = arith.cmpi ule, %bi, %next : index
  %rest = arith.remui %bj, %c2 : index
  %far = arith.cmpi eq, %rest, %c0 : index
  %seen = arith.ori %near, %far : i1
  %past = arith.cmpi sle, %k, %q : index
  %r = arith.andi %seen, %past : i1)";
constexpr char distance32[] = R"(
  %c3 = arith.constant 3 : i32
  %d = arith.subi %k, %q : index
  %i = arith.index_cast %d : index to i32
  %a = math.absi %i : i32
  %r = arith.cmpi sgt, %a, %c3 : i32)";
constexpr char strided[] = R"(
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %x = arith.muli %k, %c3 : index
  %y = arith.muli %q, %c2 : index
  %r = arith.cmpi sge, %y, %x : index)";
constexpr char perHead[] = R"(
  %c1 = arith.constant 1 : index
  %w = arith.shli %c1, %h : index
  %d = arith.subi %q, %k : index
  %r = arith.cmpi slt, %d, %w : index)";

constexpr char table[] = R"(
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %bi = arith.divui %q, %c2 : index
  %bj = arith.divui %k, %c4 : index
  %r = fused.read %bits[%bi, %bj] : memref<4x5xi1>)";
constexpr char limits[] = R"(
  %c4 = arith.constant 4 : index
  %bi = arith.floordivsi %q, %c4 : index
  %limit = fused.read %ints[%bi] : memref<6xi32>
  %x = arith.index_cast %limit : i32 to index
  %r = arith.cmpi sle, %k, %x : index)";
constexpr char varying[] = R"(
  %past = arith.cmpi sle, %k, %q : index
  %r = arith.andi %past, %varies : i1)";

TEST(MaskTiles, SoundForAllSmallBoxes) {
  for (const char *body : {causal, window, length, prefix, blocks, distance32,
                           strided, perHead, table, limits, varying}) {
    SCOPED_TRACE(body);
    Mask mask(body);
    for (int64_t q0 : {-2, 0, 3, 8})
      for (int64_t rows : {1, 4})
        for (int64_t k0 : {0, 4, 7})
          for (int64_t keys : {1, 4, 9})
            expectSound(mask, {q0, q0 + rows, k0, k0 + keys}, 6);
  }
}

TEST(MaskTiles, ExactForAffineComparisons) {
  for (const char *body : {causal, length, strided, perHead}) {
    SCOPED_TRACE(body);
    Mask mask(body);
    EXPECT_TRUE(examineMask(mask.region()).isKeyRangeExact || body == perHead);
    for (int64_t q0 : {0, 3, 8})
      for (int64_t k0 : {0, 4, 8}) {
        Box box{q0, q0 + 4, k0, k0 + 4};
        Truth truth = bruteForce(mask, box, 6);
        TileState state = mask.tile(box, 6);
        EXPECT_EQ(mask.truth(state.may), truth.any);
        EXPECT_EQ(mask.truth(state.must), truth.all);
      }
  }
}

TEST(MaskTiles, CausalKeyRange) {
  Mask mask(causal);
  KeyRange range = mask.keys({8, 12, 0, 100}, 0);
  EXPECT_EQ(mask.number(range.begin), 0);
  EXPECT_EQ(mask.number(range.end), 12);
  EXPECT_EQ(mask.number(range.fullBegin), 0);
  EXPECT_EQ(mask.number(range.fullEnd), 9);
}

TEST(MaskTiles, WindowKeyRange) {
  Mask mask(window);
  KeyRange range = mask.keys({8, 10, 0, 100}, 0);
  EXPECT_EQ(mask.number(range.begin), 4);
  EXPECT_EQ(mask.number(range.end), 10);
  EXPECT_EQ(mask.number(range.fullBegin), 5);
  EXPECT_EQ(mask.number(range.fullEnd), 9);
}

TEST(MaskTiles, BlockRuleIsFoundEmptyAndFull) {
  Mask mask(blocks);
  // Block of queries 16..19 sees blocks 4 (partly), 3, 2, 0 of keys.
  Box far{16, 20, 4, 8}, even{16, 20, 8, 12}, own{16, 20, 16, 20};
  EXPECT_FALSE(mask.truth(mask.tile(far, 0).may));
  EXPECT_TRUE(mask.truth(mask.tile(even, 0).must));
  EXPECT_TRUE(mask.truth(mask.tile(own, 0).may));
  EXPECT_FALSE(mask.truth(mask.tile(own, 0).must));
  EXPECT_EQ(examineMask(mask.region()).keyBlock, 4);
  EXPECT_FALSE(examineMask(mask.region()).isKeyRangeExact);
}

TEST(MaskTiles, TablesAreReadWhereTheirIndicesAreConstant) {
  Mask mask(table);
  EXPECT_EQ(examineMask(mask.region()).keyBlock, 4);
  EXPECT_EQ(examineMask(mask.region()).queryBlock, 2);
  for (int64_t q0 : {0, 2, 6})
    for (int64_t k0 : {0, 4, 8, 16}) {
      Truth truth = bruteForce(mask, {q0, q0 + 2, k0, k0 + 4}, 0);
      TileState state = mask.tile({q0, q0 + 2, k0, k0 + 4}, 0);
      EXPECT_EQ(mask.truth(state.may), truth.any);
      EXPECT_EQ(mask.truth(state.must), truth.all);
    }
  // Across blocks nothing is known.
  TileState across = mask.tile({1, 3, 0, 4}, 0);
  EXPECT_TRUE(mask.truth(across.may));
  EXPECT_FALSE(mask.truth(across.must));
}

// Blocks of 96 queries over 16384 keys in blocks of 512: each visits the keys
// that its rows see and no others.
TEST(MaskTiles, WindowVisitsFewTiles) {
  Mask mask(R"(
    %w = arith.constant 256 : index
    %d = arith.subi %q, %k : index
    %near = arith.cmpi slt, %d, %w : index
    %past = arith.cmpi sle, %k, %q : index
    %r = arith.andi %near, %past : i1)");
  constexpr int64_t length = 16384, rows = 96, tile = 512;
  EXPECT_TRUE(examineMask(mask.region()).isKeyRangeExact);
  int64_t tiles = 0;
  for (int64_t q0 = 0; q0 < length; q0 += rows) {
    int64_t q1 = std::min(q0 + rows, length);
    KeyRange range = mask.keys({q0, q1, 0, length}, 0);
    EXPECT_EQ(mask.number(range.begin), std::max<int64_t>(q0 - 255, 0));
    EXPECT_EQ(mask.number(range.end), q1);
    tiles += (q1 - mask.number(range.begin) / 16 * 16 + tile - 1) / tile;
  }
  EXPECT_EQ(tiles, 171);
}

TEST(MaskTiles, WrapAroundIsNotTrusted) {
  // For captures near the end of 64 bits, q + n wraps.
  Mask mask("%s = arith.addi %q, %n : index\n"
            "%r = arith.cmpi sgt, %s, %k : index");
  for (int64_t n : {INT64_MAX, INT64_MAX - 5, INT64_MIN, int64_t(1) << 41})
    expectSound(mask, {3, 7, 0, 4}, n);
}

} // namespace
