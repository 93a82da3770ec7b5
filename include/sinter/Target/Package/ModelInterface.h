//===- ModelInterface.h - a compiled model, described completely -*- C++
//-*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain data, independent of MLIR: what the header, the manifest and the
// runtime's tables are written from.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TARGET_PACKAGE_MODELINTERFACE_H
#define SINTER_TARGET_PACKAGE_MODELINTERFACE_H

#include "sinter/Target/Package/DeviceCode.h"
#include "sinter/Target/Package/SizeExpr.h"
#include "llvm/Support/Error.h"

namespace sinter::package {

/// Upper bound of a dimension that has none of its own.
inline constexpr int64_t kMaxDim = 2147483647;

/// The number of workers in a size; no dimension of a model is called so.
inline constexpr llvm::StringLiteral kWorkers = "*workers";

/// An extent: a constant, or the dimension `name` of the entry (in a session:
/// of the session).
struct Extent {
  std::string name;
  int64_t value = 0;

  static Extent constant(int64_t value) { return {"", value}; }
  static Extent dim(llvm::StringRef name) { return {name.str(), 0}; }
  bool isConstant() const { return name.empty(); }
  SizeExpr size() const {
    return isConstant() ? SizeExpr(value) : SizeExpr::dim(name);
  }
};

enum class ElementType { I1, I8, I16, I32, I64, F16, BF16, F32, F64 };
/// Bytes of one element; an i1 takes one byte.
unsigned bytesOf(ElementType type);
/// "float", "int32_t" ...; f16 and bf16 are uint16_t, i1 is uint8_t.
llvm::StringRef cTypeOf(ElementType type);
/// The MLIR spelling: "f32", "i32" ...
llvm::StringRef nameOf(ElementType type);

/// A dimension that the session fixes when it is initialised.
struct SessionDim {
  std::string name;
  int64_t lower = 1;
  int64_t upper = kMaxDim;
};

/// One int64 per row, shared by all caches of that name.
struct Cursor {
  std::string name;
  /// Positions per row; the session dimension of that name unless constant.
  Extent capacity;
};

struct State {
  enum Kind { Cache, Tensor } kind = Cache;
  /// Absolute: "layers.0.kv".
  std::string name;
  ElementType type = ElementType::F32;
  /// Cache [rows, heads, capacity, key | value]: keys lie in panels of `panel`
  /// positions, (b, h, s, d) -> (b, h, s floordiv panel, d, s mod panel);
  /// values are row-major.
  std::string cursor;
  int64_t heads = 0, key = 0, value = 0;
  int64_t panel = 1;
  /// Tensor: extents after the rows dimension. A named one is current: at most
  /// that dimension of the session, and as the last write left it. The tensor
  /// lies row-major in its current extents.
  std::vector<Extent> shape;

  /// Names in `shape`: the session's dimensions of the current extents.
  std::vector<std::string> currentDims() const;

