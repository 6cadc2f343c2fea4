/* secret.h - the key that the agents of a run and its coordinator share: 256 random bits.
 *
 * Whoever has it may join the run, and thereby run what the run runs, as its user. So it lies in
 * memory, in a pipe or in a file that only its owner can read, and nowhere else. */
#ifndef REMOTE_WIRE_SECRET_H
#define REMOTE_WIRE_SECRET_H

#include <stddef.h>

#include "base/err.h"

enum {
    SECRET_BYTES = 32,
    SECRET_TEXT = 2 * SECRET_BYTES + 1, /* hexadecimal digits and a newline; no NUL */
};

struct secret {
    unsigned char bytes[SECRET_BYTES];
};

/* Keeps the pages that hold these bytes, and whatever else lies in them, out of core files. Every
 * function below that fills in a key, or its text, does so. */
void secret_hide(const void *at, size_t bytes);

/* A new one. 0, or -1 with *err. */
int secret_make(struct secret *s, struct err *err);

/* Takes SECRET_BYTES. */
void secret_copy(struct secret *s, const void *bytes);

void secret_print(const struct secret *s, char text[SECRET_TEXT]);

/* Takes exactly what secret_print writes, with or without the newline. 0, or -1. */
int secret_parse(struct secret *s, const char *text, size_t length);

/* Reads to the end of the descriptor, or a file, which must be ours and readable by nobody else.
 * 0, or -1 with *err. */
int secret_read_fd(struct secret *s, int fd, struct err *err);
int secret_read_file(struct secret *s, const char *path, struct err *err);

/* Writes a new file of mode 0600, or replaces one that is there. 0, or -1 with *err. */
int secret_write_file(const struct secret *s, const char *path, struct err *err);

/* Leaves no trace of it in memory. */
void secret_wipe(struct secret *s);

#endif
