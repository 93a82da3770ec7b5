//===- FusedHost.td - Weights, state, arena, kernels, launches ------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_FUSED_IR_FUSEDHOST
#define SINTER_DIALECT_FUSED_IR_FUSEDHOST

include "sinter/Dialect/Fused/IR/FusedBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"

def Fused_WeightOp : Fused_Op<"weight", [Pure]> {
  let summary = "A tensor of an archive, as it is stored there";
  let description = [{ ```mlir
    %w = fused.weight "layers.0.attention.wq.weight" from "stories.safetensors" : tensor<64x64xf32>
    ``` }];
  let arguments = (ins StrAttr:$name, StrAttr:$file);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$name `from` $file attr-dict `:` type($result)";
}

def Fused_StorageOp : Fused_Op<"storage", [Symbol]> {
  let summary = "Per-session storage of one state";
  let description = [{
    A module symbol. Tensor dimensions that are not static are named by `dims`; the first is the batch. `bounds` has an upper
    bound for each name, 0 for none. A cache is two storages, its keys and right after them its values, both with the model's name
    of the cache and with `cursor` naming the dimension that is both the capacity and the cursor.

    Without a cursor a storage holds one tensor: dimensions behind the first have capacities and current extents, which are those
    of the last commit, 0 before the first.

    ```mlir
    fused.storage @kv.keys dims ["batch", "context"] cursor "context" keys of "kv" bounds [0, 512] : tensor<?x4x?x8xf32, #keys>
    fused.storage @memory dims ["batch", "source"] bounds [0, 0] : tensor<?x?x64xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$dims, OptionalAttr<StrAttr>:$cursor,
    OptionalAttr<StrAttr>:$keys_of, OptionalAttr<StrAttr>:$values_of,
    DenseI64ArrayAttr:$bounds, TypeAttrOf<AnyRankedTensor>:$type);
  let assemblyFormat = [{
    $sym_name `dims` $dims (`cursor` $cursor^)? (`keys` `of` $keys_of^)? (`values` `of` $values_of^)? `bounds` $bounds
    attr-dict `:` $type
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether the extents behind the first are those of the last commit.
    bool hasCurrentExtents();
    /// The names of the dimensions whose extents are those of the last commit.
    ::llvm::ArrayRef<::mlir::Attribute> getCurrentDims();
  }];
}

def Fused_StateOp : Fused_Op<"state", [Pure]> {
  let summary = "The current content of a storage, which skeletons may also store into";
  let description = [{ Content at entry start. As an `outs` operand it is updated in place. }];
  let arguments = (ins FlatSymbolRefAttr:$symbol);
  let results = (outs Fused_Shaped:$result);
  let assemblyFormat = "$symbol attr-dict `:` type($result)";
}

def Fused_CommitOp : Fused_Op<"commit", [MemoryEffects<[MemWrite]>]> {
  let summary = "The final content of a storage at the end of an entry";
  let description = [{
    Where the storage has current extents, they become the value's. On memrefs only such commits are left, at the end of the entry,
    with the extents as the attribute `fused.extents`, a map over the entry's dimensions; all others are copies by then.
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol, Fused_Shaped:$value);
  let assemblyFormat = "$symbol `,` $value attr-dict `:` type($value)";
}

def Fused_CursorOp : Fused_Op<"cursor", [Pure]> {
  let summary = "Per row: the cursor at entry start, or after what this entry appends";
  let arguments = (ins StrAttr:$name, UnitAttr:$after);
  let results = (outs Fused_Lengths:$result);
  let assemblyFormat = "$name (`after` $after^)? attr-dict `:` type($result)";
}

def Fused_AdvanceOp : Fused_Op<"advance", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "States by how much an entry moves a cursor";
  let description = [{
    By `lengths[b]` per row where given, else by the named extent `sequence` of an argument; `restart` sets the cursor to 0
    first. At most one per cursor and entry; equal in all layers.
  }];
  let arguments = (ins StrAttr:$name, Optional<Fused_Lengths>:$lengths, Optional<Index>:$extent, UnitAttr:$restart);
  let assemblyFormat = [{
    $name (`restart` $restart^)? (`lengths` `(` $lengths^ `:` type($lengths) `)`)? (`extent` `(` $extent^ `)`)? attr-dict
  }];
}

def Fused_CapacityOp : Fused_Op<"capacity", [Pure]> {
  let summary = "A dimension that the session fixes";
  let arguments = (ins StrAttr:$name);
  let results = (outs Index:$result);
  let assemblyFormat = "$name attr-dict";
}

def Fused_DimOp : Fused_Op<"dim", [Pure]> {
  let summary = "The value of a named dimension of the entry";
  let arguments = (ins StrAttr:$name);
  let results = (outs Index:$result);
  let assemblyFormat = "$name attr-dict";
}

def Fused_PackedOp : Fused_Op<"packed", [IsolatedFromAbove, Symbol, SingleBlock]> {
  let summary = "A tensor of the weight blob and how it is made";
  let description = [{
    A module symbol. The body computes the tensor from `fused.weight` and constants; the packer evaluates it in double
    precision, rounds and writes it at byte `offset` of the blob, in the layout of its type.

    ```mlir
    fused.packed @w0 offset 64 : tensor<64x64xf32, #panels> {
      %w = fused.weight "wq" from "stories.safetensors" : tensor<64x64xf32>
      %e = tensor.empty() : tensor<64x64xf32, #panels>
      %p = fused.map dims(k, n) ins(%w by (n, k) : tensor<64x64xf32>) outs(%e by (k, n) : tensor<64x64xf32, #panels>) {
      ^bb0(%x: f32):
        fused.yield %x : f32
      }
      fused.yield %p : tensor<64x64xf32, #panels>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$offset, TypeAttrOf<AnyStaticShapeTensor>:$type);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `offset` $offset attr-dict-with-keyword `:` $type $body";
}

def Fused_ConstantOp : Fused_Op<"constant", [Pure]> {
  let summary = "A tensor of the weight blob";
  let arguments = (ins FlatSymbolRefAttr:$symbol);
  let results = (outs Fused_Shaped:$result);
  let assemblyFormat = "$symbol attr-dict `:` type($result)";
}

def Fused_ViewOp : Fused_Op<"view", [Pure]> {
  let summary = "The same contiguous memory under another shape";
  let description = [{ Dynamic extents of the result are the operands. Both memrefs are row-major. }];
  let arguments = (ins AnyMemRef:$source, Variadic<Index>:$extents);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$source `[` $extents `]` attr-dict `:` type($source) `to` type($result)";
}

def Fused_SlotOp : Fused_Op<"slot", [Pure]> {
  let summary = "A view of an arena slot";
  let description = [{
    Slot `number` of the entry's workspace, at byte `offset` in it. Dynamic extents of the memref are the operands.
    The entry function's attribute `fused.slots` holds one symbol-only affine map per slot: its size in bytes is the maximum
    of the map's results over the named dimensions in `fused.dims`.
  }];
  let arguments = (ins I64Attr:$number, Variadic<Index>:$extents);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$number `[` $extents `]` attr-dict `:` type($result)";
}

def Fused_KernelOp : Fused_Op<"kernel", [IsolatedFromAbove, Symbol, SingleBlock, NoTerminator]> {
  let summary = "One skeleton, outlined";
  let description = [{
    The body's block arguments are memrefs and integers; the body holds one skeleton op on them.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
}

def Fused_LaunchOp : Fused_Op<"launch", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Runs a kernel";
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyType>:$operands);
  let assemblyFormat = "$kernel `(` $operands `)` attr-dict (`:` type($operands)^)?";
}

#endif // SINTER_DIALECT_FUSED_IR_FUSEDHOST
