/* What the toy tests share: buffers that end at a guard page, an exec. */
#ifndef TOY_SUPPORT_H
#define TOY_SUPPORT_H
#include "toy.h"
#include "toz.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int failures;
#define EXPECT(x)                                                              \
  ((x) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #x)))

/* `size` bytes, 64-aligned where size is; a page that faults on each side. */
static void *guarded(size_t size) {
  size_t page = 4096, room = (size + page - 1) / page * page;
  char *at = mmap(NULL, room + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
                  -1, 0);
  if (at == MAP_FAILED || mprotect(at + page, room, PROT_READ | PROT_WRITE))
    abort();
  memset(at + page, 0x5a, room);
  return at + page + room - size;
}

static const toy_weights *read_weights(void) {
  const toy_weights *weights = NULL;
  FILE *file = fopen("toy.weights", "rb");
  void *bytes = guarded(TOY_WEIGHTS_SIZE);
  if (!file || fread(bytes, 1, TOY_WEIGHTS_SIZE, file) != TOY_WEIGHTS_SIZE)
    abort();
  fclose(file);
  EXPECT(toy_weights_open(bytes, TOY_WEIGHTS_SIZE, &weights) == SINTER_OK);
  EXPECT((const void *)weights == bytes);
  EXPECT(toy_weights_verify(weights) == SINTER_OK);
  return weights;
}

static toy_session *new_session(int64_t batch, int64_t context) {
  size_t size = toy_session_size(batch, context);
  toy_session *session = NULL;
  void *memory = guarded(size);
  EXPECT(toy_session_init(memory, size, batch, context, &session) == SINTER_OK);
  EXPECT((void *)session == memory);
  return session;
}

/* Backwards, one after the other. */
static void run_backwards(void *context, int32_t count,
                          void (*body)(void *argument, int32_t i),
                          void *argument) {
  (void)context;
  while (count-- > 0)
    body(argument, count);
}

static sinter_exec backwards(int32_t workers) {
  sinter_exec exec = {
      sizeof(sinter_exec), 1, NULL, run_backwards, NULL, NULL, NULL};
  exec.workers = workers;
  return exec;
}
#endif
