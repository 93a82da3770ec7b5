//===- PackageToy.cpp - packages a model without a compiler ---------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: package-toy DIRECTORY. Writes the toy model several times: toy.{o,h,a,
// so,weights,json} with external weights, toz.{o,h} with embedded ones,
// x86_64_v2.{o,h} ... for each level, alien.{o,h} for a processor that does not
// exist.
//===----------------------------------------------------------------------===//

#include "sinter/Target/Object/Object.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace sinter::package;

static llvm::ExitOnError check("package-toy: ");

static EntryInterface makeStep(bool isDecode) {
  EntryInterface entry;
  entry.name = isDecode ? "decode" : "prefill";
  entry.comment = isDecode ? "@decode: @prefill with sequence = 1."
                           : "@prefill: appends tokens to each row.";
  Extent batch = Extent::dim("batch");
  // The kernels read dims[1] in both entries.
  Extent sequence = Extent::dim("sequence");
  entry.dims = {{"batch", EntryDim::Session, 0, 0, "batch"},
                {"sequence", EntryDim::Parameter, 0, 64, ""},
                {"context", EntryDim::Session, 0, 0, "context"}};
  if (isDecode)
    entry.dims[1].lower = entry.dims[1].upper = 1;
  Tensor tokens{Tensor::Input, "tokens", ElementType::I32, {batch, sequence}};
  tokens.limit = 16;
  tokens.lengths = 1;
  Tensor lengths{
      Tensor::Lengths, "lengths", ElementType::I64, {batch}, sequence};
  Tensor sums{
      Tensor::Output, "sums", ElementType::F32, {batch, Extent::constant(4)}};
  sums.comment = "over all positions; rows of length 0 not written";
  entry.tensors = {tokens, lengths, sums};
  entry.usesSession = entry.usesWeights = true;
  entry.cursors = {{"context", CursorUse::Append, sequence, 1}};
  entry.slots = {batch.size() * sequence.size() * SizeExpr(4)};
  entry.scratchBytes = 16;
  return entry;
}

static EntryInterface makeThird() {
  EntryInterface entry;
  entry.name = "third";
  Extent n = Extent::dim("n");
  entry.dims = {{"n", EntryDim::Parameter, 0, kMaxDim, ""}};
  entry.tensors = {{Tensor::Input, "x", ElementType::F32, {n}},
                   {Tensor::Output, "y", ElementType::F32, {n}}};
  return entry;
}

static ModelInterface makeModel(llvm::StringRef name, bool embedded) {
  ModelInterface model;
  model.name = name.str();
  model.computationHash = hashBytes("toy");
  model.sessionDims = {{"batch", 1, kMaxDim}, {"context", 1, 64}};
  model.rows = Extent::dim("batch");
  model.cursors = {{"context", Extent::dim("context")}};
  State kv;
  kv.name = "layers.0.kv";
  kv.cursor = "context";
  kv.heads = 2;
  kv.key = kv.value = 4;
  kv.panel = 16;
  model.states = {kv};
  model.entries = {makeStep(false), makeStep(true), makeThird()};
  model.kernels = {"toy_embed", "toy_append", "toy_sum", "toy_third"};
  model.weights = {64, embedded};
  return model;
}

/// All dimensions fixed, a recurrent state, no weights.
static ModelInterface makeSum() {
  ModelInterface model;
  model.name = "sum";
  State sum;
  sum.kind = State::Tensor;
  sum.name = "sum";
  sum.shape = {Extent::constant(4)};
  model.states = {sum};
  EntryInterface step;
  step.name = "step";
  step.usesSession = true;
  step.tensors = {
      {Tensor::Input, "x", ElementType::F32, {Extent::constant(4)}},
      {Tensor::Output, "y", ElementType::F32, {Extent::constant(4)}}};
  model.entries = {step};
  return model;
}

/// Two cursors: encode fills one and restarts the other, next reads the one and
/// appends to the other.
static ModelInterface makePair() {
  ModelInterface model;
  model.name = "pair";
  model.sessionDims = {{"batch"}, {"source"}, {"target"}};
  model.rows = Extent::dim("batch");
  for (const char *name : {"source", "target"}) {
    model.cursors.push_back({name, Extent::dim(name)});
    State cache;
    cache.name = std::string("cache.") + name;
    cache.cursor = name;
    cache.heads = cache.key = cache.value = 1;
    model.states.push_back(cache);
  }
  EntryDim batch{"batch", EntryDim::Session, 0, 0, "batch"};
  Tensor places{Tensor::Output,
                "places",
                ElementType::I64,
                {Extent::dim("batch"), Extent::constant(4)}};
  EntryInterface encode;
  encode.name = "encode";
  encode.usesSession = true;
  Extent words = Extent::dim("words");
  encode.dims = {batch, {"words", EntryDim::Parameter, 0, kMaxDim, ""}};
  encode.tensors = {{Tensor::Lengths,
                     "lengths",
                     ElementType::I64,
                     {Extent::dim("batch")},
                     words},
                    places};
  encode.cursors = {{"source", CursorUse::Fill, words, 0},
                    {"target", CursorUse::Restart, words, 0}};
  EntryInterface next;
  next.name = "next";
  next.usesSession = true;
  next.dims = {batch};
  next.tensors = {places};
  next.cursors = {{"source", CursorUse::Read},
                  {"target", CursorUse::Append, Extent::constant(1)}};
  next.positions = {{"target", Extent::constant(1), -1, 4}};
  model.entries = {encode, next};
  return model;
}

