//===- SinterAttention.td - attention, positions, heads -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_SINTER_IR_SINTERATTENTION
#define SINTER_DIALECT_SINTER_IR_SINTERATTENTION

include "sinter/Dialect/Sinter/IR/SinterBase.td"

def Sinter_AttentionOp : Sinter_Op<"attention", [
    AttrSizedOperandSegments, SingleBlock, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ResultExtentsOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Scaled dot-product attention with rules in the IR";
  let arguments = (ins
    Sinter_F32Tensor:$query,
    Optional<Sinter_F32Tensor>:$key,
    Optional<Sinter_F32Tensor>:$value,
    Optional<Sinter_LengthTensor>:$lengths,
    Optional<Sinter_LengthTensor>:$offset,
    Optional<Sinter_MaskTensor>:$dense_mask,
    UnitAttr:$causal,
    OptionalAttr<F64Attr>:$scale,
    OptionalAttr<FlatSymbolRefAttr>:$append,
    OptionalAttr<FlatSymbolRefAttr>:$from);
  let results = (outs Sinter_F32Tensor:$result);
  let regions = (region AnyRegion:$scoreRegion, AnyRegion:$maskRegion,
                        AnyRegion:$sinkRegion, AnyRegion:$combineRegion);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let builders = [
    // Result type [B, T, H, E] from the operands; all regions empty.
    OpBuilder<(ins "::mlir::Value":$query, "::mlir::Value":$key,
                   "::mlir::Value":$value)>
  ];
  let extraClassDeclaration = [{
    /// The state that is appended to or attended; null without cache.
    ::mlir::FlatSymbolRefAttr getCacheAttr() {
      return getAppendAttr() ? getAppendAttr() : getFromAttr();
    }
    int64_t getHeads() { return getQuery().getType().getDimSize(2); }
    /// `scale`; without it 1 / sqrt(D), or 1 beside a `combine` region.
    double getScaleValue();
    /// Shape of the result; without keys and values (`from`) the value size is
    /// that of the present result. Errors go to `check`.
    static ::mlir::FailureOr<::sinter::ResultShape>
    resultShape(::mlir::Value query, ::mlir::Value key, ::mlir::Value value,
                ::mlir::Type present, const ::sinter::ShapeCheck &check);
    /// True if no region and no mask operand changes the plain rule.
    bool isPlain() {
      return getScoreRegion().empty() && getMaskRegion().empty() &&
             getSinkRegion().empty() && getCombineRegion().empty() &&
             !getDenseMask();
    }
  }];
}

def Sinter_PositionsOp : Sinter_ShapedOp<"positions", [Pure,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Absolute positions of a chunk's elements";
  let arguments = (ins Sinter_ModelTensor:$input, OptionalAttr<StrAttr>:$after);
  let results = (outs RankedTensorOf<[I64]>:$result);
  let assemblyFormat = [{
    $input (`after` `(` $after^ `)`)? attr-dict `:` type($input)
  }];
}

def Sinter_RopeOp : Sinter_ShapedOp<"rope", [Pure]> {
  let summary = "Rotary position embedding";
  let arguments = (ins Sinter_F32Tensor:$input, Sinter_LengthTensor:$positions,
                       UnitAttr:$interleaved,
                       DefaultValuedAttr<F64Attr, "1.0e4">:$theta);
  let results = (outs Sinter_F32Tensor:$result);
  let assemblyFormat = [{
    $input `,` $positions
    oilist(`interleaved` $interleaved | `theta` `(` $theta `)`)
    attr-dict `:` type($input) `,` type($positions)
  }];
}

def Sinter_SinusoidalPositionsOp : Sinter_Op<"sinusoidal_positions", [Pure,
    DeclareOpInterfaceMethods<ResultExtentsOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>]> {
  let summary = "Sinusoidal position vectors";
  let arguments = (ins Sinter_LengthTensor:$positions);
  let results = (outs Sinter_F32Tensor:$result);
  let assemblyFormat = [{
    $positions attr-dict `:` type($positions) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Sinter_SplitHeadsOp : Sinter_ShapedOp<"split_heads", [Pure]> {
  let summary = "Cut the last dimension into groups of heads";
  let arguments = (ins Sinter_F32Tensor:$input, DenseI64ArrayAttr:$heads);
  let results = (outs Variadic<Sinter_F32Tensor>:$results);
  let assemblyFormat = "$input $heads attr-dict `:` type($input)";
}

def Sinter_MergeHeadsOp : Sinter_ShapedOp<"merge_heads", [Pure]> {
  let summary = "Join heads and head size";
  let arguments = (ins Sinter_F32Tensor:$input);
  let results = (outs Sinter_F32Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

#endif // SINTER_DIALECT_SINTER_IR_SINTERATTENTION
