/* Every argument broken in turn: a sentence that names it, nothing written. */
#include "toy_support.h"

enum { BATCH = 2, SEQUENCE = 3, CONTEXT = 8 };

/* The arguments of one call, and whatever it could write to. */
struct call {
  toy_session *session;
  const toy_weights *weights;
  const sinter_exec *exec;
  void *workspace;
  size_t workspace_size;
  int64_t sequence;
  const int64_t *lengths;
  const int32_t *tokens;
  float *sums;
};

static struct call good;
static size_t session_size, workspace_size, sums_size = BATCH * 4 * 4;
static char *copies[3];

static void snapshot(void) {
  memcpy(copies[0], good.session, session_size);
  memcpy(copies[1], good.workspace, workspace_size);
  memcpy(copies[2], good.sums, sums_size);
}

static int unchanged(void) {
  return memcmp(copies[0], good.session, session_size) == 0 &&
         memcmp(copies[1], good.workspace, workspace_size) == 0 &&
         memcmp(copies[2], good.sums, sums_size) == 0;
}

static sinter_status run(struct call c) {
  return toy_prefill(c.session, c.weights, c.exec, c.workspace,
                     c.workspace_size, c.sequence, c.lengths, c.tokens, c.sums);
}

static void broken(int line, struct call c, int kind, const char *word) {
  sinter_status status;
  const char *sentence;
  snapshot();
  status = run(c);
  sentence = toy_status_string(status);
  if (status >= 0 || SINTER_KIND(status) != kind || !unchanged() ||
      strncmp(sentence, "toy_prefill: ", 13) || !strstr(sentence, word)) {
    failures++;
    printf("line %d: %d \"%s\"%s\n", line, SINTER_KIND(status), sentence,
           unchanged() ? "" : ", something was written");
  }
}
#define BROKEN(member, value, kind, word)                                      \
  do {                                                                         \
    struct call c = good;                                                      \
    c.member = value;                                                          \
    broken(__LINE__, c, kind, word);                                           \
  } while (0)

#define AT(pointer, bytes) ((void *)((char *)(pointer) + (bytes)))

static void test_pointers(void) {
  void *other = guarded(session_size);
  memcpy(other, good.session, session_size);
  BROKEN(session, NULL, SINTER_ARGUMENT, "session");
  BROKEN(session, AT(good.session, -32), SINTER_SESSION, "session");
  ((char *)other)[8] ^= 1; /* another build's */
  BROKEN(session, other, SINTER_SESSION, "session");
  memset(other, 0, 64); /* not initialised */
  BROKEN(session, other, SINTER_SESSION, "session");
  BROKEN(weights, NULL, SINTER_ARGUMENT, "weights");
  BROKEN(weights, AT(good.weights, -4), SINTER_WEIGHTS, "weights");
  BROKEN(weights, other, SINTER_WEIGHTS, "weights");
  BROKEN(workspace, NULL, SINTER_ARGUMENT, "workspace");
  BROKEN(workspace, AT(good.workspace, -8), SINTER_MEMORY, "workspace");
  BROKEN(workspace_size, workspace_size - 1, SINTER_MEMORY, "workspace_size");
  BROKEN(workspace_size, 0, SINTER_MEMORY, "workspace_size");
  BROKEN(lengths, AT(good.lengths, -1), SINTER_ARGUMENT, "lengths");
  BROKEN(tokens, NULL, SINTER_ARGUMENT, "tokens");
  BROKEN(tokens, AT(good.tokens, -2), SINTER_ARGUMENT, "tokens");
  BROKEN(sums, NULL, SINTER_ARGUMENT, "sums");
  BROKEN(sums, AT(good.sums, -1), SINTER_ARGUMENT, "sums");
}

