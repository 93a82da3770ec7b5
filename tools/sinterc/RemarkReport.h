//===- RemarkReport.h - what passes say of their decisions ------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TOOLS_SINTERC_REMARKREPORT_H
#define SINTER_TOOLS_SINTERC_REMARKREPORT_H

#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <utility>
#include <vector>

namespace sinter {

/// Prints the source line of `location`: "stories.mlir:34".
void printPlace(llvm::raw_ostream &os, mlir::Location location);

/// Collects the remarks of the passes on fusion and packing: what was fused,
/// what was not and why.
class RemarkReport {
public:
  /// Starts to collect the remarks of `context`, for as long as this lives.
  mlir::LogicalResult listen(mlir::MLIRContext &context);

  /// One line for each distinct remark, in order, with how often it was made.
  std::string text() const;

private:
  /// Distinct lines in order, and how often each was said.
  std::vector<std::pair<std::string, unsigned>> lines;
};

} // namespace sinter

#endif // SINTER_TOOLS_SINTERC_REMARKREPORT_H
