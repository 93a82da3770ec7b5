//===- Limits.cpp - Physical limits, measured beside each kernel ----------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Limits.h"

#include <immintrin.h>

namespace sinter::bench {

/// 12 accumulators: 2 pipes x 4 cycles of latency need 8.
static constexpr int kAccumulators = 12;

__attribute__((target("avx512f"), noinline)) static double
spin512(long iterations) {
  __m512 sums[kAccumulators], a = _mm512_set1_ps(1.0001f),
                              b = _mm512_set1_ps(1e-7f);
  for (int i = 0; i < kAccumulators; ++i)
    sums[i] = _mm512_set1_ps(float(i));
  for (long k = 0; k < iterations; ++k)
#pragma clang loop unroll(full)
    for (int i = 0; i < kAccumulators; ++i) {
      sums[i] = _mm512_fmadd_ps(sums[i], a, b);
      asm volatile("" : "+v"(sums[i]));
    }
  return double(iterations) * kAccumulators * 32;
}

__attribute__((target("avx2,fma"), noinline)) static double
spin256(long iterations) {
  __m256 sums[kAccumulators], a = _mm256_set1_ps(1.0001f),
                              b = _mm256_set1_ps(1e-7f);
  for (int i = 0; i < kAccumulators; ++i)
    sums[i] = _mm256_set1_ps(float(i));
  for (long k = 0; k < iterations; ++k)
#pragma clang loop unroll(full)
    for (int i = 0; i < kAccumulators; ++i) {
      sums[i] = _mm256_fmadd_ps(sums[i], a, b);
      asm volatile("" : "+x"(sums[i]));
    }
  return double(iterations) * kAccumulators * 16;
}

double spinFma(int lanes) {
  constexpr long kIterations = 16000;
  return lanes == 16 ? spin512(kIterations) : spin256(kIterations);
}

/// Two terms at a time keep the constants in registers.
template <typename Vector>
__attribute__((always_inline)) static inline double
spinTanhOf(long iterations) {
  constexpr int kTerms = 2;
  constexpr float p[] = {-8.4889414e-14f, 5.27804579e-11f, -2.02254419e-08f,
                         1.11543642e-05f, 0.00310396172f,  0.130840151f,
                         0.999999993f};
  constexpr float q[] = {0.000254615314f, 0.0244952005f, 0.464173422f, 1.0f};
  Vector sums[kTerms] = {}, keys[kTerms] = {Vector{} - 9, Vector{} - 8};
  Vector step = Vector{} + 1e-3f, weight = Vector{} + 0.5f;
  Vector low = Vector{} - 9, high = Vector{} + 9;
  for (long k = 0; k < iterations; ++k)
#pragma clang loop unroll(full)
    for (int j = 0; j < kTerms; ++j) {
      Vector x = keys[j] += step;
      x = low > x ? low : x;
      x = high < x ? high : x;
      Vector square = x * x, above = Vector{} + p[0], below = Vector{} + q[0];
#pragma clang loop unroll(full)
      for (int i = 1; i < 7; ++i)
        above = above * square + p[i];
#pragma clang loop unroll(full)
      for (int i = 1; i < 4; ++i)
        below = below * square + q[i];
      sums[j] += weight * (above * x / below);
    }
  for (Vector &sum : sums)
    asm volatile("" ::"m"(sum));
  return double(iterations) * kTerms * (sizeof(Vector) / sizeof(float));
}

using Vector8 = float __attribute__((vector_size(32)));
using Vector16 = float __attribute__((vector_size(64)));

__attribute__((target("avx512f"), noinline)) static double
spinTanh512(long iterations) {
  return spinTanhOf<Vector16>(iterations);
}

__attribute__((target("avx2,fma"), noinline)) static double
spinTanh256(long iterations) {
  return spinTanhOf<Vector8>(iterations);
}

double spinTanh(int lanes) {
  constexpr long kIterations = 5000;
  return lanes == 16 ? spinTanh512(kIterations) : spinTanh256(kIterations);
}

__attribute__((target("avx2"), noinline)) void readAll(const float *data,
                                                       size_t count) {
  // Eight sums: enough loads in flight for every level of cache.
  __m256 sums[8] = {};
  for (size_t i = 0; i + 64 <= count; i += 64)
#pragma clang loop unroll(full)
    for (int j = 0; j < 8; ++j)
      sums[j] = _mm256_add_ps(sums[j], _mm256_loadu_ps(data + i + 8 * j));
  for (int j = 0; j < 8; ++j)
    asm volatile("" ::"x"(sums[j]));
}

__attribute__((target("avx2"), noinline)) void
copyAll(float *target, const float *source, size_t count) {
  for (size_t i = 0; i + 32 <= count; i += 32)
#pragma clang loop unroll(full)
    for (int j = 0; j < 4; ++j)
      _mm256_storeu_ps(target + i + 8 * j, _mm256_loadu_ps(source + i + 8 * j));
}

bool hasV4() {
  return __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512cd");
}

} // namespace sinter::bench
