//===- HostLowering.cpp - Entries become functions ------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostLowering.h"
#include "sinter/Conversion/FusedToCPU/KernelLowering.h"
#include "sinter/Dialect/Fused/IR/Fused.h"
#include "sinter/Target/Package/CallLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

HostLowering::HostLowering(ModuleOp module, const TargetInfo &target)
    : module(module), target(target) {
  for (auto storage : module.getOps<fused::StorageOp>()) {
    StringRef name = storage.getSymName();
    session.states.insert({name, int64_t(session.states.size())});
    session.storages[name] = storage;
    if (!storage.getValuesOf())
      session.numbers.insert({name, int64_t(session.numbers.size())});
    if (!storage.getDims().empty())
      session.rows = cast<StringAttr>(storage.getDims()[0]).getValue();
    // A cursor has two entries: its start and its end.
    if (std::optional<StringRef> cursor = storage.getCursor())
      session.cursors.insert({*cursor, 2 * int64_t(session.cursors.size())});
  }
  for (auto packed : module.getOps<fused::PackedOp>())
    session.weights[packed.getSymName()] = packed.getOffset();
  for (auto kernel : module.getOps<fused::KernelOp>())
    if (reportsClamps(kernel))
      session.reporting.insert(kernel.getName());
}

namespace {
/// An address and the dynamic extents behind it.
struct HostMemref {
  Value address;
  SmallVector<Value> extents;
};

class EntryLowering {
public:
  EntryLowering(func::FuncOp entry, const HostLowering::Session &session,
                KernelBuilder &k, Value call)
      : entry(entry), session(session), k(k), call(call),
        names(entry->getAttrOfType<ArrayAttr>("fused.dims")) {}

  LogicalResult lower();

private:
  LogicalResult lowerOp(Operation &op);
  LogicalResult lowerInteger(Operation &op);
  LogicalResult lowerCursor(fused::CursorOp op);
  LogicalResult lowerState(fused::StateOp op);
  LogicalResult lowerConstant(fused::ConstantOp op);
  LogicalResult lowerLoop(scf::ForOp op);
  LogicalResult launch(fused::LaunchOp op);
  Value member(int64_t number) {
    return k.load(k.ptr(), k.gep(k.getI64Type(), call, k.i64(number)), 8);
  }
  Value element(int64_t member, int64_t number, Type type) {
    return k.load(
        type, k.gep(k.getI64Type(), this->member(member), k.i64(number)), 8);
  }
  FailureOr<Value> dim(StringRef name, Location loc);
  FailureOr<Value> capacity(StringRef name, Location loc);
  FailureOr<HostMemref> withDims(Value address, fused::StorageOp storage,
                                 Location loc);
  LogicalResult commit(fused::CommitOp op);
  HostMemref withExtents(Value address, ValueRange extents);
  LogicalResult bindMemref(Value result, FailureOr<HostMemref> memref);
  Value argumentArray();

  func::FuncOp entry;
  const HostLowering::Session &session;
  KernelBuilder &k;
  Value call;
  ArrayAttr names;
  Value array;
  DenseMap<Value, HostMemref> memrefs;
  DenseMap<Value, Value> integers;
};
} // namespace

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
               << o->getName() << "' can't stand between kernels on a CPU";
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

/// The content and the extents of a tensor state.
LogicalResult EntryLowering::commit(fused::CommitOp op) {
  auto found = session.numbers.find(op.getSymbol());
  if (found == session.numbers.end())
    return op.emitError("no storage is called '") << op.getSymbol() << "'";
  const HostMemref &memref = memrefs.find(op.getValue())->second;
  Value array = argumentArray();
  auto set = [&](int64_t number, Value value) {
    k.store(value, k.gep(k.getI64Type(), array, k.i64(number)), 8);
  };
  set(0, LLVM::PtrToIntOp::create(k, k.getI64Type(), memref.address));
  const auto *dynamic = memref.extents.begin();
  for (auto [dim, extent] :
       llvm::enumerate(cast<MemRefType>(op.getValue().getType()).getShape())) {
    Value value =
        ShapedType::isDynamic(extent) ? *dynamic++ : Value(k.i64(extent));
    if (dim > 0)
      set(dim, value);
  }
  auto idle = entry->getAttrOfType<IntegerAttr>("sinter.idle_rows");
  LLVM::CallOp::create(k, TypeRange(), "sinter_commit_state",
                       ValueRange{call, k.i64(found->second),
                                  k.i64(idle ? idle.getInt() : -1), array});
  return success();
}

