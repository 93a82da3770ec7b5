//===- EntryArguments.cpp - Inputs of an entry ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryArguments.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"

using namespace mlir;

namespace sinter {

static func::FuncOp functionOf(BlockArgument argument) {
  return cast<func::FuncOp>(argument.getOwner()->getParentOp());
}

StringRef argumentName(BlockArgument argument) {
  auto name = functionOf(argument).getArgAttrOfType<StringAttr>(
      argument.getArgNumber(), nameAttrName);
  return name ? name.getValue() : StringRef();
}

StringRef resultName(func::FuncOp function, unsigned index) {
  auto name = function.getResultAttrOfType<StringAttr>(index, nameAttrName);
  return name ? name.getValue() : StringRef();
}

namespace {

/// Binds the arguments of one function.
class ArgumentBinder {
public:
  ArgumentBinder(func::FuncOp function, const llvm::StringMap<Tensor> &inputs,
                 RowAnalysis &rows, EntryRun &run)
      : function(function), inputs(inputs), rows(rows), run(run) {}

  LogicalResult bind();

private:
  InFlightDiagnostic error(BlockArgument argument) {
    return emitError(argument.getLoc())
           << "input '" << argumentName(argument) << "' ";
  }
  bool isLengths(BlockArgument argument) const {
    return llvm::any_of(rows.lengths(), [&](const RowAnalysis::Lengths &l) {
      return l.lengths == argument;
    });
  }
  LogicalResult checkNames();
  LogicalResult checkState(ReadOp read);
  LogicalResult bindInput(BlockArgument argument);
  LogicalResult checkDims(BlockArgument argument, const Tensor &input);
  LogicalResult bindMissingLengths(const RowAnalysis::Lengths &lengths);
  LogicalResult checkLengths(const RowAnalysis::Lengths &lengths);
  void clearPastLengths(BlockArgument argument);

  func::FuncOp function;
  const llvm::StringMap<Tensor> &inputs;
  RowAnalysis &rows;
  EntryRun &run;
  /// Named dimensions, each with its extent and the input that gave it.
  llvm::StringMap<std::pair<int64_t, StringRef>> dims;
};

} // namespace

LogicalResult ArgumentBinder::checkNames() {
  llvm::StringMap<bool> known;
  for (BlockArgument argument : function.getArguments())
    known[argumentName(argument)] = true;
  // The map has no order; report the first unknown name by the alphabet.
  SmallVector<StringRef> unknown;
  for (const auto &input : inputs)
    if (!known.contains(input.getKey()))
      unknown.push_back(input.getKey());
  if (unknown.empty())
    return success();
  return function.emitError("entry '")
         << function.getSymName() << "' has no input '"
         << *llvm::min_element(unknown) << "'";
}

LogicalResult ArgumentBinder::checkDims(BlockArgument argument,
                                        const Tensor &input) {
  auto names = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                    dimsAttrName);
  auto type = cast<RankedTensorType>(argument.getType());
  size_t next = 0;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim) || !names || next >= names.size())
      continue;
    StringRef name = cast<StringAttr>(names[next++]).getValue();
    int64_t extent = input.dim(dim);
    auto [known, isNew] =
        dims.try_emplace(name, extent, argumentName(argument));
    if (!isNew && known->second.first != extent)
      return error(argument)
             << "has '" << name << "' = '" << extent << "', but '"
             << known->second.second << "' has '" << known->second.first << "'";
    std::optional<Session::Limit> limit = run.session.limit(name);
    if (limit &&
        (limit->isFixed ? extent != limit->size : extent > limit->size))
      return error(argument) << "has '" << name << "' = '" << extent
                             << "', the session has '" << limit->size << "'";
  }
  return success();
}

LogicalResult ArgumentBinder::bindInput(BlockArgument argument) {
  auto found = inputs.find(argumentName(argument));
  if (found == inputs.end())
    return error(argument) << "is missing";
  const Tensor &input = found->second;
  if (input.elementType() != getElementTypeOrSelf(argument.getType()))
    return error(argument) << "has elements of " << input.elementType()
                           << ", expected " << argument.getType();
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  ArrayRef<int64_t> expected = type ? type.getShape() : ArrayRef<int64_t>();
  if (failed(verifyCompatibleShape(expected, input.shape())))
    return error(argument) << "has not the shape of " << argument.getType();
  if (type && failed(checkDims(argument, input)))
    return failure();
  run.define(argument, input.rounded());
  return success();
}

