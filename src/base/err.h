/* err.h - the text of an operating error, owned by the caller, which decides whether to print
 * it. */
#pragma once

enum { ERR_TEXT_MAX = 512 };

/* The kind of an error, so that only the command line has to know exit codes. */
enum err_kind {
    ERR_INPUT,  /* the user's input or usage is wrong: exit 2 */
    ERR_SYSTEM, /* the machine refused: full disk, no memory for a file, ...: exit 1 */
};

struct err {
    enum err_kind kind;
    int error;               /* of ERR_SYSTEM: errno when the error was recorded */
    char text[ERR_TEXT_MAX]; /* one line, without control characters */
};

/* Fills *e (kind ERR_INPUT) and returns -1, so that callers can write `return err_set(...)`.
 * Text that does not fit is cut. `e` may not be NULL. */
__attribute__((format(printf, 2, 3))) int err_set(struct err *e, const char *format, ...);

/* Fills *e for a failure of the system (kind ERR_SYSTEM, with errno) and returns -1. */
__attribute__((format(printf, 2, 3))) int err_system(struct err *e, const char *format, ...);
