//===- AttentionOps.cpp - Attention, positions and heads on a run ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionRun.h"
#include "EntryRun.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"
#include <algorithm>

using namespace mlir;

namespace sinter {

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static ScalarOrTensor indexScalar(MLIRContext *context, int64_t value) {
  return ScalarValue::ofInteger(IndexType::get(context), value);
}

namespace {

/// A rule of an attention op: a region that yields one scalar.
class Rule {
public:
  static FailureOr<Rule> create(Region &region, const EntryRun &run) {
    FailureOr<RegionEvaluator> evaluator = RegionEvaluator::create(
        region, [&](Value value) { return run.outer(value); });
    if (failed(evaluator))
      return failure();
    return Rule(region.getContext(), std::move(*evaluator), run.noise);
  }

  FailureOr<ScalarValue> operator()(ArrayRef<double> floats,
                                    ArrayRef<int64_t> indices) {
    SmallVector<ScalarOrTensor> arguments;
    for (double value : floats)
      arguments.push_back(
          ScalarValue::ofReal(Float32Type::get(context), value));
    for (int64_t index : indices)
      arguments.push_back(indexScalar(context, index));
    auto results = evaluator->run(arguments, noise);
    if (failed(results))
      return failure();
    return results->front();
  }

private:
  Rule(MLIRContext *context, RegionEvaluator evaluator, Noise *noise)
      : context(context),
        evaluator(std::make_shared<RegionEvaluator>(std::move(evaluator))),
        noise(noise) {}

