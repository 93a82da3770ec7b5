//===- FuseMaps.cpp - A map into the map that reads it --------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fusion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace sinter;

namespace {
/// Puts the body of the map that makes an input of `consumer` in the place of
/// the input. Where the consumer reads the input through several maps (pairs of
/// a rotation), the body stands once for each.
class MapIntoMap {
public:
  MapIntoMap(fused::MapOp consumer, ReadableMap producer, Value value)
      : consumer(consumer), producer(producer), value(value),
        spec(describe(consumer)), source(describe(producer.op)) {}

  LogicalResult prepare(PatternRewriter &rewriter);
  fused::MapOp build(PatternRewriter &rewriter);

private:
  /// Where an argument of the consumer's body comes from: an input of the new
  /// op, or a copy of the producer's body.
  struct Origin {
    bool isCopy = false;
    unsigned index = 0;
  };
  struct Copy {
    AffineMap read; // dimensions of the consumer to those of the producer
    SmallVector<unsigned> args; // inputs of the new op, in the producer's order
  };

  unsigned addInput(fused::Access access);
  unsigned addCopy(AffineMap read);
  AffineMap composed(AffineMap map, AffineMap read);
  LogicalResult addSymbols(AffineMap read);
  unsigned indexOf(unsigned dim);
  SmallVector<Value> body(OpBuilder &builder, Location loc, ValueRange args);

  fused::MapOp consumer;
  ReadableMap producer;
  Value value;
  fused::MapSpec spec, source;
  SmallVector<fused::Access> inputs;
  SmallVector<Origin> origins;
  SmallVector<Copy> copies;
  unsigned consumerSymbols = 0, consumerIndices = 0;
};
} // namespace

unsigned MapIntoMap::addInput(fused::Access access) {
  for (auto [i, input] : llvm::enumerate(inputs))
    if (input.value == access.value && input.map == access.map)
      return i;
  inputs.push_back(access);
  return inputs.size() - 1;
}

/// A map of the producer, over the consumer's dimensions; the producer's
/// symbols stand behind the consumer's.
AffineMap MapIntoMap::composed(AffineMap map, AffineMap read) {
  if (!map)
    return map;
  MLIRContext *context = map.getContext();
  unsigned symbols = consumerSymbols + source.symbols.size();
  SmallVector<AffineExpr> moved;
  for (unsigned i = 0; i < map.getNumSymbols(); ++i)
    moved.push_back(getAffineSymbolExpr(consumerSymbols + i, context));
  return map.replaceDimsAndSymbols(read.getResults(), moved, read.getNumDims(),
                                   symbols);
}

unsigned MapIntoMap::addCopy(AffineMap read) {
  for (auto [i, copy] : llvm::enumerate(copies))
    if (copy.read == read)
      return i;
  Copy copy{read, {}};
  for (const fused::Access &input : source.inputs)
    copy.args.push_back(addInput({input.value, composed(input.map, read)}));
  copies.push_back(copy);
  return copies.size() - 1;
}

/// The producer's symbols are read per row of the consumer, which must tell the
/// row by its dimensions alone.
LogicalResult MapIntoMap::addSymbols(AffineMap read) {
  for (fused::Symbol symbol : source.symbols) {
    AffineMap map = symbol.map.compose(AffineMap::get(
        read.getNumDims(), 0, read.getResults(), read.getContext()));
    for (AffineExpr expr : map.getResults())
      if (!expr.isPureAffine() || map.getNumSymbols() != 0)
        return failure();
    spec.symbols.push_back({symbol.name, symbol.value, map});
  }
  return success();
}

static AffineMap withSymbols(AffineMap map, unsigned symbols) {
  return map ? AffineMap::get(map.getNumDims(), symbols, map.getResults(),
                              map.getContext())
             : map;
}

static bool usesSymbols(AffineMap map) {
  for (unsigned i = 0; i < map.getNumSymbols(); ++i)
    if (map.isFunctionOfSymbol(i))
      return true;
  return false;
}

