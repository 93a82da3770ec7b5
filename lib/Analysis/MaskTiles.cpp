//===- MaskTiles.cpp - Which tiles of a mask are empty or full ------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Analysis/MaskTiles.h"
#include "ScalarRanges.h"

using namespace mlir;
using namespace sinter;

//===----------------------------------------------------------------------===//
// Tile state: a truth is (may, must)
//===----------------------------------------------------------------------===//

namespace {
class TileTruths : public ScalarRanges {
public:
  using ScalarRanges::ScalarRanges;

  TileState evaluate(Region &mask, ArrayRef<Value> captures) {
    Truth truth = run(mask, captures);
    return {emit<arith::OrIOp>(invert(valid), truth[0]),
            emit<arith::AndIOp>(valid, truth[1])};
  }

private:
  Value invert(Value a) { return emit<arith::XOrIOp>(a, boolean(true)); }

  Truth exactTruth(Value condition) override { return {condition, condition}; }
  Truth unknownTruth() override { return {boolean(true), boolean(false)}; }
  Truth notPositive(const AffineRange &range) override {
    Interval value = interval(range);
    Value zero = constant(0);
    return {compare(arith::CmpIPredicate::sle, value.low, zero),
            compare(arith::CmpIPredicate::sle, value.high, zero)};
  }
  Truth both(const Truth &a, const Truth &b) override {
    return {emit<arith::AndIOp>(a[0], b[0]), emit<arith::AndIOp>(a[1], b[1])};
  }
  Truth either(const Truth &a, const Truth &b) override {
    return {emit<arith::OrIOp>(a[0], b[0]), emit<arith::OrIOp>(a[1], b[1])};
  }
  Truth negation(const Truth &a) override {
    return {invert(a[1]), invert(a[0])};
  }
  Truth truthIf(Value applies, Value condition) override {
    return {emit<arith::OrIOp>(invert(applies), condition),
            emit<arith::AndIOp>(applies, condition)};
  }
};

//===----------------------------------------------------------------------===//
// Key range: a truth is (mayBegin, mayEnd, mustBegin, mustEnd)
//===----------------------------------------------------------------------===//

class KeyTruths : public ScalarRanges {
public:
  using ScalarRanges::ScalarRanges;

  KeyRange evaluate(Region &mask, ArrayRef<Value> captures) {
    Truth t = run(mask, captures);
    return {select(valid, t[0], box.keyBegin), select(valid, t[1], box.keyEnd),
            select(valid, t[2], box.keyBegin),
            select(valid, t[3], box.keyBegin)};
  }

private:
  using Keys = std::pair<Value, Value>;

  Value less(Value a, Value b) {
    return compare(arith::CmpIPredicate::slt, a, b);
  }
  Value clamp(Value key) {
    return emit<arith::MinSIOp>(emit<arith::MaxSIOp>(key, box.keyBegin),
                                box.keyEnd);
  }
  Value isEmpty(Keys keys) {
    return compare(arith::CmpIPredicate::sge, keys.first, keys.second);
  }
  static Truth join(Keys may, Keys must) {
    return {may.first, may.second, must.first, must.second};
  }
  static Keys may(const Truth &a) { return {a[0], a[1]}; }
  static Keys must(const Truth &a) { return {a[2], a[3]}; }
  Keys all() { return {box.keyBegin, box.keyEnd}; }
  Keys none() { return {box.keyBegin, box.keyBegin}; }
  Keys choose(Value condition, Keys a, Keys b) {
    return {select(condition, a.first, b.first),
            select(condition, a.second, b.second)};
  }

  Truth exactTruth(Value condition) override {
    Keys keys = choose(condition, all(), none());
    return join(keys, keys);
  }
  Truth unknownTruth() override { return join(all(), none()); }
  Truth truthIf(Value, Value) override { return unknownTruth(); }

  /// The keys with factor * key + rest <= 0.
  Keys solve(int64_t factor, Value rest) {
    Value zero = constant(0);
    if (factor == 0)
      return choose(compare(arith::CmpIPredicate::sle, rest, zero), all(),
                    none());
    if (factor > 0) {
      Value bound = emit<arith::SubIOp>(zero, rest);
      if (factor != 1)
        bound = emit<arith::FloorDivSIOp>(bound, constant(factor));
      return {box.keyBegin, clamp(emit<arith::AddIOp>(bound, constant(1)))};
    }
    Value bound = rest;
    if (factor != -1)
      bound = emit<arith::CeilDivSIOp>(bound, constant(-factor));
    return {clamp(bound), box.keyEnd};
  }
  Truth notPositive(const AffineRange &range) override {
    Interval rest = interval(range, /*withKeys=*/false);
    Keys may = solve(range.keys, rest.low);
    return join(may,
                rest.low == rest.high ? may : solve(range.keys, rest.high));
  }

  Keys intersect(Keys a, Keys b) {
    Value begin = emit<arith::MaxSIOp>(a.first, b.first);
    Value end = emit<arith::MinSIOp>(a.second, b.second);
    return {begin, emit<arith::MaxSIOp>(begin, end)};
  }
  Keys hull(Keys a, Keys b) {
    Keys both = {emit<arith::MinSIOp>(a.first, b.first),
                 emit<arith::MaxSIOp>(a.second, b.second)};
    return choose(isEmpty(a), b, choose(isEmpty(b), a, both));
  }
  /// A range within the union: all of it where that is one range, else the
  /// longer one.
  Keys within(Keys a, Keys b) {
    Value isApart =
        emit<arith::OrIOp>(less(a.second, b.first), less(b.second, a.first));
    Value isLonger = less(emit<arith::SubIOp>(b.second, b.first),
                          emit<arith::SubIOp>(a.second, a.first));
    return choose(isApart, choose(isLonger, a, b), hull(a, b));
  }
  /// The complement where it is one range, else `fallback`.
  Keys complement(Keys a, Keys fallback) {
    Value atBegin = compare(arith::CmpIPredicate::eq, a.first, box.keyBegin);
    Value atEnd = compare(arith::CmpIPredicate::eq, a.second, box.keyEnd);
    Keys partly = choose(atBegin, {a.second, box.keyEnd},
                         choose(atEnd, {box.keyBegin, a.first}, fallback));
    return choose(isEmpty(a), all(), partly);
  }

  Truth both(const Truth &a, const Truth &b) override {
    return join(intersect(may(a), may(b)), intersect(must(a), must(b)));
  }
  Truth either(const Truth &a, const Truth &b) override {
    return join(hull(may(a), may(b)), within(must(a), must(b)));
  }
  Truth negation(const Truth &a) override {
    return join(complement(must(a), all()), complement(may(a), none()));
  }
};
} // namespace

TileState sinter::emitTileState(OpBuilder &builder, Location loc, Region &mask,
                                const MaskBox &box, ArrayRef<Value> captures,
                                MaskRead read) {
  if (mask.empty()) {
    Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
    return {yes, yes};
  }
  return TileTruths(builder, loc, box, read).evaluate(mask, captures);
}

KeyRange sinter::emitKeyRange(OpBuilder &builder, Location loc, Region &mask,
                              const MaskBox &box, ArrayRef<Value> captures,
                              MaskRead read) {
  if (mask.empty())
    return {box.keyBegin, box.keyEnd, box.keyBegin, box.keyEnd};
  return KeyTruths(builder, loc, box, read).evaluate(mask, captures);
}
