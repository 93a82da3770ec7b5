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
  let arguments = (ins Sinter_ModelTensor:$input, DenseI64ArrayAttr:$sizes);
  let results = (outs Variadic<Sinter_ModelTensor>:$results);
  let assemblyFormat = "$input $sizes attr-dict `:` type($input)";
}

def Sinter_LastOp : Sinter_ShapedOp<"last", [Pure]> {
  let summary = "Each row's last position";
  let arguments = (ins Sinter_ModelTensor:$input,
                       Optional<Sinter_LengthTensor>:$lengths);
  let results = (outs Sinter_ModelTensor:$result);
  let assemblyFormat = [{
    $input (`lengths` `(` $lengths^ `:` type($lengths) `)`)? attr-dict
    `:` type($input)
  }];
}

def Sinter_TakeOp : Sinter_ShapedOp<"take", [Pure]> {
  let summary = "One position of each row";
  let arguments = (ins Sinter_ModelTensor:$input, Sinter_IndexTensor:$at);
  let results = (outs Sinter_ModelTensor:$result);
  let assemblyFormat = [{
    $input `at` `(` $at `:` type($at) `)` attr-dict `:` type($input)
  }];
}

def Sinter_BroadcastOp : Sinter_ShapedOp<"broadcast", [Pure]> {
  let summary = "A value repeated to the shape of another";
  let arguments = (ins AnyTypeOf<[F32, I32, I64, I1, Sinter_ModelTensor]>:$input,
                       Sinter_ModelTensor:$like);
  let results = (outs Sinter_ModelTensor:$result);
  let assemblyFormat = [{
    $input `like` `(` $like `)` attr-dict `:` type($input) `,` type($like)
  }];
}

def Sinter_TransposeOp : Sinter_ShapedOp<"transpose", [Pure]> {
  let summary = "Permute the dimensions";
  let arguments = (ins Sinter_ModelTensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs Sinter_ModelTensor:$result);
  let assemblyFormat = "$input $permutation attr-dict `:` type($input)";
}

#endif // SINTER_DIALECT_SINTER_IR_SINTERSHAPES
