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
    ParentOneOf<["::sinter::LayersOp", "::sinter::AttentionOp"]>]> {
  let summary = "The values of a region";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Sinter_StateOp : Sinter_Op<"state", [Symbol]> {
  let summary = "A piece of a session's state";
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
  let arguments = (ins FlatSymbolRefAttr:$state);
  let results = (outs Sinter_ModelTensor:$result);
  let assemblyFormat = "$state attr-dict `:` type($result)";
}

def Sinter_WriteOp : Sinter_Op<"write", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    MemoryEffects<[MemWrite<Sinter_Session>]>]> {
  let summary = "Replace a tensor state's content";
  let arguments = (ins FlatSymbolRefAttr:$state, Sinter_ModelTensor:$value);
  let assemblyFormat = "$state `,` $value attr-dict `:` type($value)";
}

def Sinter_FillOp : Sinter_Op<"fill", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    MemoryEffects<[MemWrite<Sinter_Session>]>]> {
  let summary = "Replace a cache's content from position 0";
  let arguments = (ins FlatSymbolRefAttr:$state, Sinter_F32Tensor:$key,
                       Sinter_F32Tensor:$value,
                       Optional<Sinter_LengthTensor>:$lengths);
  let assemblyFormat = [{
    $state `,` $key `,` $value (`lengths` `(` $lengths^ `:` type($lengths) `)`)?
    attr-dict `:` type($key) `,` type($value)
  }];
  let hasVerifier = 1;
}

def Sinter_RestartOp : Sinter_Op<"restart", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    MemoryEffects<[MemWrite<Sinter_Session>]>]> {
  let summary = "Set a cursor to 0";
  let arguments = (ins StrAttr:$cursor);
  let assemblyFormat = "$cursor attr-dict";
}

def Sinter_EntryOp : Sinter_Op<"entry", [Symbol,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "An entry made of a function";
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
