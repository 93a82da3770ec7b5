//===- Session.cpp - State of the reference interpreter ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Reference/Session.h"
#include "sinter/Dialect/Sinter/IR/SessionRows.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"

using namespace mlir;

namespace sinter {

template <typename T>
static const T *findIn(const std::map<std::string, T, std::less<>> &map,
                       StringRef name) {
  auto found = map.find(std::string_view(name));
  return found == map.end() ? nullptr : &found->second;
}

FailureOr<Session> Session::create(ModuleOp module,
                                   const llvm::StringMap<int64_t> &dims) {
  Session session;
  for (StateOp state : module.getOps<StateOp>())
    if (failed(session.addState(state, dims)))
      return failure();
  return session;
}

/// The numbers of a state's dimensions.
static FailureOr<SmallVector<int64_t>>
sizesOf(StateOp state, const llvm::StringMap<int64_t> &dims) {
  SmallVector<int64_t> sizes;
  for (auto [name, bound] : llvm::zip_equal(
           state.getDims().getAsRange<StringAttr>(), state.getBounds())) {
    auto size = dims.find(name.getValue());
    if (size == dims.end())
      return state.emitError("the session needs a size for dimension ") << name;
    if (size->second < 0)
      return state.emitError("dimension ")
             << name << " is '" << size->second << "', expected at least 0";
    if (bound > 0 && size->second > bound)
      return state.emitError("dimension ")
             << name << " is '" << size->second << "', expected at most '"
             << bound << "'";
    sizes.push_back(size->second);
  }
  auto rows = state->getAttrOfType<IntegerAttr>(sessionRowsAttrName);
  if (rows && sizes.front() != rows.getInt())
    return state.emitError("dimension ")
           << state.getDims()[0] << " is '" << sizes.front()
           << "', but entries have '" << rows.getInt() << "' rows";
  return sizes;
}

/// Dimensions after the first have no extent until an entry writes.
static Tensor initialTensor(RankedTensorType type, int64_t rows) {
  Shape shape(type.getShape());
  bool isFirst = true;
  for (int64_t &extent : shape)
    if (ShapedType::isDynamic(extent)) {
      extent = isFirst ? rows : 0;
      isFirst = false;
    }
  return Tensor(shape, type.getElementType());
}

LogicalResult Session::addState(Operation *op,
                                const llvm::StringMap<int64_t> &dims) {
  auto state = cast<StateOp>(op);
  std::string name = state.getSymName().str();
  if (state.getScope())
    return state.emitError("the reference needs one state per layer; run "
                           "--sinter-expand-entries first");
  FailureOr<SmallVector<int64_t>> sizes = sizesOf(state, dims);
  if (failed(sizes))
    return failure();
  for (auto [i, dim] :
       llvm::enumerate(state.getDims().getAsRange<StringAttr>()))
    limits[dim.getValue().str()] = {(*sizes)[i], /*isFixed=*/i == 0};
  if (CacheType type = state.getCacheType()) {
    int64_t batch = (*sizes)[0], capacity = (*sizes)[1];
    std::string cursor = state.getCursor().str();
    cursors[cursor].assign(batch, 0);
    Type element = type.getElementType();
    caches[name] = {
        Tensor({batch, capacity, type.getHeads(), type.getKey()}, element),
        Tensor({batch, capacity, type.getHeads(), type.getValue()}, element),
        cursor};
    return success();
  }
  auto type = cast<RankedTensorType>(state.getType());
  tensors[name] = initialTensors[name] = initialTensor(type, sizes->front());
  Shape capacity(type.getShape());
  for (int64_t dim = 0, next = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    if (dim > 0)
      currentDims[cast<StringAttr>(state.getDims()[next]).getValue().str()]
          .emplace_back(name, dim);
    capacity[dim] = (*sizes)[next++];
  }
  capacities[name] = capacity;
  return success();
}

const RowValues *Session::cursor(StringRef name) const {
  return findIn(cursors, name);
}

const CacheContent *Session::cache(StringRef state) const {
  return findIn(caches, state);
}

const Tensor *Session::tensor(StringRef state) const {
  return findIn(tensors, state);
}

std::optional<int64_t> Session::extent(StringRef dim,
                                       ArrayRef<std::string> states) const {
  const auto *places = findIn(currentDims, dim);
  std::optional<int64_t> shared;
  if (!places)
    return shared;
  for (const auto &[state, position] : *places) {
    if (!llvm::is_contained(states, state))
      continue;
    int64_t extent = tensor(state)->dim(position);
    if (shared.value_or(extent) != extent)
      return std::nullopt;
    shared = extent;
  }
  return shared;
}

std::optional<Session::Limit> Session::limit(StringRef dim) const {
  const Limit *limit = findIn(limits, dim);
  return limit ? std::optional(*limit) : std::nullopt;
}

bool Session::truncate(StringRef cursor, int64_t row, int64_t length) {
  auto found = cursors.find(std::string_view(cursor));
  if (found == cursors.end() || row < 0 ||
      row >= static_cast<int64_t>(found->second.size()) || length < 0 ||
      length > found->second[row])
    return false;
  found->second[row] = length;
  return true;
}

/// Elements of a row.
static int64_t rowSize(const Tensor &tensor) {
  return tensor.innerSize(tensor.rank() - 1);
}

/// Copies the first `count` positions of one row.
static void copyRowOf(Tensor &to, int64_t toRow, const Tensor &from,
                      int64_t fromRow, int64_t count) {
  int64_t toSize = rowSize(to);
  int64_t fromSize = rowSize(from);
  int64_t size = count * from.innerSize(from.rank() - 2);
  for (int64_t i = 0; i < size; ++i)
    to.copyFrom(toRow * toSize + i, from, fromRow * fromSize + i);
}

static ArrayRef<int64_t> rowShape(const Tensor &tensor) {
  return tensor.shape().drop_front();
}

/// Copies one row of a tensor; what `to` has beyond it becomes zero.
static void copyBox(Tensor &to, int64_t toRow, const Tensor &from,
                    int64_t fromRow) {
  forEachIndex(rowShape(to), [&](ArrayRef<int64_t> index) {
    bool exists =
        llvm::all_of(llvm::zip_equal(index, rowShape(from)), [](auto pair) {
          return std::get<0>(pair) < std::get<1>(pair);
        });
    Shape at{toRow}, source{fromRow};
    at.append(index.begin(), index.end());
    source.append(index.begin(), index.end());
    if (exists)
      to.copyFrom(to.offset(at), from, from.offset(source));
    else
      to.set(to.offset(at), {to.elementType()});
  });
}

/// Gives a tensor at least the extents of a row of this shape.
static void grow(Tensor &tensor, ArrayRef<int64_t> wanted) {
  Shape shape(tensor.shape());
  for (auto [extent, least] :
       llvm::zip_equal(MutableArrayRef(shape).drop_front(), wanted))
    extent = std::max(extent, least);
  if (shape == tensor.shape())
    return;
  Tensor grown(shape, tensor.elementType());
  for (int64_t row = 0; row < tensor.dim(0); ++row)
    copyBox(grown, row, tensor, row);
  tensor = std::move(grown);
}

bool Session::reset(int64_t row) {
  for (auto &[name, rows] : cursors) {
    if (row < 0 || row >= static_cast<int64_t>(rows.size()))
      return false;
    rows[row] = 0;
  }
  for (auto &[name, tensor] : tensors) {
    if (row < 0 || row >= tensor.dim(0))
      return false;
    const Tensor &initial = *findIn(initialTensors, StringRef(name));
    if (tensor.dim(0) == 1)
      tensor = initial;
    else
      // All that the initial tensor lacks is zero, and so is what it has.
      copyBox(tensor, row, initial, row);
  }
  return true;
}

bool Session::copyRow(int64_t toRow, const Session &from, int64_t fromRow) {
  for (const auto &[name, rows] : cursors) {
    const RowValues *source = from.cursor(name);
    if (!source || toRow < 0 || toRow >= static_cast<int64_t>(rows.size()) ||
        fromRow < 0 || fromRow >= static_cast<int64_t>(source->size()))
      return false;
  }
  for (const auto &[name, cache] : caches) {
    const CacheContent *source = from.cache(name);
    if (!source || (*from.cursor(source->cursor))[fromRow] > cache.keys.dim(1))
      return false;
  }
  for (const auto &[name, tensor] : tensors) {
    const Tensor *source = from.tensor(name);
    auto fits = [](auto pair) {
      return std::get<0>(pair) <= std::get<1>(pair);
    };
    if (!source || source->rank() != tensor.rank() || toRow < 0 ||
        toRow >= tensor.dim(0) || fromRow < 0 || fromRow >= source->dim(0) ||
        !llvm::all_of(llvm::zip_equal(rowShape(*source),
                                      llvm::drop_begin(*findIn(
                                          capacities, StringRef(name)))),
                      fits))
      return false;
  }
  for (auto &[name, cache] : caches) {
    const CacheContent *source = from.cache(name);
    int64_t count = (*from.cursor(source->cursor))[fromRow];
    copyRowOf(cache.keys, toRow, source->keys, fromRow, count);
    copyRowOf(cache.values, toRow, source->values, fromRow, count);
  }
  for (auto &[name, tensor] : tensors) {
    grow(tensor, rowShape(*from.tensor(name)));
    copyBox(tensor, toRow, *from.tensor(name), fromRow);
  }
  for (auto &[name, rows] : cursors)
    rows[toRow] = (*from.cursor(name))[fromRow];
  return true;
}

void Session::commitTensor(Tensor &state, const Tensor &value,
                           const std::vector<bool> &idleRows) {
  if (!llvm::is_contained(idleRows, true)) {
    state = value;
    return;
  }
  // An idle row keeps its content, so no extent shrinks.
  grow(state, rowShape(value));
  for (int64_t b = 0; b < value.dim(0); ++b)
    if (b >= static_cast<int64_t>(idleRows.size()) || !idleRows[b])
      copyBox(state, b, value, b);
}

void Session::commit(const SessionUpdate &update) {
  for (const CacheUpdate &change : update.caches) {
    CacheContent &cache = caches.find(change.state)->second;
    for (auto [to, from] : {std::pair{&cache.keys, &change.keys},
                            std::pair{&cache.values, &change.values}}) {
      int64_t inner = to->innerSize(2);
      for (int64_t b = 0; b < to->dim(0); ++b)
        for (int64_t i = 0; i < change.count[b] * inner; ++i)
          to->copyFrom((b * to->dim(1) + change.start[b]) * inner + i, *from,
                       b * from->dim(1) * inner + i);
    }
  }
  for (const auto &[name, value] : update.tensors)
    commitTensor(tensors.find(name)->second, value, update.idleRows);
  for (const auto &[name, rows] : update.cursors)
    cursors.find(name)->second = rows;
}

} // namespace sinter
