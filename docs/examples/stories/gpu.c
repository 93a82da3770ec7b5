/* Tells a story on the first GPU: greedy decoding from the begin-of-sequence
   token. cuda_driver.c of Sinter's runtime opens the driver; nothing of CUDA's
   toolkit is needed.

   sinterc stories.mlir --target=cuda -o stories.o
   cc gpu.c cuda_driver.c stories.o -ldl -pthread -o stories
   ./stories tok512.bin                                                  */
#include "sinter-c/sinter_cuda.h"
#include "stories.h"
#include <stdio.h>
#include <stdlib.h>

enum { CONTEXT = 200, BEGIN = 1, VOCABULARY = 512, LONGEST = 16 };

static const sinter_cuda *cuda;
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

/* Makes the first GPU's context this thread's; an application that uses CUDA
   already has one. */
static int use_gpu(void **stream) {
  void *context;
  cuda = sinter_cuda_driver();
  if (!cuda)
    return fprintf(stderr, "%s\n", sinter_cuda_driver_error()), 0;
  return cuda->cuDevicePrimaryCtxRetain(&context, 0) == 0 &&
         cuda->cuCtxSetCurrent(context) == 0 &&
         cuda->cuStreamCreate(stream, 1) == 0;
}

/* cudaMalloc by another name; NULL is refused by whoever is given it. */
static void *allocate(size_t bytes) {
  uint64_t address = 0;
  return cuda->cuMemAlloc(&address, bytes) == 0 ? (void *)(uintptr_t)address
                                                : NULL;
}

static int tell(void *stream, int count) {
  static SINTER_ALIGNED(STORIES_ALIGN) char handle[STORIES_DEVICE_HANDLE_SIZE];
  static SINTER_ALIGNED(STORIES_ALIGN) char cache[STORIES_SESSION_HANDLE_SIZE];
  const int64_t batch = 1, prompt = 1;
  stories_device *device;
  stories_session *session;
  sinter_status status;
  size_t bytes = stories_session_size(batch, CONTEXT);
  size_t work = stories_decode_workspace_size(batch);
  if (work < stories_prefill_workspace_size(batch, prompt))
    work = stories_prefill_workspace_size(batch, prompt);
  void *weights = allocate(STORIES_DEVICE_MEMORY_SIZE);
  void *states = allocate(bytes), *workspace = allocate(work);
  void *tokens = allocate(sizeof(int32_t)), *scores = allocate(sizeof logits);
  int32_t token = BEGIN, previous;

  status = stories_device_open(handle, sizeof handle, weights,
                               STORIES_DEVICE_MEMORY_SIZE, stream, &device);
  if (status < 0)
    return fail(status);
  status = stories_session_init(cache, sizeof cache, states, bytes, batch,
                                CONTEXT, stream, &session);
  for (int step = 0; status >= 0 && step < count && step < CONTEXT; step++) {
    cuda->cuMemcpyHtoDAsync((uintptr_t)tokens, &token, sizeof token, stream);
    if (step == 0)
      status = stories_prefill(session, device, stream, workspace, work, prompt,
                               NULL, tokens, scores);
    else
      status = stories_decode(session, device, stream, workspace, work, NULL,
                              tokens, scores); /* queued */
    cuda->cuMemcpyDtoHAsync(logits, (uintptr_t)scores, sizeof logits, stream);
    if (status >= 0)
      status = stories_status(workspace, stream); /* done */
    previous = token;
    token = most_likely();
    if (status < 0 || token == BEGIN)
      break;
    print_piece(previous, token);
  }
  if (status >= 0)
    status = stories_device_close(device);
  if (status < 0)
    return fail(status);
  return fflush(stdout) != 0;
}

int main(int argc, char **argv) {
  const char *tokenizer = argc > 1 ? argv[1] : "tok512.bin";
  void *stream;
  if (!read_tokenizer(tokenizer))
    return fprintf(stderr, "%s: not a tokenizer of %d tokens\n", tokenizer,
                   (int)VOCABULARY),
           1;
  if (!use_gpu(&stream))
    return 1;
  return tell(stream, argc > 2 ? atoi(argv[2]) : CONTEXT);
}
