/* Breaks every argument of the stories model in turn. Each buffer ends at a
   page that cannot be touched; after each call all bytes are as before, and the
   status's sentence names the function and what is wrong. argv[1]: the weight
   file. */
#define _DEFAULT_SOURCE
#include "stories.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BATCH = 2, CONTEXT = 32, SEQUENCE = 5 };

static int failures;

/* `size` bytes that end at an inaccessible page; 64-aligned if size is. */
static void *guarded(size_t size) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t span = (size + page - 1) / page * page;
  char *start = mmap(NULL, span + page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED || mprotect(start + span, page, PROT_NONE) != 0)
    abort();
  return start + span - size;
}

struct arguments {
  stories_session *session;
  const stories_weights *weights;
  const sinter_exec *exec;
  void *workspace;
  size_t workspace_size;
  int64_t sequence;
  int64_t *lengths;
  int32_t *tokens;
  float *logits;
};
static struct arguments good;
static size_t session_size;
static char *session_before, *logits_before;

static sinter_status call(const struct arguments *a) {
  return stories_prefill(a->session, a->weights, a->exec, a->workspace,
                         a->workspace_size, a->sequence, a->lengths, a->tokens,
                         a->logits);
}

static void expect(sinter_status status, int kind, const char *function,
                   const char *word, const char *what) {
  const char *sentence = stories_status_string(status);
  int right = status < 0 && SINTER_KIND(status) == kind &&
              strncmp(sentence, function, strlen(function)) == 0 &&
              strstr(sentence, word) != NULL;
  int same = memcmp(session_before, good.session, session_size) == 0 &&
             memcmp(logits_before, good.logits,
                    sizeof(float) * STORIES_PREFILL_LOGITS_COUNT(BATCH)) == 0;
  if (right && same)
    return;
  printf("%s: kind %d, \"%s\"%s\n", what, SINTER_KIND(status), sentence,
         same ? "" : "; bytes were changed");
  failures++;
}

