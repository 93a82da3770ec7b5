//===- Measure.h - A kernel and its limit, interleaved ----------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every benchmark alternates short shots of the kernel and of its limit on one
// thread and reports, beside the time, the median of their ratios. Thread CPU
// time is used, so that other processes on the core do not count. Before it
// times anything, it checks the kernel's result.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_BENCH_MEASURE_H
#define SINTER_BENCH_MEASURE_H

#include "Limits.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace sinter::bench {

/// 64-byte aligned memory, freed with its owner. All its bits are set at first
/// (floats are NaN), so that no result of an earlier benchmark is in it.
template <typename T> class Buffer {
public:
  explicit Buffer(size_t count)
      : memory(std::aligned_alloc(64, (count * sizeof(T) + 63) / 64 * 64)),
        count(count) {
    std::memset(memory, 0xff, count * sizeof(T));
  }
  ~Buffer() { std::free(memory); }
  Buffer(const Buffer &) = delete;
  T *get() { return static_cast<T *>(memory); }
  T &operator[](size_t i) { return get()[i]; }
  size_t size() const { return count; }

private:
  void *memory;
  size_t count;
};

/// Fills with uniform numbers in [-1, 1], always the same for a seed.
inline void fillUniform(Buffer<float> &buffer, unsigned seed = 1) {
  std::minstd_rand generator(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (size_t i = 0; i < buffer.size(); ++i)
    buffer[i] = uniform(generator);
}

inline double cpuSeconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

inline double median(std::vector<double> values) {
  auto middle = values.begin() + long(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Seconds that `flops` operations take at the multiply-add peak of vectors of
/// `lanes`, as it is just now.
inline double secondsAtPeak(int lanes, double flops) {
  double start = cpuSeconds();
  double done = spinFma(lanes);
  return (cpuSeconds() - start) * flops / done;
}

/// Seconds that `reads` plain reads of `data` take just now. They should be as
/// many as the work makes: the first finds the data in a farther cache than the
/// rest, for either.
inline double secondsToRead(Buffer<float> &data, int reads) {
  double start = cpuSeconds();
  for (int i = 0; i < reads; ++i)
    readAll(data.get(), data.size());
  return cpuSeconds() - start;
}

/// What is measured. `limit` returns how many seconds the same work takes at
/// the physical limit, going by what it has just measured; `run` does the work
/// and returns false if a call fails; `check` returns what is wrong with the
/// result, empty if nothing.
struct Subject {
  std::function<double()> limit;
  std::function<bool()> run;
  std::function<std::string()> check;
};

/// Checks, then alternates `limit` and `run`. Counter `of_limit`: median of
/// limit seconds / work seconds.
inline void measure(benchmark::State &state, const Subject &subject) {
  if (!subject.run())
    return state.SkipWithError("the call failed");
  if (std::string wrong = subject.check(); !wrong.empty())
    return state.SkipWithError(wrong.c_str());
  std::vector<double> ratios;
  for (auto _ : state) {
    double atLimit = subject.limit();
    double start = cpuSeconds();
    bool good = subject.run();
    double seconds = cpuSeconds() - start;
    if (!good) {
      state.SkipWithError("the call failed");
      return;
    }
    state.SetIterationTime(seconds);
    ratios.push_back(atLimit / seconds);
  }
  state.counters["of_limit"] = median(std::move(ratios));
}

/// True, and the benchmark ended, if the processor has no vectors of `lanes`.
inline bool lacks(benchmark::State &state, int lanes) {
  if (lanes != 16 || hasV4())
    return false;
  state.SkipWithError("this processor has no AVX-512");
  return true;
}

} // namespace sinter::bench

#endif // SINTER_BENCH_MEASURE_H
