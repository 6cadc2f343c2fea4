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
 *
 * A static build (`make static`, DOLLY_STATIC) cannot load anything: a library loaded into it would
 * bring a second C library along. It links the libraries that set `linked`; the others do not exist
 * there. */
#pragma once

#include <stdbool.h>

#include "base/err.h"

struct lazy_library {
    const char *file;         /* its versioned name */
    const char *const *names; /* of functions; NULL at the end */
    void *functions;          /* a struct of pointers to these, in the same order */
    void *const *linked;      /* addresses of the functions in a static build; NULL: not linked */
    bool loaded;
};

#define LAZY_MEMBER(name) __typeof__(name) *name;
#define LAZY_NAME(name) #name,
#define LAZY_NAMES(list) ((const char *const[]){list(LAZY_NAME) NULL})

#ifdef DOLLY_STATIC
#define LAZY_ADDRESS(name) (void *)name,
#define LAZY_LINKED(list) ((void *const[]){list(LAZY_ADDRESS) NULL})
#else
#define LAZY_LINKED(list) NULL
#endif

/* Opens a shared object by name. Returns its handle, for dlsym, or NULL with the reason in *why,
 * which is valid until the next call. A static build opens none. */
void *lazy_open(const char *file, const char **why);

/* Loads the library, if it is not loaded yet, and finds its functions; never unloads it. Returns -1
 * with *err if the library does not exist or lacks a function. */
int lazy_load(struct lazy_library *l, struct err *err);
