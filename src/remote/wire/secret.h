/* secret.h - the key that the agents of a run and its coordinator share: 256 random bits.
 *
 * A process that has the key may join the run, and thereby run the run's commands as its user. So
 * the key is kept in memory, in a pipe or in a file that only its owner can read, and nowhere else.
 */
#pragma once

#include <stddef.h>

#include "base/err.h"

enum {
    SECRET_BYTES = 32,
    SECRET_TEXT = 2 * SECRET_BYTES + 1, /* hexadecimal digits and a newline; no NUL */
};

struct secret {
    unsigned char bytes[SECRET_BYTES];
};

/* Keeps the pages that hold these bytes, and everything else in them, out of core files. Every
 * function below that fills in a key, or its text, calls this. */
void secret_hide(const void *at, size_t bytes);

/* Makes a new random key. Returns 0, or -1 with *err. */
int secret_make(struct secret *s, struct err *err);

/* Copies SECRET_BYTES bytes into the key. */
void secret_copy(struct secret *s, const void *bytes);

/* Writes the key as hexadecimal digits and a newline, without a NUL. */
void secret_print(const struct secret *s, char text[SECRET_TEXT]);

/* Parses the exact text that secret_print writes, with or without the newline. Returns 0, or -1. */
int secret_parse(struct secret *s, const char *text, size_t length);

/* Reads a key to the end of the descriptor. Returns 0, or -1 with *err. */
int secret_read_fd(struct secret *s, int fd, struct err *err);

/* Reads a key from a file, which must belong to this user and be readable by no other. Returns 0,
 * or -1 with *err. */
int secret_read_file(struct secret *s, const char *path, struct err *err);

/* Writes the key to a file of mode 0600; replaces an existing file. Returns 0, or -1 with *err. */
int secret_write_file(const struct secret *s, const char *path, struct err *err);

/* Overwrites the key in memory. */
void secret_wipe(struct secret *s);