static void test_values(void) {
  int64_t lengths[BATCH] = {3, 3};
  int32_t tokens[BATCH * SEQUENCE] = {0, 1, 2, 3, 4, 5};
  sinter_exec exec = backwards(2);
  BROKEN(sequence, -1, SINTER_DIMENSION, "sequence is outside 0..64");
  BROKEN(sequence, 65, SINTER_DIMENSION, "sequence");
  BROKEN(sequence, (int64_t)1 << 62, SINTER_DIMENSION, "sequence");
  lengths[1] = 4;
  BROKEN(lengths, lengths, SINTER_DIMENSION, "lengths");
  lengths[1] = -1;
  BROKEN(lengths, lengths, SINTER_DIMENSION, "lengths");
  tokens[5] = 16;
  BROKEN(tokens, tokens, SINTER_INDEX, "tokens has an id outside 0..15");
  tokens[5] = -1;
  BROKEN(tokens, tokens, SINTER_INDEX, "tokens");
  BROKEN(exec, &exec, SINTER_MEMORY, "workspace_size"); /* sized for one */
  exec.workers = 0;
  BROKEN(exec, &exec, SINTER_ARGUMENT, "exec->workers");
  exec.workers = 1;
  exec.run = NULL;
  BROKEN(exec, &exec, SINTER_ARGUMENT, "exec->run");
  exec = backwards(1);
  exec.size = 8;
  BROKEN(exec, &exec, SINTER_ARGUMENT, "exec->size");
  /* The cache: 3 + 3 positions fit into 8, 9 do not. */
  EXPECT(run(good) == SINTER_OK && run(good) == SINTER_OK);
  BROKEN(sequence, SEQUENCE, SINTER_FULL, "context");
  EXPECT(toy_session_truncate(good.session, -1, 0) == SINTER_OK);
}

/* One function of the session or the weights. */
#define FAILS(call, kind, word)                                                \
  do {                                                                         \
    sinter_status status = (call);                                             \
    EXPECT(status < 0 && SINTER_KIND(status) == kind);                         \
    EXPECT(strstr(toy_status_string(status), word) != NULL);                   \
  } while (0)

static void test_session(void) {
  size_t size = TOY_SESSION_SIZE(2, 8);
  char *memory = guarded(size);
  toy_session *s = NULL, *tiny = new_session(1, 1);
  FAILS(toy_session_init(NULL, size, 2, 8, &s), SINTER_ARGUMENT, "memory");
  FAILS(toy_session_init(memory, size, 2, 8, NULL), SINTER_ARGUMENT, "session");
  FAILS(toy_session_init(memory - 8, size, 2, 8, &s), SINTER_MEMORY, "memory");
  FAILS(toy_session_init(memory, size - 1, 2, 8, &s), SINTER_MEMORY, "size");
  FAILS(toy_session_init(memory, size, 0, 8, &s), SINTER_DIMENSION, "batch");
  FAILS(toy_session_init(memory, size, 2, 65, &s), SINTER_DIMENSION, "context");
  FAILS(toy_session_init(memory, size, -1, 8, &s), SINTER_DIMENSION, "batch");
  EXPECT(s == NULL && memory[0] == 0x5a && memory[size - 1] == 0x5a);
  EXPECT(toy_session_size(0, 8) == 0 && toy_session_size(1, 65) == 0);
  EXPECT(toy_session_size((int64_t)1 << 62, 8) == 0);
  FAILS(toy_session_restore(memory, size, &s), SINTER_SESSION, "memory");
  memcpy(memory, good.session, size);
  FAILS(toy_session_restore(memory, size - 1, &s), SINTER_MEMORY, "size");
  FAILS(toy_session_restore(memory, 63, &s), SINTER_MEMORY, "size");
  FAILS(toy_session_restore(NULL, size, &s), SINTER_ARGUMENT, "memory");
  ((int64_t *)memory)[8] = 9; /* a cursor beyond its capacity */
  FAILS(toy_session_restore(memory, size, &s), SINTER_SESSION, "memory");
  FAILS((sinter_status)toy_session_length(NULL, 0), SINTER_ARGUMENT, "session");
  FAILS((sinter_status)toy_session_length(good.session, 2), SINTER_ARGUMENT,
        "row");
  FAILS(toy_session_truncate(good.session, 2, 0), SINTER_ARGUMENT, "row");
  FAILS(toy_session_truncate(good.session, 0, 1), SINTER_ARGUMENT, "length");
  FAILS(toy_session_truncate(good.session, 0, -1), SINTER_ARGUMENT, "length");
  EXPECT(run(good) == SINTER_OK);
  FAILS(toy_session_copy_row(tiny, 0, good.session, 0), SINTER_FULL, "room");
  FAILS(toy_session_copy_row(tiny, 1, good.session, 0), SINTER_ARGUMENT, "to");
  FAILS(toy_session_copy_row(tiny, 0, good.session, 2), SINTER_ARGUMENT,
        "from");
  FAILS(toy_session_copy_row(NULL, 0, good.session, 0), SINTER_ARGUMENT, "to");
  FAILS(toy_session_copy_row(tiny, 0, NULL, 0), SINTER_ARGUMENT, "from");
}

