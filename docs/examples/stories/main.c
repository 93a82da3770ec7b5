/* Tells a story: greedy decoding from the begin-of-sequence token.

   sinterc stories.mlir -o stories.o
   cc main.c stories.o -o stories && ./stories tok512.bin            */
#include "stories.h"
#include <stdio.h>

#define LARGER(a, b) ((a) > (b) ? (a) : (b))
enum { STEPS = 200, BEGIN = 1, VOCABULARY = 512, LONGEST = 16 };

/* Everything the model needs is here: it allocates nothing itself. */
SINTER_ALIGNED(STORIES_ALIGN)
static unsigned char memory[STORIES_SESSION_SIZE(1, STEPS)];
SINTER_ALIGNED(STORIES_ALIGN)
static unsigned char workspace[LARGER(STORIES_PREFILL_WORKSPACE_SIZE(1, 1, 1),
                                      STORIES_DECODE_WORKSPACE_SIZE(1, 1))];
static float logits[STORIES_DECODE_LOGITS_COUNT(1)];
static char pieces[VOCABULARY][LONGEST];

/* tok512.bin: the longest length, then a score, a length and the bytes of each
   token; numbers are little-endian. */
static int read_tokenizer(const char *path) {
  FILE *file = fopen(path, "rb");
  int32_t longest, length;
  float score;
  int i, good;
  if (!file)
    return 0;
  good = fread(&longest, sizeof longest, 1, file) == 1;
  for (i = 0; good && i < VOCABULARY; i++)
    good = fread(&score, sizeof score, 1, file) == 1 &&
           fread(&length, sizeof length, 1, file) == 1 && length >= 0 &&
           length < LONGEST &&
           fread(pieces[i], 1, (size_t)length, file) == (size_t)length;
  fclose(file);
  return good;
}

static void print_piece(int32_t previous, int32_t token) {
  const char *piece = pieces[token];
  unsigned byte;
  if (previous == BEGIN && *piece == ' ') /* SentencePiece's first blank */
    piece++;
  if (sscanf(piece, "<0x%02X>", &byte) == 1)
    putchar((int)byte);
  else
    fputs(piece, stdout);
}

static int32_t most_likely(void) {
  int32_t best = 0, i;
  for (i = 1; i < VOCABULARY; i++)
    if (logits[i] > logits[best])
      best = i;
  return best;
}

static int fail(sinter_status status) {
  fprintf(stderr, "%s\n", stories_status_string(status));
  return 1;
}

int main(int argc, char **argv) {
  const char *tokenizer = argc > 1 ? argv[1] : "tok512.bin";
  stories_session *session;
  sinter_status status;
  int32_t token = BEGIN, previous;
  int step;

  if (!read_tokenizer(tokenizer))
    return fprintf(stderr, "%s: not a tokenizer of %d tokens\n", tokenizer,
                   (int)VOCABULARY),
           1;
  status = stories_session_init(memory, sizeof memory, 1, STEPS, &session);
  if (status < 0)
    return fail(status);

  /* A prompt of one token; a longer one goes through the same call. */
  status = stories_prefill(session, NULL, workspace, sizeof workspace, 1, NULL,
                           &token, logits);
  for (step = 0; status >= 0; step++) {
    previous = token;
    token = most_likely();
    if (token == BEGIN)
      break;
    print_piece(previous, token);
    if (step + 1 == STEPS)
      break;
    status = stories_decode(session, NULL, workspace, sizeof workspace, NULL,
                            &token, logits);
  }
  if (status < 0)
    return fail(status);
  return fflush(stdout) != 0;
}
