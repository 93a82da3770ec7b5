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
/// x sigmoid(1.702 x), the same paper.
double quickGelu(double x);
/// x tanh(softplus(x)) (Misra 2019).
double mish(double x);
/// relu(x)^2 (So et al. 2021).
double reluSquared(double x);
/// alpha x below 0, else x (Maas et al. 2013).
double leakyRelu(double x, double alpha);
/// 0 up to alpha, else x.
double thresholdedRelu(double x, double alpha);
/// alpha (exp(x) - 1) up to 0, else x (Clevert et al. 2015).
double elu(double x, double alpha);
/// alpha x + beta, limited to 0 ... 1.
double hardSigmoid(double x, double alpha, double beta);
/// x hardSigmoid(x, 1/6, 1/2) (Howard et al. 2019).
double hardSwish(double x);
/// log(1 + exp(x)) (Dugas et al. 2000).
double softplus(double x);
/// x / (1 + |x|) (Bergstra et al. 2009).
double softsign(double x);

} // namespace sinter::reference

#endif // SINTER_REFERENCE_FUNCTIONS_H
