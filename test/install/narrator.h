/* Bytes of a session of the model inside, for a context of n positions. */
#include <stddef.h>
#include <stdint.h>
size_t narrator_session_size(int64_t n);
