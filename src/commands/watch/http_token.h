/* http_token.h - secrets of 128 random bits, as 32 hexadecimal digits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { HTTP_TOKEN_DIGITS = 32 };

struct http_token {
    char text[HTTP_TOKEN_DIGITS + 1];
};

/* Makes a new one. Returns 0, or -1 with *err. */
int http_token_init(struct http_token *t, struct err *err);

/* Returns true if the text of `length` bytes is the token. Takes the same time wherever they
 * differ. */
bool http_token_is(const struct http_token *t, const char *text, size_t length);
