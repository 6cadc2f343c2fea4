#include "base/os/lazy.h"

#include <math.h>
#include <string.h>

#include "tests/unit/test.h"

#define TWO(F) F(ceil) F(floor)

TEST(lazy_functions_are_found_once)
{
    struct {
        TWO(LAZY_MEMBER)
    } math = {0};
    struct lazy_library library = {
        .file = "libm.so.6", .names = LAZY_NAMES(TWO), .functions = &math};
    struct err err;

    expect(lazy_load(&library, &err) == 0);
    expect(math.ceil(2.5) == 3 && math.floor(2.5) == 2);
    math.ceil = NULL;
    expect(lazy_load(&library, &err) == 0 && math.ceil == NULL);
}

TEST(lazy_names_what_is_missing)
{
    void *found;
    struct lazy_library none = {
        .file = "libnowhere.so.7", .names = (const char *const[]){"f", NULL}, .functions = &found};
    struct lazy_library other = {
        .file = "libm.so.6", .names = (const char *const[]){"no_such", NULL}, .functions = &found};
    struct err err;

    expect(lazy_load(&none, &err) == -1 && err.kind == ERR_SYSTEM);
    expect(strstr(err.text, "a library that this needs cannot be loaded: libnowhere.so.7: ") ==
           err.text);
    expect(lazy_load(&other, &err) == -1 && err.kind == ERR_SYSTEM);
    expect(strcmp(err.text, "the library libm.so.6 has no function no_such") == 0);
    expect(!none.loaded && !other.loaded);
}

/* A static build has the addresses, and opens no file. */
TEST(lazy_functions_that_are_linked_are_taken_from_there)
{
    int one, two;
    void *found[2] = {NULL, NULL}, *const linked[] = {&one, &two}, *const first[] = {&one, NULL};
    struct lazy_library library = {.file = "libnowhere.so.7",
                                   .names = (const char *const[]){"one", "two", NULL},
                                   .functions = found,
                                   .linked = first};
    struct err err;

    expect(lazy_load(&library, &err) == -1 && err.kind == ERR_SYSTEM && !library.loaded);
    expect(strcmp(err.text, "the library libnowhere.so.7 has no function two") == 0);
    library.linked = linked;
    expect(lazy_load(&library, &err) == 0 && found[0] == &one && found[1] == &two);
}
