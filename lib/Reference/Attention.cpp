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

/// sum_d combine(q_d, k_d), scaled.
static FailureOr<double> scaledProduct(const Attention &p, const Query &q,
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
  return sum * p.scale;
}

/// Whether the named rules and the mask operand let the query see key j.
static bool seesKey(const Attention &p, const Query &q, int64_t j) {
  if (p.causal && j > q.i)
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
    FailureOr<double> score = scaledProduct(p, q, j);
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

/// Writes y[b, t, h, :] for one query.
static LogicalResult attend(const Attention &p, const Query &q, Tensor &y) {
  auto scored = scoreKeys(p, q);
  if (failed(scored))
    return failure();
  double sink = -infinity;
  if (p.sink) {
    FailureOr<double> value = p.sink({q.b, q.h, q.i});
    if (failed(value))
      return failure();
    sink = *value;
  }
  double maximum = sink;
  bool anyNaN = std::isnan(sink);
  for (const Scored &s : *scored) {
    maximum = std::max(maximum, s.score);
    anyNaN |= std::isnan(s.score);
  }
  if (maximum == -infinity && !anyNaN)
    return success(); // nothing to see: y stays 0
  double sum = p.sink ? std::exp(sink - maximum) : 0;
  for (const Scored &s : *scored)
    sum += std::exp(s.score - maximum);
  int64_t group = q.h / (p.query->dim(2) / p.key->dim(2));
  for (const Scored &s : *scored)
    for (int64_t e = 0; e < p.value->dim(3); ++e)
      y.real({q.b, q.t, q.h, e}) += std::exp(s.score - maximum) / sum *
                                    p.value->real({q.b, s.key, group, e});
  return success();
}

FailureOr<Tensor> attention(const Attention &problem) {
  const Tensor &query = *problem.query;
  Shape shape(query.shape());
  shape.back() = problem.value->dim(3);
  Tensor y(shape, query.elementType());
  LogicalResult result = success();
  forEachIndex(query.shape().take_front(3), [&](ArrayRef<int64_t> bth) {
    Query q{bth[0], bth[1], bth[2], bth[1] + problem.offset[bth[0]]};
    if (succeeded(result))
      result = attend(problem, q, y);
  });
  if (failed(result))
    return failure();
  return y;
}

} // namespace sinter::reference
