//===- KernelTable.h - What each kernel of an entry stores -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TOOLS_SINTERRUN_KERNELTABLE_H
#define SINTER_TOOLS_SINTERRUN_KERNELTABLE_H

#include "mlir/IR/BuiltinOps.h"
#include "sinter/Execution/Manifest.h"
#include "sinter/Target/Package/ModelInterface.h"
#include "llvm/ADT/StringMap.h"

namespace sinter::run {

/// Model operations are numbered in program order over all entries; lowering
/// carries the numbers, in locations, to the kernels.
std::vector<mlir::Operation *> numberedOps(mlir::ModuleOp expanded);
/// Writes the numbers into the locations.
void numberLocations(mlir::ModuleOp expanded);

/// A tensor that a kernel stores completely, in row-major order.
struct KernelStore {
  /// Operations of which one has this value.
  llvm::SmallVector<unsigned> candidates;
  int slot = -1;   ///< of the workspace
  int tensor = -1; ///< or of the entry
  std::vector<execution::ExtentManifest> shape;
};

struct KernelLaunch {
  std::string kernel;
  std::vector<KernelStore> stores;
};

/// The launches of one entry in order, and where its workspace's slots lie.
struct EntryLaunches {
  std::vector<KernelLaunch> launches;
  package::SizeExpr prefixBytes;
  std::vector<package::SizeExpr> slotBytes;
};

using KernelTable = llvm::StringMap<EntryLaunches>;

/// Reads the launches of a module whose kernels are outlined. `ops`: what
/// numberedOps gave.
KernelTable readLaunches(mlir::ModuleOp module,
                         llvm::ArrayRef<mlir::Operation *> ops);

/// Adds the layout of the workspaces.
void addLayout(KernelTable &table, const package::ModelInterface &interface);

} // namespace sinter::run

#endif // SINTER_TOOLS_SINTERRUN_KERNELTABLE_H
