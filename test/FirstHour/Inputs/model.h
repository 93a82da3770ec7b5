/* What the programs of the first hour share: memory and calls of the stories
   model. */
#ifndef FIRST_HOUR_MODEL_H
#define FIRST_HOUR_MODEL_H
#include "stories.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VOCABULARY = 512 };

static int failures;
#define EXPECT(x)                                                              \
  ((x) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #x)))

static void *aligned(size_t size) {
  void *memory = aligned_alloc(64, size);
  if (!memory)
    abort();
  memset(memory, 0x5a, size);
  return memory;
}

static stories_session *new_session(int64_t batch, int64_t context) {
  size_t size = stories_session_size(batch, context);
  stories_session *session = NULL;
  EXPECT(stories_session_init(aligned(size), size, batch, context, &session) ==
         SINTER_OK);
  return session;
}

static inline void prefill(stories_session *session, const sinter_exec *exec,
                           int64_t batch, int64_t sequence,
                           const int64_t *lengths, const int32_t *tokens,
                           float *logits) {
  size_t size =
      stories_prefill_workspace_size(batch, sequence, exec ? exec->workers : 1);
  void *workspace = aligned(size);
  sinter_status status = stories_prefill(session, exec, workspace, size,
                                         sequence, lengths, tokens, logits);
  if (status != SINTER_OK)
    failures++, puts(stories_status_string(status));
  free(workspace);
}
#endif