LogicalResult MapIntoMap::prepare(PatternRewriter &rewriter) {
  consumerSymbols = spec.symbols.size();
  consumerIndices = spec.indexDims.size();
  unsigned symbols = consumerSymbols + source.symbols.size();
  SmallVector<AffineMap> reads;
  for (const fused::Access &input : spec.inputs) {
    if (input.value != value) {
      origins.push_back(
          {false, addInput({input.value, withSymbols(input.map, symbols)})});
      continue;
    }
    if (!input.map)
      return rewriter.notifyMatchFailure(consumer, "reads it as a table");
    AffineMap read = producer.toSpace.compose(input.map);
    for (const fused::Access &inner : source.inputs)
      fixExtents(spec.space, input, {inner.value, composed(inner.map, read)});
    if (usesSymbols(read) &&
        (!source.indexDims.empty() || !source.symbols.empty()))
      return rewriter.notifyMatchFailure(consumer, "reads at a symbol");
    origins.push_back({true, addCopy(read)});
    if (!llvm::is_contained(reads, read))
      reads.push_back(read);
  }
  if (reads.size() > 1 && !source.symbols.empty())
    return rewriter.notifyMatchFailure(consumer, "symbols for several reads");
  if (!reads.empty() && failed(addSymbols(reads.front())))
    return rewriter.notifyMatchFailure(consumer, "symbols depend on symbols");
  SmallVector<fused::Access> before = accessesOf(spec);
  for (fused::Store &store : spec.destinations.stores)
    store.map = withSymbols(store.map, symbols);
  spec.inputs = inputs;
  if (failed(keepExtents(spec.space, before, accessesOf(spec))))
    return rewriter.notifyMatchFailure(consumer, "would lose an extent");
  return success();
}

/// Number of the body argument that is the index of `dim`, counted from the
/// first index.
unsigned MapIntoMap::indexOf(unsigned dim) {
  auto *found = llvm::find(spec.indexDims, int64_t(dim));
  unsigned at = found - spec.indexDims.begin();
  if (found == spec.indexDims.end())
    spec.indexDims.push_back(dim);
  return at;
}

SmallVector<Value> MapIntoMap::body(OpBuilder &builder, Location loc,
                                    ValueRange args) {
  ValueRange indices = args.drop_front(inputs.size());
  SmallVector<Value> copied;
  for (const Copy &copy : copies) {
    SmallVector<Value> arguments;
    for (unsigned arg : copy.args)
      arguments.push_back(args[arg]);
    SmallVector<Value> dims(spec.space.names.size());
    for (auto [i, dim] : llvm::enumerate(spec.indexDims))
      dims[dim] = indices[i];
    for (int64_t dim : source.indexDims)
      arguments.push_back(
          emitIndex(builder, loc, copy.read.getResult(dim), dims));
    copied.push_back(
        inlineRegion(builder, producer.op.getBody(), arguments)[0]);
  }
  SmallVector<Value> arguments;
  for (const Origin &origin : origins)
    arguments.push_back(origin.isCopy ? copied[origin.index]
                                      : args[origin.index]);
  llvm::append_range(arguments, indices.take_front(consumerIndices));
  return inlineRegion(builder, consumer.getBody(), arguments);
}

fused::MapOp MapIntoMap::build(PatternRewriter &rewriter) {
  // All dimensions that the producer's indices need.
  for (const Copy &copy : copies)
    for (int64_t dim : source.indexDims)
      for (unsigned i = 0; i < copy.read.getNumDims(); ++i)
        if (copy.read.getResult(dim).isFunctionOfDim(i))
          indexOf(i);
  spec.body = [this](OpBuilder &builder, Location loc, ValueRange args) {
    return body(builder, loc, args);
  };
  rewriter.setInsertionPoint(consumer);
  return fused::buildMap(rewriter, consumer.getLoc(), spec);
}

static int64_t countUses(fused::MapOp consumer, Value value) {
  return llvm::count(consumer->getOperands(), value);
}

namespace {
struct FuseMaps : OpRewritePattern<fused::MapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(fused::MapOp consumer,
                                PatternRewriter &rewriter) const override {
    for (Value input : consumer.getInputs()) {
      std::optional<ReadableMap> producer = readableMap(input);
      if (!producer)
        continue;
      // What is free to repeat is repeated; anything else is computed once.
      bool isFree = isCopy(producer->op) || isConstantFill(producer->op);
      bool isOnlyReader =
          countUses(consumer, input) ==
          static_cast<int64_t>(llvm::range_size(input.getUses()));
      if (!isFree && !isOnlyReader)
        continue;
      MapIntoMap fusion(consumer, *producer, input);
      if (failed(fusion.prepare(rewriter)))
        continue;
      fused::MapOp map = fusion.build(rewriter);
      if (!isFree)
        remarkFused(consumer, "fuse-maps",
                    "a map runs in the map that reads it");
      rewriter.replaceOp(consumer, map);
      eraseIfDead(rewriter, producer->op);
      return success();
    }
    return failure();
  }
};
} // namespace

void sinter::addMapPatterns(RewritePatternSet &patterns) {
  // First, so that contracts whose results meet in a chain of maps meet in one
  // map.
  patterns.add<FuseMaps>(patterns.getContext(), PatternBenefit(3));
}
