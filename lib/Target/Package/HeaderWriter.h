//===- HeaderWriter.h - The generated C header ------------------*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_TARGET_PACKAGE_HEADERWRITER_H
#define SINTER_LIB_TARGET_PACKAGE_HEADERWRITER_H

#include "HeaderText.h"
#include "sinter/Target/Package/ModelInterface.h"
#include "llvm/Support/raw_ostream.h"

namespace sinter::package {

/// What stands in the header but not in the hash of the interface.
struct Identity {
  uint32_t abi = 0;
  uint64_t model = 0;
  uint64_t stack = 0;
  std::string version;
};

class HeaderWriter {
public:
  HeaderWriter(const ModelInterface &model, const Identity &identity)
      : model(model), identity(identity), prefix(model.prefix()),
        upper(llvm::StringRef(prefix).upper()), os(text) {}
  std::string write();

private:
  void writeIdentity();
  void writeSizes();
  void writeEntrySizes(const EntryInterface &entry);
  void writeRules();
  void writeWeights();
  void writeSession();
  void writeCursorFunctions();
  void writeExtents(const EntryInterface &entry);
  void writeEntry(const EntryInterface &entry);
  void writeParameters(const EntryInterface &entry, size_t indent);
  void writeAbout();
  void writeGuard();

  /// The same for a model on a device.
  void writeDeviceIdentity();
  void writeDeviceRules();
  void writeDevice();
  void writeDeviceSession();
  void writeDeviceCursorFunctions();

  /// #define <PREFIX>_<name>(<dims>) <bytes>; without dims, a plain number.
  void define(const std::string &name, std::vector<std::string> dims,
              const SizeExpr &value);
  bool externalWeights() const {
    return model.weights.bytes && !model.weights.embedded;
  }
  std::string api() const { return upper + "_API "; }
  std::string cursorSuffix(const Cursor &cursor) const {
    return model.cursors.size() > 1 ? "_" + cIdentifier(cursor.name) : "";
  }
  std::string cursorWords(const Cursor &cursor) const {
    return model.cursors.size() > 1 ? " of " + comment(cursor.name) : "";
  }
  /// "int64_t batch, int64_t context" and what is said of them.
  std::string sessionParameters() const;
  std::string sessionDescription() const;
  std::string check() const { return api() + "SINTER_CHECK sinter_status "; }

  const ModelInterface &model;
  const Identity &identity;
  std::string prefix, upper, text;
  llvm::raw_string_ostream os;
};

} // namespace sinter::package

#endif // SINTER_LIB_TARGET_PACKAGE_HEADERWRITER_H
