//===- IntegerKernelTest.cpp - Integers in fused.map ----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRunner.h"

#include "gtest/gtest.h"

#include <limits>

using namespace sinter::test;

namespace {
struct IntegerOp {
  const char *op;
  int64_t (*reference)(int64_t a, int64_t b);
};

int64_t floored(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
int64_t raised(int64_t a, int64_t b) {
  return a / b + (a % b != 0 && (a < 0) == (b < 0));
}

/// All pairs of these; results are those of wrapping arithmetic.
template <typename T>
void checkPairs(const IntegerOp &function, const char *type,
                const std::string &cpu) {
  std::vector<T> values = {0,
                           1,
                           -1,
                           2,
                           -2,
                           7,
                           -7,
                           31,
                           64,
                           12345,
                           std::numeric_limits<T>::max(),
                           std::numeric_limits<T>::min(),
                           std::numeric_limits<T>::min() + 1};
  std::vector<T> result = runPairs<T>(function.op, type, values, cpu);
  ASSERT_FALSE(result.empty()) << function.op;
  auto n = static_cast<int64_t>(values.size());
  for (int64_t i = 0; i < n * n; ++i) {
    T a = values[i / n], b = values[i % n];
    llvm::StringRef name = function.op;
    bool isShift = name.starts_with("arith.sh");
    if (!isShift && b == 0)
      continue; // undefined, but no trap
    bool wraps = a == std::numeric_limits<T>::min() && b == -1;
    if (wraps && name.ends_with("si") && !isShift) {
      EXPECT_EQ(result[i], name == "arith.remsi" ? 0 : a)
          << function.op << " " << cpu;
      continue;
    }
    EXPECT_EQ(result[i], static_cast<T>(function.reference(a, b)))
        << function.op << " " << type << " " << cpu << " of " << a << ", " << b;
  }
}
} // namespace

// No division traps, whatever the numbers; shifts by the width or more.
TEST(IntegerKernel, IntegersNeitherTrapNorSurprise) {
  constexpr IntegerOp ops[] = {
      {"arith.divsi", [](int64_t a, int64_t b) { return a / b; }},
      {"arith.remsi", [](int64_t a, int64_t b) { return a % b; }},
      {"arith.floordivsi", floored},
      {"arith.ceildivsi", raised},
  };
  for (const std::string &cpu : runnableLevels()) {
    for (const IntegerOp &op : ops) {
      checkPairs<int32_t>(op, "i32", cpu);
      checkPairs<int64_t>(op, "i64", cpu);
    }
    checkPairs<int32_t>({"arith.ceildivui",
                         [](int64_t a, int64_t b) {
                           uint64_t u = uint32_t(a), v = uint32_t(b);
                           return int64_t((u + v - 1) / v);
                         }},
                        "i32", cpu);
    checkPairs<int32_t>(
        {"arith.shli",
         [](int64_t a, int64_t b) { return uint32_t(b) < 32 ? a << b : 0; }},
        "i32", cpu);
    checkPairs<int32_t>(
        {"arith.shrsi",
         [](int64_t a, int64_t b) { return a >> (uint32_t(b) < 32 ? b : 31); }},
        "i32", cpu);
  }
}

// Products and sums of indices are exact beyond 32 bits.
TEST(IntegerKernel, IndicesDoNotWrap) {
  const char *text = R"(
!y = memref<?x?xi64>
!f = memref<?x?xf32>
fused.kernel @f {
^bb0(%p: memref<?xi64>, %y: !y, %z: !y, %w: !f):
  fused.map dims(b, j) ins(%p by (b) : memref<?xi64>) outs(%y by (b, j), %z by (b, j), %w by (b, j) : !y, !y, !f) index(b, j) {
  ^bb0(%s: i64, %b: index, %j: index):
    %start = arith.index_cast %s : i64 to index
    %at = arith.addi %start, %j : index
    %square = arith.muli %at, %at : index
    %square64 = arith.index_cast %square : index to i64
    %c = arith.constant 3000000000 : index
    %scaled = arith.muli %j, %c : index
    %c7 = arith.constant 7 : index
    %rest = arith.remui %scaled, %c7 : index
    %sum = arith.addi %rest, %scaled : index
    %sum64 = arith.index_cast %sum : index to i64
    %past = arith.cmpi sgt, %at, %c : index
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %four = arith.constant 4.0 : f32
    %zero = arith.constant 0.0 : f32
    %w0 = arith.select %past, %one, %zero : f32
    %distance = arith.subi %j, %start : index
    %c5 = arith.constant -5 : index
    %near = arith.cmpi slt, %c5, %distance : index
    %w1 = arith.select %near, %two, %zero : f32
    %w2 = arith.addf %w0, %w1 : f32
    %distance32 = arith.index_cast %distance : index to i32
    %low = arith.trunci %distance32 : i32 to i1
    %w3 = arith.select %low, %four, %zero : f32
    %w4 = arith.addf %w2, %w3 : f32
    fused.yield %square64, %sum64, %w4 : i64, i64, f32
  }
})";
  for (const std::string &cpu : runnableLevels()) {
    KernelRunner runner(text, cpu);
    ASSERT_TRUE(runner.loaded());
    int64_t start[] = {0, 70000, 2999999990, -2999999990}, n = 37;
    Buffer<int64_t> y(4 * n), z(4 * n);
    Buffer<float> w(4 * n);
    runner.run(
        "f", {reinterpret_cast<int64_t>(start), 4, y, 4, n, z, 4, n, w, 4, n});
    for (int64_t i = 0; i < 4 * n; ++i) {
      int64_t j = i % n, at = start[i / n] + j, scaled = j * 3000000000;
      ASSERT_EQ(y[i], int64_t(uint64_t(at) * uint64_t(at))) << cpu << " " << i;
      ASSERT_EQ(z[i], scaled % 7 + scaled) << cpu << " " << i;
      int64_t distance = j - start[i / n];
      int64_t flags = (at > 3000000000) + 2 * (distance > -5) +
                      4 * (uint64_t(distance) % 2);
      ASSERT_EQ(w[i], float(flags)) << cpu << " " << i;
    }
  }
}
