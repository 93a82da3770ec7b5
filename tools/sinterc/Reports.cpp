//===- Reports.cpp - What --print-signature and its kin print -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reports.h"
#include "RemarkReport.h"
#include "TargetOptions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "sinter/Dialect/Fused/IR/Fused.h"
#include "sinter/Pipelines/Pipelines.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace sinter {
namespace {

/// A size as a person reads it: C without casts and without brackets around
/// single names.
std::string readable(const package::SizeExpr &size) {
  std::string text = size.printC([](StringRef name) {
    return name == package::kWorkers ? std::string("workers") : name.str();
  });
  StringRef rest = text;
  std::string result;
  while (!rest.empty()) {
    if (rest.consume_front("(size_t)"))
      continue;
    size_t close = rest.find(')');
    bool isName = rest.starts_with("(") && close != StringRef::npos &&
                  all_of(rest.slice(1, close),
                         [](char c) { return isAlnum(c) || c == '_'; });
    result += isName ? rest.slice(1, close) : rest.take_front();
    rest = rest.drop_front(isName ? close + 1 : 1);
  }
  return result;
}

std::string range(int64_t lower, int64_t upper) {
  return std::to_string(lower) + " .. " +
         (upper == package::kMaxDim ? "2^31-1" : std::to_string(upper));
}

void printShape(raw_ostream &os, ArrayRef<package::Extent> shape) {
  os << '[';
  interleaveComma(shape, os, [&](const package::Extent &extent) {
    if (extent.isConstant())
      os << extent.value;
    else
      os << extent.name;
  });
  os << ']';
}

void printTensors(raw_ostream &os, const package::EntryInterface &entry) {
  for (const auto &tensor : entry.tensors) {
    bool isOutput = tensor.role == std::decay_t<decltype(tensor)>::Output;
    bool isLengths = tensor.role == std::decay_t<decltype(tensor)>::Lengths;
    os << (isOutput ? "    -> " : "    ") << tensor.name << ": "
       << package::nameOf(tensor.type) << ' ';
    printShape(os, tensor.shape);
    if (isLengths)
      os << ", or none: every row is full";
    if (tensor.limit > 0)
      os << ", 0 .. " << tensor.limit - 1;
    os << '\n';
  }
}

void printEntry(raw_ostream &os, const package::EntryInterface &entry) {
  os << "  @" << entry.name << '(';
  bool first = true;
  for (const package::EntryDim &dim : entry.dims) {
    if (dim.kind != package::EntryDim::Parameter)
      continue;
    os << (first ? "" : ", ") << dim.name << ": "
       << range(dim.lower, dim.upper);
    first = false;
  }
  os << ")\n";
  printTensors(os, entry);
}

/// "stories.mlir:31", or the name of an operation without a place.
/// The skeleton in a kernel: "contract".
StringRef skeletonOf(mlir::Operation *kernel) {
  for (mlir::Operation &op : kernel->getRegion(0).front())
    if (isa<fused::FusedDialect>(op.getDialect()) && op.getNumRegions())
      return op.getName().stripDialect();
  return "generic";
}

} // namespace

std::string printSignature(const package::ModelInterface &model) {
  std::string text;
  raw_string_ostream os(text);
  os << model.prefix() << " (" << model.target << ")\n";
  if (model.hasSession()) {
    os << "  session(";
    interleaveComma(model.sessionDims, os, [&](const package::SessionDim &dim) {
      os << dim.name << ": " << range(dim.lower, dim.upper);
    });
    os << ")\n";
  }
  for (const package::EntryInterface &entry : model.entries)
    printEntry(os, entry);
  return text;
}

/// The number of the slot that memory is a view of; -1: none.
static int64_t slotOf(mlir::Value memory) {
  while (auto view = memory.getDefiningOp<fused::ViewOp>())
    memory = view.getSource();
  auto slot = memory.getDefiningOp<fused::SlotOp>();
  return slot ? static_cast<int64_t>(slot.getNumber()) : -1;
}

