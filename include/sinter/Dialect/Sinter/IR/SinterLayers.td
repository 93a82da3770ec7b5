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
  let arguments = (ins Sinter_IndexTensor:$indices, Sinter_F32Tensor:$table);
  let results = (outs Sinter_F32Tensor:$result);
  let assemblyFormat = [{
    $indices `,` $table attr-dict `:` type($indices) `,` type($table)
  }];
}

def Sinter_LinearOp : Sinter_ShapedOp<"linear", [Pure]> {
  let summary = "Affine map of the last dimension";
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
  let arguments = (ins Sinter_F32Tensor:$input);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Sinter_LogSoftmaxOp : Sinter_NormOp<"log_softmax"> {
  let summary = "Logarithm of softmax over the last dimension";
  let arguments = (ins Sinter_F32Tensor:$input);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Sinter_LayerNormOp : Sinter_NormOp<"layer_norm"> {
  let summary = "Layer normalisation of the last dimension";
  let arguments = (ins Sinter_F32Tensor:$input, Sinter_F32Tensor:$gain,
                       Optional<Sinter_F32Tensor>:$bias, F64Attr:$eps);
  let assemblyFormat = [{
    $input `,` $gain (`,` $bias^)? `eps` `(` $eps `)` attr-dict
    `:` type($input) `,` type($gain) (`,` type($bias)^)?
  }];
}

def Sinter_RmsNormOp : Sinter_NormOp<"rms_norm"> {
  let summary = "Root mean square normalisation of the last dimension";
  let arguments = (ins Sinter_F32Tensor:$input, Sinter_F32Tensor:$gain,
                       F64Attr:$eps);
  let assemblyFormat = [{
    $input `,` $gain `eps` `(` $eps `)` attr-dict `:` type($input) `,` type($gain)
  }];
}

def Sinter_FfnOp : Sinter_ShapedOp<"ffn", [Pure, AttrSizedOperandSegments]> {
  let summary = "Feed-forward block";
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
  let arguments = (ins Sinter_F32Tensor:$input, UnitAttr:$tanh);
  let assemblyFormat = "$input (`tanh` $tanh^)? attr-dict `:` type($input)";
}

def Sinter_SiluOp : Sinter_ActivationOp<"silu"> {
  let summary = "Sigmoid linear unit";
}

def Sinter_ReluOp : Sinter_ActivationOp<"relu"> {
  let summary = "Rectified linear unit";
}

def Sinter_SigmoidOp : Sinter_ActivationOp<"sigmoid"> {
  let summary = "Logistic function";
}

#endif // SINTER_DIALECT_SINTER_IR_SINTERLAYERS
