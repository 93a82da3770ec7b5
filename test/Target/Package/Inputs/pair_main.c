/* Recurrent state in static memory; two cursors, filled and restarted. */
#include "pair.h"
#include "sum.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
#define EXPECT(x)                                                              \
  ((x) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #x)))

static SINTER_ALIGNED(SUM_ALIGN) unsigned char memory[2][SUM_SESSION_SIZE];
static SINTER_ALIGNED(
    SUM_ALIGN) unsigned char workspace[SUM_STEP_WORKSPACE_SIZE];

static float step(sum_session *session, float value) {
  float x[SUM_STEP_X_COUNT] = {0, 0, 0, 0}, y[SUM_STEP_Y_COUNT];
  x[3] = value;
  EXPECT(sum_step(session, NULL, workspace, sizeof workspace, x, y) ==
         SINTER_OK);
  return y[3];
}

static void test_sum(void) {
  sum_session *a, *b;
  EXPECT(sum_session_size() == SUM_SESSION_SIZE);
  EXPECT(sum_step_workspace_size(1) == SUM_STEP_WORKSPACE_SIZE);
  memset(memory, 0x5a, sizeof memory);
  EXPECT(sum_session_init(memory[0], sizeof memory[0], &a) == SINTER_OK);
  EXPECT(sum_session_init(memory[1], sizeof memory[1], &b) == SINTER_OK);
  EXPECT(step(a, 1) == 1 && step(a, 2) == 3 && step(b, 5) == 5);
  EXPECT(sum_session_copy_row(b, 0, a, 0) == SINTER_OK);
  EXPECT(step(b, 5) == 8 && step(a, 0) == 3);
  EXPECT(sum_session_reset(a, 0) == SINTER_OK && step(a, 1) == 1);
  EXPECT(sum_session_reset(a, -1) == SINTER_OK && step(a, 1) == 1);
  EXPECT(SINTER_KIND(sum_session_reset(a, 1)) == SINTER_ARGUMENT);
  EXPECT(memory[0][SUM_SESSION_SIZE - 1] == 0x5a); /* padding is left */
}

static void *buffer(size_t size) { return aligned_alloc(64, size); }

static void test_pair(void) {
  size_t bytes = PAIR_SESSION_SIZE(2, 3, 5), work = 4096;
  pair_session *s;
  int64_t lengths[2] = {3, 0}, places[8];
  void *space = buffer(work);
  EXPECT(pair_session_init(buffer(bytes), bytes, 2, 3, 5, &s) == SINTER_OK);
  EXPECT(pair_encode(s, NULL, space, work, 4, NULL, places) < 0);
  EXPECT(pair_encode(s, NULL, space, work, 3, NULL, places) == SINTER_OK);
  EXPECT(pair_session_length_source(s, 1) == 3);
  EXPECT(pair_next(s, NULL, space, work, places) == SINTER_OK);
  EXPECT(pair_next(s, NULL, space, work, places) == SINTER_OK);
  /* Read: 3 to 3; append: 1 to 2. */
  EXPECT(places[4] == 3 && places[5] == 3 && places[6] == 1 && places[7] == 2);
  /* Row 0 starts again; row 1, of length 0, is left alone. */
  lengths[0] = 2;
  EXPECT(pair_encode(s, NULL, space, work, 3, lengths, places) == SINTER_OK);
  EXPECT(places[0] == 0 && places[1] == 2 && places[2] == 2 && places[3] == 0);
  EXPECT(pair_session_length_source(s, 0) == 2);
  EXPECT(pair_session_length_target(s, 0) == 0);
  EXPECT(pair_session_length_source(s, 1) == 3);
  EXPECT(pair_session_length_target(s, 1) == 2);
  EXPECT(pair_session_truncate_target(s, 1, 1) == SINTER_OK);
  EXPECT(pair_session_length_target(s, 1) == 1);
  /* The table has four positions though the cache holds five. */
  EXPECT(pair_session_truncate_target(s, -1, 0) == SINTER_OK);
  while (pair_session_length_target(s, 0) < 4)
    EXPECT(pair_next(s, NULL, space, work, places) == SINTER_OK);
  EXPECT(strstr(pair_status_string(pair_next(s, NULL, space, work, places)),
                "pair_next: a row would pass the model's last position, 3"));
}

int main(void) {
  test_sum();
  test_pair();
  puts(failures ? "failed" : "both work");
  return failures != 0;
}
