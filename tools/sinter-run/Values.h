//===- Values.h - Tensors on the command line and in files -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TOOLS_SINTERRUN_VALUES_H
#define SINTER_TOOLS_SINTERRUN_VALUES_H

#include "RunRequest.h"
#include "sinter/Reference/Tensor.h"
#include "llvm/ADT/StringMap.h"

namespace sinter::run {

/// Reads "FILE.npy" or "2x3xf32=1,2,...": as many values as elements, or one
/// for all.
llvm::Expected<Tensor> readValue(llvm::StringRef text,
                                 mlir::MLIRContext *context);

/// All values that the command line gives, by name; "random" gives none.
llvm::Expected<llvm::StringMap<Tensor>>
readValues(llvm::ArrayRef<NamedText> named, mlir::MLIRContext *context);

/// The value for a tensor of an entry: that of "ENTRY.TENSOR", else that of
/// "TENSOR", which serves all entries; null if there is none.
const Tensor *findValue(const llvm::StringMap<Tensor> &values,
                        llvm::StringRef entry, llvm::StringRef tensor);

/// "logits=1x2xf32=0.5,1" and a newline; what readValue accepts after the name.
void printValue(llvm::raw_ostream &os, llvm::StringRef name,
                const Tensor &value);

/// Writes a .npy file.
void writeValue(llvm::raw_ostream &os, const Tensor &value);

} // namespace sinter::run

#endif // SINTER_TOOLS_SINTERRUN_VALUES_H
