//===- CodeImages.h - Code loaded from bytes or from a library -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_EXECUTION_CODEIMAGES_H
#define SINTER_LIB_EXECUTION_CODEIMAGES_H

#include "sinter/Execution/LoadedModel.h"

namespace sinter::execution {

/// Links an object file in process.
llvm::Expected<std::unique_ptr<CodeImage>> loadObject(llvm::StringRef object);

/// Opens a shared object.
llvm::Expected<std::unique_ptr<CodeImage>> loadShared(llvm::StringRef path);

/// The prefix of the model whose API an ELF file defines.
llvm::Expected<std::string> findPrefix(llvm::StringRef elfFile);

} // namespace sinter::execution

#endif // SINTER_LIB_EXECUTION_CODEIMAGES_H
