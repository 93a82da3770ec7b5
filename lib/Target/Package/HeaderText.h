//===- HeaderText.h - what the header says in words -------------*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_TARGET_PACKAGE_HEADERTEXT_H
#define SINTER_LIB_TARGET_PACKAGE_HEADERTEXT_H

#include "sinter/Target/Package/ModelInterface.h"

namespace sinter::package {

/// Model text inside a comment.
std::string comment(llvm::StringRef text);
/// Host memory of the handles of a model on a device, and device memory of its
/// weights, in bytes.
uint64_t deviceHandleBytes(const ModelInterface &model);
uint64_t sessionHandleBytes(const ModelInterface &model);
uint64_t deviceMemoryBytes(const ModelInterface &model);
/// A C string literal.
std::string quote(llvm::StringRef text);
/// "batch: 1 .. 2^31-1".
std::string describe(const SessionDim &dim);
std::string describe(const EntryDim &dim);
/// "[batch, 512], ids 0 .. 511 ...".
std::string describe(const EntryInterface &entry, const Tensor &tensor);

} // namespace sinter::package

#endif // SINTER_LIB_TARGET_PACKAGE_HEADERTEXT_H
