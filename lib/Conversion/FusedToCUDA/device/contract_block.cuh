//===- contract_block.cuh - What a block of a contract works on -*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of a group, and where the input has them. contract.cuh says what a
// Spec tells.
//
//===----------------------------------------------------------------------===//

namespace sinter {

/// The number of groups, or of the rows of one.
template <class Spec, bool Groups>
SINTER_DEVICE i64 countRows(const typename Spec::Point &extents) {
  i64 count = 1;
#pragma unroll
  for (int d = 0; d < Spec::rank - 2; ++d)
    if ((Spec::batch_dims >> d & 1) == Groups)
      count *= extents[d];
  return count;
}

/// Writes the indices of `p` that number groups, or rows of one.
template <class Spec, bool Groups>
SINTER_DEVICE void splitRows(i64 flat, const typename Spec::Point &extents,
                             typename Spec::Point &p) {
  constexpr int dims = (1 << (Spec::rank - 2)) - 1;
  constexpr int mine = Groups ? Spec::batch_dims : dims & ~Spec::batch_dims;
#pragma unroll
  for (int d = Spec::rank - 3; d >= 0; --d) {
    if (!(mine >> d & 1))
      continue;
    const bool isFirst = (mine & ((1 << d) - 1)) == 0;
    const i64 quotient = isFirst ? 0 : divide(flat, extents[d]);
    p[d] = flat - quotient * extents[d];
    flat = quotient;
  }
}

/// What a block works on.
template <class Spec> struct ContractBlock {
  const typename Spec::Arguments &args;
  Status *status;
  float *shared;
  typename Spec::Point extents;
  /// Rows of the group, and the first of this block.
  i64 rows, row;
  i64 column, columns, depth;
  /// Group and first column; the rest is 0.
  typename Spec::Point origin;

  SINTER_DEVICE typename Spec::Point point(i64 rowNumber) const {
    typename Spec::Point p = origin;
    splitRows<Spec, false>(rowNumber, extents, p);
    return p;
  }
  SINTER_DEVICE bool isStored(const typename Spec::Point &p) const {
    if constexpr (Spec::limited_dim >= 0)
      return p[Spec::limited_dim] < Spec::limit(args, p);
    return true;
  }
};

/// Whether rows of the input may be read 4 numbers at a time.
template <class Spec>
SINTER_DEVICE bool isInputWide(const ContractBlock<Spec> &block) {
  return Spec::Input::lanes >= 4 && Spec::Input::aligned(block.args) &&
         (Spec::has_whole_depth || block.depth % 4 == 0);
}

/// Whether a weight may be read 4 numbers along k at a time: what is turned on
/// its way, so that its columns become neighbours.
template <class Spec, class Segment, int Number>
SINTER_DEVICE bool isTurned(const ContractBlock<Spec> &block) {
  if constexpr (Segment::depth_is_fastest) {
    using Weight = TypeAt<Number, typename Segment::TurnedWeights>;
    return Weight::lanes >= 4 && Weight::aligned(block.args) &&
           (Spec::has_whole_depth || block.depth % 4 == 0);
  }
  return false;
}

/// Where the input lies of a row, or that it has none to multiply.
struct InputRow {
  const float *address;
  i64 isValid;
};

template <class Spec>
SINTER_DEVICE const float *inputAt(const typename Spec::Arguments &args,
                                   typename Spec::Point p, i64 k) {
  p[Spec::rank - 1] = k;
  return Spec::Input::at(args, p);
}

} // namespace sinter
