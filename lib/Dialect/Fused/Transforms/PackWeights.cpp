//===- PackWeights.cpp - Constant computations into the weight blob -------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Fused/IR/Fused.h"
#include "sinter/Dialect/Fused/Transforms/Passes.h"
#include "sinter/Dialect/Fused/Transforms/Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

namespace sinter::fused {
#define GEN_PASS_DEF_FUSEDPACKWEIGHTS
#include "sinter/Dialect/Fused/Transforms/Passes.h.inc"
} // namespace sinter::fused

using namespace mlir;
using namespace sinter::fused;

namespace {

/// Decides which values of a function depend on weights and constants alone.
class ConstantValues {
public:
  explicit ConstantValues(func::FuncOp entry) {
    for (Operation &op : entry.getBody().front())
      if (isConstant(&op))
        constants.insert(&op);
    // What a kernel updates in place must be computed at run time, and so must
    // all that is made of it.
    SmallVector<Operation *> candidates(constants.begin(), constants.end());
    bool changed = true;
    while (changed) {
      changed = false;
      for (Operation *op : candidates)
        if (constants.contains(op) && (isUpdated(op) || !isConstant(op)))
          changed |= constants.remove(op);
    }
  }

  /// True if the packer can compute `value`.
  bool contains(Value value) const {
    return value.getDefiningOp() && constants.contains(value.getDefiningOp());
  }

private:
  bool isConstant(Operation *op) const {
    if (op->getNumResults() != 1)
      return false;
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || !type.hasStaticShape())
      return false;
    if (isa<WeightOp, arith::ConstantOp, tensor::EmptyOp>(op))
      return true;
    if (auto map = dyn_cast<MapOp>(op))
      if (map.getRows() || !map.getSymbols().empty())
        return false;
    if (auto normalize = dyn_cast<NormalizeOp>(op))
      if (normalize.getRows())
        return false;
    if (!isa<MapOp, NormalizeOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp>(op))
      return false;
    return llvm::all_of(op->getOperands(),
                        [&](Value operand) { return contains(operand); });
  }

  bool isUpdated(Operation *op) const {
    if (isa<tensor::EmptyOp>(op))
      return false;
    return llvm::any_of(op->getUses(), [&](OpOperand &use) {
      auto dps = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
      return dps && dps.isDpsInit(&use) && !constants.contains(use.getOwner());
    });
  }

  llvm::SetVector<Operation *> constants;
};

/// Creates the `fused.packed` symbols, one per distinct computation.
class Packer {
public:
  explicit Packer(ModuleOp module)
      : module(module), builder(OpBuilder::atBlockBegin(module.getBody())) {}

  /// The symbol whose body computes `value`.
  FlatSymbolRefAttr pack(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    std::string name = "packed" + std::to_string(symbols.size());
    while (module.lookupSymbol(name))
      name += '_';
    auto packed = PackedOp::create(builder, value.getLoc(), name,
                                   /*offset=*/0, type);
    Block &body = packed.getBody().emplaceBlock();
    OpBuilder inside = OpBuilder::atBlockEnd(&body);
    IRMapping mapping;
    YieldOp::create(inside, value.getLoc(), cloneSlice(value, inside, mapping));

    auto [entry, isNew] = symbols.try_emplace(print(packed), name);
    if (!isNew) {
      packed.erase();
      return FlatSymbolRefAttr::get(builder.getContext(), entry->second);
    }
    reportCopies(packed);
    packed.setOffset(end);
    end = llvm::alignTo(end + staticSizeInBytes(type), kAlignment);
    return FlatSymbolRefAttr::get(builder.getContext(), name);
  }

private:
  static constexpr int64_t kAlignment = 64;

  Value cloneSlice(Value value, OpBuilder &inside, IRMapping &mapping) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      cloneSlice(operand, inside, mapping);
    return inside.clone(*op, mapping)->getResult(0);
  }

  /// The text of a computation under a name that all share.
  static std::string print(PackedOp packed) {
    std::string text, name = packed.getName().str();
    packed.setName("packed");
    llvm::raw_string_ostream stream(text);
    packed.print(stream,
                 OpPrintingFlags().printGenericOpForm().useLocalScope());
    packed.setName(name);
    return text;
  }

  /// Tells of weights that lie in the blob more than once.
  void reportCopies(PackedOp packed) {
    packed.getBody().walk([&](WeightOp weight) {
      std::string key = (weight.getFile() + ":" + weight.getName()).str();
      if (++copies[key] == 1)
        return;
      std::string message;
      llvm::raw_string_ostream stream(message);
      stream << "weight '" << weight.getName() << "' is stored once more, as "
             << packed.getType();
      remark::analysis(
          weight.getLoc(),
          remark::RemarkOpts::name("SecondCopy").category("packing"))
          << message;
    });
  }

  ModuleOp module;
  OpBuilder builder;
  llvm::StringMap<std::string> symbols;
  llvm::StringMap<int64_t> copies;
  /// Bytes of the blob so far.
  int64_t end = 0;
};

struct PackWeightsPass
    : sinter::fused::impl::FusedPackWeightsBase<PackWeightsPass> {
  void runOnOperation() override {
    Packer packer(getOperation());
    for (auto entry : getOperation().getOps<func::FuncOp>())
      replaceConstants(entry, packer);
  }

private:
  static void replaceConstants(func::FuncOp entry, Packer &packer) {
    ConstantValues constants(entry);
    llvm::DenseMap<Value, Value> replacements;
    SmallVector<OpOperand *> uses;
    entry.walk([&](Operation *op) {
      // A skeleton's nested ops (segments, phases) use values too.
      for (OpOperand &operand : op->getOpOperands())
        if (constants.contains(operand.get()) && !isConstantUser(constants, op))
          uses.push_back(&operand);
    });
    OpBuilder builder = OpBuilder::atBlockBegin(&entry.getBody().front());
    for (OpOperand *use : uses) {
      Value value = use->get();
      if (value.getDefiningOp<tensor::EmptyOp>())
        continue;
      Value &replacement = replacements[value];
      if (!replacement)
        replacement = ConstantOp::create(builder, value.getLoc(),
                                         value.getType(), packer.pack(value));
      use->set(replacement);
    }
    eraseDead(entry, constants);
  }

  static bool isConstantUser(const ConstantValues &constants, Operation *op) {
    return op->getNumResults() == 1 && constants.contains(op->getResult(0));
  }

  static void eraseDead(func::FuncOp entry, const ConstantValues &constants) {
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(entry.getBody().front())))
      if (op.use_empty() && op.getNumResults() == 1 &&
          constants.contains(op.getResult(0)))
        op.erase();
  }
};

} // namespace
