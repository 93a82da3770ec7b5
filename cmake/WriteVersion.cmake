# cmake -DSOURCE_DIR=... -DOUTPUT=... -DVERSION=... -P WriteVersion.cmake
# Writes a C++ file with version and commit; leaves it alone where both are as
# before, so that only a new commit rebuilds what includes it.
set(commit unknown)
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} rev-parse --short=12 HEAD
    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(commit ${found})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#include "Version.h"
const char sinter::versionString[] = "@VERSION@";
const char sinter::commitString[] = "@commit@";
]])
