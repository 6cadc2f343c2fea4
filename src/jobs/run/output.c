/* output.c - the folder of a job's results. See output.h. */
#include "jobs/run/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/fresh_file.h"
#include "base/os/tree.h"
#include "base/text.h"

/* What cannot be made is told when OUTPUT is not to be made either. */
static void make_parents(const char *output)
{
    char *path = mem_strdup(output);

    for (char *slash = path; (slash = strchr(slash + 1, '/'));) {
        if (strspn(slash, "/") == strlen(slash)) /* OUTPUT/ is no folder above it */
            break;
        *slash = 0;
        mkdir(path, 0777);
        *slash = '/';
    }
    mem_free(path);
}

int output_begin(const char *output, struct err *err)
{
    struct str path = {0};
    int result = 0;

    str_addf(&path, "%s/_temporary", output);
    make_parents(output);
    if (mkdir(output, 0777) < 0)
        result = errno == EEXIST
                     ? err_set(err, "%s already exists%s; choose a new folder", output,
                               output_is_done(output) ? ", with the results of a job" : "")
                     : err_set(err, "%s: %s", output, strerror(errno));
    else if (mkdir(path.text, 0700) < 0)
        result = err_system(err, "%s: %s", path.text, strerror(errno));
    str_free(&path);
    return result;
}

int output_clear(const char *output, struct err *err)
{
    struct str path = {0};

    str_addf(&path, "%s/_temporary", output);
    int result = tree_remove(path.text);
    if (result < 0)
        err_system(err, "%s: cannot be removed: %s", path.text, strerror(errno));
    str_free(&path);
    return result;
}

/* The mode that a new file would have; the run's own are for nobody else. */
static mode_t new_mode(void)
{
    mode_t mask = umask(0);

    umask(mask);
    return 0666 & ~mask;
}

static int move_part(const char *output, const char *phase, uint32_t task, int64_t bytes,
                     mode_t mode, bool lazy, struct err *err)
{
    struct str from = {0}, to = {0};
    struct stat st;
    int result = 0;

    str_addf(&from, "%s/_temporary/run/out/0/%s/%" PRIu32, output, phase, task);
    str_addf(&to, "%s/part-%05" PRIu32, output, task);
    bool moved =
        access(from.text, F_OK) < 0 && access(to.text, F_OK) == 0; /* before we were killed */
    const char *there = moved ? to.text : from.text;
    if (stat(there, &st) < 0)
        result =
            err_system(err, "%s: %s: the result of task %" PRIu32 " is gone; run the job again",
                       there, strerror(errno), task);
    else if (st.st_size != bytes)
        result =
            err_system(err,
                       "%s: has %" PRId64 " bytes now and had %" PRId64 " when task %" PRIu32 " "
                       "was done; run the job again",
                       there, (int64_t)st.st_size, bytes, task);
    else if (!moved && !(lazy && bytes == 0) &&
             (chmod(from.text, mode) < 0 || rename(from.text, to.text) < 0))
        result = err_system(err, "%s: %s", to.text, strerror(errno));
    str_free(&from);
    str_free(&to);
    return result;
}

/* ---- the journal ---- */

int output_promise_journal(const char *output, const char *path, struct err *err)
{
    struct str whole = {0}, link = {0};
    char here[PATH_MAX];
    int result = 0;

    str_addf(&link, "%s/_temporary/journal", output);
    if (path[0] != '/' && getcwd(here, sizeof here))
        str_addf(&whole, "%s/", here);
    str_add(&whole, path);
    if (symlink(whole.text, link.text) < 0)
        result = err_system(err, "%s: %s", link.text, strerror(errno));
    str_free(&whole);
    str_free(&link);
    return result;
}

/* Whether a copy of the journal was promised, and the whole path. */
static bool promised_journal(const char *output, char path[PATH_MAX])
{
    struct str link = {0};

    str_addf(&link, "%s/_temporary/journal", output);
    ssize_t n = readlink(link.text, path, PATH_MAX - 1);
    str_free(&link);
    path[n > 0 ? n : 0] = 0;
    return n > 0;
}

static int copy_file(const char *from, const char *to)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);
    struct fresh_file out;
    ssize_t n = -1;

    if (in >= 0 && fresh_file_open(&out, to, 0666) == 0) {
        while ((n = sendfile(out.fd, in, NULL, 1 << 30)) > 0)
            ;
        int error = errno;
        if (fresh_file_close(&out, n == 0) < 0)
            n = -1;
        else
            errno = error;
    }
    int error = errno;
    if (in >= 0)
        close(in);
    errno = error;
    return n < 0 ? -1 : 0;
}

int output_journal(const char *output, struct err *err)
{
    struct str from = {0};
    char path[PATH_MAX];
    int result = 0;

    if (!promised_journal(output, path))
        return 0;
    str_addf(&from, "%s/_temporary/run/journal", output);
    if (copy_file(from.text, path) < 0)
        result = err_system(err, "%s: %s", path, strerror(errno));
    str_free(&from);
    return result;
}

static int mark_success(const char *output, mode_t mode, struct err *err)
{
    struct str path = {0};

    str_addf(&path, "%s/_SUCCESS", output);
    int fd = open(path.text, O_WRONLY | O_CREAT | O_CLOEXEC, mode);
    int result = fd < 0 ? err_system(err, "%s: %s", path.text, strerror(errno)) : 0;
    if (fd >= 0)
        close(fd);
    str_free(&path);
    return result;
}

static bool holds(const char *output, const char *name)
{
    struct str path = {0};

    str_addf(&path, "%s/%s", output, name);
    bool there = access(path.text, F_OK) == 0;
    str_free(&path);
    return there;
}

bool output_has_begun(const char *output)
{
    return holds(output, "_temporary");
}

bool output_is_done(const char *output)
{
    return holds(output, "_SUCCESS");
}

int output_finish(const char *output, const char *phase, uint32_t tasks, const int64_t *bytes,
                  bool lazy, struct err *err)
{
    mode_t mode = new_mode();

    for (uint32_t i = 0; i < tasks; i++)
        if (move_part(output, phase, i, bytes[i], mode, lazy, err) < 0)
            return -1;
    return mark_success(output, mode, err) < 0 ? -1 : output_clear(output, err);
}

void output_abandon(const char *output)
{
    struct err ignored;

    output_clear(output, &ignored);
    rmdir(output);
}
