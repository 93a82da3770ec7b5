//===- Functions.h - Real functions by their formulas -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_REFERENCE_FUNCTIONS_H
#define SINTER_REFERENCE_FUNCTIONS_H

namespace sinter::reference {

/// 1 / (1 + exp(-x)).
double sigmoid(double x);
/// max(x, 0); NaN stays NaN.
double relu(double x);
/// x sigmoid(x) (Elfwing et al. 2017).
double silu(double x);
/// x Phi(x) with the exact normal distribution (Hendrycks and Gimpel 2016).
double gelu(double x);
/// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), the same paper.
double geluTanh(double x);

} // namespace sinter::reference

#endif // SINTER_REFERENCE_FUNCTIONS_H
