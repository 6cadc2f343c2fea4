#include "commands/watch/http_token.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/deny.h"

static bool reports_no_random_numbers(void)
{
    struct http_token t;
    struct err err;

    return deny_call(SYS_getrandom, ENOSYS) && http_token_init(&t, &err) < 0 &&
           err.kind == ERR_SYSTEM &&
           strcmp(err.text, "cannot get random numbers: Function not implemented") == 0;
}

/* No token is better than one that can be guessed. */
TEST(http_token_needs_random_numbers)
{
    deny_test(reports_no_random_numbers);
}
