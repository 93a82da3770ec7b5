/*===- cuda_runtime.c - the C API's behaviour on a device -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Freestanding like runtime.c, with which it shares all that looks at numbers
 * and not at the memory of tensors and states. That lies on the device: it is
 * looked at by the entry's first kernel (session.cuh). The driver comes from
 * the application (sinter_cuda.h).
 *===--------------------------------------------------------------------===*/
#include "hash.h"
#include "model.h"
#include "session_program.cuh"
#include "sinter-c/sinter_cuda.h"
#include "sinter-c/sinter_types.h"

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);

#include "basics.inc.c"

#include "cuda_driver.inc.c"

#include "session_layout.inc.c"

#include "cuda_session.inc.c"
#include "weights.inc.c"

#include "cuda_device.inc.c"

#include "copy_caches.inc.c"

#include "cuda_state.inc.c"

#include "check.inc.c"

#include "workspace.inc.c"

#include "cuda_begin.inc.c"

#include "cuda_enter.inc.c"
#include "status.inc.c"

#include "cuda_status.inc.c"
