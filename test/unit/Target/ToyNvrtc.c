/* ToyNvrtc.c - a library with NVRTC's symbols for tests of its loader.
 *
 * Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Says that it is 12.4 and knows sm_80 and sm_90. "Compiling" gives the text
 * behind the options; a text with "#error" fails, one with "#warning" warns,
 * one with "#spill" spills until a macro is defined, one with "#stack" has a
 * stack frame whatever is defined. TOY_NVRTC in the environment is one more
 * line of all texts that have a macro for their blocks.
 */

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program {
  char *text;
  char *code;
  const char *log;
};

int toy_compilations = 0;

int nvrtcVersion(int *major, int *minor) {
  *major = 12;
  *minor = 4;
  return 0;
}

const char *nvrtcGetErrorString(int result) {
  return result ? "NVRTC_ERROR_COMPILATION" : "NVRTC_SUCCESS";
}

int nvrtcGetNumSupportedArchs(int *count) {
  *count = 2;
  return 0;
}

int nvrtcGetSupportedArchs(int *architectures) {
  architectures[0] = 80;
  architectures[1] = 90;
  return 0;
}

int nvrtcCreateProgram(void **program, const char *text, const char *name,
                       int headers, const char *const *contents,
                       const char *const *names) {
  struct program *made = calloc(1, sizeof *made);
  (void)name, (void)headers, (void)contents, (void)names;
  const char *line = getenv("TOY_NVRTC");
  if (!line || !strstr(text, "SINTER_BLOCKS_"))
    line = "";
  made->text = malloc(strlen(text) + strlen(line) + 1);
  strcpy(made->text, text);
  strcat(made->text, line);
  made->log = "";
  *program = made;
  return 0;
}

int nvrtcDestroyProgram(void **program) {
  struct program *made = *program;
  free(made->text);
  free(made->code);
  free(made);
  *program = NULL;
  return 0;
}

static const char *logOf(const char *text, int count,
                         const char *const *options) {
  int fewer = 0;
  for (int i = 0; i < count; ++i)
    fewer |= !strncmp(options[i], "--define-macro=", 15);
  if (strstr(text, "#error"))
    return "toy.cu(1): error: #error directive\n";
  if (strstr(text, "#warning"))
    return "toy.cu(1): warning: #warning directive\n";
  if (strstr(text, "#spill") && !fewer)
    return "    16 bytes stack frame, 24 bytes spill stores, 24 bytes spill "
           "loads\n";
  if (strstr(text, "#stack"))
    return "    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill "
           "loads\n";
  return "";
}

int nvrtcCompileProgram(void *program, int count, const char *const *options) {
  struct program *made = program;
  size_t size = strlen(made->text) + 64;
  __atomic_add_fetch(&toy_compilations, 1, __ATOMIC_RELAXED);
  made->log = logOf(made->text, count, options);
  if (strstr(made->text, "#error"))
    return 6;
  for (int i = 0; i < count; ++i)
    size += strlen(options[i]) + 1;
  made->code = calloc(1, size);
  for (int i = 0; i < count; ++i) {
    strcat(made->code, options[i]);
    strcat(made->code, " ");
  }
  if (getenv("NVRTC_APPEND_FLAGS"))
    strcat(made->code, "appended ");
  strcat(made->code, made->text);
  return 0;
}

int nvrtcGetProgramLogSize(void *program, size_t *size) {
  *size = strlen(((struct program *)program)->log) + 1;
  return 0;
}

int nvrtcGetProgramLog(void *program, char *log) {
  strcpy(log, ((struct program *)program)->log);
  return 0;
}

int nvrtcGetCUBINSize(void *program, size_t *size) {
  *size = strlen(((struct program *)program)->code);
  return 0;
}

int nvrtcGetCUBIN(void *program, char *code) {
  const char *made = ((struct program *)program)->code;
  memcpy(code, made, strlen(made));
  return 0;
}

int nvrtcGetPTXSize(void *program, size_t *size) {
  (void)program;
  *size = sizeof "toy ptx";
  return 0;
}

int nvrtcGetPTX(void *program, char *ptx) {
  (void)program;
  strcpy(ptx, "toy ptx");
  return 0;
}
