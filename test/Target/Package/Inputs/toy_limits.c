/* Threads of the pool give the serial run's bits; a call keeps to the stack
   that the header states. Linked with -z now: resolving a symbol needs more. */
#include "alien.h"
#include "sinter-c/sinter_rt.h"
#include "toy_support.h"
#include "x86_64_v2.h"
#include <ucontext.h>

enum { BATCH = 13, LONG = 20 };

static struct {
  toy_session *session;
  const toy_weights *weights;
  const sinter_exec *exec;
  void *workspace;
  size_t size;
  int32_t tokens[BATCH * LONG];
  float sums[BATCH * 4];
  sinter_status status;
} call;

static void run(void) {
  call.status =
      toy_prefill(call.session, call.weights, call.exec, call.workspace,
                  call.size, LONG, NULL, call.tokens, call.sums);
}

static void test_threads(void) {
  float serial[BATCH * 4];
  int32_t workers, repeat;
  for (workers = 1; workers <= 8; workers *= 2) {
    sinter_pool *pool = sinter_pool_create(workers);
    EXPECT(sinter_pool_exec(pool)->workers == workers);
    call.exec = sinter_pool_exec(pool);
    call.size = toy_prefill_workspace_size(BATCH, LONG, workers);
    call.workspace = guarded(call.size);
    for (repeat = 0; repeat < 200; repeat++) {
      EXPECT(toy_session_truncate(call.session, -1, 0) == SINTER_OK);
      run();
      EXPECT(call.status == SINTER_OK);
      if (workers == 1)
        memcpy(serial, call.sums, sizeof serial);
      EXPECT(memcmp(serial, call.sums, sizeof serial) == 0);
    }
    sinter_pool_destroy(pool);
  }
  sinter_pool_destroy(NULL);
}

/* The page is for this file's own frame and the context switch. */
static void test_stack(void) {
  static ucontext_t here, there;
  size_t size = TOY_STACK + 4096;
  sinter_exec two = backwards(2);
  call.exec = &two;
  EXPECT(toy_session_truncate(call.session, -1, 0) == SINTER_OK);
  getcontext(&there);
  there.uc_stack.ss_sp = guarded(size);
  there.uc_stack.ss_size = size;
  there.uc_link = &here;
  makecontext(&there, run, 0);
  call.status = 1;
  swapcontext(&here, &there);
  EXPECT(call.status == SINTER_OK);
}

/* The lowest level runs anywhere; what no processor has is refused. */
static void test_processor(void) {
  static const float x[2] = {1.5f, 2e-38f}; /* a third of it is denormal */
  float y[2] = {0, 1};
  size_t size = X86_64_V2_THIRD_WORKSPACE_SIZE(2, 1);
  sinter_status status;
  EXPECT(x86_64_v2_third(NULL, guarded(size), size, 2, x, y) == SINTER_OK);
  EXPECT(y[0] == 0.5f && y[1] == 0); /* compiled to flush */
  EXPECT(strcmp(x86_64_v2_isa(), "x86-64-v2") == 0);
  status = alien_third(NULL, guarded(size), size, 2, x, y);
  EXPECT(status < 0 && SINTER_KIND(status) == SINTER_CPU && y[0] == 0.5f);
  EXPECT(strstr(alien_status_string(status), "avx512fp16") != NULL);
}

int main(void) {
  int i;
  call.session = new_session(BATCH, 24);
  call.weights = read_weights();
  for (i = 0; i < BATCH * LONG; i++)
    call.tokens[i] = i * 5 % 16;
  test_threads();
  test_stack();
  test_processor();
  puts(failures ? "failed" : "within limits");
  return failures != 0;
}
