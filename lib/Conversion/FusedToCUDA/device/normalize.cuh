//===- normalize.cuh - Reductions over rows, then a map ---------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row is the work of one warp or of one block: each thread takes every
// row_threads-th group of `lanes` columns. A thread sums its columns in order,
// then warps fold by halving and the block adds warps in order, so that the sum
// follows from the shape alone. Rows that fit stay in registers: one read and
// one write; longer ones are read once per pass.
//
// Spec: threads, row_threads (32 or threads), lanes, held (groups of a thread
// that are kept; 0: none), rank, Point, extents, aligned, even, limited_dim,
// limit; Number, reductions, passes; statistics (post runs once per row);
// values<N, Wide>(args, status, p) reads N columns; accumulate<Pass, N>(args,
// status, p, values, done, sums) adds them to the pass's sums; first<Pass>()
// and last<Pass>() number its reductions; identity<R>(), combine<R>(a, b);
// finish<N, Wide>(args, status, p, values, done) stores N columns, and
// finishRow(args, status, p, done) what is there once.
//
//===----------------------------------------------------------------------===//

namespace sinter {

/// One row while a thread works on it. Points of the row differ in p[inner].
template <class Spec> class NormalizeRow {
  using Arguments = typename Spec::Arguments;
  using Point = typename Spec::Point;
  using Number = typename Spec::Number;
  using Numbers = Lanes<Number, Spec::reductions>;
  static constexpr int inner = Spec::rank - 1;
  static constexpr int rowThreads = Spec::row_threads;
  static constexpr int places = Spec::held > 0 ? Spec::held : 1;

public:
  SINTER_DEVICE NormalizeRow(const Arguments &args, Status *status,
                             const Point &p, i64 columns)
      : args(args), status(status), p(p), columns(columns),
        member(threadIndex() % rowThreads) {}

  /// The whole row, N columns at a time; Wide: accesses are aligned.
  template <int N, bool Wide> SINTER_DEVICE void run() {
    if constexpr (N == Spec::lanes && Spec::held > 0)
      runHeld<N, Wide>();
    else
      runStreamed<N, Wide>();
  }

private:
  template <int N>
  using Values = decltype(Spec::template values<N>(
      Arguments(), static_cast<Status *>(nullptr), Point()));

  //===--- Rows in registers ----------------------------------------------===//

  template <int N, bool Wide> SINTER_DEVICE void runHeld() {
    Values<N> values[places];
#pragma unroll
    for (int k = 0; k < Spec::held; ++k)
      if (setGroup<N>(k))
        values[k] = Spec::template values<N, Wide>(args, status, p);
    reduceHeld<0, N>(values);
    if constexpr (Spec::statistics) {
      finishRow();
    } else {
#pragma unroll
      for (int k = 0; k < Spec::held; ++k)
        if (setGroup<N>(k))
          Spec::template finish<N, Wide>(args, status, p, values[k], done);
    }
  }

  /// Moves to the thread's k-th group; false past the end of the row.
  template <int N> SINTER_DEVICE bool setGroup(int k) {
    p[inner] = (k * rowThreads + member) * N;
    return p[inner] < columns;
  }

  template <int Pass, int N>
  SINTER_DEVICE void reduceHeld(const Values<N> (&values)[places]) {
    if constexpr (Pass < Spec::passes) {
      Numbers sums = identities<Pass>();
#pragma unroll
      for (int k = 0; k < Spec::held; ++k)
        if (setGroup<N>(k))
          Spec::template accumulate<Pass, N>(args, status, p, values[k], done,
                                             sums);
      fold<Pass>(sums);
      reduceHeld<Pass + 1, N>(values);
    }
  }

  //===--- Rows of any length ---------------------------------------------===//

  template <int N, bool Wide> SINTER_DEVICE void runStreamed() {
    reduceStreamed<0, N, Wide>();
    if constexpr (Spec::statistics) {
      finishRow();
    } else {
      Numbers none;
      visitColumns<Spec::passes, N, Wide>(none);
    }
  }

  template <int Pass, int N, bool Wide> SINTER_DEVICE void reduceStreamed() {
    if constexpr (Pass < Spec::passes) {
      Numbers sums = identities<Pass>();
      visitColumns<Pass, N, Wide>(sums);
      fold<Pass>(sums);
      reduceStreamed<Pass + 1, N, Wide>();
    }
  }

  /// The thread's groups, then its share of what is no whole group.
  template <int Pass, int N, bool Wide>
  SINTER_DEVICE void visitColumns(Numbers &sums) {
    const i64 whole = columns / N * N;
    for (p[inner] = member * N; p[inner] < whole; p[inner] += rowThreads * N)
      visit<Pass, N, Wide>(sums);
    if constexpr (N > 1)
      if (whole < columns)
        for (p[inner] = whole + member; p[inner] < columns;
             p[inner] += rowThreads)
          visit<Pass, 1, Wide>(sums);
  }

  /// Adds N columns to a pass's sums; past the last pass, stores them.
  template <int Pass, int N, bool Wide>
  SINTER_DEVICE void visit(Numbers &sums) {
    const Values<N> values = Spec::template values<N, Wide>(args, status, p);
    if constexpr (Pass < Spec::passes)
      Spec::template accumulate<Pass, N>(args, status, p, values, done, sums);
    else
      Spec::template finish<N, Wide>(args, status, p, values, done);
  }

  //===--- Reductions -----------------------------------------------------===//

  template <int Pass> SINTER_DEVICE Numbers identities() {
    Numbers sums = done;
    identitiesFrom<Pass, Spec::template first<Pass>()>(sums);
    return sums;
  }
  template <int Pass, int R> SINTER_DEVICE void identitiesFrom(Numbers &sums) {
    if constexpr (R < Spec::template last<Pass>()) {
      sums[R] = Spec::template identity<R>();
      identitiesFrom<Pass, R + 1>(sums);
    }
  }

  /// The pass's results from all threads of the row, in all of them.
  template <int Pass> SINTER_DEVICE void fold(const Numbers &sums) {
    foldFrom<Pass, Spec::template first<Pass>()>(sums);
  }
  template <int Pass, int R> SINTER_DEVICE void foldFrom(const Numbers &sums) {
    if constexpr (R < Spec::template last<Pass>()) {
      done[R] = foldRow<R>(sums[R]);
      foldFrom<Pass, R + 1>(sums);
    }
  }

  template <int R> SINTER_DEVICE Number foldRow(Number sum) {
#pragma unroll
    for (int mask = 16; mask > 0; mask /= 2)
      sum = Spec::template combine<R>(sum, shuffleXor(sum, mask));
    if constexpr (rowThreads > 32) {
      // Each reduction has places of its own, so that one barrier suffices.
      SINTER_SHARED(shared);
      constexpr int warps = rowThreads / 32;
      Number *sums = reinterpret_cast<Number *>(shared) + R * warps;
      if (laneIndex() == 0)
        storeShared(sums + warpIndex(), sum);
      blockBarrier();
      sum = loadShared(static_cast<const Number *>(sums));
#pragma unroll
      for (int w = 1; w < warps; ++w)
        sum = Spec::template combine<R>(
            sum, loadShared(static_cast<const Number *>(sums + w)));
    }
    return sum;
  }

  SINTER_DEVICE void finishRow() {
    p[inner] = 0;
    if (member == 0)
      Spec::finishRow(args, status, p, done);
  }

  const Arguments &args;
  Status *status;
  Point p;
  i64 columns;
  i32 member;
  Numbers done{};
};

template <class Spec>
SINTER_DEVICE void normalize(const typename Spec::Arguments &args, i64,
                             Status *status, u8 *) {
  if (isAborted(status))
    return;
  constexpr int inner = Spec::rank - 1;
  const typename Spec::Point extents = Spec::extents(args);
  constexpr int rowsPerBlock = Spec::threads / Spec::row_threads;
  const i64 row =
      i64(blockIndex()) * rowsPerBlock + threadIndex() / Spec::row_threads;
  if (row >= countPoints<inner>(extents))
    return;
  typename Spec::Point p{};
  splitIndex<inner>(row, extents, p);
  if constexpr (Spec::limited_dim >= 0)
    if (p[Spec::limited_dim] >= Spec::limit(args, p))
      return;
  NormalizeRow<Spec> work(args, status, p, extents[inner]);
  // Which way is taken may change the order of a sum only where it follows from
  // the shape: where addresses alone are odd, columns stay with their threads.
  if (!Spec::even(args))
    work.template run<1, true>();
  else if (Spec::aligned(args))
    work.template run<Spec::lanes, true>();
  else
    work.template run<Spec::lanes, false>();
}

} // namespace sinter
