//===- SinterLayers.td - projections, norms, feed-forward -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_SINTER_IR_SINTERLAYERS
#define SINTER_DIALECT_SINTER_IR_SINTERLAYERS

include "sinter/Dialect/Sinter/IR/SinterBase.td"

def Sinter_EmbeddingOp : Sinter_ShapedOp<"embedding", [Pure]> {
  let summary = "Rows of a table by index";
  let description = [{
    For indices [...] and a table [R, C] the result is [..., C] with
    y[..., c] = table[index[...], c]. An index given by the caller is checked
    before the entry runs; one computed inside is clamped to 0 ... R - 1.

    Constraints:
    - embedding_c1: indices are a tensor of i32 or i64.
    - embedding_c2: the table has 2 dimensions.

    ```mlir
    %x = sinter.embedding %ids, %table : tensor<?x?xi32>, tensor<512x64xf32>
    ```
  }];
  let arguments = (ins Sinter_IndexTensor:$indices, Sinter_F32Tensor:$table);
  let results = (outs Sinter_F32Tensor:$result);
  let assemblyFormat = [{
    $indices `,` $table attr-dict `:` type($indices) `,` type($table)
  }];
}

def Sinter_LinearOp : Sinter_ShapedOp<"linear", [Pure]> {
  let summary = "Affine map of the last dimension";
  let description = [{
    For an input [..., K], a weight [N, K] ([K, N] with `in_out`) and a bias [N]
    the result is [..., N] with y[..., n] = sum_k x[..., k] w[n, k] + b[n].

    Constraints:
    - linear_c1: the input has at least 1 dimension.
    - linear_c2: the weight has 2 dimensions.
    - linear_c3: its input size is the input's last dimension.
    - linear_c4: the bias is [N].

    ```mlir
    %y = sinter.linear %x, %w, %b in_out : tensor<?x?x64xf32>, tensor<64x32xf32>, tensor<32xf32>
    ```
  }];
  let arguments = (ins Sinter_F32Tensor:$input, Sinter_F32Tensor:$weight,
                       Optional<Sinter_F32Tensor>:$bias, UnitAttr:$in_out);
  let results = (outs Sinter_F32Tensor:$result);
  let assemblyFormat = [{
    $input `,` $weight (`,` $bias^)? (`in_out` $in_out^)? attr-dict
    `:` type($input) `,` type($weight) (`,` type($bias)^)?
  }];
}

def Sinter_MatmulOp : Sinter_ShapedOp<"matmul", [Pure]> {
  let summary = "Batched matrix product";
  let description = [{
    For lhs [..., M, K] and rhs [..., K, N] the result is [..., M, N] with
    y[m, n] = sum_k l[m, k] r[k, n]. A rhs of 2 dimensions serves all batches.
    With `transpose_lhs` or `transpose_rhs` that operand's last two dimensions
    are exchanged before. K = 0 gives 0.

    Constraints:
    - matmul_c1: both have at least 2 dimensions.
    - matmul_c2: rhs has 2 dimensions or as many as lhs.
    - matmul_c3: the inner sizes agree.
    - matmul_c4: the batch dimensions agree.

    ```mlir
    %s = sinter.matmul %q, %k transpose_rhs : tensor<?x8x16xf32>, tensor<?x12x16xf32>
    ```
  }];
  let arguments = (ins Sinter_F32Tensor:$lhs, Sinter_F32Tensor:$rhs,
                       UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs);
  let results = (outs Sinter_F32Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs
    oilist(`transpose_lhs` $transpose_lhs | `transpose_rhs` $transpose_rhs)
    attr-dict `:` type($lhs) `,` type($rhs)
  }];
}

class Sinter_NormOp<string mnemonic> : Sinter_ShapedOp<mnemonic, [Pure]> {
  let results = (outs Sinter_F32Tensor:$result);
}

