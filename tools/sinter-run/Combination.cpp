//===- Combination.cpp - Calls under one choice of dimensions -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combination.h"
#include "Report.h"
#include "Values.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace sinter::run {

using execution::CallResult;
using execution::EntryManifest;
using execution::TensorManifest;

int64_t capacityOf(const DimMap &dims, StringRef name) {
  const auto *capacity = find_if(dims, [&](const auto &dim) {
    StringRef text = dim.first;
    return text.consume_back(".capacity") && text == name;
  });
  return capacity == dims.end() ? dims.lookup(name) : capacity->second;
}

SmallVector<int64_t> valuesOf(const DimMap &dims,
                              ArrayRef<execution::DimManifest> wanted,
                              bool isSession) {
  return map_to_vector(wanted, [&](const execution::DimManifest &dim) {
    if (isSession)
      return capacityOf(dims, dim.name);
    return dim.isArgument || dim.session.empty()
               ? dims.lookup(dim.name)
               : capacityOf(dims, dim.session);
  });
}

StringMap<Tensor> inputsOf(const Setup &setup, const EntryManifest &entry) {
  StringMap<Tensor> inputs;
  for (const TensorManifest &tensor : entry.tensors)
    if (const Tensor *given = findValue(setup.inputs, entry.name, tensor.name))
      inputs[tensor.name] = *given;
  return inputs;
}

std::string Combination::Lane::describe() const {
  if (alignsTensors)
    return "aligned tensors";
  return "threads " + std::to_string(threads);
}

std::string Combination::place(const Lane *lane,
                               const EntryManifest &entry) const {
  std::string text = "'" + entry.name + "'";
  for (auto [name, value] : dims)
    text += (" " + name + "=" + Twine(value)).str();
  text += (" call " + Twine(callNumber)).str();
  if (lane)
    text += " " + lane->variant->label + " " + lane->describe();
  return text;
}

Combination::Outcome Combination::differ(const Lane *lane,
                                         const EntryManifest &entry,
                                         const Twine &what) {
  code = fail(place(lane, entry) + ": " + what, ExitDiffers);
  return Outcome::Failed;
}

int Combination::createLanes(ArrayRef<int64_t> sessionDims) {
  for (Variant &variant : setup.variants)
    for (int32_t threads : request.threads) {
      // Workers of the host do nothing there; what may not change bits is
      // whether accesses are wide, for which tensors must be aligned.
      bool onDevice = variant.model->manifest().device.has_value();
      bool isFirst = threads == request.threads.front();
      if (onDevice && !isFirst && threads != request.threads[1])
        continue;
      auto session = execution::CompiledSession::create(
          *variant.model, sessionDims, variant.weights);
      if (!session)
        return fail(session.takeError());
      lanes.push_back({&variant,
                       threads > 1 || request.compareEach
                           ? std::make_unique<execution::Workers>(threads)
                           : nullptr,
                       std::move(*session), threads, onDevice && !isFirst});
      if (lanes.back().alignsTensors)
        lanes.back().session->alignTensors();
    }
  return ExitSuccess;
}

int Combination::createSessions() {
  SmallVector<int64_t> sessionDims =
      valuesOf(dims, setup.manifest.sessionDims, /*isSession=*/true);
  if (int bad = createLanes(sessionDims))
    return bad;
  if (!setup.reference)
    return ExitSuccess;
  StringMap<int64_t> named;
  for (const execution::DimManifest &dim : setup.manifest.sessionDims)
    named[dim.name] = capacityOf(dims, dim.name);
  auto created = setup.reference->createSession(named);
  if (failed(created))
    return ExitDiagnosed;
  session = std::move(*created);
  return ExitSuccess;
}

int Combination::run() {
  if (int bad = createSessions())
    return bad;
  for (callNumber = 0; callNumber < request.calls; ++callNumber)
    for (auto [number, entry] : enumerate(setup.entries)) {
      switch (call(*entry, number)) {
      case Outcome::Good:
        continue;
      case Outcome::Full:
        return ExitSuccess;
      case Outcome::Failed:
        return code;
      }
    }
  return ExitSuccess;
}

bool Combination::addCurrent(const EntryManifest &entry,
                             SmallVectorImpl<int64_t> &values) {
  for (auto [dim, value] : zip_equal(entry.dims, values)) {
    if (!dim.isCurrent)
      continue;
    std::optional<int64_t> expected;
    if (session)
      expected = session->exact.extent(dim.session, entry.reads);
    value = expected.value_or(0);
    for (const Lane &lane : lanes) {
      int64_t actual = lane.session->extent(entry, dim);
      if (!session) {
        value = std::max<int64_t>(actual, 0);
      } else if (actual < 0 ? expected.has_value() : actual != expected) {
        differ(&lane, entry,
               "the states that it reads have '" + dim.name +
                   "' = " + Twine(actual) + ", expected " + Twine(value));
        return false;
      }
    }
  }
  return true;
}

Combination::Outcome Combination::call(const EntryManifest &entry,
                                       unsigned number) {
  SmallVector<int64_t> values = valuesOf(dims, entry.dims, /*isSession=*/false);
  if (!addCurrent(entry, values))
    return Outcome::Failed;
  if (Error error = execution::checkSizes(entry, values)) {
    code = fail(place(nullptr, entry) + ": " + toString(std::move(error)),
                ExitDiagnosed);
    return Outcome::Failed;
  }
  execution::RandomInputs random((seed * 1000003 + callNumber) * 1000003 +
                                 number);
  random.isRagged = callNumber > 0;
  random.hasLargeValues = request.nasty;
  random.masks = setup.masks;
  StringMap<Tensor> inputs = inputsOf(setup, entry);
  random.draw(entry, values, setup.context, inputs);
  ++setup.calls;
  std::vector<CallResult> called;
  Outcome outcome =
      callLanes(entry, values, inputs, innerValues(entry, inputs), called);
  if (outcome == Outcome::Full && setup.reference &&
      !referenceRefuses(entry, inputs))
    return differ(
        &lanes.front(), entry,
        "the compiled model refuses what the reference runs: " +
            lanes.front().variant->model->describe(called.front().status));
  if (outcome != Outcome::Good)
    return outcome;
  return setup.reference ? checkReference(entry, inputs, called) : outcome;
}

