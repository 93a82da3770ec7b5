//===- Signature.h - What a model can be asked -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TOOLS_SINTERRUN_SIGNATURE_H
#define SINTER_TOOLS_SINTERRUN_SIGNATURE_H

#include "sinter/Execution/Manifest.h"
#include "llvm/Support/raw_ostream.h"

namespace sinter::run {

/// "[batch, 512] f32".
std::string describeTensor(const execution::TensorManifest &tensor);

/// Session, entries, dimensions and tensors, one a line.
void printSignature(llvm::raw_ostream &os, const execution::Manifest &manifest);

} // namespace sinter::run

#endif // SINTER_TOOLS_SINTERRUN_SIGNATURE_H