def Sinter_SoftmaxOp : Sinter_NormOp<"softmax"> {
  let summary = "Softmax over the last dimension";
  let description = [{
    y[..., c] = exp(x[..., c] - max) / sum_c exp(x[..., c] - max) for an input
    [..., C]. A row of minus infinity gives 0.

    Constraints:
    - softmax_c1: the input has at least 1 dimension.

    ```mlir
    %y = sinter.softmax %x : tensor<?x10xf32>
    ```
  }];
  let arguments = (ins Sinter_F32Tensor:$input);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Sinter_LogSoftmaxOp : Sinter_NormOp<"log_softmax"> {
  let summary = "Logarithm of softmax over the last dimension";
  let description = [{
    y[..., c] = x[..., c] - max - log(sum_c exp(x[..., c] - max)) for an input
    [..., C]. A row of minus infinity gives minus infinity.

    Constraints:
    - log_softmax_c1: the input has at least 1 dimension.

    ```mlir
    %y = sinter.log_softmax %x : tensor<?x10xf32>
    ```
  }];
  let arguments = (ins Sinter_F32Tensor:$input);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Sinter_LayerNormOp : Sinter_NormOp<"layer_norm"> {
  let summary = "Layer normalisation of the last dimension";
  let description = [{
    For an input [..., C], gain [C] and bias [C]

        y = (x - mean) / sqrt(mean((x - mean)^2) + eps) * gain + bias

    over the last dimension. Source: Ba et al. 2016. The variance is computed
    around the mean.

    Constraints:
    - layer_norm_c1: the input has at least 1 dimension.
    - layer_norm_c2: the gain is [C].
    - layer_norm_c3: the bias is [C].
    - layer_norm_c4: eps is not negative.

    ```mlir
    %y = sinter.layer_norm %x, %g, %b eps(1.0e-5) : tensor<?x?x64xf32>, tensor<64xf32>, tensor<64xf32>
    ```
  }];
  let arguments = (ins Sinter_F32Tensor:$input, Sinter_F32Tensor:$gain,
                       Optional<Sinter_F32Tensor>:$bias, F64Attr:$eps);
  let assemblyFormat = [{
    $input `,` $gain (`,` $bias^)? `eps` `(` $eps `)` attr-dict
    `:` type($input) `,` type($gain) (`,` type($bias)^)?
  }];
}

def Sinter_RmsNormOp : Sinter_NormOp<"rms_norm"> {
  let summary = "Root mean square normalisation of the last dimension";
  let description = [{
    For an input [..., C] and gain [C]

        y = x / sqrt(mean(x^2) + eps) * gain

    over the last dimension. Source: Zhang and Sennrich 2019.

    Constraints:
    - rms_norm_c1: the input has at least 1 dimension.
    - rms_norm_c2: the gain is [C].
    - rms_norm_c3: eps is not negative.

    ```mlir
    %y = sinter.rms_norm %x, %g eps(1.0e-5) : tensor<?x?x64xf32>, tensor<64xf32>
    ```
  }];
  let arguments = (ins Sinter_F32Tensor:$input, Sinter_F32Tensor:$gain,
                       F64Attr:$eps);
  let assemblyFormat = [{
    $input `,` $gain `eps` `(` $eps `)` attr-dict `:` type($input) `,` type($gain)
  }];
}

def Sinter_FfnOp : Sinter_ShapedOp<"ffn", [Pure, AttrSizedOperandSegments]> {
  let summary = "Feed-forward block";
  let description = [{
    down(activation(up(x))) with up and down as in `sinter.linear`: input
    [..., K], up weight [M, K], down weight [N, M], both the other way round with
    `in_out`; biases [M] and [N], both or none. Result [..., N].

    Constraints:
    - ffn_c1: the input has at least 1 dimension.
    - ffn_c2: the weights have 2 dimensions.
    - ffn_c3: the up weight's input size is the input's last dimension.
    - ffn_c4: the down weight's input size is the up weight's output size.
    - ffn_c5: the biases have the output sizes.

    ```mlir
    %y = sinter.ffn %x, %w1, %b1, %w2, %b2 gelu
        : tensor<?x64xf32>, tensor<256x64xf32>, tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>
    ```
  }];
  let arguments = (ins Sinter_F32Tensor:$input, Sinter_F32Tensor:$up_weight,
                       Optional<Sinter_F32Tensor>:$up_bias,
                       Sinter_F32Tensor:$down_weight,
                       Optional<Sinter_F32Tensor>:$down_bias,
                       Sinter_Activation:$activation, UnitAttr:$in_out);
  let results = (outs Sinter_F32Tensor:$result);
  let hasCustomAssemblyFormat = 1;
}

def Sinter_GatedFfnOp : Sinter_ShapedOp<"gated_ffn", [Pure]> {
  let summary = "Gated feed-forward block";
  let description = [{
    down(activation(gate(x)) * up(x)) with the three maps as in `sinter.linear`
    without bias: input [..., K], gate and up weight [M, K], down weight [N, M],
    all the other way round with `in_out`. Result [..., N]. With `silu` it is
    SwiGLU. Source: Shazeer 2020.

    Constraints:
    - gated_ffn_c1: the input has at least 1 dimension.
    - gated_ffn_c2: the weights have 2 dimensions.
    - gated_ffn_c3: gate and up take the input's last dimension.
    - gated_ffn_c4: gate and up have the same output size.
    - gated_ffn_c5: the down weight takes that size.

    ```mlir
    %y = sinter.gated_ffn %x, %gate, %up, %down silu
        : tensor<?x64xf32>, tensor<172x64xf32>, tensor<172x64xf32>, tensor<64x172xf32>
    ```
  }];
  let arguments = (ins Sinter_F32Tensor:$input, Sinter_F32Tensor:$gate_weight,
                       Sinter_F32Tensor:$up_weight, Sinter_F32Tensor:$down_weight,
                       Sinter_Activation:$activation, UnitAttr:$in_out);
  let results = (outs Sinter_F32Tensor:$result);
  let assemblyFormat = [{
    $input `,` $gate_weight `,` $up_weight `,` $down_weight $activation
    (`in_out` $in_out^)? attr-dict `:` type($input) `,` type($gate_weight) `,`
    type($up_weight) `,` type($down_weight)
  }];
}

class Sinter_ActivationOp<string mnemonic> : Sinter_ShapedOp<mnemonic, [Pure]> {
  let arguments = (ins Sinter_F32Tensor:$input);
  let results = (outs Sinter_F32Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Sinter_GeluOp : Sinter_ActivationOp<"gelu"> {
  let summary = "Gaussian error linear unit";
  let description = [{
    y = x / 2 (1 + erf(x / sqrt 2)); with `tanh`
    y = x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))). Source: Hendrycks and
    Gimpel 2016.

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

#endif // SINTER_DIALECT_SINTER_IR_SINTERLAYERS
