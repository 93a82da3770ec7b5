//===- Cubin.cpp - What a kernel's machine code uses ----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cubin is an ELF file. Beside the usual tables it has for every kernel K
// `.text.K`, `.nv.info.K` (attributes) and, if there is static shared memory,
// `.nv.shared.K`; `.nv.info` holds attributes by symbol. An attribute is a byte
// of format, a byte of kind and 16 bits, which are the value or, in format 4,
// the size of what follows. Instructions have 16 bytes.
//
//===----------------------------------------------------------------------===//

#include "sinter/Target/NVRTC/Cubin.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace sinter::nvrtc;

using File = object::ELF64LEFile;

namespace {
enum AttributeKind : unsigned {
  kMaxThreads = 0x05,
  kFrameSize = 0x11,
  kParameterBytes = 0x19,
  kRegisterCount = 0x2f
};
constexpr unsigned kSizedFormat = 4;
constexpr unsigned kInstructionBytes = 16;
/// What the system takes of each block's shared memory stands in the section of
/// static shared memory from sm_90 on.
constexpr unsigned kReservedShared = 1024;

struct Attribute {
  unsigned kind;
  unsigned value;
  ArrayRef<uint8_t> data;

  uint32_t word(unsigned index) const {
    return (index + 1) * 4 > data.size()
               ? 0
               : support::endian::read32le(data.data() + index * 4);
  }
};

class Reader {
public:
  explicit Reader(const File &file) : file(file) {}
  Expected<std::vector<KernelResources>> read();

private:
  Error readSymbols(const File::Elf_Shdr &section);
  Error readSection(const File::Elf_Shdr &section);
  Error readAttributes(const File::Elf_Shdr &section,
                       function_ref<void(const Attribute &)> handle);
  Error readCode(const File::Elf_Shdr &section, KernelResources &kernel);
  KernelResources *kernelOf(StringRef sectionName, StringRef prefix);

  const File &file;
  std::vector<KernelResources> kernels;
  std::vector<StringRef> symbols;
  bool reservesShared = false;
};
} // namespace

static Error malformed(const Twine &what) {
  return createStringError("the cubin is malformed: " + what);
}

Error Reader::readSymbols(const File::Elf_Shdr &section) {
  auto table = file.symbols(&section);
  if (!table)
    return table.takeError();
  auto names = file.getStringTableForSymtab(section);
  if (!names)
    return names.takeError();
  for (const File::Elf_Sym &symbol : *table) {
    auto name = symbol.getName(*names);
    if (!name)
      return name.takeError();
    symbols.push_back(*name);
  }
  return Error::success();
}

Error Reader::readAttributes(const File::Elf_Shdr &section,
                             function_ref<void(const Attribute &)> handle) {
  auto contents = file.getSectionContents(section);
  if (!contents)
    return contents.takeError();
  ArrayRef<uint8_t> rest = *contents;
  while (rest.size() >= 4) {
    unsigned format = rest[0];
    Attribute attribute{rest[1], support::endian::read16le(&rest[2]), {}};
    rest = rest.drop_front(4);
    if (format == kSizedFormat) {
      if (attribute.value > rest.size())
        return malformed("an attribute is longer than its section");
      attribute.data = rest.take_front(attribute.value);
      rest = rest.drop_front(attribute.value);
    }
    handle(attribute);
  }
  return Error::success();
}

Error Reader::readCode(const File::Elf_Shdr &section, KernelResources &kernel) {
  auto contents = file.getSectionContents(section);
  if (!contents)
    return contents.takeError();
  ArrayRef<uint8_t> rest = *contents;
  for (; rest.size() >= kInstructionBytes;
       rest = rest.drop_front(kInstructionBytes)) {
    ++kernel.operations[support::endian::read64le(rest.data()) & 0xfff];
    ++kernel.instructions;
  }
  return Error::success();
}

KernelResources *Reader::kernelOf(StringRef sectionName, StringRef prefix) {
  if (!sectionName.consume_front(prefix))
    return nullptr;
  auto kernel = find_if(kernels, [&](const KernelResources &kernel) {
    return kernel.name == sectionName;
  });
  return kernel == kernels.end() ? nullptr : &*kernel;
}

Error Reader::readSection(const File::Elf_Shdr &section) {
  Expected<StringRef> name = file.getSectionName(section);
  if (!name)
    return name.takeError();
  if (KernelResources *kernel = kernelOf(*name, ".text."))
    return readCode(section, *kernel);
  if (KernelResources *kernel = kernelOf(*name, ".nv.shared.")) {
    kernel->sharedBytes =
        section.sh_size - (reservesShared ? kReservedShared : 0);
    return Error::success();
  }
  if (KernelResources *kernel = kernelOf(*name, ".nv.info."))
    return readAttributes(section, [&](const Attribute &attribute) {
      if (attribute.kind == kMaxThreads)
        kernel->maxThreads =
            attribute.word(0) * attribute.word(1) * attribute.word(2);
      if (attribute.kind == kParameterBytes)
        kernel->parameterBytes = attribute.value;
    });
  if (*name != ".nv.info")
    return Error::success();
  return readAttributes(section, [&](const Attribute &attribute) {
    if (attribute.word(0) >= symbols.size())
      return;
    KernelResources *kernel = kernelOf(symbols[attribute.word(0)], "");
    if (kernel && attribute.kind == kRegisterCount)
      kernel->registers = attribute.word(1);
    if (kernel && attribute.kind == kFrameSize)
      kernel->stackBytes = attribute.word(1);
  });
}

Expected<std::vector<KernelResources>> Reader::read() {
  auto sections = file.sections();
  if (!sections)
    return sections.takeError();
  for (const File::Elf_Shdr &section : *sections) {
    Expected<StringRef> name = file.getSectionName(section);
    if (!name)
      return name.takeError();
    if (name->starts_with(".text.") && name->size() > 6)
      kernels.emplace_back().name = name->drop_front(6).str();
    if (name->starts_with(".nv.shared.reserved"))
      reservesShared = true;
    if (section.sh_type == ELF::SHT_SYMTAB)
      if (Error error = readSymbols(section))
        return error;
  }
  for (const File::Elf_Shdr &section : *sections)
    if (Error error = readSection(section))
      return error;
  if (kernels.empty())
    return malformed("it has no kernel");
  return std::move(kernels);
}

unsigned KernelResources::count(unsigned operation) const {
  auto found = operations.find(operation);
  return found == operations.end() ? 0 : found->second;
}

unsigned KernelResources::localLoads() const {
  return count(operation::localLoad);
}

unsigned KernelResources::localStores() const {
  return count(operation::localStore);
}

static Expected<File> openElf(StringRef image) { return File::create(image); }

bool sinter::nvrtc::isCubin(StringRef image) {
  Expected<File> file = openElf(image);
  if (file)
    return image.starts_with(ELF::ElfMagic) &&
           file->getHeader().e_machine == ELF::EM_CUDA;
  consumeError(file.takeError());
  return false;
}

Expected<std::vector<KernelResources>>
sinter::nvrtc::readCubin(StringRef image) {
  if (!isCubin(image))
    return malformed("it is not an ELF file for a GPU");
  Expected<File> file = openElf(image);
  if (!file)
    return file.takeError();
  return Reader(*file).read();
}
