#include "commands/watch/http_token.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

int http_token_init(struct http_token *t, struct err *err)
{
    unsigned char bytes[HTTP_TOKEN_DIGITS / 2];

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return err_system(err, "cannot get random numbers: %s", strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(t->text + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}

bool http_token_is(const struct http_token *t, const char *text, size_t length)
{
    unsigned char differ = 0;

    if (length != HTTP_TOKEN_DIGITS)
        return false;
    for (size_t i = 0; i < HTTP_TOKEN_DIGITS; i++)
        differ |= (unsigned char)(text[i] ^ t->text[i]);
    return differ == 0;
}
