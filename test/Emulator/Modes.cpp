//===- Modes.cpp - One launch in every mode -------------------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that a launch does is in device memory. So where each launch of a program
// leaves the same bits in two modes, the program does.
//
//===----------------------------------------------------------------------===//

#include "Modes.h"
#include "FakeDriver.h"
#include "Sanitizers.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

using namespace sinter::emulation;

static const char *const kModes[] = {
    "schedule=lowest,async=lazy,order=issue",
    "schedule=lowest,async=eager,order=issue",
    "schedule=highest,async=lazy,order=reverse",
    "schedule=highest,async=eager,order=issue",
    "schedule=random,async=lazy,order=random",
    "schedule=random,async=eager,order=issue",
};

static unsigned char *pointer(uint64_t address) {
  return reinterpret_cast<unsigned char *>(address);
}

namespace {
/// What stood in all device memory.
class Image {
public:
  void save() {
    Quiet quiet;
    size_t size = 0;
    for (auto [address, count] : driver().memory)
      size += count;
    bytes.resize(size);
    unsigned char *to = bytes.data();
    for (auto [address, count] : driver().memory) {
      memcpy(to, pointer(address), count);
      to += count;
    }
  }

  void restore() const {
    Quiet quiet;
    const unsigned char *from = bytes.data();
    for (auto [address, count] : driver().memory) {
      memcpy(pointer(address), from, count);
      from += count;
    }
  }

  /// The first place where memory differs now; empty if there is none.
  std::string describeDifference() const {
    Quiet quiet;
    const unsigned char *saved = bytes.data();
    for (auto [address, count] : driver().memory) {
      if (memcmp(saved, pointer(address), count))
        return describeDifference(saved, pointer(address), count);
      saved += count;
    }
    return "";
  }

private:
  static std::string describeDifference(const unsigned char *saved,
                                        const unsigned char *now,
                                        size_t count) {
    size_t at = 0;
    while (saved[at] == now[at])
      ++at;
    at -= at % 4;
    uint32_t before = 0, after = 0;
    size_t width = count - at < 4 ? count - at : 4;
    memcpy(&before, saved + at, width);
    memcpy(&after, now + at, width);
    char text[128];
    snprintf(text, sizeof text,
             "at byte %zu of the %zu bytes at %p: %08x, then %08x", at, count,
             static_cast<const void *>(now), before, after);
    return text;
  }

  std::vector<unsigned char> bytes;
};
} // namespace

/// Names a launch's kernel and size: its blocks and extents, which are the
/// arguments too small for addresses.
static std::vector<uint64_t> sizeOf(const Launch &launch) {
  std::vector<uint64_t> size = {static_cast<uint64_t>(launch.blocks)};
  auto *arguments = static_cast<const unsigned char *>(launch.parameters[0]);
  for (uint64_t at = 0; at + 8 <= launch.kernel->argumentBytes; at += 8) {
    uint64_t slot = 0;
    memcpy(&slot, arguments + at, sizeof slot);
    if (slot >> 32 == 0)
      size.push_back(slot);
  }
  return size;
}

bool sinter::emulation::takesAllModes(const Launch &launch,
                                      const Options &options) {
  // Two steps of a recurrence with two phases.
  constexpr int firstLaunches = 4;
  if (options.modes != Modes::First)
    return options.modes == Modes::All;
  Quiet quiet;
  static std::map<std::pair<std::string, std::vector<uint64_t>>, int> launches;
  return launches[{launch.name, sizeOf(launch)}]++ < firstLaunches;
}

void sinter::emulation::runInAllModes(const Launch &launch,
                                      const Options &options) {
  // Kept from launch to launch, since there are many.
  static Image before, first;
  static uint64_t number = 0;
  uint64_t seed = options.seed + number++;
  before.save();
  for (const char *mode : kModes) {
    Options varied = options;
    varied.parse(mode);
    varied.seed = seed;
    if (mode != kModes[0])
      before.restore();
    run(launch, varied);
    checkMemory(launch.name);
    if (mode == kModes[0]) {
      first.save();
      continue;
    }
    std::string difference = first.describeDifference();
    if (difference.empty())
      continue;
    fprintf(stderr,
            "emulator: kernel %s leaves other bits with %s,seed=%llu than with "
            "%s\n  %s\n",
            launch.name, mode, static_cast<unsigned long long>(seed), kModes[0],
            difference.c_str());
    fflush(nullptr);
    _Exit(kFault);
  }
}
