//===- CompareResults.cpp - Results of calls against others -----*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combination.h"
#include "Report.h"
#include "Values.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace llvm;

namespace sinter::run {

using execution::CallResult;
using execution::EntryManifest;
using execution::Expectation;

/// Whether two results have the same bits. One NaN is as good as another: which
/// operand's bits a sum hands on is the instruction's choice.
static bool haveSameBits(const Tensor &a, const Tensor &b) {
  if (a.toBytes() == b.toBytes())
    return true;
  if (!a.isFloat() || a.size() != b.size())
    return false;
  return all_of(seq(a.size()), [&](int64_t i) {
    double x = a.real(i), y = b.real(i);
    return bit_cast<uint64_t>(x) == bit_cast<uint64_t>(y) ||
           (std::isnan(x) && std::isnan(y));
  });
}

bool Combination::compareThreads(const EntryManifest &entry,
                                 ArrayRef<CallResult> called) {
  for (size_t i = 1; i < lanes.size(); ++i) {
    if (lanes[i].variant != lanes[i - 1].variant)
      continue;
    for (auto [number, a, b] :
         enumerate(called[i - 1].outputs, called[i].outputs))
      if (!haveSameBits(a, b)) {
        differ(&lanes[i], entry,
               "result " + Twine(number) + " has other bits than with " +
                   lanes[i - 1].describe());
        return false;
      }
  }
  return true;
}

Combination::Outcome
Combination::checkReference(const EntryManifest &entry,
                            const StringMap<Tensor> &inputs,
                            ArrayRef<CallResult> called) {
  auto expected = setup.reference->run(entry.name, inputs, *session);
  if (failed(expected)) {
    code = ExitDiagnosed;
    return Outcome::Failed;
  }
  if (lanes.empty())
    for (const Expectation &value : *expected)
      results[value.name] = results[entry.name + "." + value.name] =
          value.value;
  for (auto [lane, result] : zip_equal(lanes, called))
    if (!lane.variant->lacksInstructions &&
        (!compareResults(lane, entry, *expected, result) ||
         !compareCursors(lane, entry)))
      return Outcome::Failed;
  return Outcome::Good;
}

void Combination::noteCloseness(const Lane &lane, const EntryManifest &entry,
                                const std::string &name,
                                const execution::Comparison &comparison) {
  Closeness &closeness =
      setup.closeness[lane.variant->label + " " + entry.name + " " + name];
  closeness.compared += comparison.compared;
  closeness.worstRatio = std::max(closeness.worstRatio, comparison.worstRatio);
}

bool Combination::compareResults(const Lane &lane, const EntryManifest &entry,
                                 ArrayRef<Expectation> expected,
                                 const CallResult &result) {
  for (auto [expectation, actual] : zip_equal(expected, result.outputs)) {
    if (expectation.value.shape() != actual.shape()) {
      differ(&lane, entry, "'" + expectation.name + "' has another shape");
      return false;
    }
    execution::Comparison comparison = compare(expectation, actual);
    noteCloseness(lane, entry, expectation.name, comparison);
    if (!comparison.agrees()) {
      differ(&lane, entry,
             "'" + expectation.name + "': " + comparison.describe());
      return false;
    }
    if (!compareExpected(lane, entry, expectation, actual))
      return false;
  }
  return true;
}

/// Under the tolerance that holds for the reference's value: an expectation is
/// a statement about the same exact result.
bool Combination::compareExpected(const Lane &lane, const EntryManifest &entry,
                                  Expectation expectation,
                                  const Tensor &actual) {
  const Tensor *expected =
      findValue(setup.expected, entry.name, expectation.name);
  if (!expected || request.hasTolerance ||
      expected->shape() != actual.shape() ||
      expected->elementType() != actual.elementType())
    return true;
  expectation.value = *expected;
  execution::Comparison comparison = compare(expectation, actual);
  noteCloseness(lane, entry, expectation.name + " as expected", comparison);
  if (!comparison.agrees())
    differ(&lane, entry,
           "'" + expectation.name +
               "' is not as expected: " + comparison.describe());
  return comparison.agrees();
}

bool Combination::compareCursors(const Lane &lane, const EntryManifest &entry) {
  for (StringRef name : setup.manifest.cursors) {
    const RowValues *rows = session->exact.cursor(name);
    for (auto [row, expected] : enumerate(*rows)) {
      int64_t actual = lane.session->length(name, row);
      if (actual == expected)
        continue;
      differ(&lane, entry,
             "cursor '" + name + "' of row " + Twine(row) + " is " +
                 Twine(actual) + ", expected " + Twine(expected));
      return false;
    }
  }
  return true;
}

} // namespace sinter::run
