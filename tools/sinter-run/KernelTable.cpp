//===- KernelTable.cpp - What each kernel of an entry stores -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "sinter/Dialect/Fused/IR/Fused.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"

using namespace llvm;

namespace sinter::run {

static constexpr StringLiteral numberPrefix = "sinter-op ";

std::vector<mlir::Operation *> numberedOps(mlir::ModuleOp expanded) {
  std::vector<mlir::Operation *> ops;
  for (auto entry : expanded.getOps<mlir::func::FuncOp>())
    for (mlir::Operation &op : entry.getBody().front())
      ops.push_back(&op);
  return ops;
}

void numberLocations(mlir::ModuleOp expanded) {
  for (auto [number, op] : enumerate(numberedOps(expanded))) {
    auto name = mlir::StringAttr::get(expanded.getContext(),
                                      numberPrefix + Twine(number));
    op->setLoc(mlir::NameLoc::get(name, op->getLoc()));
  }
}

/// The last operation that a location names.
static std::optional<unsigned> numberOf(mlir::Location location) {
  std::optional<unsigned> number;
  location->walk([&](mlir::Location part) {
    auto named = dyn_cast<mlir::NameLoc>(part);
    StringRef text = named ? named.getName().getValue() : StringRef();
    unsigned found;
    if (text.consume_front(numberPrefix) && !text.getAsInteger(10, found) &&
        (!number || *number < found))
      number = found;
    return mlir::WalkResult::advance();
  });
  return number;
}

namespace {

/// One store of a skeleton: the kernel's argument, and how.
struct Store {
  mlir::Value destination;
  mlir::AffineMap map;
  mlir::Value yielded; ///< null: no region makes the value
};

/// Reads the launches of one entry.
class LaunchReader {
public:
  LaunchReader(mlir::func::FuncOp entry, ArrayRef<mlir::Operation *> ops)
      : entry(entry), ops(ops) {}

  std::vector<KernelLaunch> read();

private:
  KernelLaunch readLaunch(fused::LaunchOp launch);
  std::optional<KernelStore> readStore(fused::LaunchOp launch,
                                       mlir::Operation *skeleton,
                                       const Store &store);
  bool findPlace(mlir::Value memory, KernelStore &store);
  bool addExtents(mlir::Value memory, mlir::ValueRange dynamic,
                  KernelStore &store);
  void addCandidates(fused::LaunchOp launch, mlir::Operation *skeleton,
                     mlir::Value yielded, KernelStore &store);

