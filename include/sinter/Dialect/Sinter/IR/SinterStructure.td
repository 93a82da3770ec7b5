//===- SinterStructure.td - weights, layers, state, entries ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_SINTER_IR_SINTERSTRUCTURE
#define SINTER_DIALECT_SINTER_IR_SINTERSTRUCTURE

include "sinter/Dialect/Sinter/IR/SinterBase.td"

def Sinter_WeightOp : Sinter_Op<"weight", [Pure]> {
  let summary = "Tensors of an archive, by name";
  let description = [{
    Each result is the tensor of the archive with that name; the shape in the
    archive must be the result's. The archive is the module's `sinter.archive`,
    or the file of `from`, relative to the `.mlir` file.

    Inside `sinter.layers` a name is relative to the layer's scope: `"wq"` in
    layer 3 of `"layers"` is `"layers.3.wq"`. A name with `{}` is relative to
    the scope around the layers, and `{}` is the layer's number. In a private
    function names are relative to the caller's scope.

    Constraints:
    - weight_c1: as many names as results.
    - weight_c2: no name is empty.
    - weight_c3: results have static shapes.

    ```mlir
    %g, %w = sinter.weight "norm.weight", "w" : tensor<64xf32>, tensor<8x64xf32>
    %s = sinter.weight "sinks" from("sinks.safetensors") : tensor<8xf32>
    ```
  }];
  let arguments = (ins StrArrayAttr:$names, OptionalAttr<StrAttr>:$file);
  let results = (outs Variadic<Sinter_F32Tensor>:$tensors);
  let assemblyFormat = [{
    custom<StringList>($names) (`from` `(` $file^ `)`)? attr-dict
    `:` type($tensors)
  }];
  let hasVerifier = 1;
}

