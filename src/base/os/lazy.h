/* lazy.h - libraries that are loaded when they are needed first, and not when the program starts.
 *
 * Two of our libraries, with all that they are linked with themselves, take several times as long
 * to load as anything else that happens before main, and few commands use them. Every attempt of a
 * data-parallel job is a start of this program. So a file that needs such a library lists its
 * functions once, and calls them through a struct of pointers:
 *
 *     #define FUNCTIONS(F) F(deflate) F(inflate)
 *     static struct { FUNCTIONS(LAZY_MEMBER) } zlib;
 *     static struct lazy_library library = {
 *         .file = "libz.so.1", .names = LAZY_NAMES(FUNCTIONS), .functions = &zlib};
 */
#ifndef BASE_OS_LAZY_H
#define BASE_OS_LAZY_H

#include <stdbool.h>

#include "base/err.h"

struct lazy_library {
    const char *file;         /* its versioned name */
    const char *const *names; /* of functions; NULL at the end */
    void *functions;          /* a struct of pointers to these, in the same order */
    bool loaded;
};

#define LAZY_MEMBER(name) __typeof__(name) *name;
#define LAZY_NAME(name) #name,
#define LAZY_NAMES(list) ((const char *const[]){list(LAZY_NAME) NULL})

/* Loads the library, if it is not loaded yet, and finds its functions; never unloads it. Returns -1
 * with *err if the library does not exist or lacks a function. */
int lazy_load(struct lazy_library *l, struct err *err);

#endif
