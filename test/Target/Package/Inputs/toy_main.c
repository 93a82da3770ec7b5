/* Sessions, sizes, rows, workers, two models: what works. */
#include "toy_support.h"
#include <xmmintrin.h>

enum { BATCH = 3, LONG = 20 };

/* What the sums of a row with these tokens are: keys x + h, values x d. */
static float expected(const int32_t *tokens, int64_t count, int d) {
  float keys = 0, all;
  int64_t s;
  int h;
  for (s = 0; s < count; s++)
    for (h = 0; h < 2; h++)
      keys += (float)tokens[s] + 0.5f + (float)h;
  all = keys;
  for (s = 0; s < count; s++)
    for (h = 0; h < 2; h++)
      all += ((float)tokens[s] + 0.5f) * (float)d;
  return all;
}

/* Same inputs, any number of workers; returns the sums. */
static void prefill(toy_session *session, const toy_weights *weights,
                    int32_t workers, const int64_t *lengths,
                    const int32_t *tokens, float *sums) {
  size_t size = toy_prefill_workspace_size(BATCH, LONG, workers);
  sinter_exec exec = backwards(workers);
  EXPECT(size == TOY_PREFILL_WORKSPACE_SIZE(BATCH, LONG, workers));
  EXPECT(toy_prefill(session, weights, workers == 1 ? NULL : &exec,
                     guarded(size), size, LONG, lengths, tokens,
                     sums) == SINTER_OK);
}

static void test_rows(const toy_weights *weights) {
  static const int64_t ragged[BATCH] = {0, 5, 17};
  int32_t *tokens = guarded(sizeof(int32_t) * BATCH * LONG), workers;
  float *sums = guarded(sizeof(float) * BATCH * 4), first[BATCH * 4];
  int i, b;
  for (i = 0; i < BATCH * LONG; i++)
    tokens[i] = i % LONG < ragged[i / LONG] ? i * 7 % 16 : -1;
  for (workers = 1; workers <= 8; workers++) {
    toy_session *session = new_session(BATCH, 24);
    memset(sums, 0x11, sizeof first);
    prefill(session, weights, workers, ragged, tokens, sums);
    if (workers == 1)
      memcpy(first, sums, sizeof first);
    EXPECT(memcmp(first, sums, sizeof first) == 0);
    for (b = 0; b < BATCH; b++)
      EXPECT(toy_session_length(session, b) == ragged[b]);
  }
  for (i = 0; i < 4; i++) {
    float untouched;
    memset(&untouched, 0x11, sizeof untouched);
    EXPECT(first[i] == untouched);
    EXPECT(first[4 + i] == expected(tokens + LONG, 5, i));
    EXPECT(first[8 + i] == expected(tokens + 2 * LONG, 17, i));
  }
}

static float decode_one(toy_session *session, const toy_weights *weights,
                        int32_t token) {
  size_t size = toy_decode_workspace_size(1, 1, 1);
  float sums[4];
  EXPECT(toy_decode(session, weights, NULL, guarded(size), size, 1, NULL,
                    &token, sums) == SINTER_OK);
  return sums[1];
}

static void test_session(const toy_weights *weights) {
  static const int32_t word[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3,
                                 5, 8, 9, 7, 9, 3, 2, 3, 8, 4};
  toy_session *small = new_session(1, 20), *large = new_session(2, 64), *moved;
  size_t size = TOY_SESSION_SIZE(2, 64);
  void *elsewhere = guarded(size);
  int i;
  EXPECT(toy_session_size(2, 64) == size);
  for (i = 0; i < 18; i++)
    EXPECT(decode_one(small, weights, word[i]) == expected(word, i + 1, 1));
  /* Fork to another capacity, there to another row, and save. */
  EXPECT(toy_session_copy_row(large, 0, small, 0) == SINTER_OK);
  EXPECT(toy_session_copy_row(large, 1, large, 0) == SINTER_OK);
  EXPECT(toy_session_length(large, 1) == 18);
  memcpy(elsewhere, large, size);
  memset(large, 0, size);
  EXPECT(toy_session_restore(elsewhere, size, &moved) == SINTER_OK);
  EXPECT(toy_session_copy_row(small, 0, moved, 1) == SINTER_OK);
  EXPECT(decode_one(small, weights, word[18]) == expected(word, 19, 1));
  /* Rewind. */
  EXPECT(toy_session_truncate(small, 0, 7) == SINTER_OK);
  EXPECT(decode_one(small, weights, word[7]) == expected(word, 8, 1));
  EXPECT(toy_session_truncate(small, -1, 0) == SINTER_OK);
  EXPECT(decode_one(small, weights, word[0]) == expected(word, 1, 1));
}

