/*===- runtime.c - the C API's behaviour, one translation unit -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Freestanding: calls nothing but memcpy, memmove and memset. Compiled to
 * bitcode when Sinter is built and linked into every model, where it is driven
 * by the model's constant tables. Everything here runs on any x86-64.
 *===--------------------------------------------------------------------===*/
#include "hash.h"
#include "model.h"
#include "sinter-c/sinter_types.h"

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);

#include "basics.inc.c"

#include "cpu.inc.c"
#include "launch.inc.c"

#include "session_layout.inc.c"

#include "session.inc.c"
#include "weights.inc.c"

#include "state.inc.c"

#include "copy_caches.inc.c"

#include "copy_row.inc.c"

#include "check.inc.c"

#include "check_memory.inc.c"
#include "workspace.inc.c"

#include "enter.inc.c"
#include "status.inc.c"

static const char *sinter_own_sentence(int64_t kind, int64_t number) {
  (void)kind, (void)number;
  return 0;
}
