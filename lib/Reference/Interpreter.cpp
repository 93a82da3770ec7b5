//===- Interpreter.cpp - Entries in double precision ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Reference/Interpreter.h"
#include "EntryArguments.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"

using namespace mlir;

namespace sinter {

//===----------------------------------------------------------------------===//
// Validity
//===----------------------------------------------------------------------===//

bool Validity::contains(ArrayRef<int64_t> indices) const {
  if (lengths.empty())
    return true;
  int64_t length = lengths[indices[0]];
  return hasTime ? indices[1] < length : length > 0;
}

static Validity validityOf(Value value, RowAnalysis &rows,
                           const EntryRun &run) {
  std::optional<RowSource> source = rows.rowsOf(value);
  if (!source)
    return {};
  BlockArgument lengths = rows.lengthsOf(source->argument);
  // Rows without any position have no last one either.
  const Tensor &argument = run.get(source->argument);
  if (!source->hasTime && argument.dim(1) == 0)
    return {RowValues(argument.dim(0), 0), false};
  if (!lengths)
    return {};
  return {run.getRows(lengths), source->hasTime};
}

//===----------------------------------------------------------------------===//
// EntryRun
//===----------------------------------------------------------------------===//

RowValues EntryRun::getRows(Value value) const {
  const Tensor &tensor = get(value);
  RowValues rows;
  for (int64_t i = 0, e = tensor.size(); i < e; ++i)
    rows.push_back(tensor.integer(i));
  return rows;
}

std::optional<ScalarOrTensor> EntryRun::outer(Value value) const {
  if (!has(value))
    return std::nullopt;
  if (isa<ShapedType>(value.getType()))
    return ScalarOrTensor(get(value));
  return ScalarOrTensor(getScalar(value));
}

LogicalResult EntryRun::moveCursor(Operation *op, StringRef cursor,
                                   RowValues end) {
  auto [known, isNew] = update.cursors.try_emplace(cursor.str(), end);
  if (!isNew && known->second != end)
    return op->emitError("moves the cursor '")
           << cursor << "' elsewhere than an op before it";
  return success();
}

LogicalResult checkSame(Operation *op, StringRef what, int64_t expected,
                        int64_t actual) {
  if (expected == actual)
    return success();
  return op->emitError() << what << " is '" << actual << "', expected '"
                         << expected << "'";
}

FailureOr<RowValues> rowLengths(Operation *op, const Tensor *tensor,
                                int64_t batch, int64_t full) {
  if (!tensor)
    return RowValues(batch, full);
  if (failed(checkSame(op, "size of lengths", batch, tensor->size())))
    return failure();
  RowValues lengths;
  for (int64_t b = 0; b < batch; ++b) {
    lengths.push_back(tensor->integer(b));
    if (lengths.back() < 0 || lengths.back() > full)
      return op->emitError("length '") << lengths.back() << "' of row '" << b
                                       << "', expected 0 to '" << full << "'";
  }
  return lengths;
}

//===----------------------------------------------------------------------===//
// Interpreter
//===----------------------------------------------------------------------===//

struct Interpreter::Implementation {
  ModuleOp module;
  WeightSource source;
  OpHook hook;
  Noise *noise = nullptr;
  OpTable table;
  std::map<std::pair<std::string, std::string>, SharedTensor> weights;

