//===- MaskTilesTest.cpp - The mask analysis against brute force ----------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mask is a function from (b, h, q, k, captures ...) to i1. For boxes of
// constants the analysis folds to constants, and so does the mask itself at one
// point: the folder is the oracle.
//
//===----------------------------------------------------------------------===//

#include "sinter/Analysis/MaskTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace sinter;

namespace {

struct Box {
  int64_t q0, q1, k0, k1;
};

class Mask {
public:
  /// `body` is code that defines %r; captures are %n, of type index.
  explicit Mask(const std::string &body) {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        math::MathDialect>();
    std::string text =
        "func.func @m(%b: index, %h: index, %q: index, %k: index, %n: index) "
        "-> i1 {\n" +
        body + "\n return %r : i1 }";
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return;
    function = *module->getOps<func::FuncOp>().begin();
    builder.emplace(&context);
    scratch = ModuleOp::create(UnknownLoc::get(&context));
    builder->setInsertionPointToStart(scratch->getBody());
  }

  Region &region() { return function.getBody(); }

  bool at(int64_t q, int64_t k, int64_t n) {
    Block &block = region().front();
    IRMapping mapping;
    for (auto [argument, value] :
         llvm::zip_equal(block.getArguments(),
                         std::initializer_list<int64_t>{0, 3, q, k, n}))
      mapping.map(argument, index(value));
    for (Operation &op : block.without_terminator()) {
      if (op.hasTrait<OpTrait::ConstantLike>()) {
        builder->clone(op, mapping);
        continue;
      }
      Operation *copy = op.clone(mapping);
      SmallVector<Value> results;
      EXPECT_TRUE(succeeded(builder->tryFold(copy, results)));
      mapping.map(op.getResults(), results);
      copy->erase();
    }
    return truth(mapping.lookup(block.getTerminator()->getOperand(0)));
  }

  TileState tile(const Box &box, int64_t n) {
    return emitTileState(*builder, loc(), region(), maskBox(box), index(n));
  }
  KeyRange keys(const Box &box, int64_t n) {
    return emitKeyRange(*builder, loc(), region(), maskBox(box), index(n));
  }

  bool truth(Value value) { return number(value) != 0; }
  int64_t number(Value value) {
    APInt constant;
    EXPECT_TRUE(matchPattern(value, m_ConstantInt(&constant)));
    return constant.getBitWidth() == 1 ? constant.getZExtValue()
                                       : constant.getSExtValue();
  }

private:
  Location loc() { return UnknownLoc::get(&context); }
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(*builder, loc(), value);
  }
  MaskBox maskBox(const Box &box) {
    return {index(0),      index(3),      index(box.q0),
            index(box.q1), index(box.k0), index(box.k1)};
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module, scratch;
  func::FuncOp function;
  std::optional<OpBuilder> builder;
};

/// What holds in a box, by looking at each point.
struct Truth {
  bool any = false, all = true;
};

Truth bruteForce(Mask &mask, const Box &box, int64_t n) {
  Truth truth;
  for (int64_t q = box.q0; q < box.q1; ++q)
    for (int64_t k = box.k0; k < box.k1; ++k) {
      bool seen = mask.at(q, k, n);
      truth.any |= seen;
      truth.all &= seen;
    }
  return truth;
}

void expectSound(Mask &mask, const Box &box, int64_t n) {
  Truth truth = bruteForce(mask, box, n);
  TileState state = mask.tile(box, n);
  std::string where = llvm::formatv("q [{0}, {1}) k [{2}, {3}) n {4}", box.q0,
                                    box.q1, box.k0, box.k1, n);
  EXPECT_TRUE(!truth.any || mask.truth(state.may)) << where;
  EXPECT_TRUE(truth.all || !mask.truth(state.must)) << where;
  KeyRange range = mask.keys(box, n);
  int64_t begin = mask.number(range.begin), end = mask.number(range.end);
  int64_t fullBegin = mask.number(range.fullBegin);
  int64_t fullEnd = mask.number(range.fullEnd);
  EXPECT_LE(box.k0, begin) << where;
  EXPECT_LE(end, box.k1) << where;
  if (fullBegin < fullEnd) {
    EXPECT_LE(begin, fullBegin) << where;
    EXPECT_LE(fullEnd, end) << where;
  }
  for (int64_t k = box.k0; k < box.k1; ++k) {
    Truth column = bruteForce(mask, {box.q0, box.q1, k, k + 1}, n);
    bool inside = begin <= k && k < end;
    bool full = fullBegin <= k && k < fullEnd;
    EXPECT_TRUE(inside || !column.any) << where << " key " << k;
    EXPECT_TRUE(!full || column.all) << where << " key " << k;
  }
}

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

TEST(MaskTiles, SoundForAllSmallBoxes) {
  for (const char *body :
       {causal, window, length, prefix, blocks, distance32, strided, perHead}) {
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

TEST(MaskTiles, WrapAroundIsNotTrusted) {
  // For captures near the end of 64 bits, q + n wraps.
  Mask mask("%s = arith.addi %q, %n : index\n"
            "%r = arith.cmpi sgt, %s, %k : index");
  for (int64_t n : {INT64_MAX, INT64_MAX - 5, INT64_MIN, int64_t(1) << 41})
    expectSound(mask, {3, 7, 0, 4}, n);
}

//===----------------------------------------------------------------------===//
// Random masks
//===----------------------------------------------------------------------===//

/// A random rule over small numbers, as text.
class RuleGenerator {
public:
  explicit RuleGenerator(unsigned seed) : random(seed) {}

  std::string make() {
    text.clear();
    next = 0;
    std::string last = comparison();
    for (int i = pick(3); i > 0; --i) {
      static constexpr const char *ops[] = {"andi", "ori", "xori"};
      last = define(llvm::formatv("arith.{0} {1}, {2} : i1", ops[pick(3)], last,
                                  comparison()));
    }
    return text + "%t = arith.constant true\n%r = arith.andi " + last +
           ", %t : i1\n";
  }

private:
  int pick(int n) {
    return std::uniform_int_distribution<int>(0, n - 1)(random);
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
  std::string integer(int depth) {
    static constexpr const char *leaves[] = {"%q", "%k", "%n", "%h"};
    if (depth == 0)
      return pick(5) == 0 ? constant(-4, 9) : leaves[pick(4)];
    static constexpr const char *ops[] = {
        "addi",  "subi",  "muli",       "minsi", "maxsi",
        "divsi", "remsi", "floordivsi", "divui", "remui"};
    int op = pick(10);
    std::string a = integer(depth - 1);
    std::string b = op >= 5 ? constant(1, 6) : integer(depth - 1);
    return define(llvm::formatv("arith.{0} {1}, {2} : index", ops[op], a, b));
  }
  std::string comparison() {
    static constexpr const char *predicates[] = {"eq",  "ne",  "slt", "sle",
                                                 "sgt", "sge", "ult", "uge"};
    std::string a = integer(pick(3)), b = integer(pick(3));
    return define(llvm::formatv("arith.cmpi {0}, {1}, {2} : index",
                                predicates[pick(8)], a, b));
  }

  std::mt19937 random;
  std::string text;
  int next = 0;
};

TEST(MaskTiles, SoundForRandomRules) {
  RuleGenerator generator(20260101);
  std::mt19937 random(7);
  auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int i = 0; i < 300; ++i) {
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
