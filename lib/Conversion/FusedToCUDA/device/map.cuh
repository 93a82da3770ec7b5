//===- map.cuh - A loop nest of independent points --------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread takes `lanes` neighbouring points of the last dimension, so that a
// warp reads and writes whole lines.
//
// Spec: threads, lanes, rank, Point, extents, aligned; has_whole_groups: each
// thread has `lanes` points; symbols(args, p) fills in what maps need beside
// the dimensions, once per thread; limited_dim and limit(args, p): points at or
// past the limit are left out; point<N>(args, status, p) computes and stores N
// points.
//
//===----------------------------------------------------------------------===//

namespace sinter {

template <class Spec>
SINTER_DEVICE void map(const typename Spec::Arguments &args, i64,
                       Status *status, u8 *) {
  if (isAborted(status))
    return;
  constexpr int lanes = Spec::lanes,
                outer = Spec::rank > 0 ? Spec::rank - 1 : 0;
  const typename Spec::Point extents = Spec::extents(args);
  i64 end = Spec::rank > 0 ? extents[outer] : 1;
  const i64 groups = ceilDivide(end, lanes);
  const i64 flat = i64(blockIndex()) * Spec::threads + threadIndex();
  if (flat >= countPoints<outer>(extents) * groups)
    return;
  const i64 row = divide(flat, groups);
  typename Spec::Point p{};
  splitIndex<outer>(row, extents, p);
  if constexpr (Spec::limited_dim >= 0) {
    const i64 limit = Spec::limit(args, p);
    if (Spec::limited_dim == outer)
      end = limit < end ? limit : end;
    else if (p[Spec::limited_dim] >= limit)
      return;
  }
  Spec::symbols(args, p);
  p[outer] = (flat - row * groups) * lanes;
  const bool isWhole = Spec::has_whole_groups || p[outer] + lanes <= end;
  if (isWhole && Spec::aligned(args)) {
    Spec::template point<lanes>(args, status, p);
    return;
  }
  if (p[outer] + lanes < end)
    end = p[outer] + lanes;
#pragma unroll 1
  for (; p[outer] < end; ++p[outer])
    Spec::template point<1>(args, status, p);
}

} // namespace sinter
