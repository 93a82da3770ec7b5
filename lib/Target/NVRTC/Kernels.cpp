//===- Kernels.cpp - All kernels for all architectures --------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Target/NVRTC/Kernels.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ThreadPool.h"

using namespace llvm;
using namespace sinter::nvrtc;

namespace {
/// One text for one architecture.
struct Job {
  const KernelText *kernel;
  Architecture arch;
  std::optional<CompiledText> result;
  bool isRelaxed = false;
  std::string problem;
};

class Batch {
public:
  Batch(const Compiler &compiler, const KernelsOptions &options,
        const Cache &cache)
      : compiler(compiler), options(options), cache(cache) {}

  /// Called by many threads.
  void run(Job &job) const;
  Expected<KernelImages> collect(StringRef name, MutableArrayRef<Job> jobs);

private:
  std::optional<CompiledText> compile(Job &job,
                                      const TextOptions &options) const;

  const Compiler &compiler;
  const KernelsOptions &options;
  const Cache &cache;
};
} // namespace

char KernelError::ID = 0;

std::optional<CompiledText> Batch::compile(Job &job,
                                           const TextOptions &options) const {
  StringRef name = job.kernel->name, text = job.kernel->text;
  std::string key = Cache::keyFor(compiler, name, text, job.arch, options);
  if (std::optional<CompiledText> known = cache.find(key))
    return known;
  Expected<CompiledText> compiled =
      compiler.compile(name, text, job.arch, options);
  if (!compiled) {
    job.problem = toString(compiled.takeError());
    return std::nullopt;
  }
  cache.store(key, *compiled);
  return std::move(*compiled);
}

void Batch::run(Job &job) const {
  job.result = compile(job, options.text);
  if (!job.result || !job.result->log.localBytes() ||
      job.kernel->relaxation.empty())
    return;
  TextOptions relaxed = options.text;
  relaxed.definitions.push_back(job.kernel->relaxation);
  std::optional<CompiledText> again = compile(job, relaxed);
  // An array in local memory stays there however many registers there are.
  if (again && again->log.localBytes() >= job.result->log.localBytes())
    return;
  job.result = std::move(again);
  job.isRelaxed = true;
}

Expected<KernelImages> Batch::collect(StringRef name,
                                      MutableArrayRef<Job> jobs) {
  KernelImages kernel;
  kernel.name = name.str();
  for (Job &job : jobs) {
    if (!job.result)
      return make_error<KernelError>(name, job.problem);
    KernelImage &image = kernel.images.emplace_back();
    image.arch = job.arch;
    image.cubin = std::move(job.result->cubin);
    image.log = std::move(job.result->log);
    image.isRelaxed = job.isRelaxed;
    if (kernel.ptx.empty() && !job.arch.specific) {
      kernel.ptx = std::move(job.result->ptx);
      kernel.ptxArch = job.arch;
    }
    if (!isCubin(image.cubin))
      continue;
    auto resources = readCubin(image.cubin);
    if (!resources)
      return make_error<KernelError>(name, toString(resources.takeError()));
    auto own = find_if(*resources, [&](const KernelResources &found) {
      return found.name == name;
    });
    if (own == resources->end())
      return make_error<KernelError>(
          name, ("the text of kernel '" + name + "' has no kernel of that name")
                    .str());
    image.resources = std::move(*own);
  }
  return kernel;
}

Expected<std::vector<KernelImages>> sinter::nvrtc::compileKernels(
    const Compiler &compiler, ArrayRef<KernelText> kernels,
    const KernelsOptions &options, const Cache &cache) {
  for (Architecture arch : options.architectures)
    if (Error error = compiler.checkArchitecture(arch))
      return error;
  std::vector<Job> jobs;
  for (const KernelText &kernel : kernels)
    for (Architecture arch : options.architectures)
      jobs.push_back({&kernel, arch, std::nullopt, false, ""});
  Batch batch(compiler, options, cache);
  {
    DefaultThreadPool pool(hardware_concurrency(options.threads));
    for (Job &job : jobs)
      pool.async([&batch, &job] { batch.run(job); });
    pool.wait();
  }
  std::vector<KernelImages> result;
  size_t count = options.architectures.size();
  for (auto [number, kernel] : enumerate(kernels)) {
    auto own = MutableArrayRef<Job>(jobs).slice(number * count, count);
    Expected<KernelImages> images = batch.collect(kernel.name, own);
    if (!images)
      return images.takeError();
    result.push_back(std::move(*images));
  }
  return result;
}
