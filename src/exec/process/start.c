/* Launching one attempt.
 *
 * The new process reads its words and variables in our memory while we go on (spawn.h), so they are
 * copied from the packet, which the next one overwrites, to where they stay until the process is
 * dead.
 *
 * The private folder is made here and not by the coordinator, because it has to be on the machine
 * where the attempt runs. We keep two things of the attempt: its progress pipe, which the next
 * attempt in its entry gets, and the very same open file as its stdin, whose offset tells how much
 * of it was read. */
#include "exec/process/start.h"

#include <errno.h>
#include <string.h>

#include "base/os/clock.h"
#include "base/os/path.h"
#include "exec/process/sys.h"

/* Clones run behind others, which get nearly thirty times as much of a core: until it is known that
 * no core is left for clones (idle_cores.h) they cost others little. Not behind all of them: on a
 * machine that is full such a process hardly gets as far as to die when it is killed. */
enum { START_CLONE_NICER = 15 };

extern char **environ;

/* Opens DIR/NAME for the attempt to write. A folder that was used before may have an empty one,
 * whose times must stay. */
static int start_create(const char *dir, const char *name, bool used)
{
    enum { FLAGS = O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC };
    struct path path = path_of("%s/%s", dir, name);

    return sys_open(path.text, FLAGS | O_CREAT | (used ? 0 : O_TRUNC), 0600);
}

/* The path of the folder while the attempt runs. */
static const char *start_place(const struct packet *m)
{
    return m->u.launch.late && *m->u.launch.reuse ? m->u.launch.reuse : m->u.launch.dir;
}

/* Takes a bare folder, under a new name if need be, or makes one: that costs more, above all where
 * freeing a folder's block makes the disk work. */
static int start_folder(const struct packet *m, bool *used)
{
    const char *from = m->u.launch.reuse, *dir = start_place(m);

    *used = *from && (strcmp(from, dir) == 0 || rename(from, dir) == 0);
    if (*used)
        return 0;
    if (sys_mkdir(dir, 0700) < 0)
        return -1;
    if (sys_mkdir(path_of("%s/tmp", dir).text, 0700) == 0)
        return 0;
    int saved = errno;
    rmdir(dir);
    errno = saved;
    return -1;
}

/* Undoes a launch as far as it got. Keeps errno. */
void start_undo(const char *dir)
{
    static const char *const names[] = {"tmp", "stdout", "stderr"};
    int saved = errno;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove(path_of("%s/%s", dir, names[i]).text);
    rmdir(dir);
    errno = saved;
}

static int start_stdin(struct starter *s, struct process *p, const char *path)
{
    struct stat st;

    if (!*path)
        return s->null_fd;
    /* A pipe may have lost who writes to it; that must not keep us waiting. */
    int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    bool ok = sys_fstat(fd, &st) == 0 && fcntl(fd, F_SETFL, 0) == 0;
    if (ok && S_ISREG(st.st_mode)) { /* how far it has read is where it is */
        p->stdin_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        p->stdin_bytes = st.st_size;
        ok = p->stdin_fd >= 0;
    }
    if (!ok)
        sys_close(&fd);
    return fd;
}

/* A new pipe, or that of the attempt that was here before and is dead. */
static int start_pipe(const struct starter *s, struct process *p)
{
    int fds[2];
    struct stat st;

    if (p->progress_fd >= 0) /* that one may have asked for writes that do not block */
        return fcntl(p->pipe_fd, F_SETFL, 0);
    if (sys_pipe(fds, O_CLOEXEC) < 0)
        return -1;
    bool fits = fds[0] < s->fd_most && fds[1] < s->fd_most;
    if (!fits || fcntl(fds[0], F_SETFL, O_NONBLOCK) < 0 || sys_fstat(fds[0], &st) < 0) {
        errno = fits ? errno : EMFILE;
        sys_close(&fds[0]);
        sys_close(&fds[1]);
        return -1;
    }
    p->progress_fd = fds[0];
    p->pipe_fd = fds[1];
    p->pipe = st.st_ino;
    return 0;
}

/* A new control socket. Returns the attempt's end, or -1 with errno. */
static int start_control(struct process *p)
{
    int fds[2];

    if (sys_socketpair(SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, fds) < 0)
        return -1;
    if (!p->control) {
        p->control = mem_zalloc(1, sizeof *p->control);
        packet_socket_init(p->control, -1);
    }
    packet_socket_renew(p->control, fds[0]);
    return fds[1];
}

/* Copies a string of the packet, which is valid for a moment only. There is room. */
static const char *start_keep(struct flight *f, const char *bytes, size_t count)
{
    char *at = f->text.at + f->text.count;

    memcpy(at, bytes, count);
    f->text.count += (uint32_t)count;
    return at;
}

/* Whether one of the attempt's variables has the name of this one. */
static bool start_is_given(const char *own, const char *end, const char *entry)
{
    size_t length = strcspn(entry, "=");

    for (; own < end; own += strlen(own) + 1)
        if (strncmp(own, entry, length) == 0 && own[length] == '=')
            return true;
    return false;
}

/* The attempt's variables; then what we were started with, without those of a dolly above us, and
 * without equal names: the first of them counts for some programs, the last for shells. */
