//===- Descriptor.h - a model's tables and C API in an LLVM module --*- C++
//-*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TARGET_PACKAGE_DESCRIPTOR_H
#define SINTER_TARGET_PACKAGE_DESCRIPTOR_H

#include "sinter/Target/Package/ModelInterface.h"
#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class Module;
} // namespace llvm

namespace sinter::package {

/// Gives `module` the constant tables of the runtime (runtime/model.h) and the
/// exported functions of the C API, typed as in the header. The module must
/// define `void <entry>_run(ptr)` for every entry and `<kernel>` for every
/// kernel (`<kernel>_tasks` and `<kernel>_steps` where there are such; on a
/// device these alone, the code being in model.deviceKernels), may
/// declare `<kernel>_kernel` and sinter_launch, and gets a definition of the
/// former; all that it defines becomes internal. `weights` is the blob
/// (model.weights.bytes long); it becomes a constant of the module if embedded.
/// Fails, naming what is missing, when the interface does not verify or the
/// module lacks a function.
llvm::Error emitDescriptor(llvm::Module &module, const ModelInterface &model,
                           llvm::ArrayRef<char> weights);

/// Links the runtime of the model's target into `module`, internal. After
/// emitDescriptor.
llvm::Error linkRuntime(llvm::Module &module, const ModelInterface &model);

} // namespace sinter::package

#endif // SINTER_TARGET_PACKAGE_DESCRIPTOR_H
