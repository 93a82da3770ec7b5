//===- Session.h - State of the reference interpreter -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a session holds between entries: the content of caches, the cursors that
// they share, and tensors. An entry sees the content at its start; what it
// changes is collected in a SessionUpdate and committed when it has succeeded.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_REFERENCE_SESSION_H
#define SINTER_REFERENCE_SESSION_H

#include "mlir/IR/BuiltinOps.h"
#include "sinter/Reference/Ops.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <string>

namespace sinter {

using reference::RowValues;

/// The content of one cache: for each row, as many positions as the row's
/// cursor says.
struct CacheContent {
  Tensor keys;   ///< [B, capacity, G, D]
  Tensor values; ///< [B, capacity, G, E]
  std::string cursor;
};

/// Keys and values that an entry puts into a cache: of row b, count[b]
/// positions from start[b] on.
struct CacheUpdate {
  std::string state;
  Tensor keys, values; ///< [B, T, G, D] and [B, T, G, E]
  RowValues start, count;
};

/// All that an entry changes.
struct SessionUpdate {
  std::vector<CacheUpdate> caches;
  std::vector<std::pair<std::string, Tensor>> tensors;
  std::map<std::string, RowValues> cursors; ///< after the entry
  std::vector<bool> idleRows; ///< rows of length 0, which stay as they are
};

class Session {
public:
  /// The state of `module`, all of it zero and all rows empty. `dims` gives a
  /// number for each name of a state's dimensions. Emits a located error if one
  /// is missing, negative or above its bound, or if the module still has states
  /// per layer (run --sinter-expand-entries first).
  static mlir::FailureOr<Session> create(mlir::ModuleOp module,
                                         const llvm::StringMap<int64_t> &dims);

  /// Positions of each row under a cursor; null if there is no such cursor.
  const RowValues *cursor(llvm::StringRef name) const;
  /// The content of the cache or tensor of that symbol; null if there is none.
  const CacheContent *cache(llvm::StringRef state) const;
  const Tensor *tensor(llvm::StringRef state) const;

  /// The current extent in a dimension of those of `states` that have it behind
  /// their rows; nullopt if there are none or they differ.
  std::optional<int64_t> extent(llvm::StringRef dim,
                                llvm::ArrayRef<std::string> states) const;

  /// The number that a dimension has by this session: exactly (`isFixed`), or
  /// at most. nullopt if it leaves the dimension open.
  struct Limit {
    int64_t size;
    bool isFixed;
  };
  std::optional<Limit> limit(llvm::StringRef dim) const;

  /// Keeps the first `length` positions of a row. False if the row has not as
  /// many.
  bool truncate(llvm::StringRef cursor, int64_t row, int64_t length);
  /// Empties a row and sets its tensors to zero; the extents of tensors become
  /// those of the start where it is the only row. False if there is no such
  /// row.
  bool reset(int64_t row);
  /// Copies a row, also within one session; capacities may differ, and tensors
  /// get the larger of both extents, filled up with zeros. False if the states
  /// differ, a row does not exist or its content does not fit.
  bool copyRow(int64_t toRow, const Session &from, int64_t fromRow);

  void commit(const SessionUpdate &update);

private:
  Session() = default;
  mlir::LogicalResult addState(mlir::Operation *state,
                               const llvm::StringMap<int64_t> &dims);
  void commitTensor(Tensor &state, const Tensor &value,
                    const std::vector<bool> &idleRows);

  std::map<std::string, CacheContent, std::less<>> caches;
  std::map<std::string, Tensor, std::less<>> tensors;
  std::map<std::string, Tensor, std::less<>> initialTensors;
  /// The dimensions with current extents: a tensor and its dimension.
  std::map<std::string, std::vector<std::pair<std::string, int64_t>>,
           std::less<>>
      currentDims;
  /// The largest extents of a tensor.
  std::map<std::string, Shape, std::less<>> capacities;
  std::map<std::string, RowValues, std::less<>> cursors;
  std::map<std::string, Limit, std::less<>> limits;
};

} // namespace sinter

#endif // SINTER_REFERENCE_SESSION_H
