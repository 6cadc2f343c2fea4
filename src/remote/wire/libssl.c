#include "remote/wire/libssl.h"

#define TEXT_OF(number) #number
#define FILE_OF(number) "libssl.so." TEXT_OF(number)

struct libssl libssl;

static struct lazy_library library = {.file = FILE_OF(OPENSSL_SHLIB_VERSION),
                                      .names = LAZY_NAMES(LIBSSL_FUNCTIONS),
                                      .linked = LAZY_LINKED(LIBSSL_FUNCTIONS),
                                      .functions = &libssl};

int libssl_load(struct err *err)
{
    return lazy_load(&library, err);
}
