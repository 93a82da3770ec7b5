//===- Stories.cpp - Greedy decoding of a small LLaMA ---------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Limits.h"
#include "Measure.h"
#include "stories_v3.h"
#include "stories_v4.h"

using namespace sinter::bench;

namespace {

/// What the benchmark calls of one level's object.
template <typename Session> struct Api {
  size_t (*sessionSize)(int64_t, int64_t);
  sinter_status (*sessionInit)(void *, size_t, int64_t, int64_t, Session **);
  size_t (*workspaceSize)(int64_t, int32_t);
  sinter_status (*decode)(Session *, const sinter_exec *, void *, size_t,
                          const int64_t *, const int32_t *, float *);
  sinter_status (*truncate)(Session *, int64_t, int64_t);
};

/// 200 greedy steps from BOS; the limit is a plain read of the weights per
/// token.
template <typename Session>
void stories(benchmark::State &state, const Api<Session> &api, int lanes) {
  if (lanes == 16 && !hasV4())
    return state.SkipWithError("this processor has no AVX-512");
  constexpr int kSteps = 200, kVocabulary = 512;
  constexpr size_t kWeights = 1056 * 1024 / 4;
  Buffer<float> weights(kWeights), logits(kVocabulary);
  fillUniform(weights);
  Buffer<char> memory(api.sessionSize(1, 512));
  Buffer<char> workspace(api.workspaceSize(1, 1));
  Session *session = nullptr;
  if (api.sessionInit(memory.get(), memory.size(), 1, 512, &session) < 0)
    return state.SkipWithError("the session could not be made");
  measure(
      state,
      [&] {
        double start = cpuSeconds();
        for (int i = 0; i < 50; ++i)
          readAll(weights.get(), weights.size());
        return (cpuSeconds() - start) * kSteps / 50;
      },
      [&] {
        int32_t token = 1;
        if (api.truncate(session, -1, 0) < 0)
          state.SkipWithError("the session could not be emptied");
        for (int step = 0; step < kSteps; ++step) {
          if (api.decode(session, nullptr, workspace.get(), workspace.size(),
                         nullptr, &token, logits.get()) < 0)
            state.SkipWithError("the call failed");
          token = int32_t(
              std::max_element(logits.get(), logits.get() + kVocabulary) -
              logits.get());
        }
      });
  state.counters["tokens/s"] = benchmark::Counter(
      kSteps * double(state.iterations()), benchmark::Counter::kIsRate);
}

#define STORIES(level, lanes)                                                  \
  void stories_##level(benchmark::State &state) {                              \
    stories<stories_##level##_session>(                                        \
        state,                                                                 \
        {stories_##level##_session_size, stories_##level##_session_init,       \
         stories_##level##_decode_workspace_size, stories_##level##_decode,    \
         stories_##level##_session_truncate},                                  \
        lanes);                                                                \
  }                                                                            \
  BENCHMARK(stories_##level)->UseManualTime()->Unit(benchmark::kMillisecond)

STORIES(v4, 16);
STORIES(v3, 8);

} // namespace
