//===- Limits.h - Physical limits, measured beside each kernel --*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_BENCH_LIMITS_H
#define SINTER_BENCH_LIMITS_H

#include <cstddef>

namespace sinter::bench {

/// Runs about 50 us of independent f32 multiply-adds on vectors of `lanes` (8
/// or 16) and returns the number of operations (a multiply-add counts two).
double spinFma(int lanes);

/// Runs about 50 us of independent terms v * tanh(q + k) of f32 on vectors of
/// `lanes` (8 or 16) in registers, with tanh as kernels compute it (a quotient
/// of polynomials of degree 6 and 3), and returns the number of terms.
double spinTanh(int lanes);

/// Reads `count` floats (a multiple of 128) once.
void readAll(const float *data, size_t count);

/// Copies `count` floats (a multiple of 64).
void copyAll(float *target, const float *source, size_t count);

/// True if the processor has AVX-512 (F, BW, DQ, VL, CD: x86-64-v4).
bool hasV4();

} // namespace sinter::bench

#endif // SINTER_BENCH_LIMITS_H
