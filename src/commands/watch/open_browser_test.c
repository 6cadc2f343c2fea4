#include "commands/watch/open_browser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/unit/command.h"

/* Without xdg-open the file that leads to the address is there until the end; where no file can be
 * made nothing is left to remove. */
TEST(open_browser_says_what_is_missing)
{
    char *path = mem_strdup(getenv("PATH")), line[200] = "";
    struct command_folder f;
    struct open_browser o = {0};
    struct stat st;
    struct err err;

    if (test_lacks_vfork())
        return;
    command_begin(&f);
    setenv("PATH", "/nowhere", 1);
    setenv("XDG_RUNTIME_DIR", ".", 1);
    expect(open_browser(&o, "http://a/#token=1", &err) < 0);
    expect(strcmp(err.text, "cannot start xdg-open: No such file or directory; open the address "
                            "yourself") == 0);
    expect(stat(o.file, &st) == 0 && (st.st_mode & 0777) == 0600);
    FILE *in = fopen(o.file, "re");
    expect(in && fgets(line, sizeof line, in) && fgets(line, sizeof line, in));
    expect(strcmp(line, "<meta http-equiv=\"refresh\" content=\"0;url=http://a/#token=1\">\n") ==
           0);
    if (in)
        fclose(in);
    open_browser_end(&o);
    expect(access(o.folder, F_OK) < 0);
    setenv("XDG_RUNTIME_DIR", "nowhere", 1);
    expect(open_browser(&o, "http://a/", &err) < 0 && err.kind == ERR_SYSTEM && !o.folder[0]);
    expect(strncmp(err.text, "cannot make nowhere/dolly-watch-", 32) == 0 &&
           strcmp(err.text + 32 + 6, ": No such file or directory") == 0);
    open_browser_end(&o);
    setenv("PATH", path, 1);
    unsetenv("XDG_RUNTIME_DIR");
    mem_free(path);
    command_end(&f);
}
