/*===- weights.inc.c - the external weight file -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===--------------------------------------------------------------------===*/

static int sinter_weights_match(const struct sinter_model *model,
                                const void *weights) {
  const int64_t *words = weights;
  return !sinter_misaligned(weights, SINTER_ALIGNMENT) &&
         words[0] == SINTER_WEIGHTS_MAGIC && words[1] == model->weights_hash &&
         words[2] == model->weights_bytes;
}

int32_t sinter_weights_open(const struct sinter_model *model, const void *bytes,
                            int64_t size, const void **weights) {
  if (!bytes)
    return sinter_fail(model, SINTER_CHECK_OPEN_BYTES_NULL);
  if (!weights)
    return sinter_fail(model, SINTER_CHECK_OPEN_OUT_NULL);
  if (sinter_misaligned(bytes, SINTER_ALIGNMENT))
    return sinter_fail(model, SINTER_CHECK_OPEN_ALIGN);
  if ((uint64_t)size < (uint64_t)SINTER_WEIGHTS_HEADER)
    return sinter_fail(model, SINTER_CHECK_OPEN_SIZE);
  if (!sinter_weights_match(model, bytes))
    return sinter_fail(model, SINTER_CHECK_OPEN_HEADER);
  if ((uint64_t)size < (uint64_t)(SINTER_WEIGHTS_HEADER + model->weights_bytes))
    return sinter_fail(model, SINTER_CHECK_OPEN_SIZE);
  *weights = bytes;
  return SINTER_OK;
}

int32_t sinter_weights_verify(const struct sinter_model *model,
                              const void *weights) {
  if (!weights)
    return sinter_fail(model, SINTER_CHECK_VERIFY_NULL);
  if (!sinter_weights_match(model, weights))
    return sinter_fail(model, SINTER_CHECK_VERIFY_HEADER);
  const unsigned char *blob =
      (const unsigned char *)weights + SINTER_WEIGHTS_HEADER;
  uint64_t hash = sinter_hash(blob, (uint64_t)model->weights_bytes);
  if (hash != (uint64_t)model->weights_hash)
    return sinter_fail(model, SINTER_CHECK_VERIFY_HASH);
  return SINTER_OK;
}
