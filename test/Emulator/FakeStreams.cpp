//===- FakeStreams.cpp - Streams, events and graphs of the fake driver ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include <chrono>

using namespace sinter::emulation;

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

void sinter::emulation::runPending(Stream &stream) {
  while (!stream.pending.empty()) {
    Operation operation = std::move(stream.pending.front());
    stream.pending.pop_front();
    execute(operation);
  }
}

void sinter::emulation::runAllPending() {
  runPending(driver().defaultStream);
  for (Stream *stream : driver().streams)
    runPending(*stream);
}

Error sinter::emulation::refuseCapture(const Call &call) {
  bool isCapturing = false;
  for (Stream *stream : driver().streams)
    if (stream->capture)
      isCapturing = stream->isInvalidated = true;
  return isCapturing
             ? call.refuse(CaptureUnsupported, "a stream is being captured")
             : Success;
}

/// The stream of a handle; an unknown one is the call's error.
static Stream *findStream(Call &call, void *handle) {
  auto *stream = static_cast<Stream *>(handle);
  if (call.error)
    return nullptr;
  if (!handle)
    return &driver().defaultStream;
  if (driver().streams.count(stream))
    return stream;
  call.error = call.refuse(InvalidHandle, "%p is no stream", handle);
  return nullptr;
}

