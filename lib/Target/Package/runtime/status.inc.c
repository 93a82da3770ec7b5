/*===- status.inc.c - statuses as sentences, kernel names -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===--------------------------------------------------------------------===*/

static const char *sinter_kind_string(int64_t kind) {
  switch (kind) {
  case SINTER_ARGUMENT:
    return "a wrong argument";
  case SINTER_DIMENSION:
    return "a dimension is out of range";
  case SINTER_INDEX:
    return "an index is out of range";
  case SINTER_FULL:
    return "the cache is full";
  case SINTER_MEMORY:
    return "memory is too small or not aligned";
  case SINTER_WEIGHTS:
    return "not this model's weights";
  case SINTER_SESSION:
    return "not a session of this model";
  case SINTER_CPU:
    return "the processor lacks instructions";
  default:
    return "not a status of this model";
  }
}

const char *sinter_status_string(const struct sinter_model *model,
                                 int32_t status) {
  if (status == SINTER_OK)
    return "done";
  uint32_t magnitude = status < 0 ? 0u - (uint32_t)status : (uint32_t)status;
  int64_t kind = magnitude & 255, number = magnitude >> 8;
  int notice = number == SINTER_CHECK_NOTICE_CLAMPED;
  if (number > 0 && number < model->check_count &&
      model->checks[number].kind == kind && notice == (status > 0))
    return model->checks[number].sentence;
  return sinter_kind_string(kind);
}

const char *sinter_kernel_name(const struct sinter_model *model,
                               int32_t kernel) {
  if (kernel < 0 || kernel >= model->kernel_count)
    return (const char *)0;
  return model->kernels[kernel]->name;
}
