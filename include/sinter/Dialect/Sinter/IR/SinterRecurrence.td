//===- SinterRecurrence.td - recurrent layers and their cells -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_SINTER_IR_SINTERRECURRENCE
#define SINTER_DIALECT_SINTER_IR_SINTERRECURRENCE

include "sinter/Dialect/Sinter/IR/SinterBase.td"

//===----------------------------------------------------------------------===//
// Clauses
//===----------------------------------------------------------------------===//

def Sinter_CellFunction : I32EnumAttr<"CellFunction", "a non-linearity of a recurrent cell", [
  I32EnumAttrCase<"Sigmoid", 0, "sigmoid">,
  I32EnumAttrCase<"Tanh", 1, "tanh">,
  I32EnumAttrCase<"Relu", 2, "relu">,
  I32EnumAttrCase<"Affine", 3, "affine">,
  I32EnumAttrCase<"LeakyRelu", 4, "leaky_relu">,
  I32EnumAttrCase<"ThresholdedRelu", 5, "thresholded_relu">,
  I32EnumAttrCase<"ScaledTanh", 6, "scaled_tanh">,
  I32EnumAttrCase<"HardSigmoid", 7, "hard_sigmoid">,
  I32EnumAttrCase<"Elu", 8, "elu">,
  I32EnumAttrCase<"Softsign", 9, "softsign">,
  I32EnumAttrCase<"Softplus", 10, "softplus">
]> {
  let cppNamespace = "::sinter";
}

def Sinter_Reset : I32EnumAttr<"Reset", "where a gated recurrent unit resets its state", [
  I32EnumAttrCase<"Before", 0, "before">,
  I32EnumAttrCase<"After", 1, "after">
]> {
  let cppNamespace = "::sinter";
}

class Sinter_CellOp<string mnemonic, string defaults>
    : Sinter_ShapedOp<mnemonic, [Pure, AttrSizedOperandSegments]> {
  let extraClassDeclaration = shapeDeclaration # [{
    /// The non-linearities where the op does not say which.
    static ::llvm::ArrayRef<::sinter::CellActivation> defaultActivations() {
      static constexpr ::sinter::CellActivation functions[] = }] # defaults # [{;
      return functions;
    }
    /// The non-linearities, one per gate or group of gates.
    ::llvm::SmallVector<::sinter::CellActivation> getCellActivations() {
      return ::sinter::resolveActivations(getActivationsAttr(),
                                          getActivationParametersAttr(),
                                          defaultActivations());
    }
    ::std::optional<double> getClipValue() {
      if (auto clip = getClipAttr())
        return clip.getValueAsDouble();
      return ::std::nullopt;
    }
  }];
}

/// The clauses that all ops here have; `activation_parameters` holds alpha and
/// beta for each name in `activations`.
defvar cellArguments = (ins
    OptionalAttr<StrArrayAttr>:$activations,
    OptionalAttr<DenseF64ArrayAttr>:$activation_parameters,
    OptionalAttr<F64Attr>:$clip,
    UnitAttr:$in_out);

/// A cell: what layer and step share.
class Sinter_Cell<string functions, list<string> stateNames, string syntax = "",
                  dag operands = (ins), dag attributes = (ins)> {
  string defaults = functions;
  list<string> states = stateNames;
  /// Own clauses, given with a `|` behind each, and those that all have.
  string clauses = syntax # [{
           `activations` `(` custom<CellActivations>($activations, $activation_parameters) `)`
         | `clip` `(` $clip `)`
         | `in_out` $in_out}];
  /// What the own clauses hold.
  dag ownOperands = operands;
  dag ownAttributes = attributes;
  dag biases = (ins Optional<Sinter_F32Tensor>:$input_bias,
                    Optional<Sinter_F32Tensor>:$recurrent_bias);
}

