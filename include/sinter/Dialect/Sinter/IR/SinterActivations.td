//===- SinterActivations.td - element-wise non-linearities ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_SINTER_IR_SINTERACTIVATIONS
#define SINTER_DIALECT_SINTER_IR_SINTERACTIVATIONS

include "sinter/Dialect/Sinter/IR/SinterBase.td"

/// An op on tensors that works element by element. NaN gives NaN.
class Sinter_ActivationOp<string mnemonic>
    : Sinter_ShapedOp<mnemonic, !listconcat([Pure], ElementwiseMappable.traits)> {
  let arguments = (ins Sinter_F32Tensor:$input);
  let results = (outs Sinter_F32Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

/// One with a number.
class Sinter_AlphaOp<string mnemonic> : Sinter_ActivationOp<mnemonic> {
  let arguments = (ins Sinter_F32Tensor:$input, F64Attr:$alpha);
  let assemblyFormat = "$input `alpha` `(` $alpha `)` attr-dict `:` type($input)";
}

def Sinter_GeluOp : Sinter_ActivationOp<"gelu"> {
  let summary = "Gaussian error linear unit";
  let description = [{
    y = x / 2 (1 + erf(x / sqrt 2)); with `tanh`
    y = x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))). Minus infinity
    gives 0. Source: Hendrycks and Gimpel 2016.

    ```mlir
    %y = sinter.gelu %x tanh : tensor<?x64xf32>
    ```
  }];
  let arguments = (ins Sinter_F32Tensor:$input, UnitAttr:$tanh);
  let assemblyFormat = "$input (`tanh` $tanh^)? attr-dict `:` type($input)";
}

def Sinter_SiluOp : Sinter_ActivationOp<"silu"> {
  let summary = "Sigmoid linear unit";
  let description = [{
    y = x / (1 + exp(-x)). Minus infinity gives 0. Source: Elfwing et al. 2017.

    ```mlir
    %y = sinter.silu %x : tensor<?x64xf32>
    ```
  }];
}

def Sinter_ReluOp : Sinter_ActivationOp<"relu"> {
  let summary = "Rectified linear unit";
  let description = [{
    y = x if x > 0, NaN if x is NaN, else 0.

    ```mlir
    %y = sinter.relu %x : tensor<?x64xf32>
    ```
  }];
}

def Sinter_SigmoidOp : Sinter_ActivationOp<"sigmoid"> {
  let summary = "Logistic function";
  let description = [{
    y = 1 / (1 + exp(-x)).

    ```mlir
    %y = sinter.sigmoid %x : tensor<?x64xf32>
    ```
  }];
}

def Sinter_QuickGeluOp : Sinter_ActivationOp<"quick_gelu"> {
  let summary = "Sigmoid approximation of GELU";
  let description = [{
    y = x / (1 + exp(-1.702 x)). Minus infinity gives 0. Source: Hendrycks and
    Gimpel 2016.

    ```mlir
    %y = sinter.quick_gelu %x : tensor<?x64xf32>
    ```
  }];
}

def Sinter_MishOp : Sinter_ActivationOp<"mish"> {
  let summary = "Self-regularised non-monotonic unit";
  let description = [{
    y = x tanh(log(1 + exp(x))). Minus infinity gives 0. Source: Misra 2019.

    ```mlir
    %y = sinter.mish %x : tensor<?x64xf32>
    ```
  }];
}

def Sinter_ReluSquaredOp : Sinter_ActivationOp<"relu_squared"> {
  let summary = "Square of the rectified linear unit";
  let description = [{
    y = x^2 if x > 0, NaN if x is NaN, else 0. Source: So et al. 2021 (Primer).

    ```mlir
    %y = sinter.relu_squared %x : tensor<?x64xf32>
    ```
  }];
}

def Sinter_LeakyReluOp : Sinter_AlphaOp<"leaky_relu"> {
  let summary = "Rectified linear unit with a slope below 0";
  let description = [{
    y = alpha x if x < 0, else x. Source: Maas et al. 2013, ONNX LeakyRelu.

    Constraints:
    - leaky_relu_c1: alpha is finite.

    ```mlir
    %y = sinter.leaky_relu %x alpha(0.01) : tensor<?x64xf32>
    ```
  }];
}

def Sinter_ThresholdedReluOp : Sinter_AlphaOp<"thresholded_relu"> {
  let summary = "Rectified linear unit with a threshold";
  let description = [{
    y = x if x > alpha, NaN if x is NaN, else 0. Source: ONNX ThresholdedRelu.

    Constraints:
    - thresholded_relu_c1: alpha is finite.

    ```mlir
    %y = sinter.thresholded_relu %x alpha(1.0) : tensor<?x64xf32>
    ```
  }];
}

def Sinter_EluOp : Sinter_AlphaOp<"elu"> {
  let summary = "Exponential linear unit";
  let description = [{
    y = x if x > 0, else alpha (exp(x) - 1). Source: Clevert et al. 2015, ONNX
    Elu.

    Constraints:
    - elu_c1: alpha is finite.

    ```mlir
    %y = sinter.elu %x alpha(1.0) : tensor<?x64xf32>
    ```
  }];
}

def Sinter_HardSigmoidOp : Sinter_ActivationOp<"hard_sigmoid"> {
  let summary = "Piecewise linear logistic function";
  let description = [{
    y = max(0, min(1, alpha x + beta)). ONNX's default is alpha 0.2, beta 0.5;
    PyTorch's is 1/6 and 0.5. Source: ONNX HardSigmoid.

    Constraints:
    - hard_sigmoid_c1: alpha and beta are finite.

    ```mlir
    %y = sinter.hard_sigmoid %x alpha(0.2) beta(0.5) : tensor<?x64xf32>
    ```
  }];
  let arguments = (ins Sinter_F32Tensor:$input, F64Attr:$alpha, F64Attr:$beta);
  let assemblyFormat = [{
    $input `alpha` `(` $alpha `)` `beta` `(` $beta `)` attr-dict `:` type($input)
  }];
}

def Sinter_HardSwishOp : Sinter_ActivationOp<"hard_swish"> {
  let summary = "Piecewise linear sigmoid linear unit";
  let description = [{
    y = x max(0, min(1, x / 6 + 1/2)). Minus infinity gives 0. Source: Howard et
    al. 2019, ONNX HardSwish.

    ```mlir
    %y = sinter.hard_swish %x : tensor<?x64xf32>
    ```
  }];
}

def Sinter_SoftplusOp : Sinter_ActivationOp<"softplus"> {
  let summary = "Smooth rectified linear unit";
  let description = [{
    y = log(1 + exp(x)), computed as max(x, 0) + log(1 + exp(-|x|)). Source:
    Dugas et al. 2000, ONNX Softplus.

    ```mlir
    %y = sinter.softplus %x : tensor<?x64xf32>
    ```
  }];
}

def Sinter_SoftsignOp : Sinter_ActivationOp<"softsign"> {
  let summary = "Rational sigmoid";
  let description = [{
    y = x / (1 + |x|). An infinity gives NaN. Source: Bergstra et al. 2009, ONNX
    Softsign.

    ```mlir
    %y = sinter.softsign %x : tensor<?x64xf32>
    ```
  }];
}

#endif // SINTER_DIALECT_SINTER_IR_SINTERACTIVATIONS
