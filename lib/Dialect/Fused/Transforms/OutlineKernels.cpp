//===- OutlineKernels.cpp - Skeletons become kernels and launches ---------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Fused/IR/Fused.h"
#include "sinter/Dialect/Fused/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace sinter::fused {
#define GEN_PASS_DEF_FUSEDOUTLINEKERNELS
#include "sinter/Dialect/Fused/Transforms/Passes.h.inc"
} // namespace sinter::fused

using namespace mlir;
using namespace sinter::fused;

namespace {

/// All values that `op` and the ops nested in it use from outside, in order of
/// first use.
SetVector<Value> usedFromOutside(Operation *op) {
  SetVector<Value> values;
  op->walk<WalkOrder::PreOrder>([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
        values.insert(operand);
  });
  return values;
}

class Outliner {
public:
  explicit Outliner(ModuleOp module)
      : builder(OpBuilder::atBlockEnd(module.getBody())) {
    for (auto symbol : module.getOps<SymbolOpInterface>())
      taken.push_back(symbol.getNameAttr());
  }

  void outline(Operation *skeleton) {
    SetVector<Value> operands = usedFromOutside(skeleton);
    // The name says which loop nests are plain ones.
    std::string base = skeleton->getName().stripDialect().str(), name;
    do {
      name = base + "_" + std::to_string(counts[base]);
    } while (isTaken(name) && ++counts[base]);
    auto kernel = KernelOp::create(builder, skeleton->getLoc(), name);
    Block &body = kernel.getBody().emplaceBlock();
    IRMapping mapping;
    for (Value operand : operands)
      mapping.map(operand,
                  body.addArgument(operand.getType(), operand.getLoc()));
    OpBuilder::atBlockEnd(&body).clone(*skeleton, mapping);

    auto [entry, isNew] = kernels.try_emplace(print(kernel), name);
    if (isNew)
      ++counts[base];
    else
      kernel.erase();
    OpBuilder host(skeleton);
    LaunchOp::create(host, skeleton->getLoc(), entry->second,
                     operands.getArrayRef());
    skeleton->erase();
  }

private:
  /// Whether something in the module is called like that, or like one of the
  /// functions that a kernel becomes, which have an underscore behind its name.
  bool isTaken(StringRef name) const {
    return llvm::any_of(taken, [&](StringRef symbol) {
      return symbol.consume_front(name) &&
             (symbol.empty() || symbol.front() == '_');
    });
  }

  /// The text of a kernel under a name that all kernels share, so that it is
  /// equal for equal kernels.
  static std::string print(KernelOp kernel) {
    std::string text, name = kernel.getName().str();
    kernel.setName("kernel");
    llvm::raw_string_ostream stream(text);
    kernel.print(stream,
                 OpPrintingFlags().printGenericOpForm().useLocalScope());
    kernel.setName(name);
    return text;
  }

  OpBuilder builder;
  llvm::StringMap<std::string> kernels;
  llvm::StringMap<int64_t> counts;
  /// Names of what the module has already.
  SmallVector<StringRef> taken;
};

struct OutlineKernelsPass
    : sinter::fused::impl::FusedOutlineKernelsBase<OutlineKernelsPass> {
  void runOnOperation() override {
    Outliner outliner(getOperation());
    SmallVector<Operation *> skeletons;
    for (auto entry : getOperation().getOps<func::FuncOp>())
      entry.walk([&](SkeletonInterface op) { skeletons.push_back(op); });
    for (Operation *op : skeletons)
      outliner.outline(op);
  }
};

} // namespace
