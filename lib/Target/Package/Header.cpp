//===- Header.cpp - the generated C header --------------------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Embedded.h"
#include "HeaderText.h"
#include "HeaderWriter.h"
#include "sinter/Target/Package/ModelInterface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace sinter::package;

/// The parameter of a size that stands for a dimension or the workers.
static std::string sizeParameter(llvm::StringRef dim) {
  return dim == kWorkers ? "workers" : cDimension(dim);
}

void HeaderWriter::define(const std::string &name,
                          std::vector<std::string> dims,
                          const SizeExpr &value) {
  os << "#define " << upper << "_" << name;
  if (dims.empty()) {
    os << " " << value.asConstant().value_or(0) << "\n";
    return;
  }
  for (std::string &dim : dims)
    dim = sizeParameter(dim);
  std::string text = value.printC(sizeParameter);
  std::string head = "(" + llvm::join(dims, ", ") + ")";
  bool isLong = upper.size() + name.size() + head.size() + text.size() > 100;
  os << head << (isLong ? " \\\n  (" : " (") << text << ")\n";
}

void HeaderWriter::writeIdentity() {
  os << "/* Made by sinterc from \"" << comment(model.name)
     << "\"; do not edit. */\n"
     << "#ifndef " << upper << "_H\n#define " << upper << "_H\n#ifndef "
     << upper << "_API\n#define " << upper
     << "_API /* e.g. __declspec(dllimport) */\n#endif\n"
     << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  os << "#define " << upper << "_SINTER_VERSION " << quote(identity.version)
     << "\n#define " << upper << "_TARGET " << quote(model.target)
     << llvm::formatv("\n#define {0}_ABI 0x{1:x-8}u", upper, identity.abi)
     << "     /* hash of this interface; equal to " << prefix
     << "_abi() of the matching object */"
     << llvm::formatv("\n#define {0}_MODEL \"{1:x-8}\"", upper,
                      uint32_t(identity.model))
     << "    /* hash of computation, layout and weights; a session is valid "
        "for one model */"
     << "\n#define " << upper
     << "_ALIGN 64            /* of session, workspace and weights; tensors "
        "need only their element's alignment */"
     << "\n#define " << upper << "_STACK " << identity.stack
     << "          /* bytes of stack a call and each worker use at most */\n";
  if (externalWeights())
    os << "#define " << upper << "_WEIGHTS_SIZE " << model.weights.bytes + 64
       << "\n";
}

void HeaderWriter::writeEntrySizes(const EntryInterface &entry) {
  std::string name = llvm::StringRef(cIdentifier(entry.name)).upper();
  std::vector<std::string> dims;
  for (const EntryDim *dim : entry.sizeDims())
    dims.push_back(dim->name);
  SizeExpr bytes = entry.workspaceBytes();
  SizeExpr perWorker = SizeExpr(entry.scratchBytes).alignTo(64);
  if (!dims.empty()) {
    if (!model.onDevice)
      dims.push_back(kWorkers.str());
    define(name + "_WORKSPACE_SIZE", dims, bytes);
    return;
  }
  // All dimensions fixed: a number for static memory and one worker.
  auto one = [](llvm::StringRef) -> uint64_t { return 1; };
  define(name + "_WORKSPACE_SIZE", {},
         SizeExpr(bytes.evaluate(one).value_or(0)));
  if (!perWorker.isZero())
    define(name + "_WORKSPACE_SIZE_FOR", {kWorkers.str()}, bytes);
}

void HeaderWriter::writeSizes() {
  os << "\n/* Bytes, as constant expressions (arguments are evaluated more "
        "than "
        "once). Multiples of "
     << upper
     << "_ALIGN.\n   With values known only at run time use the functions, "
        "which return 0 on overflow or a wrong dimension, else > 0. */\n";
  if (model.hasSession()) {
    std::vector<std::string> dims;
    for (const SessionDim &dim : model.sessionDims)
      dims.push_back(dim.name);
    define("SESSION_SIZE", dims, model.sessionBytes());
  }
  for (const EntryInterface &entry : model.entries)
    writeEntrySizes(entry);
  os << "/* Elements of each tensor. */\n";
  for (const EntryInterface &entry : model.entries)
    for (const Tensor &tensor : entry.tensors) {
      if (tensor.role == Tensor::Lengths)
        continue;
      SizeExpr count = entry.count(tensor);
      std::vector<std::string> dims, used = count.dims();
      for (const EntryDim &dim : entry.dims)
        if (llvm::is_contained(used, dim.name))
          dims.push_back(dim.name);
      std::string name =
          cIdentifier(entry.name) + "_" + cIdentifier(tensor.name);
      define(llvm::StringRef(name).upper() + "_COUNT", dims, count);
    }
}