  /// Bytes of the buffers in session order: keys and values, or the tensor.
  std::vector<SizeExpr> bufferBytes(const Extent &rows,
                                    const Extent &capacity) const;
};

/// A dimension of an entry.
struct EntryDim {
  /// Unique within the entry; extents and sizes refer to it.
  std::string name;
  /// Parameter: an argument of the C function. Session: the value of session
  /// dimension `session`, not repeated in C. State: likewise, but the current
  /// extent in that dimension of the tensor states that the entry reads.
  enum Kind { Parameter, Session, State } kind = Parameter;
  int64_t lower = 0;
  int64_t upper = kMaxDim;
  /// Of a parameter: may not exceed that session dimension (empty: no limit).
  std::string session;
};

struct Tensor {
  /// Lengths: [rows] i64 that may be NULL; counts positions of dimension
  /// `extent`, checked 0 .. extent; NULL means all.
  enum Role { Input, Lengths, Output } role = Input;
  /// As in the model; the C name follows by cIdentifier().
  std::string name;
  ElementType type = ElementType::F32;
  std::vector<Extent> shape;
  Extent extent = {};
  /// Input: > 0 if every element is checked to be in [0, limit).
  int64_t limit = 0;
  /// Input: every element is checked to be in [0, this dimension); "": none.
  std::string below = {};
  /// Index of the Lengths tensor that counts this tensor's second dimension;
  /// -1: none. Past a row's length an input is not read; an output row of
  /// length 0 may be left unwritten.
  int lengths = -1;
  /// Said after the shape in the header; may be empty.
  std::string comment = {};
  /// Dimensions that are 1 because the entry binds them: the header leaves them
  /// out.
  std::vector<unsigned> bound = {};
};

/// What an entry does with a cursor of the model. `by` positions per row, or
/// lengths[row] where `lengths` names a Lengths tensor; then rows of length 0
/// keep their cursor whatever the kind.
struct CursorUse {
  std::string cursor;
  enum Kind {
    Read,   ///< start = end = the cursor
    Append, ///< end = start + n; checked: end <= capacity
    Fill,   ///< start = 0, end = n; checked: n <= capacity
    Restart ///< end = 0
  } kind = Read;
  Extent by = {};
  int lengths = -1;
};

/// cursor + n <= limit, checked per row (positions that index a table).
struct PositionCheck {
  std::string cursor;
  Extent by = {};
  int lengths = -1;
  int64_t limit = 0;
};

/// The extents behind the rows that an entry leaves in a tensor state, over the
/// entry's dimensions; each is checked to be at most the session's.
struct StateWrite {
  std::string state;
  /// Of the state's current dimensions.
  std::vector<SizeExpr> extents;
};

struct EntryInterface {
  /// As in the model: "prefill". The module has `void prefill_run(ptr)`.
  std::string name;
  /// One sentence for the header: "@decode: @prefill with sequence = 1".
  std::string comment;
  /// Parameters by first appearance, then (any place) the session's dimensions
  /// that the entry uses. sinter_call::dims follows this order.
  std::vector<EntryDim> dims;
  /// Model order: inputs and lengths as the function's arguments stand, then
  /// outputs. sinter_call::tensors follows this order.
  std::vector<Tensor> tensors;
  bool usesSession = false;
  bool usesWeights = false;
  /// Rows of the session, over `dims`; set by ModelInterface::complete.
  Extent rows;
  std::vector<CursorUse> cursors;
  std::vector<PositionCheck> positions;
  /// Tensor states of current extents that the entry reads. Their extents are
  /// the entry's dimensions of the same names, which is checked.
  std::vector<std::string> reads;
  std::vector<StateWrite> writes;
  /// Bytes of each workspace slot, over the names in `dims`. On a device the
  /// last one is what kernels use besides.
  std::vector<SizeExpr> slots;
  /// Per-worker scratch in bytes, the maximum over the entry's kernels.
  uint64_t scratchBytes = 0;
  /// Bytes of the workspace's start that the runtime keeps for itself.
  uint64_t reservedBytes = 0;

  const EntryDim *findDim(llvm::StringRef name) const;
  /// Dimensions that size the workspace and the tensors, in C order: all but
  /// session capacities that no slot uses.
  std::vector<const EntryDim *> sizeDims() const;
  /// Bytes of the workspace, over `dims` and kWorkers.
  SizeExpr workspaceBytes() const;
  /// Elements of a tensor.
  SizeExpr count(const Tensor &tensor) const;
  /// 64-aligned bytes before the slots: filled lengths and cursor arrays.
  SizeExpr prefixBytes() const;
};

struct Weights {
  /// Bytes of the blob; 0: the model has no weights.
  uint64_t bytes = 0;
  bool embedded = true;
};

struct ModelInterface {
  /// The module's symbol; the C prefix follows by cIdentifier().
  std::string name;
  /// Sinter's version.
  std::string version = "0.1.0";
  /// "x86_64-linux-gnu x86-64-v3".
  std::string target;
  /// SINTER_CPU_* bits (runtime/cpu_features.def) the code needs; filled by
  /// SinterTargetObject.
  uint64_t cpuFeatures = 0;
  /// Hash of the computation (any stable bytes: the fused module's text); the
  /// packager adds layout and weights.
  uint64_t computationHash = 0;
  bool flushDenormals = false;

