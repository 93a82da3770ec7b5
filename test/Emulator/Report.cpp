//===- Report.cpp - What is said of a fault -------------------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "Sanitizers.h"
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

using namespace sinter::emulation;

/// "0-31,64", of ascending numbers.
static std::string ranges(const std::vector<int> &numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1)
      ++end;
    text += (i ? "," : "") + std::to_string(numbers[i]);
    if (end - i > 1)
      text += "-" + std::to_string(numbers[end - 1]);
    i = end;
  }
  return text;
}

static std::string at(Place place) {
  return place.line ? std::string(" at ") + place.file + ":" +
                          std::to_string(place.line)
                    : "";
}

/// Where a thread is: the last collective that it came to, and whether it has
/// gone on.
std::string Block::describe(const Thread &one) const {
  if (one.hasEnded)
    return "ended";
  std::string where = one.what + at(one.place);
  if (&one == current)
    return "running after: " + where +
           (one.access.line ? ", then accessed memory" : "") + at(one.access);
  if (warps[one.index / kLanes].ready >> one.index % kLanes & 1)
    return "ready after: " + where;
  return "waiting for: " + where;
}

void Block::reportThreads() const {
  std::map<std::string, std::vector<int>> groups;
  for (int i = 0; i < threads; ++i)
    groups[describe((*team)[i])].push_back(i);
  for (auto &[where, members] : groups)
    fprintf(stderr, "  %zu threads (%s) %s\n", members.size(),
            ranges(members).c_str(), where.c_str());
}

void Block::fail(const char *message) {
  Quiet quiet;
  fprintf(stderr, "emulator: %s\n  kernel %s, block %d of %d\n", message,
          launch->name, block, blocks);
  reportThreads();
  fflush(nullptr);
  _Exit(kFault);
}

void Block::failAt(Place place, const char *format, ...) {
  Quiet quiet;
  char text[512];
  int length = snprintf(text, sizeof text, "%s:%d: ", place.file, place.line);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + length, sizeof text - length, format, arguments);
  va_end(arguments);
  fail(text);
}
