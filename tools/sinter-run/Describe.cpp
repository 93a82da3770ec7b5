//===- Describe.cpp - Entries as the expanded module has them -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelSource.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"
#include "sinter/Execution/CompiledSession.h"

using namespace llvm;

namespace sinter::run {

using execution::EntryManifest;
using execution::TensorManifest;

/// Whether a lengths(...) clause names the argument.
static bool isLengths(mlir::BlockArgument argument) {
  return any_of(argument.getUsers(), [&](mlir::Operation *user) {
    std::optional<LengthsClause> clause = getLengthsClause(user);
    return clause && clause->lengths == argument;
  });
}

static void addDim(std::vector<execution::DimManifest> &dims, StringRef name,
                   bool isArgument) {
  for (const execution::DimManifest &dim : dims)
    if (dim.name == name)
      return;
  dims.push_back({name.str(), 0, INT32_MAX, isArgument, ""});
}

static TensorManifest describeValue(mlir::Type type, mlir::StringAttr name,
                                    mlir::ArrayAttr dims,
                                    EntryManifest &entry) {
  TensorManifest tensor;
  tensor.name = name ? name.str() : "";
  auto shaped = dyn_cast<mlir::RankedTensorType>(type);
  tensor.type = execution::storedTypeOf(getElementTypeOrSelf(type));
  size_t next = 0;
  for (int64_t extent : shaped ? shaped.getShape() : ArrayRef<int64_t>()) {
    if (!mlir::ShapedType::isDynamic(extent)) {
      tensor.shape.push_back({"", extent});
      continue;
    }
    std::string dim =
        dims && next < dims.size()
            ? cast<mlir::StringAttr>(dims[next]).str()
            : tensor.name + "_" + std::to_string(tensor.shape.size());
    ++next;
    addDim(entry.dims, dim, /*isArgument=*/true);
    tensor.shape.push_back({dim, 0});
  }
  return tensor;
}

static EntryManifest describeEntry(mlir::func::FuncOp function) {
  EntryManifest entry;
  entry.name = function.getName().str();
  for (mlir::BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    entry.tensors.push_back(describeValue(
        argument.getType(),
        function.getArgAttrOfType<mlir::StringAttr>(i, nameAttrName),
        function.getArgAttrOfType<mlir::ArrayAttr>(i, dimsAttrName), entry));
    if (isLengths(argument))
      entry.tensors.back().role = TensorManifest::Lengths;
  }
  // Extents of results follow from the inputs; only their names count here.
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    TensorManifest tensor;
    if (auto name =
            function.getResultAttrOfType<mlir::StringAttr>(i, nameAttrName))
      tensor.name = name.str();
    tensor.role = TensorManifest::Output;
    entry.tensors.push_back(tensor);
  }
  return entry;
}

execution::Manifest ModelSource::describe() {
  execution::Manifest manifest;
  manifest.name = reference->getSymName()->str();
  manifest.target = "reference";
  for (StateOp state : reference->getOps<StateOp>()) {
    manifest.hasSession = true;
    for (auto dim : state.getDims().getAsRange<mlir::StringAttr>())
      addDim(manifest.sessionDims, dim.getValue(), /*isArgument=*/false);
  }
  for (auto function : reference->getOps<mlir::func::FuncOp>())
    manifest.entries.push_back(describeEntry(function));
  return manifest;
}

} // namespace sinter::run
