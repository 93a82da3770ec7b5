//===- Runner.cpp - Runs all that a command line asks for -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runner.h"
#include "Benchmark.h"
#include "Report.h"
#include "Signature.h"
#include "Values.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace sinter::run {

int Runner::loadCode(StringRef label,
                     std::unique_ptr<execution::LoadedModel> code,
                     KernelTable kernels) {
  if (!code)
    return ExitDiagnosed;
  setup.manifest = code->manifest();
  setup.variants.push_back(
      {label.str(), code.get(), nullptr, false, std::move(kernels)});
  models.push_back(std::move(code));
  return ExitSuccess;
}

int Runner::loadShared() {
  auto model = execution::LoadedModel::fromShared(request.model);
  if (!model)
    return fail(model.takeError());
  if (int bad = loadCode((*model)->manifest().target, std::move(*model)))
    return bad;
  if (setup.manifest.weightsEmbedded)
    return ExitSuccess;
  if (request.weights.empty())
    return fail("'" + request.model +
                    "' needs its weights; give "
                    "'--weights=FILE'",
                ExitCommandLine);
  auto file = MemoryBuffer::getFile(request.weights);
  if (!file)
    return fail("cannot read '" + request.weights +
                "': " + file.getError().message());
  StringRef bytes = (*file)->getBuffer();
  weightBytes.push_back(
      std::make_unique<execution::GuardedBuffer>(bytes.size()));
  copy(bytes, weightBytes.back()->data());
  sinter_status status = models.back()->openWeights(
      weightBytes.back()->data(), bytes.size(), &setup.variants[0].weights);
  return status == SINTER_OK ? ExitSuccess
                             : fail(models.back()->describe(status));
}

int Runner::load() {
  setup.request = &request;
  setup.context = getContext();
  if (request.isShared())
    return loadShared();
  source = std::make_unique<ModelSource>(request);
  setup.context = source->getContext();
  if (int bad = source->open())
    return bad;
  setup.masks = source->maskArguments();
  if (request.compare || request.reference)
    setup.reference = &source->referenceModel();
  if (request.reference) {
    setup.manifest = source->describe();
    return ExitSuccess;
  }
  if (request.compareEach)
    setup.ops = numberedOps(source->expanded());
  for (StringRef cpu : request.cpus) {
    KernelTable kernels;
    auto code = source->compile(cpu, request.compareEach ? &kernels : nullptr);
    if (int bad = loadCode(cpu, std::move(code), std::move(kernels)))
      return bad;
  }
  return ExitSuccess;
}

int Runner::checkEntries() {
  SmallVector<StringRef> known;
  for (const execution::EntryManifest &entry : setup.manifest.entries)
    known.push_back(entry.name);
  for (StringRef name : request.entries) {
    const execution::EntryManifest *entry = setup.manifest.findEntry(name);
    if (!entry)
      return fail(unknownName("entry", name, known), ExitCommandLine);
    setup.entries.push_back(entry);
  }
  if (request.entries.empty())
    for (const execution::EntryManifest &entry : setup.manifest.entries)
      setup.entries.push_back(&entry);
  return ExitSuccess;
}

int Runner::checkNames() {
  SmallVector<StringRef> inputs, outputs;
  for (const execution::EntryManifest *entry : setup.entries)
    for (const execution::TensorManifest &tensor : entry->tensors)
      (tensor.role == execution::TensorManifest::Output ? outputs : inputs)
          .push_back(tensor.name);
  auto isKnown = [&](StringRef name, ArrayRef<StringRef> tensors) {
    auto [entry, tensor] = name.split('.');
    return is_contained(tensors, name) ||
           any_of(setup.entries, [&](const execution::EntryManifest *other) {
             return other->name == entry && other->findTensor(tensor) >= 0 &&
                    is_contained(tensors, tensor);
           });
  };
  for (const auto &input : setup.inputs)
    if (!isKnown(input.getKey(), inputs))
      return fail(unknownName("input", input.getKey(), inputs),
                  ExitCommandLine);
  SmallVector<StringRef> wanted;
  for (const NamedText &output : request.outputs)
    wanted.push_back(output.name);
  append_range(wanted, setup.expected.keys());
  for (StringRef name : wanted)
    if (!isKnown(name, outputs))
      return fail(unknownName("output", name, outputs), ExitCommandLine);
  return ExitSuccess;
}

