//===- CompiledSession.h - Calls of a compiled model with tensors -*- C++
//-*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_EXECUTION_COMPILEDSESSION_H
#define SINTER_EXECUTION_COMPILEDSESSION_H

#include "sinter/Execution/DeviceMemory.h"
#include "sinter/Execution/LoadedModel.h"
#include "sinter/Execution/Workers.h"
#include "sinter/Reference/Tensor.h"

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace sinter::execution {

/// The element type that reference tensors have for a stored type; null where
/// the reference has none.
mlir::Type elementTypeOf(StoredType type, mlir::MLIRContext *context);
/// The stored type of a reference element type.
StoredType storedTypeOf(mlir::Type type);

/// Memory between guards, filled with bytes that read as NaN and as a negative
/// integer.
class GuardedBuffer {
public:
  /// The first byte lies `offset` bytes past a multiple of 64.
  explicit GuardedBuffer(uint64_t bytes, uint64_t offset = 0);

  char *data() { return start; }
  uint64_t size() const { return bytes; }
  void fill();
  /// Whether nothing was written in front of or behind the memory.
  bool isIntact() const;
  /// The memory with the guards next to it.
  llvm::MutableArrayRef<char> withGuards();

private:
  uint64_t bytes;
  std::vector<char> storage;
  char *start;
};

/// Told where the memory of a call lies, before the call.
using MemoryObserver =
    std::function<void(char *workspace, llvm::ArrayRef<void *> tensors,
                       llvm::ArrayRef<Shape> shapes)>;

struct CallResult {
  sinter_status status = 0;
  std::vector<Tensor> outputs; ///< in the order of EntryManifest::tensors
  std::string fault;           ///< a promise that the call broke; empty: none
  double microseconds = 0;
};

/// A session of a loaded model, if it has any, and all the memory that calls
/// take. Sessions, workspaces and outputs start as NaN; tensors are aligned to
/// their elements only, unless alignTensors is called.
class CompiledSession {
public:
  ~CompiledSession();

  /// `dims`: in the order of Manifest::sessionDims.
  static llvm::Expected<std::unique_ptr<CompiledSession>>
  create(const LoadedModel &model, llvm::ArrayRef<int64_t> dims,
         const void *weights = nullptr);

  /// Runs an entry; lengths that `inputs` lacks are passed as NULL. All other
  /// inputs are there with their type and shape. `dims` as in CallArguments.
  /// Null workers: serial, without a hook. On a device they only trace: the
  /// memory that `observer` sees then is a copy of the device's, before and
  /// after each kernel, and what is changed there is changed on the device.
  CallResult run(const EntryManifest &entry, llvm::ArrayRef<int64_t> dims,
                 const llvm::StringMap<Tensor> &inputs, const Workers *workers,
                 mlir::MLIRContext *context,
                 const MemoryObserver &observer = {});

  /// From now on tensors are aligned to 64 bytes.
  void alignTensors() { tensorsAreAligned = true; }

  int64_t length(llvm::StringRef cursor, int64_t row) const {
    return model.sessionLength(session, cursor, row);
  }

  /// What a current dimension of an entry is now; negative: a status.
  int64_t extent(const EntryManifest &entry, const DimManifest &dim) const {
    return model.currentExtent(entry, dim, session);
  }

private:
  explicit CompiledSession(const LoadedModel &model) : model(model) {}
  llvm::Error openDevice();
  llvm::Error createOnDevice(llvm::ArrayRef<int64_t> dims);
  /// Calls an entry with buffers copied to the device and back.
  sinter_status
  callOnDevice(const EntryManifest &entry, CallArguments arguments,
               GuardedBuffer &workspace,
               llvm::ArrayRef<std::unique_ptr<GuardedBuffer>> tensors,
               const Workers::Trace &trace, std::string &fault);

  const LoadedModel &model;
  /// On a device what was last seen of `deviceMemory`.
  std::unique_ptr<GuardedBuffer> memory;
  std::unique_ptr<GuardedBuffer> handle, deviceHandle, weightBytes;
  std::unique_ptr<DeviceMemory> deviceMemory, weightMemory;
  void *device = nullptr;
  void *session = nullptr;
  const void *weights = nullptr;
  bool tensorsAreAligned = false;
};

/// The extents of a tensor of an entry.
Shape shapeOf(const EntryManifest &entry, const TensorManifest &tensor,
              llvm::ArrayRef<int64_t> dims);

/// Fails where a tensor of a call would have more elements than can be held
/// here, in twice as many bytes and more.
llvm::Error checkSizes(const EntryManifest &entry,
                       llvm::ArrayRef<int64_t> dims);

} // namespace sinter::execution

#endif // SINTER_EXECUTION_COMPILEDSESSION_H
