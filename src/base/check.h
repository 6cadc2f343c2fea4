/* check.h - assertions for programmer errors; never compiled out. */
#pragma once

/* Prints the file, the line and the condition, then aborts. */
__attribute__((noreturn, cold)) void check_failed(const char *file, int line, const char *what);

#define check(cond)                                                                                \
    do {                                                                                           \
        if (__builtin_expect(!(cond), 0))                                                          \
            check_failed(__FILE__, __LINE__, #cond);                                               \
    } while (0)
