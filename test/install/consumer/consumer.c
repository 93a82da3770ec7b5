#include <narrator.h>
#include <stdio.h>
#include <tale.h>

int main(void) {
  printf("%s needs %lu bytes\n", TALE_TARGET,
         (unsigned long)narrator_session_size(16));
  return narrator_session_size(16) != TALE_SESSION_SIZE(1, 16);
}
