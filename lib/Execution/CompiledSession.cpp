//===- CompiledSession.cpp - Calls of a compiled model with tensors -*- C++
//-*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Execution/CompiledSession.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <chrono>

using namespace llvm;

namespace sinter::execution {

mlir::Type elementTypeOf(StoredType type, mlir::MLIRContext *context) {
  switch (type) {
  case StoredType::F16:
    return mlir::Float16Type::get(context);
  case StoredType::BF16:
    return mlir::BFloat16Type::get(context);
  case StoredType::F32:
    return mlir::Float32Type::get(context);
  case StoredType::F64:
    return mlir::Float64Type::get(context);
  case StoredType::Bool:
    return mlir::IntegerType::get(context, 1);
  case StoredType::I8:
  case StoredType::I16:
  case StoredType::I32:
  case StoredType::I64:
    return mlir::IntegerType::get(context, 8 * byteWidth(type));
  default:
    return {};
  }
}

StoredType storedTypeOf(mlir::Type type) {
  return TypeSwitch<mlir::Type, StoredType>(type)
      .Case([](mlir::Float16Type) { return StoredType::F16; })
      .Case([](mlir::BFloat16Type) { return StoredType::BF16; })
      .Case([](mlir::Float32Type) { return StoredType::F32; })
      .Case([](mlir::Float64Type) { return StoredType::F64; })
      .Case([](mlir::IntegerType integer) {
        switch (integer.getWidth()) {
        case 1:
          return StoredType::Bool;
        case 8:
          return StoredType::I8;
        case 16:
          return StoredType::I16;
        case 32:
          return StoredType::I32;
        default:
          return StoredType::I64;
        }
      })
      .Default(StoredType::I64);
}

static constexpr uint64_t guardBytes = 128;
static constexpr char guardValue = '\x5a';
/// 0xff in every byte is a NaN of any float type and -1 of any integer type.
static constexpr char poison = '\xff';

GuardedBuffer::GuardedBuffer(uint64_t bytes, uint64_t offset)
    : bytes(bytes), storage(bytes + offset + 64 + 2 * guardBytes, guardValue) {
  auto first = reinterpret_cast<uintptr_t>(storage.data()) + guardBytes;
  uintptr_t aligned = (first + 63) / 64 * 64 + offset;
  start = storage.data() + guardBytes + (aligned - first);
  fill();
}

void GuardedBuffer::fill() { std::fill(start, start + bytes, poison); }

bool GuardedBuffer::isIntact() const {
  auto isGuard = [](char c) { return c == guardValue; };
  return std::all_of(storage.data(), static_cast<const char *>(start),
                     isGuard) &&
         std::all_of(static_cast<const char *>(start) + bytes,
                     storage.data() + storage.size(), isGuard);
}

MutableArrayRef<char> GuardedBuffer::withGuards() {
  return {start - guardBytes, static_cast<size_t>(bytes + 2 * guardBytes)};
}

Shape shapeOf(const EntryManifest &entry, const TensorManifest &tensor,
              ArrayRef<int64_t> dims) {
  Shape shape;
  for (const ExtentManifest &extent : tensor.shape) {
    const DimManifest *dim = entry.findDim(extent.name);
    shape.push_back(dim ? dims[dim - entry.dims.data()] : extent.value);
  }
  return shape;
}

/// Elements of a tensor, and bytes of a session, that a run takes at most.
static constexpr int64_t mostElements = int64_t(1) << 31;
static constexpr uint64_t mostBytes = uint64_t(1) << 36;

Error checkSizes(const EntryManifest &entry, ArrayRef<int64_t> dims) {
  for (const TensorManifest &tensor : entry.tensors) {
    Shape shape = shapeOf(entry, tensor, dims);
    if (is_contained(shape, 0))
      continue;
    int64_t count = 1;
    for (int64_t extent : shape)
      if (MulOverflow(count, extent, count) || count > mostElements)
        return createStringError("'" + tensor.name +
                                 "' would have more than 2^31 elements, which "
                                 "is the most that a run takes");
  }
  return Error::success();
}

Expected<std::unique_ptr<CompiledSession>>
CompiledSession::create(const LoadedModel &model, ArrayRef<int64_t> dims,
                        const void *weights) {
  std::unique_ptr<CompiledSession> result(new CompiledSession(model));
  result->weights = weights;
  if (model.manifest().device)
    if (Error error = result->openDevice())
      return std::move(error);
  if (!model.manifest().hasSession)
    return result;
  // Where there is no size, starting a session says which dimension is wrong.
  uint64_t bytes = model.sessionSize(dims);
  if (bytes > mostBytes)
    return createStringError("the session would have " + Twine(bytes) +
                             " bytes, more than the 2^36 that a run takes");
  result->memory = std::make_unique<GuardedBuffer>(bytes);
  if (model.manifest().device) {
    if (Error error = result->createOnDevice(dims))
      return std::move(error);
    return result;
  }
  sinter_status status =
      model.initSession(result->memory->data(), bytes, dims, &result->session);
  if (status != SINTER_OK)
    return createStringError(model.describe(status));
  return result;
}

namespace {

/// The buffers of one call.
struct CallBuffers {
  std::vector<std::unique_ptr<GuardedBuffer>> owned; // per tensor, or null
  SmallVector<void *> addresses;
  SmallVector<Shape> shapes;
};

} // namespace

static CallBuffers makeBuffers(const EntryManifest &entry,
                               ArrayRef<int64_t> dims,
                               const StringMap<Tensor> &inputs,
                               bool areAligned) {
  CallBuffers buffers;
  for (const TensorManifest &tensor : entry.tensors) {
    Shape shape = shapeOf(entry, tensor, dims);
    auto input = inputs.find(tensor.name);
    std::unique_ptr<GuardedBuffer> buffer;
    if (tensor.role == TensorManifest::Output || input != inputs.end()) {
      uint64_t width = byteWidth(tensor.type);
      buffer = std::make_unique<GuardedBuffer>(elementCount(shape) * width,
                                               areAligned ? 0 : width);
      if (tensor.role != TensorManifest::Output)
        copy(input->second.toBytes(), buffer->data());
    }
    buffers.addresses.push_back(buffer ? buffer->data() : nullptr);
    buffers.owned.push_back(std::move(buffer));
    buffers.shapes.push_back(shape);
  }
  return buffers;
}

/// Inputs and guards are as they were.
static std::string findFault(const EntryManifest &entry, CallBuffers &buffers,
                             const StringMap<Tensor> &inputs) {
  for (auto [tensor, buffer] : zip_equal(entry.tensors, buffers.owned)) {
    if (!buffer)
      continue;
    if (!buffer->isIntact())
      return "wrote outside of '" + tensor.name + "'";
    if (tensor.role == TensorManifest::Output)
      continue;
    if (!equal(inputs.find(tensor.name)->second.toBytes(),
               ArrayRef(buffer->data(), buffer->size())))
      return "changed the input '" + tensor.name + "'";
  }
  return "";
}

CallResult CompiledSession::run(const EntryManifest &entry,
                                ArrayRef<int64_t> dims,
                                const StringMap<Tensor> &inputs,
                                const Workers *workers,
                                mlir::MLIRContext *context,
                                const MemoryObserver &observer) {
  CallResult result;
  CallBuffers buffers = makeBuffers(entry, dims, inputs, tensorsAreAligned);
  GuardedBuffer workspace(
      model.workspaceSize(entry, dims, workers ? workers->count() : 1));
  CallArguments arguments{
      session,          weights,          workers ? workers->get() : nullptr,
      workspace.data(), workspace.size(), dims,
      buffers.addresses};
  if (observer)
    observer(workspace.data(), buffers.addresses, buffers.shapes);
  auto start = std::chrono::steady_clock::now();
  result.status =
      device ? callOnDevice(entry, arguments, workspace, buffers.owned,
                            workers ? workers->getTrace() : Workers::Trace(),
                            result.fault)
             : model.call(entry, arguments);
  result.microseconds = std::chrono::duration<double, std::micro>(
                            std::chrono::steady_clock::now() - start)
                            .count();
  if (result.fault.empty())
    result.fault = findFault(entry, buffers, inputs);
  if (!workspace.isIntact())
    result.fault = "wrote outside of the workspace";
  if (memory && !memory->isIntact())
    result.fault = "wrote outside of the session";
  for (auto [tensor, buffer, shape] :
       zip_equal(entry.tensors, buffers.owned, buffers.shapes))
    if (tensor.role == TensorManifest::Output)
      result.outputs.push_back(
          *Tensor::fromBytes(shape, elementTypeOf(tensor.type, context),
                             ArrayRef(buffer->data(), buffer->size())));
  return result;
}

} // namespace sinter::execution
