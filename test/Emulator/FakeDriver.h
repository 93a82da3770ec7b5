//===- FakeDriver.h - What the fake CUDA driver's files share -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library to be named by SINTER_CUDA_DRIVER: the functions of libcuda.so.1
// that Sinter's runtime needs, over the emulator. It returns the driver's error
// codes where a driver would, and says on stderr what it objects to. Kernels
// and copies run late: when something waits for their stream.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_EMULATOR_FAKEDRIVER_H
#define SINTER_EMULATOR_FAKEDRIVER_H

#include "Machine.h"
#include "Options.h"
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace sinter::emulation {

/// Of CUresult.
enum Error {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  InvalidDevice = 101,
  InvalidImage = 200,
  InvalidContext = 201,
  InvalidHandle = 400,
  IllegalState = 401,
  NotFound = 500,
  NotReady = 600,
  NotSupported = 801,
  CaptureUnsupported = 900,
  CaptureInvalidated = 901,
};

/// What a block has; Options tell what differs between devices.
constexpr int kMaxThreads = 1024;
constexpr int kDefaultShared = 48 << 10; // without cuFuncSetAttribute

struct Module;

struct Function {
  std::string name;
  const Kernel *kernel = nullptr;
  int maxShared = kDefaultShared;
};

struct Module {
  void *library = nullptr;
  std::map<std::string, std::unique_ptr<Function>> functions;
};

using Operation = std::function<void()>;
using Graph = std::vector<Operation>;

struct Stream {
  std::deque<Operation> pending;
  std::unique_ptr<Graph> capture; // set between begin and end of a capture
  bool isInvalidated = false;     // the capture saw what it may not
};

struct Event {
  Stream *stream = nullptr; // where it was recorded last
};

/// Everything there is. One call of the driver runs at a time.
struct Driver {
  std::recursive_mutex mutex;
  Options options = Options::fromEnvironment();
  bool isInitialized = false;
  int contextUsers = 0;
  std::map<uint64_t, size_t> memory; // address and bytes
  std::set<Module *> modules;
  std::set<Function *> functions;
  std::set<Stream *> streams;
  std::set<Event *> events;
  std::set<Graph *> graphs, executables;
  Stream defaultStream; // the null handle's
};
Driver &driver();

/// Holds the lock in every function of the driver. `error` says why it cannot
/// be executed; `name` is the function's.
struct Call {
  explicit Call(const char *name, bool needsContext = true);
  std::lock_guard<std::recursive_mutex> lock;
  const char *name;
  Error error = Success;
  /// Says what is wrong and gives `error` back.
  Error refuse(Error error, const char *format, ...) const
      __attribute__((format(printf, 3, 4)));
};

/// What is not allowed while a stream is captured, such as waiting, spoils the
/// capture; the error then is not Success.
Error refuseCapture(const Call &call);

/// Memory at `address`, if the range is inside one allocation; else null, and
/// the call said so.
void *findMemory(const Call &call, uint64_t address, size_t bytes);

/// Runs an operation, the only time that device memory may be accessed.
void execute(const Operation &operation);

/// Ends the process if something was written behind an allocation.
void checkMemory(const char *kernel);

/// Appends to the stream, or to its capture. A null handle is the default
/// stream, which waits for all others.
Error enqueue(const Call &call, void *stream, Operation operation);
void runPending(Stream &stream);
void runAllPending();

} // namespace sinter::emulation

#endif // SINTER_EMULATOR_FAKEDRIVER_H
