//===- RecurrenceTest.cpp - Recurrent cells, by hand ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Reference/Recurrence.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace sinter;
using namespace sinter::reference;

namespace {

constexpr CellActivation sigmoidTanh[] = {
    {CellFunction::Sigmoid}, {CellFunction::Tanh}, {CellFunction::Tanh}};
constexpr CellActivation identity[] = {{CellFunction::Affine, 1, 0},
                                       {CellFunction::Affine, 1, 0},
                                       {CellFunction::Affine, 1, 0}};

class RecurrenceTest : public testing::Test {
protected:
  Tensor f(ArrayRef<int64_t> shape, ArrayRef<double> values) {
    return Tensor::ofReals(shape, b.getF32Type(), values);
  }
  void expect(const Tensor &t, ArrayRef<int64_t> shape,
              ArrayRef<double> values) {
    ASSERT_EQ(t.shape(), shape);
    for (int64_t k = 0; k < t.size(); ++k)
      EXPECT_NEAR(t.real(k), values[k], 1e-12) << "element " << k;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  Builder b{&context};
};

TEST_F(RecurrenceTest, LstmLayer) {
  // One unit; gates in the order o, i, f, g. z = x w with w = (0, 0, 0, 1), no
  // recurrence, so i = f = o = 1/2 and g = tanh(x).
  Tensor w = f({4, 1}, {0, 0, 0, 1}), r = f({4, 1}, {0, 0, 0, 0});
  CellWeights weights{&w, &r};
  weights.gates = "oifg";
  weights.activations = sigmoidTanh;
  auto cell = [&](const Tensor &x, const CellStates &states) {
    return lstmCell(x, states, weights);
  };
  Tensor x = f({2, 2, 1}, {1, 2, 1, 2}), zero = f({2, 1}, {0, 0});
  double g1 = std::tanh(1.0), g2 = std::tanh(2.0);
  double c1 = g1 / 2, c2 = c1 / 2 + g2 / 2;
  LayerResult y = runLayer(x, {zero, zero}, {{2, 1}}, cell);
  expect(y.output, {2, 2, 1},
         {std::tanh(c1) / 2, std::tanh(c2) / 2, std::tanh(c1) / 2, 0});
  expect(y.states[1], {2, 1}, {c2, c1});
  // Backwards, the second row starts at its own last element.
  y = runLayer(x, {zero, zero}, {{2, 1}, /*reverse=*/true}, cell);
  double d1 = g2 / 2, d2 = d1 / 2 + g1 / 2;
  expect(y.output, {2, 2, 1},
         {std::tanh(d2) / 2, std::tanh(d1) / 2, std::tanh(c1) / 2, 0});
  expect(y.states[1], {2, 1}, {d2, c1});
  // The same numbers with time before batch.
  y = runLayer(f({2, 2, 1}, {1, 1, 2, 2}), {zero, zero},
               {{2, 1}, /*reverse=*/false, /*timeMajor=*/true}, cell);
  expect(y.output, {2, 2, 1},
         {std::tanh(c1) / 2, std::tanh(c1) / 2, std::tanh(c2) / 2, 0});
}

TEST_F(RecurrenceTest, LstmPeepholeAndCoupled) {
  // Gates in the order i, o, f, g, as ONNX has them; x = 0, c = 2, everything
  // the identity: i = 2 pi, f = 2 pf, g = 0.
  Tensor w = f({4, 1}, {0, 0, 0, 0}), x = f({1, 1}, {0});
  CellWeights weights{&w, &w};
  weights.gates = "iofg";
  weights.activations = identity;
  Tensor peephole = f({3}, {0.25, 3, 0.75}), h = f({1, 1}, {0}),
         c = f({1, 1}, {2});
  CellStates next = lstmCell(x, {h, c}, weights, &peephole);
  expect(next[1], {1, 1}, {3});
  expect(next[0], {1, 1}, {3 * 3 * 3});
  next = lstmCell(x, {h, c}, weights, &peephole, /*coupled=*/true);
  expect(next[1], {1, 1}, {1});
  expect(next[0], {1, 1}, {3});
}

TEST_F(RecurrenceTest, GruResets) {
  // r = 3 h, z = 0, n = x + ...: R = 2, bias 5, h = 1.
  Tensor w = f({3, 1}, {0, 0, 1}), r = f({3, 1}, {3, 0, 2}),
         bias = f({3}, {0, 0, 5}), x = f({1, 1}, {7}), h = f({1, 1}, {1});
  CellWeights weights{&w, &r};
  weights.recurrentBias = &bias;
  weights.gates = "rzn";
  weights.activations = identity;
  expect(gruCell(x, {h}, weights, Reset::Before)[0], {1, 1},
         {7 + 2 * 3 * 1 + 5});
  expect(gruCell(x, {h}, weights, Reset::After)[0], {1, 1},
         {7 + 3 * (2 * 1 + 5)});
}

TEST_F(RecurrenceTest, RnnInOutAndClip) {
  // [K, U] = [2, 1].
  Tensor w = f({2, 1}, {1, 10}), r = f({1, 1}, {100}), x = f({1, 2}, {1, 2}),
         h = f({1, 1}, {3});
  CellWeights weights{&w, &r};
  weights.inOut = true;
  weights.activations = identity;
  expect(rnnCell(x, {h}, weights)[0], {1, 1}, {321});
  weights.clip = 5;
  expect(rnnCell(x, {h}, weights)[0], {1, 1}, {5});
}

TEST_F(RecurrenceTest, Activations) {
  auto at = [](CellFunction function, double alpha, double beta, double x) {
    return applyActivation({function, alpha, beta}, x);
  };
  EXPECT_EQ(at(CellFunction::Affine, 2, 3, 4), 11);
  EXPECT_EQ(at(CellFunction::LeakyRelu, 0.5, 0, -4), -2);
  EXPECT_EQ(at(CellFunction::ThresholdedRelu, 2, 0, 2), 2);
  EXPECT_EQ(at(CellFunction::ThresholdedRelu, 2, 0, 1.5), 0);
  EXPECT_EQ(at(CellFunction::ScaledTanh, 2, 3, 1), 2 * std::tanh(3.0));
  EXPECT_EQ(at(CellFunction::HardSigmoid, 0.5, 0.25, 1), 0.75);
  EXPECT_EQ(at(CellFunction::HardSigmoid, 0.5, 0.25, 9), 1);
  EXPECT_EQ(at(CellFunction::Elu, 2, 0, -1), 2 * std::expm1(-1.0));
  EXPECT_EQ(at(CellFunction::Softsign, 0, 0, 3), 0.75);
  EXPECT_EQ(at(CellFunction::Softplus, 0, 0, 1000), 1000);
  EXPECT_NEAR(at(CellFunction::Softplus, 0, 0, 1), std::log(1 + std::exp(1.0)),
              1e-15);
  EXPECT_TRUE(std::isnan(at(CellFunction::ThresholdedRelu, 1, 0, NAN)));
}

} // namespace