static void start_env(struct starter *s, struct flight *f, const char *own, uint32_t bytes)
{
    const char *first = own, *end = own + bytes;

    if (s->tail.count == 0) {
        for (char **e = environ; *e; e++)
            if (strncmp(*e, "DOLLY_", 6) != 0)
                vec_push(&s->tail, *e);
        vec_push(&s->tail, NULL);
    }
    vec_clear(&f->env);
    vec_push(&f->env, f->lineage);
    for (; own < end; own += strlen(own) + 1)
        vec_push(&f->env, (char *)(uintptr_t)own);
    vec_reserve(&f->env, f->env.count + s->tail.count);
    for (uint32_t i = 0; i < s->tail.count; i++)
        if (!s->tail.at[i] || !start_is_given(first, end, s->tail.at[i]))
            f->env.at[f->env.count++] = s->tail.at[i];
    f->spawn.env = f->env.at;
}

/* Without a shell where none is needed; what cannot be started that way the shell may explain. */
static void start_command(struct starter *s, struct flight *f, const char *command)
{
    struct spawn *spawn = &f->spawn;

    spawn->program = command_parse(&f->words, command) ? command_find(&f->words, spawn->env) : NULL;
    spawn->argv = f->words.argv.at;
    f->shell_argv[0] = s->shell; /* a bash that is called sh behaves like one */
    f->shell_argv[1] = "-c";
    f->shell_argv[2] = command;
    f->shell_argv[3] = NULL;
    spawn->second = s->shell;
    spawn->second_argv = (char *const *)(uintptr_t)f->shell_argv;
}

static void start_prepare(struct starter *s, struct process *p, const struct packet *m)
{
    struct flight *f = p->flight;
    const char *place = start_place(m);
    size_t command = strlen(m->u.launch.command) + 1, dir = strlen(place) + 1,
           name = strlen(m->u.launch.dir) + 1;

    if (!f)
        f = p->flight = mem_zalloc(1, sizeof *f);
    vec_clear(&f->text);
    vec_reserve(&f->text, (uint32_t)(command + dir + name + m->u.launch.env_bytes));
    f->dir = start_keep(f, place, dir);
    f->name = start_keep(f, m->u.launch.dir, name);
    f->late = m->u.launch.late;
    lineage_env(s->lineage, p->handle, f->lineage);
    const char *own =
        m->u.launch.env_bytes ? start_keep(f, m->u.launch.env, m->u.launch.env_bytes) : f->dir;
    start_env(s, f, own, m->u.launch.env_bytes);
    start_command(s, f, start_keep(f, m->u.launch.command, command));
    f->spawn.own = m->u.launch.control && f->spawn.program ? s->hooks->own : NULL;
    f->spawn.own_ctx = s->hooks->ctx;
    f->spawn.caught = s->caught;
    f->spawn.files = s->files;
    f->spawn.workdir = s->workdir;
    f->spawn.nicer = m->u.launch.extra ? START_CLONE_NICER : 0;
}

static pid_t start_spawn(struct starter *s, struct process *p, const struct packet *m, bool used)
{
    const char *dir = p->flight->dir;
    struct spawn *spawn = &p->flight->spawn;
    pid_t pid = -1;

    spawn->in = spawn->out = spawn->err = -1;
    spawn->control = 0;
    spawn->in = start_stdin(s, p, m->u.launch.stdin_path);
    s->input_failed = spawn->in < 0 && errno != EMFILE && errno != ENFILE;
    if (spawn->in >= 0 && (spawn->out = start_create(dir, "stdout", used)) >= 0 &&
        (spawn->err = start_create(dir, "stderr", used)) >= 0 && start_pipe(s, p) == 0 &&
        (!m->u.launch.control || (spawn->control = start_control(p)) >= 0)) {
        spawn->progress = p->pipe_fd;
        pid = spawn_begin(spawn);
    }
    /* Copies, because the process reads the originals. */
    int fds[] = {spawn->in, spawn->out, spawn->err, spawn->control > 0 ? spawn->control : -1};
    for (size_t i = fds[0] == s->null_fd; i < sizeof fds / sizeof *fds; i++)
        sys_close(&fds[i]);
    return pid;
}

int start_process(struct starter *s, struct process_table *table, struct process *p,
                  const struct packet *m)
{
    bool used;

    s->input_failed = false;
    if (start_folder(m, &used) < 0)
        return -1;
    start_prepare(s, p, m);
    pid_t pid = start_spawn(s, p, m, used);
    if (pid < 0) {
        start_undo(p->flight->dir);
        return -1;
    }
    p->started_us = clock_now_us();
    process_enter(table, p, pid);
    return 0;
}

bool start_done(const struct process *p)
{
    return spawn_settled(&p->flight->spawn) && spawn_error(&p->flight->spawn) == 0;
}

/* Whether the file is there, is one, and is empty. */
static bool start_is_empty(const char *dir, const char *name)
{
    struct stat st;

    return sys_lstat(path_of("%s/%s", dir, name).text, &st) == 0 && S_ISREG(st.st_mode) &&
           st.st_size == 0;
}

uint8_t start_left(const struct process *p, bool well)
{
    const struct flight *f = p->flight;

    if (!f->late)
        return PACKET_LEFT_UNSEEN;
    if (well && start_is_empty(f->dir, "stdout") && start_is_empty(f->dir, "stderr"))
        return PACKET_LEFT_NOTHING;
    return strcmp(f->dir, f->name) == 0 || sys_rename(f->dir, f->name) == 0 ? PACKET_LEFT_SOMETHING
                                                                            : PACKET_LEFT_UNSEEN;
}

void start_forget(struct process *p)
{
    struct flight *f = p->flight;

    if (!f)
        return;
    mem_free(f->spawn.stack);
    command_fini(&f->words);
    vec_free(&f->text);
    vec_free(&f->env);
    mem_free(f);
    p->flight = NULL;
}

void start_fini(struct starter *s)
{
    vec_free(&s->tail);
}