  std::vector<SessionDim> sessionDims; ///< rows first, then capacities
  Extent rows = Extent::constant(1);   ///< rows of the session
  std::vector<Cursor> cursors;
  std::vector<State> states;
  std::vector<EntryInterface> entries;
  /// Kernel functions by name; sinter_kernel::index counts here.
  std::vector<std::string> kernels;
  /// Kernels run on a device; their code is `deviceKernels`, in the same order,
  /// and behind the last that of the session's own
  /// (lib/Conversion/FusedToCUDA/device/session.cuh).
  bool onDevice = false;
  std::vector<DeviceKernelCode> deviceKernels;
  Weights weights;

  bool hasSession() const { return !states.empty() || !cursors.empty(); }
  bool hasTensorState() const;
  const State *findState(llvm::StringRef name) const;
  /// Number of a state's first current extent among those of all states.
  unsigned firstExtent(llvm::StringRef state) const;
  /// The session's dimension of each current extent, state by state.
  std::vector<std::string> extents() const;
  const Cursor *findCursor(llvm::StringRef name) const;
  int cursorIndex(llvm::StringRef name) const;
  /// Index in sinter_call::states of the first buffer of a state; -1: unknown.
  int stateSlot(llvm::StringRef name) const;
  unsigned numStateSlots() const;
  /// Bytes of the header words, extents and cursors before the states.
  SizeExpr sessionPrefixBytes() const;
  SizeExpr sessionBytes() const;

  /// Derives what follows from the rest: EntryInterface::rows, for which an
  /// entry may get one more dimension of the session at its end, and bounds of
  /// session dimensions. Call it when all entries are there; idempotent.
  void complete();
  /// The C prefix ("stories").
  std::string prefix() const;
  /// Fails with an InterfaceError, naming the culprit, when names clash in C,
  /// an extent names an unknown dimension, or an index is out of range.
  llvm::Error verify() const;
};

/// What is wrong with an interface, and with which entry, if it is one.
class InterfaceError : public llvm::ErrorInfo<InterfaceError> {
public:
  explicit InterfaceError(std::string message) : message(std::move(message)) {}
  void log(llvm::raw_ostream &os) const override { os << message; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
  static char ID; // NOLINT(readability-identifier-naming): llvm::ErrorInfo's

  std::string message;
  std::string entry;
};

/// The C name of a function, model or cursor. Other characters become '_';
/// keywords of C and C++ and names of the headers that every model includes get
/// '_' appended; a leading digit gets '_' in front, and what would start like a
/// name of the compiler's own an 'x'.
std::string cIdentifier(llvm::StringRef name);
/// The C name of a tensor: like cIdentifier, and the names of an entry's other
/// parameters (`weights`, `workspace` ...) get '_' appended.
std::string cParameter(llvm::StringRef name);
/// The C name of a dimension: like cParameter, and so do those of
/// `session_init` (`memory`, `size`).
std::string cDimension(llvm::StringRef name);
/// An extent in prose and in C: "sequence" or "4".
std::string spellExtent(const Extent &extent);

/// The 64-bit hash that identifies weights, layouts and interfaces; the runtime
/// computes the same (runtime/hash.h).
uint64_t hashBytes(llvm::StringRef bytes);

/// Checks and numbers that belong to the interface alone: 32 bits that change
/// when the header does in a way that matters.
uint32_t abiHash(const ModelInterface &model);
/// Identity of computation, layout and weights; sessions carry it.
uint64_t modelHash(const ModelInterface &model, uint64_t weightsHash);

/// The generated header. `stackBytes`: what a call and each worker use at most.
std::string writeHeader(const ModelInterface &model, uint64_t weightsHash,
                        uint64_t stackBytes);
/// The manifest (JSON, two-space indent, trailing newline).
std::string writeManifest(const ModelInterface &model, uint64_t weightsHash);
/// The external weight file: 64 bytes of header, then the blob.
std::string weightFileHeader(const ModelInterface &model, uint64_t weightsHash);

} // namespace sinter::package

#endif // SINTER_TARGET_PACKAGE_MODELINTERFACE_H
