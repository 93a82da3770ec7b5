//===- views.cuh - Tensors as kernels see them ------------------*- C++ -*-===//
//
// A printed Spec describes each access by a struct with Element, Scalar, along,
// step, lanes, aligned(args) and at(args, point); SpecPrinter.h says what they
// are. Loads convert to Scalar, stores round to Element.
//
//===----------------------------------------------------------------------===//

namespace sinter {

/// An element of type i1: a byte.
struct boolean {
  u8 bits;
};

/// Indices of a point, or of an element.
template <int N> struct Indices {
  i64 at[N > 0 ? N : 1];
  SINTER_DEVICE i64 &operator[](int i) { return at[i]; }
  SINTER_DEVICE const i64 &operator[](int i) const { return at[i]; }
};

/// Numbers of N neighbouring points, in registers.
template <class T, int N> struct Lanes {
  T at[N];
  SINTER_DEVICE T &operator[](int i) { return at[i]; }
  SINTER_DEVICE const T &operator[](int i) const { return at[i]; }
};

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

template <class T> SINTER_DEVICE T decode(T stored) { return stored; }
SINTER_DEVICE bool decode(boolean stored) { return stored.bits != 0; }
SINTER_DEVICE float decode(f16 stored) { return toFloat(stored); }
SINTER_DEVICE float decode(bf16 stored) { return toFloat(stored); }

template <class Element> struct Encode {
  template <class T> SINTER_DEVICE static Element of(T value) {
    return static_cast<Element>(value);
  }
};
template <> struct Encode<boolean> {
  SINTER_DEVICE static boolean of(bool value) {
    return boolean{static_cast<u8>(value)};
  }
};
template <> struct Encode<f16> {
  SINTER_DEVICE static f16 of(float value) { return toF16(value); }
};
template <> struct Encode<bf16> {
  SINTER_DEVICE static bf16 of(float value) { return toBf16(value); }
};

// Defined as 1 where what is compiled is only looked at (test/Gates): the code
// for other addresses is left out.
#ifndef SINTER_ALIGNED
#define SINTER_ALIGNED 0
#endif

/// Whether an address allows accesses of N bytes.
template <i64 N> SINTER_DEVICE bool isMultiple(i64 address) {
  return SINTER_ALIGNED || address % N == 0;
}

/// Elements that one access of N lanes moves: at most 16 bytes.
template <class Element, int N>
inline constexpr int packLanes =
    N * sizeof(Element) <= 16 ? N : 16 / sizeof(Element);

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// The numbers of N points from `p` along the access's dimension. Wide accesses
/// are used where the access allows N lanes; callers see to it that N divides
/// the point's index and that `Access::aligned(args)` holds, or say that it
/// does not (Wide).
template <int N, class Access, bool Wide = true, class Args, class Point>
SINTER_DEVICE Lanes<typename Access::Scalar, N> load(const Args &args,
                                                     const Point &p) {
  using Element = typename Access::Element;
  Lanes<typename Access::Scalar, N> result;
  if constexpr (N > 1 && Wide && Access::lanes >= N) {
    constexpr int width = packLanes<Element, N>;
    const auto *packs =
        reinterpret_cast<const Pack<Element, width> *>(Access::at(args, p));
#pragma unroll
    for (int i = 0; i < N / width; ++i) {
      const Pack<Element, width> pack = loadGlobal(packs + i);
#pragma unroll
      for (int l = 0; l < width; ++l)
        result[i * width + l] = decode(pack.lane[l]);
    }
  } else if constexpr (N > 1 && Access::step == 0) {
    const auto value =
        decode(loadGlobal(static_cast<const Element *>(Access::at(args, p))));
#pragma unroll
    for (int l = 0; l < N; ++l)
      result[l] = value;
  } else {
    Point q = p;
#pragma unroll
    for (int l = 0; l < N; ++l) {
      if constexpr (N > 1)
        q[Access::along] = p[Access::along] + l;
      result[l] =
          decode(loadGlobal(static_cast<const Element *>(Access::at(args, q))));
    }
  }
  return result;
}

/// The number of one point.
template <class Access, class Args, class Point>
SINTER_DEVICE typename Access::Scalar loadOne(const Args &args,
                                              const Point &p) {
  return decode(loadGlobal(
      static_cast<const typename Access::Element *>(Access::at(args, p))));
}

/// Writes the numbers of N points; as `load`.
template <int N, class Access, bool Wide = true, class Args, class Point,
          class T>
SINTER_DEVICE void store(const Args &args, const Point &p,
                         const Lanes<T, N> &values) {
  using Element = typename Access::Element;
  if constexpr (N > 1 && Wide && Access::lanes >= N) {
    constexpr int width = packLanes<Element, N>;
    auto *packs = reinterpret_cast<Pack<Element, width> *>(Access::at(args, p));
#pragma unroll
    for (int i = 0; i < N / width; ++i) {
      Pack<Element, width> pack;
#pragma unroll
      for (int l = 0; l < width; ++l)
        pack.lane[l] = Encode<Element>::of(values[i * width + l]);
      storeGlobal(packs + i, pack);
    }
  } else {
    Point q = p;
#pragma unroll
    for (int l = 0; l < N; ++l) {
      if constexpr (N > 1)
        q[Access::along] = p[Access::along] + l;
      storeGlobal(Access::at(args, q), Encode<Element>::of(values[l]));
    }
  }
}

template <class Access, class Args, class Point, class T>
SINTER_DEVICE void storeOne(const Args &args, const Point &p, T value) {
  storeGlobal(Access::at(args, p), Encode<typename Access::Element>::of(value));
}

/// What fused.read does: each index is clamped to the table, a table without
/// elements reads as 0. Sets `clamped` where an index was outside.
template <class Table, class Args>
SINTER_DEVICE typename Table::Scalar
readClamped(const Args &args, Indices<Table::rank> index, bool &clamped) {
  const Indices<Table::rank> extents = Table::extents(args);
  bool hasElements = true;
#pragma unroll
  for (int d = 0; d < Table::rank; ++d) {
    const i64 last = extents[d] - 1;
    const i64 inside = index[d] < 0 ? 0 : index[d] > last ? last : index[d];
    clamped |= inside != index[d];
    hasElements &= last >= 0;
    index[d] = inside;
  }
  if (!hasElements)
    return typename Table::Scalar(0);
  return decode(loadGlobal(
      static_cast<const typename Table::Element *>(Table::at(args, index))));
}

/// What `readClamped` gives at N neighbours along the last index, which N
/// divides. Wide as of `load`.
template <int N, class Table, bool Wide, class Args>
SINTER_DEVICE Lanes<typename Table::Scalar, N>
gather(const Args &args, Indices<Table::rank> index, bool &clamped) {
  using Element = typename Table::Element;
  constexpr int last = Table::rank - 1;
  Lanes<typename Table::Scalar, N> result;
  if constexpr (N > 1 && Wide && Table::lanes >= N) {
    const Indices<Table::rank> extents = Table::extents(args);
    Indices<Table::rank> place = index;
    bool isInside = index[last] >= 0 && index[last] + N <= extents[last];
#pragma unroll
    for (int d = 0; d < last; ++d) {
      const i64 end = extents[d] - 1;
      place[d] = index[d] < 0 ? 0 : index[d] > end ? end : index[d];
      clamped |= place[d] != index[d];
      isInside &= end >= 0;
    }
    if (isInside) {
      constexpr int width = packLanes<Element, N>;
      const auto *packs = reinterpret_cast<const Pack<Element, width> *>(
          Table::at(args, place));
#pragma unroll
      for (int i = 0; i < N / width; ++i) {
        const Pack<Element, width> pack = loadGlobal(packs + i);
#pragma unroll
        for (int l = 0; l < width; ++l)
          result[i * width + l] = decode(pack.lane[l]);
      }
      return result;
    }
  }
#pragma unroll
  for (int l = 0; l < N; ++l) {
    Indices<Table::rank> at = index;
    at[last] += l;
    result[l] = readClamped<Table>(args, at, clamped);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Whether a check of this call has failed: then no kernel writes anything.
SINTER_DEVICE bool isAborted(const Status *status) {
  return loadRelaxed(&status->abort) != 0;
}

/// Tells the caller that a reported read was clamped.
SINTER_DEVICE void reportClamp(Status *status) {
  storeRelaxed(&status->notice, 1);
}

/// a / b of non-negative numbers. Most fit in 32 bits, for which the hardware
/// needs a fifth of the instructions.
SINTER_DEVICE i64 divide(i64 a, i64 b) {
  if (((a | b) >> 32) == 0)
    return static_cast<u32>(a) / static_cast<u32>(b);
  return a / b;
}

SINTER_DEVICE i64 ceilDivide(i64 a, i64 b) { return divide(a + b - 1, b); }

/// The product of the first `count` extents.
template <int Count, class Point>
SINTER_DEVICE i64 countPoints(const Point &extents) {
  i64 count = 1;
#pragma unroll
  for (int d = 0; d < Count; ++d)
    count *= extents[d];
  return count;
}

/// Writes the first `Count` indices of `p` for the number `flat` of a point,
/// the last of them running fastest.
template <int Count, class Point>
SINTER_DEVICE void splitIndex(i64 flat, const Point &extents, Point &p) {
#pragma unroll
  for (int d = Count - 1; d > 0; --d) {
    const i64 quotient = divide(flat, extents[d]);
    p[d] = flat - quotient * extents[d];
    flat = quotient;
  }
  if (Count > 0)
    p[0] = flat;
}

} // namespace sinter
