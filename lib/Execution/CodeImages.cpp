//===- CodeImages.cpp - Code loaded from bytes or from a library -*- C++
//-*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeImages.h"
#include "TracedDriver.h"
#include "llvm/ExecutionEngine/JITLink/EHFrameSupport.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include <dlfcn.h>

using namespace llvm;

namespace sinter::execution {
namespace {

class JitImage : public CodeImage {
public:
  explicit JitImage(std::unique_ptr<orc::LLJIT> jit) : jit(std::move(jit)) {}

  void *lookup(StringRef symbol) override {
    Expected<orc::ExecutorAddr> address = jit->lookup(symbol);
    if (!address) {
      consumeError(address.takeError());
      return nullptr;
    }
    return address->toPtr<void *>();
  }

private:
  std::unique_ptr<orc::LLJIT> jit;
};

class SharedImage : public CodeImage {
public:
  explicit SharedImage(void *handle) : handle(handle) {}
  ~SharedImage() override { dlclose(handle); }

  void *lookup(StringRef symbol) override {
    return dlsym(handle, symbol.str().c_str());
  }

private:
  void *handle;
};

} // namespace

/// What the object may call: see checkUndefined in lib/Target/Object.
static orc::SymbolMap librarySymbols(orc::LLJIT &jit) {
  orc::SymbolMap symbols;
  auto add = [&](StringRef name, auto *function) {
    symbols[jit.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(function),
                                          JITSymbolFlags::Exported |
                                              JITSymbolFlags::Callable};
  };
  add("memcpy", static_cast<void *(*)(void *, const void *, size_t)>(memcpy));
  add("memmove", static_cast<void *(*)(void *, const void *, size_t)>(memmove));
  add("memset", static_cast<void *(*)(void *, int, size_t)>(memset));
  add("sinter_cuda_driver", tracedDriver);
  return symbols;
}

Expected<std::unique_ptr<CodeImage>> loadObject(StringRef object) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto layer = [](orc::ExecutionSession &session)
      -> Expected<std::unique_ptr<orc::ObjectLayer>> {
    return std::make_unique<orc::ObjectLinkingLayer>(session);
  };
  auto jit = orc::LLJITBuilder()
                 .setObjectLinkingLayerCreator(layer)
                 .setLinkProcessSymbolsByDefault(false)
                 .setPlatformSetUp(orc::setUpInactivePlatform)
                 .create();
  if (!jit)
    return jit.takeError();
  orc::JITDylib &main = (*jit)->getMainJITDylib();
  if (Error error = main.define(absoluteSymbols(librarySymbols(**jit))))
    return std::move(error);
  if (Error error = (*jit)->addObjectFile(
          MemoryBuffer::getMemBufferCopy(object, "model.o")))
    return std::move(error);
  return std::make_unique<JitImage>(std::move(*jit));
}

Expected<std::unique_ptr<CodeImage>> loadShared(StringRef path) {
  // dlopen searches its own folders for a name without a slash.
  std::string name = path.contains('/') ? path.str() : "./" + path.str();
  void *handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return createStringError("cannot load '" + path + "': " + dlerror());
  return std::make_unique<SharedImage>(handle);
}

template <typename Symbols>
static Error collectPrefixes(Symbols symbols,
                             SmallVectorImpl<std::string> &prefixes) {
  for (const object::SymbolRef &symbol : symbols) {
    Expected<uint32_t> flags = symbol.getFlags();
    Expected<StringRef> name = symbol.getName();
    if (!flags || !name)
      return joinErrors(flags.takeError(), name.takeError());
    bool isDefined = (*flags & object::SymbolRef::SF_Global) &&
                     !(*flags & object::SymbolRef::SF_Undefined);
    if (isDefined && name->consume_back("_manifest"))
      prefixes.push_back(name->str());
  }
  return Error::success();
}

Expected<std::string> findPrefix(StringRef elfFile) {
  auto file =
      object::ObjectFile::createELFObjectFile(MemoryBufferRef(elfFile, ""));
  if (!file)
    return file.takeError();
  auto *elf = cast<object::ELFObjectFileBase>(file->get());
  SmallVector<std::string> prefixes;
  Error error =
      elf->getEType() == ELF::ET_DYN
          ? collectPrefixes(elf->getDynamicSymbolIterators(), prefixes)
          : collectPrefixes(elf->symbols(), prefixes);
  if (error)
    return std::move(error);
  if (prefixes.size() != 1)
    return createStringError(
        prefixes.empty() ? "it holds no model: no symbol ends in '_manifest'"
                         : "it holds more than one model");
  return prefixes.front();
}

} // namespace sinter::execution
