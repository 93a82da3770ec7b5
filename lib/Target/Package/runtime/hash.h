/*===- hash.h - the hash of weights, layouts and interfaces -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Shared by the runtime (C) and the compiler (C++): both must give the same
 * number. Four lanes, each step a bijection of the word that it takes in, so a
 * change of any one word changes the hash. Not cryptographic. Little-endian.
 *===--------------------------------------------------------------------===*/
#ifndef SINTER_RUNTIME_HASH_H
#define SINTER_RUNTIME_HASH_H

#include <stdint.h>

static inline uint64_t sinter_hash_mix(uint64_t x) {
  x = (x ^ (x >> 32)) * UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ (x >> 29)) * UINT64_C(0xd1342543de82ef95);
  return x ^ (x >> 32);
}

static inline void sinter_hash_block(uint64_t lanes[4],
                                     const unsigned char *bytes) {
  for (int i = 0; i < 4; i++) {
    uint64_t word;
    __builtin_memcpy(&word, bytes + 8 * i, 8);
    uint64_t x = (lanes[i] ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    lanes[i] = (x << 29) | (x >> 35);
  }
}

static inline uint64_t sinter_hash(const unsigned char *bytes, uint64_t size) {
  uint64_t lanes[4] = {size, size + 1, size + 2, size + 3};
  uint64_t at = 0;
  for (; size - at >= 32; at += 32)
    sinter_hash_block(lanes, bytes + at);
  if (at < size) {
    unsigned char tail[32] = {0};
    for (uint64_t i = 0; i < size - at; i++)
      tail[i] = bytes[at + i];
    sinter_hash_block(lanes, tail);
  }
  uint64_t hash = 0;
  for (int i = 0; i < 4; i++)
    hash = sinter_hash_mix(hash ^ lanes[i]);
  return hash;
}

#endif /* SINTER_RUNTIME_HASH_H */
