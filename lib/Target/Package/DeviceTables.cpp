//===- DeviceTables.cpp - Records of kernels on a device ------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TableBuilder.h"
#include "runtime/model.h"

using namespace sinter::package;
using llvm::Constant;

/// A null byte follows: PTX is a string.
Constant *TableBuilder::bytes(llvm::StringRef content) {
  Constant *data = llvm::ConstantDataArray::getString(context, content);
  auto *global = new llvm::GlobalVariable(
      module, data->getType(), /*isConstant=*/true,
      llvm::GlobalValue::PrivateLinkage, data, "image");
  global->setAlignment(llvm::Align(SINTER_ALIGNMENT));
  return global;
}

Constant *TableBuilder::deviceKernel(const DeviceKernelCode &kernel,
                                     int64_t index) {
  llvm::SmallVector<Constant *> images;
  auto add = [&](const DeviceImage &image, int64_t kind) {
    images.push_back(
        record({number(image.capability), number(kind), bytes(image.bytes)}));
  };
  for (const DeviceImage &image : kernel.images)
    add(image, image.specific ? SINTER_IMAGE_SPECIFIC : SINTER_IMAGE_CODE);
  if (!kernel.ptx.bytes.empty())
    add(kernel.ptx, SINTER_IMAGE_PTX);
  return record({string(kernel.name), functionOrNull(kernel.name + "_tasks"),
                 functionOrNull(kernel.name + "_steps"), number(index),
                 number(kernel.threads), number(kernel.sharedBytes),
                 number(images.size()), array(images)});
}
