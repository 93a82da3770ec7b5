/* Prompts of 0, 5 and 17 tokens in one call equal single calls; an idle row's
   bytes stay. `ragged save FILE` then writes the session and what comes next,
   `ragged continue FILE` takes the session over in another process. */
#include "model.h"

enum { ROWS = 3, LONG = 17, CONTEXT = 40, STEPS = 6 };

static const int64_t lengths[ROWS] = {0, 5, LONG};
static int32_t tokens[ROWS * LONG];

static int is_close(const float *a, const float *b) {
  int i;
  for (i = 0; i < VOCABULARY; i++) {
    float difference = a[i] - b[i];
    if (!(difference < 1e-4f && difference > -1e-4f))
      return 0;
  }
  return 1;
}

/* The same token in rows 0 and 2; row 1 is left alone. */
static void step(stories_session *session, int32_t token, float *logits) {
  static const int64_t some[ROWS] = {1, 0, 1};
  int32_t next[ROWS];
  size_t size = stories_decode_workspace_size(ROWS, 1);
  void *workspace = aligned(size);
  next[0] = next[2] = token;
  next[1] = -1;
  EXPECT(stories_decode(session, NULL, workspace, size, some, next, logits) ==
         SINTER_OK);
  free(workspace);
}

static void steps(stories_session *session, float *logits) {
  int i;
  for (i = 0; i < STEPS; i++)
    step(session, 3 * i + 1, logits);
}

static void check_rows(stories_session *ragged, const float *logits) {
  float single[VOCABULARY];
  int row, i;
  for (row = 1; row < ROWS; row++) {
    stories_session *one = new_session(1, CONTEXT);
    prefill(one, NULL, 1, lengths[row], NULL, tokens + row * LONG, single);
    EXPECT(is_close(single, logits + row * VOCABULARY));
    EXPECT(stories_session_length(ragged, row) == lengths[row]);
    free(one);
  }
  EXPECT(stories_session_length(ragged, 0) == 2);
  for (i = 0; i < VOCABULARY; i++)
    EXPECT(logits[i] == -7);
}

/* Row 0 holds two tokens before and after. */
static stories_session *make(int with_idle_call, float *logits) {
  static const int64_t first[ROWS] = {2, 0, 0};
  stories_session *session = new_session(ROWS, CONTEXT);
  int i;
  for (i = 0; i < ROWS * LONG; i++)
    tokens[i] = i % LONG < lengths[i / LONG] ? i * 29 % VOCABULARY : -1;
  tokens[0] = 1, tokens[1] = 77;
  prefill(session, NULL, ROWS, LONG, first, tokens, logits);
  tokens[0] = tokens[1] = -1;
  for (i = 0; i < ROWS * VOCABULARY; i++)
    logits[i] = -7;
  if (with_idle_call)
    prefill(session, NULL, ROWS, LONG, lengths, tokens, logits);
  return session;
}

int main(int argc, char **argv) {
  static float logits[ROWS * VOCABULARY], other[ROWS * VOCABULARY];
  size_t size = stories_session_size(ROWS, CONTEXT);
  int saves = argc == 3 && strcmp(argv[1], "save") == 0;
  FILE *file = argc == 3 ? fopen(argv[2], saves ? "wb" : "rb") : NULL;
  stories_session *session;
  if (!file)
    return 2;
  if (saves) {
    session = make(1, logits);
    check_rows(session, logits);
    /* Row 0 goes on as if the call that left it alone had not been. */
    EXPECT(fwrite(session, size, 1, file) == 1);
    steps(session, logits);
    steps(make(0, other), other);
    EXPECT(memcmp(logits, other, VOCABULARY * sizeof *logits) == 0);
    EXPECT(fwrite(logits, sizeof logits, 1, file) == 1);
  } else {
    void *memory = aligned(size);
    EXPECT(fread(memory, size, 1, file) == 1);
    EXPECT(fread(other, sizeof other, 1, file) == 1);
    EXPECT(stories_session_restore(memory, size, &session) == SINTER_OK);
    memcpy(logits, other, sizeof logits); /* row 1 is not written */
    memset(logits, 0, VOCABULARY * sizeof *logits);
    steps(session, logits);
    EXPECT(memcmp(logits, other, sizeof logits) == 0);
  }
  fclose(file);
  return failures != 0;
}
