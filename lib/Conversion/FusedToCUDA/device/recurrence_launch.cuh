//===- recurrence_launch.cuh - A launch and its rows ------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a batch row stands in a step, and where its numbers lie. recurrence.cuh
// says what a Spec tells.
//
//===----------------------------------------------------------------------===//

namespace sinter {

template <int> struct Number {};

/// What a launch does of a phase.
enum class PhaseKind {
  Elements, ///< A phase without products and reductions: all of it.
  Panels,   ///< A phase without reductions: all of it.
  Products, ///< The products of a phase with reductions.
  Reduce    ///< Reductions and map.
};

/// A batch row in a step.
template <class Spec> struct RecurrenceRow {
  const typename Spec::Arguments *arguments;
  Status *status;
  /// Where it reads and writes: b and t; the rest is 0.
  typename Spec::Point p;
  /// Whether it takes the step, and whether this is the last step of all.
  bool isActive, isLast;
  float *projections, *states, *nextStates, *results, *products;

  SINTER_DEVICE const typename Spec::Arguments &args() const {
    return *arguments;
  }
  SINTER_DEVICE typename Spec::Point at(i64 unit) const {
    typename Spec::Point point = p;
    point[2] = unit;
    return point;
  }
};

/// A launch, as all its blocks see it.
template <class Spec> struct RecurrenceLaunch {
  const typename Spec::Arguments &args;
  Status *status;
  float *scratch;
  typename Spec::Point extents;

  SINTER_DEVICE i64 batch() const { return extents[0]; }
  SINTER_DEVICE i64 steps() const { return extents[1]; }

  /// `row` at most the last one's number.
  SINTER_DEVICE RecurrenceRow<Spec> row(i64 number, i64 step) const {
    typename Spec::Point p = {};
    p[0] = number;
    const i64 all = steps();
    i64 length = Spec::length(args, p);
    length = length < 0 ? 0 : length < all ? length : all;
    const bool isActive = step < length;
    p[1] = Spec::is_reversed && isActive ? length - 1 - step : step;
    float *states = scratch + batch() * (Spec::projection_stride * Spec::chunk),
          *results = states + 2 * batch() * Spec::state_stride,
          *products = results + batch() * Spec::result_stride;
    const i64 before = (step % 2 * batch() + number) * Spec::state_stride,
              after = ((step + 1) % 2 * batch() + number) * Spec::state_stride,
              inChunk = number * Spec::chunk + step % Spec::chunk;
    return {&args,
            status,
            p,
            isActive,
            step + 1 == all,
            scratch + inChunk * Spec::projection_stride,
            states + before,
            states + after,
            results + number * Spec::result_stride,
            products + number * Spec::product_stride};
  }
};

} // namespace sinter
