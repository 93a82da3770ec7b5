//===- generic.cuh - A plain loop nest --------------------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread takes one point of the parallel dimensions and runs the reductions
// in their written order: right and deterministic, not tiled.
//
// Spec: threads, extents, points(args) (how many there are), place(args, flat,
// p) finds a point by its number, run(args, status, p) does its work.
//
//===----------------------------------------------------------------------===//

namespace sinter {

template <class Spec>
SINTER_DEVICE void generic(const typename Spec::Arguments &args, i64,
                           Status *status, u8 *) {
  if (isAborted(status))
    return;
  const i64 flat = i64(blockIndex()) * Spec::threads + threadIndex();
  if (flat >= Spec::points(args))
    return;
  typename Spec::Point p{};
  Spec::place(args, flat, p);
  Spec::run(args, status, p);
}

} // namespace sinter
