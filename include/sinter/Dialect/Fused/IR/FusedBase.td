//===- FusedBase.td - The kernel dialect: types, attributes ---------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_FUSED_IR_FUSEDBASE
#define SINTER_DIALECT_FUSED_IR_FUSEDBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Fused_Dialect : Dialect {
  let name = "fused";
  let cppNamespace = "::sinter::fused";
  let summary = "Kernels as loop nests with scalar regions";
  let description = [{
    Every op that computes is one loop nest, one of five skeletons: `contract`, `attention`, `normalize`, `recurrence`
    and `map`. What differs between models is in regions of scalar code. Regions are isolated from above; a region's
    arguments are the op's own values first, then its captures.

    A skeleton names its iteration dimensions (`dims(b, t, n, k)`). Operands are read and written through affine maps
    over those dimensions, written `%x by (b, t, k)`. Maps are over logical coordinates; how a tensor lies in memory is
    its encoding, `#fused.layout`.

    Skeleton ops are in destination-passing style: on tensors each `outs` operand has a result, on memrefs
    (after `--fused-plan-memory`) there are no results. No op of this dialect knows which model op it came from.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

class Fused_Op<string mnemonic, list<Trait> traits = []> : Op<Fused_Dialect, mnemonic, traits>;

def Fused_LayoutAttr : AttrDef<Fused_Dialect, "Layout", [
    DeclareAttrInterfaceMethods<MemRefLayoutAttrInterface, ["isIdentity", "getStridesAndOffset", "verifyLayout"]>]> {
  let mnemonic = "layout";
  let summary = "How a tensor or memref lies in memory";
  let description = [{
    Maps logical coordinates to physical ones. The physical shape is row-major and contiguous; each physical extent is the
    smallest that holds all logical coordinates, so `floordiv` extents round up; `mod` extents are the divisor, whatever
    the logical extent, and the rest of the last block is padding.

    ```mlir
    // Weight panels: 16 columns side by side, zero padded.
    #panels = #fused.layout<(k, n) -> (n floordiv 16, k, n mod 16)>
    ```
  }];
  let parameters = (ins "::mlir::AffineMap":$map);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// The layout of a tensor of `rank` dimensions in panels of `panelWidth` positions of dimension `blocked`, in which
    /// dimension `inner` runs over the panel's rows: (.., blocked floordiv 16, inner, blocked mod 16). The other dimensions
    /// come first, in order.
    static LayoutAttr getPanels(::mlir::MLIRContext *context, unsigned rank, unsigned blocked, unsigned inner);
    /// Whether this is `getPanels` of these dimensions.
    bool isPanels(unsigned blocked, unsigned inner) const;
    /// Positions of a panel of dimension `dim`; 1 where the dimension is not in panels.
    int64_t getPanelWidth(unsigned dim) const;
    /// Logical extents (the map's dimensions) to physical ones: `n floordiv 16` has extent `n ceildiv 16`.
    ::mlir::AffineMap getExtentMap() const;
    /// Extents of the physical shape for a logical one; kDynamic where a dynamic extent is involved.
    ::llvm::SmallVector<int64_t> physicalShape(::llvm::ArrayRef<int64_t> logical) const;
  }];
}

/// !fused.units<512xf32>: one number per row and unit, alive within a step of a recurrence.
def Fused_UnitsType : TypeDef<Fused_Dialect, "Units"> {
  let mnemonic = "units";
  let summary = "One number per row and unit within a step of a recurrence";
  let parameters = (ins "int64_t":$size, "::mlir::Type":$elementType);
  let assemblyFormat = "`<` custom<Units>($size, $elementType) `>`";
}

def Fused_Reduction : I32EnumAttr<"Reduction", "how numbers are reduced", [
    I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"max", 1>]> {
  let cppNamespace = "::sinter::fused";
  let genSpecializedAttr = 0;
}
def Fused_ReductionAttr : EnumAttr<Fused_Dialect, Fused_Reduction, "reduction"> {
  let assemblyFormat = "`<` $value `>`";
}
def Fused_ReductionArrayAttr : TypedArrayAttrBase<Fused_ReductionAttr, "reductions">;

def Fused_Shaped : AnyTypeOf<[AnyRankedTensor, AnyMemRef]>;
def Fused_Lengths : AnyTypeOf<[1DTensorOf<[I64]>, MemRefRankOf<[I64], [1]>]>;

#endif // SINTER_DIALECT_FUSED_IR_FUSEDBASE