/// The current extents of a state are the entry's dimensions of these names.
LogicalResult ArgumentBinder::checkState(ReadOp read) {
  auto state =
      SymbolTable::lookupNearestSymbolFrom<StateOp>(read, read.getStateAttr());
  const Tensor *content = run.session.tensor(read.getState());
  auto type = dyn_cast<RankedTensorType>(state.getType());
  if (!content || !type)
    return success();
  auto names = state.getDims().getAsValueRange<StringAttr>();
  auto name = names.begin();
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    StringRef current = *name++;
    auto [known, isNew] =
        dims.try_emplace(current, content->dim(dim), read.getState());
    if (!isNew && known->second.first != content->dim(dim))
      return read.emitError("state '")
             << read.getState() << "' has '" << current << "' = '"
             << content->dim(dim) << "', but '" << known->second.second
             << "' has '" << known->second.first << "'";
  }
  return success();
}

LogicalResult
ArgumentBinder::bindMissingLengths(const RowAnalysis::Lengths &lengths) {
  if (!lengths.rows || !run.has(lengths.rows))
    return error(lengths.lengths)
           << "is missing, and no input tells the full extent";
  const Tensor &full = run.get(lengths.rows);
  Type element = getElementTypeOrSelf(lengths.lengths.getType());
  run.define(lengths.lengths,
             Tensor::splat(
                 {full.dim(lengths.batchDim())},
                 ScalarValue::ofInteger(element, full.dim(lengths.timeDim()))));
  return success();
}

LogicalResult
ArgumentBinder::checkLengths(const RowAnalysis::Lengths &lengths) {
  const Tensor &values = run.get(lengths.lengths);
  int64_t full = INT64_MAX;
  if (lengths.rows) {
    const Tensor &measured = run.get(lengths.rows);
    int64_t batch = measured.dim(lengths.batchDim());
    full = measured.dim(lengths.timeDim());
    if (values.size() != batch)
      return error(lengths.lengths)
             << "has '" << values.size() << "' rows, '"
             << argumentName(lengths.rows) << "' has '" << batch << "'";
  }
  std::vector<bool> &idle = run.update.idleRows;
  idle.resize(std::max<size_t>(idle.size(), values.size()));
  for (int64_t b = 0; b < values.size(); ++b) {
    int64_t length = values.integer(b);
    if (length < 0 || length > full)
      return error(lengths.lengths) << "has '" << length << "' for row '" << b
                                    << "', expected 0 to '" << full << "'";
    if (length == 0 && rows.lengths().size() == 1)
      idle[b] = true;
  }
  return success();
}

/// Past a row's length integers are not read; 0 is in every table.
void ArgumentBinder::clearPastLengths(BlockArgument argument) {
  const Tensor &input = run.get(argument);
  BlockArgument lengths = rows.lengthsOf(argument);
  if (!lengths || input.rank() < 2 || input.isFloat())
    return;
  Tensor cleared = input;
  const Tensor &valid = run.get(lengths);
  int64_t offset = 0;
  forEachIndex(input.shape(), [&](ArrayRef<int64_t> index) {
    if (index[1] >= valid.integer(index[0]))
      cleared.integer(offset) = 0;
    ++offset;
  });
  run.define(argument, std::move(cleared));
}

LogicalResult ArgumentBinder::bind() {
  if (failed(checkNames()))
    return failure();
  for (BlockArgument argument : function.getArguments()) {
    bool isMissing = !inputs.contains(argumentName(argument));
    if (!(isMissing && isLengths(argument)) && failed(bindInput(argument)))
      return failure();
  }
  for (ReadOp read : function.getBody().getOps<ReadOp>())
    if (failed(checkState(read)))
      return failure();
  for (const RowAnalysis::Lengths &lengths : rows.lengths())
    if ((!run.has(lengths.lengths) && failed(bindMissingLengths(lengths))) ||
        failed(checkLengths(lengths)))
      return failure();
  for (BlockArgument argument : function.getArguments())
    clearPastLengths(argument);
  return success();
}

LogicalResult bindArguments(func::FuncOp function,
                            const llvm::StringMap<Tensor> &inputs,
                            RowAnalysis &rows, EntryRun &run) {
  return ArgumentBinder(function, inputs, rows, run).bind();
}

} // namespace sinter