/// A layer over a sequence.
class Sinter_LayerOp<string mnemonic, Sinter_Cell cell>
    : Sinter_CellOp<mnemonic, cell.defaults> {
  let arguments = !con(
      (ins Sinter_F32Tensor:$input, Sinter_F32Tensor:$weight,
           Sinter_F32Tensor:$recurrence),
      cell.biases,
      !dag(ins, !listsplat(Optional<Sinter_F32Tensor>, !size(cell.states)),
           !foreach(state, cell.states, "initial_" # state)),
      cell.ownOperands,
      (ins Optional<Sinter_LengthTensor>:$lengths),
      cell.ownAttributes,
      (ins UnitAttr:$reverse, UnitAttr:$time_major),
      cellArguments);
  let results = !con(
      (outs Sinter_F32Tensor:$output),
      !dag(outs, !listsplat(Sinter_F32Tensor, !size(cell.states)), cell.states));
  let assemblyFormat = [{
    $input `,` $weight `,` $recurrence (`,` $input_bias^)?
    (`,` $recurrent_bias^)?
    oilist(}] # cell.clauses # [{
         | `time_major` $time_major
         | `reverse` $reverse
         | `init` `(` }] #
    !interleave(!foreach(state, cell.states, "$initial_" # state), " `,` ") #
    " `:` " #
    !interleave(!foreach(state, cell.states, "type($initial_" # state # ")"), " `,` ") # [{ `)`
         | `lengths` `(` $lengths `:` type($lengths) `)`)
    attr-dict `:` type($input) `,` type($weight) `,` type($recurrence)
    (`,` type($input_bias)^)? (`,` type($recurrent_bias)^)?
  }];
  let hasCanonicalizer = 1;
}

/// One step of a layer.
class Sinter_StepOp<string mnemonic, Sinter_Cell cell>
    : Sinter_CellOp<mnemonic, cell.defaults> {
  let arguments = !con(
      (ins Sinter_F32Tensor:$input),
      !dag(ins, !listsplat(Sinter_F32Tensor, !size(cell.states)), cell.states),
      (ins Sinter_F32Tensor:$weight, Sinter_F32Tensor:$recurrence),
      cell.biases, cell.ownOperands, cell.ownAttributes, cellArguments);
  let results =
      !dag(outs, !listsplat(Sinter_F32Tensor, !size(cell.states)),
           !foreach(state, cell.states, "next_" # state));
  let assemblyFormat = [{
    $input `,` }] #
    !interleave(!foreach(state, cell.states, "$" # state), " `,` ") # [{ `,`
    $weight `,` $recurrence (`,` $input_bias^)? (`,` $recurrent_bias^)?
    oilist(}] # cell.clauses # [{)
    attr-dict `:` type($input) `,` }] #
    !interleave(!foreach(state, cell.states, "type($" # state # ")"), " `,` ") # [{ `,`
    type($weight) `,` type($recurrence)
    (`,` type($input_bias)^)? (`,` type($recurrent_bias)^)?
  }];
}

//===----------------------------------------------------------------------===//
// Recurrent neural network
//===----------------------------------------------------------------------===//

def Sinter_Rnn : Sinter_Cell<"{{CellFunction::Tanh}}", ["hidden"]>;

def Sinter_RnnOp : Sinter_LayerOp<"rnn", Sinter_Rnn> {
  let summary = "Simple recurrent layer over a sequence";
  let description = [{
    For an input [B, T, K], weight [H, K], recurrence [H, H] and biases [H], for
    each t

        h = s(W x[t] + bi + R h + bh)
        y[t] = h

    from h of `init` ([B, H]) or 0. Results: y [B, T, H] and the last h, [B, H].
    The first bias is bi, the second bh. Source: Elman 1990; ONNX RNN.

    Clauses, which `sinter.gru` and `sinter.lstm` share:
    - `activations(s)`: `tanh` unless given. With their parameters alpha and
      beta and those that hold where none are written:

          sigmoid           1 / (1 + exp(-x))
          tanh              tanh(x)
          relu              max(x, 0)
          affine            alpha x + beta                        (1, 0)
          leaky_relu        x if x >= 0, else alpha x             (0.01)
          thresholded_relu  x if x >= alpha, else 0               (1)
          scaled_tanh       alpha tanh(beta x)                    (1, 1)
          hard_sigmoid      min(max(alpha x + beta, 0), 1)        (0.2, 0.5)
          elu               x if x >= 0, else alpha (exp(x) - 1)  (1)
          softsign          x / (1 + abs(x))
          softplus          log(1 + exp(x))

      NaN gives NaN.
    - `clip(c)`: what a gate's activation gets is first cut to -c ... c.
    - `lengths(n)`, [B]: row b has n[b] elements.
    - `reverse`: from the last element to the first; with `lengths` from the
      row's own last.
    - `time_major`: the input is [T, B, K] and y [T, B, H].
    - `in_out`: the weight is [K, H] and the recurrence [H, H] the other way
      round, as Keras stores them.

    Corner rules: past its length a row keeps its state and its output is 0. A
    row of length 0 gives the initial state.

    Constraints:
    - rnn_c1: the input has 3 dimensions.
    - rnn_c2: recurrence is [H, H] with constant H, weight [H, K].
    - rnn_c3: the biases are [H].
    - rnn_c4: the initial state is [B, H].
    - rnn_c5: lengths are [B].
    - rnn_c6: there is one activation, of the list, with two parameters.
    - rnn_c7: clip is positive.

    ```mlir
    %y, %h = sinter.rnn %x, %w, %r, %bi, %bh activations(leaky_relu(0.1)) reverse
        : tensor<?x?x64xf32>, tensor<32x64xf32>, tensor<32x32xf32>, tensor<32xf32>, tensor<32xf32>
    ```
  }];
}

def Sinter_RnnCellOp : Sinter_StepOp<"rnn_cell", Sinter_Rnn> {
  let summary = "One step of a simple recurrent layer";
  let description = [{
    `sinter.rnn` at T = 1: input [B, K], hidden state [B, H]; the result is the
    next hidden state.

    Constraints:
    - rnn_cell_c1: the input has 2 dimensions.
    - rnn_cell_c2: recurrence is [H, H] with constant H, weight [H, K].
    - rnn_cell_c3: the biases are [H].
    - rnn_cell_c4: the state is [B, H].
    - rnn_cell_c5: there is one activation, of the list, with two parameters.
    - rnn_cell_c6: clip is positive.

    ```mlir
    %h1 = sinter.rnn_cell %x, %h, %w, %r activations(relu)
        : tensor<?x64xf32>, tensor<?x32xf32>, tensor<32x64xf32>, tensor<32x32xf32>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Gated recurrent unit
//===----------------------------------------------------------------------===//

def Sinter_Gru : Sinter_Cell<
    "{{CellFunction::Sigmoid}, {CellFunction::Tanh}}", ["hidden"],
    "`gates` `(` $gates `)` | `reset` `(` $reset `)` |", (ins),
    (ins DefaultValuedStrAttr<StrAttr, "rzn">:$gates,
         OptionalAttr<Sinter_Reset>:$reset)>;

def Sinter_GruOp : Sinter_LayerOp<"gru", Sinter_Gru> {
  let summary = "Gated recurrent unit over a sequence";
  let description = [{
    For an input [B, T, K], weight [3H, K], recurrence [3H, H] and biases [3H],
    each cut into r (reset), z (update) and n (new) in the order of `gates`, for
    each t

        r = s(Wr x[t] + bir + Rr h + bhr)
        z = s(Wz x[t] + biz + Rz h + bhz)
        n = v(Wn x[t] + bin + Rn (r h) + bhn)      with reset(before)
        n = v(Wn x[t] + bin + r (Rn h + bhn))      with reset(after)
        h = (1 - z) n + z h
        y[t] = h

    from h of `init` ([B, H]) or 0. Results: y [B, T, H] and the last h, [B, H].
    The first bias is bi, the second bh. Source: Cho et al. 2014; ONNX GRU. The
    forms differ, so there is no default:

    | framework | gates | reset |
    |---|---|---|
    | PyTorch | "rzn" | after |
    | ONNX | "zrn" (its h is our n) | before, or after with linear_before_reset |
    | Keras | "zrn", `in_out` | after, or before with reset_after=False |

    `activations(s, v)` are `sigmoid, tanh` unless given. The other clauses and
    the corner rules are those of `sinter.rnn`.

    Constraints:
    - gru_c1: the input has 3 dimensions.
    - gru_c2: gates are an order of r, z, n.
    - gru_c3: recurrence is [3H, H] with constant H, weight [3H, K].
    - gru_c4: the biases are [3H].
    - gru_c5: the initial state is [B, H].
    - gru_c6: lengths are [B].
    - gru_c7: there are two activations, of the list, with two parameters each.
    - gru_c8: clip is positive.
    - gru_c9: reset is given.

    ```mlir
    %y, %h = sinter.gru %x, %w, %r, %bi, %bh gates("rzn") reset(after) lengths(%n : tensor<?xi64>)
        : tensor<?x?x64xf32>, tensor<96x64xf32>, tensor<96x32xf32>, tensor<96xf32>, tensor<96xf32>
    ```
  }];
}

def Sinter_GruCellOp : Sinter_StepOp<"gru_cell", Sinter_Gru> {
  let summary = "One step of a gated recurrent unit";
  let description = [{
    `sinter.gru` at T = 1: input [B, K], hidden state [B, H]; the result is the
    next hidden state.

    Constraints:
    - gru_cell_c1: the input has 2 dimensions.
    - gru_cell_c2: gates are an order of r, z, n.
    - gru_cell_c3: recurrence is [3H, H] with constant H, weight [3H, K].
    - gru_cell_c4: the biases are [3H].
    - gru_cell_c5: the state is [B, H].
    - gru_cell_c6: there are two activations, of the list, with two parameters
      each.
    - gru_cell_c7: clip is positive.
    - gru_cell_c8: reset is given.

    ```mlir
    %h1 = sinter.gru_cell %x, %h, %w, %r gates("zrn") reset(before)
        : tensor<?x64xf32>, tensor<?x32xf32>, tensor<96x64xf32>, tensor<96x32xf32>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Long short-term memory
//===----------------------------------------------------------------------===//

def Sinter_Lstm : Sinter_Cell<
    "{{CellFunction::Sigmoid}, {CellFunction::Tanh}, {CellFunction::Tanh}}",
    ["hidden", "cell"],
    "`gates` `(` $gates `)` | `peephole` `(` $peephole `:` type($peephole) `)`"
    "| `coupled` $coupled |",
    (ins Optional<Sinter_F32Tensor>:$peephole),
    (ins DefaultValuedStrAttr<StrAttr, "ifgo">:$gates, UnitAttr:$coupled)>;

def Sinter_LstmOp : Sinter_LayerOp<"lstm", Sinter_Lstm> {
  let summary = "Long short-term memory over a sequence";
  let description = [{
    For an input [B, T, K], weight [4H, K], recurrence [4H, H] and biases [4H],
    each cut into i (input), f (forget), g (cell) and o (output) in the order of
    `gates`, for each t

        i = s(Wi x[t] + bii + Ri h + bhi + Pi c)
        f = s(Wf x[t] + bif + Rf h + bhf + Pf c), 1 - i with `coupled`
        g = v(Wg x[t] + big + Rg h + bhg)
        c = f c + i g
        o = s(Wo x[t] + bio + Ro h + bho + Po c)
        h = o w(c)
        y[t] = h

    from h and c of `init` ([B, H] each) or 0. Results: y [B, T, H], the last h
    and c, [B, H]. The first bias is bi, the second bh. Source: Hochreiter and
    Schmidhuber 1997; Gers et al. 2000 and 2002 (peepholes); ONNX LSTM (gates
    "iofg", its c is our g), PyTorch ("ifgo") and Keras ("ifgo", `in_out`).

    Clauses beside those of `sinter.rnn`:
    - `activations(s, v, w)`: `sigmoid, tanh, tanh` unless given.
    - `peephole(p)`, [3H]: P, cut into i, f and o in the order of `gates`; 0
      without it. o sees the new c.
    - `coupled`: the forget gate is 1 - i (ONNX input_forget); its weights are
      there and not used.
    - `clip(c)` leaves the argument of w alone, as ONNX Runtime and OpenVINO do.

    The corner rules are those of `sinter.rnn`.

    Constraints:
    - lstm_c1: the input has 3 dimensions.
    - lstm_c2: gates are an order of i, f, g, o.
    - lstm_c3: recurrence is [4H, H] with constant H, weight [4H, K].
    - lstm_c4: the biases are [4H].
    - lstm_c5: the initial states are [B, H].
    - lstm_c6: lengths are [B].
    - lstm_c7: there are three activations, of the list, with two parameters each.
    - lstm_c8: clip is positive.
    - lstm_c9: the peephole is [3H].

    ```mlir
    %y, %h, %c = sinter.lstm %x, %w, %r, %bi, %bh reverse lengths(%n : tensor<?xi64>)
        : tensor<?x?x64xf32>, tensor<128x64xf32>, tensor<128x32xf32>, tensor<128xf32>, tensor<128xf32>
    ```
  }];
}

def Sinter_LstmCellOp : Sinter_StepOp<"lstm_cell", Sinter_Lstm> {
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
    - lstm_cell_c6: there are three activations, of the list, with two parameters
      each.
    - lstm_cell_c7: clip is positive.
    - lstm_cell_c8: the peephole is [3H].

    ```mlir
    %h1, %c1 = sinter.lstm_cell %x, %h, %c, %w, %r gates("iofg")
        : tensor<?x64xf32>, tensor<?x32xf32>, tensor<?x32xf32>, tensor<128x64xf32>, tensor<128x32xf32>
    ```
  }];
}

#endif // SINTER_DIALECT_SINTER_IR_SINTERRECURRENCE
