//===- BufferPlan.h - Where each tensor of an entry lies --------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_DIALECT_FUSED_TRANSFORMS_BUFFERPLAN_H
#define SINTER_LIB_DIALECT_FUSED_TRANSFORMS_BUFFERPLAN_H

#include "sinter/Dialect/Fused/IR/Fused.h"
#include "sinter/Dialect/Fused/Transforms/Sizes.h"
#include "sinter/Dialect/Fused/Transforms/SlotColouring.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"

namespace sinter::fused {

/// The memref type of a tensor type: the encoding becomes the layout.
mlir::MemRefType memrefTypeOf(mlir::RankedTensorType type);

/// Decides, without changing the entry, in which memory each of its tensors
/// lies, how large it is and what must be copied at the end.
class BufferPlan {
public:
  /// The memory behind a tensor.
  struct Place {
    enum Kind { Argument, Constant, Cursor, State, Slot, Output } kind;
    /// Number of the slot or output.
    int64_t number = 0;
  };

  /// A value that must end in an output (number >= 0), in a storage or in what
  /// a loop carries.
  struct Copy {
    mlir::Value source;
    int64_t output = -1;
    mlir::FlatSymbolRefAttr storage;
    mlir::Location loc;
    /// If set, rows whose length is 0 are left alone.
    mlir::Value lengths = {};
    /// If >= 0, the slot through which the copy goes: its source is a state
    /// that another copy may overwrite before.
    int64_t slot = -1;
    /// If set, the carried value whose memory the source goes to.
    mlir::Value carried = {};
  };

  /// Plans `entry`; emits a located error where that isn't possible.
  static mlir::FailureOr<BufferPlan> create(mlir::func::FuncOp entry);

  /// The value whose memory `value` shares (itself, if it shares none).
  mlir::Value rootOf(mlir::Value value) const { return roots.lookup(value); }
  Place placeOf(mlir::Value root) const { return places.lookup(root); }
  /// False where nothing but its shape is known: `tensor.empty`.
  bool hasPlace(mlir::Value root) const { return places.contains(root); }
  llvm::ArrayRef<mlir::AffineExpr> extentsOf(mlir::Value value) const {
    return extents.find(value)->second;
  }
  llvm::ArrayRef<Copy> copies() const { return copyList; }
  /// What must be copied before a loop, and at the end of its body.
  struct LoopCopies {
    llvm::SmallVector<Copy> before, after;
  };
  const LoopCopies &copiesOf(mlir::scf::ForOp loop) const {
    return loopCopies.find(loop)->second;
  }
  /// Sizes in bytes of the values of each slot.
  llvm::ArrayRef<llvm::SmallVector<mlir::AffineExpr>> slots() const {
    return colouring.sizes;
  }
  const EntryDims &dims() const { return dimensions; }

private:
  explicit BufferPlan(mlir::func::FuncOp entry)
      : entry(entry), dimensions(entry) {}

  mlir::LogicalResult visitArguments();
  mlir::LogicalResult visit(mlir::Operation *op);
  mlir::LogicalResult visitSkeleton(mlir::Operation *op);
  mlir::LogicalResult checkInPlace(mlir::Operation *op, mlir::Value init);
  mlir::LogicalResult visitShape(mlir::Operation *op);
  mlir::LogicalResult visitStorage(mlir::Operation *op);
  mlir::LogicalResult visitLoop(mlir::scf::ForOp loop);
  void visitCommit(CommitOp op);
  void visitReturn(mlir::func::ReturnOp op);
  mlir::LogicalResult define(mlir::Value value, mlir::Value root,
                             mlir::ArrayRef<mlir::OpFoldResult> sizes);
  void colour();
  void number(mlir::Block &block, int64_t &next);
  llvm::SmallVector<Copy *> copiesThroughSlots();
  void findLastUses();
  StorageOp storageOf(mlir::FlatSymbolRefAttr symbol) const;
  StorageOp storageWithCursor(mlir::StringRef name) const;

  mlir::func::FuncOp entry;
  EntryDims dimensions;
  llvm::DenseMap<mlir::Value, mlir::Value> roots;
  llvm::DenseMap<mlir::Value, Place> places;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::AffineExpr>> extents;
  llvm::SmallVector<Copy> copyList;
  /// Roots that need memory of their own, in order of definition.
  llvm::SmallVector<mlir::Value> fresh;
  llvm::MapVector<mlir::Operation *, LoopCopies> loopCopies;
  /// When an operation starts and ends, loops around others, in the order of
  /// the program.
  struct Span {
    int64_t first, last;
  };
  llvm::DenseMap<mlir::Operation *, Span> spans;
  llvm::DenseMap<mlir::Value, int64_t> lastUse;
  SlotColouring colouring;
};

} // namespace sinter::fused

#endif // SINTER_LIB_DIALECT_FUSED_TRANSFORMS_BUFFERPLAN_H
