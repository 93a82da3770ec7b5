//===- math.cuh - Scalar functions of regions -------------------*- C++ -*-===//
//
// What the operations of regions mean where C++ has no operator of just that
// meaning. Functions of floats come for float and double; those of integers
// for every width, and wrap around. Functions that NVRTC knows and that need no
// stack are its own.
//
//===----------------------------------------------------------------------===//

namespace sinter {

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

SINTER_DEVICE float absolute(float x) { return fabsf(x); }
SINTER_DEVICE double absolute(double x) { return fabs(x); }
SINTER_DEVICE float squareRoot(float x) { return sqrtf(x); }
SINTER_DEVICE double squareRoot(double x) { return sqrt(x); }
SINTER_DEVICE float floor(float x) { return floorf(x); }
SINTER_DEVICE double floor(double x) { return ::floor(x); }
SINTER_DEVICE float ceil(float x) { return ceilf(x); }
SINTER_DEVICE double ceil(double x) { return ::ceil(x); }
SINTER_DEVICE float trunc(float x) { return truncf(x); }
SINTER_DEVICE double trunc(double x) { return ::trunc(x); }
/// To the nearest, halves away from 0.
SINTER_DEVICE float round(float x) { return roundf(x); }
SINTER_DEVICE double round(double x) { return ::round(x); }
/// To the nearest, halves to even.
SINTER_DEVICE float roundEven(float x) { return rintf(x); }
SINTER_DEVICE double roundEven(double x) { return rint(x); }
SINTER_DEVICE float copySign(float x, float y) { return copysignf(x, y); }
SINTER_DEVICE double copySign(double x, double y) { return copysign(x, y); }
SINTER_DEVICE float multiplyAdd(float a, float b, float c) {
  return fmaf(a, b, c);
}
SINTER_DEVICE double multiplyAdd(double a, double b, double c) {
  return fma(a, b, c);
}
/// The sign is that of `a`.
SINTER_DEVICE float remainder(float a, float b) { return fmodf(a, b); }
SINTER_DEVICE double remainder(double a, double b) { return fmod(a, b); }

SINTER_DEVICE float exp(float x) { return expf(x); }
SINTER_DEVICE double exp(double x) { return ::exp(x); }
SINTER_DEVICE float exp2(float x) { return exp2f(x); }
SINTER_DEVICE double exp2(double x) { return ::exp2(x); }
SINTER_DEVICE float expm1(float x) { return expm1f(x); }
SINTER_DEVICE double expm1(double x) { return ::expm1(x); }
SINTER_DEVICE float log(float x) { return logf(x); }
SINTER_DEVICE double log(double x) { return ::log(x); }
SINTER_DEVICE float log2(float x) { return log2f(x); }
SINTER_DEVICE double log2(double x) { return ::log2(x); }
SINTER_DEVICE float log10(float x) { return log10f(x); }
SINTER_DEVICE double log10(double x) { return ::log10(x); }
SINTER_DEVICE float log1p(float x) { return log1pf(x); }
SINTER_DEVICE double log1p(double x) { return ::log1p(x); }
SINTER_DEVICE float power(float x, float y) { return powf(x, y); }
SINTER_DEVICE double power(double x, double y) { return pow(x, y); }
SINTER_DEVICE float cubeRoot(float x) { return cbrtf(x); }
SINTER_DEVICE double cubeRoot(double x) { return cbrt(x); }
SINTER_DEVICE float errorFunction(float x) { return erff(x); }
SINTER_DEVICE double errorFunction(double x) { return erf(x); }

SINTER_DEVICE float asin(float x) { return asinf(x); }
SINTER_DEVICE double asin(double x) { return ::asin(x); }
SINTER_DEVICE float acos(float x) { return acosf(x); }
SINTER_DEVICE double acos(double x) { return ::acos(x); }
SINTER_DEVICE float atan(float x) { return atanf(x); }
SINTER_DEVICE double atan(double x) { return ::atan(x); }
SINTER_DEVICE float atan2(float y, float x) { return atan2f(y, x); }
SINTER_DEVICE double atan2(double y, double x) { return ::atan2(y, x); }
SINTER_DEVICE float sinh(float x) { return sinhf(x); }
SINTER_DEVICE double sinh(double x) { return ::sinh(x); }
SINTER_DEVICE float cosh(float x) { return coshf(x); }
SINTER_DEVICE double cosh(double x) { return ::cosh(x); }
SINTER_DEVICE float tanh(float x) { return tanhf(x); }
SINTER_DEVICE double tanh(double x) { return ::tanh(x); }
SINTER_DEVICE float asinh(float x) { return asinhf(x); }
SINTER_DEVICE double asinh(double x) { return ::asinh(x); }
SINTER_DEVICE float acosh(float x) { return acoshf(x); }
SINTER_DEVICE double acosh(double x) { return ::acosh(x); }
SINTER_DEVICE float atanh(float x) { return atanhf(x); }
SINTER_DEVICE double atanh(double x) { return ::atanh(x); }

template <class T> SINTER_DEVICE T reciprocalRoot(T x) {
  return T(1) / squareRoot(x);
}
template <class T> SINTER_DEVICE T sigmoid(T x) {
  return T(1) / (T(1) + exp(-x));
}

template <class T> SINTER_DEVICE bool isNan(T x) { return x != x; }
template <class T> SINTER_DEVICE bool isInfinite(T x) {
  return absolute(x) == bitCast<float>(0x7f800000u);
}
template <class T> SINTER_DEVICE bool isFinite(T x) {
  return absolute(x) < bitCast<float>(0x7f800000u);
}

/// A NaN wins.
template <class T> SINTER_DEVICE T maximum(T a, T b) {
  return a != a || a > b ? a : b;
}
template <class T> SINTER_DEVICE T minimum(T a, T b) {
  return a != a || a < b ? a : b;
}
/// A number wins.
template <class T> SINTER_DEVICE T maximumNumber(T a, T b) {
  return b != b || a > b ? a : b;
}
template <class T> SINTER_DEVICE T minimumNumber(T a, T b) {
  return b != b || a < b ? a : b;
}
/// A NaN stays one.
template <class T> SINTER_DEVICE T clamp(T x, T low, T high) {
  const T above = low > x ? low : x;
  return high < above ? high : above;
}

//===----------------------------------------------------------------------===//
// Angles: the builtins' way of reducing large ones needs a stack
//===----------------------------------------------------------------------===//

/// sin(x + quarters pi/2); NaN for an angle that is too large.
SINTER_DEVICE double sine(double x, int quarters) {
  const double n = rint(x * 0.6366197723675814);
  // pi/2 in four parts; the first three have 22 bits, so that their products
  // with n up to 2^31 are exact.
  double r = x - n * 1.570796012878418;
  r = r - n * 3.139164164167596e-07;
  r = r - n * 6.223371969669989e-14;
  r = r - n * 2.0222662487959506e-21;
  const double z = r * r;
  // Taylor's series: on [-pi/4, pi/4] what is left out is below 2^-60.
  double s = 1.0 / 355687428096000.0;
  s = fma(s, z, -1.0 / 1307674368000.0);
  s = fma(s, z, 1.0 / 6227020800.0);
  s = fma(s, z, -1.0 / 39916800.0);
  s = fma(s, z, 1.0 / 362880.0);
  s = fma(s, z, -1.0 / 5040.0);
  s = fma(s, z, 1.0 / 120.0);
  s = fma(s, z, -1.0 / 6.0);
  s = fma(s * z, r, r);
  double c = 1.0 / 20922789888000.0;
  c = fma(c, z, -1.0 / 87178291200.0);
  c = fma(c, z, 1.0 / 479001600.0);
  c = fma(c, z, -1.0 / 3628800.0);
  c = fma(c, z, 1.0 / 40320.0);
  c = fma(c, z, -1.0 / 720.0);
  c = fma(c, z, 1.0 / 24.0);
  c = fma(c, z, -0.5);
  c = fma(c, z, 1.0);
  // n mod 4 in floats, so that no angle is out of range.
  const double turned = n + quarters;
  const double quarter = turned - 4.0 * ::floor(turned * 0.25);
  const double value = quarter == 1.0 || quarter == 3.0 ? c : s;
  const double result = quarter >= 2.0 ? -value : value;
  // Beyond, the reduction is not exact, and no double holds an angle well.
  return fabs(x) <= 3.0e9 ? result : bitCast<double>(u64(0x7ff8000000000000));
}

template <class T> SINTER_DEVICE T sin(T x) {
  return static_cast<T>(sine(x, 0));
}
template <class T> SINTER_DEVICE T cos(T x) {
  return static_cast<T>(sine(x, 1));
}
template <class T> SINTER_DEVICE T tan(T x) {
  return static_cast<T>(sine(x, 0) / sine(x, 1));
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

template <class T> struct UnsignedOf;
template <> struct UnsignedOf<i8> {
  using Type = u8;
};
template <> struct UnsignedOf<i16> {
  using Type = u16;
};
template <> struct UnsignedOf<i32> {
  using Type = u32;
};
template <> struct UnsignedOf<i64> {
  using Type = u64;
};
template <class T> using Unsigned = typename UnsignedOf<T>::Type;
template <class T> inline constexpr int bitsOf = 8 * sizeof(T);

/// The number that the bits are without a sign.
template <class T> SINTER_DEVICE Unsigned<T> bare(T x) {
  return static_cast<Unsigned<T>>(x);
}
SINTER_DEVICE u8 bare(bool x) { return x; }
/// An i1 with a sign is 0 or -1.
SINTER_DEVICE i8 withSign(bool x) { return x ? -1 : 0; }

// In 64 bits without a sign everything wraps around and nothing is promoted.
template <class T> SINTER_DEVICE T add(T a, T b) {
  return static_cast<T>(static_cast<u64>(a) + static_cast<u64>(b));
}
template <class T> SINTER_DEVICE T subtract(T a, T b) {
  return static_cast<T>(static_cast<u64>(a) - static_cast<u64>(b));
}
template <class T> SINTER_DEVICE T multiply(T a, T b) {
  return static_cast<T>(static_cast<u64>(a) * static_cast<u64>(b));
}
template <> SINTER_DEVICE i32 add(i32 a, i32 b) {
  return static_cast<i32>(bare(a) + bare(b));
}
template <> SINTER_DEVICE i32 subtract(i32 a, i32 b) {
  return static_cast<i32>(bare(a) - bare(b));
}
template <> SINTER_DEVICE i32 multiply(i32 a, i32 b) {
  return static_cast<i32>(bare(a) * bare(b));
}

template <class T> SINTER_DEVICE T largerSigned(T a, T b) {
  return a > b ? a : b;
}
template <class T> SINTER_DEVICE T smallerSigned(T a, T b) {
  return a < b ? a : b;
}
template <class T> SINTER_DEVICE T largerBare(T a, T b) {
  return bare(a) > bare(b) ? a : b;
}
template <class T> SINTER_DEVICE T smallerBare(T a, T b) {
  return bare(a) < bare(b) ? a : b;
}
template <class T> SINTER_DEVICE T magnitude(T x) {
  return x < 0 ? subtract(T(0), x) : x;
}

/// Toward 0. A divisor of 0 counts as 1; the least number by -1 wraps.
template <class T> SINTER_DEVICE T divideSigned(T a, T b) {
  if (b == -1)
    return subtract(T(0), a);
  return b == 0 ? a : static_cast<T>(a / b);
}
template <class T> SINTER_DEVICE T divideBare(T a, T b) {
  return b == 0 ? a : static_cast<T>(bare(a) / bare(b));
}
template <class T> SINTER_DEVICE T remainderSigned(T a, T b) {
  return b == 0 || b == -1 ? T(0) : static_cast<T>(a % b);
}
template <class T> SINTER_DEVICE T remainderBare(T a, T b) {
  return b == 0 ? T(0) : static_cast<T>(bare(a) % bare(b));
}
template <class T> SINTER_DEVICE T divideFloor(T a, T b) {
  const T q = divideSigned(a, b);
  const bool off = subtract(a, multiply(q, b)) != 0;
  return off && (a ^ b) < 0 ? subtract(q, T(1)) : q;
}
template <class T> SINTER_DEVICE T divideCeil(T a, T b) {
  const T q = divideSigned(a, b);
  const bool off = subtract(a, multiply(q, b)) != 0;
  return off && (a ^ b) >= 0 ? add(q, T(1)) : q;
}
template <class T> SINTER_DEVICE T divideCeilBare(T a, T b) {
  const T q = divideBare(a, b);
  return subtract(a, multiply(q, b)) != 0 ? add(q, T(1)) : q;
}

/// A shift by the width or more leaves nothing, or the sign.
template <class T> SINTER_DEVICE T shiftLeft(T a, T b) {
  return bare(b) < bitsOf<T> ? static_cast<T>(static_cast<u64>(a) << bare(b))
                             : T(0);
}
template <class T> SINTER_DEVICE T shiftRight(T a, T b) {
  const int amount = bare(b) < bitsOf<T> ? static_cast<int>(b) : bitsOf<T> - 1;
  return static_cast<T>(a >> amount);
}
template <class T> SINTER_DEVICE T shiftRightBare(T a, T b) {
  return bare(b) < bitsOf<T> ? static_cast<T>(bare(a) >> bare(b)) : T(0);
}

template <class T> SINTER_DEVICE T countOnes(T x) {
  u64 bits = bare(x);
  bits -= (bits >> 1) & 0x5555555555555555ull;
  bits = (bits & 0x3333333333333333ull) + ((bits >> 2) & 0x3333333333333333ull);
  bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0full;
  return static_cast<T>((bits * 0x0101010101010101ull) >> 56);
}
template <class T> SINTER_DEVICE T countLeadingZeros(T x) {
  u64 bits = bare(x);
#pragma unroll
  for (int shift = 1; shift < bitsOf<T>; shift *= 2)
    bits |= bits >> shift;
  return static_cast<T>(bitsOf<T> - countOnes(static_cast<i64>(bits)));
}
template <class T> SINTER_DEVICE T countTrailingZeros(T x) {
  const u64 bits = bare(x);
  return bits == 0 ? static_cast<T>(bitsOf<T>)
                   : static_cast<T>(
                         countOnes(static_cast<i64>((bits & (0 - bits)) - 1)));
}

} // namespace sinter
