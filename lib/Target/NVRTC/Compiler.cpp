//===- Compiler.cpp - CUDA text to machine code by NVRTC ------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Target/NVRTC/Compiler.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace llvm;
using namespace sinter::nvrtc;

/// NVRTC's functions as this file needs them: nvrtcResult is an enumeration,
/// nvrtcProgram a pointer.
using Result = int;
using Program = void *;

struct Compiler::Library {
  void *handle = nullptr;
  std::string identity;
  int major = 0, minor = 0;
  std::vector<int> architectures;

  Result (*version)(int *, int *) = nullptr;
  const char *(*errorString)(Result) = nullptr;
  Result (*architectureCount)(int *) = nullptr;
  Result (*architectureList)(int *) = nullptr;
  Result (*create)(Program *, const char *, const char *, int,
                   const char *const *, const char *const *) = nullptr;
  Result (*destroy)(Program *) = nullptr;
  Result (*compile)(Program, int, const char *const *) = nullptr;
  Result (*logSize)(Program, size_t *) = nullptr;
  Result (*log)(Program, char *) = nullptr;
  Result (*cubinSize)(Program, size_t *) = nullptr;
  Result (*cubin)(Program, char *) = nullptr;
  Result (*ptxSize)(Program, size_t *) = nullptr;
  Result (*ptx)(Program, char *) = nullptr;

  Error open(ArrayRef<StringRef> names);
  Error resolve();
  Error readVersion();
  void identify();
};

static constexpr StringLiteral kAdvice =
    "; install it (it comes with the CUDA toolkit, and as the Python package "
    "nvidia-cuda-nvrtc-cu12) and set SINTER_NVRTC to the path of its "
    "libnvrtc.so";

/// Tries the names in order; the error is the first name's.
Error Compiler::Library::open(ArrayRef<StringRef> names) {
  std::string problem;
  for (StringRef name : names) {
    handle = dlopen(name.str().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle)
      return Error::success();
    if (problem.empty())
      problem = dlerror();
  }
  return createStringError("cannot load NVRTC, which compiles kernels for "
                           "GPUs: " +
                           problem + kAdvice);
}

Error Compiler::Library::resolve() {
  auto find = [&](const char *name, auto &function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        dlsym(handle, name));
    return function != nullptr;
  };
  const char *missing = nullptr;
  auto need = [&](const char *name, auto &function) {
    if (!find(name, function) && !missing)
      missing = name;
  };
  need("nvrtcVersion", version);
  need("nvrtcGetErrorString", errorString);
  need("nvrtcGetNumSupportedArchs", architectureCount);
  need("nvrtcGetSupportedArchs", architectureList);
  need("nvrtcCreateProgram", create);
  need("nvrtcDestroyProgram", destroy);
  need("nvrtcCompileProgram", compile);
  need("nvrtcGetProgramLogSize", logSize);
  need("nvrtcGetProgramLog", log);
  need("nvrtcGetCUBINSize", cubinSize);
  need("nvrtcGetCUBIN", cubin);
  need("nvrtcGetPTXSize", ptxSize);
  need("nvrtcGetPTX", ptx);
  if (!missing)
    return Error::success();
  return createStringError(
      Twine("the library that was opened as NVRTC has no '") + missing +
      "'; version 12.0 or later is needed" + kAdvice);
}

Error Compiler::Library::readVersion() {
  int count = 0;
  if (version(&major, &minor) || architectureCount(&count) || count < 0)
    return createStringError("NVRTC does not tell its version");
  architectures.resize(count);
  if (count && architectureList(architectures.data()))
    return createStringError("NVRTC does not tell its architectures");
  if (major < 12)
    return createStringError(
        "NVRTC " + std::to_string(major) + "." + std::to_string(minor) +
        " is too old; version 12.0 or later is needed" + kAdvice);
  return Error::success();
}

void Compiler::Library::identify() {
  identity = std::to_string(major) + "." + std::to_string(minor);
  Dl_info info;
  sys::fs::file_status status;
  if (!dladdr(reinterpret_cast<void *>(version), &info) ||
      sys::fs::status(info.dli_fname, status))
    return;
  identity += " " + std::string(info.dli_fname) + " " +
              std::to_string(status.getSize()) + " " +
              std::to_string(
                  status.getLastModificationTime().time_since_epoch().count());
}