def Sinter_LayersOp : Sinter_Op<"layers", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "A block repeated under numbered scopes";
  let description = [{
    Runs the body `count` times, numbered `from`, `from` + 1, ...: the values
    that it yields are the next layer's arguments, and the last ones the
    results. Layer n stands in the scope `"scope.n"`, or, if the scope has a
    `{}`, in the scope with n in its place; nested layers append to that.
    `index(%n)` makes the number an argument. With a count of 0 the results are
    the initial values. The body sees values from outside.

    Constraints:
    - layers_c1: the scope is not empty.
    - layers_c2: count and first number are at least 0; a million ops in all.
    - layers_c3: initial values and results have the same types.
    - layers_c4: the body's arguments are the index, if asked for, and one of
      each initial value's type.
    - layers_c5: the body yields values of these types.

    ```mlir
    %y = sinter.layers "blocks" count(5) from(1) index(%n) (%h = %x) : tensor<?x64xf32> {
      %r = sinter.relu %h : tensor<?x64xf32>
      sinter.yield %r : tensor<?x64xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$scope, I64Attr:$count,
                       DefaultValuedAttr<I64Attr, "0">:$first,
                       UnitAttr:$with_index,
                       Variadic<Sinter_ModelTensor>:$inits);
  let results = (outs Variadic<Sinter_ModelTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The block argument that holds the layer's number; null without `index`.
    ::mlir::BlockArgument getIndexArgument() {
      return getWithIndex() ? getBody().getArgument(0) : ::mlir::BlockArgument();
    }
    /// The block arguments that carry values from layer to layer.
    ::mlir::Block::BlockArgListType getCarried() {
      return getBody().getArguments().drop_front(getWithIndex() ? 1 : 0);
    }
  }];
}

def Sinter_YieldOp : Sinter_Op<"yield", [Pure, Terminator,
    ParentOneOf<["::sinter::LayersOp", "::sinter::AttentionOp", "::sinter::ScanOp"]>]> {
  let summary = "The values of a region";
  let description = [{
    Ends the body of `sinter.layers`, the rules of `sinter.attention` and, with
    `each` and `carry`, the step of `sinter.scan`; either may be absent where it
    is empty.

    Constraints:
    - yield_c1: `each` and `carry` are there only in a scan.

    ```mlir
    sinter.yield %h : tensor<?x64xf32>
    sinter.yield each(%y : tensor<?x32xf32>) carry(%h, %c : tensor<?x64xf32>, tensor<?x64xf32>)
    ```
  }];
  // `carried`: how many of the last values are states; absent outside of a scan.
  let arguments = (ins Variadic<AnyType>:$values, OptionalAttr<I64Attr>:$carried);
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins CArg<"::mlir::ValueRange", "{}">:$values), [{
      $_state.addOperands(values);
    }]>,
    OpBuilder<(ins "::mlir::ValueRange":$each, "::mlir::ValueRange":$carry), [{
      $_state.addOperands(each);
      $_state.addOperands(carry);
      $_state.getOrAddProperties<Properties>().carried =
          $_builder.getI64IntegerAttr(carry.size());
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Sinter_StateOp : Sinter_Op<"state", [Symbol]> {
  let summary = "A piece of a session's state";
  let description = [{
    Declares what a session keeps from call to call: a tensor, or a cache of
    keys and values. It is an implicit argument and result of every entry that
    uses it. State that was never written is zero. `dims` names its dynamic
    dimensions, whose capacities are given when a session starts; `<=` bounds
    one. `in "layers"` makes one copy for each layer of that scope.

    The second dimension of a cache names its capacity and its cursor: one i64
    per row of the batch, the number of positions that the row holds. All caches
    with that name share it. An entry sees the cursor as it was at its start; it
    moves once, at the end, by the sequence extent of what was appended, or by
    `lengths` per row.

    In a tensor of dynamic extents behind the first a name is a capacity too: a
    `write` may have any extents up to the capacities, which is checked before
    the entry writes anything, and a `read` has the extents of the last write.
    Before the first write they are 0. They belong to the state as a whole: after
    a write all rows have them. A row that the entry leaves alone (length 0)
    keeps its content, so then extents do not shrink, and the rows written are
    zero behind what was written. Tensors that one entry reads must have equal
    extents where dimensions have one name, and those of an argument that has it
    too; the call checks that.

    Rules for each copy in one entry, checked by `sinter-expand-entries`:
    at most one `write`, `append` or `fill`; `from` sees the content at entry
    start and is not mixed with the other two; all caches of a cursor move by
    the same lengths.

    Constraints:
    - state_c1: one bound (0: none) for each dimension name.
    - state_c2: a cache has two dimension names.
    - state_c3: the type is a cache or a ranked tensor of f32, i32 or i64.
    - state_c4: a tensor has one name for each dynamic dimension.
    - state_c5: a tensor has rows, its first dimension, which is dynamic if any
      other is. A constant number of rows in an entry is the session's.

    ```mlir
    sinter.state @hidden dims ["batch"] : tensor<?x128xf32>
    sinter.state @memory dims ["batch", "source" <= 100] : tensor<?x?x64xf32>
    sinter.state @kv in "layers" dims ["batch", "context" <= 512]
        : !sinter.cache<heads = 4, key = 8, value = 8, f32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<StrAttr>:$scope,
                       StrArrayAttr:$dims,
                       DenseI64ArrayAttr:$bounds,
                       TypeAttr:$type);
  let assemblyFormat = [{
    $sym_name (`in` $scope^)? `dims` custom<StateDims>($dims, $bounds) attr-dict
    `:` $type
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The cache type, or null for a tensor state.
    ::sinter::CacheType getCacheType() {
      return ::llvm::dyn_cast<::sinter::CacheType>(getType());
    }
    /// The name of a cache's second dimension: its capacity and its cursor.
    ::llvm::StringRef getCursor() {
      return ::llvm::cast<::mlir::StringAttr>(getDims()[1]).getValue();
    }
  }];
}

