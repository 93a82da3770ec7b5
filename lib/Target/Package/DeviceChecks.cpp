//===- DeviceChecks.cpp - Sentences of a model on a device ----------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "runtime/model.h"
#include "sinter-c/sinter_types.h"
#include "llvm/ADT/STLExtras.h"

using namespace sinter::package;
using namespace sinter::package::sentences;

static constexpr char noDriver[] =
    "there is no CUDA driver with a device (sinter_cuda_driver_error says "
    "why), or sinter_cuda_driver is older than this object";
static constexpr char noDevice[] = "device is NULL";
static constexpr char badDevice[] =
    "device is not an open device of this model's build";
static constexpr char noBuffer[] = "device_memory is NULL";
static constexpr char unalignedBuffer[] =
    "device_memory is not aligned to 64 bytes";

static constexpr CheckRow rows[] = {
    {SINTER_DEVICE_OPEN_MEMORY_NULL, SINTER_ARGUMENT, "device_open", noMemory},
    {SINTER_DEVICE_OPEN_MEMORY_ALIGN, SINTER_MEMORY, "device_open",
     unalignedMemory},
    {SINTER_DEVICE_OPEN_SIZE, SINTER_MEMORY, "device_open",
     "size is less than DEVICE_HANDLE_SIZE"},
    {SINTER_DEVICE_OPEN_OUT_NULL, SINTER_ARGUMENT, "device_open", noDevice},
    {SINTER_DEVICE_OPEN_BUFFER_NULL, SINTER_ARGUMENT, "device_open", noBuffer},
    {SINTER_DEVICE_OPEN_BUFFER_ALIGN, SINTER_MEMORY, "device_open",
     unalignedBuffer},
    {SINTER_DEVICE_OPEN_BUFFER_SIZE, SINTER_MEMORY, "device_open",
     "device_memory_size is less than DEVICE_MEMORY_SIZE"},
    {SINTER_DEVICE_OPEN_WEIGHTS_NULL, SINTER_ARGUMENT, "device_open",
     noWeights},
    {SINTER_DEVICE_OPEN_WEIGHTS_BAD, SINTER_WEIGHTS, "device_open", badWeights},
    {SINTER_DEVICE_OPEN_DRIVER, SINTER_DEVICE, "device_open", noDriver},
    {SINTER_DEVICE_OPEN_CONTEXT, SINTER_DEVICE, "device_open",
     "the thread has no current CUDA context (cuCtxSetCurrent or "
     "cudaSetDevice)"},
    {SINTER_DEVICE_OPEN_IMAGE, SINTER_DEVICE, "device_open",
     "the object has no code for this device"},
    {SINTER_DEVICE_OPEN_SHARED, SINTER_DEVICE, "device_open",
     "a kernel takes more shared memory than a block may have on this device"},
    {SINTER_DEVICE_CLOSE_NULL, SINTER_ARGUMENT, "device_close", noDevice},
    {SINTER_DEVICE_CLOSE_BAD, SINTER_ARGUMENT, "device_close", badDevice},
    {SINTER_DEVICE_DRIVER, SINTER_DEVICE, nullptr, noDriver},
    {SINTER_DEVICE_STATUS_NULL, SINTER_ARGUMENT, "status", noWorkspace},
    {SINTER_DEVICE_STATUS_ALIGN, SINTER_MEMORY, "status", unalignedWorkspace},
    {SINTER_DEVICE_STATUS_BAD, SINTER_ARGUMENT, "status",
     "no call of this model has used workspace"},
    {SINTER_DEVICE_INIT_BUFFER_NULL, SINTER_ARGUMENT, "session_init", noBuffer},
    {SINTER_DEVICE_INIT_BUFFER_ALIGN, SINTER_MEMORY, "session_init",
     unalignedBuffer},
    {SINTER_DEVICE_INIT_BUFFER_SIZE, SINTER_MEMORY, "session_init",
     "device_memory_size is less than session_size"},
    {SINTER_DEVICE_RESTORE_BUFFER_NULL, SINTER_ARGUMENT, "session_restore",
     noBuffer},
    {SINTER_DEVICE_RESTORE_BUFFER_ALIGN, SINTER_MEMORY, "session_restore",
     unalignedBuffer},
    {SINTER_DEVICE_RESTORE_BUFFER_SIZE, SINTER_MEMORY, "session_restore",
     "device_memory_size is less than the session's"},
    {SINTER_DEVICE_COPY_NULL, SINTER_ARGUMENT, "session_copy_row", noDevice},
    {SINTER_DEVICE_COPY_BAD, SINTER_ARGUMENT, "session_copy_row", badDevice},
    {SINTER_DEVICE_CAPTURE, SINTER_DEVICE, nullptr,
     "the stream is being captured, and the extents of the session's states "
     "have to be read first (call an _extent_ function before)"},
    {SINTER_DEVICE_GRID, SINTER_DEVICE, nullptr,
     "a kernel has more blocks than a launch can have"},
};
static_assert(std::size(rows) == SINTER_DEVICE_CHECKS);

static constexpr CheckRow replacedRows[] = {
    {SINTER_CHECK_INIT_SIZE, SINTER_MEMORY, "session_init",
     "size is less than SESSION_HANDLE_SIZE"},
    {SINTER_CHECK_RESTORE_SIZE, SINTER_MEMORY, "session_restore",
     "size is less than SESSION_HANDLE_SIZE"},
    {SINTER_CHECK_RESTORE_CONTENT, SINTER_SESSION, "session_restore",
     "device_memory holds no session of this model's build"},
};

static constexpr CheckRow replacedEntryRows[] = {
    {SINTER_ENTRY_WEIGHTS_NULL, SINTER_ARGUMENT, nullptr, noDevice},
    {SINTER_ENTRY_WEIGHTS_BAD, SINTER_ARGUMENT, nullptr, badDevice},
};

void sinter::package::setDeviceChecks(const ModelInterface &model,
                                      std::vector<Check> &checks) {
  std::string prefix = model.prefix();
  setChecks(rows, deviceChecks(model), prefix, checks);
  setChecks(replacedRows, /*first=*/0, prefix, checks);
  for (auto [index, entry] : llvm::enumerate(model.entries))
    setChecks(replacedEntryRows, firstCheck(model, index),
              prefix + "_" + cIdentifier(entry.name), checks);
}
