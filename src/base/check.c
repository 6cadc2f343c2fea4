#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>

void check_failed(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: this should never happen: not (%s)\n", file, line, what);
    abort();
}
