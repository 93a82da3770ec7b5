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

class Sinter_NormOp<string mnemonic, list<Trait> traits = []>
    : Sinter_ShapedOp<mnemonic, !listconcat([Pure], traits)> {
  let results = (outs Sinter_F32Tensor:$result);
}

def Sinter_SoftmaxOp : Sinter_NormOp<"softmax"> {
  let summary = "Softmax over the last dimension";
  let description = [{
    y[..., c] = exp(x[..., c] - max) / sum_c exp(x[..., c] - max) for an input
    [..., C]. A row of minus infinity gives 0, a row with a NaN or plus infinity
    NaN. Source: ONNX Softmax.

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
    [..., C]. A row of minus infinity gives minus infinity, a row with a NaN or
    plus infinity NaN. Source: ONNX LogSoftmax.

    Constraints:
    - log_softmax_c1: the input has at least 1 dimension.

    ```mlir
    %y = sinter.log_softmax %x : tensor<?x10xf32>
    ```
  }];
  let arguments = (ins Sinter_F32Tensor:$input);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Sinter_LayerNormOp : Sinter_NormOp<"layer_norm", [AttrSizedOperandSegments]> {
  let summary = "Layer normalisation of the last dimension";
  let description = [{
    For an input [..., C], gain [C] and bias [C]

        y = (x - mean) / sqrt(mean((x - mean)^2) + eps) * gain + bias

    over the last dimension. A missing gain is 1, a missing bias 0. The variance
    is computed around the mean. A row of one element gives the bias; a row with
    an infinity or a NaN gives NaN. Source: Ba et al. 2016, ONNX
    LayerNormalization.

    Constraints:
    - layer_norm_c1: the input has at least 1 dimension.
    - layer_norm_c2: the gain is [C].
    - layer_norm_c3: the bias is [C].
    - layer_norm_c4: eps is not negative.
    - layer_norm_c5: a bias stands beside a gain.

    ```mlir
    %y = sinter.layer_norm %x, %g, %b eps(1.0e-5) : tensor<?x?x64xf32>, tensor<64xf32>, tensor<64xf32>
    %z = sinter.layer_norm %x eps(1.0e-5) : tensor<?x?x64xf32>
    ```
  }];
  let arguments = (ins Sinter_F32Tensor:$input, Optional<Sinter_F32Tensor>:$gain,
                       Optional<Sinter_F32Tensor>:$bias, F64Attr:$eps);
  let assemblyFormat = [{
    $input (`,` $gain^ (`,` $bias^)?)? `eps` `(` $eps `)` attr-dict
    `:` type($input) (`,` type($gain)^ (`,` type($bias)^)?)?
  }];
}

def Sinter_RmsNormOp : Sinter_NormOp<"rms_norm"> {
  let summary = "Root mean square normalisation of the last dimension";
  let description = [{
    For an input [..., C] and gain [C]

        y = x / sqrt(mean(x^2) + eps) * gain

    over the last dimension; with `unit_offset` the factor is 1 + gain, as Gemma
    stores it. A missing gain is 1. A row with a NaN gives NaN; one with an
    infinity gives NaN there and 0 elsewhere. Source: Zhang and Sennrich 2019,
    ONNX RMSNormalization.

    Constraints:
    - rms_norm_c1: the input has at least 1 dimension.
    - rms_norm_c2: the gain is [C].
    - rms_norm_c3: eps is not negative.
    - rms_norm_c4: `unit_offset` stands beside a gain.

    ```mlir
    %y = sinter.rms_norm %x, %g eps(1.0e-5) : tensor<?x?x64xf32>, tensor<64xf32>
    %z = sinter.rms_norm %x, %g unit_offset eps(1.0e-6) : tensor<?x?x64xf32>, tensor<64xf32>
    %w = sinter.rms_norm %x eps(1.0e-6) : tensor<?x?x64xf32>
    ```
  }];
  let arguments = (ins Sinter_F32Tensor:$input, Optional<Sinter_F32Tensor>:$gain,
                       F64Attr:$eps, UnitAttr:$unit_offset);
  let assemblyFormat = [{
    $input (`,` $gain^)? (`unit_offset` $unit_offset^)? `eps` `(` $eps `)` attr-dict
    `:` type($input) (`,` type($gain)^)?
  }];
}

def Sinter_FfnOp : Sinter_ShapedOp<"ffn", [Pure, AttrSizedOperandSegments]> {
  let summary = "Feed-forward block";
  let description = [{
    down(activation(up(x))) with up and down as in `sinter.linear`: input
    [..., K], up weight [M, K], down weight [N, M], both the other way round with
    `in_out`; biases [M] and [N], both or none. Result [..., N]. The activation is
    `relu`, `gelu`, `gelu_tanh`, `silu`, `sigmoid`, `tanh`, `identity`,
    `quick_gelu`, `relu_squared` or `mish`, each as the op of that name. Source:
    Vaswani et al. 2017.

    Constraints:
    - ffn_c1: the input has at least 1 dimension.
    - ffn_c2: the weights have 2 dimensions.
    - ffn_c3: the up weight's input size is the input's last dimension.
    - ffn_c4: the down weight's input size is the up weight's output size.
    - ffn_c5: the biases have the output sizes.
    - ffn_c6: both biases or none.

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

def Sinter_GatedFfnOp : Sinter_ShapedOp<"gated_ffn", [Pure, AttrSizedOperandSegments]> {
  let summary = "Gated feed-forward block";
  let description = [{
    down(activation(gate(x)) * up(x)) with the three maps as in `sinter.linear`:
    input [..., K], gate and up weight [M, K], down weight [N, M], all the other
    way round with `in_out`; biases [M], [M] and [N], all or none. Result
    [..., N]. Gate and up may be one weight [2 M, K] with a bias [2 M], the gate
    first. The activation is one of `sinter.ffn`: `sigmoid` is GLU, `relu`
    ReGLU, `gelu` GEGLU, `silu` SwiGLU, `identity` the bilinear layer. Source:
    Shazeer 2020.

    Operands are, in this order: input, gate, up, down; with biases input, gate
    and its bias, up and its bias, down and its bias; with one weight for gate
    and up input, gate and up, down; or input, gate and up and their bias, down
    and its bias.

    Constraints:
    - gated_ffn_c1: the input has at least 1 dimension.
    - gated_ffn_c2: the weights have 2 dimensions.
    - gated_ffn_c3: gate and up take the input's last dimension.
    - gated_ffn_c4: gate and up have the same output size.
    - gated_ffn_c5: the down weight takes that size.
    - gated_ffn_c6: the biases have the output sizes.
    - gated_ffn_c7: all biases or none.
    - gated_ffn_c8: one weight for gate and up has a constant even output size.

    ```mlir
    %y = sinter.gated_ffn %x, %gate, %up, %down silu
        : tensor<?x64xf32>, tensor<172x64xf32>, tensor<172x64xf32>, tensor<64x172xf32>
    %z = sinter.gated_ffn %x, %gate_up, %down silu
        : tensor<?x64xf32>, tensor<344x64xf32>, tensor<64x172xf32>
    ```
  }];
  let arguments = (ins Sinter_F32Tensor:$input, Sinter_F32Tensor:$gate_weight,
                       Optional<Sinter_F32Tensor>:$gate_bias,
                       Optional<Sinter_F32Tensor>:$up_weight,
                       Optional<Sinter_F32Tensor>:$up_bias,
                       Sinter_F32Tensor:$down_weight,
                       Optional<Sinter_F32Tensor>:$down_bias,
                       Sinter_Activation:$activation, UnitAttr:$in_out);
  let results = (outs Sinter_F32Tensor:$result);
  let hasCustomAssemblyFormat = 1;
}

def Sinter_DropoutOp : Sinter_ShapedOp<"dropout", [Pure]> {
  let summary = "Dropout, which does nothing after training";
  let description = [{
    y = x: training alone zeroes elements with probability `rate` and scales the
    others. Folded away. Source: Srivastava et al. 2014, ONNX Dropout.

    Constraints:
    - dropout_c1: the rate is at least 0 and below 1.

    ```mlir
    %y = sinter.dropout %x rate(0.1) : tensor<?x64xf32>
    ```
  }];
  let arguments = (ins Sinter_F32Tensor:$input, F64Attr:$rate);
  let results = (outs Sinter_F32Tensor:$result);
  let assemblyFormat = "$input `rate` `(` $rate `)` attr-dict `:` type($input)";
  let hasFolder = 1;
}

#endif // SINTER_DIALECT_SINTER_IR_SINTERLAYERS
