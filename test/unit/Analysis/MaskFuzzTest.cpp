//===- MaskFuzzTest.cpp - Random masks against brute force
//-----------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MaskOracle.h"

#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

#include <random>

using namespace sinter;
using namespace sinter::test;

namespace {

/// A random rule over small numbers, as text.
class RuleGenerator {
public:
  explicit RuleGenerator(unsigned seed) : random(seed) {}

  std::string make() {
    text.clear();
    next = 0;
    std::string last = truth(pick(4));
    return text + "%t = arith.constant true\n%r = arith.andi " + last +
           ", %t : i1\n";
  }

private:
  int pick(int n) {
    return std::uniform_int_distribution<int>(0, n - 1)(random);
  }
  std::string pick(std::initializer_list<const char *> names) {
    return names.begin()[pick(int(names.size()))];
  }
  std::string define(const std::string &code) {
    std::string name = "%v" + std::to_string(next++);
    text += name + " = " + code + "\n";
    return name;
  }
  std::string constant(int low, int high) {
    return define(
        llvm::formatv("arith.constant {0} : index", low + pick(high - low)));
  }
  /// The same number by way of another type.
  std::string throughI32(const std::string &a) {
    std::string narrow =
        define(llvm::formatv("arith.index_cast {0} : index to i32", a));
    if (pick(2))
      narrow = define(llvm::formatv("math.absi {0} : i32", narrow));
    return define(llvm::formatv("arith.index_cast {0} : i32 to index", narrow));
  }
  std::string integer(int depth) {
    if (depth == 0)
      return pick(5) == 0 ? constant(-4, 9) : pick({"%q", "%k", "%n", "%h"});
    std::string a = integer(depth - 1);
    switch (pick(10)) {
    case 0:
      return throughI32(a);
    case 1: {
      std::string read =
          define(llvm::formatv("fused.read %ints[{0}] : memref<6xi32>", a));
      return define(llvm::formatv("arith.index_cast {0} : i32 to index", read));
    }
    case 2:
      return define(llvm::formatv("arith.select {0}, {1}, {2} : index",
                                  truth(0), a, integer(depth - 1)));
    case 3:
    case 4:
    case 5:
      return define(llvm::formatv(
          "arith.{0} {1}, {2} : index",
          pick({"divsi", "remsi", "floordivsi", "ceildivsi", "divui", "remui"}),
          a, constant(1, 6)));
    default:
      return define(
          llvm::formatv("arith.{0} {1}, {2} : index",
                        pick({"addi", "subi", "muli", "minsi", "maxsi"}), a,
                        integer(depth - 1)));
    }
  }
  std::string comparison() {
    std::string a = integer(pick(3)), b = integer(pick(3));
    return define(llvm::formatv(
        "arith.cmpi {0}, {1}, {2} : index",
        pick({"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "uge"}), a, b));
  }
  std::string truth(int depth) {
    if (depth == 0) {
      switch (pick(6)) {
      case 0:
        return define(
            llvm::formatv("fused.read %bits[{0}, {1}] : memref<4x5xi1>",
                          integer(pick(2)), integer(pick(2))));
      case 1:
        return "%varies";
      default:
        return comparison();
      }
    }
    std::string a = truth(depth - 1), b = truth(0);
    if (pick(6) == 0)
      return define(
          llvm::formatv("arith.select {0}, {1}, {2} : i1", truth(0), a, b));
    return define(llvm::formatv("arith.{0} {1}, {2} : i1",
                                pick({"andi", "ori", "xori"}), a, b));
  }

  std::mt19937 random;
  std::string text;
  int next = 0;
};

TEST(MaskFuzz, SoundForRandomRules) {
  RuleGenerator generator(20260101);
  std::mt19937 random(7);
  auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int i = 0; i < 1500; ++i) {
    std::string rule = generator.make();
    SCOPED_TRACE(rule);
    Mask mask(rule);
    int64_t q0 = pick(-3, 9), k0 = pick(0, 9);
    expectSound(mask, {q0, q0 + pick(1, 4), k0, k0 + pick(1, 5)}, pick(0, 9));
    if (::testing::Test::HasFailure())
      break;
  }
}

} // namespace
