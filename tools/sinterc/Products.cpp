//===- Products.cpp - From a module to the parts of a package -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Products.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"

using namespace llvm;

namespace sinter {

void registerModelDialects(mlir::DialectRegistry &registry) {
  registry
      .insert<SinterDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect,
              mlir::math::MathDialect, mlir::tensor::TensorDialect>();
}

LogicalResult makeProducts(mlir::ModuleOp module, const CompileRequest &request,
                           Products &products) {
  raw_string_ostream os(products.product);
  module.print(os);
  return success();
}

} // namespace sinter
