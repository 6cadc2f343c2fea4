/* job_files.c - the files of a job. See job_files.h.
 *
 * People edit their scripts while a job runs. Tasks that start later would run another program than
 * those before, and the result would be of both. So files are copied when the job begins, and tasks
 * get links to the copies, also when the job is resumed. They lie in one folder, because
 * interpreters look for modules beside the file that a link leads to. */
#include "jobs/run/job_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/path.h"
#include "exec/process/sys.h"
#include "jobs/streams/bytes.h"
#include "jobs/task/native_object.h"

enum { COPY_DEPTH = 100 };

int job_files_find(const char *option, const char *text, struct plan_file *found, struct err *err)
{
    char path[PATH_MAX], whole[PATH_MAX];

    if (!*text || strlen(text) >= sizeof path)
        return err_set(err, "%s: expected a path, not '%.40s'", option, text);
    strcpy(path, text);
    char *mark = strchr(path, '#');
    if (mark)
        *mark = 0;
    if (!realpath(path, whole))
        return err_set(err, "%s: %s does not exist", option, path);
    const char *name = mark ? mark + 1 : strrchr(whole, '/') + 1;
    if (!*name || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return err_set(err, "%s: '%s' is not a valid file name", option, name);
    *found = (struct plan_file){.path = mem_strdup(whole), .name = mem_strdup(name)};
    return 0;
}

int job_files_name(const struct task_plan *plan, const char *option, const struct plan_file *file,
                   struct err *err)
{
    for (uint32_t i = 0; i < plan->files.count; i++)
        if (strcmp(plan->files.at[i].name, file->name) == 0)
            return err_set(err, "%s: %s and %s have the same name; expected %s#OTHER_NAME", option,
                           plan->files.at[i].path, file->path, file->path);
    return 0;
}

static bool is_there(const struct task_plan *plan, const struct plan_file *file)
{
    for (uint32_t i = 0; i < plan->files.count; i++)
        if (strcmp(plan->files.at[i].name, file->name) == 0 &&
            strcmp(plan->files.at[i].path, file->path) == 0)
            return true;
    return false;
}

int job_files_add(struct task_plan *plan, const char *option, const char *text, struct err *err)
{
    struct plan_file file;

    if (job_files_find(option, text, &file, err) < 0)
        return -1;
    int result = is_there(plan, &file) ? 1 : job_files_name(plan, option, &file, err);
    if (result == 0) {
        vec_push(&plan->files, file);
        return 0;
    }
    mem_free(file.path);
    mem_free(file.name);
    return result < 0 ? -1 : 0;
}

/* ---- copying ---- */

static int copy_bytes(const char *from, const char *to)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = in < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    bool copied = out >= 0 && bytes_copy(in, out, INT64_MAX) >= 0 && fchmod(out, 0555) == 0;

    sys_close(&in);
    if (copied)
        return close(out);
    sys_close(&out);
    return -1;
}

static int copy_link(const char *from, const char *to)
{
    char target[PATH_MAX];
    ssize_t n = readlink(from, target, sizeof target - 1);

    if (n < 0)
        return -1;
    target[n] = 0;
    return symlink(target, to);
}

static int copy_any(const char *from, const char *to, const struct stat *but, int depth);

static int copy_folder(const char *from, const char *to, const struct stat *but, int depth)
{
    DIR *d = depth > COPY_DEPTH ? NULL : opendir(from);
    int result = d ? mkdir(to, 0700) : -1;

    for (struct dirent *e; result == 0 && (e = readdir(d));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        struct path inside = path_of("%s/%s", from, e->d_name);
        struct path beside = path_of("%s/%s", to, e->d_name);
        result = copy_any(inside.text, beside.text, but, depth + 1);
    }
    int error = depth > COPY_DEPTH ? ELOOP : errno;
    if (d)
        closedir(d);
    errno = error;
    return result;
}

/* Links inside of folders stay links; devices, pipes and sockets are left out, and so is the folder
 * `but`: a job whose output lies in a folder that it ships would copy the copies. */
static int copy_any(const char *from, const char *to, const struct stat *but, int depth)
{
    struct stat st;

    if ((depth ? lstat(from, &st) : stat(from, &st)) < 0)
        return -1;
    if (S_ISDIR(st.st_mode) && st.st_dev == but->st_dev && st.st_ino == but->st_ino)
        return 0;
    if (S_ISDIR(st.st_mode))
        return copy_folder(from, to, but, depth);
    if (S_ISLNK(st.st_mode))
        return copy_link(from, to);
    return S_ISREG(st.st_mode) ? copy_bytes(from, to) : 0;
}

int job_files_copy(struct task_plan *plan, const char *folder, struct err *err)
{
    struct stat own;

    if (plan->files.count == 0)
        return 0;
    if (mkdir(folder, 0700) < 0 || stat(folder, &own) < 0)
        return err_system(err, "%s: %s", folder, strerror(errno));
    for (uint32_t i = 0; i < plan->files.count; i++) {
        struct plan_file *f = &plan->files.at[i];
        struct path to = path_of("%s/%s", folder, f->name);
        if (copy_any(f->path, to.text, &own, 0) < 0)
            return err_system(err, "%s: cannot be copied to %s: %s", f->path, to.text,
                              strerror(errno));
        mem_replace(&f->path, to.text);
    }
    return 0;
}

int job_files_bind(struct task_plan *plan, struct err *err)
{
    for (uint32_t i = 0; i < plan->files.count; i++) {
        struct plan_file *f = &plan->files.at[i];
        char hash[NATIVE_OBJECT_HASH];
        struct stat st;
        if (stat(f->path, &st) < 0)
            return err_system(err, "%s: %s", f->path, strerror(errno));
        if (!S_ISREG(st.st_mode))
            continue;
        if (native_object_hash(f->path, hash, err) < 0)
            return -1;
        mem_replace(&f->hash, hash);
    }
    return 0;
}

/* ---- files that are missing ---- */

#define FOLDER "work/" /* of an attempt, where commands run */

static bool is_here(const struct task_plan *p, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    struct stat st;

    if (!*path || path[0] == '/' || stat(path, &st) < 0 || !S_ISREG(st.st_mode))
        return false;
    for (uint32_t i = 0; i < p->files.count; i++)
        if (strcmp(p->files.at[i].name, name) == 0)
            return false;
    return true;
}

/* Words of shells and interpreters for what they cannot find. */
static bool says_missing(const char *words)
{
    static const char *const known[] = {"o such file", "not found", "an't open", "annot open",
                                        "ould not open"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(words, known[i]))
            return true;
    return false;
}

bool job_files_hint(const struct task_plan *p, const char *words, char *path, size_t size)
{
    char *copy = mem_strdup(words);
    bool found = false;

    if (says_missing(words))
        for (char *rest = copy, *word; !found && (word = strsep(&rest, " \t'\":,`()[]"));) {
            const char *inside = strstr(word, FOLDER), *name = word;
            if (inside && inside > word && inside[-1] == '/')
                name = inside + strlen(FOLDER);
            while (strncmp(name, "./", 2) == 0)
                name += 2;
            found = is_here(p, name);
            if (found)
                snprintf(path, size, "%s", name);
        }
    mem_free(copy);
    return found;
}
