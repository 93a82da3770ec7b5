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

#include "llvm/ADT/ArrayRef.h"

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

/// A check whose sentence is the same in all models.
struct CheckRow {
  unsigned number;
  int kind;
  /// Null: it is not of one function.
  const char *function;
  const char *sentence;
};

/// Sentences that several checks have.
namespace sentences {
inline constexpr char noSession[] = "session is NULL";
inline constexpr char badSession[] =
    "session is not an initialised session of this model's build";
inline constexpr char noRow[] = "the session has no such row";
inline constexpr char noMemory[] = "memory is NULL";
inline constexpr char unalignedMemory[] = "memory is not aligned to 64 bytes";
inline constexpr char noWeights[] = "weights is NULL";
inline constexpr char badWeights[] = "weights are not this model's";
inline constexpr char noWorkspace[] = "workspace is NULL";
inline constexpr char unalignedWorkspace[] =
    "workspace is not aligned to 64 bytes";
} // namespace sentences

/// Sets checks `first` + number of functions `<name>_<function>`, or of `name`
/// where a row has no function.
void setChecks(llvm::ArrayRef<CheckRow> rows, unsigned first,
               const std::string &name, std::vector<Check> &checks);
/// Sets those of session and weights.
void setModelChecks(const std::string &prefix, std::vector<Check> &checks);
/// Sets those of a model on a device where they are not a processor's.
void setDeviceChecks(const ModelInterface &model, std::vector<Check> &checks);

} // namespace sinter::package

#endif // SINTER_LIB_TARGET_PACKAGE_CHECKS_H
