//===- Attention.cpp - Scaled dot-product attention ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Reference/Ops.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;

namespace sinter::reference {

static constexpr double infinity = std::numeric_limits<double>::infinity();

namespace {

/// One query: row b, time t, head h, at absolute position i.
struct Query {
  int64_t b, t, h, i;
};

/// The sum of exp(score - maximum); 0 where nothing counts.
struct SoftmaxSum {
  double maximum, sum;
};

/// A key that counts, with its score.
struct Scored {
  int64_t key;
  double score;
};

} // namespace

/// The element of the mask for key j, dimensions of extent 1 repeated.
static int64_t maskOffset(const Tensor &mask, const Query &q, int64_t j) {
  const int64_t full[] = {q.b, q.h, q.t, j};
  Shape indices(ArrayRef<int64_t>(full).take_back(mask.rank()));
  for (auto [index, extent] : llvm::zip_equal(indices, mask.shape()))
    if (extent == 1)
      index = 0;
  return mask.offset(indices);
}

/// sum_d combine(q_d, k_d), scaled, capped and biased.
static FailureOr<double> plainScore(const Attention &p, const Query &q,
                                    int64_t j) {
  int64_t group = q.h / (p.query->dim(2) / p.key->dim(2));
  double sum = 0;
  for (int64_t d = 0; d < p.query->dim(3); ++d) {
    double a = p.query->real({q.b, q.t, q.h, d});
    double b = p.key->real({q.b, j, group, d});
    FailureOr<double> term = a * b;
    if (p.combine)
      term = p.combine(a, b, {q.b, q.h, q.i, j, d});
    if (failed(term))
      return failure();
    sum += *term;
  }
  double score = sum * p.scale;
  if (p.softcap != 0)
    score = p.softcap * std::tanh(score / p.softcap);
  if (p.slopes)
    score += p.slopes->real(q.h) * static_cast<double>(j - q.i);
  return score;
}

/// Whether the named rules and the mask operand let the query see key j.
static bool seesKey(const Attention &p, const Query &q, int64_t j) {
  if ((p.causal && j > q.i) || (p.windowLeft && q.i - j > *p.windowLeft) ||
      (p.windowRight && j - q.i > *p.windowRight))
    return false;
  if (!p.mask)
    return true;
  int64_t offset = maskOffset(*p.mask, q, j);
  return p.mask->isFloat() ? p.mask->real(offset) != -infinity
                           : p.mask->integer(offset) != 0;
}

/// The keys that count for a query, with their scores.
static FailureOr<SmallVector<Scored, 0>> scoreKeys(const Attention &p,
                                                   const Query &q) {
  SmallVector<Scored, 0> scored;
  for (int64_t j = 0; j < p.validKeys[q.b]; ++j) {
    if (!seesKey(p, q, j))
      continue;
    if (p.allows) {
      FailureOr<bool> allowed = p.allows({q.b, q.h, q.i, j});
      if (failed(allowed))
        return failure();
      if (!*allowed)
        continue;
    }
    FailureOr<double> score = plainScore(p, q, j);
    if (succeeded(score) && p.score)
      score = p.score(*score, {q.b, q.h, q.i, j});
    if (failed(score))
      return failure();
    if (p.mask && p.mask->isFloat())
      *score += p.mask->real(maskOffset(*p.mask, q, j));
    scored.push_back({j, *score});
  }
  return scored;
}

static SoftmaxSum sumOf(ArrayRef<Scored> scored, std::optional<double> sink) {
  double maximum = sink.value_or(-infinity);
  bool anyNaN = std::isnan(maximum);
  for (const Scored &s : scored) {
    maximum = std::max(maximum, s.score);
    anyNaN |= std::isnan(s.score);
  }
  if (maximum == -infinity && !anyNaN)
    return {maximum, 0};
  double sum = sink ? std::exp(*sink - maximum) : 0;
  for (const Scored &s : scored)
    sum += std::exp(s.score - maximum);
  return {maximum, sum};
}

/// Writes the results for one query.
static LogicalResult attend(const Attention &p, const Query &q,
                            AttentionResult &result) {
  auto scored = scoreKeys(p, q);
  if (failed(scored))
    return failure();
  std::optional<double> sink;
  if (p.sink) {
    FailureOr<double> value = p.sink({q.b, q.h, q.i});
    if (failed(value))
      return failure();
    sink = *value;
  }
  SoftmaxSum total = sumOf(*scored, sink);
  result.lse.real({q.b, q.t, q.h}) = total.maximum + std::log(total.sum);
  int64_t group = q.h / (p.query->dim(2) / p.key->dim(2));
  for (const Scored &s : *scored) {
    // Where nothing counts, all weights and the mixture stay 0. So does the
    // weight of a key that does not count in a row that is NaN.
    bool counts = total.sum != 0 && s.score != -infinity;
    double weight = counts ? std::exp(s.score - total.maximum) / total.sum : 0;
    if (p.wantsScores) {
      result.scores.real({q.b, q.h, q.t, s.key}) = s.score;
      result.weights.real({q.b, q.h, q.t, s.key}) = weight;
    }
    for (int64_t e = 0; total.sum != 0 && e < p.value->dim(3); ++e)
      result.mixture.real({q.b, q.t, q.h, e}) +=
          weight * p.value->real({q.b, s.key, group, e});
  }
  return success();
}

FailureOr<AttentionResult> attention(const Attention &problem) {
  const Tensor &query = *problem.query;
  Type type = query.elementType();
  Shape rows(query.shape().take_front(3)), mixture(rows);
  mixture.push_back(problem.value->dim(3));
  AttentionResult result{Tensor(mixture, type), Tensor(rows, type), {}, {}};
  if (problem.wantsScores) {
    Shape scores = {rows[0], rows[2], rows[1], problem.key->dim(1)};
    result.weights = Tensor(scores, type);
    result.scores = Tensor::splat(scores, ScalarValue::ofReal(type, -infinity));
  }
  LogicalResult status = success();
  forEachIndex(rows, [&](ArrayRef<int64_t> bth) {
    Query q{bth[0], bth[1], bth[2], bth[1] + problem.offset[bth[0]]};
    if (succeeded(status))
      status = attend(problem, q, result);
  });
  if (failed(status))
    return failure();
  return result;
}

} // namespace sinter::reference
