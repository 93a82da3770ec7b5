//===- ScratchSizes.cpp - Device memory that kernels use besides ----------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScratchSizes.h"
#include "sinter/Dialect/Fused/IR/Fused.h"
#include "sinter/Dialect/Fused/Transforms/Sizes.h"

using namespace mlir;
using namespace sinter;
using package::SizeExpr;

std::optional<SizeExpr>
sinter::sizeOf(AffineExpr expr,
               llvm::function_ref<std::optional<SizeExpr>(unsigned)> symbol) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return SizeExpr(constant.getValue());
  if (auto position = dyn_cast<AffineSymbolExpr>(expr))
    return symbol(position.getPosition());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<SizeExpr> lhs = sizeOf(binary.getLHS(), symbol);
  std::optional<SizeExpr> rhs = sizeOf(binary.getRHS(), symbol);
  if (!lhs || !rhs)
    return std::nullopt;
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return *lhs + *rhs;
  case AffineExprKind::Mul:
    return *lhs * *rhs;
  case AffineExprKind::CeilDiv:
  case AffineExprKind::FloorDiv:
    if (std::optional<uint64_t> divisor = rhs->asConstant())
      return SizeExpr::ceilDiv(*lhs, *divisor);
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

namespace {
/// Finds the dynamic extents of memrefs and the integers of an entry.
class SlotReader {
public:
  using Slot = std::optional<SizeExpr>;

  explicit SlotReader(func::FuncOp entry)
      : dims(entry), planned(entry->getAttrOfType<ArrayAttr>("fused.dims")),
        entry(entry) {}

  void append(Value operand, SmallVectorImpl<Slot> &slots) {
    if (!isa<MemRefType>(operand.getType())) {
      slots.push_back(number(operand));
      return;
    }
    slots.push_back(std::nullopt);
    extents(operand, slots);
  }

private:
  /// Loop counters, and what is computed from them, are not known.
  Slot number(Value value) {
    if (!isKnown(value))
      return std::nullopt;
    FailureOr<AffineExpr> expr = dims.expression(value);
    return succeeded(expr) ? fromDims(*expr) : Slot();
  }

  static bool isKnown(Value value) {
    Operation *op = value.getDefiningOp();
    return op && llvm::all_of(op->getOperands(), isKnown);
  }

  Slot fromDims(AffineExpr expr) {
    return sizeOf(expr, [&](unsigned symbol) -> Slot {
      return SizeExpr::dim(dims.names()[symbol].getValue());
    });
  }

  void extents(Value memref, SmallVectorImpl<Slot> &slots) {
    Operation *op = memref.getDefiningOp();
    ValueRange given;
    if (auto slot = dyn_cast_or_null<fused::SlotOp>(op))
      given = slot.getExtents();
    else if (auto view = dyn_cast_or_null<fused::ViewOp>(op))
      given = view.getExtents();
    else
      return named(memref, slots);
    for (Value extent : given)
      slots.push_back(number(extent));
  }

  /// Arguments, states and cursors: extents have names.
  void named(Value memref, SmallVectorImpl<Slot> &slots) {
    auto type = cast<MemRefType>(memref.getType());
    auto argument = dyn_cast<BlockArgument>(memref);
    if (!argument) {
      slots.append(type.getNumDynamicDims(), Slot());
      return;
    }
    unsigned position = argument.getArgNumber();
    if (auto map =
            entry.getArgAttrOfType<AffineMapAttr>(position, "fused.extents")) {
      for (auto [size, expr] :
           llvm::zip_equal(type.getShape(), map.getValue().getResults()))
        if (ShapedType::isDynamic(size))
          slots.push_back(sizeOf(expr, [&](unsigned symbol) -> Slot {
            return SizeExpr::dim(cast<StringAttr>(planned[symbol]).getValue());
          }));
      return;
    }
    if (auto names = entry.getArgAttrOfType<ArrayAttr>(position, "sinter.dims"))
      for (auto name : names.getAsRange<StringAttr>())
        slots.push_back(SizeExpr::dim(name.getValue()));
  }

  fused::EntryDims dims;
  ArrayAttr planned;
  func::FuncOp entry;
};
} // namespace

LaunchSlots::LaunchSlots(func::FuncOp entry) {
  SlotReader reader(entry);
  entry.walk([&](fused::LaunchOp op) {
    Launch launch{op.getKernel().str(), op.getLoc(), {}};
    for (Value operand : op.getOperands())
      reader.append(operand, launch.slots);
    launches.push_back(std::move(launch));
  });
}

FailureOr<SizeExpr>
LaunchSlots::scratchBytes(ArrayRef<cuda::DeviceKernel> kernels) const {
  SizeExpr most;
  for (const Launch &launch : launches) {
    const auto *kernel =
        llvm::find_if(kernels, [&](const cuda::DeviceKernel &candidate) {
          return candidate.name == launch.kernel;
        });
    if (kernel == kernels.end() || !kernel->scratch)
      continue;
    auto bytes = sizeOf(kernel->scratch.getResult(0),
                        [&](unsigned slot) { return launch.slots[slot]; });
    if (!bytes)
      return emitError(launch.loc)
             << "the device memory of kernel '" << kernel->name
             << "' does not follow from the entry's dimensions";
    most = SizeExpr::max(most, *bytes);
  }
  return most;
}
