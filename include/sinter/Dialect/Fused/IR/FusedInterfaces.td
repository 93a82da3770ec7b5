//===- FusedInterfaces.td - What all skeletons share ----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_FUSED_IR_FUSEDINTERFACES
#define SINTER_DIALECT_FUSED_IR_FUSEDINTERFACES

include "mlir/IR/OpBase.td"

def Fused_SkeletonInterface : OpInterface<"SkeletonInterface"> {
  let cppNamespace = "::sinter::fused";
  let description = [{ One loop nest, one kernel: an op whose operands are read and written through affine maps. }];
  let methods = [
    InterfaceMethod<"Names of the iteration dimensions.", "::mlir::ArrayAttr", "getDims">,
    InterfaceMethod<"Extents fixed by a number, else kDynamic.", "::llvm::ArrayRef<int64_t>", "getExtents">,
    InterfaceMethod<[{All operands with the map through which they are accessed (null: as a whole), including those of nested
      segments and phases. An operand may appear more than once.}],
      "::llvm::SmallVector<std::pair<::mlir::Value, ::mlir::AffineMap>>", "getAccesses">,
  ];
  let extraSharedClassDeclaration = [{
    /// The operand and its dimension whose extent is the extent of iteration dimension `dim`: {value, index} of some access whose
    /// map has `dim` as a plain result; a null value if only `getExtents()` tells.
    std::pair<::mlir::Value, unsigned> getExtentSource(unsigned dim) {
      return ::sinter::fused::detail::getExtentSource($_op.getOperation(), dim);
    }
  }];
}

#endif // SINTER_DIALECT_FUSED_IR_FUSEDINTERFACES
