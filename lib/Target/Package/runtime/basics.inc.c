/*===- basics.inc.c - statuses, extents, size programs -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===--------------------------------------------------------------------===*/

/* The error status of a check. */
static int32_t sinter_fail(const struct sinter_model *model, int64_t number) {
  return -(int32_t)(number * 256 + model->checks[number].kind);
}

static int64_t sinter_extent(int64_t extent, const int64_t *dims) {
  return extent >= 0 ? extent : dims[~extent];
}

static int sinter_misaligned(const void *pointer, int64_t alignment) {
  return ((uintptr_t)pointer & (uintptr_t)(alignment - 1)) != 0;
}

static int64_t sinter_align(int64_t bytes) {
  return (bytes + 63) & ~(int64_t)63;
}

/* Runs one size program; *value is -1 on overflow. Returns the next program. */
static const int64_t *sinter_evaluate(const int64_t *program,
                                      const int64_t *dims, int64_t *value) {
  int64_t stack[SINTER_OP_STACK];
  int64_t top = -1;
  int overflow = 0;
  for (;;) {
    switch (*program++) {
    case SINTER_OP_CONST:
      stack[++top] = *program++;
      break;
    case SINTER_OP_DIM:
      stack[++top] = dims[*program++];
      break;
    case SINTER_OP_ADD:
      top--;
      overflow |=
          __builtin_add_overflow(stack[top], stack[top + 1], &stack[top]);
      break;
    case SINTER_OP_MUL:
      top--;
      overflow |=
          __builtin_mul_overflow(stack[top], stack[top + 1], &stack[top]);
      break;
    case SINTER_OP_MAX:
      top--;
      if (stack[top] < stack[top + 1])
        stack[top] = stack[top + 1];
      break;
    case SINTER_OP_CEILDIV: {
      int64_t divisor = *program++;
      stack[top] = stack[top] / divisor + (stack[top] % divisor != 0);
      break;
    }
    default: /* SINTER_OP_END */
      *value = overflow || top != 0 ? -1 : stack[0];
      return program;
    }
  }
}

/* *total += increment; -1, once reached, stays. */
static void sinter_accumulate(int64_t *total, int64_t increment) {
  if (*total < 0 || increment < 0 ||
      __builtin_add_overflow(*total, increment, total))
    *total = -1;
}
