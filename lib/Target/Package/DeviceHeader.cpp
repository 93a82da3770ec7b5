//===- DeviceHeader.cpp - The C header of a model on a device -------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeaderWriter.h"
#include "runtime/model.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace sinter::package;

static uint64_t align(uint64_t bytes) {
  return llvm::alignTo(bytes, SINTER_ALIGNMENT);
}

uint64_t sinter::package::deviceHandleBytes(const ModelInterface &model) {
  return align(8 *
               (SINTER_DEVICE_KERNELS_WORD + 2 * (model.kernels.size() + 1)));
}

uint64_t sinter::package::sessionHandleBytes(const ModelInterface &model) {
  return align(8 * (SINTER_SESSION_DIMS_WORD + model.sessionDims.size() +
                    model.extents().size())) +
         align(8 * SINTER_HANDLE_WORDS);
}

uint64_t sinter::package::deviceMemoryBytes(const ModelInterface &model) {
  return align(model.weights.bytes);
}

void HeaderWriter::writeDeviceIdentity() {
  os << "/* Host memory of the handles, in bytes, and device memory of the "
        "weights. */\n";
  define("DEVICE_HANDLE_SIZE", {}, SizeExpr(deviceHandleBytes(model)));
  if (model.weights.bytes)
    define("DEVICE_MEMORY_SIZE", {}, SizeExpr(deviceMemoryBytes(model)));
  if (model.hasSession())
    define("SESSION_HANDLE_SIZE", {}, SizeExpr(sessionHandleBytes(model)));
}

void HeaderWriter::writeDeviceRules() {
  os << "\n/* MEMORY. Workspace, lengths, inputs, outputs and all that is "
        "called device_memory lie in the memory of the device;\n   handles in "
        "that of the host. All of it is the caller's. Outputs must not overlap "
        "any other argument; a tensor without\n   elements may be NULL. "
        "STREAMS. `stream` is a CUstream or cudaStream_t of the current "
        "context, the one in which the\n   device was opened. An entry queues "
        "its work and returns; it never waits, so it may be captured in a "
        "graph. What is\n   wrong with pointers, sizes and dimensions it "
        "returns at once; what is wrong with lengths, ids and the room of "
        "caches is\n   found on the device: the call then writes nothing but "
        "the workspace, and "
     << prefix
     << "_status says it. THREADS. A device serves any\n   number of calls; a "
        "session, and a workspace, serve one call at a time.";
  if (!model.extents().empty())
    os << " EXTENTS. A call that reads states of dynamic\n   extents fetches "
          "these first, and waits for them, where another may have written "
          "them.";
  os << " */\n\n";
}

void HeaderWriter::writeDevice() {
  std::string type = prefix + "_device";
  bool hasWeights = model.weights.bytes != 0;
  os << "typedef struct " << type << " " << type
     << "; /* code and weights on a device; lies at the caller's memory */\n"
     << "/* Loads the kernels into the current context"
     << (hasWeights ? ", copies the weights into device_memory and waits for "
                      "that"
                    : "")
     << ".\n   *device = memory. */\n"
     << check() << type << "_open(void *memory, size_t size, "
     << (hasWeights ? "void *device_memory, size_t device_memory_size, " : "")
     << (externalWeights() ? "\n    const " + prefix + "_weights *weights, "
                           : std::string())
     << "void *stream, " << type << " **device);\n"
     << "/* Unloads them; no call may be under way. */\n"
     << check() << type << "_close(" << type << " *device);\n"
     << "/* Waits for the stream: how the last call with this workspace ended. "
        "*/\n"
     << check() << prefix
     << "_status(const void *workspace, void *stream);\n\n";
}

void HeaderWriter::writeDeviceCursorFunctions() {
  for (const Cursor &cursor : model.cursors) {
    std::string suffix = cursorSuffix(cursor), of = cursorWords(cursor);
    os << "/* Positions" << of
       << " in a row; negative: a status. Waits for the stream. */\n"
       << api() << "int64_t " << prefix << "_session_length" << suffix
       << "(const " << prefix
       << "_session *session, int64_t row, void *stream);\n";
    if (model.hasTensorState())
      continue;
    os << "/* Keeps the first `length` positions" << of
       << " of a row, which has as many; 0 empties it. row -1: all rows. Waits "
          "for the stream. */\n"
       << check() << prefix << "_session_truncate" << suffix << "(" << prefix
       << "_session *session, int64_t row, int64_t length,\n    void "
          "*stream);\n";
  }
}

void HeaderWriter::writeDeviceSession() {
  std::string type = prefix + "_session", parameters = sessionParameters();
  os << "typedef struct " << type << " " << type
     << "; /* a handle; its cursors and states lie in device memory */\n"
     << sessionDescription() << "/* Bytes of device memory. */\n"
     << api() << "size_t " << type << "_size("
     << (parameters.empty() ? "void" : parameters) << ");\n"
     << "/* All rows start empty. *session = memory. Waits for the stream. "
        "*/\n"
     << check() << type
     << "_init(void *memory, size_t size, void *device_memory, size_t "
        "device_memory_size,\n    "
     << parameters << (parameters.empty() ? "" : ", ") << "void *stream, "
     << type << " **session);\n"
     << "/* Takes over bytes that were copied from the device memory of a "
        "session of this model, at any address. Waits for\n   the stream. "
        "*/\n"
     << check() << type
     << "_restore(void *memory, size_t size, void *device_memory, size_t "
        "device_memory_size,\n    void *stream, "
     << type << " **session);\n";
  writeDeviceCursorFunctions();
  if (model.hasTensorState())
    os << "/* As after init. row -1: all rows. May wait for the stream. */\n"
       << check() << type << "_reset(" << type
       << " *session, int64_t row, void *stream);\n";
  os << "/* Forks a row, also within one session; O(its length). Capacities "
        "may differ. Waits for the stream. */\n"
     << check() << type << "_copy_row(const " << prefix << "_device *device, "
     << type << " *to, int64_t to_row,\n    " << type
     << " *from, int64_t from_row, void *stream);\n\n";
}
