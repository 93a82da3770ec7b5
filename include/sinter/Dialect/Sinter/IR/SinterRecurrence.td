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
  let description = [{
    For an input [B, T, K], weight [4H, K], recurrence [4H, H] and biases [4H],
    for each t

        z = W x[t] + bi + R h + bh, cut into i, f, g, o in the order of `gates`
        c = sigmoid(f) c + sigmoid(i) tanh(g)
        h = sigmoid(o) tanh(c)
        y[t] = h

    from h and c of `init` ([B, H] each) or 0. Results: y [B, T, H], the last h
    and c, [B, H]. The first bias is bi, the second bh. `reverse` goes from the
    last element to the first; with `lengths` [B], from the row's own last.
    Source: Hochreiter and Schmidhuber 1997; Gers et al. 2000; ONNX LSTM (gates
    "iofg", its c is our g), PyTorch and Keras ("ifgo").

    Corner rules: past its length a row keeps its state and its output is 0. A
    row of length 0 gives the initial state.

    Constraints:
    - lstm_c1: the input has 3 dimensions.
    - lstm_c2: gates are an order of i, f, g, o.
    - lstm_c3: recurrence is [4H, H] with constant H, weight [4H, K].
    - lstm_c4: the biases are [4H].
    - lstm_c5: the initial states are [B, H].
    - lstm_c6: lengths are [B].

    ```mlir
    %y, %h, %c = sinter.lstm %x, %w, %r, %bi, %bh reverse lengths(%n : tensor<?xi64>)
        : tensor<?x?x64xf32>, tensor<128x64xf32>, tensor<128x32xf32>, tensor<128xf32>, tensor<128xf32>
    ```
  }];
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
  let hasCanonicalizer = 1;
}

def Sinter_LstmCellOp : Sinter_ShapedOp<"lstm_cell", [Pure, AttrSizedOperandSegments]> {
  let summary = "One step of long short-term memory";
  let description = [{
    `sinter.lstm` at T = 1: input [B, K], hidden and cell state [B, H]; results
    are the next hidden and cell state.

    Constraints:
    - lstm_cell_c1: the input has 2 dimensions.
    - lstm_cell_c2: gates are an order of i, f, g, o.
    - lstm_cell_c3: recurrence is [4H, H] with constant H, weight [4H, K].
    - lstm_cell_c4: the biases are [4H].
    - lstm_cell_c5: the states are [B, H].

    ```mlir
    %h1, %c1 = sinter.lstm_cell %x, %h, %c, %w, %r gates("iofg")
        : tensor<?x64xf32>, tensor<?x32xf32>, tensor<?x32xf32>, tensor<128x64xf32>, tensor<128x32xf32>
    ```
  }];
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
