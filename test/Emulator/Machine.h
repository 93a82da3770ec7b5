//===- Machine.h - The emulator as a kernel sees it -------------*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by primitives.cuh where that is not compiled by NVRTC, and by the
// emulator. A kernel and the emulator may be compiled apart, with different
// sanitizers: they share this header and the variable `sinter_emulator`.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_EMULATOR_MACHINE_H
#define SINTER_EMULATOR_MACHINE_H

#include <cstdint>
#include <cstring>

namespace sinter::emulation {

/// A place in the kernel's text; as a default argument, the caller's.
struct Place {
  const char *file;
  int line;
};
constexpr Place here(const char *file = __builtin_FILE(),
                     int line = __builtin_LINE()) {
  return {file, line};
}

enum class Shuffle { Xor, Down, Index };

/// Copies `bytes`, a multiple of 4. It is code of the kernel's, so that the
/// sanitizers that the kernel is compiled with judge the accesses.
using Move = void (*)(void *to, const void *from, int bytes);

/// The data members describe the thread that is running; the functions act on
/// its behalf. A fault ends the process with a report that names `place`.
/// primitives*.cuh have the rules that each function holds a kernel to.
class Machine {
public:
  int thread = 0, threads = 0, block = 0, blocks = 0;
  unsigned char *shared = nullptr;

  virtual uint64_t shuffle(Shuffle kind, uint64_t value, int operand,
                           Place place) = 0;
  virtual uint32_t ballot(bool vote, Place place) = 0;
  virtual void warpBarrier(Place place) = 0;
  virtual void blockBarrier(Place place) = 0;
  virtual void namedBarrier(int id, int count, bool waits, Place place) = 0;
  virtual void copyAsync(void *shared, const void *global, int bytes,
                         bool valid, Move move, Place place) = 0;
  virtual void copyAsyncCommit() = 0;
  virtual void copyAsyncWait(int pending) = 0;
  /// Shared memory's bounds, that a global access is not in it, alignment.
  virtual void checkAccess(const void *address, int bytes, bool isShared,
                           Place place) = 0;

protected:
  ~Machine() = default;
};

/// What SINTER_KERNEL defines. `parameter` is what cuLaunchKernel is given.
struct Kernel {
  uint64_t magic;
  int threads, blocksPerSm;
  uint64_t argumentBytes;
  Machine **machine;
  void (*run)(void **parameter);
};

/// Differs between versions of this file that do not go together.
constexpr uint64_t kMagic = 0x31656c6e72656b73;

/// `value` as it goes through a shuffle.
template <class T>
T shuffle(Machine &machine, Shuffle kind, T value, int operand, Place place) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "4 or 8 bytes");
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof(T));
  bits = machine.shuffle(kind, bits, operand, place);
  memcpy(&value, &bits, sizeof(T));
  return value;
}

inline void moveWords(void *to, const void *from, int bytes) {
  for (int i = 0; i < bytes / 4; ++i)
    static_cast<uint32_t *>(to)[i] = static_cast<const uint32_t *>(from)[i];
}

} // namespace sinter::emulation

/// Set by who loads the kernel.
extern "C" {
__attribute__((
    weak, visibility("default"))) sinter::emulation::Machine *sinter_emulator;
}

namespace sinter::emulation {
inline Machine &machine() { return *sinter_emulator; }
} // namespace sinter::emulation

#endif // SINTER_EMULATOR_MACHINE_H
