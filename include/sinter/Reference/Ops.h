//===- Ops.h - Model operations on reference tensors -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One obvious function per operation of the sinter dialect, in double and
// without IR. Letters as in the dialect: B batch, T time, S time of the keys, H
// heads, G key and value heads, D and E head sizes, K inputs, N outputs, C
// channels, R rows of a table, U units. Callers have checked the shapes; a
// pointer may be null where the comment says "optional".
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_REFERENCE_OPS_H
#define SINTER_REFERENCE_OPS_H

#include "mlir/Support/LLVM.h"
#include "sinter/Reference/Tensor.h"
#include <functional>
#include <optional>

namespace sinter::reference {

/// A value for each row of the batch.
using RowValues = llvm::SmallVector<int64_t, 4>;

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

/// y[..., n] = sum_k x[..., k] w[n, k] + bias[n]; w is [K, N] with `inOut`.
/// bias: optional.
Tensor linear(const Tensor &x, const Tensor &w, const Tensor *bias, bool inOut);

/// The product of the last two dimensions; rhs may be one matrix for all of
/// lhs's batch.
Tensor matmul(const Tensor &lhs, const Tensor &rhs, bool transposeLhs,
              bool transposeRhs);

/// y[..., :] = table[indices[...], :], indices clamped to the table.
Tensor embedding(const Tensor &indices, const Tensor &table);

/// function(x), element by element.
Tensor map(const Tensor &x, llvm::function_ref<double(double)> function);

/// x * y, element by element.
Tensor multiply(const Tensor &x, const Tensor &y);

//===----------------------------------------------------------------------===//
// Normalisation, along the last dimension
//===----------------------------------------------------------------------===//

/// exp(x - max) / sum exp(x - max); a row of -inf gives 0.
Tensor softmax(const Tensor &x);

/// x - max - log sum exp(x - max); a row of -inf gives -inf.
Tensor logSoftmax(const Tensor &x);

/// (x - mean) / sqrt(variance + eps) gain + bias (Ba et al. 2016), with the
/// variance around the mean. gain, bias: optional.
Tensor layerNorm(const Tensor &x, const Tensor *gain, const Tensor *bias,
                 double eps);

/// x / sqrt(mean(x^2) + eps) (gain + offset) (Zhang and Sennrich 2019). gain:
/// optional.
Tensor rmsNorm(const Tensor &x, const Tensor *gain, double offset, double eps);

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// How heads are turned (Su et al. 2021).
struct Rope {
  bool interleaved = false; ///< pair i is (2i, 2i + 1), else (i, i + columns/2)
  int64_t columns = 0;      ///< how many of each head turn, the first ones
  /// The angle per position of pair i in row b.
  std::function<double(int64_t pair, int64_t row)> frequency;
  double factor = 1; ///< of cosine and sine
};

/// Turns the pairs of each head of x [B, T, H, D] by positions[b, t] times
/// their frequency; columns behind them stay.
Tensor rope(const Tensor &x, const Tensor &positions, const Rope &how);

/// y[..., 2i] = sin(p 10000^(-2i/C)), y[..., 2i + 1] the cosine (Vaswani et al.
/// 2017); with `halves` y[..., i] and y[..., i + C/2].
Tensor sinusoidalPositions(const Tensor &positions, int64_t channels,
                           bool halves, mlir::Type elementType);

/// The slope of a head under linear biases (Press et al. 2021).
double alibiSlope(int64_t head, int64_t heads);

/// y[b, t] = start[b] + t.
Tensor positions(llvm::ArrayRef<int64_t> start, int64_t time,
                 mlir::Type elementType);

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// The operands and rules of attention. Indices that rules get are b, h, i, j
/// with i = t + offset[b] and j the key's position.
struct Attention {
  const Tensor *query;               ///< [B, T, H, D]
  const Tensor *key;                 ///< [B, S, G, D]
  const Tensor *value;               ///< [B, S, G, E]
  RowValues offset;                  ///< position of each row's first query
  RowValues validKeys;               ///< keys of each row that count, at most S
  double scale = 1;                  ///< factor of the product
  double softcap = 0;                ///< bound of the score; 0: none
  const Tensor *slopes = nullptr;    ///< [H], added as slope (j - i); optional
  bool causal = false;               ///< only keys with j <= i
  std::optional<int64_t> windowLeft; ///< only keys with i - j <= this
  std::optional<int64_t> windowRight; ///< only keys with j - i <= this
  const Tensor *mask = nullptr; ///< optional, broadcastable to [B, H, T, S]:
                                ///< i1 (true attends) or added to the score
  bool wantsScores = false;     ///< whether to give scores and weights

  using Indices = llvm::ArrayRef<int64_t>;
  /// Score from the scaled, capped and biased product; optional.
  std::function<mlir::FailureOr<double>(double, Indices)> score;
  /// Whether the key counts; optional.
  std::function<mlir::FailureOr<bool>(Indices)> allows;
  /// A score without a key, for b, h, i; optional.
  std::function<mlir::FailureOr<double>(Indices)> sink;
  /// What is summed over d in place of q_d k_d; the indices are b, h, i, j, d;
  /// optional.
  std::function<mlir::FailureOr<double>(double, double, Indices)> combine;
};

struct AttentionResult {
  Tensor mixture; ///< [B, T, H, E]
  Tensor lse;     ///< [B, T, H]: log of the sum of exp(score)
  Tensor scores;  ///< [B, H, T, S] if wanted; -inf where a key does not count
  Tensor weights; ///< [B, H, T, S] if wanted; 0 where a key does not count
};

/// mixture[b, t, h, :] = sum_j softmax_j(score) value[b, j, h / (H / G), :]. A
/// query without keys (and without sink) gives 0, its lse is -inf; a key whose
/// added mask is -inf does not count; keys from validKeys on are never read.
/// Fails where a rule fails.
mlir::FailureOr<AttentionResult> attention(const Attention &problem);

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Pieces of the last dimension, of the given sizes.
llvm::SmallVector<Tensor> split(const Tensor &x, llvm::ArrayRef<int64_t> sizes);

/// [B, T, (H0 + H1 + ...) D] -> [B, T, H0, D], [B, T, H1, D], ...
llvm::SmallVector<Tensor> splitHeads(const Tensor &x,
                                     llvm::ArrayRef<int64_t> heads);

/// [..., H, D] -> [..., H D].
Tensor mergeHeads(const Tensor &x);

/// y[b, ...] = x[b, at[b], ...], the index clamped; 0 where time is empty.
Tensor take(const Tensor &x, llvm::ArrayRef<int64_t> at);

/// NumPy's broadcast.
Tensor broadcast(const Tensor &x, llvm::ArrayRef<int64_t> shape);

/// Dimension i of the result is dimension permutation[i] of x.
Tensor transpose(const Tensor &x, llvm::ArrayRef<int64_t> permutation);

/// The parts one after the other along `dim`; there is at least one.
Tensor concat(llvm::ArrayRef<const Tensor *> parts, int64_t dim);

/// y[i...] = x[offset + i stride ...]; all of them lie in x.
Tensor slice(const Tensor &x, llvm::ArrayRef<int64_t> offsets,
             llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides);

} // namespace sinter::reference

#endif // SINTER_REFERENCE_OPS_H
