//===- Benchmark.cpp - The time of a call -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Benchmark.h"
#include "Report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include <chrono>

using namespace llvm;

namespace sinter::run {
namespace {

using Clock = std::chrono::steady_clock;

class Bench {
public:
  Bench(Setup &setup, const DimMap &dims, const Variant &variant,
        int32_t threads)
      : setup(setup), dims(dims), variant(variant), workers(threads) {}

  int run(const execution::EntryManifest &entry);

private:
  Error renewSession() {
    auto created = execution::CompiledSession::create(
        *variant.model,
        valuesOf(dims, setup.manifest.sessionDims, /*isSession=*/true),
        variant.weights);
    if (!created)
      return created.takeError();
    session = std::move(*created);
    return Error::success();
  }
  void print(const execution::EntryManifest &entry);

  Setup &setup;
  const DimMap &dims;
  const Variant &variant;
  execution::Workers workers;
  std::unique_ptr<execution::CompiledSession> session;
  std::vector<double> times; // microseconds
};

} // namespace

int Bench::run(const execution::EntryManifest &entry) {
  if (Error error = renewSession())
    return fail(std::move(error));
  SmallVector<int64_t> values = valuesOf(dims, entry.dims, /*isSession=*/false);
  for (auto [dim, value] : zip_equal(entry.dims, values))
    if (dim.isCurrent)
      value = std::max<int64_t>(0, session->extent(entry, dim));
  if (Error error = execution::checkSizes(entry, values))
    return fail(std::move(error));
  StringMap<Tensor> inputs = inputsOf(setup, entry);
  execution::RandomInputs random(setup.request->seed);
  random.masks = setup.masks;
  random.draw(entry, values, setup.context, inputs);
  Clock::time_point start = Clock::now();
  auto limit = std::chrono::duration<double>(*setup.request->benchmarkSeconds);
  bool isFresh = true;
  while (Clock::now() - start < limit || times.empty()) {
    execution::CallResult result =
        session->run(entry, values, inputs,
                     workers.count() > 1 ? &workers : nullptr, setup.context);
    if (result.status < 0 && SINTER_KIND(result.status) == SINTER_FULL &&
        !isFresh) {
      if (Error error = renewSession())
        return fail(std::move(error));
      isFresh = true;
      continue;
    }
    if (result.status < 0)
      return fail(variant.model->describe(result.status));
    isFresh = false;
    times.push_back(result.microseconds);
  }
  print(entry);
  return ExitSuccess;
}

void Bench::print(const execution::EntryManifest &entry) {
  sort(times);
  outs() << entry.name << ' ' << variant.label << " threads "
         << workers.count();
  for (auto [name, value] : dims)
    outs() << ' ' << name << '=' << value;
  outs() << format(": median %.2f us, least %.2f us, ", times[times.size() / 2],
                   times.front())
         << times.size() << " calls\n";
}

int benchmark(Setup &setup, const DimMap &dims) {
  for (const execution::EntryManifest *entry : setup.entries)
    for (const Variant &variant : setup.variants)
      for (int32_t threads : setup.request->threads)
        if (int bad = Bench(setup, dims, variant, threads).run(*entry))
          return bad;
  return ExitSuccess;
}

} // namespace sinter::run
