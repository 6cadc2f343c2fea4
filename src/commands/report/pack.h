/* pack.h - bytes as text that a page can carry: deflated, and in base64. */
#ifndef COMMANDS_REPORT_PACK_H
#define COMMANDS_REPORT_PACK_H

#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

/* Loads the library that packs, as what follows does as well; without it that appends nothing. -1:
 * it is not there, and a page is not to be believed. */
int pack_load(struct err *err);

/* Appends the bytes, deflated (zlib's format) and in base64. */
void pack_deflated(const void *at, size_t length, struct str *to);

/* Appends the SHA-256 of the text in base64, as a content security policy names it. */
void pack_hash(const char *text, size_t length, struct str *to);

/* Appends text in which nothing can be taken for markup, in an element or an attribute. */
void pack_escaped(const char *text, struct str *to);

#endif
