/* Whatever floating-point mode the caller has, and with any number of workers,
   a call gives the same bits and leaves the mode as it was. */
#include "model.h"
#include "sinter-c/sinter_rt.h"
#include <xmmintrin.h>

enum { ROWS = 5, LONG = 11 };

int main(void) {
  /* Default; flush to zero, denormals are zero, round up; all unmasked. */
  static const unsigned int modes[] = {0x1f80, 0xdfc0, 0x4000};
  static float first[ROWS * VOCABULARY], logits[ROWS * VOCABULARY];
  static int32_t tokens[ROWS * LONG];
  unsigned int before = _mm_getcsr(), mode;
  int32_t workers;
  int i;
  for (i = 0; i < ROWS * LONG; i++)
    tokens[i] = i * 31 % VOCABULARY;
  prefill(new_session(ROWS, LONG), NULL, ROWS, LONG, NULL, tokens, first);
  for (workers = 1; workers <= 8; workers = workers == 2 ? 8 : workers + 1) {
    sinter_pool *pool = sinter_pool_create(workers);
    for (i = 0; i < 3; i++) {
      stories_session *session = new_session(ROWS, LONG);
      size_t size = stories_prefill_workspace_size(ROWS, LONG, workers);
      void *workspace = aligned(size);
      sinter_status status;
      _mm_setcsr(modes[i]);
      status = stories_prefill(session, sinter_pool_exec(pool), workspace, size,
                               LONG, NULL, tokens, logits);
      mode = _mm_getcsr();
      _mm_setcsr(before);
      EXPECT(status == SINTER_OK && mode == modes[i]);
      EXPECT(memcmp(first, logits, sizeof first) == 0);
      free(workspace);
      free(session);
    }
    sinter_pool_destroy(pool);
  }
  return failures != 0;
}
