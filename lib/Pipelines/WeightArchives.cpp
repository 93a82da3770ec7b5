//===- WeightArchives.cpp - The archives that a module names --------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Pipelines/WeightPacker.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace sinter;

static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text = "[";
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(shape, stream);
  return text + "]";
}

SmallVector<std::string> WeightArchives::paths() const {
  SmallVector<std::string> result;
  for (const auto &entry : archives)
    result.push_back(entry.second->path().str());
  return result;
}

FailureOr<const ArchiveTensor *> WeightArchives::find(StringRef name,
                                                      StringRef file,
                                                      RankedTensorType type,
                                                      Location loc) {
  auto *known = archives.find(file);
  if (known == archives.end()) {
    SmallString<128> path(file);
    if (!llvm::sys::path::is_absolute(file) && !directory.empty()) {
      path = directory;
      llvm::sys::path::append(path, file);
    }
    auto archive = SafetensorsArchive::open(path);
    if (!archive) {
      emitError(loc) << llvm::toString(archive.takeError());
      return failure();
    }
    StringRef key = names.try_emplace(file).first->getKey();
    known = archives.insert({key, std::move(*archive)}).first;
  }
  auto tensor = known->second->find(name);
  if (!tensor) {
    emitError(loc) << llvm::toString(tensor.takeError());
    return failure();
  }
  if (ArrayRef<int64_t>((*tensor)->shape) != type.getShape())
    return emitError(loc) << "weight '" << name << "' has shape "
                          << shapeText((*tensor)->shape) << " in '" << file
                          << "', expected " << shapeText(type.getShape());
  if ((*tensor)->type != StoredType::F32 || !type.getElementType().isF32())
    return emitError(loc) << "weight '" << name << "' has type '"
                          << toString((*tensor)->type) << "' in '" << file
                          << "', expected 'F32'";
  return *tensor;
}

LogicalResult WeightArchives::check(StringRef name, StringRef file,
                                    RankedTensorType type, Location loc) {
  return find(name, file, type, loc);
}

FailureOr<Tensor> WeightArchives::load(StringRef name, StringRef file,
                                       RankedTensorType type, Location loc) {
  auto entry = find(name, file, type, loc);
  if (failed(entry))
    return failure();
  return *Tensor::fromBytes(type.getShape(), type.getElementType(),
                            (*entry)->bytes);
}
