//===- SinterRecurrence.td - recurrent layers and their cells -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_SINTER_IR_SINTERRECURRENCE
#define SINTER_DIALECT_SINTER_IR_SINTERRECURRENCE

include "sinter/Dialect/Sinter/IR/SinterBase.td"

def Sinter_LstmOp : Sinter_ShapedOp<"lstm", [Pure, AttrSizedOperandSegments]> {
  let summary = "Long short-term memory over a sequence";
  let arguments = (ins Sinter_F32Tensor:$input, Sinter_F32Tensor:$weight,
                       Sinter_F32Tensor:$recurrence,
                       Optional<Sinter_F32Tensor>:$input_bias,
                       Optional<Sinter_F32Tensor>:$recurrent_bias,
                       Optional<Sinter_F32Tensor>:$initial_hidden,
                       Optional<Sinter_F32Tensor>:$initial_cell,
                       Optional<Sinter_LengthTensor>:$lengths,
                       DefaultValuedStrAttr<StrAttr, "ifgo">:$gates,
                       UnitAttr:$reverse);
  let results = (outs Sinter_F32Tensor:$output, Sinter_F32Tensor:$hidden,
                      Sinter_F32Tensor:$cell);
  let assemblyFormat = [{
    $input `,` $weight `,` $recurrence (`,` $input_bias^)?
    (`,` $recurrent_bias^)?
    oilist(`gates` `(` $gates `)`
         | `reverse` $reverse
         | `init` `(` $initial_hidden `,` $initial_cell `:`
             type($initial_hidden) `,` type($initial_cell) `)`
         | `lengths` `(` $lengths `:` type($lengths) `)`)
    attr-dict `:` type($input) `,` type($weight) `,` type($recurrence)
    (`,` type($input_bias)^)? (`,` type($recurrent_bias)^)?
  }];
}

def Sinter_LstmCellOp : Sinter_ShapedOp<"lstm_cell", [Pure, AttrSizedOperandSegments]> {
  let summary = "One step of long short-term memory";
  let arguments = (ins Sinter_F32Tensor:$input, Sinter_F32Tensor:$hidden,
                       Sinter_F32Tensor:$cell, Sinter_F32Tensor:$weight,
                       Sinter_F32Tensor:$recurrence,
                       Optional<Sinter_F32Tensor>:$input_bias,
                       Optional<Sinter_F32Tensor>:$recurrent_bias,
                       DefaultValuedStrAttr<StrAttr, "ifgo">:$gates);
  let results = (outs Sinter_F32Tensor:$next_hidden, Sinter_F32Tensor:$next_cell);
  let assemblyFormat = [{
    $input `,` $hidden `,` $cell `,` $weight `,` $recurrence
    (`,` $input_bias^)? (`,` $recurrent_bias^)? (`gates` `(` $gates^ `)`)?
    attr-dict `:` type($input) `,` type($hidden) `,` type($cell) `,`
    type($weight) `,` type($recurrence)
    (`,` type($input_bias)^)? (`,` type($recurrent_bias)^)?
  }];
}

#endif // SINTER_DIALECT_SINTER_IR_SINTERRECURRENCE
