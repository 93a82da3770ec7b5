//===- Input.h - Models as sinterc reads them -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TOOLS_SINTERC_INPUT_H
#define SINTER_TOOLS_SINTERC_INPUT_H

#include "CompileRequest.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace sinter {

/// Reads the file (or stdin) into `sources`.
llvm::Error loadSource(llvm::StringRef path, llvm::SourceMgr &sources);

/// Parses the main buffer of `sources`; null where that emitted errors.
mlir::OwningOpRef<mlir::ModuleOp> parseModel(llvm::SourceMgr &sources,
                                             mlir::MLIRContext *context);

/// Gives the module its name and leaves only the entries that were asked for.
/// An error is a mistake in the command line.
llvm::Error selectEntries(mlir::ModuleOp module, const CompileRequest &request);

/// The archives that a model's weights name, as paths from here: relative names
/// are relative to the model's file. Sorted, without repetitions.
std::vector<std::string> archivesOf(mlir::ModuleOp module,
                                    llvm::StringRef modelPath);

/// Makes relative archive names, which count from the model's file, count from
/// the output's folder. Does nothing for stdin and stdout.
void relocateArchives(mlir::ModuleOp module, llvm::StringRef modelPath,
                      llvm::StringRef outputPath);

/// The make rule that -MD asks for.
std::string dependencyRule(const CompileRequest &request,
                           llvm::ArrayRef<std::string> files);

} // namespace sinter

#endif // SINTER_TOOLS_SINTERC_INPUT_H
