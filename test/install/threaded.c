/* With workers of the optional pool the bits are the serial ones. */
#include "stories.h"
#include <sinter-c/sinter_rt.h>
#include <string.h>

enum { WORKERS = 3, PROMPT = 7 };

SINTER_ALIGNED(64) static unsigned char memory[STORIES_SESSION_SIZE(1, 16)];
SINTER_ALIGNED(64)
static unsigned char
    workspace[STORIES_PREFILL_WORKSPACE_SIZE(1, PROMPT, WORKERS)];
static float serial[512], threaded[512];

static int run(const sinter_exec *exec, float *logits) {
  static const int32_t tokens[PROMPT] = {1, 403, 407, 261, 378, 35, 19};
  stories_session *session;
  return stories_session_init(memory, sizeof memory, 1, 16, &session) ==
             SINTER_OK &&
         stories_prefill(session, exec, workspace, sizeof workspace, PROMPT,
                         NULL, tokens, logits) == SINTER_OK;
}

int main(void) {
  sinter_pool *pool = sinter_pool_create(WORKERS);
  int good = pool && run(NULL, serial) &&
             run(sinter_pool_exec(pool), threaded) &&
             memcmp(serial, threaded, sizeof serial) == 0;
  sinter_pool_destroy(pool);
  return !good;
}