/* One argument replaced. */
#define BREAK(member, value, kind, word)                                       \
  do {                                                                         \
    struct arguments a = good;                                                 \
    a.member = (value);                                                        \
    expect(call(&a), (kind), "stories_prefill", (word), #member " = " #value); \
  } while (0)

static void break_call(void) {
  sinter_exec exec = {0};
  BREAK(session, NULL, SINTER_ARGUMENT, "session");
  BREAK(session, (stories_session *)((char *)good.session + 8), SINTER_SESSION,
        "session");
  BREAK(session, (stories_session *)good.workspace, SINTER_SESSION, "session");
  BREAK(weights, NULL, SINTER_ARGUMENT, "weights");
  BREAK(workspace, NULL, SINTER_ARGUMENT, "workspace");
  BREAK(workspace, (char *)good.workspace + 4, SINTER_MEMORY, "workspace");
  BREAK(workspace_size, good.workspace_size - 1, SINTER_MEMORY, "workspace");
  BREAK(workspace_size, 0, SINTER_MEMORY, "workspace");
  BREAK(sequence, -1, SINTER_DIMENSION, "sequence");
  BREAK(sequence, 513, SINTER_DIMENSION, "sequence");
  BREAK(sequence, (int64_t)1 << 62, SINTER_DIMENSION, "sequence");
  BREAK(tokens, NULL, SINTER_ARGUMENT, "tokens");
  BREAK(tokens, (int32_t *)((char *)good.tokens - 2), SINTER_ARGUMENT,
        "tokens");
  BREAK(logits, NULL, SINTER_ARGUMENT, "logits");
  BREAK(logits, (float *)((char *)good.logits - 1), SINTER_ARGUMENT, "logits");
  BREAK(lengths, (int64_t *)((char *)good.lengths - 4), SINTER_ARGUMENT,
        "lengths");
  BREAK(exec, &exec, SINTER_ARGUMENT, "exec");
}

/* One element replaced, and put back. */
#define BREAK_ELEMENT(element, value, kind, word)                              \
  do {                                                                         \
    struct arguments a = good;                                                 \
    __typeof__(element) old = (element);                                       \
    (element) = (value);                                                       \
    expect(call(&a), (kind), "stories_prefill", (word),                        \
           #element " = " #value);                                             \
    (element) = old;                                                           \
  } while (0)

static void break_contents(void) {
  BREAK_ELEMENT(good.tokens[0], -1, SINTER_INDEX, "tokens");
  BREAK_ELEMENT(good.tokens[2 * SEQUENCE - 1], 512, SINTER_INDEX, "tokens");
  BREAK_ELEMENT(good.lengths[1], -1, SINTER_DIMENSION, "lengths");
  BREAK_ELEMENT(good.lengths[0], SEQUENCE + 1, SINTER_DIMENSION, "lengths");
  BREAK_ELEMENT(good.lengths[0], (int64_t)1 << 62, SINTER_DIMENSION, "lengths");
}

static void break_session(void) {
  stories_session *session = NULL;
  char *memory = guarded(session_size);
  expect(stories_session_init(NULL, session_size, BATCH, CONTEXT, &session),
         SINTER_ARGUMENT, "stories_session_init", "memory", "init: NULL");
  expect(
      stories_session_init(memory + 1, session_size, BATCH, CONTEXT, &session),
      SINTER_MEMORY, "stories_session_init", "memory", "init: misaligned");
  expect(
      stories_session_init(memory, session_size - 1, BATCH, CONTEXT, &session),
      SINTER_MEMORY, "stories_session_init", "size", "init: short");
  expect(stories_session_init(memory, session_size, 0, CONTEXT, &session),
         SINTER_DIMENSION, "stories_session_init", "batch", "init: batch 0");
  expect(stories_session_init(memory, session_size, BATCH, 513, &session),
         SINTER_DIMENSION, "stories_session_init", "context", "init: context");
  expect(stories_session_init(memory, session_size, (int64_t)1 << 62, CONTEXT,
                              &session),
         SINTER_DIMENSION, "stories_session_init", "batch", "init: 2^62");
  expect(stories_session_truncate(good.session, BATCH, 0), SINTER_ARGUMENT,
         "stories_session_truncate", "row", "truncate: row");
  expect(stories_session_truncate(good.session, 0, 100), SINTER_ARGUMENT,
         "stories_session_truncate", "length", "truncate: length");
  expect(stories_session_copy_row(good.session, 0, good.session, 7),
         SINTER_ARGUMENT, "stories_session_copy_row", "row", "copy: row");
  if (stories_session_size(-1, CONTEXT) != 0 ||
      stories_session_size(BATCH, (int64_t)1 << 62) != 0 ||
      stories_prefill_workspace_size(BATCH, -1, 1) != 0 ||
      stories_prefill_workspace_size(BATCH, SEQUENCE, 0) != 0) {
    printf("a size for bad dimensions is not 0\n");
    failures++;
  }
}

/* Reads the weights into guarded memory, and breaks them. */
static void open_weights(const char *path) {
  char *bytes = guarded(STORIES_WEIGHTS_SIZE);
  FILE *file = fopen(path, "rb");
  if (!file ||
      fread(bytes, 1, STORIES_WEIGHTS_SIZE, file) != STORIES_WEIGHTS_SIZE)
    abort();
  fclose(file);
  if (stories_weights_open(bytes, STORIES_WEIGHTS_SIZE, &good.weights) < 0 ||
      stories_weights_verify(good.weights) < 0)
    abort();
}

static void break_weights(void) {
  const stories_weights *opened;
  char *bytes = (char *)good.weights;
  expect(stories_weights_open(NULL, STORIES_WEIGHTS_SIZE, &opened),
         SINTER_ARGUMENT, "stories_weights_open", "bytes", "weights: NULL");
  expect(stories_weights_open(bytes, STORIES_WEIGHTS_SIZE - 1, &opened),
         SINTER_WEIGHTS, "stories_weights_open", "weights", "weights: short");
  bytes[STORIES_WEIGHTS_SIZE - 70] ^= 1;
  expect(stories_weights_verify(good.weights), SINTER_WEIGHTS,
         "stories_weights_verify", "weights", "weights: one bit");
  bytes[STORIES_WEIGHTS_SIZE - 70] ^= 1;
}

int main(int argc, char **argv) {
  size_t logits_size = sizeof(float) * STORIES_PREFILL_LOGITS_COUNT(BATCH);
  int i;
  if (argc != 2)
    return 2;
  open_weights(argv[1]);
  session_size = stories_session_size(BATCH, CONTEXT);
  if (stories_session_init(guarded(session_size), session_size, BATCH, CONTEXT,
                           &good.session) < 0)
    return 2;
  good.sequence = SEQUENCE;
  good.workspace_size = stories_prefill_workspace_size(BATCH, SEQUENCE, 1);
  good.workspace = guarded(good.workspace_size);
  good.lengths = guarded(sizeof(int64_t) * BATCH);
  good.tokens = guarded(sizeof(int32_t) * BATCH * SEQUENCE);
  good.logits = guarded(logits_size);
  good.lengths[0] = SEQUENCE;
  good.lengths[1] = SEQUENCE;
  for (i = 0; i < BATCH * SEQUENCE; i++)
    good.tokens[i] = 400 + i;
  if (call(&good) != SINTER_OK)
    return puts("the good call failed"), 1;
  session_before = malloc(session_size);
  logits_before = malloc(logits_size);
  memcpy(session_before, good.session, session_size);
  memcpy(logits_before, good.logits, logits_size);

  break_call();
  break_contents();
  break_session();
  break_weights();
  /* No room for the positions: the session has 32, and they are full. */
  for (i = 0; i < 5; i++)
    if (call(&good) != SINTER_OK)
      return puts("a good call failed"), 1;
  memcpy(session_before, good.session, session_size);
  memcpy(logits_before, good.logits, logits_size);
  expect(call(&good), SINTER_FULL, "stories_prefill", "context", "full cache");
  return failures != 0;
}
