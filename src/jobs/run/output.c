/* output.c - the folder of a job's results. See output.h. */
#include "jobs/run/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/fresh_file.h"
#include "base/os/path.h"
#include "base/os/sync.h"
#include "base/os/tree.h"
#include "exec/process/sys.h"
#include "jobs/streams/bytes.h"

int output_begin(const char *output, struct err *err)
{
    struct path path = path_of("%s/_temporary", output);

    /* What cannot be made is told when OUTPUT is not to be made either. */
    tree_make_above(output, 0777);
    if (mkdir(output, 0777) < 0)
        return errno == EEXIST
                   ? err_set(err, "%s already exists%s; choose a new folder", output,
                             output_is_done(output) ? ", with the results of a job" : "")
                   : err_set(err, "%s: %s", output, strerror(errno));
    if (mkdir(path.text, 0700) == 0)
        return 0;
    err_system(err, "%s: %s", path.text, strerror(errno));
    rmdir(output);
    return -1;
}

int output_clear(const char *output, struct err *err)
{
    struct path path = path_of("%s/_temporary", output);

    if (tree_remove(path.text) < 0)
        return err_system(err, "%s: cannot be removed: %s", path.text, strerror(errno));
    return 0;
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
    struct path from = path_of("%s/_temporary/run/out/0/%s/%" PRIu32, output, phase, task);
    struct path to = path_of("%s/part-%05" PRIu32, output, task);
    struct stat st;

    bool moved =
        access(from.text, F_OK) < 0 && access(to.text, F_OK) == 0; /* before we were killed */
    const char *there = moved ? to.text : from.text;
    if (stat(there, &st) < 0)
        return err_system(err, "%s: %s: the result of task %" PRIu32 " is gone; run the job again",
                          there, strerror(errno), task);
    if (st.st_size != bytes)
        return err_system(err,
                          "%s: has %" PRId64 " bytes now and had %" PRId64 " when task %" PRIu32
                          " was done; run the job again",
                          there, (int64_t)st.st_size, bytes, task);
    if (!moved && !(lazy && bytes == 0) &&
        (chmod(from.text, mode) < 0 || rename(from.text, to.text) < 0))
        return err_system(err, "%s: %s", to.text, strerror(errno));
    return 0;
}

/* ---- the journal ---- */

int output_promise_journal(const char *output, const char *path, struct err *err)
{
    struct path link = path_of("%s/_temporary/journal", output);
    char here[PATH_MAX];
    bool inside = path[0] != '/' && getcwd(here, sizeof here);
    struct path whole = path_of("%s%s%s", inside ? here : "", inside ? "/" : "", path);

    if (symlink(whole.text, link.text) < 0)
        return err_system(err, "%s: %s", link.text, strerror(errno));
    return 0;
}

/* Whether a copy of the journal was promised, and the whole path. */
static bool promised_journal(const char *output, char path[PATH_MAX])
{
    struct path link = path_of("%s/_temporary/journal", output);
    ssize_t n = readlink(link.text, path, PATH_MAX - 1);

    path[n > 0 ? n : 0] = 0;
    return n > 0;
}

static int copy_file(const char *from, const char *to)
{
    int in = open(from, O_RDONLY | O_CLOEXEC), result = -1;
    struct fresh_file out;

    if (in >= 0 && fresh_file_open(&out, to, 0666) == 0)
        result = fresh_file_close(&out, bytes_copy(in, out.fd, INT64_MAX) >= 0);
    sys_close(&in);
    return result;
}

int output_journal(const char *output, struct err *err)
{
    struct path from = path_of("%s/_temporary/run/journal", output);
    char path[PATH_MAX];

    if (promised_journal(output, path) && copy_file(from.text, path) < 0)
        return err_system(err, "%s: %s", path, strerror(errno));
    return 0;
}

static int mark_success(const char *output, mode_t mode, struct err *err)
{
    struct path path = path_of("%s/_SUCCESS", output);
    int fd = open(path.text, O_WRONLY | O_CREAT | O_CLOEXEC, mode);

    if (fd < 0)
        return err_system(err, "%s: %s", path.text, strerror(errno));
    close(fd);
    return 0;
}

bool output_has_begun(const char *output)
{
    return access(path_of("%s/_temporary", output).text, F_OK) == 0;
}

bool output_is_done(const char *output)
{
    return access(path_of("%s/_SUCCESS", output).text, F_OK) == 0;
}

/* Folders of some file systems cannot be synced: that is no reason to stop. */
static int sync_names(const char *output, struct err *err)
{
    return sync_folder(output) < 0 && errno != EINVAL
               ? err_system(err, "%s: cannot sync it to disk: %s", output, strerror(errno))
               : 0;
}

int output_sync(const char *output, struct err *err)
{
    struct path path = path_of("%s/_temporary", output);

    if (sync_tree(path.text) < 0 && errno != EINVAL)
        return err_system(err, "%s: cannot sync it to disk: %s", path.text, strerror(errno));
    (void)sync_name(output);
    return sync_names(output, err);
}

int output_finish(const char *output, const char *phase, uint32_t tasks, const int64_t *bytes,
                  bool lazy, struct err *err)
{
    struct path journal = path_of("%s/_temporary/run/journal", output);
    mode_t mode = new_mode();

    /* It must know that the job is over before the results leave the folder of the run. */
    if (sync_file(journal.text) < 0 && errno != ENOENT)
        return err_system(err, "%s: cannot sync it to disk: %s", journal.text, strerror(errno));
    for (uint32_t i = 0; i < tasks; i++)
        if (move_part(output, phase, i, bytes[i], mode, lazy, err) < 0)
            return -1;
    /* A loss of power must not leave the mark without the results, nor neither mark nor rest. */
    if (sync_names(output, err) < 0 || mark_success(output, mode, err) < 0 ||
        sync_names(output, err) < 0)
        return -1;
    return output_clear(output, err);
}

void output_abandon(const char *output)
{
    struct err ignored;

    output_clear(output, &ignored);
    rmdir(output);
}
