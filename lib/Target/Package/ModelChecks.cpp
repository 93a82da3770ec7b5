//===- ModelChecks.cpp - Sentences of session and weights -----------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "runtime/model.h"
#include "sinter-c/sinter_types.h"

using namespace sinter::package;
using namespace sinter::package::sentences;

static constexpr CheckRow rows[] = {
    {SINTER_CHECK_INIT_MEMORY_NULL, SINTER_ARGUMENT, "session_init", noMemory},
    {SINTER_CHECK_INIT_MEMORY_ALIGN, SINTER_MEMORY, "session_init",
     unalignedMemory},
    {SINTER_CHECK_INIT_SIZE, SINTER_MEMORY, "session_init",
     "size is less than session_size"},
    {SINTER_CHECK_INIT_OUT_NULL, SINTER_ARGUMENT, "session_init", noSession},
    {SINTER_CHECK_RESTORE_MEMORY_NULL, SINTER_ARGUMENT, "session_restore",
     noMemory},
    {SINTER_CHECK_RESTORE_MEMORY_ALIGN, SINTER_MEMORY, "session_restore",
     unalignedMemory},
    {SINTER_CHECK_RESTORE_SIZE, SINTER_MEMORY, "session_restore",
     "size is less than the session's"},
    {SINTER_CHECK_RESTORE_OUT_NULL, SINTER_ARGUMENT, "session_restore",
     noSession},
    {SINTER_CHECK_RESTORE_CONTENT, SINTER_SESSION, "session_restore",
     "memory holds no session of this model's build"},
    {SINTER_CHECK_LENGTH_SESSION_NULL, SINTER_ARGUMENT, "session_length",
     noSession},
    {SINTER_CHECK_LENGTH_SESSION_BAD, SINTER_SESSION, "session_length",
     badSession},
    {SINTER_CHECK_LENGTH_ROW, SINTER_ARGUMENT, "session_length", noRow},
    {SINTER_CHECK_TRUNCATE_SESSION_NULL, SINTER_ARGUMENT, "session_truncate",
     noSession},
    {SINTER_CHECK_TRUNCATE_SESSION_BAD, SINTER_SESSION, "session_truncate",
     badSession},
    {SINTER_CHECK_TRUNCATE_ROW, SINTER_ARGUMENT, "session_truncate", noRow},
    {SINTER_CHECK_TRUNCATE_LENGTH, SINTER_ARGUMENT, "session_truncate",
     "length is negative or more than a row has"},
    {SINTER_CHECK_RESET_SESSION_NULL, SINTER_ARGUMENT, "session_reset",
     noSession},
    {SINTER_CHECK_RESET_SESSION_BAD, SINTER_SESSION, "session_reset",
     badSession},
    {SINTER_CHECK_RESET_ROW, SINTER_ARGUMENT, "session_reset", noRow},
    {SINTER_CHECK_COPY_TO_NULL, SINTER_ARGUMENT, "session_copy_row",
     "to is NULL"},
    {SINTER_CHECK_COPY_TO_BAD, SINTER_SESSION, "session_copy_row",
     "to is not an initialised session of this model's build"},
    {SINTER_CHECK_COPY_TO_ROW, SINTER_ARGUMENT, "session_copy_row",
     "to has no row to_row"},
    {SINTER_CHECK_COPY_FROM_NULL, SINTER_ARGUMENT, "session_copy_row",
     "from is NULL"},
    {SINTER_CHECK_COPY_FROM_BAD, SINTER_SESSION, "session_copy_row",
     "from is not an initialised session of this model's build"},
    {SINTER_CHECK_COPY_FROM_ROW, SINTER_ARGUMENT, "session_copy_row",
     "from has no row from_row"},
    {SINTER_CHECK_COPY_FULL, SINTER_FULL, "session_copy_row",
     "to has no room for the positions of from_row"},
    {SINTER_CHECK_OPEN_BYTES_NULL, SINTER_ARGUMENT, "weights_open",
     "bytes is NULL"},
    {SINTER_CHECK_OPEN_ALIGN, SINTER_MEMORY, "weights_open",
     "bytes is not aligned to 64 bytes"},
    {SINTER_CHECK_OPEN_SIZE, SINTER_WEIGHTS, "weights_open",
     "size is less than the weights'"},
    {SINTER_CHECK_OPEN_OUT_NULL, SINTER_ARGUMENT, "weights_open", noWeights},
    {SINTER_CHECK_OPEN_HEADER, SINTER_WEIGHTS, "weights_open",
     "bytes are not this model's weights"},
    {SINTER_CHECK_VERIFY_NULL, SINTER_ARGUMENT, "weights_verify", noWeights},
    {SINTER_CHECK_VERIFY_HEADER, SINTER_WEIGHTS, "weights_verify", badWeights},
    {SINTER_CHECK_VERIFY_HASH, SINTER_WEIGHTS, "weights_verify",
     "weights are damaged"},
    {SINTER_CHECK_NOTICE_CLAMPED, SINTER_INDEX, nullptr,
     "done; an index computed in the model was outside its table and was "
     "clamped"}};
// Number 0 is no check.
static_assert(std::size(rows) == SINTER_MODEL_CHECKS - 1);

void sinter::package::setModelChecks(const std::string &prefix,
                                     std::vector<Check> &checks) {
  setChecks(rows, /*first=*/0, prefix, checks);
}
