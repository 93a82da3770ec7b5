//===- Measure.h - A kernel and its limit, interleaved ----------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every benchmark alternates short shots of the kernel and of its limit on one
// thread and reports, beside the time, the median of their ratios. Thread CPU
// time is used, so that other processes on the core do not count.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_BENCH_MEASURE_H
#define SINTER_BENCH_MEASURE_H

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace sinter::bench {

/// 64-byte aligned memory, freed with its owner.
template <typename T> class Buffer {
public:
  explicit Buffer(size_t count)
      : memory(std::aligned_alloc(64, (count * sizeof(T) + 63) / 64 * 64)),
        count(count) {}
  ~Buffer() { std::free(memory); }
  Buffer(const Buffer &) = delete;
  T *get() { return static_cast<T *>(memory); }
  T &operator[](size_t i) { return get()[i]; }
  size_t size() const { return count; }

private:
  void *memory;
  size_t count;
};

/// Fills with uniform numbers in [-scale, scale], always the same.
inline void fillUniform(Buffer<float> &buffer, float scale = 1.0f) {
  std::minstd_rand generator(1);
  std::uniform_real_distribution<float> uniform(-scale, scale);
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

/// Alternates `limit` and `work`; `limit` returns how many seconds the same
/// work takes at the physical limit, going by what it has just measured.
/// Counter `of_limit`: median of limit seconds / work seconds.
inline void measure(benchmark::State &state,
                    const std::function<double()> &limit,
                    const std::function<void()> &work) {
  std::vector<double> ratios;
  work();
  for (auto _ : state) {
    double atLimit = limit();
    double start = cpuSeconds();
    work();
    double seconds = cpuSeconds() - start;
    state.SetIterationTime(seconds);
    ratios.push_back(atLimit / seconds);
  }
  state.counters["of_limit"] = median(std::move(ratios));
}

} // namespace sinter::bench

#endif // SINTER_BENCH_MEASURE_H
