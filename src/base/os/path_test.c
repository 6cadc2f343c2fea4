#include "base/os/path.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/unit/test.h"

TEST(path_is_what_printf_prints)
{
    struct path p = path_of("%s/part-%05d", "/out", 7);

    expect(strcmp(p.text, "/out/part-00007") == 0);
}

/* A path that does not fit must not become that of another file. */
TEST(path_that_is_cut_is_too_long_for_the_system)
{
    char deep[PATH_MAX + 100];
    struct stat st;

    for (size_t i = 0; i < sizeof deep; i++)
        deep[i] = i % 2 ? '.' : '/';
    for (size_t length = PATH_MAX - 1; length < sizeof deep; length++) {
        struct path p = path_of("%.*s", (int)length, deep);
        bool fits = length < PATH_MAX;
        expect(strlen(p.text) == (fits ? length : PATH_MAX));
        expect(stat(p.text, &st) == (fits ? 0 : -1));
        expect(fits || errno == ENAMETOOLONG);
    }
}
