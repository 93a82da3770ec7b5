//===- KernelRunner.h - Runs kernels of the fused dialect -------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TEST_UNIT_CONVERSION_KERNELRUNNER_H
#define SINTER_TEST_UNIT_CONVERSION_KERNELRUNNER_H

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/MLIRContext.h"

#include <cstdint>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace sinter::test {

/// ISA levels that this machine can run.
std::vector<std::string> runnableLevels();

/// A module of `fused.kernel` ops, compiled for one level and loaded.
class KernelRunner {
public:
  KernelRunner(llvm::StringRef source, llvm::StringRef cpu);

  bool loaded() const { return engine != nullptr; }
  /// Runs all steps, and the tasks of each from the last to the first: no task
  /// may rely on another.
  void run(llvm::StringRef kernel, std::vector<int64_t> arguments);

private:
  void *function(const std::string &name);

  mlir::MLIRContext context;
  std::unique_ptr<mlir::ExecutionEngine> engine;
};

/// The module of a map that applies `op` to all pairs of two vectors of `type`.
std::string pairsText(llvm::StringRef op, llvm::StringRef type);

/// `op` of all pairs of `values`, [i, j] for the i-th and the j-th; empty if it
/// does not compile.
template <typename T>
std::vector<T> runPairs(llvm::StringRef op, llvm::StringRef type,
                        std::vector<T> values, llvm::StringRef cpu) {
  KernelRunner runner(pairsText(op, type), cpu);
  if (!runner.loaded())
    return {};
  auto n = static_cast<int64_t>(values.size());
  std::vector<T> result(n * n);
  auto address = reinterpret_cast<int64_t>(values.data());
  runner.run("f", {address, n, address, n,
                   reinterpret_cast<int64_t>(result.data()), n, n});
  return result;
}

/// An array on a 64-byte boundary (plus `shift` elements) with guards that no
/// kernel may touch.
template <typename T> class Buffer {
public:
  explicit Buffer(size_t size, size_t shift = 0)
      : storage(size + 2 * guard + 64, T(77)), size(size) {
    auto address = reinterpret_cast<uintptr_t>(storage.data() + guard);
    first = reinterpret_cast<T *>((address + 63) & ~uintptr_t(63)) + shift;
  }
  T &operator[](size_t i) { return first[i]; }
  T *data() { return first; }
  operator int64_t() { return reinterpret_cast<int64_t>(first); }
  bool guardsHold() const {
    for (size_t i = 0; i < guard / 2; ++i)
      if (first[-1 - int64_t(i)] != T(77) || first[size + i] != T(77))
        return false;
    return true;
  }

private:
  static constexpr size_t guard = 64;
  std::vector<T> storage;
  size_t size;
  T *first;
};

/// A caller's array as unkind as it may be: aligned to an element only, and
/// memory ends with it, so that a read or write past the end faults.
template <typename T> class Fenced {
public:
  explicit Fenced(size_t size);
  Fenced(const Fenced &) = delete;
  ~Fenced() { munmap(mapping, bytes); }
  T &operator[](size_t i) { return first[i]; }
  T *data() { return first; }
  operator int64_t() { return reinterpret_cast<int64_t>(first); }

private:
  void *mapping;
  size_t bytes;
  T *first;
};

template <typename T> Fenced<T>::Fenced(size_t size) {
  size_t page = size_t(sysconf(_SC_PAGESIZE));
  size_t used = (size * sizeof(T) + page - 1) / page * page;
  bytes = used + page;
  mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char *fence = static_cast<char *>(mapping) + used;
  if (mapping == MAP_FAILED || mprotect(fence, page, PROT_NONE) != 0)
    llvm::report_fatal_error("no memory for a fenced array");
  first = reinterpret_cast<T *>(fence) - size;
}

/// Numbers in [-1, 1), the same in every run.
class Numbers {
public:
  float next() {
    state = state * 1664525u + 1013904223u;
    return float(int32_t(state) >> 8) / float(1 << 23);
  }
  template <typename Array> void fill(Array &buffer, size_t size) {
    for (size_t i = 0; i < size; ++i)
      buffer[i] = next();
  }

private:
  uint32_t state = 1;
};

} // namespace sinter::test

#endif // SINTER_TEST_UNIT_CONVERSION_KERNELRUNNER_H
