//===- Combination.h - Calls under one choice of dimensions -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TOOLS_SINTERRUN_COMBINATION_H
#define SINTER_TOOLS_SINTERRUN_COMBINATION_H

#include "KernelChecker.h"
#include "RunRequest.h"
#include "sinter/Execution/RandomInputs.h"
#include "sinter/Execution/ReferenceModel.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace sinter::run {

/// Dimensions by name.
using DimMap = llvm::MapVector<llvm::StringRef, int64_t>;

/// A session's capacity may have the name of an entry's dimension, which is at
/// most that; `NAME.capacity` then tells them apart.
int64_t capacityOf(const DimMap &dims, llvm::StringRef name);
/// The values of the dimensions of an entry or of the session.
llvm::SmallVector<int64_t>
valuesOf(const DimMap &dims, llvm::ArrayRef<execution::DimManifest> wanted,
         bool isSession);

/// One way to run: a loaded model.
struct Variant {
  std::string label; ///< "x86-64-v3"
  execution::LoadedModel *model = nullptr;
  const void *weights = nullptr;
  bool lacksInstructions = false; ///< found out at the first call
  KernelTable kernels;            ///< for compareEach
};

/// How close all comparisons of one value were.
struct Closeness {
  int64_t compared = 0;
  double worstRatio = 0;
};

/// What all combinations share.
struct Setup {
  const RunRequest *request = nullptr;
  mlir::MLIRContext *context = nullptr;
  execution::Manifest manifest;
  std::vector<const execution::EntryManifest *> entries;
  std::vector<Variant> variants; ///< empty: only the reference runs
  execution::ReferenceModel *reference = nullptr; ///< null: not wanted
  llvm::StringMap<Tensor> inputs;                 ///< see findValue
  llvm::StringMap<Tensor> expected;               ///< see findValue
  llvm::StringSet<> masks;
  std::map<std::string, Closeness> closeness;
  int64_t calls = 0;
  /// For compareEach: the reference's operations, numbered.
  std::vector<mlir::Operation *> ops;
  int64_t kernelElements = 0; ///< compared at kernel boundaries
};

/// The inputs that are given for an entry.
llvm::StringMap<Tensor> inputsOf(const Setup &setup,
                                 const execution::EntryManifest &entry);

/// The sessions of one combination of dimensions, and its calls.
class Combination {
public:
  Combination(Setup &setup, const DimMap &dims, uint64_t seed)
      : setup(setup), request(*setup.request), dims(dims), seed(seed) {}

  /// Makes the sessions and all calls; returns the exit code.
  int run();

  /// The results of each entry's last call, as "TENSOR" (of the last entry
  /// that has it) and as "ENTRY.TENSOR".
  llvm::StringMap<Tensor> results;

private:
  /// A session of one variant with one number of workers, or on a device with
  /// one alignment of tensors.
  struct Lane {
    Variant *variant;
    std::unique_ptr<execution::Workers> workers; ///< null: serial
    std::unique_ptr<execution::CompiledSession> session;
    int32_t threads;
    bool alignsTensors = false;

    std::string describe() const;
  };
  enum class Outcome { Good, Full, Failed };

  int createSessions();
  int createLanes(llvm::ArrayRef<int64_t> sessionDims);
  Outcome call(const execution::EntryManifest &entry, unsigned number);
  void keepResults(const execution::EntryManifest &entry,
                   llvm::ArrayRef<execution::CallResult> called);
  Outcome callLanes(const execution::EntryManifest &entry,
                    llvm::ArrayRef<int64_t> values,
                    const llvm::StringMap<Tensor> &inputs,
                    llvm::ArrayRef<execution::OpExpectation> inner,
                    std::vector<execution::CallResult> &called);
  execution::CallResult
  callLane(Lane &lane, const execution::EntryManifest &entry,
           llvm::ArrayRef<int64_t> values,
           const llvm::StringMap<Tensor> &inputs,
           llvm::ArrayRef<execution::OpExpectation> inner);
  std::vector<execution::OpExpectation>
  innerValues(const execution::EntryManifest &entry,
              const llvm::StringMap<Tensor> &inputs);
  Outcome checkStatus(const Lane &lane, const execution::EntryManifest &entry,
                      const execution::CallResult &result, sinter_status first);
  bool referenceRefuses(const execution::EntryManifest &entry,
                        const llvm::StringMap<Tensor> &inputs);
  /// Sets dimensions that are extents of states as the session stands; false
  /// after an error: compiled code has others than the reference.
  bool addCurrent(const execution::EntryManifest &entry,
                  llvm::SmallVectorImpl<int64_t> &values);

  // CompareResults.cpp
  Outcome checkReference(const execution::EntryManifest &entry,
                         const llvm::StringMap<Tensor> &inputs,
                         llvm::ArrayRef<execution::CallResult> called);
  bool compareResults(const Lane &lane, const execution::EntryManifest &entry,
                      llvm::ArrayRef<execution::Expectation> expected,
                      const execution::CallResult &result);
  bool compareExpected(const Lane &lane, const execution::EntryManifest &entry,
                       execution::Expectation expectation,
                       const Tensor &actual);
  bool compareCursors(const Lane &lane, const execution::EntryManifest &entry);
  bool compareThreads(const execution::EntryManifest &entry,
                      llvm::ArrayRef<execution::CallResult> called);
  void noteCloseness(const Lane &lane, const execution::EntryManifest &entry,
                     const std::string &name,
                     const execution::Comparison &comparison);

  Outcome differ(const Lane *lane, const execution::EntryManifest &entry,
                 const llvm::Twine &what);
  std::string place(const Lane *lane,
                    const execution::EntryManifest &entry) const;

  Setup &setup;
  const RunRequest &request;
  const DimMap &dims;
  uint64_t seed;
  unsigned callNumber = 0;
  std::vector<Lane> lanes;
  std::optional<execution::ReferenceSession> session;
  int code = 0;
};

} // namespace sinter::run

#endif // SINTER_TOOLS_SINTERRUN_COMBINATION_H
