//===- ReferenceModel.cpp - The reference with its tolerances -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Execution/ReferenceModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace llvm;

namespace sinter::execution {

/// Disturbed runs. Their seeds count up from call to call of a session, so
/// tolerances never change from one run of a test to the next.
static constexpr unsigned sampleCount = 8;

namespace {

/// Builders for all results of all ops of one entry, in the order of the ops.
class ValueRecorder {
public:
  void addExact(mlir::Operation *op, ArrayRef<ReferenceValue> results) {
    for (const ReferenceValue &result : results)
      builders.emplace_back(op, ToleranceBuilder(result));
  }
  void startSample() { next = 0; }
  void addSample(ArrayRef<ReferenceValue> results) {
    for (const ReferenceValue &result : results)
      builders[next++].second.add(result);
  }
  std::vector<OpExpectation> take() {
    std::vector<OpExpectation> values;
    for (auto &[op, builder] : builders)
      values.push_back({op, builder.take()});
    return values;
  }

private:
  std::vector<std::pair<mlir::Operation *, ToleranceBuilder>> builders;
  size_t next = 0;
};

} // namespace

/// Adds what the disturbed runs of a call give.
static mlir::LogicalResult addSamples(Interpreter &interpreter, StringRef entry,
                                      const StringMap<Tensor> &inputs,
                                      ReferenceSession &session,
                                      std::vector<ToleranceBuilder> &builders,
                                      ValueRecorder &recorder) {
  uint64_t firstSeed = session.calls * sampleCount;
  for (auto [number, disturbed] : enumerate(session.disturbed)) {
    Noise noise(firstSeed + number);
    interpreter.setNoise(&noise);
    recorder.startSample();
    auto sample = interpreter.run(entry, inputs, disturbed);
    if (failed(sample))
      return failure();
    for (auto [builder, value] : zip_equal(builders, *sample))
      builder.add(value);
  }
  ++session.calls;
  return success();
}

ReferenceModel::ReferenceModel(mlir::ModuleOp module, WeightSource weights)
    : module(module), interpreter(module, std::move(weights)) {}

mlir::FailureOr<ReferenceSession>
ReferenceModel::createSession(const StringMap<int64_t> &dims) {
  mlir::FailureOr<Session> exact = Session::create(module, dims);
  if (failed(exact))
    return failure();
  return ReferenceSession{*exact, std::vector<Session>(sampleCount, *exact), 0};
}

mlir::FailureOr<std::vector<Expectation>>
ReferenceModel::run(StringRef entry, const StringMap<Tensor> &inputs,
                    ReferenceSession &session,
                    std::vector<OpExpectation> *values) {
  ValueRecorder recorder;
  // The interpreter must not keep what refers to this call.
  scope_exit restore([&] {
    interpreter.setNoise(nullptr);
    interpreter.setHook({});
  });
  if (values)
    interpreter.setHook(
        [&](mlir::Operation *op, ArrayRef<ReferenceValue> results) {
          recorder.addExact(op, results);
        });
  interpreter.setNoise(nullptr);
  auto exact = interpreter.run(entry, inputs, session.exact);
  if (failed(exact))
    return failure();
  std::vector<ToleranceBuilder> builders(exact->begin(), exact->end());
  if (values)
    interpreter.setHook(
        [&](mlir::Operation *, ArrayRef<ReferenceValue> results) {
          recorder.addSample(results);
        });
  if (failed(
          addSamples(interpreter, entry, inputs, session, builders, recorder)))
    return failure();
  if (values)
    *values = recorder.take();
  std::vector<Expectation> result;
  for (ToleranceBuilder &builder : builders)
    result.push_back(builder.take());
  return result;
}

} // namespace sinter::execution
