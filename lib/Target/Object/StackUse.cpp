//===- StackUse.cpp - how much stack a call needs -------------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StackUse.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace sinter::package;
using namespace llvm;

static constexpr StringLiteral kAttribute = "warn-stack-size";

namespace {
struct FrameHandler : DiagnosticHandler {
  explicit FrameHandler(StackFrames &frames) : frames(frames) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getKind() != DK_StackSize)
      return false;
    const auto &size = cast<DiagnosticInfoStackSize>(info);
    frames[&size.getFunction()] = size.getStackSize();
    return true;
  }
  StackFrames &frames;
};
} // namespace

FrameRecorder::FrameRecorder(Module &module) : module(module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr(kAttribute, "0");
  previous = module.getContext().getDiagnosticHandler();
  module.getContext().setDiagnosticHandler(
      std::make_unique<FrameHandler>(found));
}

FrameRecorder::~FrameRecorder() {
  module.getContext().setDiagnosticHandler(std::move(previous));
  for (Function &function : module)
    function.removeFnAttr(kAttribute);
}

namespace {
class Depth {
public:
  Depth(const Module &module, const StackFrames &frames) : frames(frames) {
    for (const Function &function : module)
      if (!function.isDeclaration() && function.hasAddressTaken())
        pointees.push_back(&function);
  }
  uint64_t of(const Function &function);

private:
  uint64_t below(const CallBase &call);

  const StackFrames &frames;
  SmallVector<const Function *> pointees;
  DenseMap<const Function *, uint64_t> known;
};
} // namespace

/// For memcpy and its kind.
static constexpr uint64_t kLibraryFrame = 256;
/// Return address, pushed registers' slack and realignment to a cache line.
static constexpr uint64_t kPerFrame = 8 + 64;

uint64_t Depth::below(const CallBase &call) {
  if (call.isInlineAsm())
    return 0;
  if (const Function *callee = call.getCalledFunction())
    return callee->isDeclaration() ? kLibraryFrame : of(*callee);
  uint64_t deepest = 0;
  for (const Function *pointee : pointees)
    if (pointee->getFunctionType() == call.getFunctionType())
      deepest = std::max(deepest, of(*pointee));
  return deepest;
}

uint64_t Depth::of(const Function &function) {
  // A hook's call may seem to come back here by its type; it does not.
  auto [entry, isNew] = known.try_emplace(&function, 0);
  if (!isNew)
    return entry->second;
  uint64_t deepest = 0;
  for (const Instruction &instruction : instructions(function))
    if (const auto *call = dyn_cast<CallBase>(&instruction))
      deepest = std::max(deepest, below(*call));
  uint64_t depth = deepest + frames.lookup(&function) + kPerFrame;
  return known[&function] = depth;
}

uint64_t sinter::package::deepestStack(const Module &module,
                                       const StackFrames &frames) {
  Depth depth(module, frames);
  uint64_t deepest = 0;
  for (const Function &function : module)
    if (!function.isDeclaration())
      deepest = std::max(deepest, depth.of(function));
  return (deepest + 63) / 64 * 64;
}
