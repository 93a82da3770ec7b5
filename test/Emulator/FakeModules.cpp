//===- FakeModules.cpp - Modules and launches of the fake CUDA driver ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include "Modes.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fstream>
#include <sys/mman.h>
#include <unistd.h>

using namespace sinter::emulation;

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// The bytes of the shared object at `image`, as its headers tell; 0 if it is
/// none.
static size_t objectSize(const void *image) {
  Elf64_Ehdr header;
  memcpy(&header, image, sizeof header);
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_type != ET_DYN)
    return 0;
  size_t size = header.e_shoff + size_t(header.e_shnum) * sizeof(Elf64_Shdr);
  for (int i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    memcpy(&section,
           static_cast<const char *>(image) + header.e_shoff +
               i * sizeof section,
           sizeof section);
    if (section.sh_type != SHT_NOBITS)
      size = std::max(size, size_t(section.sh_offset + section.sh_size));
  }
  return size;
}

/// The descriptor stays open: a sanitizer reads the file when it reports.
static void *openObject(const void *image, size_t bytes) {
  int file = memfd_create("sinter-kernel", 0);
  if (file < 0)
    return nullptr;
  for (size_t done = 0; done < bytes;) {
    ssize_t written =
        write(file, static_cast<const char *>(image) + done, bytes - done);
    if (written <= 0)
      return nullptr;
    done += written;
  }
  std::string path =
      "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file);
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

EXPORT int cuModuleLoadData(void **module, const void *image) {
  Call call("cuModuleLoadData");
  if (call.error || (call.error = refuseCapture(call)))
    return call.error;
  size_t bytes = image ? objectSize(image) : 0;
  if (!bytes)
    return call.refuse(InvalidImage, "the image is not the fake NVRTC's");
  void *library = openObject(image, bytes);
  if (!library)
    return call.refuse(InvalidImage, "%s", dlerror());
  auto *loaded = new Module;
  loaded->library = library;
  driver().modules.insert(loaded);
  *module = loaded;
  return Success;
}

EXPORT int cuModuleUnload(void *module) {
  Call call("cuModuleUnload");
  auto *loaded = static_cast<Module *>(module);
  if (call.error)
    return call.error;
  if (!driver().modules.erase(loaded))
    return call.refuse(InvalidHandle, "%p is no module", module);
  runAllPending();
  for (auto &[name, function] : loaded->functions)
    driver().functions.erase(function.get());
  dlclose(loaded->library);
  delete loaded;
  return Success;
}

EXPORT int cuModuleGetFunction(void **function, void *module,
                               const char *name) {
  Call call("cuModuleGetFunction");
  auto *loaded = static_cast<Module *>(module);
  if (call.error)
    return call.error;
  if (!driver().modules.count(loaded))
    return call.refuse(InvalidHandle, "%p is no module", module);
  std::unique_ptr<Function> &known = loaded->functions[name];
  if (!known) {
    auto *kernel = static_cast<const Kernel *>(dlsym(loaded->library, name));
    if (!kernel)
      return call.refuse(NotFound, "the module has no kernel '%s'", name);
    if (kernel->magic != kMagic)
      return call.refuse(InvalidImage, "'%s' was compiled for another emulator",
                         name);
    known = std::make_unique<Function>();
    known->name = name;
    known->kernel = kernel;
    driver().functions.insert(known.get());
  }
  *function = known.get();
  return Success;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Of CUfunction_attribute.
enum { kThreadsAttribute = 0, kRegistersAttribute = 4, kSharedAttribute = 8 };

/// The function of a handle, or null.
static Function *findFunction(Call &call, void *handle) {
  auto *function = static_cast<Function *>(handle);
  if (!call.error && !driver().functions.count(function))
    call.error = call.refuse(InvalidHandle, "%p is no function", handle);
  return call.error ? nullptr : function;
}

EXPORT int cuFuncSetAttribute(void *handle, int attribute, int value) {
  Call call("cuFuncSetAttribute");
  Function *function = findFunction(call, handle);
  if (!function)
    return call.error;
  if (attribute != kSharedAttribute)
    return call.refuse(InvalidValue, "attribute %d is not one it can set",
                       attribute);
  const int most = driver().options.shared << 10;
  if (value < 0 || value > most)
    return call.refuse(InvalidValue,
                       "%d bytes of shared memory; the device has %d", value,
                       most);
  function->maxShared = value;
  return Success;
}

EXPORT int cuFuncGetAttribute(int *value, int attribute, void *handle) {
  Call call("cuFuncGetAttribute");
  Function *function = findFunction(call, handle);
  if (!function)
    return call.error;
  *value = 0;
  if (attribute == kThreadsAttribute)
    *value = function->kernel->threads;
  if (attribute == kRegistersAttribute)
    *value = 32; // unknown, and without meaning here
  if (attribute == kSharedAttribute)
    *value = function->maxShared;
  return Success;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

namespace {
/// Parameters as SINTER_KERNEL declares them, copied when the kernel is
/// launched.
struct Parameters {
  std::vector<char> arguments;
  int64_t step;
  void *status, *scratch;

  Parameters(const Kernel &kernel, void **parameters) {
    auto *first = static_cast<const char *>(parameters[0]);
    arguments.assign(first, first + kernel.argumentBytes);
    memcpy(&step, parameters[1], sizeof step);
    memcpy(&status, parameters[2], sizeof status);
    memcpy(&scratch, parameters[3], sizeof scratch);
  }
};
} // namespace

static void record(const Launch &launch, int64_t step) {
  const std::string &path = driver().options.launches;
  if (!path.empty())
    std::ofstream(path, std::ios::app)
        << launch.name << " blocks=" << launch.blocks
        << " threads=" << launch.threads << " shared=" << launch.sharedBytes
        << " step=" << step << "\n";
}

/// The kernel runs later, with the parameters of now.
static Operation makeLaunch(const Function &function, unsigned blocks,
                            unsigned threads, unsigned shared,
                            void **parameters) {
  auto copied = std::make_shared<Parameters>(*function.kernel, parameters);
  return [=, name = function.name, kernel = function.kernel] {
    void *pointers[] = {copied->arguments.data(), &copied->step,
                        &copied->status, &copied->scratch};
    Launch launch{name.c_str(),
                  kernel,
                  static_cast<int>(blocks),
                  static_cast<int>(threads),
                  shared,
                  pointers};
    record(launch, copied->step);
    if (takesAllModes(launch, driver().options))
      return runInAllModes(launch, driver().options);
    run(launch, driver().options);
    checkMemory(launch.name);
  };
}

EXPORT int cuLaunchKernel(void *handle, unsigned gridX, unsigned gridY,
                          unsigned gridZ, unsigned blockX, unsigned blockY,
                          unsigned blockZ, unsigned shared, void *stream,
                          void **parameters, void **extra) {
  Call call("cuLaunchKernel");
  Function *function = findFunction(call, handle);
  if (!function)
    return call.error;
  const char *name = function->name.c_str();
  if (!gridX || !gridY || !gridZ || gridX > 0x7fffffff)
    return call.refuse(InvalidValue, "%s: a grid of %u x %u x %u blocks", name,
                       gridX, gridY, gridZ);
  if (gridY != 1 || gridZ != 1 || blockY != 1 || blockZ != 1)
    return call.refuse(NotSupported, "%s: more than one dimension", name);
  if (blockX != static_cast<unsigned>(function->kernel->threads))
    return call.refuse(InvalidValue,
                       "%s: blocks of %u threads; it is compiled for %d", name,
                       blockX, function->kernel->threads);
  if (shared > static_cast<unsigned>(function->maxShared))
    return call.refuse(InvalidValue,
                       "%s: %u bytes of shared memory; it may have %d", name,
                       shared, function->maxShared);
  if (!parameters || extra)
    return call.refuse(InvalidValue,
                       "%s: parameters are expected in the "
                       "array that is meant for them",
                       name);
  for (int i = 0; i < 4; ++i)
    if (!parameters[i])
      return call.refuse(InvalidValue, "%s: parameter %d is null", name, i);
  return enqueue(call, stream,
                 makeLaunch(*function, gridX, blockX, shared, parameters));
}

/// As the driver declares it.
struct LaunchConfig {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, shared;
  void *stream, *attributes;
  unsigned attributeCount;
};

EXPORT int cuLaunchKernelEx(const LaunchConfig *config, void *handle,
                            void **parameters, void **extra) {
  if (config->attributeCount) {
    Call call("cuLaunchKernelEx");
    return call.refuse(NotSupported, "attributes of a launch");
  }
  return cuLaunchKernel(handle, config->gridX, config->gridY, config->gridZ,
                        config->blockX, config->blockY, config->blockZ,
                        config->shared, config->stream, parameters, extra);
}