Compiler::Compiler(std::unique_ptr<Library> library)
    : library(std::move(library)) {}
// Not closed: NVRTC keeps threads and tables of its own until the process ends.
Compiler::~Compiler() = default;

Expected<std::unique_ptr<Compiler>> Compiler::load(StringRef path) {
  unsetenv("NVRTC_APPEND_FLAGS");
  unsetenv("NVRTC_PREPEND_FLAGS");
  auto library = std::make_unique<Library>();
  const char *variable = std::getenv("SINTER_NVRTC");
  if (path.empty() && variable)
    path = variable;
  SmallVector<StringRef> names = {path};
  if (path.empty())
    names = {"libnvrtc.so.13", "libnvrtc.so.12"};
  if (Error error = library->open(names))
    return error;
  if (Error error = library->resolve())
    return error;
  if (Error error = library->readVersion())
    return error;
  library->identify();
  return std::unique_ptr<Compiler>(new Compiler(std::move(library)));
}

std::string Compiler::version() const {
  return std::to_string(library->major) + "." + std::to_string(library->minor);
}

StringRef Compiler::identity() const { return library->identity; }

Error Compiler::checkArchitecture(Architecture arch) const {
  if (is_contained(library->architectures, int(arch.number)))
    return Error::success();
  auto [major, minor] = firstVersionFor(arch);
  return createStringError("NVRTC " + version() + " does not know " +
                           arch.name() + ", which needs version " +
                           std::to_string(major) + "." + std::to_string(minor) +
                           " or later" + kAdvice);
}

std::vector<std::string> Compiler::options(Architecture arch,
                                           const TextOptions &options) const {
  std::vector<std::string> result = {
      "--gpu-architecture=" + arch.name(), "--std=c++20",
      // Makes ptxas report what it spills.
      "--ptxas-options=-v",
      // Every text has all functions and constants of the device's files.
      "--diag-suppress=177"};
  if (options.flushDenormals)
    result.push_back("--ftz=true");
  for (const std::string &definition : options.definitions)
    result.push_back("--define-macro=" + definition);
  // From then on NVRTC has a cache of its own, which knows nothing of ours.
  if (std::pair(library->major, library->minor) >= std::pair(12, 9))
    result.push_back("--no-cache");
  return result;
}

using SizeFunction = Result (*)(Program, size_t *);
using ReadFunction = Result (*)(Program, char *);

static std::string readBytes(Program program, SizeFunction size,
                             ReadFunction read) {
  size_t count = 0;
  if (size(program, &count) || !count)
    return "";
  std::string bytes(count, '\0');
  return read(program, bytes.data()) ? "" : bytes;
}

/// Logs and PTX are C strings, and their size counts the end.
static std::string readString(Program program, SizeFunction size,
                              ReadFunction read) {
  std::string bytes = readBytes(program, size, read);
  return StringRef(bytes).split('\0').first.str();
}

Expected<CompiledText> Compiler::compile(StringRef name, StringRef text,
                                         Architecture arch,
                                         const TextOptions &options) const {
  if (Error error = checkArchitecture(arch))
    return error;
  Program program = nullptr;
  std::string source = text.str(), file = name.str() + ".cu";
  Result result = library->create(&program, source.c_str(), file.c_str(), 0,
                                  nullptr, nullptr);
  if (result)
    return createStringError("NVRTC starts no program: " +
                             Twine(library->errorString(result)));
  std::vector<std::string> words = this->options(arch, options);
  std::vector<const char *> pointers;
  for (const std::string &word : words)
    pointers.push_back(word.c_str());
  result = library->compile(program, pointers.size(), pointers.data());
  std::string log = readString(program, library->logSize, library->log);
  CompiledText compiled;
  if (!result) {
    compiled.cubin = readBytes(program, library->cubinSize, library->cubin);
    compiled.ptx = readString(program, library->ptxSize, library->ptx);
  }
  library->destroy(&program);
  if (result || compiled.cubin.empty())
    return createStringError(
        "NVRTC does not compile kernel '" + name + "' for " + arch.name() +
        ": " + library->errorString(result) + "\n" + StringRef(log).rtrim());
  compiled.log = parseLog(log);
  return compiled;
}
