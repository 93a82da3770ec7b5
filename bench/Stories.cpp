//===- Stories.cpp - Greedy decoding of a small LLaMA ---------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"
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

/// How docs/examples/stories/expected.txt, which llama2.c told, begins: "Once
/// upon a time, there was a little girl named Lily. She loved to play outside
/// in the park."
constexpr int32_t kStory[] = {403, 407, 261, 378, 432, 383, 286, 261,
                              376, 298, 315, 421, 395, 317, 426, 338,
                              401, 396, 267, 337, 410, 408, 419, 292,
                              411, 322, 265, 282, 295, 433, 426};

/// 200 greedy steps from BOS; the limit is a plain read of the weights per
/// token.
template <typename Session>
void stories(benchmark::State &state, const Api<Session> &api, int lanes) {
  if (lacks(state, lanes))
    return;
  constexpr int kSteps = 200, kVocabulary = 512;
  constexpr size_t kWeights = 1056 * 1024 / 4;
  Buffer<float> weights(kWeights), logits(kVocabulary);
  fillUniform(weights);
  Buffer<char> memory(api.sessionSize(1, 512));
  Buffer<char> workspace(api.workspaceSize(1, 1));
  Session *session = nullptr;
  if (api.sessionInit(memory.get(), memory.size(), 1, 512, &session) < 0)
    return state.SkipWithError("the session could not be made");
  std::vector<int32_t> tokens(kSteps);
  auto tell = [&] {
    int32_t token = 1;
    if (api.truncate(session, -1, 0) < 0)
      return false;
    for (int32_t &next : tokens) {
      if (api.decode(session, nullptr, workspace.get(), workspace.size(),
                     nullptr, &token, logits.get()) < 0)
        return false;
      token = next =
          int32_t(std::max_element(logits.get(), logits.get() + kVocabulary) -
                  logits.get());
    }
    return true;
  };
  auto check = [&]() -> std::string {
    for (size_t i = 0; i < std::size(kStory); ++i)
      if (tokens[i] != kStory[i])
        return "token " + std::to_string(i) + " is " +
               std::to_string(tokens[i]) + ", not " + std::to_string(kStory[i]);
    return {};
  };
  measure(state, {[&] { return secondsToRead(weights, kSteps); }, tell, check});
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
