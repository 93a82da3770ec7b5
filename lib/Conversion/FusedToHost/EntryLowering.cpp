//===- EntryLowering.cpp - What stands between launches -------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::host;

FailureOr<Value> EntryLowering::dim(StringRef name, Location loc) {
  for (auto [number, attr] : llvm::enumerate(names.getAsRange<StringAttr>()))
    if (attr.getValue() == name)
      return element(SINTER_CALL_DIMS, number, k.getI64Type());
  return emitError(loc) << "'" << name << "' is no dimension of entry '"
                        << entry.getName() << "'";
}

/// A capacity of the session; an argument of the entry may have its name.
FailureOr<Value> EntryLowering::capacity(StringRef name, Location loc) {
  std::string own = (name + ".capacity").str();
  bool hasOwn =
      llvm::any_of(names.getAsRange<StringAttr>(),
                   [&](StringAttr attr) { return attr.getValue() == own; });
  return dim(hasOwn ? StringRef(own) : name, loc);
}

/// The rows, then capacities of a cache or current extents of a tensor.
FailureOr<HostMemref>
EntryLowering::withDims(Value address, fused::StorageOp storage, Location loc) {
  HostMemref memref{address, {}};
  for (auto name : storage.getDims().getAsRange<StringAttr>()) {
    bool isCapacity = !memref.extents.empty() && storage.getCursor();
    FailureOr<Value> extent = isCapacity ? capacity(name, loc) : dim(name, loc);
    if (failed(extent))
      return failure();
    memref.extents.push_back(*extent);
  }
  return memref;
}

HostMemref EntryLowering::withExtents(Value address, ValueRange extents) {
  HostMemref memref{address, {}};
  for (Value extent : extents)
    memref.extents.push_back(integers.lookup(extent));
  return memref;
}

LogicalResult EntryLowering::bindMemref(Value result,
                                        FailureOr<HostMemref> memref) {
  if (failed(memref))
    return failure();
  memrefs[result] = *memref;
  return success();
}

/// An argument's extents are its named dimensions; a result's, which is an
/// argument too by now, are `fused.extents` over them.
static LogicalResult
bindExtents(func::FuncOp entry, BlockArgument argument,
            llvm::function_ref<FailureOr<Value>(StringRef)> dim,
            ArrayAttr names, SmallVectorImpl<Value> &extents) {
  unsigned number = argument.getArgNumber();
  auto type = cast<MemRefType>(argument.getType());
  SmallVector<StringRef> used;
  if (auto dims = entry.getArgAttrOfType<ArrayAttr>(number, "sinter.dims"))
    for (auto name : dims.getAsRange<StringAttr>())
      used.push_back(name);
  if (auto map =
          entry.getArgAttrOfType<AffineMapAttr>(number, "fused.extents")) {
    used.clear();
    for (auto [size, expr] :
         llvm::zip_equal(type.getShape(), map.getValue().getResults()))
      if (auto symbol = dyn_cast<AffineSymbolExpr>(expr);
          symbol && ShapedType::isDynamic(size))
        used.push_back(
            cast<StringAttr>(names[symbol.getPosition()]).getValue());
  }
  if (used.size() != type.getNumDynamicDims())
    return entry.emitError("argument ")
           << number << " has " << type.getNumDynamicDims()
           << " dynamic extents, of which " << used.size() << " are named";
  for (StringRef name : used) {
    FailureOr<Value> extent = dim(name);
    if (failed(extent))
      return failure();
    extents.push_back(*extent);
  }
  return success();
}

LogicalResult EntryLowering::lower() {
  for (BlockArgument argument : entry.getArguments()) {
    HostMemref memref{
        element(SINTER_CALL_TENSORS, argument.getArgNumber(), k.ptr()), {}};
    if (failed(bindExtents(
            entry, argument,
            [&](StringRef name) { return dim(name, argument.getLoc()); }, names,
            memref.extents)))
      return failure();
    memrefs[argument] = memref;
  }
  for (Operation &op : entry.getBody().front()) {
    k.setLoc(op.getLoc());
    if (failed(lowerOp(op)))
      return failure();
  }
  return success();
}