/// The operands that the launch's kernel stores into.
static SmallVector<mlir::Value> storedBy(fused::LaunchOp launch,
                                         fused::KernelOp kernel) {
  SmallVector<mlir::Value> stored;
  mlir::Block &body = kernel.getBody().front();
  for (auto op : body.getOps<mlir::DestinationStyleOpInterface>())
    for (mlir::Value init : op.getDpsInits())
      if (auto argument = dyn_cast<mlir::BlockArgument>(init))
        stored.push_back(launch.getOperands()[argument.getArgNumber()]);
  return stored;
}

SlotContents listSlots(mlir::ModuleOp module) {
  SlotContents contents;
  for (auto entry : module.getOps<mlir::func::FuncOp>())
    entry.walk([&](fused::LaunchOp launch) {
      auto kernel =
          module.lookupSymbol<fused::KernelOp>(launch.getKernelAttr());
      for (mlir::Value memory : storedBy(launch, kernel)) {
        int64_t slot = slotOf(memory);
        if (slot < 0)
          continue;
        std::string line;
        raw_string_ostream os(line);
        auto type = cast<mlir::MemRefType>(memory.getType());
        os << mlir::RankedTensorType::get(type.getShape(),
                                          type.getElementType())
           << " of @" << launch.getKernel() << ", ";
        printPlace(os, launch.getLoc());
        contents.lines[{entry.getName().str(), slot}].push_back(line);
      }
    });
  return contents;
}

/// Lines in the order of their first, with how often each is there.
static void printCounted(raw_ostream &os, ArrayRef<std::string> lines) {
  MapVector<StringRef, unsigned> counts;
  for (const std::string &line : lines)
    ++counts[line];
  for (const auto &[line, count] : counts) {
    os << "    " << line;
    if (count > 1)
      os << " (" << count << " times)";
    os << '\n';
  }
}

std::string printMemoryPlan(const package::ModelInterface &model,
                            const SlotContents &contents) {
  std::string text;
  raw_string_ostream os(text);
  os << "weights: " << model.weights.bytes << " bytes, "
     << (model.weights.embedded ? "embedded" : "in a file") << '\n';
  if (model.hasSession())
    os << "session: " << readable(model.sessionBytes()) << '\n';
  for (const package::EntryInterface &entry : model.entries) {
    os << "@" << entry.name << '\n';
    for (auto [number, slot] : enumerate(entry.slots)) {
      os << "  slot " << number << ": " << readable(slot) << '\n';
      auto found = contents.lines.find({entry.name, int64_t(number)});
      if (found != contents.lines.end())
        printCounted(os, found->second);
    }
    os << "  scratch of each worker: " << entry.scratchBytes << '\n'
       << "  workspace: " << readable(entry.workspaceBytes()) << '\n';
  }
  return text;
}

std::string explainKernels(mlir::ModuleOp module) {
  std::string text;
  raw_string_ostream os(text);
  for (auto entry : module.getOps<mlir::func::FuncOp>()) {
    os << "@" << entry.getName() << '\n';
    entry.walk([&](fused::LaunchOp launch) {
      mlir::Operation *kernel = mlir::SymbolTable::lookupNearestSymbolFrom(
          module, launch.getKernelAttr());
      os << "  ";
      printPlace(os, launch.getLoc());
      os << ": " << (kernel ? skeletonOf(kernel) : "?") << " @"
         << launch.getKernel() << '\n';
    });
  }
  return text;
}

std::string printPipeline(const CompileRequest &request) {
  mlir::OpPassManager manager(mlir::ModuleOp::getOperationName());
  addModelPasses(manager);
  addFusionPasses(manager);
  addKernelPasses(manager);
  if (request.gpus.empty())
    addCPUPasses(manager, kernelTarget(request.cpu));
  else
    addCUDAPasses(manager);
  std::string text;
  raw_string_ostream os(text);
  manager.printAsTextualPipeline(os);
  os << '\n';
  return text;
}

} // namespace sinter