def Sinter_ReadOp : Sinter_Op<"read", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    MemoryEffects<[MemRead<Sinter_Session>]>]> {
  let summary = "A tensor state's content at entry start";
  let description = [{
    The content at entry start, also after a `sinter.write` in the same entry.
    Dynamic extents behind the first are those of the last write.

    Constraints:
    - read_c1: the state exists and is a tensor that fits the result.

    ```mlir
    %h = sinter.read @hidden : tensor<?x128xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$state);
  let results = (outs Sinter_ModelTensor:$result);
  let assemblyFormat = "$state attr-dict `:` type($result)";
}

def Sinter_WriteOp : Sinter_Op<"write", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    MemoryEffects<[MemWrite<Sinter_Session>]>]> {
  let summary = "Replace a tensor state's content";
  let description = [{
    The value becomes the state's content when the entry ends, and its extents
    the state's. A call with extents above the state's capacities is refused.

    Constraints:
    - write_c1: the state exists and is a tensor that fits the value.

    ```mlir
    sinter.write @hidden, %h : tensor<?x128xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$state, Sinter_ModelTensor:$value);
  let assemblyFormat = "$state `,` $value attr-dict `:` type($value)";
}

def Sinter_FillOp : Sinter_Op<"fill", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    MemoryEffects<[MemWrite<Sinter_Session>]>]> {
  let summary = "Replace a cache's content from position 0";
  let description = [{
    Replaces the content by the keys [B, S, G, D] and values [B, S, G, E]; the
    cursor becomes S, or `lengths` [B] per row.

    Constraints:
    - fill_c1: the state exists and is a cache.
    - fill_c2: key and value have 4 dimensions and agree in the first 3.
    - fill_c3: lengths are [B].
    - fill_c4: heads and sizes are the cache's.

    ```mlir
    sinter.fill @cross, %k, %v lengths(%n : tensor<?xi64>)
        : tensor<?x?x8x64xf32>, tensor<?x?x8x64xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$state, Sinter_F32Tensor:$key,
                       Sinter_F32Tensor:$value,
                       Optional<Sinter_LengthTensor>:$lengths);
  let assemblyFormat = [{
    $state `,` $key `,` $value (`lengths` `(` $lengths^ `:` type($lengths) `)`)?
    attr-dict `:` type($key) `,` type($value)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Sinter_RestartOp : Sinter_Op<"restart", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    MemoryEffects<[MemWrite<Sinter_Session>]>]> {
  let summary = "Set a cursor to 0";
  let description = [{
    Sets the cursor to 0 for all rows when the entry ends.

    Constraints:
    - restart_c1: a cache of the module has this cursor.

    ```mlir
    sinter.restart "target"
    ```
  }];
  let arguments = (ins StrAttr:$cursor);
  let assemblyFormat = "$cursor attr-dict";
}

def Sinter_EntryOp : Sinter_Op<"entry", [Symbol,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "An entry made of a function";
  let description = [{
    Makes a function of the compiled module, called like the symbol, from the
    given function. `with` binds a dimension (a name in `sinter.dims`) or an
    integer argument (a `sinter.name`; every element has the number), which then
    is no parameter. `keep` lists the results that stay; with the others goes
    all that only they need. A public function is an entry by itself.

    Constraints:
    - entry_c1: bound numbers are at least 0.
    - entry_c2: the function exists and has a body.
    - entry_c3: a bound name is a dimension or an integer argument.
    - entry_c4: a kept name is a result.

    ```mlir
    sinter.entry @prefill = @forward
    sinter.entry @decode = @forward with {sequence = 1} keep ["logits"]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$function,
                       OptionalAttr<DictionaryAttr>:$bindings,
                       OptionalAttr<StrArrayAttr>:$keep);
  let assemblyFormat = [{
    $sym_name `=` $function (`with` custom<Bindings>($bindings)^)?
    (`keep` $keep^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Names and numbers (i64 attributes) of `with`; empty without it.
    ::llvm::ArrayRef<::mlir::NamedAttribute> getBound() {
      return getBindingsAttr() ? getBindingsAttr().getValue()
                               : ::llvm::ArrayRef<::mlir::NamedAttribute>();
    }
    /// True if the entry has the result `name`: `keep` lists it or is absent.
    bool keeps(::llvm::StringRef name) {
      return !getKeepAttr() ||
             ::llvm::is_contained(
                 getKeepAttr().getAsValueRange<::mlir::StringAttr>(), name);
    }
  }];
}

#endif // SINTER_DIALECT_SINTER_IR_SINTERSTRUCTURE
