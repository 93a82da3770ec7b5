/* Writes the sounds of English words, one word a line.

   sinterc g2p.mlir -o g2p.o
   cc main.c g2p.o -o g2p && ./g2p < words.txt                                */
#include "g2p.h"
#include <stdio.h>
#include <string.h>

enum {
  WORD_END = 2, /* letters: padding, unknown, end, a .. z */
  LETTER_A = 3,
  SOUND_BEGIN = 2, /* sounds: padding, unknown, begin, end, then those below */
  SOUND_END = 3,
  FIRST_SOUND = 4,
  SOUNDS = 74,
  LONGEST = 64, /* letters, with the end */
  STEPS = 20
};

static const char names[] =
    "AA0 AA1 AA2 AE0 AE1 AE2 AH0 AH1 AH2 AO0 AO1 AO2 AW0 AW1 AW2 AY0 AY1 AY2 "
    "B CH D DH EH0 EH1 EH2 ER0 ER1 ER2 EY0 EY1 EY2 F G HH IH0 IH1 IH2 IY0 IY1 "
    "IY2 JH K L M N NG OW0 OW1 OW2 OY0 OY1 OY2 P R S SH T TH UH0 UH1 UH2 UW "
    "UW0 UW1 UW2 V W Y Z ZH ";

#define LARGER(a, b) ((a) > (b) ? (a) : (b))
SINTER_ALIGNED(G2P_ALIGN) static unsigned char memory[G2P_SESSION_SIZE(1)];
SINTER_ALIGNED(G2P_ALIGN)
static unsigned char workspace[LARGER(G2P_ENCODE_WORKSPACE_SIZE(1, LONGEST, 1),
                                      G2P_STEP_WORKSPACE_SIZE(1, 1))];

static void print_sound(char separator, int32_t sound) {
  const char *name = names;
  for (; sound > FIRST_SOUND; sound--)
    name = strchr(name, ' ') + 1;
  printf("%c%.*s", separator, (int)strcspn(name, " "), name);
}

/* The letters of a line, and the end. */
static int64_t read_letters(const char *line, int32_t *letters) {
  int64_t count = 0;
  for (; *line && *line != '\n' && count + 1 < LONGEST; line++)
    letters[count++] =
        *line >= 'a' && *line <= 'z' ? *line - 'a' + LETTER_A : 1;
  letters[count++] = WORD_END;
  return count;
}

/* Greedy: the likeliest sound at every step. */
static sinter_status say(g2p_session *session, const char *line) {
  int32_t letters[LONGEST], sound = SOUND_BEGIN, step, i;
  float logits[SOUNDS];
  int64_t count = read_letters(line, letters);
  sinter_status status = g2p_encode(session, NULL, workspace, sizeof workspace,
                                    count, NULL, letters);
  for (step = 0; step < STEPS && status >= 0; step++) {
    status =
        g2p_step(session, NULL, workspace, sizeof workspace, &sound, logits);
    for (sound = 0, i = 1; i < SOUNDS; i++)
      if (logits[i] > logits[sound])
        sound = i;
    if (sound == SOUND_END || status < 0)
      break;
    if (sound >= FIRST_SOUND)
      print_sound(step ? ' ' : '\t', sound);
  }
  putchar('\n');
  return status;
}

int main(void) {
  g2p_session *session;
  char line[LONGEST];
  sinter_status status = g2p_session_init(memory, sizeof memory, 1, &session);
  while (status >= 0 && fgets(line, sizeof line, stdin)) {
    printf("%.*s", (int)strcspn(line, "\n"), line);
    status = say(session, line);
  }
  if (status < 0)
    fprintf(stderr, "%s\n", g2p_status_string(status));
  return status < 0 || fflush(stdout) != 0;
}
