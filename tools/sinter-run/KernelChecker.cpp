//===- KernelChecker.cpp - Compares at kernel boundaries -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelChecker.h"

using namespace llvm;

namespace sinter::run {

KernelChecker::KernelChecker(const EntryLaunches &launches,
                             ArrayRef<mlir::Operation *> ops,
                             ArrayRef<execution::OpExpectation> values,
                             function_ref<int64_t(StringRef)> dimension)
    : launches(launches), ops(ops), dimension(dimension) {
  for (const execution::OpExpectation &value : values)
    expectations[value.op].push_back(&value.value);
  auto lookup = [&](StringRef name) {
    return static_cast<uint64_t>(dimension(name));
  };
  uint64_t at = launches.prefixBytes.evaluate(lookup).value_or(0);
  for (const package::SizeExpr &bytes : launches.slotBytes) {
    slotOffsets.push_back(at);
    at += bytes.alignTo(64).evaluate(lookup).value_or(0);
  }
}

void KernelChecker::start(char *memory, ArrayRef<void *> addresses,
                          ArrayRef<Shape> shapes) {
  workspace = memory;
  tensors.assign(addresses.begin(), addresses.end());
  tensorShapes.assign(shapes.begin(), shapes.end());
}

Shape KernelChecker::shapeOf(const KernelStore &store) const {
  if (store.shape.empty() && store.tensor >= 0)
    return tensorShapes[store.tensor];
  Shape shape;
  for (const execution::ExtentManifest &extent : store.shape)
    shape.push_back(extent.name.empty() ? extent.value
                                        : dimension(extent.name));
  return shape;
}

char *KernelChecker::addressOf(const KernelStore &store) const {
  return store.slot >= 0 ? workspace + slotOffsets[store.slot]
                         : static_cast<char *>(tensors[store.tensor]);
}

/// Whether both are the same elements in the same order, as far as the shapes
/// tell: equal but for dimensions that are split or joined.
static bool isReshape(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  if (elementCount(a) != elementCount(b))
    return false;
  // The first dimensions, batch and time, are never joined.
  size_t common = std::min<size_t>({a.size(), b.size(), 2});
  return a.take_front(common) == b.take_front(common) &&
         (a == b || a.size() != b.size());
}

void KernelChecker::check(const KernelLaunch &launch,
                          const KernelStore &store) {
  Shape shape = shapeOf(store);
  const char *address = addressOf(store);
  std::optional<Finding> wrong;
  for (unsigned number : store.candidates)
    for (const execution::Expectation *expected : expectations[ops[number]]) {
      ArrayRef<int64_t> wanted = expected->value.shape();
      mlir::Type type = expected->value.elementType();
      if (!type.isF32() || !isReshape(shape, wanted))
        continue;
      ArrayRef<char> bytes(address, elementCount(wanted) * 4);
      execution::Comparison comparison =
          compare(*expected, *Tensor::fromBytes(wanted, type, bytes));
      if (comparison.agrees()) {
        comparedCount += comparison.compared;
        return;
      }
      if (!wrong)
        wrong = Finding{ops[number], launch.kernel, comparison};
    }
  first = wrong;
}

void KernelChecker::finishKernel() {
  if (next >= launches.launches.size())
    return;
  const KernelLaunch &launch = launches.launches[next];
  if (next++ == corruptLaunch && !launch.stores.empty())
    addressOf(launch.stores.front())[3] ^= 0x40; // the exponent's highest bit
  for (const KernelStore &store : launch.stores)
    if (!first)
      check(launch, store);
}

} // namespace sinter::run
