//===- DeviceKernel.cpp - A kernel as text for a GPU ----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Conversion/FusedToCUDA/DeviceKernel.h"
#include "DeviceFiles.h"
#include "device/session_program.cuh"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cuda;

static constexpr StringRef attributeName = "fused.device_kernels";

StringRef cuda::getDeviceFile(StringRef name) {
  for (const DeviceFile &file : deviceFiles)
    if (file.name == name)
      return file.text;
  return "";
}

ArrayRef<StringRef> cuda::getCommonDeviceFiles() {
  static constexpr StringRef names[] = {"primitives",
                                        "primitives_collectives",
                                        "primitives_memory",
                                        "primitives_numbers",
                                        "views",
                                        "math"};
  return names;
}

SmallVector<StringRef> cuda::getTemplateFiles(StringRef templateName) {
  SmallVector<StringRef> names;
  if (templateName == "contract" || templateName == "recurrence")
    names.push_back("products");
  for (const DeviceFile &file : deviceFiles)
    if (file.name.starts_with((templateName + "_").str()))
      names.push_back(file.name);
  names.push_back(templateName);
  return names;
}

/// `text` behind a line by which compilers, and the emulator, name its places.
static std::string nameText(const Twine &name, StringRef text) {
  return ("#line 1 \"" + name + "\"\n" + text).str();
}

std::string DeviceKernel::getSource() const {
  std::string source;
  for (StringRef file : getCommonDeviceFiles())
    source += nameText(file + ".cuh", getDeviceFile(file));
  for (StringRef file : getTemplateFiles(templateName))
    source += nameText(file + ".cuh", getDeviceFile(file));
  return source + nameText(name + ".cu", text);
}

DeviceKernel cuda::getSessionKernel() {
  DeviceKernel kernel;
  kernel.name = "sinter_session";
  kernel.templateName = "session";
  kernel.text = "SINTER_KERNEL(sinter_session, sinter::SessionSpec, "
                "sinter::session_step)\n";
  kernel.slots = SINTER_SESSION_WORDS;
  kernel.threads = SINTER_SESSION_THREADS;
  return kernel;
}

static ArrayAttr toAttr(Builder &builder, ArrayRef<OperandAccess> operands) {
  SmallVector<Attribute> entries;
  for (const OperandAccess &operand : operands) {
    NamedAttrList entry;
    entry.set("name", builder.getStringAttr(operand.name));
    entry.set("slot", builder.getI64IntegerAttr(operand.slot));
    if (operand.isWide)
      entry.set("wide", builder.getUnitAttr());
    entries.push_back(entry.getDictionary(builder.getContext()));
  }
  return builder.getArrayAttr(entries);
}

static DictionaryAttr toAttr(Builder &builder, const DeviceKernel &kernel) {
  NamedAttrList entries;
  entries.set("name", builder.getStringAttr(kernel.name));
  entries.set("text", builder.getStringAttr(kernel.text));
  entries.set("template", builder.getStringAttr(kernel.templateName));
  entries.set("slots", builder.getI64IntegerAttr(kernel.slots));
  entries.set("threads", builder.getI64IntegerAttr(kernel.threads));
  entries.set("blocks_per_sm", builder.getI64IntegerAttr(kernel.blocksPerSM));
  entries.set("shared", builder.getI64IntegerAttr(kernel.sharedBytes));
  if (kernel.scratch)
    entries.set("scratch", AffineMapAttr::get(kernel.scratch));
  entries.set("uses", toAttr(builder, kernel.operands));
  if (kernel.hasWideScratch)
    entries.set("wide_scratch", builder.getUnitAttr());
  return entries.getDictionary(builder.getContext());
}

static DeviceKernel fromAttr(DictionaryAttr entries) {
  auto text = [&](StringRef name) {
    return entries.getAs<StringAttr>(name).getValue().str();
  };
  auto number = [&](StringRef name) {
    return entries.getAs<IntegerAttr>(name).getInt();
  };
  DeviceKernel kernel{
      text("name"),     text("text"),      text("template"),
      number("slots"),  number("threads"), number("blocks_per_sm"),
      number("shared"), AffineMap(),       {}};
  if (auto scratch = entries.getAs<AffineMapAttr>("scratch"))
    kernel.scratch = scratch.getValue();
  for (auto entry :
       entries.getAs<ArrayAttr>("uses").getAsRange<DictionaryAttr>())
    kernel.operands.push_back({entry.getAs<StringAttr>("name").getValue().str(),
                               entry.getAs<IntegerAttr>("slot").getInt(),
                               entry.contains("wide")});
  kernel.hasWideScratch = entries.contains("wide_scratch");
  return kernel;
}

void cuda::setDeviceKernels(ModuleOp module, ArrayRef<DeviceKernel> kernels) {
  Builder builder(module.getContext());
  SmallVector<Attribute> records;
  for (const DeviceKernel &kernel : kernels)
    records.push_back(toAttr(builder, kernel));
  module->setAttr(attributeName, builder.getArrayAttr(records));
}

SmallVector<DeviceKernel> cuda::getDeviceKernels(ModuleOp module) {
  SmallVector<DeviceKernel> kernels;
  if (auto records = module->getAttrOfType<ArrayAttr>(attributeName))
    for (auto record : records.getAsRange<DictionaryAttr>())
      kernels.push_back(fromAttr(record));
  return kernels;
}