  FailureOr<SharedTensor> weight(StringRef name, StringRef file,
                                 RankedTensorType type, Location location);
  FailureOr<func::FuncOp> find(StringRef entry);
  LogicalResult runOp(Operation *op, EntryRun &run);
  LogicalResult checkResults(Operation *op, const EntryRun &run);
  void callHook(Operation *op, RowAnalysis &rows, const EntryRun &run);
};

FailureOr<SharedTensor>
Interpreter::Implementation::weight(StringRef name, StringRef file,
                                    RankedTensorType type, Location location) {
  SharedTensor &known = weights[{file.str(), name.str()}];
  if (!known) {
    FailureOr<Tensor> read = source(name, file, type, location);
    if (failed(read))
      return failure();
    known = std::make_shared<const Tensor>(read->rounded());
  }
  if (known->shape() != type.getShape() ||
      known->elementType() != type.getElementType())
    return emitError(location, "weight '")
           << name << "' has another type than " << type;
  return known;
}

FailureOr<func::FuncOp> Interpreter::Implementation::find(StringRef entry) {
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  if (function && function.isPublic() && function.getBody().hasOneBlock())
    return function;
  if (module.lookupSymbol<EntryOp>(entry))
    return module.emitError("entry '")
           << entry << "' is not expanded; run --sinter-expand-entries first";
  return module.emitError("the module has no entry '") << entry << "'";
}

LogicalResult Interpreter::Implementation::checkResults(Operation *op,
                                                        const EntryRun &run) {
  for (Value result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (type &&
        failed(verifyCompatibleShape(type.getShape(), run.get(result).shape())))
      return op->emitError("a result has not the shape of its type ") << type;
  }
  return success();
}

LogicalResult Interpreter::Implementation::runOp(Operation *op, EntryRun &run) {
  StringRef name = op->getName().getStringRef();
  for (Type type : op->getResultTypes())
    if (!isReferenceElementType(getElementTypeOrSelf(type)))
      return op->emitError("the reference does not know values of type ")
             << type;
  if (const OpFunction *function = table.find(name)) {
    if (failed((*function)(op, run)))
      return failure();
  } else if (ScalarFunction scalar = lookupScalarFunction(name)) {
    if (failed(applyElementwise(op, scalar, run)))
      return failure();
  } else if (isStructuredOp(op)) {
    if (failed(runStructuredOp(op, run)))
      return failure();
  } else {
    return op->emitError("the reference does not know '") << name << "'";
  }
  return checkResults(op, run);
}

void Interpreter::Implementation::callHook(Operation *op, RowAnalysis &rows,
                                           const EntryRun &run) {
  if (!hook)
    return;
  std::vector<ReferenceValue> results;
  for (Value result : op->getResults())
    results.push_back(
        {std::string(), run.get(result), validityOf(result, rows, run)});
  hook(op, results);
}

Interpreter::Interpreter(ModuleOp module, WeightSource weights)
    : implementation(std::make_unique<Implementation>()) {
  implementation->module = module;
  implementation->source = std::move(weights);
  addAttentionOps(implementation->table);
  addLayerOps(implementation->table);
  addRecurrenceOps(implementation->table);
  addScanOps(implementation->table);
  addPositionOps(implementation->table);
  addShapeOps(implementation->table);
  addStateOps(implementation->table);
  addTensorOps(implementation->table);
}

Interpreter::~Interpreter() = default;

void Interpreter::setHook(OpHook hook) {
  implementation->hook = std::move(hook);
}

void Interpreter::setNoise(Noise *noise) { implementation->noise = noise; }

FailureOr<std::vector<ReferenceValue>>
Interpreter::run(StringRef entry, const llvm::StringMap<Tensor> &inputs,
                 Session &session) {
  FailureOr<func::FuncOp> function = implementation->find(entry);
  if (failed(function))
    return failure();
  auto weights = [&](StringRef name, StringRef file, RankedTensorType type,
                     Location location) {
    return implementation->weight(name, file, type, location);
  };
  RowAnalysis rows(*function);
  EntryRun run(session, weights);
  run.noise = implementation->noise;
  if (failed(bindArguments(*function, inputs, rows, run)))
    return failure();
  Block &body = function->getBody().front();
  run.runOp = [&](Operation *op) {
    auto exact = [&] { return implementation->runOp(op, run); };
    return run.noise ? runWithNoise(op, run, exact) : exact();
  };
  for (Operation &op : body.without_terminator()) {
    if (failed(run.runOp(&op)))
      return failure();
    implementation->callHook(&op, rows, run);
  }
  std::vector<ReferenceValue> results;
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands()))
    results.push_back({resultName(*function, i).str(), run.get(value),
                       validityOf(value, rows, run)});
  session.commit(run.update);
  return results;
}

} // namespace sinter
