//===- SpellingTest.cpp - Suggestions for misspelt names ------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Support/Spelling.h"
#include "gtest/gtest.h"

using namespace sinter;

TEST(Spelling, NearestIsWithinAThirdOfTheWord) {
  EXPECT_EQ(nearestName("taget-cpu", {"target", "target-cpu"}), "target-cpu");
  EXPECT_EQ(nearestName("decoed", {"prefill", "decode"}), "decode");
  EXPECT_EQ(nearestName("zzzzzz", {"prefill", "decode"}), "");
  EXPECT_EQ(nearestName("x", {"y", "xy"}), "xy");
}

TEST(Spelling, DidYouMean) {
  EXPECT_EQ(didYouMean("objj", {"obj", "asm"}), "; did you mean 'obj'?");
  EXPECT_EQ(didYouMean("quite different", {"obj", "asm"}), "");
}

TEST(Spelling, ListNames) {
  EXPECT_EQ(listNames({"a"}), "'a'");
  EXPECT_EQ(listNames({"a", "b", "c"}), "'a', 'b' or 'c'");
  EXPECT_EQ(listNames({"a", "b", "c"}, 2), "'a', 'b' and 1 more");
}
