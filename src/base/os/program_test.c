#include "base/os/program.h"

#include <sys/stat.h>

#include "base/os/tree.h"
#include "tests/unit/test.h"

TEST(program_is_looked_for_in_all_folders_of_the_path)
{
    char *before = getenv("PATH") ? strdup(getenv("PATH")) : NULL;
    char *here = realpath(".", NULL), dir[TEST_FOLDER];
    struct path found;

    setenv("PATH", "/no/such/folder:/bin:/no/other", 1);
    expect(program_find("sh", &found) && strcmp(found.text, "/bin/sh") == 0);
    expect(!program_find("sh/sh", &found) && !program_find("no-such-program", &found));
    setenv("PATH", "/no/such/folder", 1);
    expect(!program_find("sh", &found));
    test_folder(dir);
    expect(chdir(dir) == 0 && mkdir("own", 0700) == 0);
    setenv("PATH", "/no/such/folder::/bin", 1); /* an empty name is that of this folder */
    expect(program_find("own", &found) && strcmp(found.text, "./own") == 0);
    expect(chdir(here) == 0 && tree_remove(dir) == 0);
    unsetenv("PATH");
    expect(program_find("sh", &found)); /* where the system has its programs */
    if (before)
        setenv("PATH", before, 1);
    free(before);
    free(here);
}
