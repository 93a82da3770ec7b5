//===- MaskOracle.h - A mask, its analysis and brute force ------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mask is a function from (b, h, q, k, captures ...) to i1. For boxes of
// constants the analysis folds to constants, and so does the mask itself at one
// point: the folder is the oracle.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TEST_UNIT_ANALYSIS_MASKORACLE_H
#define SINTER_TEST_UNIT_ANALYSIS_MASKORACLE_H

#include "sinter/Analysis/MaskTiles.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace sinter::test {

struct Box {
  int64_t q0, q1, k0, k1;
};

class Mask {
public:
  static constexpr int64_t head = 3, rows = 4, columns = 5, numbers = 6;

  /// `body` is code that defines %r. Captures are %n, an index that is the same
  /// everywhere; %varies, an i1 that is not; %bits, tensor<4x5xi1>; %ints,
  /// tensor<6xi32>.
  explicit Mask(const std::string &body);

  mlir::Region &region();
  /// Whether the mask holds at a point.
  bool at(int64_t q, int64_t k, int64_t n);
  TileState tile(const Box &box, int64_t n);
  KeyRange keys(const Box &box, int64_t n);

  bool truth(mlir::Value value) { return number(value) != 0; }
  int64_t number(mlir::Value value);

private:
  mlir::Location loc() { return mlir::UnknownLoc::get(&context); }
  mlir::Value index(int64_t value);
  MaskBox maskBox(const Box &box);
  mlir::Value read(fused::ReadOp op, mlir::ValueRange indices);

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module, scratch;
  std::optional<mlir::OpBuilder> builder;
};

/// What holds in a box, by looking at each point.
struct Truth {
  bool any = false, all = true;
};
Truth bruteForce(Mask &mask, const Box &box, int64_t n);

/// Expects that no visible key is said to be masked, nor a masked one visible.
void expectSound(Mask &mask, const Box &box, int64_t n);

} // namespace sinter::test

#endif // SINTER_TEST_UNIT_ANALYSIS_MASKORACLE_H
