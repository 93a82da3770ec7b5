//===- Recurrence.cpp - Recurrent cells and layers ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Reference/Recurrence.h"
#include "sinter/Reference/Functions.h"
#include "sinter/Reference/Ops.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace sinter::reference {

double applyActivation(const CellActivation &activation, double x) {
  double alpha = activation.alpha, beta = activation.beta;
  if (std::isnan(x))
    return x;
  switch (activation.function) {
  case CellFunction::Sigmoid:
    return sigmoid(x);
  case CellFunction::Tanh:
    return std::tanh(x);
  case CellFunction::Relu:
    return relu(x);
  case CellFunction::Affine:
    return alpha * x + beta;
  case CellFunction::LeakyRelu:
    return x >= 0 ? x : alpha * x;
  case CellFunction::ThresholdedRelu:
    return x >= alpha ? x : 0;
  case CellFunction::ScaledTanh:
    return alpha * std::tanh(beta * x);
  case CellFunction::HardSigmoid:
    return std::clamp(alpha * x + beta, 0.0, 1.0);
  case CellFunction::Elu:
    return x >= 0 ? x : alpha * std::expm1(x);
  case CellFunction::Softsign:
    return x / (1 + std::abs(x));
  case CellFunction::Softplus:
    return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
  }
  llvm_unreachable("all functions are above");
}

namespace {

/// Unit roundoffs of a function, as NoisyRun.cpp has them, and of a product.
constexpr double functionBound = 16, productBound = 2;

/// One step of a cell for one element of the batch at a time.
class Step {
public:
  Step(const Tensor &x, const CellStates &states, const CellWeights &weights)
      : x(x), states(states), weights(weights), units(states.front().dim(1)) {}

  /// Calls `unit(b, u)` for each and returns what it stores in `next`.
  CellStates run(llvm::function_ref<void(int64_t b, int64_t u)> unit) {
    next = states;
    for (int64_t b = 0; b < x.dim(0); ++b)
      for (int64_t u = 0; u < units; ++u)
        unit(b, u);
    return std::move(next);
  }

  /// W x + bi of a gate.
  double input(char gate, int64_t b, int64_t u) const {
    return rowOf(*weights.input, weights.inputBias, gate, u, x, b);
  }
  /// R h + bh of a gate.
  double recurrent(char gate, int64_t b, int64_t u, const Tensor &h) const {
    return rowOf(*weights.recurrence, weights.recurrentBias, gate, u, h, b);
  }
  /// Both.
  double sum(char gate, int64_t b, int64_t u) const {
    return input(gate, b, u) + recurrent(gate, b, u, states.front());
  }

  /// Activation `number` of a gate.
  double gate(unsigned number, double z) const {
    if (weights.clip && !std::isnan(z))
      z = std::clamp(z, -*weights.clip, *weights.clip);
    return activate(number, z);
  }
  double activate(unsigned number, double z) const {
    CellActivation activation = weights.activations[number];
    // alpha z + beta may cancel: its terms' errors count.
    if (activation.function == CellFunction::Affine ||
        activation.function == CellFunction::HardSigmoid) {
      z = disturbed(z, productBound);
      activation.beta = disturbed(activation.beta, productBound);
    }
    return disturbed(applyActivation(activation, z), functionBound);
  }

  double disturbed(double value, double bound) const {
    if (!weights.noise || !std::isfinite(value))
      return value;
    return weights.noise->disturb(value, x.elementType(), bound);
  }
  double product(double lhs, double rhs) const {
    return disturbed(lhs * rhs, productBound);
  }

  CellStates next;

private:
  double rowOf(const Tensor &matrix, const Tensor *bias, char gate, int64_t u,
               const Tensor &vectors, int64_t b) const {
    auto index = static_cast<int64_t>(weights.gates.find(gate));
    int64_t row = index * units + u, size = vectors.dim(1);
    double sum = bias ? bias->real(row) : 0;
    for (int64_t k = 0; k < size; ++k)
      sum += vectors.real({b, k}) *
             (weights.inOut ? matrix.real({k, row}) : matrix.real({row, k}));
    return sum;
  }

