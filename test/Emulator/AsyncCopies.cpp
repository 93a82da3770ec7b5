//===- AsyncCopies.cpp - A thread's asynchronous copies -------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncCopies.h"
#include "Sanitizers.h"
#include <algorithm>

using namespace sinter::emulation;

static constexpr uint64_t kZeros[2] = {0, 0};
static constexpr uint64_t kNaNs[2] = {~uint64_t(0), ~uint64_t(0)};

// Moves are the kernel's accesses and so not quiet; all else here is.

static void complete(AsyncCopy &copy) {
  copy.move(copy.to, copy.from ? copy.from : kZeros, copy.bytes);
  copy.isDone = true;
}

void AsyncCopies::issue(AsyncCopy copy, const Options &options,
                        Random &random) {
  copy.group = openGroup;
  bool isEager = options.async == Async::Eager ||
                 (options.async == Async::Random && random() % 2);
  if (isEager)
    complete(copy);
  else
    copy.move(copy.to, kNaNs, copy.bytes);
  Quiet quiet;
  copies.push_back(copy);
}

void AsyncCopies::wait(int pending, const Options &options, Random &random) {
  // Groups are in ascending order.
  auto end = std::find_if(copies.begin(), copies.end(), [&](AsyncCopy &copy) {
    return copy.group >= openGroup - pending;
  });
  if (options.order == Order::Reverse)
    std::reverse(copies.begin(), end);
  else if (options.order == Order::Random)
    std::shuffle(copies.begin(), end, random);
  std::for_each(copies.begin(), end, [](AsyncCopy &copy) {
    if (!copy.isDone)
      complete(copy);
  });
  Quiet quiet;
  copies.erase(copies.begin(), end);
}

void AsyncCopies::reset() {
  copies.clear();
  openGroup = 0;
}