  MLIRContext *context;
  // Shared, because std::function copies what it holds.
  std::shared_ptr<RegionEvaluator> evaluator;
  Noise *noise;
};

} // namespace

/// The float that a rule gave.
static FailureOr<double> asReal(FailureOr<ScalarValue> value) {
  if (failed(value))
    return failure();
  return value->real;
}

static LogicalResult addRules(AttentionOp op, const EntryRun &run,
                              reference::Attention &problem) {
  using Indices = reference::Attention::Indices;
  auto prepare = [&](Region &region, auto install) -> LogicalResult {
    if (region.empty())
      return success();
    FailureOr<Rule> rule = Rule::create(region, run);
    if (succeeded(rule))
      install(*rule);
    return rule;
  };
  return success(
      succeeded(prepare(op.getScoreRegion(),
                        [&](Rule rule) {
                          problem.score = [rule](double s, Indices i) mutable {
                            return asReal(rule(s, i));
                          };
                        })) &&
      succeeded(prepare(op.getMaskRegion(),
                        [&](Rule rule) {
                          problem.allows =
                              [rule](Indices i) mutable -> FailureOr<bool> {
                            FailureOr<ScalarValue> value = rule({}, i);
                            if (failed(value))
                              return failure();
                            return value->integer != 0;
                          };
                        })) &&
      succeeded(prepare(op.getSinkRegion(),
                        [&](Rule rule) {
                          problem.sink = [rule](Indices i) mutable {
                            return asReal(rule({}, i));
                          };
                        })) &&
      succeeded(prepare(op.getCombineRegion(), [&](Rule rule) {
        // Its indices are the head and the dimension.
        problem.combine = [rule](double q, double k, Indices i) mutable {
          return asReal(rule({q, k}, {i[1], i[4]}));
        };
      })));
}

//===----------------------------------------------------------------------===//
// Keys and values
//===----------------------------------------------------------------------===//

/// The content of a cache followed, in each row, by `count` new positions.
static Tensor appended(const Tensor &old, ArrayRef<int64_t> start,
                       const Tensor &added, ArrayRef<int64_t> count) {
  int64_t time = 0;
  for (auto [first, more] : llvm::zip_equal(start, count))
    time = std::max(time, first + more);
  Shape shape(old.shape());
  shape[1] = time;
  Tensor all(shape, old.elementType());
  int64_t inner = old.innerSize(2);
  for (int64_t b = 0; b < old.dim(0); ++b) {
    for (int64_t i = 0; i < start[b] * inner; ++i)
      all.copyFrom(b * time * inner + i, old, b * old.dim(1) * inner + i);
    for (int64_t i = 0; i < count[b] * inner; ++i)
      all.copyFrom((b * time + start[b]) * inner + i, added,
                   b * added.dim(1) * inner + i);
  }
  return all;
}

namespace {

/// What an attention op attends to, as far as it is not an operand.
struct Content {
  Tensor keys, values, queries, slopes;
};

} // namespace

/// Sets up `append`: keys, values, offset and validKeys.
static LogicalResult appendKeys(AttentionOp op, EntryRun &run, Content &content,
                                reference::Attention &problem) {
  const CacheContent *cache = run.session.cache(*op.getAppend());
  if (!cache)
    return op.emitError("the session has no cache '") << *op.getAppend() << "'";
  const Tensor &key = *problem.key, &value = *problem.value;
  if (failed(checkSame(op, "batch of the session", cache->keys.dim(0),
                       key.dim(0))))
    return failure();
  FailureOr<RowValues> count =
      rowLengths(op, run.getOptional(op.getLengths()), key.dim(0), key.dim(1));
  if (failed(count))
    return failure();
  problem.offset = *run.session.cursor(cache->cursor);
  for (auto [b, start, more] : llvm::enumerate(problem.offset, *count)) {
    problem.validKeys.push_back(start + more);
    if (start + more > cache->keys.dim(1))
      return op.emitError("the cache is full: row '")
             << b << "' has '" << start << "' positions, '" << more
             << "' more do not fit in '" << cache->keys.dim(1) << "'";
  }
  content.keys = appended(cache->keys, problem.offset, key, *count);
  content.values = appended(cache->values, problem.offset, value, *count);
  run.update.caches.push_back(
      {op.getAppend()->str(), key, value, problem.offset, *count});
  problem.key = &content.keys;
  problem.value = &content.values;
  return run.moveCursor(op, cache->cursor, problem.validKeys);
}

/// Sets up `from`: keys, values and validKeys.
static LogicalResult cachedKeys(AttentionOp op, EntryRun &run,
                                reference::Attention &problem) {
  const CacheContent *cache = run.session.cache(*op.getFrom());
  if (!cache)
    return op.emitError("the session has no cache '") << *op.getFrom() << "'";
  problem.key = &cache->keys;
  problem.value = &cache->values;
  problem.validKeys = *run.session.cursor(cache->cursor);
  return success();
}

/// Sets up keys that are operands: validKeys.
static LogicalResult operandKeys(AttentionOp op, EntryRun &run,
                                 reference::Attention &problem) {
  FailureOr<RowValues> valid =
      rowLengths(op, run.getOptional(op.getLengths()), problem.key->dim(0),
                 problem.key->dim(1));
  if (failed(valid))
    return failure();
  problem.validKeys = *valid;
  return success();
}

/// The offsets where no cache gives them: the operand, else S - T.
static LogicalResult findOffset(AttentionOp op, EntryRun &run,
                                reference::Attention &problem) {
  int64_t batch = problem.query->dim(0), time = problem.query->dim(1);
  if (op.getOffset()) {
    problem.offset = run.getRows(op.getOffset());
    return checkSame(op, "size of offset", batch,
                     static_cast<int64_t>(problem.offset.size()));
  }
  for (int64_t b = 0; b < batch; ++b)
    problem.offset.push_back(
        (op.getFrom() ? problem.validKeys[b] : problem.key->dim(1)) - time);
  return success();
}

static LogicalResult checkShapes(AttentionOp op,
                                 const reference::Attention &problem) {
  const Tensor &query = *problem.query, &key = *problem.key;
  if (failed(checkSame(op, "batch of key", query.dim(0), key.dim(0))) ||
      failed(
          checkSame(op, "batch of value", key.dim(0), problem.value->dim(0))) ||
      failed(checkSame(op, "time of value", key.dim(1), problem.value->dim(1))))
    return failure();
  if (!problem.mask)
    return success();
  int64_t keys = 0;
  for (int64_t valid : problem.validKeys)
    keys = std::max(keys, valid);
  const int64_t full[] = {query.dim(0), query.dim(2), query.dim(1), keys};
  for (auto [dim, extent] : llvm::enumerate(problem.mask->shape()))
    if (extent != 1 && (dim == 3 ? extent < full[dim] : extent != full[dim]))
      return op.emitError("dimension '")
             << dim << "' of the mask is '" << extent << "', expected '"
             << full[dim] << "'";
  return success();
}

/// Errors of the products (D terms), of the weighted sum (S terms) and of the
/// softmax's functions.
static void disturbOperands(Noise &noise, Content &content,
                            reference::Attention &problem) {
  double productBound = problem.query->dim(3) + 4;
  double sumBound = problem.key->dim(1) + 16;
  content.queries = noise.disturb(*problem.query, productBound);
  content.keys = noise.disturb(*problem.key, productBound);
  content.values = noise.disturb(*problem.value, sumBound);
  if (problem.slopes) {
    content.slopes = noise.disturb(*problem.slopes, /*relative=*/2);
    problem.slopes = &content.slopes;
  }
  problem.query = &content.queries;
  problem.key = &content.keys;
  problem.value = &content.values;
}

static void addClauses(AttentionOp op, const EntryRun &run,
                       reference::Attention &problem) {
  problem.query = &run.get(op.getQuery());
  problem.key = run.getOptional(op.getKey());
  problem.value = run.getOptional(op.getValue());
  problem.mask = run.getOptional(op.getDenseMask());
  problem.slopes = run.getOptional(op.getSlopes());
  problem.scale = op.getScaleValue();
  if (op.getSoftcap())
    problem.softcap = op.getSoftcap()->convertToDouble();
  problem.causal = op.getCausal();
  problem.windowLeft = op.getWindowLeft();
  problem.windowRight = op.getWindowRight();
  problem.wantsScores = op.getScores() || op.getWeights();
}

void defineAttention(EntryRun &run, reference::AttentionResult result,
                     const AttentionValues &values, int64_t keys) {
  // Functions, and sums over the keys. The mixture errs by its operands.
  auto disturb = [&](Tensor tensor, double relative, double absolute) {
    return run.noise ? run.noise->disturb(tensor, relative, absolute) : tensor;
  };
  double sum = static_cast<double>(keys) + 16;
  run.define(values.mixture, std::move(result.mixture));
  if (values.lse)
    run.define(values.lse, disturb(std::move(result.lse), 4, sum));
  if (values.scores)
    run.define(values.scores, disturb(std::move(result.scores), 4, 0));
  if (values.weights)
    run.define(values.weights, disturb(std::move(result.weights), sum, 0));
}

static LogicalResult runAttention(AttentionOp op, EntryRun &run) {
  reference::Attention problem;
  Content content;
  addClauses(op, run, problem);
  LogicalResult keys = op.getAppend() ? appendKeys(op, run, content, problem)
                       : op.getFrom() ? cachedKeys(op, run, problem)
                                      : operandKeys(op, run, problem);
  if (failed(keys) ||
      (!op.getAppend() && failed(findOffset(op, run, problem))) ||
      failed(checkShapes(op, problem)) || failed(addRules(op, run, problem)))
    return failure();
  if (run.noise)
    disturbOperands(*run.noise, content, problem);
  FailureOr<reference::AttentionResult> result = reference::attention(problem);
  if (failed(result))
    return failure();
  defineAttention(
      run, std::move(*result),
      {op.getResult(), op.getLse(), op.getScores(), op.getWeights()},
      problem.key->dim(1));
  return success();
}

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

static LogicalResult runSplitHeads(SplitHeadsOp op, EntryRun &run) {
  SmallVector<Tensor> pieces =
      reference::splitHeads(run.get(op.getInput()), op.getHeads());
  for (auto [result, piece] : llvm::zip_equal(op.getResults(), pieces))
    run.define(result, std::move(piece));
  return success();
}

static LogicalResult runMergeHeads(MergeHeadsOp op, EntryRun &run) {
  run.define(op.getResult(), reference::mergeHeads(run.get(op.getInput())));
  return success();
}

void addAttentionOps(OpTable &table) {
  table.add<AttentionOp>(runAttention);
  table.add<AdditiveAttentionOp>(runAdditiveAttention);
  table.add<SplitHeadsOp>(runSplitHeads);
  table.add<MergeHeadsOp>(runMergeHeads);
}

} // namespace sinter
