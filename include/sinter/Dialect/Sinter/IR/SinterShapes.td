//===- SinterShapes.td - moving data between shapes -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_SINTER_IR_SINTERSHAPES
#define SINTER_DIALECT_SINTER_IR_SINTERSHAPES

include "sinter/Dialect/Sinter/IR/SinterBase.td"

def Sinter_SplitOp : Sinter_ShapedOp<"split", [Pure]> {
  let summary = "Cut the last dimension into pieces";
  let description = [{
    The last dimension of [..., C] is cut into pieces of the given sizes, in
    order.

    Constraints:
    - split_c1: the input has at least 1 dimension.
    - split_c2: no size is negative.
    - split_c3: the sizes add up to C, which is constant.

    ```mlir
    %a, %b = sinter.split %x [128, 64] : tensor<?x192xf32>
    ```
  }];
  let arguments = (ins Sinter_ModelTensor:$input, DenseI64ArrayAttr:$sizes);
  let results = (outs Variadic<Sinter_ModelTensor>:$results);
  let assemblyFormat = "$input $sizes attr-dict `:` type($input)";
}

def Sinter_LastOp : Sinter_ShapedOp<"last", [Pure]> {
  let summary = "Each row's last position";
  let description = [{
    [B, T, ...] becomes [B, ...]: position T - 1, or lengths[b] - 1. The result
    of a row of length 0 is not written.

    Constraints:
    - last_c1: the input has at least 2 dimensions.
    - last_c2: lengths are [B].

    ```mlir
    %y = sinter.last %x lengths(%n : tensor<?xi64>) : tensor<?x?x64xf32>
    ```
  }];
  let arguments = (ins Sinter_ModelTensor:$input,
                       Optional<Sinter_LengthTensor>:$lengths);
  let results = (outs Sinter_ModelTensor:$result);
  let assemblyFormat = [{
    $input (`lengths` `(` $lengths^ `:` type($lengths) `)`)? attr-dict
    `:` type($input)
  }];
  let hasCanonicalizer = 1;
}

def Sinter_TakeOp : Sinter_ShapedOp<"take", [Pure]> {
  let summary = "One position of each row";
  let description = [{
    [B, T, ...] becomes [B, ...]: position at[b], of an index tensor [B]. An
    index given by the caller is checked, a computed one is clamped.

    Constraints:
    - take_c1: the input has at least 2 dimensions.
    - take_c2: the indices are [B].

    ```mlir
    %y = sinter.take %x at(%i : tensor<?xi64>) : tensor<?x?x64xf32>
    ```
  }];
  let arguments = (ins Sinter_ModelTensor:$input, Sinter_IndexTensor:$at);
  let results = (outs Sinter_ModelTensor:$result);
  let assemblyFormat = [{
    $input `at` `(` $at `:` type($at) `)` attr-dict `:` type($input)
  }];
}

def Sinter_BroadcastOp : Sinter_ShapedOp<"broadcast", [Pure]> {
  let summary = "A value repeated to the shape of another";
  let description = [{
    A scalar or tensor with the shape of `like`, whose values are not used. The
    dimensions of a tensor are those of `like` from the right; where they are 1
    it is repeated.

    Constraints:
    - broadcast_c1: `like` is a ranked tensor.
    - broadcast_c2: the input has at most its rank.
    - broadcast_c3: each dimension is 1 or that of `like`.

    ```mlir
    %y = sinter.broadcast %c like(%x) : f32, tensor<?x?x64xf32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[F32, I32, I64, I1, Sinter_ModelTensor]>:$input,
                       Sinter_ModelTensor:$like);
  let results = (outs Sinter_ModelTensor:$result);
  let assemblyFormat = [{
    $input `like` `(` $like `)` attr-dict `:` type($input) `,` type($like)
  }];
}

def Sinter_TransposeOp : Sinter_ShapedOp<"transpose", [Pure]> {
  let summary = "Permute the dimensions";
  let description = [{
    Dimension d of the result is dimension permutation[d] of the input.

    Constraints:
    - transpose_c1: a permutation of the input's dimensions.

    ```mlir
    %y = sinter.transpose %x [0, 2, 1, 3] : tensor<?x?x8x64xf32>
    ```
  }];
  let arguments = (ins Sinter_ModelTensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs Sinter_ModelTensor:$result);
  let assemblyFormat = "$input $permutation attr-dict `:` type($input)";
}

#endif // SINTER_DIALECT_SINTER_IR_SINTERSHAPES
