//===- Checks.h - the sentences of all statuses --------------- -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_TARGET_PACKAGE_CHECKS_H
#define SINTER_LIB_TARGET_PACKAGE_CHECKS_H

#include "sinter/Target/Package/ModelInterface.h"

namespace sinter::package {

/// A status: its kind (SINTER_ARGUMENT ...) and the sentence that names entry
/// and parameter.
struct Check {
  int kind = 0;
  std::string sentence;
};

/// All checks of a model, numbered as in runtime/model.h; entry 0 is unused.
std::vector<Check> buildChecks(const ModelInterface &model);
/// Extents of tensor states that an entry reads, and those that it writes.
unsigned numExtentReads(const ModelInterface &model,
                        const EntryInterface &entry);
unsigned numExtentWrites(const EntryInterface &entry);
/// Number of an entry's first check.
unsigned firstCheck(const ModelInterface &model, unsigned entry);
/// Number of the first check of a model on a device.
unsigned deviceChecks(const ModelInterface &model);
/// One past the last number.
unsigned numChecks(const ModelInterface &model);

/// Sets the sentences of a model on a device where they are not a processor's.
void setDeviceChecks(const ModelInterface &model, std::vector<Check> &checks);

} // namespace sinter::package

#endif // SINTER_LIB_TARGET_PACKAGE_CHECKS_H
