/* An entry under strict seccomp, where any system call but exit kills, on a
   stack of what the header states and a page between inaccessible ones. */
#define _GNU_SOURCE
#include "model.h"
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { LONG = 7, PAGE = 4096 };

static stories_session *session;
static void *workspace;
static size_t size;
static int32_t tokens[LONG] = {1, 2, 3, 4, 5, 6, 7};
static float logits[VOCABULARY];
static sinter_status status;

static void call(void) {
  status = stories_prefill(session, NULL, workspace, size, LONG, NULL, tokens,
                           logits);
}

/* The page is for this file's own frame and the context switch. */
static void call_on_small_stack(void) {
  static ucontext_t here, there;
  size_t stack = (STORIES_STACK + 2 * PAGE - 1) / PAGE * PAGE;
  char *memory = mmap(NULL, stack + 2 * PAGE, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED ||
      mprotect(memory + PAGE, stack, PROT_READ | PROT_WRITE) != 0)
    abort();
  getcontext(&there);
  there.uc_stack.ss_sp = memory + PAGE;
  there.uc_stack.ss_size = stack;
  there.uc_link = &here;
  makecontext(&there, call, 0);
  swapcontext(&here, &there);
}

int main(void) {
  float expected[VOCABULARY];
  session = new_session(1, 3 * LONG);
  size = stories_prefill_workspace_size(1, LONG, 1);
  workspace = aligned(size);
  call();
  memcpy(expected, logits, sizeof expected);
  EXPECT(status == SINTER_OK);
  EXPECT(stories_session_truncate(session, 0, 0) == SINTER_OK);
  call_on_small_stack();
  EXPECT(status == SINTER_OK);
  EXPECT(memcmp(expected, logits, sizeof expected) == 0);
  fflush(stdout);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) {
    puts("SKIP: this system has no strict seccomp");
    return failures != 0;
  }
  status = stories_session_truncate(session, 0, 0);
  if (status == SINTER_OK)
    call();
  if (status != SINTER_OK || memcmp(expected, logits, sizeof expected) != 0)
    failures++;
  syscall(SYS_exit, failures != 0);
  return 1;
}
