/* Writes numbers in Roman numerals, greedily and by beam search over forked
   sessions.

   sinterc transformer.mlir -o transformer.o
   cc main.c transformer.o -lm -o roman && ./roman 1994                     */
#include "transformer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGER(a, b) ((a) > (b) ? (a) : (b))
enum { BEGIN = 1, END = 2, SYMBOLS = 20, DIGITS = 4, STEPS = 20, BEAMS = 4 };
static const char symbols[] = "_<>0123456789IVXLCDM";

/* One session of one row, two of four: the beams of a step come from those of
   the step before, in any order. */
SINTER_ALIGNED(TRANSFORMER_ALIGN)
static unsigned char single[TRANSFORMER_SESSION_SIZE(1, STEPS, DIGITS)];
SINTER_ALIGNED(TRANSFORMER_ALIGN)
static unsigned char several[2][TRANSFORMER_SESSION_SIZE(BEAMS, STEPS, DIGITS)];
SINTER_ALIGNED(TRANSFORMER_ALIGN)
static unsigned char
    workspace[LARGER(TRANSFORMER_ENCODE_WORKSPACE_SIZE(1, DIGITS, 1),
                     TRANSFORMER_STEP_WORKSPACE_SIZE(BEAMS, 1))];
static transformer_session *one, *beams, *spare;

typedef struct {
  double score;
  int32_t tokens[STEPS + 1];
  int length;
} Hypothesis;

static void check(sinter_status status) {
  if (status >= 0)
    return;
  fprintf(stderr, "%s\n", transformer_status_string(status));
  exit(1);
}

static void start(void) {
  check(
      transformer_session_init(single, sizeof single, 1, STEPS, DIGITS, &one));
  check(transformer_session_init(several[0], sizeof several[0], BEAMS, STEPS,
                                 DIGITS, &beams));
  check(transformer_session_init(several[1], sizeof several[1], BEAMS, STEPS,
                                 DIGITS, &spare));
}

/* Ends with the encoder's keys and values in `one`, nothing decoded. */
static void encode(const char *digits) {
  int32_t words[DIGITS];
  int64_t length = (int64_t)strlen(digits), i;
  for (i = 0; i < length; i++)
    words[i] = (int32_t)(strchr(symbols, digits[i]) - symbols);
  check(transformer_encode(one, NULL, workspace, sizeof workspace, length, NULL,
                           words));
}

static void print(const char *what, const Hypothesis *hypothesis) {
  int i;
  printf("  %-8s", what);
  for (i = 1; i < hypothesis->length && hypothesis->tokens[i] != END; i++)
    putchar(symbols[hypothesis->tokens[i]]);
  printf(" %.2f\n", hypothesis->score);
}

/* The likeliest token at every step. */
static Hypothesis greedy(void) {
  Hypothesis best = {0, {BEGIN}, 1};
  float scores[SYMBOLS];
  int32_t token, i;
  do {
    check(transformer_step(one, NULL, workspace, sizeof workspace, NULL,
                           &best.tokens[best.length - 1], scores));
    for (token = 0, i = 1; i < SYMBOLS; i++)
      if (scores[i] > scores[token])
        token = i;
    best.score += scores[token];
    best.tokens[best.length++] = token;
  } while (token != END && best.length <= STEPS);
  return best;
}

/* A continuation of the hypothesis of a row. */
typedef struct {
  double score;
  int row;
  int32_t token;
} Candidate;

static int better(const void *a, const void *b) {
  double x = ((const Candidate *)a)->score, y = ((const Candidate *)b)->score;
  return (x < y) - (x > y);
}

static int better_result(const void *a, const void *b) {
  double x = ((const Hypothesis *)a)->score, y = ((const Hypothesis *)b)->score;
  return (x < y) - (x > y);
}

/* All continuations, best first. */
static int expand(const Hypothesis *active, int count, Candidate *candidates) {
  int32_t tokens[BEAMS] = {0}, token;
  int64_t lengths[BEAMS] = {0}; /* rows without a hypothesis are left alone */
  float scores[BEAMS * SYMBOLS];
  int row;
  for (row = 0; row < count; row++) {
    tokens[row] = active[row].tokens[active[row].length - 1];
    lengths[row] = 1;
  }
  check(transformer_step(beams, NULL, workspace, sizeof workspace, lengths,
                         tokens, scores));
  for (row = 0; row < count; row++)
    for (token = 0; token < SYMBOLS; token++) {
      Candidate *candidate = &candidates[row * SYMBOLS + token];
      candidate->score = active[row].score + scores[row * SYMBOLS + token];
      candidate->row = row;
      candidate->token = token;
    }
  qsort(candidates, (size_t)count * SYMBOLS, sizeof *candidates, better);
  return count * SYMBOLS;
}

/* Keeps the four best continuations of each step; those that end leave the
   beam, with their score divided by ((5 + length) / 6)^0.6. */
static int beam_search(Hypothesis *done) {
  Hypothesis active[BEAMS] = {{0, {BEGIN}, 1}}, next[BEAMS];
  Candidate candidates[BEAMS * SYMBOLS];
  transformer_session *swap;
  int count = 1, finished = 0, step, i;
  check(transformer_session_copy_row(beams, 0, one, 0));
  for (step = 1; step <= STEPS && count && finished < BEAMS; step++) {
    int all = expand(active, count, candidates);
    count = 0;
    for (i = 0; i < BEAMS && i < all; i++) {
      const Candidate *chosen = &candidates[i];
      Hypothesis longer = active[chosen->row];
      longer.score = chosen->score;
      longer.tokens[longer.length++] = chosen->token;
      if (chosen->token == END) {
        longer.score /= pow((5 + step) / 6.0, 0.6);
        done[finished++] = longer;
        continue;
      }
      check(transformer_session_copy_row(spare, count, beams, chosen->row));
      next[count++] = longer;
    }
    memcpy(active, next, sizeof active);
    swap = beams;
    beams = spare;
    spare = swap;
  }
  qsort(done, (size_t)finished, sizeof *done, better_result);
  return finished < BEAMS ? finished : BEAMS;
}

int main(int argc, char **argv) {
  Hypothesis best, results[2 * BEAMS];
  int number, i, count;
  start();
  for (number = 1; number < argc; number++) {
    const char *digits = argv[number];
    if (!*digits || strlen(digits) > DIGITS ||
        strspn(digits, "0123456789") != strlen(digits))
      return fprintf(stderr, "'%s' is not a number of 1 to %d digits\n", digits,
                     (int)DIGITS),
             1;
    printf("%s\n", digits);
    encode(digits);
    count = beam_search(results); /* forks `one`, which stays as it is */
    best = greedy();
    print("greedy", &best);
    for (i = 0; i < count; i++)
      print("beam", &results[i]);
  }
  return fflush(stdout) != 0;
}
