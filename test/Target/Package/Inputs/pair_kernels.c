/* Small models for the parts of the interface that the toy model lacks: a
   recurrent state with fixed dimensions; two cursors of which one is filled and
   one restarted; a tensor of current extents beside a cursor and a recurrent
   state. Their entries do the work without kernels. */
#include "sinter/Target/Package/CallLayout.h"

/* tensors: x, y. y = sum over all calls of x. */
void step_run(struct sinter_call *call) {
  float *sum = (float *)call->states[0];
  for (int i = 0; i < 4; i++)
    ((float *)call->tensors[1])[i] = sum[i] += ((float *)call->tensors[0])[i];
}

/* out[b] = start and end of both cursors. */
static void report(struct sinter_call *call, int64_t *out, int64_t rows) {
  for (int64_t b = 0; b < rows; b++)
    for (int c = 0; c < 4; c++)
      out[4 * b + c] = call->cursors[c][b];
}
/* dims: batch, words; tensors: lengths, places. */
void encode_run(struct sinter_call *call) {
  report(call, call->tensors[1], call->dims[0]);
}
/* dims: batch; tensors: places. */
void next_run(struct sinter_call *call) {
  report(call, call->tensors[0], call->dims[0]);
}

static void copy(char *to, const char *from, int64_t bytes) {
  while (bytes-- > 0)
    *to++ = *from++;
}
/* dims: batch, source, width; tensors: lengths, x. */
void put_run(struct sinter_call *call) {
  int64_t args[] = {(int64_t)call->tensors[1], call->dims[1], 2, call->dims[2]};
  sinter_commit_state(call, 0, 0, args);
}
/* dims: batch, source, width; tensors: y, calls. */
void get_run(struct sinter_call *call) {
  int64_t rows = call->dims[0];
  float *calls = (float *)call->states[1];
  copy(call->tensors[0], call->states[0],
       rows * call->dims[1] * 2 * call->dims[2] * 4);
  for (int64_t i = 0; i < rows; i++)
    ((float *)call->tensors[1])[i] = calls[i] += 1;
}
/* dims: batch, source, width; the content twice, one behind the other. */
void twice_run(struct sinter_call *call) {
  int64_t row = call->dims[1] * 2 * call->dims[2] * 4;
  for (int64_t i = 0; i < call->dims[0]; i++)
    for (int64_t half = 0; half < 2; half++)
      copy(call->slots[0] + (2 * i + half) * row, call->states[0] + i * row,
           row);
  int64_t args[] = {(int64_t)call->slots[0], 2 * call->dims[1], 2,
                    call->dims[2]};
  sinter_commit_state(call, 0, -1, args);
}
