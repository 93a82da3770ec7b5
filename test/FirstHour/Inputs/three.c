/* One model under two names, and another one: same numbers, no clash. */
#include "small.h"
#include "stories.h"
#include "tale.h"
#include <stdio.h>
#include <string.h>

SINTER_ALIGNED(64) static unsigned char one[STORIES_SESSION_SIZE(1, 4)];
SINTER_ALIGNED(64) static unsigned char two[TALE_SESSION_SIZE(1, 4)];
SINTER_ALIGNED(64)
static unsigned char work_one[STORIES_DECODE_WORKSPACE_SIZE(1, 1)];
SINTER_ALIGNED(64)
static unsigned char work_two[TALE_DECODE_WORKSPACE_SIZE(1, 1)];
SINTER_ALIGNED(64)
static unsigned char work_small[SMALL_RUN_WORKSPACE_SIZE(2, 1)];
static float logits_one[512], logits_two[512];

int main(void) {
  static const int32_t token = 1;
  float x[16] = {1}, w[128] = {3}, y[32];
  stories_session *stories;
  tale_session *tale;
  if (stories_session_init(one, sizeof one, 1, 4, &stories) != SINTER_OK ||
      tale_session_init(two, sizeof two, 1, 4, &tale) != SINTER_OK)
    return 1;
  if (stories_decode(stories, NULL, work_one, sizeof work_one, NULL, &token,
                     logits_one) != SINTER_OK ||
      tale_decode(tale, NULL, work_two, sizeof work_two, NULL, &token,
                  logits_two) != SINTER_OK)
    return 2;
  if (memcmp(logits_one, logits_two, sizeof logits_one) != 0)
    return 3;
  if (small_run(NULL, work_small, sizeof work_small, 2, x, w, y) != SINTER_OK ||
      y[0] != 3)
    return 4;
  return 0;
}
