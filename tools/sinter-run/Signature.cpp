//===- Signature.cpp - What a model can be asked -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Signature.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace sinter::run {

using execution::TensorManifest;

std::string describeTensor(const TensorManifest &tensor) {
  std::string text = "[";
  for (auto [i, extent] : enumerate(tensor.shape))
    text += (i ? ", " : "") +
            (extent.name.empty() ? std::to_string(extent.value) : extent.name);
  return text + "] " + sinter::toString(tensor.type).str();
}

static void printDims(raw_ostream &os, ArrayRef<execution::DimManifest> dims,
                      bool onlyArguments) {
  ListSeparator comma;
  for (const execution::DimManifest &dim : dims) {
    if (onlyArguments && !dim.isArgument)
      continue;
    os << comma << dim.name << ": " << dim.lower << " .. ";
    if (dim.upper == INT32_MAX)
      os << "2^31-1";
    else
      os << dim.upper;
  }
}

static void printTensor(raw_ostream &os, const TensorManifest &tensor) {
  os << (tensor.role == TensorManifest::Output ? "    -> " : "    ")
     << tensor.name << ": " << describeTensor(tensor);
  if (tensor.role == TensorManifest::Lengths)
    os << ", or none: every row is full";
  if (tensor.limit > 0)
    os << ", 0 .. " << tensor.limit - 1;
  os << '\n';
}

void printSignature(raw_ostream &os, const execution::Manifest &manifest) {
  os << manifest.name << " (" << manifest.target << ")\n";
  if (manifest.hasSession) {
    os << "  session(";
    printDims(os, manifest.sessionDims, /*onlyArguments=*/false);
    os << ")\n";
  }
  for (const execution::EntryManifest &entry : manifest.entries) {
    os << "  @" << entry.name << '(';
    printDims(os, entry.dims, /*onlyArguments=*/true);
    os << ")\n";
    for (const TensorManifest &tensor : entry.tensors)
      printTensor(os, tensor);
  }
}

} // namespace sinter::run