Combination::Outcome
Combination::callLanes(const EntryManifest &entry, ArrayRef<int64_t> values,
                       const StringMap<Tensor> &inputs,
                       ArrayRef<execution::OpExpectation> inner,
                       std::vector<CallResult> &called) {
  Outcome outcome = Outcome::Good;
  sinter_status first = SINTER_OK;
  for (Lane &lane : lanes) {
    called.emplace_back();
    if (lane.variant->lacksInstructions)
      continue;
    CallResult &result = called.back();
    result = callLane(lane, entry, values, inputs, inner);
    if (code != ExitSuccess)
      return Outcome::Failed;
    if (result.status < 0 && SINTER_KIND(result.status) == SINTER_CPU) {
      note("skipped: this machine lacks the instructions of " +
           lane.variant->label);
      lane.variant->lacksInstructions = true;
      continue;
    }
    Outcome one = checkStatus(lane, entry, result,
                              called.size() == 1 ? result.status : first);
    first = result.status;
    if (one == Outcome::Failed)
      return one;
    if (one == Outcome::Full)
      outcome = one;
  }
  if (outcome == Outcome::Good && !compareThreads(entry, called))
    return Outcome::Failed;
  keepResults(entry, called);
  return outcome;
}

/// Later calls read results by their names.
void Combination::keepResults(const EntryManifest &entry,
                              ArrayRef<CallResult> called) {
  const auto *best = find_if(
      called, [](const CallResult &result) { return !result.outputs.empty(); });
  if (best == called.end())
    return;
  auto outputs =
      make_filter_range(entry.tensors, [](const TensorManifest &tensor) {
        return tensor.role == TensorManifest::Output;
      });
  for (auto [tensor, value] : zip_equal(outputs, best->outputs)) {
    results[tensor.name] = value;
    results[entry.name + "." + tensor.name] = value;
  }
}

/// What the reference has inside of the entry, for compareEach.
std::vector<execution::OpExpectation>
Combination::innerValues(const EntryManifest &entry,
                         const StringMap<Tensor> &inputs) {
  std::vector<execution::OpExpectation> values;
  if (!request.compareEach)
    return values;
  mlir::ScopedDiagnosticHandler silent(
      setup.context, [](mlir::Diagnostic &) { return success(); });
  execution::ReferenceSession copy = *session;
  if (failed(setup.reference->run(entry.name, inputs, copy, &values)))
    values.clear();
  return values;
}

CallResult Combination::callLane(Lane &lane, const EntryManifest &entry,
                                 ArrayRef<int64_t> values,
                                 const StringMap<Tensor> &inputs,
                                 ArrayRef<execution::OpExpectation> inner) {
  if (inner.empty())
    return lane.session->run(entry, values, inputs, lane.workers.get(),
                             setup.context);
  auto dimension = [&](StringRef name) {
    const execution::DimManifest *dim = entry.findDim(name);
    return dim ? values[dim - entry.dims.data()] : capacityOf(dims, name);
  };
  KernelChecker checker(lane.variant->kernels[entry.name], setup.ops, inner,
                        dimension);
  checker.corruptLaunch = request.corruptLaunch;
  lane.workers->setTrace([&](int32_t, bool done) {
    if (done)
      checker.finishKernel();
  });
  CallResult result = lane.session->run(
      entry, values, inputs, lane.workers.get(), setup.context,
      [&](char *workspace, ArrayRef<void *> tensors, ArrayRef<Shape> shapes) {
        checker.start(workspace, tensors, shapes);
      });
  lane.workers->setTrace({});
  setup.kernelElements += checker.compared();
  if (const auto &finding = checker.finding()) {
    mlir::emitError(finding->op->getLoc())
        << "'" << finding->op->getName()
        << "' is wrong: " << finding->comparison.describe();
    code = fail(place(&lane, entry) + ": first seen behind kernel '" +
                    finding->kernel + "'",
                ExitDiffers);
  }
  return result;
}

Combination::Outcome Combination::checkStatus(const Lane &lane,
                                              const EntryManifest &entry,
                                              const CallResult &result,
                                              sinter_status first) {
  if (!result.fault.empty())
    return differ(&lane, entry, result.fault);
  if (SINTER_KIND(result.status) != SINTER_KIND(first))
    return differ(&lane, entry, "another status than in the run before it");
  if (result.status >= 0)
    return Outcome::Good;
  // Random calls may ask for more than there is room for.
  if (request.compare)
    return Outcome::Full;
  code = fail(place(&lane, entry) + ": " +
              lane.variant->model->describe(result.status));
  return Outcome::Failed;
}

bool Combination::referenceRefuses(const EntryManifest &entry,
                                   const StringMap<Tensor> &inputs) {
  mlir::ScopedDiagnosticHandler silent(
      setup.context, [](mlir::Diagnostic &) { return success(); });
  execution::ReferenceSession copy = *session;
  return failed(setup.reference->run(entry.name, inputs, copy));
}

} // namespace sinter::run
