/* mem.h - memory that is either there or ends the program: callers never test for NULL. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/* `count` zeroed objects of `size` bytes (NULL for none). Aborts when memory runs out or the
 * product overflows. Free with mem_free. */
void *mem_zalloc(size_t count, size_t size);

/* Like realloc for an array; the new part is not initialised. */
void *mem_resize(void *block, size_t count, size_t size);

/* A copy of `count` objects of `size` bytes, or NULL for NULL or none. Free with mem_free. */
void *mem_copy(const void *from, size_t count, size_t size);

/* A copy of the string, or NULL for NULL. Free with mem_free. */
char *mem_strdup(const char *text);

/* Puts a copy of the string in the place of an owned one, either of which may be NULL. */
void mem_replace(char **text, const char *with);

/* NULL is fine. */
void mem_free(void *block);

/* Ends the program: there is no room for `count` objects of `size` bytes. */
__attribute__((noreturn, cold)) void mem_out(size_t count, size_t size);

#endif