  const Tensor &x;
  const CellStates &states;
  const CellWeights &weights;
  int64_t units;
};

} // namespace

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

CellStates rnnCell(const Tensor &x, const CellStates &states,
                   const CellWeights &weights) {
  Step step(x, states, weights);
  char only = weights.gates.front();
  return step.run([&](int64_t b, int64_t u) {
    step.next[0].real({b, u}) = step.gate(0, step.sum(only, b, u));
  });
}

CellStates gruCell(const Tensor &x, const CellStates &states,
                   const CellWeights &weights, Reset reset) {
  Step step(x, states, weights);
  const Tensor &h = states.front();
  Tensor r = h, scaled = h;
  step.run([&](int64_t b, int64_t u) {
    r.real({b, u}) = step.gate(0, step.sum('r', b, u));
    scaled.real({b, u}) = step.product(r.real({b, u}), h.real({b, u}));
  });
  return step.run([&](int64_t b, int64_t u) {
    double z = step.gate(0, step.sum('z', b, u));
    double recurrent =
        reset == Reset::Before
            ? step.recurrent('n', b, u, scaled)
            : step.product(r.real({b, u}), step.recurrent('n', b, u, h));
    double n = step.gate(1, step.input('n', b, u) + recurrent);
    step.next[0].real({b, u}) =
        step.product(1 - z, n) + step.product(z, h.real({b, u}));
  });
}

CellStates lstmCell(const Tensor &x, const CellStates &states,
                    const CellWeights &weights, const Tensor *peephole,
                    bool coupled) {
  Step step(x, states, weights);
  int64_t units = states.front().dim(1);
  std::string seers = weights.gates.str();
  seers.erase(seers.find('g'), 1);
  return step.run([&](int64_t b, int64_t u) {
    auto seen = [&](char gate, double cell) {
      if (!peephole)
        return 0.0;
      auto index = static_cast<int64_t>(seers.find(gate));
      return step.product(peephole->real(index * units + u), cell);
    };
    double before = states[1].real({b, u});
    double i = step.gate(0, step.sum('i', b, u) + seen('i', before));
    double f =
        coupled ? 1 - i : step.gate(0, step.sum('f', b, u) + seen('f', before));
    double g = step.gate(1, step.sum('g', b, u));
    double cell = step.product(f, before) + step.product(i, g);
    double o = step.gate(0, step.sum('o', b, u) + seen('o', cell));
    step.next[0].real({b, u}) = step.product(o, step.activate(2, cell));
    step.next[1].real({b, u}) = cell;
  });
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

LayerResult runLayer(
    const Tensor &x, CellStates initial, const LayerOrder &order,
    llvm::function_ref<CellStates(const Tensor &, const CellStates &)> cell) {
  bool timeMajor = order.timeMajor;
  int64_t batch = x.dim(timeMajor ? 1 : 0), time = x.dim(timeMajor ? 0 : 1);
  int64_t inputs = x.dim(2), units = initial.front().dim(1);
  auto at = [&](int64_t b, int64_t t, int64_t i) {
    return timeMajor ? Shape{t, b, i} : Shape{b, t, i};
  };
  LayerResult result{Tensor(at(batch, time, units), x.elementType()),
                     std::move(initial)};
  auto timeOf = [&](int64_t b, int64_t step) {
    return order.reverse ? order.lengths[b] - 1 - step : step;
  };
  for (int64_t step = 0; step < time; ++step) {
    Tensor element({batch, inputs}, x.elementType());
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t k = 0; k < inputs && step < order.lengths[b]; ++k)
        element.real({b, k}) = x.real(at(b, timeOf(b, step), k));
    CellStates next = cell(element, result.states);
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t u = 0; u < units && step < order.lengths[b]; ++u) {
        for (auto [state, value] : llvm::zip_equal(result.states, next))
          state.real({b, u}) = value.real({b, u});
        result.output.real(at(b, timeOf(b, step), u)) = next[0].real({b, u});
      }
  }
  return result;
}

} // namespace sinter::reference
