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
  case SINTER_DEVICE:
    return "the CUDA driver reports an error";
  default:
    return "not a status of this model";
  }
}

/* The sentence of a check, NULL if the status is of none. */
static const char *sinter_check_sentence(const struct sinter_model *model,
                                         int64_t kind, int64_t number,
                                         int is_notice) {
  if (number <= 0 || number >= model->check_count ||
      model->checks[number].kind != kind ||
      (number == SINTER_CHECK_NOTICE_CLAMPED) != is_notice)
    return 0;
  return model->checks[number].sentence;
}

/* What the target knows of a status that is of no check; NULL: nothing. */
static const char *sinter_own_sentence(int64_t kind, int64_t number);

const char *sinter_status_string(const struct sinter_model *model,
                                 int32_t status) {
  if (status == SINTER_OK)
    return "done";
  uint32_t magnitude = status < 0 ? 0u - (uint32_t)status : (uint32_t)status;
  int64_t kind = magnitude & 255, number = magnitude >> 8;
  const char *sentence = sinter_check_sentence(model, kind, number, status > 0);
  if (!sentence && status < 0)
    sentence = sinter_own_sentence(kind, number);
  return sentence ? sentence : sinter_kind_string(kind);
}

const char *sinter_kernel_name(const struct sinter_model *model,
                               int32_t kernel) {
  if (kernel < 0 || kernel >= model->kernel_count)
    return (const char *)0;
  return model->kernels[kernel]->name;
}
