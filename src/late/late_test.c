#include "late/late.h"

#include <math.h>
#include <string.h>

#include "tests/test.h"

#define TWO(F) F(ceil) F(floor)

TEST(late_functions_are_found_once)
{
    struct {
        TWO(LATE_MEMBER)
    } math = {0};
    struct late_library library = {
        .file = "libm.so.6", .names = LATE_NAMES(TWO), .functions = &math};
    struct err err;

    expect(late_load(&library, &err) == 0);
    expect(math.ceil(2.5) == 3 && math.floor(2.5) == 2);
    math.ceil = NULL;
    expect(late_load(&library, &err) == 0 && math.ceil == NULL);
}

TEST(late_names_what_is_missing)
{
    void *found;
    struct late_library none = {
        .file = "libnowhere.so.7", .names = (const char *const[]){"f", NULL}, .functions = &found};
    struct late_library other = {
        .file = "libm.so.6", .names = (const char *const[]){"no_such", NULL}, .functions = &found};
    struct err err;

    expect(late_load(&none, &err) == -1 && strstr(err.text, "libnowhere.so.7"));
    expect(late_load(&other, &err) == -1 && strstr(err.text, "no function no_such"));
    expect(!none.loaded && !other.loaded);
}
