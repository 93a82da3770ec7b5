//===- Memory.h - Tensors as kernels see them -------------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access of a kernel is a tensor, an affine map and loop indices, of which
// one may differ from lane to lane. The lanes of an access are classified while
// code is emitted: one address, neighbours, or anything else.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_CONVERSION_FUSEDTOCPU_MEMORY_H
#define SINTER_CONVERSION_FUSEDTOCPU_MEMORY_H

#include "sinter/Conversion/FusedToCPU/KernelBuilder.h"

#include "mlir/IR/AffineMap.h"

namespace sinter::cpu {

/// An integer that each lane has: `base + offsets[lane]`, or, where no such
/// form is known, `perLane[lane]`. `base` is known to be a multiple of
/// `multiple` (1: nothing known). No offsets: the same in all lanes.
struct LaneIndex {
  mlir::Value base;
  llvm::SmallVector<int64_t> offsets;
  int64_t multiple = 1;
  llvm::SmallVector<mlir::Value> perLane;

  static LaneIndex uniform(mlir::Value value, int64_t multiple = 1);
  /// value, value + 1, ... ; `multiple` as above, for `value`.
  static LaneIndex consecutive(mlir::Value value, unsigned lanes,
                               int64_t multiple = 1);

  bool isUniform() const { return offsets.empty() && perLane.empty(); }
  unsigned lanes() const {
    return std::max<size_t>({1, offsets.size(), perLane.size()});
  }
  /// Known to be base, base + 1, ...
  bool isConsecutive() const;
  mlir::Value at(KernelBuilder &k, unsigned lane) const;
};

/// Evaluates an affine expression lane by lane. Dimension values are never
/// negative where a floordiv or mod is applied.
LaneIndex evaluate(KernelBuilder &k, mlir::AffineExpr expr,
                   llvm::ArrayRef<LaneIndex> dims,
                   llvm::ArrayRef<LaneIndex> symbols);

/// A tensor in memory: logical extents, a layout, contiguous physical storage.
struct TensorView {
  mlir::Value pointer;
  mlir::Type element;
  /// Logical extents, i64; constants where static.
  llvm::SmallVector<mlir::Value> extents;
  /// Logical to physical coordinates; null: row-major.
  mlir::AffineMap layout;
  /// Alignment of the pointer in bytes that may be relied on; 0: an element's.
  unsigned alignment = 0;

  unsigned rank() const { return extents.size(); }
  /// Extents of the physical shape.
  llvm::SmallVector<mlir::Value> physicalExtents(KernelBuilder &k) const;
};

/// Where the lanes of one access lie, in elements from the tensor's pointer.
struct LaneAddress {
  TensorView view;
  LaneIndex offset;
};

/// Offset of the element at `indices` (logical).
LaneAddress locate(KernelBuilder &k, const TensorView &view,
                   llvm::ArrayRef<LaneIndex> indices);
/// The same through a map from loop dimensions and symbols.
LaneAddress locate(KernelBuilder &k, const TensorView &view,
                   mlir::AffineMap map, llvm::ArrayRef<LaneIndex> dims,
                   llvm::ArrayRef<LaneIndex> symbols = {});

/// Reads; the result is a scalar where the address is uniform, else a vector.
/// With `active` (i64) only lanes below it touch memory; null: all lanes do.
/// An i1 tensor has one byte per element.
mlir::Value loadLanes(KernelBuilder &k, const LaneAddress &address,
                      mlir::Value active = nullptr);
/// Writes `value`, a vector or a scalar for all lanes of the address; a
/// uniform address takes lane 0. `condition` (i1) guards the whole store.
void storeLanes(KernelBuilder &k, mlir::Value value, const LaneAddress &address,
                mlir::Value active = nullptr, mlir::Value condition = nullptr);

/// Reads at indices that are clamped to the tensor's extents, as fused.read
/// does. A tensor without elements, which may have no memory, reads as 0.
mlir::Value readClamped(KernelBuilder &k, const TensorView &table,
                        llvm::ArrayRef<LaneIndex> indices);
/// Whether that read clamps in one of the first `active` lanes (null: all);
/// i1, null for a tensor of rank 0.
mlir::Value isClamped(KernelBuilder &k, const TensorView &table,
                      llvm::ArrayRef<LaneIndex> indices,
                      mlir::Value active = nullptr);

/// The type in which an element lies in memory: i8 for i1.
mlir::Type storageType(KernelBuilder &k, mlir::Type element);

} // namespace sinter::cpu

#endif // SINTER_CONVERSION_FUSEDTOCPU_MEMORY_H