  mlir::func::FuncOp entry;
  ArrayRef<mlir::Operation *> ops;
};

} // namespace

static void addStores(SmallVectorImpl<Store> &stores, mlir::ValueRange outs,
                      ArrayRef<int64_t> storeOuts, mlir::ArrayAttr maps,
                      mlir::Region &region) {
  mlir::Operation *yield = region.front().getTerminator();
  for (auto [i, out] : enumerate(storeOuts))
    stores.push_back({outs[out], cast<mlir::AffineMapAttr>(maps[i]).getValue(),
                      yield->getOperand(i)});
}

static SmallVector<Store> storesOf(mlir::Operation *skeleton) {
  SmallVector<Store> stores;
  auto plain = [&](mlir::ValueRange outs, mlir::ArrayAttr maps) {
    for (auto [out, map] : zip(outs, maps.getAsRange<mlir::AffineMapAttr>()))
      stores.push_back({out, map.getValue(), {}});
  };
  if (auto op = dyn_cast<fused::MapOp>(skeleton)) {
    addStores(stores, op.getOuts(), op.getStoreOuts(), op.getStoreMaps(),
              op.getBody());
  } else if (auto op = dyn_cast<fused::NormalizeOp>(skeleton)) {
    addStores(stores, op.getOuts(), op.getStoreOuts(), op.getStoreMaps(),
              op.getPost());
  } else if (auto op = dyn_cast<fused::ContractOp>(skeleton)) {
    for (fused::SegmentOp segment : op.getSegments()) {
      mlir::Operation *yield = segment.getEpilogue().front().getTerminator();
      for (auto [i, out] : enumerate(segment.getStores()))
        stores.push_back(
            {out,
             cast<mlir::AffineMapAttr>(segment.getStoreMaps()[i]).getValue(),
             yield->getOperand(i)});
    }
  } else if (auto op = dyn_cast<fused::AttentionOp>(skeleton)) {
    plain(op.getOuts(), op.getOutMaps());
  } else if (auto op = dyn_cast<fused::RecurrenceOp>(skeleton)) {
    plain(op.getOuts(), op.getOutMaps());
  }
  return stores;
}

/// Whether walking the dimensions in order walks the destination in order, from
/// its first element. `order`: the model's order of the dimensions.
static bool keepsOrder(mlir::AffineMap map, ArrayRef<unsigned> order) {
  int64_t last = -1;
  SmallVector<int64_t> zeros(map.getNumDims(), 0);
  if (map.getNumSymbols() != 0)
    return false;
  for (int64_t first : map.compose(zeros))
    if (first != 0)
      return false;
  for (mlir::AffineExpr expr : map.getResults()) {
    int64_t first = -1;
    for (unsigned dim : order)
      if (first < 0 && expr.isFunctionOfDim(dim))
        first = find(order, dim) - order.begin();
    if (first >= 0 && first < last)
      return false;
    last = std::max(last, first);
  }
  return true;
}

/// Whether the skeleton's loops reach all of the destination, as far as
/// constant extents tell.
static bool storesAll(mlir::Operation *op, const Store &store) {
  auto skeleton = cast<fused::SkeletonInterface>(op);
  auto type = cast<mlir::ShapedType>(store.destination.getType());
  for (auto [expr, extent] : zip(store.map.getResults(), type.getShape())) {
    auto dim = dyn_cast<mlir::AffineDimExpr>(expr);
    if (!dim || mlir::ShapedType::isDynamic(extent))
      continue;
    int64_t size = skeleton.getExtents()[dim.getPosition()];
    if (mlir::ShapedType::isDynamic(size))
      if (auto [value, index] = skeleton.getExtentSource(dim.getPosition());
          value)
        size = cast<mlir::ShapedType>(value.getType()).getDimSize(index);
    if (!mlir::ShapedType::isDynamic(size) && size != extent)
      return false;
  }
  return true;
}

/// The order in which the model has a skeleton's dimensions: attention's
/// queries come before its heads.
static SmallVector<unsigned> modelOrder(mlir::Operation *skeleton) {
  if (isa<fused::AttentionOp>(skeleton))
    return {0, 2, 1, 3, 4, 5};
  return to_vector(
      seq<unsigned>(cast<fused::SkeletonInterface>(skeleton).getDims().size()));
}

/// The operation in a region that makes a stored scalar; null: the skeleton
/// does. False: no operation of the model is known to.
static bool findMaker(mlir::Operation *skeleton, mlir::Value yielded,
                      mlir::Operation *&maker) {
  maker = yielded ? yielded.getDefiningOp() : nullptr;
  if (maker)
    return !isa<mlir::arith::ConstantOp>(maker);
  auto normalize = dyn_cast<fused::NormalizeOp>(skeleton);
  if (!normalize || !yielded)
    return true;
  // What is passed on unchanged is a row before it is normalised.
  auto argument = cast<mlir::BlockArgument>(yielded);
  if (normalize.getPre().empty())
    return false;
  mlir::Operation *yield = normalize.getPre().front().getTerminator();
  if (argument.getArgNumber() < yield->getNumOperands())
    maker = yield->getOperand(argument.getArgNumber()).getDefiningOp();
  return maker != nullptr;
}

bool LaunchReader::addExtents(mlir::Value memory, mlir::ValueRange dynamic,
                              KernelStore &store) {
  auto type = cast<mlir::MemRefType>(memory.getType());
  if (!type.getLayout().isIdentity())
    return false;
  size_t next = 0;
  for (int64_t extent : type.getShape()) {
    if (!mlir::ShapedType::isDynamic(extent)) {
      store.shape.push_back({"", extent});
      continue;
    }
    mlir::Value value = dynamic[next++];
    llvm::APInt constant;
    if (auto dim = value.getDefiningOp<fused::DimOp>())
      store.shape.push_back({dim.getName().str(), 0});
    else if (auto dim = value.getDefiningOp<fused::CapacityOp>())
      store.shape.push_back({dim.getName().str(), 0});
    else if (matchPattern(value, mlir::m_ConstantInt(&constant)))
      store.shape.push_back({"", constant.getSExtValue()});
    else
      return false;
  }
  return true;
}

/// Finds where `memory` lies, and its extents unless they are known already.
bool LaunchReader::findPlace(mlir::Value memory, KernelStore &store) {
  if (auto argument = dyn_cast<mlir::BlockArgument>(memory)) {
    store.tensor = static_cast<int>(argument.getArgNumber());
    return cast<mlir::MemRefType>(memory.getType()).getLayout().isIdentity();
  }
  if (auto slot = memory.getDefiningOp<fused::SlotOp>()) {
    store.slot = static_cast<int>(slot.getNumber());
    return !store.shape.empty() || addExtents(slot, slot.getExtents(), store);
  }
  auto view = memory.getDefiningOp<fused::ViewOp>();
  if (!view ||
      (store.shape.empty() && !addExtents(view, view.getExtents(), store)))
    return false;
  return findPlace(view.getSource(), store);
}

/// The value is that of the operation that the yielded scalar came from, or of
/// the skeleton's. A kernel that several launches share has the numbers of the
/// first; those of the others are as far apart.
void LaunchReader::addCandidates(fused::LaunchOp launch,
                                 mlir::Operation *skeleton, mlir::Value yielded,
                                 KernelStore &store) {
  std::optional<unsigned> base = numberOf(skeleton->getLoc());
  std::optional<unsigned> here = numberOf(launch->getLoc());
  if (!base || !here)
    return;
  auto add = [&](mlir::Location location) {
    std::optional<unsigned> number = numberOf(location);
    if (!number)
      return;
    size_t moved = *number + *here - *base;
    bool fits = moved < ops.size() && *number < ops.size() &&
                ops[moved]->getName() == ops[*number]->getName();
    // The last position is taken early, of operands of row-wise operations.
    fits = fits && !isa<LastOp>(ops[moved]);
    if (fits && !is_contained(store.candidates, moved))
      store.candidates.push_back(moved);
  };
  mlir::Operation *maker = nullptr;
  if (!findMaker(skeleton, yielded, maker))
    return;
  if (maker)
    add(maker->getLoc());
  add(skeleton->getLoc());
}

std::optional<KernelStore> LaunchReader::readStore(fused::LaunchOp launch,
                                                   mlir::Operation *skeleton,
                                                   const Store &store) {
  auto argument = dyn_cast<mlir::BlockArgument>(store.destination);
  KernelStore result;
  if (!argument || !keepsOrder(store.map, modelOrder(skeleton)) ||
      !storesAll(skeleton, store) ||
      !findPlace(launch.getOperands()[argument.getArgNumber()], result))
    return std::nullopt;
  addCandidates(launch, skeleton, store.yielded, result);
  if (result.candidates.empty())
    return std::nullopt;
  return result;
}

KernelLaunch LaunchReader::readLaunch(fused::LaunchOp launch) {
  KernelLaunch result;
  result.kernel = launch.getKernel().str();
  auto kernel = mlir::SymbolTable::lookupNearestSymbolFrom<fused::KernelOp>(
      launch, launch.getKernelAttr());
  if (!kernel)
    return result;
  for (mlir::Operation &skeleton : kernel.getBody().front())
    for (const Store &store : storesOf(&skeleton))
      if (auto read = readStore(launch, &skeleton, store))
        result.stores.push_back(std::move(*read));
  return result;
}

std::vector<KernelLaunch> LaunchReader::read() {
  std::vector<KernelLaunch> launches;
  entry.walk(
      [&](fused::LaunchOp launch) { launches.push_back(readLaunch(launch)); });
  return launches;
}

KernelTable readLaunches(mlir::ModuleOp module,
                         ArrayRef<mlir::Operation *> ops) {
  KernelTable table;
  for (auto entry : module.getOps<mlir::func::FuncOp>())
    table[entry.getName()].launches = LaunchReader(entry, ops).read();
  return table;
}

void addLayout(KernelTable &table, const package::ModelInterface &interface) {
  package::ModelInterface complete = interface;
  complete.complete();
  for (const package::EntryInterface &entry : complete.entries) {
    EntryLaunches &launches = table[entry.name];
    launches.prefixBytes =
        package::SizeExpr(entry.reservedBytes) + entry.prefixBytes();
    launches.slotBytes = entry.slots;
  }
}

} // namespace sinter::run
