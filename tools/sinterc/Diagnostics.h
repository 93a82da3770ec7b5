//===- Diagnostics.h - How sinterc shows diagnostics -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TOOLS_SINTERC_DIAGNOSTICS_H
#define SINTER_TOOLS_SINTERC_DIAGNOSTICS_H

#include "CompileRequest.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"

namespace sinter {

/// Makes stderr coloured or plain, as --color, NO_COLOR and the terminal say.
void chooseColors(ColorMode mode);

/// Prints "sinterc: error: ..." for what has no place in the input.
void printError(const llvm::Twine &message);

/// Prints diagnostics with their line and a caret; applies -Werror, -w and
/// --max-errors.
class DiagnosticPrinter {
public:
  DiagnosticPrinter(llvm::SourceMgr &sources, mlir::MLIRContext *context,
                    const CompileRequest &request);
  ~DiagnosticPrinter();

  unsigned errorCount() const { return errors; }

private:
  /// Success means that the diagnostic is dealt with.
  llvm::LogicalResult filter(mlir::Diagnostic &diagnostic);

  const CompileRequest &request;
  mlir::MLIRContext *context;
  mlir::SourceMgrDiagnosticHandler printer;
  mlir::DiagnosticEngine::HandlerID filterID;
  unsigned errors = 0;
};

} // namespace sinter

#endif // SINTER_TOOLS_SINTERC_DIAGNOSTICS_H
