//===- SinterInterfaces.td - interfaces of the model ops ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_SINTER_IR_SINTERINTERFACES
#define SINTER_DIALECT_SINTER_IR_SINTERINTERFACES

include "mlir/IR/OpBase.td"

def ResultExtentsOpInterface : OpInterface<"ResultExtentsOpInterface"> {
  let description = [{
    An op that knows every extent of its results as a constant or as an extent
    of an operand.
  }];
  let cppNamespace = "::sinter";
  let methods = [
    InterfaceMethod<[{
        The shape of each result. Fails only on an op that does not verify.
      }], "::mlir::LogicalResult", "getResultExtents",
      (ins "::llvm::SmallVectorImpl<::sinter::ResultShape> &":$results)>
  ];
}

#endif // SINTER_DIALECT_SINTER_IR_SINTERINTERFACES
