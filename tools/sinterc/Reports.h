//===- Reports.h - What --print-signature and its kin print -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TOOLS_SINTERC_REPORTS_H
#define SINTER_TOOLS_SINTERC_REPORTS_H

#include "CompileRequest.h"
#include "mlir/IR/BuiltinOps.h"
#include "sinter/Target/Package/ModelInterface.h"
#include <map>

namespace sinter {

/// Entries with their arguments and results, and the session.
std::string printSignature(const package::ModelInterface &model);

/// What kernels leave in the slots of an entry's workspace, a line for each
/// tensor, in order.
struct SlotContents {
  std::map<std::pair<std::string, int64_t>, std::vector<std::string>> lines;
};
/// `module` is one of launches.
SlotContents listSlots(mlir::ModuleOp module);

/// Bytes of weights, session, workspace slots and scratch; what lies in the
/// slots.
std::string printMemoryPlan(const package::ModelInterface &model,
                            const SlotContents &contents);

/// Per entry the kernels in order, each with the place in the model that it
/// comes from. `module` is one of launches.
std::string explainKernels(mlir::ModuleOp module);

/// The passes, as sinter-opt's --pass-pipeline takes them.
std::string printPipeline(const CompileRequest &request);

} // namespace sinter

#endif // SINTER_TOOLS_SINTERC_REPORTS_H
