/* pack.h - encodes bytes as text for a page: deflated, and in base64. */
#pragma once

#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

/* Loads the compression library, as the functions below do as well; without it they append nothing.
 * Returns 0, or -1 with *err if it is not installed, and then a page would be incomplete. */
int pack_load(struct err *err);

/* Appends the bytes, deflated (zlib's format) and in base64. */
void pack_deflated(const void *at, size_t length, struct str *to);

/* Appends the SHA-256 of the text in base64, as a content security policy names it. */
void pack_hash(const char *text, size_t length, struct str *to);

/* Appends text in which nothing can be taken for markup, in an element or an attribute. */
void pack_escaped(const char *text, struct str *to);
