/* Writes dates as year, month and day, and below each letter the one of the
   text that it was read from: where the attention's weight is largest.

   sinterc seq2seq.mlir -o seq2seq.o
   cc main.c seq2seq.o -o dates && ./dates "12 march 1994"                    */
#include "seq2seq.h"
#include <stdio.h>
#include <string.h>

enum { BEGIN = 1, END = 2, LETTERS = 14, LONGEST = 32, STEPS = 12 };
static const char source[] = "_ .0123456789abcdefghijklmnopqrstuvwxyz";
static const char target[] = "_<>-0123456789";

#define LARGER(a, b) ((a) > (b) ? (a) : (b))
SINTER_ALIGNED(SEQ2SEQ_ALIGN)
static unsigned char memory[SEQ2SEQ_SESSION_SIZE(1, LONGEST)];
SINTER_ALIGNED(SEQ2SEQ_ALIGN)
static unsigned char
    workspace[LARGER(SEQ2SEQ_ENCODE_WORKSPACE_SIZE(1, LONGEST, 1),
                     SEQ2SEQ_STEP_WITH_WEIGHTS_WORKSPACE_SIZE(1, LONGEST, 1))];

static int64_t largest(const float *values, int64_t count) {
  int64_t best = 0, i;
  for (i = 1; i < count; i++)
    if (values[i] > values[best])
      best = i;
  return best;
}

/* Greedy: the likeliest letter at every step. */
static sinter_status read_date(seq2seq_session *session, const char *text) {
  int64_t length = (int64_t)strlen(text), i;
  int32_t letters[LONGEST], word = BEGIN;
  float scores[LETTERS], weights[LONGEST];
  char date[STEPS + 1] = "", places[STEPS + 1] = "";
  sinter_status status;
  for (i = 0; i < length; i++)
    letters[i] = (int32_t)(strchr(source, text[i]) - source);
  status = seq2seq_encode(session, NULL, workspace, sizeof workspace, length,
                          NULL, letters);
  for (i = 0; i < STEPS && status >= 0; i++) {
    status = seq2seq_step_with_weights(
        session, NULL, workspace, sizeof workspace, &word, scores, weights);
    word = (int32_t)largest(scores, LETTERS);
    if (word == END)
      break;
    date[i] = target[word];
    places[i] = text[largest(weights, length)];
  }
  printf("%s\n  %s\n  %s\n", text, date, places);
  return status;
}

int main(int argc, char **argv) {
  seq2seq_session *session;
  sinter_status status;
  int i;
  status = seq2seq_session_init(memory, sizeof memory, 1, LONGEST, &session);
  for (i = 1; i < argc && status >= 0; i++) {
    size_t length = strlen(argv[i]);
    if (!length || length > LONGEST || strspn(argv[i], source) != length)
      return fprintf(stderr, "'%s' is not a date in lower-case letters\n",
                     argv[i]),
             1;
    status = read_date(session, argv[i]);
  }
  if (status < 0)
    fprintf(stderr, "%s\n", seq2seq_status_string(status));
  return status < 0 || fflush(stdout) != 0;
}
