//===- Products.h - From a module to the parts of a package -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TOOLS_SINTERC_PRODUCTS_H
#define SINTER_TOOLS_SINTERC_PRODUCTS_H

#include "CompileRequest.h"
#include "mlir/IR/BuiltinOps.h"

namespace sinter {

/// The bytes of what a request asks for; parts that it does not ask for stay
/// empty.
struct Products {
  std::string product; ///< of kind CompileRequest::emit
  std::string header;
  std::string manifest;
  std::vector<char> weights;
  std::string signature;
  std::string memoryPlan;
  std::string explanation;
  std::string pipeline;
  std::string deviceKernels; ///< what -v says of those for GPUs
  uint64_t codeBytes = 0;    ///< of the text section
  uint64_t weightBytes = 0;  ///< embedded or not
  uint64_t stackBytes = 0;   ///< what a call and each worker use at most
};

/// Runs passes and code generation as far as the request needs them. Emits
/// located errors.
llvm::LogicalResult makeProducts(mlir::ModuleOp module,
                                 const CompileRequest &request,
                                 Products &products);

/// The dialects that a model may use.
void registerModelDialects(mlir::DialectRegistry &registry);

} // namespace sinter

#endif // SINTER_TOOLS_SINTERC_PRODUCTS_H
