//===- Values.cpp - Tensors on the command line and in files -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Values.h"
#include "sinter/Execution/CompiledSession.h"
#include "sinter/Support/Npy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace sinter::run {

static Expected<Tensor> fromNpy(const NpyArray &array,
                                mlir::MLIRContext *context) {
  mlir::Type type = execution::elementTypeOf(array.type, context);
  if (!type)
    return createStringError("elements of type '" +
                             sinter::toString(array.type) +
                             "' are not supported");
  return *Tensor::fromBytes(array.shape, type, array.data);
}

static Error parseElements(StringRef text, Tensor &tensor) {
  SmallVector<StringRef> words;
  text.split(words, ',', -1, /*KeepEmpty=*/false);
  int64_t size = tensor.size(), count = static_cast<int64_t>(words.size());
  if (count != size && count != 1)
    return createStringError("'" + Twine(count) + "' values, expected '" +
                             Twine(size) + "' or one for all");
  for (int64_t i = 0; i < size; ++i) {
    StringRef word = words[count == 1 ? 0 : i].trim();
    double real = 0;
    int64_t integer = 0;
    bool isBad = tensor.isFloat() ? word.getAsDouble(real)
                                  : word.getAsInteger(0, integer);
    if (isBad)
      return createStringError("'" + word + "' is no number of the type");
    if (tensor.isFloat())
      tensor.real(i) = roundToType(real, tensor.elementType());
    else
      tensor.integer(i) = wrapInteger(integer, tensor.elementType());
  }
  return Error::success();
}

Expected<Tensor> readValue(StringRef text, mlir::MLIRContext *context) {
  if (text.ends_with(".npy")) {
    Expected<NpyArray> array = readNpy(text);
    if (!array)
      return array.takeError();
    return fromNpy(*array, context);
  }
  auto [typeText, elements] = text.split('=');
  SmallVector<StringRef> parts;
  typeText.split(parts, 'x');
  std::optional<StoredType> stored = parseStoredType(parts.back());
  mlir::Type type =
      stored ? execution::elementTypeOf(*stored, context) : mlir::Type();
  Shape shape;
  bool isGood = static_cast<bool>(type) && text.contains('=');
  for (StringRef part : ArrayRef(parts).drop_back()) {
    int64_t extent = 0;
    isGood &= !part.getAsInteger(10, extent) && extent >= 0;
    shape.push_back(extent);
  }
  if (!isGood)
    return createStringError("'" + text +
                             "' is neither a .npy file nor '2x3xf32=1,2,...'");
  Tensor tensor(shape, type);
  if (Error error = parseElements(elements, tensor))
    return std::move(error);
  return tensor;
}

static Error addArchive(StringRef path, mlir::MLIRContext *context,
                        StringMap<Tensor> &values) {
  auto members = readNpz(path);
  if (!members)
    return members.takeError();
  for (auto &[name, array] : *members) {
    Expected<Tensor> value = fromNpy(array, context);
    if (!value)
      return value.takeError();
    values[name] = std::move(*value);
  }
  return Error::success();
}

Expected<StringMap<Tensor>> readValues(ArrayRef<NamedText> named,
                                       mlir::MLIRContext *context) {
  StringMap<Tensor> values;
  for (const NamedText &given : named) {
    if (given.text == "random")
      continue;
    if (given.name.empty()) {
      if (Error error = addArchive(given.text, context, values))
        return std::move(error);
      continue;
    }
    Expected<Tensor> value = readValue(given.text, context);
    if (!value)
      return createStringError("'" + given.name +
                               "': " + toString(value.takeError()));
    values[given.name] = std::move(*value);
  }
  return values;
}

const Tensor *findValue(const StringMap<Tensor> &values, StringRef entry,
                        StringRef tensor) {
  auto found = values.find((entry + "." + tensor).str());
  if (found == values.end())
    found = values.find(tensor);
  return found == values.end() ? nullptr : &found->second;
}

void printValue(raw_ostream &os, StringRef name, const Tensor &value) {
  os << name << '='
     << sinter::toString(value.shape(),
                         execution::storedTypeOf(value.elementType()))
     << '=';
  for (int64_t i = 0, e = value.size(); i < e; ++i) {
    os << (i ? "," : "");
    if (value.isFloat())
      os << format("%.9g", value.real(i));
    else
      os << value.integer(i);
  }
  os << '\n';
}

void writeValue(raw_ostream &os, const Tensor &value) {
  writeNpy(os, execution::storedTypeOf(value.elementType()), value.shape(),
           value.toBytes());
}

} // namespace sinter::run
