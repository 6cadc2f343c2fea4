/* Launching one attempt.
 *
 * The private place is made here and not by the coordinator, because it has to be on the machine
 * where the attempt runs. We keep two things of the attempt: its progress pipe, which the next ward
 * in its place gets, and the very same open file as its stdin, whose offset tells how much it has
 * taken. */
#include "exec/launch.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "exec/clock.h"
#include "exec/spawn.h"
#include "exec/sys.h"

extern char **environ;

/* Opens DIR/NAME for the attempt to write. A place that was used before may have an empty one. */
static int launch_create(const char *dir, const char *name, bool used)
{
    enum { FLAGS = O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC };
    char path[PATH_MAX];

    if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = used ? open(path, FLAGS) : -1;
    return fd >= 0 ? fd : sys_open(path, FLAGS | O_CREAT | O_TRUNC, 0666);
}

static int launch_tmp(const char *dir, bool make)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof path, "%s/tmp", dir) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return make ? sys_mkdir(path, 0777) : rmdir(path);
}

/* Makes the private place. */
static int launch_make(const char *dir)
{
    if (sys_mkdir(dir, 0777) < 0)
        return -1;
    if (launch_tmp(dir, true) == 0)
        return 0;
    int saved = errno;
    rmdir(dir);
    errno = saved;
    return -1;
}

/* Takes a bare place, under a new name if need be, or makes one: that is dearer, above all where
 * freeing a folder's block makes the disk work. */
static int launch_place(const struct packet *m, bool *used)
{
    const char *from = m->u.launch.reuse, *to = m->u.launch.dir;

    *used = *from && (strcmp(from, to) == 0 || rename(from, to) == 0);
    return *used ? 0 : launch_make(to);
}

/* Undoes a launch as far as it got. Keeps errno. */
static void launch_undo(const char *dir)
{
    int saved = errno;
    char path[PATH_MAX];

    launch_tmp(dir, false);
    for (int i = 0; i < 2; i++)
        if (snprintf(path, sizeof path, "%s/%s", dir, i ? "stdout" : "stderr") < (int)sizeof path)
            unlink(path);
    rmdir(dir);
    errno = saved;
}

static int launch_stdin(struct ward *ward, const char *path)
{
    struct stat st;

    if (!*path)
        return SPAWN_NULL_FD;
    int fd = sys_open(path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (sys_fstat(fd, &st) < 0) {
        sys_close(&fd);
        return -1;
    }
    ward->stdin_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    ward->stdin_bytes = st.st_size;
    if (ward->stdin_fd < 0)
        sys_close(&fd);
    return fd;
}

/* A pipe of its own, or that of the ward who was here before and is dead. */
static int launch_pipe(struct ward *ward)
{
    int fds[2];
    struct stat st;

    if (ward->progress_fd >= 0) /* that one may have asked for writes that do not block */
        return fcntl(ward->pipe_fd, F_SETFL, 0);
    if (sys_pipe(fds, O_CLOEXEC) < 0)
        return -1;
    if (fcntl(fds[0], F_SETFL, O_NONBLOCK) < 0 || sys_fstat(fds[0], &st) < 0) {
        sys_close(&fds[0]);
        sys_close(&fds[1]);
        return -1;
    }
    ward->progress_fd = fds[0];
    ward->pipe_fd = fds[1];
    ward->pipe = st.st_ino;
    return 0;
}

/* The attempt's variables first, because the first of two equal names counts; then what we were
 * started with, without variables of a dolly above us. */
static void launch_env(struct launcher *l, const struct packet *m, char *lineage)
{
    const char *at = m->u.launch.env, *end = at + m->u.launch.env_bytes;

    vec_clear(&l->env);
    vec_push(&l->env, lineage);
    for (; at < end; at += strlen(at) + 1)
        vec_push(&l->env, (char *)(uintptr_t)at);
    for (char **e = environ; *e; e++)
        if (strncmp(*e, "DOLLY_", 6) != 0)
            vec_push(&l->env, *e);
    vec_push(&l->env, NULL);
}

/* Without a shell where none is needed; what cannot be started that way the shell may explain. */
static pid_t launch_command(struct launcher *l, const char *command, struct spawn_request *r)
{
    const char *const shell_argv[] = {"sh", "-c", command, NULL};

    r->program = direct_parse(&l->direct, command) ? direct_find(&l->direct, r->env) : NULL;
    r->argv = l->direct.argv.at;
    pid_t pid = r->program ? spawn_program(r) : -1;
    if (pid >= 0 ||
        (r->program && errno != ENOENT && errno != EACCES && errno != ENOEXEC && errno != ENOTDIR))
        return pid;
    r->program = l->shell;
    r->argv = (char *const *)shell_argv;
    return spawn_program(r);
}

static pid_t launch_process(struct launcher *l, struct ward *ward, const struct packet *m,
                            bool used)
{
    char lineage[KIN_ENV_BYTES];
    const char *dir = m->u.launch.dir;
    struct spawn_request r = {.in = -1, .out = -1, .err = -1, .progress = -1, .files = l->files};
    pid_t pid = -1;

    kin_env(l->kin, ward->handle, lineage);
    launch_env(l, m, lineage);
    r.env = l->env.at;
    if ((r.in = launch_stdin(ward, m->u.launch.stdin_path)) >= 0 &&
        (r.out = launch_create(dir, "stdout", used)) >= 0 &&
        (r.err = launch_create(dir, "stderr", used)) >= 0 && launch_pipe(ward) == 0) {
        r.progress = ward->pipe_fd;
        pid = launch_command(l, m->u.launch.command, &r);
    }
    int saved = errno;
    if (r.in != SPAWN_NULL_FD)
        sys_close(&r.in);
    sys_close(&r.out);
    sys_close(&r.err);
    errno = saved;
    return pid;
}

int launch_ward(struct launcher *l, struct wards *wards, struct ward *ward, const struct packet *m)
{
    bool used;

    if (launch_place(m, &used) < 0)
        return -1;
    pid_t pid = launch_process(l, ward, m, used);
    if (pid < 0) {
        launch_undo(m->u.launch.dir);
        return -1;
    }
    ward->started_us = clock_now_us();
    wards_enter(wards, ward, pid);
    return 0;
}

void launcher_fini(struct launcher *l)
{
    vec_free(&l->env);
    direct_fini(&l->direct);
}
