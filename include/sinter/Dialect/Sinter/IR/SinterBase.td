//===- SinterBase.td - the dialect, its types and shared classes ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_SINTER_IR_SINTERBASE
#define SINTER_DIALECT_SINTER_IR_SINTERBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "sinter/Dialect/Sinter/IR/SinterInterfaces.td"

def Sinter_Dialect : Dialect {
  let name = "sinter";
  let summary = "What a sequence model computes, on tensors";
  let description = [{
    A model is a module of functions on ranked tensors with value semantics. The
    dialect adds what `arith`, `math` and `tensor` lack: weights named in an
    archive, session state, repeated layers, and the operations of recurrent
    networks and Transformers. It names no target and no buffer.

    Letters of the shapes: B batch, T time (positions of the queries), S time of
    the keys, H heads, G key and value heads (G divides H; query head h uses
    key head h / (H / G)), D size of a query or key head, E size of a value
    head, K inputs and N outputs of a matrix, C channels, R rows of a table.

    Attributes of the dialect:
    - `sinter.archive` on the module: the safetensors file of the weights,
      relative to the `.mlir` file.
    - `sinter.name` on arguments and results of entries: the name in C.
    - `sinter.dims` beside it: one name per dynamic dimension, in order; equal
      names are one parameter in C.
  }];
  let cppNamespace = "::sinter";
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"
  ];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Adds the ops; apart, because their generated code is large.
    void registerOps();
  }];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class Sinter_Type<string name, string keyword> : TypeDef<Sinter_Dialect, name> {
  let mnemonic = keyword;
}

def Sinter_CacheType : Sinter_Type<"Cache", "cache"> {
  let summary = "Keys and values of the positions seen so far";
  let description = [{
    The type of a `sinter.state` that holds, for each row of the batch and up to
    a capacity of positions, `heads` keys of size `key` and values of size
    `value`. Its layout is the compiler's own.

    ```mlir
    !sinter.cache<heads = 4, key = 8, value = 8, f32>
    ```
  }];
  let parameters = (ins "int64_t":$heads, "int64_t":$key, "int64_t":$value,
                        "::mlir::Type":$elementType);
  let assemblyFormat = [{
    `<` `heads` `=` $heads `,` `key` `=` $key `,` `value` `=` $value `,`
    $elementType `>`
  }];
  let genVerifyDecl = 1;
}

def Sinter_F32Tensor : RankedTensorOf<[F32]>;
def Sinter_IndexTensor : RankedTensorOf<[I32, I64]>;
def Sinter_LengthTensor : RankedTensorOf<[I64]>;
def Sinter_ModelTensor : RankedTensorOf<[F32, I32, I64, I1]>;
def Sinter_MaskTensor : RankedTensorOf<[F32, I1]>;

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

def Sinter_Activation : I32EnumAttr<"Activation", "a feed-forward non-linearity", [
  I32EnumAttrCase<"Relu", 0, "relu">,
  I32EnumAttrCase<"Gelu", 1, "gelu">,
  I32EnumAttrCase<"GeluTanh", 2, "gelu_tanh">,
  I32EnumAttrCase<"Silu", 3, "silu">,
  I32EnumAttrCase<"Sigmoid", 4, "sigmoid">,
  I32EnumAttrCase<"Tanh", 5, "tanh">,
  I32EnumAttrCase<"Identity", 6, "identity">,
  I32EnumAttrCase<"QuickGelu", 7, "quick_gelu">,
  I32EnumAttrCase<"ReluSquared", 8, "relu_squared">,
  I32EnumAttrCase<"Mish", 9, "mish">
]> {
  let cppNamespace = "::sinter";
}

//===----------------------------------------------------------------------===//
// Base classes
//===----------------------------------------------------------------------===//

/// Where the state of a session lives; reads and writes of it keep their order.
def Sinter_Session : Resource<"::sinter::SessionResource">;

class Sinter_Op<string mnemonic, list<Trait> traits = []>
    : Op<Sinter_Dialect, mnemonic, traits>;

/// An op whose result shapes follow from its operands and attributes. It states
/// them once, in `resultShapes`; type inference, verification and the extents
/// at run time (`reifyResultShapes`) all follow from that.
class Sinter_ShapedOp<string mnemonic, list<Trait> traits = []>
    : Sinter_Op<mnemonic, !listconcat(traits, [
        InferTypeOpAdaptor,
        DeclareOpInterfaceMethods<ResultExtentsOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>])> {
  code shapeDeclaration = [{
    /// Shapes and element types of the results, or an error at `check`.
    static ::mlir::LogicalResult
    resultShapes(Adaptor adaptor, const ::sinter::ShapeCheck &check,
                 ::llvm::SmallVectorImpl<::sinter::ResultShape> &results);
  }];
  let extraClassDeclaration = shapeDeclaration;
  let extraClassDefinition = [{
    ::mlir::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, ::std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return inferTypes<$cppClass>(location, adaptor, types);
    }
    ::mlir::LogicalResult $cppClass::getResultExtents(
        ::llvm::SmallVectorImpl<::sinter::ResultShape> &results) {
      ::sinter::ShapeCheck silent(::std::nullopt, getOperationName());
      return resultShapes(Adaptor(*this), silent, results);
    }
    ::mlir::LogicalResult $cppClass::reifyResultShapes(
        ::mlir::OpBuilder &builder,
        ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      return reifyShapes(*this, builder, shapes);
    }
  }];
}

#endif // SINTER_DIALECT_SINTER_IR_SINTERBASE
