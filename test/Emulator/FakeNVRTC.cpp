//===- FakeNVRTC.cpp - NVRTC's functions over the host's compiler ---------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library to be named by SINTER_NVRTC. It compiles a text with clang, for the
// emulator, and calls the shared object a cubin; the fake driver loads it.
// Which sanitizer a kernel is compiled with says SINTER_EMULATOR (Options.h);
// it is part of the version, and so of what a cache goes by.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace sinter::emulation;

extern char **environ;

/// Of nvrtcResult.
enum Result {
  Success = 0,
  OutOfMemory = 1,
  InvalidInput = 3,
  InvalidProgram = 4,
  InvalidOption = 5,
  CompilationFailed = 6,
};

struct Program {
  std::string text, name, log, object;
};

static std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Options that Sinter gives; what they ask for means nothing here.
static bool isKnownOption(const std::string &option) {
  static const char *starts[] = {
      "--gpu-architecture=",  "-arch=",          "--std=c++20",
      "--ptxas-options=-v",   "--no-cache",      "--ftz=",
      "--generate-line-info", "--diag-suppress="};
  return std::any_of(std::begin(starts), std::end(starts),
                     [&](const char *start) {
                       return !option.compare(0, strlen(start), start);
                     });
}

static std::vector<std::string> compilerWords(const std::string &source,
                                              const std::string &object) {
  std::vector<std::string> words = {
      SINTER_EMULATOR_CLANG,
      "-std=c++20",
      "-O1",
      "-gline-tables-only",
      "-march=native",
      "-fno-exceptions",
      "-fPIC",
      "-shared",
      "-I" SINTER_EMULATOR_INCLUDE,
      // The text is one file, whatever it is made of.
      "-Wno-pragma-once-outside-header",
      "-Wno-undefined-inline",
      "-x",
      "c++",
      source,
      "-o",
      object,
  };
  Options options = Options::fromEnvironment();
  if (options.sanitizer == Sanitizer::Address)
    words.push_back("-fsanitize=address");
  if (options.sanitizer == Sanitizer::Thread)
    words.push_back("-fsanitize=thread");
  return words;
}

/// The environment without preloaded sanitizers, which are for this process.
static std::vector<char *> compilerEnvironment() {
  std::vector<char *> variables;
  for (char **variable = environ; *variable; ++variable)
    if (strncmp(*variable, "LD_PRELOAD=", 11))
      variables.push_back(*variable);
  variables.push_back(nullptr);
  return variables;
}

/// Runs `words`, with what it says in the file `log`. Returns its status.
static int execute(const std::vector<std::string> &words,
                   const std::string &log) {
  std::vector<char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  std::vector<char *> variables = compilerEnvironment();
  pid_t child;
  int status = posix_spawnp(&child, arguments[0], &actions, nullptr,
                            arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  if (status)
    return status;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

static Result compile(Program &program) {
  const char *temporary = getenv("TMPDIR");
  std::string folder =
      (temporary ? temporary : "/tmp") + std::string("/sinter-emulator-XXXXXX");
  if (!mkdtemp(folder.data()))
    return OutOfMemory;
  std::string source = folder + "/kernel.cpp", object = folder + "/kernel.so",
              log = folder + "/log";
  // Places in the text are named as NVRTC names them.
  std::ofstream(source) << "#line 1 \"" << program.name << "\"\n"
                        << program.text;
  int status = execute(compilerWords(source, object), log);
  program.log = readFile(log);
  program.object = readFile(object);
  for (const std::string &file : {source, object, log})
    unlink(file.c_str());
  rmdir(folder.c_str());
  return status || program.object.empty() ? CompilationFailed : Success;
}

/// Gives a text of `program`, whose size includes a final NUL if `isText`.
static Result giveSize(const std::string &text, bool isText, size_t *size) {
  *size = text.size() + isText;
  return Success;
}
static Result give(const std::string &text, bool isText, char *to) {
  memcpy(to, text.c_str(), text.size() + isText);
  return Success;
}

static const std::string kPTX = "// emulated: there is no PTX\n";

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT Result nvrtcVersion(int *major, int *minor) {
  *major = 12;
  *minor = 90 + static_cast<int>(Options::fromEnvironment().sanitizer);
  return Success;
}

EXPORT const char *nvrtcGetErrorString(Result result) {
  switch (result) {
  case Success:
    return "NVRTC_SUCCESS";
  case OutOfMemory:
    return "NVRTC_ERROR_OUT_OF_MEMORY";
  case InvalidInput:
    return "NVRTC_ERROR_INVALID_INPUT";
  case InvalidProgram:
    return "NVRTC_ERROR_INVALID_PROGRAM";
  case InvalidOption:
    return "NVRTC_ERROR_INVALID_OPTION";
  case CompilationFailed:
    return "NVRTC_ERROR_COMPILATION";
  }
  return "NVRTC_ERROR unknown";
}

static constexpr int kArchitectures[] = {80, 90, 100};

EXPORT Result nvrtcGetNumSupportedArchs(int *count) {
  *count = std::size(kArchitectures);
  return Success;
}

EXPORT Result nvrtcGetSupportedArchs(int *architectures) {
  std::copy(std::begin(kArchitectures), std::end(kArchitectures),
            architectures);
  return Success;
}

EXPORT Result nvrtcCreateProgram(Program **program, const char *text,
                                 const char *name, int headers,
                                 const char *const *, const char *const *) {
  if (!program || !text || headers)
    return InvalidInput;
  *program = new Program{text, name ? name : "default_program", "", ""};
  return Success;
}

EXPORT Result nvrtcDestroyProgram(Program **program) {
  if (!program || !*program)
    return InvalidProgram;
  delete *program;
  *program = nullptr;
  return Success;
}

EXPORT Result nvrtcCompileProgram(Program *program, int count,
                                  const char *const *options) {
  if (!program)
    return InvalidProgram;
  for (int i = 0; i < count; ++i) {
    if (isKnownOption(options[i]))
      continue;
    program->log = std::string("error: unrecognized option ") + options[i];
    return InvalidOption;
  }
  return compile(*program);
}

EXPORT Result nvrtcGetProgramLogSize(Program *program, size_t *size) {
  return program ? giveSize(program->log, true, size) : InvalidProgram;
}
EXPORT Result nvrtcGetProgramLog(Program *program, char *log) {
  return program ? give(program->log, true, log) : InvalidProgram;
}
EXPORT Result nvrtcGetCUBINSize(Program *program, size_t *size) {
  return program ? giveSize(program->object, false, size) : InvalidProgram;
}
EXPORT Result nvrtcGetCUBIN(Program *program, char *cubin) {
  return program ? give(program->object, false, cubin) : InvalidProgram;
}
EXPORT Result nvrtcGetPTXSize(Program *program, size_t *size) {
  return program ? giveSize(kPTX, true, size) : InvalidProgram;
}
EXPORT Result nvrtcGetPTX(Program *program, char *ptx) {
  return program ? give(kPTX, true, ptx) : InvalidProgram;
}
