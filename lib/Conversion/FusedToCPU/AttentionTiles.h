//===- AttentionTiles.h - Register tiles of attention -----------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention takes a block of query rows past blocks of keys. A group of a few
// rows goes through scores, softmax and mixture of one key block at once, so
// the scores that exist at a time are rows x keyBlock numbers in L1. The
// softmax is online: Milakov and Gimelshein, "Online normalizer calculation
// for softmax", 2018; the tiling is that of Dao et al., "FlashAttention", 2022.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_FUSEDTOCPU_ATTENTIONTILES_H
#define SINTER_LIB_CONVERSION_FUSEDTOCPU_ATTENTIONTILES_H

#include "sinter/Conversion/FusedToCPU/KernelLowering.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace sinter::cpu {

/// What is fixed about the tiles of an attention when it is compiled.
struct AttentionShape {
  int64_t keySize;
  int64_t valueSize;
  /// Query rows that share every key and value that is loaded.
  unsigned rows;
  /// Query rows whose state is held at once.
  int64_t blockRows;
  /// Keys whose scores are held at once, a multiple of every tile's width.
  int64_t keyBlock;
  /// Native vectors of keys in a score tile, and of columns in a mixture tile.
  unsigned keyVectors;
  unsigned valueVectors;

  static AttentionShape get(const TargetInfo &target, int64_t keySize,
                            int64_t valueSize, unsigned rows, int64_t blockRows,
                            int64_t keyBlock);

  int64_t mixtureStride() const { return (valueSize + 15) / 16 * 16; }
  /// Rows of a block, with those that fill the last group.
  int64_t paddedRows() const { return (blockRows + rows - 1) / rows * rows; }
  int64_t scratchBytes(const TargetInfo &target) const;
};

/// Keys or values of one head, for as long as its rows are worked on.
struct AttentionHead {
  /// Panels of 16 keys, [.., keySize, 16].
  mlir::Value keyPanels;
  /// Row-major; `valueStride` numbers (i64) from key to key.
  mlir::Value values;
  mlir::Value valueStride;
};

/// Writes the function `<kernel><suffix>` that adds weighted values to the
/// mixtures of a group, which are scaled first; of its own, so that its
/// registers are not shared with what regions need.
///   void (ptr values, i64 valueStride, ptr weights, ptr mixtures, ptr rescale,
///         i64 first, i64 last)
/// Where the stride is known, `valueStride` says so.
mlir::LLVM::LLVMFuncOp makeMixture(KernelLowering &lowering,
                                   llvm::StringRef suffix,
                                   const AttentionShape &shape,
                                   std::optional<int64_t> valueStride);

/// Emits the three tiles over a worker's scratch memory. Rows are numbered
/// within the block, columns within the key block.
class AttentionTiles {
public:
  struct Score {
    mlir::Value score;
    /// i1 lanes, false where a key does not count; null: all count.
    mlir::Value visible;
  };

  /// `mixture` is one that makeMixture made for `shape`.
  AttentionTiles(KernelBuilder &k, const AttentionShape &shape,
                 mlir::LLVM::LLVMFuncOp mixture, mlir::Value scratch);

  /// A row of the block's queries, [keySize].
  mlir::Value query(mlir::Value row) const;
  /// Starts a row: nothing seen, or only `sink`, a score without a value.
  void startRow(mlir::Value row, mlir::Value sink);
  /// Starts a group on a key block: no score seen in it.
  void startGroup();
  /// `vectors` native vectors of each row of the group from `row` on times the
  /// keys from `key` on; row after row.
  llvm::SmallVector<mlir::Value> products(const AttentionHead &head,
                                          mlir::Value row, mlir::Value key,
                                          unsigned vectors);
  /// Where the keys from `key` on start in their panels.
  mlir::Value keys(const AttentionHead &head, mlir::Value key);
  /// Element `d` + `plus` of native vector `vector` of the keys at `keys`.
  mlir::Value keyVector(mlir::Value keys, unsigned vector, mlir::Value d,
                        int64_t plus = 0);
  /// Puts the product of row `i` of the group and one key into a column, and
  /// gets `vectors` native vectors of such.
  void putProduct(mlir::Value i, mlir::Value column, mlir::Value product);
  llvm::SmallVector<mlir::Value> productsAt(mlir::Value i, mlir::Value column,
                                            unsigned vectors);
  /// Puts native vectors of scores of row `i` of the group into columns from
  /// `column` on.
  void putScores(mlir::Value i, mlir::Value column,
                 llvm::ArrayRef<Score> scores);
  /// Columns [first, last) become weights relative to the running maximum.
  void softmax(mlir::Value row, mlir::Value first, mlir::Value last);
  /// Adds the weighted values of columns [first, last) to the mixture;
  /// column 0 is key `key`.
  void mix(const AttentionHead &head, mlir::Value row, mlir::Value key,
           mlir::Value first, mlir::Value last);
  /// The mixture of a row, in pieces of at most a native vector; 0 for a row
  /// that has seen no key.
  void finishRow(
      mlir::Value row,
      llvm::function_ref<void(mlir::Value column, mlir::Value values)> store);
  /// The logarithm of the sum of the exponentials of a row's scores; -inf for a
  /// row that has seen nothing.
  mlir::Value logSumExp(mlir::Value row);
  /// The weights that belong to `scores` of a row that has seen all its keys;
  /// that of -inf is 0, whatever the others are.
  mlir::Value weights(mlir::Value row, mlir::Value scores);

private:
  mlir::Value scoreAddress(mlir::Value i, mlir::Value column);
  mlir::Value rowValue(mlir::Value array, mlir::Value row);
  /// Two scalars that turn scores of a row into exponents of its weights.
  struct Exponent {
    mlir::Value scale, shift;
  };
  Exponent exponent(mlir::Value maximum);
  mlir::Value weightOf(mlir::Value scores, const Exponent &exponent);
  mlir::Value reciprocalSum(mlir::Value row);

  KernelBuilder &k;
  const AttentionShape &shape;
  mlir::LLVM::LLVMFuncOp mixture;
  mlir::Type f32, vector;
  unsigned lanes;
  mlir::Value queryBase, mixtureBase, scoreBase, tileMaxBase;
  mlir::Value maximumBase, sumBase, rescaleBase;
};

} // namespace sinter::cpu

#endif // SINTER_LIB_CONVERSION_FUSEDTOCPU_ATTENTIONTILES_H
