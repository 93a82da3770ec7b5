//===- primitives_numbers.cuh - Instructions on numbers ---------*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Approximations of the special function unit, and conversions.
//
//===----------------------------------------------------------------------===//

namespace sinter {

// ex2 is 2^x with the special function unit: error 2^-22 relative, subnormal
// inputs and results are 0. rsqrtApprox is 1/sqrt(x), error 2^-22 relative.
// toF16 and toBf16 round to nearest, ties to even; NaN becomes 0x7fff.

#ifdef __CUDACC_RTC__

SINTER_DEVICE float ex2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
SINTER_DEVICE float rsqrtApprox(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
SINTER_DEVICE float toFloat(f16 x) {
  float y;
  asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));
  return y;
}
SINTER_DEVICE f16 toF16(float x) {
  f16 y;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
  return y;
}
SINTER_DEVICE bf16 toBf16(float x) {
  bf16 y;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
  return y;
}

#else

namespace emulation {
/// Subnormal numbers become zeros of their sign.
inline float flush(float x) {
  return fabsf(x) < 0x1p-126f ? copysignf(0.0f, x) : x;
}
} // namespace emulation

SINTER_DEVICE float ex2(float x) {
  return emulation::flush(exp2f(emulation::flush(x)));
}
SINTER_DEVICE float rsqrtApprox(float x) {
  return 1.0f / sqrtf(emulation::flush(x));
}
SINTER_DEVICE float toFloat(f16 x) { return bitCast<_Float16>(x.bits); }
SINTER_DEVICE f16 toF16(float x) {
  return f16{x != x ? u16(0x7fff) : bitCast<u16>(static_cast<_Float16>(x))};
}
SINTER_DEVICE bf16 toBf16(float x) {
  u32 bits = bitCast<u32>(x);
  return bf16{x != x ? u16(0x7fff)
                     : u16((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

#endif

SINTER_DEVICE float toFloat(bf16 x) {
  return bitCast<float>(static_cast<u32>(x.bits) << 16);
}

} // namespace sinter
