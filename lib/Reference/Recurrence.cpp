//===- Recurrence.cpp - Recurrent cells and layers ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Reference/Functions.h"
#include "sinter/Reference/Ops.h"
#include <cmath>

using namespace mlir;

namespace sinter::reference {

/// Unit roundoffs of a sigmoid times a tanh.
static constexpr double gateErrorBound = 32;

/// W x + R h + biases for all gates: [B, 4U].
static Tensor preactivation(const Tensor &x, const Tensor &hidden,
                            const LstmWeights &w) {
  Tensor z = linear(x, *w.input, w.inputBias, /*inOut=*/false);
  Tensor r = linear(hidden, *w.recurrence, w.recurrentBias, /*inOut=*/false);
  for (int64_t i = 0, e = z.size(); i < e; ++i)
    z.real(i) += r.real(i);
  return z;
}

LstmState lstmCell(const Tensor &x, const LstmState &state,
                   const LstmWeights &weights) {
  int64_t batch = state.hidden.dim(0), units = state.hidden.dim(1);
  Tensor z = preactivation(x, state.hidden, weights);
  LstmState next = state;
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t u = 0; u < units; ++u) {
      auto gate = [&](char name) {
        auto index = static_cast<int64_t>(weights.gates.find(name));
        return z.real((b * 4 + index) * units + u);
      };
      int64_t at = b * units + u;
      double kept = sigmoid(gate('f')) * state.cell.real(at);
      double added = sigmoid(gate('i')) * std::tanh(gate('g'));
      if (weights.noise) {
        // The two may cancel, so their errors count and not the sum's.
        Type type = next.cell.elementType();
        kept = weights.noise->disturb(kept, type, gateErrorBound);
        added = weights.noise->disturb(added, type, gateErrorBound);
      }
      double cell = kept + added;
      next.cell.real(at) = cell;
      next.hidden.real(at) = sigmoid(gate('o')) * std::tanh(cell);
    }
  return next;
}

LstmResult lstm(const Tensor &x, LstmState initial, const LstmWeights &weights,
                ArrayRef<int64_t> lengths, bool reverse) {
  int64_t batch = x.dim(0), time = x.dim(1), units = initial.hidden.dim(1);
  LstmResult result{Tensor({batch, time, units}, x.elementType()),
                    std::move(initial)};
  for (int64_t step = 0; step < time; ++step) {
    RowValues at;
    for (int64_t b = 0; b < batch; ++b)
      at.push_back(reverse ? lengths[b] - 1 - step : step);
    LstmState next = lstmCell(take(x, at), result.state, weights);
    for (int64_t b = 0; b < batch; ++b) {
      if (step >= lengths[b])
        continue;
      for (int64_t u = 0; u < units; ++u) {
        int64_t i = b * units + u;
        result.state.hidden.real(i) = next.hidden.real(i);
        result.state.cell.real(i) = next.cell.real(i);
        result.output.real({b, at[b], u}) = next.hidden.real(i);
      }
    }
  }
  return result;
}

} // namespace sinter::reference
