/* Reads sentences, one a line, in which U+2581 stands before and after one
   character, and writes that character's reading.

   sinterc labeller.mlir -o labeller.o
   cc main.c labeller.o -o label && ./label < sentences                       */
#include "labeller.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  BATCH = 16,
  LONGEST = 128, /* characters of a sentence and its two ends */
  UNKNOWN = 1,
  BEGIN = 2,
  END = 3,
  CLASSES = 876,
  LAST_CODE = 0x10ffff,
  REPLACEMENT = 0xfffd,
  MARK = 0x2581
};

SINTER_ALIGNED(LABELLER_ALIGN)
static unsigned char
    workspace[LABELLER_CLASSIFY_WORKSPACE_SIZE(BATCH, LONGEST, 1)];
static int32_t id_of[LAST_CODE + 1];
static char readings[CLASSES][16];
/* The batch that is being filled; its rows are as long as its longest. */
static int32_t rows[BATCH][LONGEST], characters[BATCH * LONGEST];
static int64_t lengths[BATCH], asked[BATCH], count, longest;

static void fail(const char *message) {
  fprintf(stderr, "label: %s\n", message);
  exit(1);
}

/* The next character of UTF-8 text; 0 at its end. */
static int32_t next_code(const unsigned char **text) {
  int32_t code = **text;
  int more = code < 0xc0 ? 0 : code < 0xe0 ? 1 : code < 0xf0 ? 2 : 3;
  if (code)
    ++*text;
  if (more)
    code &= 0x3f >> more;
  for (; more && (**text & 0xc0) == 0x80; more--)
    code = code << 6 | (*(*text)++ & 0x3f);
  return code <= LAST_CODE ? code : REPLACEMENT;
}

static FILE *open_list(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file)
    fail(path);
  return file;
}

/* A line's number is the id; entries of several letters are no characters. */
static void read_characters(const char *path) {
  FILE *file = open_list(path);
  char line[64];
  int32_t id, code;
  for (code = 0; code <= LAST_CODE; code++)
    id_of[code] = UNKNOWN;
  for (id = 0; fgets(line, sizeof line, file); id++) {
    const unsigned char *text = (const unsigned char *)line;
    code = next_code(&text);
    if (*text == '\n')
      id_of[code] = id;
  }
  fclose(file);
}

static void read_classes(const char *path) {
  FILE *file = open_list(path);
  int i;
  for (i = 0; i < CLASSES; i++)
    if (!fgets(readings[i], sizeof readings[i], file))
      fail(path);
  fclose(file);
}

static void add_sentence(const char *line) {
  const unsigned char *text = (const unsigned char *)line;
  int32_t *row = rows[count], code;
  int64_t length = 0;
  asked[count] = 0;
  row[length++] = BEGIN;
  while ((code = next_code(&text)) && code != '\n') {
    if (length == LONGEST - 1)
      fail("a sentence is too long");
    if (code != MARK)
      row[length++] = id_of[code];
    else if (!asked[count])
      asked[count] = length;
  }
  row[length++] = END;
  lengths[count++] = length;
  if (longest < length)
    longest = length;
}

static void classify(void) {
  static float logits[BATCH * CLASSES];
  sinter_status status;
  int64_t i;
  for (i = 0; i < count; i++)
    memcpy(&characters[i * longest], rows[i],
           (size_t)lengths[i] * sizeof **rows);
  status = labeller_classify(NULL, workspace, sizeof workspace, count, longest,
                             lengths, characters, asked, logits);
  if (status < 0)
    fail(labeller_status_string(status));
  for (i = 0; i < count; i++) {
    const float *scores = logits + i * CLASSES;
    int best = 0, j;
    for (j = 1; j < CLASSES; j++)
      if (scores[j] > scores[best])
        best = j;
    fputs(readings[best], stdout);
  }
  count = longest = 0;
}

int main(void) {
  char line[4 * LONGEST + 16];
  read_characters("characters.txt");
  read_classes("classes.txt");
  while (fgets(line, sizeof line, stdin)) {
    add_sentence(line);
    if (count == BATCH)
      classify();
  }
  if (count)
    classify();
  return fflush(stdout) != 0;
}
