//===- Recurrence.h - Recurrent cells and layers by their formulas -*- C++ -*-//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Letters: B batch, T time, K inputs, U units, G gates.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_REFERENCE_RECURRENCE_H
#define SINTER_REFERENCE_RECURRENCE_H

#include "sinter/Dialect/Sinter/IR/Sinter.h"
#include "sinter/Reference/Noise.h"
#include "sinter/Reference/Tensor.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace sinter::reference {

/// The activation at x, by the formulas of `sinter.rnn`.
double applyActivation(const CellActivation &activation, double x);

/// What the cells have in common. Gates lie one after the other, in the order
/// of `gates`.
struct CellWeights {
  const Tensor *input;                   ///< [G U, K]
  const Tensor *recurrence;              ///< [G U, U]
  const Tensor *inputBias = nullptr;     ///< [G U], optional
  const Tensor *recurrentBias = nullptr; ///< [G U], optional
  bool inOut = false;                    ///< matrices are transposed
  llvm::StringRef gates = " ";           ///< one letter for each
  llvm::ArrayRef<CellActivation> activations = {};
  std::optional<double> clip = std::nullopt; ///< of the gates' sums
  Noise *noise = nullptr;                    ///< where the cell is to err
};

/// States, each [B, U]; the first is the hidden state.
using CellStates = llvm::SmallVector<Tensor, 2>;

/// h' = s(W x + bi + R h + bh) (Elman 1990). x: [B, K].
CellStates rnnCell(const Tensor &x, const CellStates &states,
                   const CellWeights &weights);

/// h' = (1 - z) n + z h (Cho et al. 2014); gates r, z, n. The reset gate scales
/// the state before the matrix R, or what comes out of R and its bias.
CellStates gruCell(const Tensor &x, const CellStates &states,
                   const CellWeights &weights, Reset reset);

/// c' = f c + i g, h' = o w(c') (Hochreiter and Schmidhuber 1997, Gers et al.
/// 2000); gates i, f, g, o. peephole: [3U], i, f and o in the order of the
/// gates, or null. coupled: f = 1 - i.
CellStates lstmCell(const Tensor &x, const CellStates &states,
                    const CellWeights &weights,
                    const Tensor *peephole = nullptr, bool coupled = false);

/// How a layer goes over time.
struct LayerOrder {
  llvm::ArrayRef<int64_t> lengths; ///< of each row
  bool reverse = false;            ///< from each row's last element backwards
  bool timeMajor = false;          ///< x is [T, B, K], else [B, T, K]
};

struct LayerResult {
  Tensor output;     ///< [B, T, U], or [T, B, U]
  CellStates states; ///< the last ones
};

/// A cell over time. Row b takes lengths[b] steps; past them it keeps its state
/// and its output is 0.
LayerResult runLayer(
    const Tensor &x, CellStates initial, const LayerOrder &order,
    llvm::function_ref<CellStates(const Tensor &, const CellStates &)> cell);

} // namespace sinter::reference

#endif // SINTER_REFERENCE_RECURRENCE_H