/// One array serves all launches: a kernel is done when its launch returns.
Value EntryLowering::argumentArray() {
  if (array)
    return array;
  int64_t most = 1;
  entry.walk([&](fused::CommitOp op) {
    most = std::max(most, cast<MemRefType>(op.getValue().getType()).getRank());
  });
  entry.walk([&](fused::LaunchOp op) {
    int64_t slots = session.reporting.contains(op.getKernel());
    for (Type type : op.getOperandTypes())
      slots += launchSlots(type);
    most = std::max(most, slots);
  });
  OpBuilder::InsertionGuard guard(k);
  k.setInsertionPointAfterValue(k.getBlock()->getArgument(0));
  array = LLVM::AllocaOp::create(k, k.ptr(), k.getI64Type(), k.i64(most),
                                 /*alignment=*/8);
  return array;
}

LogicalResult EntryLowering::launch(fused::LaunchOp op) {
  SmallVector<Value> slots;
  for (Value operand : op.getOperands()) {
    if (!isa<MemRefType>(operand.getType())) {
      slots.push_back(integers.lookup(operand));
      continue;
    }
    const HostMemref &memref = memrefs.find(operand)->second;
    slots.push_back(
        LLVM::PtrToIntOp::create(k, k.getI64Type(), memref.address));
    llvm::append_range(slots, memref.extents);
  }
  if (session.reporting.contains(op.getKernel())) {
    Value notice = k.gep(k.getI64Type(), call, k.i64(SINTER_CALL_NOTICE));
    slots.push_back(LLVM::PtrToIntOp::create(k, k.getI64Type(), notice));
  }
  Value array = argumentArray();
  for (auto [number, value] : llvm::enumerate(slots))
    k.store(value, k.gep(k.getI64Type(), array, k.i64(number)), 8);
  std::string symbol = (op.getKernel() + "_kernel").str();
  Value kernel = LLVM::AddressOfOp::create(k, k.ptr(), symbol);
  LLVM::CallOp::create(k, TypeRange(), "sinter_launch",
                       ValueRange{call, kernel, array});
  return success();
}

/// Declares what the package defines: the launch loop and kernels' records.
static void declareExternals(ModuleOp module, func::FuncOp entry) {
  OpBuilder builder(entry);
  MLIRContext *context = builder.getContext();
  Location loc = module.getLoc();
  Type ptr = LLVM::LLVMPointerType::get(context);
  Type i64 = builder.getI64Type();
  auto record =
      LLVM::LLVMStructType::getLiteral(context, {ptr, ptr, ptr, ptr, i64});
  entry.walk([&](fused::LaunchOp op) {
    std::string name = (op.getKernel() + "_kernel").str();
    if (!module.lookupSymbol(name))
      LLVM::GlobalOp::create(builder, loc, record, /*isConstant=*/true,
                             LLVM::Linkage::External, name, Attribute());
  });
  auto declare = [&](StringRef name, ArrayRef<Type> parameters) {
    if (!module.lookupSymbol(name))
      LLVM::LLVMFuncOp::create(
          builder, loc, name,
          LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                      parameters));
  };
  declare("sinter_launch", {ptr, ptr, ptr});
  if (!entry.getBody().getOps<fused::CommitOp>().empty())
    declare("sinter_commit_state", {ptr, i64, i64, ptr});
}

/// What the planning passes leave, in every entry.
static LogicalResult checkEntry(func::FuncOp entry) {
  if (entry.isExternal() || !entry.getBody().hasOneBlock())
    return entry.emitError("is not an entry of straight-line code");
  if (!entry->getAttrOfType<ArrayAttr>("fused.dims"))
    return entry.emitError("has no 'fused.dims': its memory is not planned");
  for (BlockArgument argument : entry.getArguments())
    if (!isa<MemRefType>(argument.getType()))
      return emitError(argument.getLoc())
             << "argument " << argument.getArgNumber()
             << " is no memref: memory is not planned";
  return success();
}

LogicalResult HostLowering::lower(func::FuncOp entry) {
  if (failed(checkEntry(entry)))
    return failure();
  declareExternals(module, entry);
  OpBuilder builder(entry);
  MLIRContext *context = builder.getContext();
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(context), {LLVM::LLVMPointerType::get(context)});
  auto run = LLVM::LLVMFuncOp::create(builder, entry.getLoc(),
                                      (entry.getName() + "_run").str(), type);
  builder.setInsertionPointToStart(run.addEntryBlock(builder));
  KernelBuilder k(entry.getLoc(), builder, target);
  if (failed(EntryLowering(entry, session, k, run.getArgument(0)).lower()))
    return failure();
  LLVM::ReturnOp::create(k, ValueRange());
  entry.erase();
  return success();
}
