//===- GuardedMemory.cpp - Memory with forbidden surroundings -------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuardedMemory.h"
#include "Sanitizers.h"
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

using namespace sinter::emulation;

static constexpr size_t kPage = 4096;
static constexpr unsigned char kFill = 0xff;

static size_t alignTo(size_t bytes, size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

static bool isSanitized() {
  return hasThreadSanitizer() || hasAddressSanitizer();
}

void *sinter::emulation::allocateGuarded(size_t bytes, size_t alignment) {
  if (isSanitized()) {
    void *memory = nullptr;
    if (posix_memalign(&memory, alignment, bytes))
      return nullptr;
    return memset(memory, kFill, bytes);
  }
  size_t used = alignTo(bytes, alignment), pages = alignTo(used, kPage);
  if (used < bytes || pages + 2 * kPage < used)
    return nullptr;
  void *all = mmap(nullptr, pages + 2 * kPage, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED)
    return nullptr;
  char *first = static_cast<char *>(all) + kPage;
  if (pages && mprotect(first, pages, PROT_READ | PROT_WRITE)) {
    munmap(all, pages + 2 * kPage);
    return nullptr;
  }
  return memset(first + pages - used, kFill, used);
}

void sinter::emulation::freeGuarded(void *memory, size_t bytes,
                                    size_t alignment) {
  if (isSanitized()) {
    free(memory);
    return;
  }
  size_t used = alignTo(bytes, alignment), pages = alignTo(used, kPage);
  char *end = static_cast<char *>(memory) + used;
  munmap(end - pages - kPage, pages + 2 * kPage);
}

void sinter::emulation::protectGuarded(void *memory, size_t bytes,
                                       size_t alignment, bool isForbidden) {
  if (isSanitized())
    return;
  size_t used = alignTo(bytes, alignment), pages = alignTo(used, kPage);
  mprotect(static_cast<char *>(memory) + used - pages, pages,
           isForbidden ? PROT_NONE : PROT_READ | PROT_WRITE);
}

bool sinter::emulation::isIntact(const void *memory, size_t bytes,
                                 size_t alignment) {
  if (isSanitized())
    return true;
  auto *first = static_cast<const unsigned char *>(memory);
  return std::all_of(first + bytes, first + alignTo(bytes, alignment),
                     [](unsigned char byte) { return byte == kFill; });
}