static void test_weights(void) {
  const toy_weights *w = NULL;
  char *bytes = guarded(TOY_WEIGHTS_SIZE);
  memcpy(bytes, good.weights, TOY_WEIGHTS_SIZE);
  FAILS(toy_weights_open(NULL, TOY_WEIGHTS_SIZE, &w), SINTER_ARGUMENT, "bytes");
  FAILS(toy_weights_open(bytes, TOY_WEIGHTS_SIZE, NULL), SINTER_ARGUMENT,
        "weights");
  FAILS(toy_weights_open(bytes, TOY_WEIGHTS_SIZE - 1, &w), SINTER_WEIGHTS,
        "size");
  FAILS(toy_weights_open(bytes, 8, &w), SINTER_WEIGHTS, "size");
  FAILS(toy_weights_open(bytes - 4, TOY_WEIGHTS_SIZE, &w), SINTER_MEMORY,
        "aligned");
  bytes[0] ^= 1;
  FAILS(toy_weights_open(bytes, TOY_WEIGHTS_SIZE, &w), SINTER_WEIGHTS, "bytes");
  bytes[0] ^= 1;
  bytes[TOY_WEIGHTS_SIZE - 1] ^= 1;
  EXPECT(w == NULL);
  EXPECT(toy_weights_open(bytes, TOY_WEIGHTS_SIZE, &w) == SINTER_OK);
  FAILS(toy_weights_verify(w), SINTER_WEIGHTS, "damaged");
}

/* No elements, no pointer needed; and sizes that do not exist. */
static void test_empty(void) {
  struct call c = good;
  c.sequence = 0;
  c.lengths = NULL;
  c.tokens = NULL;
  EXPECT(run(c) == SINTER_OK);
  EXPECT(toy_prefill_workspace_size(BATCH, 65, 1) == 0);
  EXPECT(toy_prefill_workspace_size(0, 1, 1) == 0);
  EXPECT(toy_prefill_workspace_size(BATCH, SEQUENCE, 0) == 0);
  EXPECT(toy_third_workspace_size(0, 1) == 64);
}

int main(void) {
  int32_t *tokens = guarded(sizeof(int32_t) * BATCH * SEQUENCE);
  int64_t *lengths = guarded(sizeof(int64_t) * BATCH);
  int i;
  memset(tokens, 0, sizeof(int32_t) * BATCH * SEQUENCE);
  lengths[0] = lengths[1] = SEQUENCE;
  session_size = toy_session_size(BATCH, CONTEXT);
  workspace_size = toy_prefill_workspace_size(BATCH, SEQUENCE, 1);
  good.session = new_session(BATCH, CONTEXT);
  good.weights = read_weights();
  good.workspace = guarded(workspace_size);
  good.workspace_size = workspace_size;
  good.sequence = SEQUENCE;
  good.lengths = lengths;
  good.tokens = tokens;
  good.sums = guarded(sums_size);
  for (i = 0; i < 3; i++)
    copies[i] = malloc(session_size + workspace_size + sums_size);
  test_pointers();
  test_values();
  test_session();
  test_weights();
  test_empty();
  puts(failures ? "failed" : "all refused");
  return failures != 0;
}
