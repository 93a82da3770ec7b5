//===- RandomInputs.h - Inputs that look for trouble -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_EXECUTION_RANDOMINPUTS_H
#define SINTER_EXECUTION_RANDOMINPUTS_H

#include "sinter/Execution/CompiledSession.h"
#include "llvm/ADT/StringSet.h"
#include <random>

namespace sinter::execution {

/// Draws inputs of entries. Floats are uniform in [-1, 1], ids in their range,
/// other integers in 0 .. 15; past a row's length floats are NaN and integers
/// the least of their type.
class RandomInputs {
public:
  explicit RandomInputs(uint64_t seed) : engine(seed) {}

  /// One float in 16 is 200 times as large.
  bool hasLargeValues = false;
  /// Lengths in 0 .. full; else they are not given, which means full.
  bool isRagged = false;
  /// Inputs that mask attention: -inf or 0 among others, false as often as
  /// true; some rows are masked completely.
  llvm::StringSet<> masks;

  /// Adds to `inputs` all inputs of `entry` that it lacks.
  void draw(const EntryManifest &entry, llvm::ArrayRef<int64_t> dims,
            mlir::MLIRContext *context, llvm::StringMap<Tensor> &inputs);
  /// A tensor without lengths, masks or ids.
  Tensor draw(llvm::ArrayRef<int64_t> shape, mlir::Type type);

private:
  // Own arithmetic: the standard's distributions differ between libraries.
  uint64_t below(uint64_t bound) { return bound ? engine() % bound : 0; }
  double real();
  Tensor drawLengths(const EntryManifest &entry, const TensorManifest &tensor,
                     llvm::ArrayRef<int64_t> dims, mlir::MLIRContext *context);
  Tensor drawMask(llvm::ArrayRef<int64_t> shape, mlir::Type type);
  Tensor drawIds(llvm::ArrayRef<int64_t> shape, mlir::Type type, int64_t limit);

  std::mt19937_64 engine;
};

/// Makes everything past a row's length unusable.
void spoilPastLengths(Tensor &tensor, const Tensor &lengths);

} // namespace sinter::execution

#endif // SINTER_EXECUTION_RANDOMINPUTS_H
