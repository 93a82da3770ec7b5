//===- SplitScans.cpp - States and outputs in pieces ----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The units of a state are used together. Where a step splits a state, or joins
// what it yields, each piece becomes a state or an output of its own; before
// and after the scan they are split and joined as a whole.
//
//===----------------------------------------------------------------------===//

#include "EntryLowering.h"
#include "Fusion.h"

using namespace mlir;
using namespace sinter;

using Sizes = SmallVector<int64_t>;

/// Sizes of the parts that `value` is joined of; one where it is not.
static Sizes partsOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  auto concat = value.getDefiningOp<tensor::ConcatOp>();
  bool isJoined = concat && type.getRank() == 2 && concat.getDim() == 1 &&
                  llvm::all_of(concat.getInputs(), [](Value part) {
                    auto of = cast<RankedTensorType>(part.getType());
                    return !of.isDynamicDim(1) && of.getDimSize(1) != 0;
                  });
  if (!isJoined)
    return {type.getShape().back()};
  Sizes sizes;
  for (Value part : concat.getInputs())
    sizes.push_back(cast<RankedTensorType>(part.getType()).getDimSize(1));
  return sizes;
}

/// Sizes of the pieces in which the step uses a state.
static Sizes piecesOf(BlockArgument state, Value next) {
  if (cast<RankedTensorType>(state.getType()).getRank() == 2)
    for (Operation *user : state.getUsers())
      if (auto split = dyn_cast<SplitOp>(user))
        if (!llvm::is_contained(split.getSizes(), 0))
          return Sizes(split.getSizes());
  return partsOf(next);
}

/// The types of the pieces of a value of `type`.
static SmallVector<Type> pieceTypes(Type type, const Sizes &sizes) {
  if (sizes.size() == 1)
    return {type};
  SmallVector<Type> types;
  auto tensor = cast<RankedTensorType>(type);
  for (int64_t size : sizes) {
    Sizes shape(tensor.getShape());
    shape.back() = size;
    types.push_back(tensor.clone(shape));
  }
  return types;
}

/// The pieces of `value`: what it is joined of, if they are of these sizes.
static SmallVector<Value> split(OpBuilder &builder, Value value,
                                const Sizes &sizes) {
  if (sizes.size() == 1)
    return {value};
  if (partsOf(value) == sizes)
    return value.getDefiningOp<tensor::ConcatOp>().getInputs();
  auto op = SplitOp::create(builder, value.getLoc(), value, sizes);
  return op.getResults();
}

/// The whole of which `pieces` are, of `type`.
static Value join(OpBuilder &builder, Location loc, Type type,
                  ValueRange pieces) {
  if (pieces.size() == 1)
    return pieces.front();
  int64_t dim = cast<RankedTensorType>(type).getRank() - 1;
  return tensor::ConcatOp::create(builder, loc, type, dim, pieces);
}

namespace {

/// Rewrites one scan.
class ScanSplitter {
public:
  explicit ScanSplitter(ScanOp scan) : scan(scan), builder(scan) {
    for (Value value : scan.getYieldedSteps())
      outputs.push_back(partsOf(value));
    for (auto [state, next] :
         llvm::zip_equal(scan.getStates(), scan.getYieldedStates()))
      states.push_back(piecesOf(state, next));
  }

  bool isWhole() const {
    auto isOne = [](const Sizes &sizes) { return sizes.size() == 1; };
    return llvm::all_of(outputs, isOne) && llvm::all_of(states, isOne);
  }
  void rewrite();

private:
  ScanOp create();
  void rewriteBody(ScanOp made);
  void replaceResults(ScanOp made);

  ScanOp scan;
  OpBuilder builder;
  SmallVector<Sizes> outputs, states;
};

} // namespace

ScanOp ScanSplitter::create() {
  SmallVector<Type> types;
  for (auto [result, sizes] : llvm::zip_equal(
           scan.getResults(), llvm::concat<const Sizes>(outputs, states)))
    llvm::append_range(types, pieceTypes(result.getType(), sizes));
  SmallVector<Value> initials;
  SmallVector<bool> zeros;
  for (auto [number, sizes] : llvm::enumerate(states)) {
    Value initial = scan.getInitial(number);
    zeros.append(sizes.size(), !initial);
    if (initial)
      llvm::append_range(initials, split(builder, initial, sizes));
  }
  return ScanOp::create(builder, scan.getLoc(), types, scan.getSequences(),
                        initials, scan.getLengths(), zeros, scan.getReverse());
}

void ScanSplitter::rewriteBody(ScanOp made) {
  made.getBody().takeBody(scan.getBody());
  Block &body = made.getBody().front();
  unsigned first = scan.getSequences().size();
  OpBuilder inside = OpBuilder::atBlockBegin(&body);
  for (auto [number, sizes] : llvm::enumerate(states)) {
    BlockArgument state = body.getArgument(first + number);
    SmallVector<Value> pieces;
    for (Type type : pieceTypes(state.getType(), sizes))
      pieces.push_back(body.addArgument(type, state.getLoc()));
    state.replaceAllUsesWith(
        join(inside, state.getLoc(), state.getType(), pieces));
  }
  Operation *yield = body.getTerminator();
  inside.setInsertionPoint(yield);
  SmallVector<Value> each, carry;
  for (auto [number, value] : llvm::enumerate(yield->getOperands())) {
    bool isOutput = number < outputs.size();
    const Sizes &sizes =
        isOutput ? outputs[number] : states[number - outputs.size()];
    llvm::append_range(isOutput ? each : carry, split(inside, value, sizes));
  }
  YieldOp::create(inside, yield->getLoc(), ValueRange(each), ValueRange(carry));
  yield->erase();
  body.eraseArguments(first, states.size());
}

void ScanSplitter::replaceResults(ScanOp made) {
  ValueRange pieces = made.getResults();
  for (auto [result, sizes] : llvm::zip_equal(
           scan.getResults(), llvm::concat<const Sizes>(outputs, states))) {
    if (!result.use_empty())
      result.replaceAllUsesWith(join(builder, scan.getLoc(), result.getType(),
                                     pieces.take_front(sizes.size())));
    pieces = pieces.drop_front(sizes.size());
  }
}

void ScanSplitter::rewrite() {
  ScanOp made = create();
  rewriteBody(made);
  replaceResults(made);
  scan.erase();
}

void sinter::splitScans(func::FuncOp entry) {
  SmallVector<ScanOp> scans;
  entry.walk([&](ScanOp scan) { scans.push_back(scan); });
  for (ScanOp scan : scans)
    if (ScanSplitter splitter(scan); !splitter.isWhole())
      splitter.rewrite();
}