/// Numbers: dimensions and what is computed from them.
LogicalResult EntryLowering::lowerInteger(Operation &op) {
  Location loc = op.getLoc();
  auto bind = [&](FailureOr<Value> value) {
    if (succeeded(value))
      integers[op.getResult(0)] = *value;
    return LogicalResult(value);
  };
  auto arithmetic = [&](llvm::function_ref<Value(Value, Value)> build) {
    return bind(build(integers.lookup(op.getOperand(0)),
                      integers.lookup(op.getOperand(1))));
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](fused::DimOp o) { return bind(dim(o.getName(), loc)); })
      .Case(
          [&](fused::CapacityOp o) { return bind(capacity(o.getName(), loc)); })
      .Case([&](arith::ConstantOp o) {
        return bind(k.i64(cast<IntegerAttr>(o.getValue()).getInt()));
      })
      .Case([&](arith::AddIOp) {
        return arithmetic([&](Value a, Value b) { return k.add(a, b); });
      })
      .Case([&](arith::MulIOp) {
        return arithmetic([&](Value a, Value b) { return k.mul(a, b); });
      })
      .Case([&](arith::DivUIOp) {
        return arithmetic([&](Value a, Value b) { return k.div(a, b); });
      })
      .Case([&](arith::RemUIOp) {
        return arithmetic([&](Value a, Value b) { return k.rem(a, b); });
      })
      .Case([&](arith::CeilDivUIOp) {
        return arithmetic([&](Value a, Value b) {
          return k.div(k.sub(k.add(a, b), k.i64(1)), b);
        });
      })
      .Default([](Operation *o) {
        return o->emitError("'")
               << o->getName() << "' can't stand between kernels";
      });
}

LogicalResult EntryLowering::lowerCursor(fused::CursorOp op) {
  auto found = session.cursors.find(op.getName());
  if (found == session.cursors.end())
    return op.emitError("no storage has the cursor '") << op.getName() << "'";
  Value address =
      element(SINTER_CALL_CURSORS, found->second + op.getAfter(), k.ptr());
  FailureOr<Value> rows = dim(session.rows, op.getLoc());
  if (failed(rows))
    return failure();
  return bindMemref(op.getResult(), HostMemref{address, {*rows}});
}

LogicalResult EntryLowering::lowerState(fused::StateOp op) {
  auto found = session.states.find(op.getSymbol());
  if (found == session.states.end())
    return op.emitError("no storage is called '") << op.getSymbol() << "'";
  Value address = element(SINTER_CALL_STATES, found->second, k.ptr());
  return bindMemref(
      op.getResult(),
      withDims(address, session.storages.lookup(op.getSymbol()), op.getLoc()));
}

LogicalResult EntryLowering::lowerConstant(fused::ConstantOp op) {
  auto found = session.weights.find(op.getSymbol());
  if (found == session.weights.end())
    return op.emitError("no packed tensor is called '")
           << op.getSymbol() << "'";
  Value address =
      k.gep(k.getI8Type(), member(SINTER_CALL_WEIGHTS), k.i64(found->second));
  return bindMemref(op.getResult(), HostMemref{address, {}});
}

LogicalResult EntryLowering::lowerOp(Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](fused::CursorOp o) { return lowerCursor(o); })
      .Case([&](fused::StateOp o) { return lowerState(o); })
      .Case([&](fused::ConstantOp o) { return lowerConstant(o); })
      .Case([&](fused::SlotOp o) {
        Value address = element(SINTER_CALL_SLOTS, o.getNumber(), k.ptr());
        return bindMemref(o.getResult(), withExtents(address, o.getExtents()));
      })
      .Case([&](fused::ViewOp o) {
        Value address = memrefs.lookup(o.getSource()).address;
        return bindMemref(o.getResult(), withExtents(address, o.getExtents()));
      })
      .Case([&](fused::LaunchOp o) { return launch(o); })
      .Case([&](scf::ForOp o) { return lowerLoop(o); })
      .Case([&](fused::CommitOp o) { return commit(o); })
      // Cursors are committed by the runtime.
      .Case<fused::AdvanceOp, func::ReturnOp, scf::YieldOp>(
          [](auto) { return success(); })
      .Default([&](Operation *) { return lowerInteger(op); });
}

/// Launches again and again; memory is planned, so that nothing is carried.
LogicalResult EntryLowering::lowerLoop(scf::ForOp op) {
  std::optional<APInt> step = op.getConstantStep();
  if (op.getNumResults() || !step)
    return op.emitError("carries values or has a step that is not constant");
  LogicalResult status = success();
  k.loop(integers.lookup(op.getLowerBound()),
         integers.lookup(op.getUpperBound()), step->getSExtValue(),
         [&](Value index) {
           integers[op.getInductionVar()] = index;
           for (Operation &inner : *op.getBody()) {
             k.setLoc(inner.getLoc());
             if (succeeded(status))
               status = lowerOp(inner);
           }
         });
  return status;
}