int Runner::checkDims() {
  SmallVector<StringRef> known;
  auto add = [&](ArrayRef<execution::DimManifest> dims) {
    for (const execution::DimManifest &dim : dims)
      if (!is_contained(known, dim.name) &&
          !StringRef(dim.name).ends_with(".capacity"))
        known.push_back(dim.name);
  };
  add(setup.manifest.sessionDims);
  for (const execution::EntryManifest *entry : setup.entries)
    add(entry->dims);
  auto isKnown = [&](StringRef name) {
    bool isCapacity = name.consume_back(".capacity") &&
                      any_of(setup.manifest.sessionDims,
                             [&](const execution::DimManifest &dim) {
                               return dim.name == name;
                             });
    return isCapacity || is_contained(known, name);
  };
  for (const DimValues &dim : request.dims)
    if (!isKnown(dim.name))
      return fail(unknownName("dimension", dim.name, known), ExitCommandLine);
  DimMap dims;
  for (const DimValues &dim : request.dims)
    dims[dim.name] = dim.values.front();
  if (Error error = inferDims(dims))
    return fail(std::move(error));
  for (StringRef name : known)
    if (!dims.contains(name))
      return fail("dimension '" + name +
                      "' needs a value; give '--dim=" + name + "=N'",
                  ExitCommandLine);
  return ExitSuccess;
}

/// Takes dimensions from inputs that are given, and checks those.
Error Runner::inferDims(DimMap &dims) const {
  for (const execution::EntryManifest *entry : setup.entries)
    for (const execution::TensorManifest &tensor : entry->tensors) {
      const Tensor *given = findValue(setup.inputs, entry->name, tensor.name);
      if (!given)
        continue;
      const Tensor &value = *given;
      bool fits = value.shape().size() == tensor.shape.size() &&
                  execution::storedTypeOf(value.elementType()) == tensor.type;
      for (auto [extent, size] : zip(tensor.shape, value.shape())) {
        if (extent.name.empty())
          fits &= extent.value == size;
        else
          fits &= dims.insert({extent.name, size}).first->second == size;
      }
      if (!fits)
        return createStringError(
            "input '" + tensor.name + "' is '" +
            sinter::toString(value.shape(),
                             execution::storedTypeOf(value.elementType())) +
            "', expected '" + describeTensor(tensor) + "'");
    }
  return Error::success();
}

int Runner::run() {
  if (int bad = load())
    return bad;
  if (!request.runs()) {
    printSignature(outs(), setup.manifest);
    return ExitSuccess;
  }
  for (auto [named, values] : {std::pair(&request.inputs, &setup.inputs),
                               {&request.expectations, &setup.expected}}) {
    Expected<StringMap<Tensor>> read = readValues(*named, setup.context);
    if (!read)
      return fail(read.takeError());
    *values = std::move(*read);
  }
  for (int (Runner::*check)() :
       {&Runner::checkEntries, &Runner::checkNames, &Runner::checkDims})
    if (int bad = (this->*check)())
      return bad;
  int code = runAll();
  if (request.verbose) {
    errs() << setup.calls << " calls\n";
    if (request.compareEach)
      errs() << setup.kernelElements
             << " elements compared at kernel boundaries\n";
    for (const auto &[name, closeness] : setup.closeness)
      errs() << name << ": " << closeness.compared << " elements, worst error "
             << format("%.3f", closeness.worstRatio) << " of the tolerance\n";
  }
  return code;
}

int Runner::runAll() {
  size_t count = 1;
  for (const DimValues &dim : request.dims)
    count *= dim.values.size();
  for (size_t number = 0; number < count; ++number) {
    DimMap dims;
    size_t rest = number;
    for (const DimValues &dim : request.dims) {
      dims[dim.name] = dim.values[rest % dim.values.size()];
      rest /= dim.values.size();
    }
    if (Error error = inferDims(dims))
      return fail(std::move(error));
    if (request.benchmarkSeconds) {
      if (int bad = benchmark(setup, dims))
        return bad;
      continue;
    }
    Combination combination(setup, dims, request.seed * 1000003 + number);
    if (int bad = combination.run())
      return bad;
    if (int bad = finish(combination))
      return bad;
  }
  return ExitSuccess;
}

int Runner::finish(Combination &combination) {
  if (int bad = checkExpectations(combination))
    return bad;
  return writeOutputs(combination);
}

int Runner::checkExpectations(Combination &combination) {
  for (const auto &[key, value] : setup.expected) {
    std::string name = key.str();
    const Tensor &actual = combination.results[name];
    if (value.shape() != actual.shape() ||
        value.elementType() != actual.elementType())
      return fail("'" + name +
                      "' has another type or shape than "
                      "expected",
                  ExitDiffers);
    // Under the reference's tolerance it has been compared, at each level.
    if (request.compare && !request.hasTolerance)
      continue;
    execution::Comparison comparison =
        compare(expectWithin(name, value, request.tolerance), actual);
    if (!comparison.agrees())
      return fail("'" + name + "': " + comparison.describe(), ExitDiffers);
  }
  return ExitSuccess;
}

int Runner::writeOutputs(Combination &combination) {
  OutputFiles files;
  for (const NamedText &output : request.outputs) {
    const Tensor &value = combination.results[output.name];
    if (output.text == "-") {
      printValue(outs(), output.name, value);
      continue;
    }
    Expected<raw_pwrite_stream &> stream = files.create(output.text);
    if (!stream)
      return fail(stream.takeError());
    writeValue(*stream, value);
  }
  if (Error error = files.commit())
    return fail(std::move(error));
  return ExitSuccess;
}

} // namespace sinter::run