Error sinter::emulation::enqueue(const Call &call, void *handle,
                                 Operation operation) {
  auto *stream = static_cast<Stream *>(handle);
  if (!handle) {
    if (Error error = refuseCapture(call))
      return error;
    // What comes after on other streams waits for it, so it is done at once.
    runAllPending();
    execute(operation);
    return Success;
  }
  if (!driver().streams.count(stream))
    return call.refuse(InvalidHandle, "%p is no stream", handle);
  if (stream->isInvalidated)
    return CaptureInvalidated;
  if (stream->capture)
    stream->capture->push_back(std::move(operation));
  else
    stream->pending.push_back(std::move(operation));
  return Success;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

EXPORT int cuStreamCreate(void **stream, unsigned) {
  Call call("cuStreamCreate");
  if (call.error)
    return call.error;
  auto *created = new Stream;
  driver().streams.insert(created);
  *stream = created;
  return Success;
}

EXPORT int cuStreamDestroy_v2(void *handle) {
  Call call("cuStreamDestroy");
  Stream *stream = findStream(call, handle);
  if (!stream || stream == &driver().defaultStream)
    return call.error ? call.error : InvalidHandle;
  runPending(*stream);
  driver().streams.erase(stream);
  delete stream;
  return Success;
}

EXPORT int cuStreamSynchronize(void *handle) {
  Call call("cuStreamSynchronize");
  Stream *stream = findStream(call, handle);
  if (!stream || (call.error = refuseCapture(call)))
    return call.error;
  runPending(*stream);
  return Success;
}

EXPORT int cuStreamQuery(void *handle) {
  Call call("cuStreamQuery");
  Stream *stream = findStream(call, handle);
  if (!stream)
    return call.error;
  if (stream->pending.empty())
    return Success;
  runPending(*stream); // who asks again finds it done
  return NotReady;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

static Event *findEvent(Call &call, void *handle) {
  auto *event = static_cast<Event *>(handle);
  if (!call.error && !driver().events.count(event))
    call.error = call.refuse(InvalidHandle, "%p is no event", handle);
  return call.error ? nullptr : event;
}

EXPORT int cuEventCreate(void **event, unsigned) {
  Call call("cuEventCreate");
  if (call.error)
    return call.error;
  auto *created = new Event;
  driver().events.insert(created);
  *event = created;
  return Success;
}

EXPORT int cuEventDestroy_v2(void *handle) {
  Call call("cuEventDestroy");
  Event *event = findEvent(call, handle);
  if (!event)
    return call.error;
  driver().events.erase(event);
  delete event;
  return Success;
}

EXPORT int cuEventRecord(void *handle, void *streamHandle) {
  Call call("cuEventRecord");
  Event *event = findEvent(call, handle);
  Stream *stream = findStream(call, streamHandle);
  if (!event || !stream)
    return call.error;
  event->stream = stream;
  return Success;
}

/// Runs all of the event's stream: more than was recorded, which may be.
static int waitForEvent(Call &call, void *handle) {
  Event *event = findEvent(call, handle);
  if (!event)
    return call.error;
  if (event->stream && !event->stream->capture)
    runPending(*event->stream);
  return Success;
}

EXPORT int cuEventSynchronize(void *handle) {
  Call call("cuEventSynchronize");
  return waitForEvent(call, handle);
}

EXPORT int cuStreamWaitEvent(void *, void *handle, unsigned) {
  Call call("cuStreamWaitEvent");
  return waitForEvent(call, handle);
}

/// Time means nothing here; it is positive.
EXPORT int cuEventElapsedTime(float *milliseconds, void *, void *) {
  Call call("cuEventElapsedTime");
  *milliseconds = 1;
  return call.error;
}

//===----------------------------------------------------------------------===//
// Captures and graphs
//===----------------------------------------------------------------------===//

EXPORT int cuStreamIsCapturing(void *handle, int *status) {
  Call call("cuStreamIsCapturing");
  Stream *stream = findStream(call, handle);
  if (!stream)
    return call.error;
  *status = !stream->capture ? 0 : stream->isInvalidated ? 2 : 1;
  return Success;
}

EXPORT int cuStreamBeginCapture_v2(void *handle, int) {
  Call call("cuStreamBeginCapture");
  Stream *stream = findStream(call, handle);
  if (!stream)
    return call.error;
  if (stream == &driver().defaultStream)
    return call.refuse(CaptureUnsupported,
                       "the default stream cannot be captured");
  if (stream->capture)
    return call.refuse(IllegalState, "the stream is being captured already");
  stream->capture = std::make_unique<Graph>();
  stream->isInvalidated = false;
  return Success;
}

EXPORT int cuStreamEndCapture(void *handle, void **graph) {
  Call call("cuStreamEndCapture");
  Stream *stream = findStream(call, handle);
  if (!stream)
    return call.error;
  if (!stream->capture)
    return call.refuse(IllegalState, "the stream is not being captured");
  std::unique_ptr<Graph> captured = std::move(stream->capture);
  bool isInvalidated = stream->isInvalidated;
  stream->isInvalidated = false;
  *graph = nullptr;
  if (isInvalidated)
    return CaptureInvalidated;
  driver().graphs.insert(captured.get());
  *graph = captured.release();
  return Success;
}

EXPORT int cuGraphInstantiateWithFlags(void **executable, void *handle,
                                       unsigned long long) {
  Call call("cuGraphInstantiate");
  auto *graph = static_cast<Graph *>(handle);
  if (call.error)
    return call.error;
  if (!driver().graphs.count(graph))
    return call.refuse(InvalidHandle, "%p is no graph", handle);
  auto *copy = new Graph(*graph);
  driver().executables.insert(copy);
  *executable = copy;
  return Success;
}

EXPORT int cuGraphLaunch(void *handle, void *stream) {
  Call call("cuGraphLaunch");
  auto *graph = static_cast<Graph *>(handle);
  if (call.error)
    return call.error;
  if (!driver().executables.count(graph))
    return call.refuse(InvalidHandle, "%p is no executable graph", handle);
  for (const Operation &operation : *graph)
    if (Error error = enqueue(call, stream, operation))
      return error;
  return Success;
}

/// Frees a graph of the set that it belongs to.
static int destroy(Call &call, std::set<Graph *> &graphs, void *handle) {
  auto *graph = static_cast<Graph *>(handle);
  if (call.error)
    return call.error;
  if (!graphs.erase(graph))
    return call.refuse(InvalidHandle, "%p is no graph", handle);
  delete graph;
  return Success;
}

EXPORT int cuGraphDestroy(void *graph) {
  Call call("cuGraphDestroy");
  return destroy(call, driver().graphs, graph);
}

EXPORT int cuGraphExecDestroy(void *graph) {
  Call call("cuGraphExecDestroy");
  return destroy(call, driver().executables, graph);
}