/// A tensor of current extents beside a cache and a recurrent state: put writes
/// it, get reads it and moves the cursor, twice makes it twice as long.
static ModelInterface makeMemo() {
  ModelInterface model;
  model.name = "memo";
  model.sessionDims = {{"batch"}, {"source"}, {"width"}, {"target"}};
  model.rows = Extent::dim("batch");
  model.cursors = {{"target", Extent::dim("target")}};
  Extent rows = model.rows, source = Extent::dim("source"),
         width = Extent::dim("width"), two = Extent::constant(2);
  State memory, calls, cache;
  memory.kind = calls.kind = State::Tensor;
  memory.name = "memory";
  memory.type = ElementType::I32;
  memory.shape = {source, two, width};
  calls.name = "calls";
  cache.name = "cache";
  cache.cursor = "target";
  cache.heads = cache.key = cache.value = 1;
  model.states = {memory, calls, cache};
  EntryDim batch{"batch", EntryDim::Session, 0, 0, "batch"};
  auto dims = [&](EntryDim::Kind kind) {
    return std::vector<EntryDim>{batch,
                                 {"source", kind, 0, kMaxDim, "source"},
                                 {"width", kind, 0, kMaxDim, "width"}};
  };
  EntryInterface put, get, twice;
  put.name = "put";
  put.dims = dims(EntryDim::Parameter);
  put.tensors = {
      {Tensor::Lengths, "lengths", ElementType::I64, {rows}, source},
      {Tensor::Input, "x", ElementType::I32, {rows, source, two, width}}};
  put.writes = {{"memory", {source.size(), width.size()}}};
  get.name = "get";
  get.dims = dims(EntryDim::State);
  get.tensors = {
      {Tensor::Output, "y", ElementType::I32, {rows, source, two, width}},
      {Tensor::Output, "calls", ElementType::F32, {rows}}};
  get.reads = {"memory"};
  get.cursors = {{"target", CursorUse::Append, Extent::constant(1)}};
  twice.name = "twice";
  twice.dims = dims(EntryDim::State);
  twice.reads = {"memory"};
  twice.writes = {{"memory", {source.size() + source.size(), width.size()}}};
  twice.slots = {rows.size() * source.size() * width.size() * SizeExpr(16)};
  put.usesSession = get.usesSession = twice.usesSession = true;
  model.entries = {put, get, twice};
  return model;
}

static void write(const std::string &path, llvm::StringRef bytes) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  check(llvm::errorCodeToError(code));
  os << bytes;
}

static CompiledModel compile(const ModelInterface &model,
                             llvm::ArrayRef<char> weights,
                             const TargetSpec &target = {},
                             const char *kernels = TOY_KERNELS) {
  llvm::LLVMContext context;
  auto buffer =
      check(llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(kernels)));
  auto module = check(llvm::parseBitcodeFile(*buffer, context));
  // What clang says of its target does not hold for generated code.
  for (llvm::Function &function : *module) {
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
    function.removeFnAttr("tune-cpu");
  }
  return check(compileModel(std::move(module), model, weights, target,
                            CodeKind::Object));
}

int main(int argc, char **argv) {
  std::string directory = argc == 2 ? argv[1] : ".";
  float table[16];
  for (int i = 0; i < 16; ++i)
    table[i] = float(i) + 0.5f;
  llvm::ArrayRef<char> weights(reinterpret_cast<char *>(table), sizeof(table));
  for (bool embedded : {false, true}) {
    ModelInterface model = makeModel(embedded ? "toz" : "toy", embedded);
    CompiledModel compiled = compile(model, weights);
    std::string stem = directory + "/" + model.prefix();
    write(stem + ".o", compiled.code);
    write(stem + ".h", compiled.header);
    if (embedded)
      continue;
    write(stem + ".json", compiled.manifest);
    write(stem + ".weights", weightFileHeader(model, compiled.weightsHash) +
                                 std::string(weights.begin(), weights.end()));
    write(stem + ".a", check(makeArchive(compiled.code, "toy.o")));
    check(linkShared(stem + ".o", stem + ".so"));
  }
  for (llvm::StringRef cpu : targetCpus()) {
    ModelInterface model = makeModel(cpu, true);
    model.flushDenormals = true;
    TargetSpec target;
    target.cpu = cpu.str();
    CompiledModel compiled = compile(model, weights, target);
    write(directory + "/" + model.prefix() + ".o", compiled.code);
    write(directory + "/" + model.prefix() + ".h", compiled.header);
  }
  for (const ModelInterface &model : {makeSum(), makePair(), makeMemo()}) {
    CompiledModel compiled = compile(model, {}, {}, PAIR_KERNELS);
    write(directory + "/" + model.prefix() + ".o", compiled.code);
    write(directory + "/" + model.prefix() + ".h", compiled.header);
  }
  // Four-operand FMA is AMD's of 2011, FP16 is Intel's of 2023.
  TargetSpec target;
  target.features = "+fma4,+avx512fp16";
  CompiledModel alien = compile(makeModel("alien", true), weights, target);
  write(directory + "/alien.o", alien.code);
  write(directory + "/alien.h", alien.header);
  return 0;
}