void HeaderWriter::writeRules() {
  os << "\n/* THREADS. Weights may be shared by any number of calls. A "
        "session, "
        "and a workspace, serve one call at a time; one\n   workspace may "
        "serve "
        "many sessions one after the other. All functions are re-entrant; none "
        "allocates, locks, blocks or\n   makes a system call. POINTERS. All "
        "buffers are the caller's and are not kept after the call. Outputs "
        "must "
        "not overlap\n   any other argument; a tensor without elements may be "
        "NULL. FLOATING POINT. A call sets its own rounding and denormal\n   "
        "mode ("
     << (model.flushDenormals ? "flush" : "preserve")
     << ") in every worker and restores the thread's: results depend on "
        "neither, nor on the number of workers. */\n\n";
}

void HeaderWriter::writeWeights() {
  if (!externalWeights())
    return;
  os << "typedef struct " << prefix << "_weights " << prefix
     << "_weights; /* the caller's bytes, checked */\n"
     << "/* Checks the header, size and alignment of the weight file (mapped "
        "or "
        "read); O(1). *weights = bytes. */\n"
     << check() << prefix
     << "_weights_open(const void *bytes, size_t size, const " << prefix
     << "_weights **weights);\n"
     << "/* Hashes all bytes; O(size). */\n"
     << check() << prefix << "_weights_verify(const " << prefix
     << "_weights *weights);\n\n";
}

void HeaderWriter::writeCursorFunctions() {
  for (const Cursor &cursor : model.cursors) {
    std::string suffix = cursorSuffix(cursor), of = cursorWords(cursor);
    os << "/* Positions" << of << " in a row; negative: a status. */\n"
       << api() << "int64_t " << prefix << "_session_length" << suffix
       << "(const " << prefix << "_session *session, int64_t row);\n";
    if (model.hasTensorState())
      continue;
    os << "/* Keeps the first `length` positions" << of
       << " of a row, which has as many; 0 empties it. row -1: all rows. */\n"
       << check() << prefix << "_session_truncate" << suffix << "(" << prefix
       << "_session *session, int64_t row, int64_t length);\n";
  }
}

std::string HeaderWriter::sessionParameters() const {
  std::string parameters;
  llvm::ListSeparator comma;
  for (const SessionDim &dim : model.sessionDims)
    parameters +=
        (llvm::StringRef(comma) + "int64_t " + cDimension(dim.name)).str();
  return parameters;
}

std::string HeaderWriter::sessionDescription() const {
  std::string described;
  llvm::ListSeparator semicolon("; ");
  for (const SessionDim &dim : model.sessionDims)
    described += (llvm::StringRef(semicolon) + describe(dim)).str();
  return described.empty() ? "" : "/* " + described + ". */\n";
}

void HeaderWriter::writeSession() {
  if (!model.hasSession())
    return;
  if (model.onDevice)
    return writeDeviceSession();
  std::string type = prefix + "_session", parameters = sessionParameters();
  os << "typedef struct " << type << " " << type
     << "; /* lies at the caller's memory; holds no pointer */\n";
  os << sessionDescription() << api() << "size_t " << type << "_size("
     << (parameters.empty() ? "void" : parameters) << ");\n"
     << "/* All rows start empty. *session = memory. */\n"
     << check() << type << "_init(void *memory, size_t size, " << parameters
     << (parameters.empty() ? "" : ", ") << type << " **session);\n"
     << "/* Takes over bytes saved from a session of this model, at any "
        "address. "
        "*/\n"
     << check() << type << "_restore(void *memory, size_t size, " << type
     << " **session);\n";
  writeCursorFunctions();
  if (model.hasTensorState())
    os << "/* As after init. row -1: all rows. */\n"
       << check() << type << "_reset(" << type << " *session, int64_t row);\n";
  os << "/* Forks a row, also within one session; O(its length). Capacities "
        "may "
        "differ. */\n"
     << check() << type << "_copy_row(" << type
     << " *to, int64_t to_row,\n    const " << type
     << " *from, int64_t from_row);\n\n";
}

void HeaderWriter::writeParameters(const EntryInterface &entry, size_t indent) {
  std::string pad = "\n" + std::string(indent, ' ');
  if (entry.usesSession)
    os << prefix << "_session *session, ";
  if (model.onDevice)
    os << "const " << prefix << "_device *device, void *stream,";
  else if (entry.usesWeights && externalWeights())
    os << "const " << prefix << "_weights *weights, ";
  if (!model.onDevice)
    os << "const sinter_exec *exec, /* or NULL */";
  os << pad << "void *workspace, size_t workspace_size";
  for (const EntryDim &dim : entry.dims)
    if (dim.kind == EntryDim::Parameter)
      os << ", int64_t " << cDimension(dim.name);
  std::vector<const Tensor *> order;
  for (Tensor::Role role : {Tensor::Lengths, Tensor::Input, Tensor::Output})
    for (const Tensor &tensor : entry.tensors)
      if (tensor.role == role)
        order.push_back(&tensor);
  os << (order.empty() ? ");" : ",");
  for (const Tensor *tensor : order)
    os << pad << (tensor->role == Tensor::Output ? "" : "const ")
       << cTypeOf(tensor->type) << " *" << cParameter(tensor->name)
       << (tensor == order.back() ? "); /* " : ", /* ")
       << describe(entry, *tensor) << " */";
  os << "\n\n";
}

