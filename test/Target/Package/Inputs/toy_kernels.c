/* The compiled part of the toy model that the tests package: an "embedding", a
   cache append in the real layouts and a sum over all positions. Written
   against the kernel ABI as generated code is. */
#include "sinter/Target/Package/CallLayout.h"

enum { HEADS = 2, SIZE = 4, PANEL = 16 };

extern const struct sinter_kernel toy_embed_kernel, toy_append_kernel,
    toy_sum_kernel, toy_third_kernel;

/* args: tokens, sequence, lengths, table, slot, batch; one task a row. */
void toy_embed(const int64_t *args, int64_t step, int64_t task, void *scratch) {
  const int32_t *tokens = (const int32_t *)args[0] + task * args[1];
  const float *table = (const float *)args[3];
  float *x = (float *)args[4] + task * args[1];
  (void)step, (void)scratch;
  for (int64_t t = 0; t < ((const int64_t *)args[2])[task]; t++)
    x[t] = table[tokens[t]];
}
int64_t toy_embed_tasks(const int64_t *args, int64_t step) {
  (void)step;
  return args[5];
}

/* args: slot, sequence, lengths, keys, values, capacity, start, batch. */
void toy_append(const int64_t *args, int64_t step, int64_t task,
                void *scratch) {
  const float *x = (const float *)args[0] + task * args[1];
  int64_t panels = (args[5] + PANEL - 1) / PANEL;
  (void)step, (void)scratch;
  for (int64_t t = 0; t < ((const int64_t *)args[2])[task]; t++) {
    int64_t s = ((const int64_t *)args[6])[task] + t;
    for (int64_t h = 0; h < HEADS; h++)
      for (int64_t d = 0; d < SIZE; d++) {
        float *keys =
            (float *)args[3] + (task * HEADS + h) * panels * PANEL * SIZE;
        float *values = (float *)args[4] + (task * HEADS + h) * args[5] * SIZE;
        keys[s / PANEL * PANEL * SIZE + d * PANEL + s % PANEL] =
            x[t] + (float)h;
        values[s * SIZE + d] = x[t] * (float)d;
      }
  }
}
int64_t toy_append_tasks(const int64_t *args, int64_t step) {
  (void)step;
  return args[7];
}

/* args: keys, values, capacity, end, lengths, out, batch. Two steps: the second
   adds the values, so a step must see what the step before wrote. */
void toy_sum(const int64_t *args, int64_t step, int64_t task, void *scratch) {
  int64_t panels = (args[2] + PANEL - 1) / PANEL;
  float *sums = scratch;
  float *out = (float *)args[5] + task * SIZE;
  if (((const int64_t *)args[4])[task] == 0)
    return;
  for (int64_t d = 0; d < SIZE; d++)
    sums[d] = step == 0 ? 0.0f : out[d];
  for (int64_t s = 0; s < ((const int64_t *)args[3])[task]; s++)
    for (int64_t h = 0; h < HEADS; h++)
      for (int64_t d = 0; d < SIZE; d++) {
        const float *keys =
            (const float *)args[0] + (task * HEADS + h) * panels * PANEL * SIZE;
        const float *values =
            (const float *)args[1] + (task * HEADS + h) * args[2] * SIZE;
        sums[d] += step == 0
                       ? keys[s / PANEL * PANEL * SIZE + d * PANEL + s % PANEL]
                       : values[s * SIZE + d];
      }
  for (int64_t d = 0; d < SIZE; d++)
    out[d] = sums[d];
}
int64_t toy_sum_tasks(const int64_t *args, int64_t step) {
  (void)step;
  return args[6];
}
int64_t toy_sum_steps(const int64_t *args) {
  (void)args;
  return 2;
}

/* dims: batch, sequence, context; tensors: tokens, lengths, sums. */
static void toy_forward(struct sinter_call *call) {
  const int64_t *dims = call->dims;
  int64_t tokens = (int64_t)call->tensors[0],
          lengths = (int64_t)call->tensors[1];
  int64_t slot = (int64_t)call->slots[0];
  int64_t keys = (int64_t)call->states[0], values = (int64_t)call->states[1];
  int64_t start = (int64_t)call->cursors[0], end = (int64_t)call->cursors[1];
  int64_t embed[] = {tokens, dims[1], lengths, (int64_t)call->weights,
                     slot,   dims[0]};
  sinter_launch(call, &toy_embed_kernel, embed);
  int64_t append[] = {slot,   dims[1], lengths, keys,
                      values, dims[2], start,   dims[0]};
  sinter_launch(call, &toy_append_kernel, append);
  int64_t sum[] = {
      keys, values, dims[2], end, lengths, (int64_t)call->tensors[2], dims[0]};
  sinter_launch(call, &toy_sum_kernel, sum);
}
void prefill_run(struct sinter_call *call) { toy_forward(call); }
void decode_run(struct sinter_call *call) { toy_forward(call); }

/* args: x, y, n, notice. One task an element: rounding and denormals show. */
void toy_third(const int64_t *args, int64_t step, int64_t task, void *scratch) {
  (void)step, (void)scratch;
  float x = ((const float *)args[0])[task];
  if (x < 0)
    __atomic_store_n((int64_t *)args[3], 1, __ATOMIC_RELAXED);
  ((float *)args[1])[task] = x / 3.0f;
}
int64_t toy_third_tasks(const int64_t *args, int64_t step) {
  (void)step;
  return args[2];
}
/* dims: n; tensors: x, y. */
void third_run(struct sinter_call *call) {
  int64_t args[] = {(int64_t)call->tensors[0], (int64_t)call->tensors[1],
                    call->dims[0], (int64_t)&call->notice};
  sinter_launch(call, &toy_third_kernel, args);
}
