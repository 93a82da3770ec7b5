/*===- cuda_status.inc.c - errors of the driver as sentences -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===--------------------------------------------------------------------===*/

/* The driver's own text. */
static const char *sinter_own_sentence(int64_t kind, int64_t number) {
  const sinter_cuda *driver = sinter_driver();
  const char *text = 0;
  if (kind != SINTER_DEVICE || number < SINTER_DEVICE_ERROR || !driver)
    return 0;
  return driver->cuGetErrorString((int)(number - SINTER_DEVICE_ERROR), &text) ==
                 0
             ? text
             : 0;
}