static void test_mode(void) {
  static const float x[4] = {1.0f, 2e-38f, 1e30f, 0.0f};
  float plain[4], odd[4];
  sinter_exec exec = backwards(2);
  size_t size = TOY_THIRD_WORKSPACE_SIZE(4, 2);
  void *workspace = guarded(size);
  unsigned int before = _mm_getcsr(),
               mode = 0x0040 | 0x8000 | 0x4000; /* DAZ FTZ up */
  EXPECT(toy_third(NULL, workspace, size, 4, x, plain) == SINTER_OK);
  _mm_setcsr(mode); /* all exceptions unmasked: inexact would trap */
  if (toy_third(&exec, workspace, size, 4, x, odd) != SINTER_OK)
    failures++;
  EXPECT(_mm_getcsr() == mode);
  _mm_setcsr(before);
  EXPECT(memcmp(plain, odd, sizeof odd) == 0);
  EXPECT(plain[1] > 0);
}

struct log {
  int begun, ended, kernels;
  int32_t last;
};
static void begin(void *context) { ((struct log *)context)->begun++; }
static void end(void *context) { ((struct log *)context)->ended++; }
static void trace(void *context, int32_t kernel, int32_t done) {
  struct log *log = context;
  log->kernels += done;
  log->last = kernel;
}

static void test_hooks_and_notice(void) {
  float x[2] = {1, -1}, y[2];
  struct log log = {0, 0, 0, 0};
  sinter_exec exec = backwards(2);
  size_t size = TOY_THIRD_WORKSPACE_SIZE(2, 2);
  sinter_status status;
  exec.context = &log;
  exec.begin = begin;
  exec.end = end;
  exec.trace = trace;
  status = toy_third(&exec, guarded(size), size, 2, x, y);
  EXPECT(status > 0 && SINTER_KIND(status) == SINTER_INDEX);
  EXPECT(strstr(toy_status_string(status), "clamped") != NULL);
  EXPECT(log.begun == 1 && log.ended == 1 && log.kernels == 1);
  EXPECT(strcmp(toy_kernel_name(log.last), "toy_third") == 0);
  EXPECT(toy_kernel_name(4) == NULL && toy_kernel_name(-1) == NULL);
  EXPECT(toy_abi() == TOY_ABI && strcmp(toy_isa(), "x86-64-v3") == 0);
  EXPECT(strstr(toy_manifest(), "\"prefix\": \"toy\"") != NULL);
  EXPECT(strcmp(toy_status_string(0), "done") == 0);
  EXPECT(toy_status_string(-123456789) != NULL);
}

/* The same model under another name, with its weights inside. */
static void test_two_models(const toy_weights *weights) {
  size_t size = TOZ_SESSION_SIZE(1, 16),
         work = TOZ_DECODE_WORKSPACE_SIZE(1, 1, 1);
  toz_session *session;
  void *memory = guarded(size);
  int32_t token = 5;
  float sums[4];
  EXPECT(toz_session_init(memory, size, 1, 16, &session) == SINTER_OK);
  EXPECT(toz_decode(session, NULL, guarded(work), work, 1, NULL, &token,
                    sums) == SINTER_OK);
  EXPECT(sums[1] == decode_one(new_session(1, 16), weights, 5));
}

int main(void) {
  const toy_weights *weights = read_weights();
  test_rows(weights);
  test_session(weights);
  test_mode();
  test_hooks_and_notice();
  test_two_models(weights);
  puts(failures ? "failed" : "all as promised");
  return failures != 0;
}