void HeaderWriter::writeExtents(const EntryInterface &entry) {
  for (const EntryDim &dim : entry.dims)
    if (dim.kind == EntryDim::State)
      os << api() << "int64_t " << prefix << "_" << cIdentifier(entry.name)
         << "_extent_" << cIdentifier(dim.name)
         << (model.onDevice ? "(" : "(const ") << prefix
         << (model.onDevice ? "_session *session, void *stream"
                            : "_session *session")
         << "); /* negative: a status */\n";
}

void HeaderWriter::writeEntry(const EntryInterface &entry) {
  std::string function = prefix + "_" + cIdentifier(entry.name);
  std::string parameters, described;
  llvm::ListSeparator comma, semicolon("; ");
  for (const EntryDim *dim : entry.sizeDims()) {
    parameters +=
        (llvm::StringRef(comma) + "int64_t " + cDimension(dim->name)).str();
    if (dim->kind == EntryDim::Parameter)
      described += (llvm::StringRef(semicolon) + describe(*dim)).str();
    if (dim->kind == EntryDim::State)
      described += (llvm::StringRef(semicolon) + comment(dim->name) +
                    ": as last written, at most the session's")
                       .str();
  }
  if (!model.onDevice)
    parameters += (llvm::StringRef(comma) + "int32_t workers").str();
  os << "/* "
     << comment(entry.comment.empty() ? "@" + entry.name + "." : entry.comment)
     << (described.empty() ? "" : " " + described + ".") << " */\n"
     << api() << "size_t " << function << "_workspace_size("
     << (parameters.empty() ? "void" : parameters) << ");\n";
  writeExtents(entry);
  os << upper << "_API SINTER_CHECK sinter_status\n" << function << "(";
  writeParameters(entry, function.size() + 1);
}

void HeaderWriter::writeAbout() {
  auto line = [&](llvm::StringRef declaration, llvm::StringRef what) {
    os << api() << declaration << "; /* " << what << " */\n";
  };
  os << "/* About the object. Strings are constant. */\n";
  line("uint32_t " + prefix + "_abi(void)",
       "for dlopen: compare with " + upper + "_ABI");
  line("const char *" + prefix + "_isa(void)", "the level in use");
  line("const char *" + prefix + "_manifest(void)",
       "JSON: entries, tensors, dimensions, kernels");
  line("const char *" + prefix + "_status_string(sinter_status s)",
       "a sentence that names entry and parameter");
  line("const char *" + prefix + "_kernel_name(int32_t kernel)",
       "NULL past the last");
}

void HeaderWriter::writeGuard() {
  std::string guard = llvm::formatv(
      "{0}_h_and_{0}_o_differ_rebuild_both_{1:x-8}", prefix, identity.abi);
  os << "\n#ifdef SINTER_RETAIN /* a header and an object that do not match "
        "must not link */\nextern const char "
     << guard << ";\nSINTER_RETAIN static const char *const " << prefix
     << "_guard_ = &" << guard << ";\n#endif\n"
     << "#ifdef __cplusplus\n}\n#endif\n#endif\n";
}

std::string HeaderWriter::write() {
  os << kSinterTypesText;
  writeIdentity();
  if (model.onDevice)
    writeDeviceIdentity();
  writeSizes();
  if (model.onDevice)
    writeDeviceRules();
  else
    writeRules();
  writeWeights();
  if (model.onDevice)
    writeDevice();
  writeSession();
  for (const EntryInterface &entry : model.entries)
    writeEntry(entry);
  writeAbout();
  writeGuard();
  return std::move(text);
}

uint32_t sinter::package::abiHash(const ModelInterface &model) {
  uint64_t hash = hashBytes(HeaderWriter(model, Identity()).write());
  return uint32_t(hash ^ (hash >> 32));
}

std::string sinter::package::writeHeader(const ModelInterface &model,
                                         uint64_t weightsHash,
                                         uint64_t stackBytes) {
  Identity identity{abiHash(model), modelHash(model, weightsHash), stackBytes,
                    model.version};
  return HeaderWriter(model, identity).write();
}
