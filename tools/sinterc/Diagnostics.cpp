//===- Diagnostics.cpp - How sinterc shows diagnostics -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"
#include <cstdlib>

using namespace llvm;

namespace sinter {

static bool always(const raw_ostream &) { return true; }
static bool never(const raw_ostream &) { return false; }

void chooseColors(ColorMode mode) {
  // https://no-color.org: set and not empty.
  const char *noColor = std::getenv("NO_COLOR");
  if (mode == ColorMode::Auto && noColor && *noColor)
    mode = ColorMode::Never;
  if (mode == ColorMode::Always) {
    WithColor::setAutoDetectFunction(always);
    sys::Process::UseANSIEscapeCodes(true);
    errs().enable_colors(true);
  } else if (mode == ColorMode::Never) {
    WithColor::setAutoDetectFunction(never);
  }
}

void printError(const Twine &message) {
  WithColor::error(errs(), "sinterc") << message << '\n';
}

DiagnosticPrinter::DiagnosticPrinter(SourceMgr &sources,
                                     mlir::MLIRContext *context,
                                     const CompileRequest &request)
    : request(request), context(context), printer(sources, context, errs()) {
  // Registered last, so it is asked first.
  filterID = context->getDiagEngine().registerHandler(
      [this](mlir::Diagnostic &diagnostic) { return filter(diagnostic); });
}

DiagnosticPrinter::~DiagnosticPrinter() {
  context->getDiagEngine().eraseHandler(filterID);
  if (errors > request.maxErrors)
    printError(Twine(errors - request.maxErrors) +
               " more errors; '--max-errors' shows more");
}

LogicalResult DiagnosticPrinter::filter(mlir::Diagnostic &diagnostic) {
  switch (diagnostic.getSeverity()) {
  case mlir::DiagnosticSeverity::Warning:
    if (request.warningsAreErrors) {
      mlir::emitError(diagnostic.getLocation()) << diagnostic.str();
      return success();
    }
    return success(request.noWarnings);
  case mlir::DiagnosticSeverity::Error:
    return success(++errors > request.maxErrors);
  case mlir::DiagnosticSeverity::Note:
  case mlir::DiagnosticSeverity::Remark:
    return failure();
  }
  llvm_unreachable("all severities are handled");
}

} // namespace sinter
