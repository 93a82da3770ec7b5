//===- RandomWeights.cpp - Archives of random numbers -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomWeights.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"
#include "sinter/Execution/RandomInputs.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace llvm;

namespace sinter::run {

using TensorTypes = MapVector<StringRef, mlir::RankedTensorType>;

static MapVector<StringRef, TensorTypes> archivesOf(mlir::ModuleOp module) {
  MapVector<StringRef, TensorTypes> archives;
  auto fallback = module->getAttrOfType<mlir::StringAttr>(archiveAttrName);
  module.walk([&](WeightOp op) {
    StringRef file = op.getFile() ? *op.getFile()
                     : fallback   ? fallback.getValue()
                                  : StringRef();
    for (auto [name, result] : zip_equal(
             op.getNames().getAsRange<mlir::StringAttr>(), op.getResults()))
      archives[file].insert(
          {name.getValue(), cast<mlir::RankedTensorType>(result.getType())});
  });
  return archives;
}

/// Matrices are scaled so that values keep their size from layer to layer: a
/// recurrence with larger ones is chaotic, and no tolerance then means much.
static Tensor drawWeight(mlir::RankedTensorType type,
                         execution::RandomInputs &random) {
  Tensor weight = random.draw(type.getShape(), type.getElementType());
  double terms = type.getRank() < 2 ? 1 : type.getShape().back();
  double scale = std::min(1.0, std::sqrt(3 / std::max(terms, 1.0)));
  for (int64_t i = 0, e = weight.size(); i < e; ++i)
    weight.real(i) *= scale;
  return weight;
}

static void writeArchive(raw_ostream &os, const TensorTypes &tensors,
                         execution::RandomInputs &random) {
  std::string data;
  json::Object header;
  for (const auto &[name, type] : tensors) {
    int64_t begin = static_cast<int64_t>(data.size());
    std::vector<char> bytes = drawWeight(type, random).toBytes();
    data.append(bytes.begin(), bytes.end());
    header[name] =
        json::Object{{"dtype", "F32"},
                     {"shape", json::Array(type.getShape())},
                     {"data_offsets",
                      json::Array{begin, static_cast<int64_t>(data.size())}}};
  }
  std::string text;
  raw_string_ostream(text) << json::Value(std::move(header));
  text.resize((text.size() + 7) / 8 * 8, ' ');
  char size[8];
  support::endian::write64le(size, text.size());
  os << StringRef(size, 8) << text << data;
}

Expected<std::string> writeRandomWeights(mlir::ModuleOp module, uint64_t seed) {
  SmallString<64> folder;
  if (std::error_code code =
          sys::fs::createUniqueDirectory("sinter-run", folder))
    return createStringError(code, "cannot make a temporary folder");
  execution::RandomInputs random(seed ^ 0x77656967687473);
  for (const auto &[file, tensors] : archivesOf(module)) {
    // A weight without an archive gets its error where it is read.
    if (file.empty())
      continue;
    if (sys::path::filename(file) != file)
      return createStringError("'--random-weights' needs archives beside the "
                               "model, not '" +
                               file + "'");
    SmallString<128> path(folder);
    sys::path::append(path, file);
    std::error_code code;
    raw_fd_ostream os(path, code);
    if (code)
      return createStringError(code, "cannot write '" + path.str() + "'");
    writeArchive(os, tensors, random);
  }
  return folder.str().str();
}

void removeRandomWeights(StringRef folder) {
  sys::fs::remove_directories(folder);
}

} // namespace sinter::run
