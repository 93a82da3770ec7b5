/* Says what a call says where the processor lacks instructions. */
#include "small.h"
#include <stdio.h>

SINTER_ALIGNED(64)
static unsigned char workspace[SMALL_RUN_WORKSPACE_SIZE(2, 1)];

int main(void) {
  float x[16] = {1}, w[128] = {3}, y[32] = {-7};
  sinter_status status =
      small_run(NULL, workspace, sizeof workspace, 2, x, w, y);
  printf("%s, %s\n",
         status == SINTER_OK                 ? "runs"
         : SINTER_KIND(status) == SINTER_CPU ? "SINTER_CPU"
                                             : "another status",
         status == SINTER_OK || y[0] == -7 ? "as it should" : "wrote");
  puts(small_status_string(status));
  return 0;
}
