#include "narrator.h"
#include "tale.h"

size_t narrator_session_size(int64_t n) { return tale_session_size(1, n); }
