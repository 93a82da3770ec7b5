//===- DeviceFiles.h - The embedded files of device/ ------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_FUSEDTOCUDA_DEVICEFILES_H
#define SINTER_LIB_CONVERSION_FUSEDTOCUDA_DEVICEFILES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace sinter::cuda {

struct DeviceFile {
  llvm::StringLiteral name, text;
};

/// Written at build by EmbedDevice.cmake.
extern const llvm::ArrayRef<DeviceFile> deviceFiles;

} // namespace sinter::cuda

#endif // SINTER_LIB_CONVERSION_FUSEDTOCUDA_DEVICEFILES_H
