#include "commands/watch/open_browser.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/fresh_file.h"
#include "base/text.h"

extern char **environ;

static int write_file(struct open_browser *o, const char *address, struct err *err)
{
    const char *base = getenv("XDG_RUNTIME_DIR");
    struct str text = {0};

    if (!base || strlen(base) > 32)
        base = "/tmp";
    snprintf(o->folder, sizeof o->folder, "%s/dolly-watch-XXXXXX", base);
    if (!mkdtemp(o->folder)) {
        err_system(err, "cannot make %s: %s", o->folder, strerror(errno));
        o->folder[0] = '\0';
        return -1;
    }
    snprintf(o->file, sizeof o->file, "%s/open.html", o->folder);
    str_addf(&text, "<!doctype html>\n<meta http-equiv=\"refresh\" content=\"0;url=%s\">\n",
             address);
    int rc = fresh_file_write(o->file, 0600, text.text, text.length);
    if (rc < 0)
        err_system(err, "cannot write %s: %s", o->file, strerror(errno));
    str_free(&text);
    return rc;
}

int open_browser(struct open_browser *o, const char *address, struct err *err)
{
    if (write_file(o, address, err) < 0)
        return -1;
    char *words[] = {"xdg-open", o->file, NULL};
    pid_t pid;
    int failed = posix_spawnp(&pid, words[0], NULL, NULL, words, environ);
    if (failed)
        return err_set(err, "cannot start xdg-open: %s; open the address yourself",
                       strerror(failed));
    return 0;
}

void open_browser_end(struct open_browser *o)
{
    if (!o->folder[0])
        return;
    unlink(o->file);
    rmdir(o->folder);
}
