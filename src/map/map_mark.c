/* map_mark.c - which outputs have reached our stdout, to the byte, also when we are killed.
 *
 * The problem: an output that was half printed when we died must be completed by whoever resumes,
 * neither begun again nor left out. A count that is kept beside the stream is never exact: between
 * the write and the note of it there is a moment, and a write that waits for a slow reader may have
 * done any part of its work.
 *
 * The method: DIR/printed is mapped by us and by the guardian, so what is noted survives us. It
 * holds a bit per task that is over and printed, and where we are: task, stream, and a chunk of
 * bytes that is just being delivered. How much of the chunk has arrived is read off the world
 * itself:
 *   - stdout is a file: its size or position says so;
 *   - it is anything else (a pipe, a terminal): the chunk is first put into a pipe of our own and
 * then moved from there (splice), which takes out exactly what arrives. What is left in our pipe
 * when we are dead has not arrived; the guardian looks (map_mark_orphaned), because it holds the
 * other end. Only if the guardian is killed in the same moment, and stdout is no file, it is not
 * known how much of the last chunk (32 KiB at most) has arrived, and it is printed again.
 *
 * Where arguments come while tasks run, the file grows with them.
 *
 * Updates are single stores, or go to the one of two places that does not count yet. Nothing is
 * synced: after a loss of power bits may be missing, and outputs may be printed twice, never lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#undef MAP_FAILED /* a task that has failed, here */
#include "map/map_state.h"

#define MARK_MAGIC 0x32306b72616d7964ULL

enum { MARK_CHUNK = 32 * 1024 };

enum mark_way { WAY_FILE, WAY_PIPE, WAY_PLAIN };

/* A place in the printing. `word` is (bytes delivered << 20 | bytes of the chunk << 1 | in the
 * pipe). */
struct mark_place {
    uint32_t task, stage; /* enum mark_stage */
    uint64_t word;
    uint64_t base; /* of the chunk in a file, or of the line in the log; of both files in
                      MARK_FILES, with the one for stderr in `word` */
    uint64_t way;
};

struct mark_file {
    uint64_t magic;
    uint64_t tasks;               /* 0 where they come while others run */
    uint64_t device[2], inode[2]; /* of stdout and stderr */
    uint64_t active;              /* which place counts */
    struct mark_place place[2];
    uint64_t left, left_known; /* bytes of the chunk that have not arrived, says the guardian */
    uint64_t bits[];
};

struct mark {
    volatile struct mark_file *file;
    size_t bytes;
    int fd;
    int pipe[2];
    size_t chunk_max;
    enum mark_way way[2];
    uint64_t skip; /* bytes of the stage that had arrived before */
    /* Where an earlier life had stopped. */
    struct mark_place found;
    uint64_t found_done;
};

static uint64_t pack(uint64_t done, uint64_t chunk, bool piped)
{
    return done << 20 | chunk << 1 | piped;
}

static volatile struct mark_place *place_of(const struct mark *k)
{
    return &k->file->place[k->file->active & 1];
}

/* ---- where it stopped ---- */

/* Makes the place that does not count the one that does. */
static void move_to(struct mark *k, struct mark_place to)
{
    uint64_t other = (k->file->active & 1) ^ 1;
    volatile struct mark_place *p = &k->file->place[other];

    p->task = to.task;
    p->stage = to.stage;
    p->word = to.word;
    p->base = to.base;
    p->way = to.way;
    k->file->active = other;
    k->file->left_known = 0;
}

/* Position behind the last byte that was written to a file. */
static int64_t file_end(int fd)
{
    struct stat st;
    int flags = fcntl(fd, F_GETFL);

    if (flags >= 0 && flags & O_APPEND)
        return fstat(fd, &st) == 0 ? (int64_t)st.st_size : -1;
    return (int64_t)lseek(fd, 0, SEEK_CUR);
}

static uint64_t file_left(int64_t end, uint64_t base, uint64_t chunk)
{
    int64_t arrived = end - (int64_t)base;

    if (arrived <= 0)
        return chunk;
    return (uint64_t)arrived >= chunk ? 0 : chunk - (uint64_t)arrived;
}

/* In the guardian: the coordinator is gone. */
void map_mark_orphaned(void *ctx, int keep_fd)
{
    const struct map *m = ctx;
    int in_pipe = 0;

    if (!m->mark)
        return;
    volatile struct mark_place *p = place_of(m->mark);
    uint64_t chunk = p->word >> 1 & 0x7ffff;
    if (chunk == 0 || p->stage == MARK_FILES)
        return;
    if (p->way == WAY_FILE)
        m->mark->file->left = file_left(file_end(p->stage == MARK_OUT ? 1 : 2), p->base, chunk);
    else if (p->way == WAY_PIPE && ioctl(keep_fd, FIONREAD, &in_pipe) == 0)
        m->mark->file->left = p->word & 1 ? (uint64_t)in_pipe : chunk;
    else
        return;
    m->mark->file->left_known = 1;
}

/* How many bytes of the stage had arrived. */
static uint64_t find_done(const struct mark *k)
{
    const volatile struct mark_file *f = k->file;
    struct mark_place p = k->found;
    uint64_t done = p.word >> 20, chunk = p.word >> 1 & 0x7ffff;
    int fd = p.stage == MARK_OUT ? 1 : 2;
    struct stat st;

    if (chunk == 0 || f->left_known)
        return done + chunk - (chunk ? f->left : 0);
    if (p.way == WAY_FILE && fstat(fd, &st) == 0 && f->device[fd - 1] == (uint64_t)st.st_dev &&
        f->inode[fd - 1] == (uint64_t)st.st_ino)
        return done + chunk - file_left((int64_t)st.st_size, p.base, chunk);
    return done;
}

static void find_place(struct mark *k)
{
    volatile struct mark_place *p = place_of(k);

    k->found = (struct mark_place){p->task, p->stage, p->word, p->base, p->way};
    if (k->found.stage == MARK_OUT || k->found.stage == MARK_ERR)
        k->found_done = find_done(k);
}

/* ---- opening ---- */

static size_t bytes_for(uint64_t tasks)
{
    return sizeof(struct mark_file) + ((size_t)tasks / 64 + 1) * sizeof(uint64_t);
}

/* Maps so much of the file, with room on the disk for all of it: a mapped page that cannot be
 * written is a signal. */
static int map_file(struct map *m, size_t bytes, struct err *err)
{
    struct mark *k = m->mark;
    int error = posix_fallocate(k->fd, 0, (off_t)bytes);

    if (error)
        return err_system(err, "%s/printed: %s", m->dir, strerror(error));
    void *at = k->file ? mremap((void *)(uintptr_t)k->file, k->bytes, bytes, MREMAP_MAYMOVE)
                       : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, k->fd, 0);
    if (at == (void *)-1)
        return err_system(err, "%s/printed: cannot be mapped: %s", m->dir, strerror(errno));
    k->file = at;
    k->bytes = bytes;
    return 0;
}

static int open_file(struct map *m, struct err *err)
{
    struct mark *k = m->mark;
    struct str path = {0};
    struct stat st;
    size_t bytes = bytes_for(m->tasks);

    str_addf(&path, "%s/printed", m->dir);
    k->fd = open(path.text, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    str_free(&path);
    if (k->fd < 0 || fstat(k->fd, &st) < 0)
        return err_system(err, "%s/printed: %s", m->dir, strerror(errno));
    if (m->again && !m->feeding && st.st_size != 0 && (size_t)st.st_size != bytes)
        return err_set(err, "%s/printed: does not belong to this run", m->dir);
    /* It grows by more than one task at a time. */
    return map_file(m, (size_t)st.st_size > bytes ? (size_t)st.st_size : bytes, err);
}

/* The guardian goes on with what it had mapped, which has all that it looks at. */
int map_mark_grow(struct map *m, struct err *err)
{
    if (!m->mark || bytes_for(m->tasks) <= m->mark->bytes)
        return 0;
    return map_file(m, bytes_for(2ULL * m->tasks), err);
}

static int open_pipe(struct mark *k, struct err *err)
{
    if (pipe2(k->pipe, O_CLOEXEC) < 0)
        return err_system(err, "cannot make a pipe: %s", strerror(errno));
    int room = fcntl(k->pipe[0], F_GETPIPE_SZ);
    k->chunk_max = room > 0 && room < MARK_CHUNK ? (size_t)room : MARK_CHUNK;
    return 0;
}

int map_mark_open(struct map *m, struct err *err)
{
    uint32_t tasks = m->feeding ? 0 : m->tasks;
    struct stat st;

    m->mark = mem_zalloc(1, sizeof *m->mark);
    struct mark *k = m->mark;
    k->fd = k->pipe[0] = k->pipe[1] = -1;
    if (open_file(m, err) < 0 || open_pipe(k, err) < 0)
        return -1;
    if (k->file->magic == MARK_MAGIC && k->file->tasks == tasks)
        find_place(k);
    if (k->found.stage == MARK_OUT || k->found.stage == MARK_ERR)
        move_to(k, (struct mark_place){.task = k->found.task,
                                       .stage = k->found.stage,
                                       .word = pack(k->found_done, 0, false),
                                       .way = WAY_PLAIN}); /* its chunk was in another pipe */
    for (int i = 0; i < 2; i++) {
        k->way[i] = WAY_PIPE;
        if (fstat(i + 1, &st) < 0)
            continue;
        k->file->device[i] = (uint64_t)st.st_dev;
        k->file->inode[i] = (uint64_t)st.st_ino;
        if (S_ISREG(st.st_mode))
            k->way[i] = WAY_FILE;
    }
    k->file->tasks = tasks;
    k->file->magic = MARK_MAGIC;
    return 0;
}

void map_mark_close(struct map *m)
{
    struct mark *k = m->mark;

    if (!k)
        return;
    if (k->file)
        munmap((void *)(uintptr_t)k->file, k->bytes);
    if (k->fd >= 0)
        close(k->fd);
    for (int i = 0; i < 2; i++)
        if (k->pipe[i] >= 0)
            close(k->pipe[i]);
    mem_free(k);
    m->mark = NULL;
}

int map_mark_fd(const struct map *m)
{
    return m->mark->pipe[0];
}

/* ---- tasks and stages ---- */

bool map_mark_is_done(const struct map *m, uint32_t task)
{
    return m->mark && m->mark->file->bits[task / 64] >> (task % 64) & 1;
}

void map_mark_done(struct map *m, uint32_t task)
{
    if (!m->mark)
        return;
    m->mark->file->bits[task / 64] |= 1ULL << (task % 64);
    move_to(m->mark, (struct mark_place){0});
}

void map_mark_stage(struct map *m, uint32_t task, enum mark_stage stage)
{
    struct mark *k = m->mark;

    if (!k)
        return;
    bool here = k->found.stage != MARK_NONE && k->found.task == task;
    k->skip = 0;
    if (here && k->found.stage == stage)
        k->skip = k->found_done;
    else if (here && k->found.stage > stage)
        k->skip = UINT64_MAX; /* all of it had arrived */
    if (k->skip == UINT64_MAX)
        return; /* we are further than that */
    move_to(k, (struct mark_place){.task = task,
                                   .stage = stage,
                                   .word = pack(k->skip, 0, false),
                                   .way = k->way[stage == MARK_OUT ? 0 : 1]});
}

void map_mark_files(struct map *m, uint32_t task, const int64_t bytes[2])
{
    if (m->mark)
        move_to(m->mark, (struct mark_place){.task = task,
                                             .stage = MARK_FILES,
                                             .base = (uint64_t)bytes[0],
                                             .word = (uint64_t)bytes[1]});
}

bool map_mark_filing(const struct map *m, int64_t bytes[2])
{
    const struct mark *k = m->mark;

    if (!k || k->found.stage != MARK_FILES)
        return false;
    bytes[0] = (int64_t)k->found.base;
    bytes[1] = (int64_t)k->found.word;
    return true;
}

bool map_mark_filed(const struct map *m, uint32_t task)
{
    return m->mark && m->mark->found.stage > MARK_FILES && m->mark->found.task == task;
}

void map_mark_log(struct map *m, uint32_t task, int64_t bytes)
{
    if (m->mark)
        move_to(m->mark,
                (struct mark_place){.task = task, .stage = MARK_LOG, .base = (uint64_t)bytes});
}

bool map_mark_logging(const struct map *m, uint32_t *task, int64_t *bytes)
{
    const struct mark *k = m->mark;

    if (!k || k->found.stage != MARK_LOG)
        return false;
    *task = k->found.task;
    *bytes = (int64_t)k->found.base;
    return true;
}

/* ---- bytes ---- */

static int wait_for(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    return poll(&p, 1, -1);
}

/* Writes all of it, also where the file does not block. */
static int write_plain(int fd, const char *at, size_t length)
{
    while (length > 0) {
        ssize_t n = write(fd, at, length);
        if (n < 0 && errno == EAGAIN && wait_for(fd) > 0)
            continue;
        if (n < 0 && errno != EINTR)
            return -1;
        if (n > 0) {
            at += n;
            length -= (size_t)n;
        }
    }
    return 0;
}

/* Moves what is in our pipe to the stream. 1 when the stream cannot be moved to. */
static int move_out(struct mark *k, int fd, size_t length)
{
    while (length > 0) {
        ssize_t n = splice(k->pipe[0], NULL, fd, NULL, length, 0);
        if (n < 0 && errno == EAGAIN && wait_for(fd) > 0)
            continue;
        if (n < 0 && errno == EINVAL)
            return 1;
        if (n < 0 && errno != EINTR)
            return -1;
        if (n > 0)
            length -= (size_t)n;
    }
    return 0;
}

static int deliver(struct mark *k, int fd, const char *at, size_t length)
{
    volatile struct mark_place *p = place_of(k);
    uint64_t done = p->word >> 20;
    char back[MARK_CHUNK];
    int result;

    switch ((enum mark_way)p->way) {
    case WAY_FILE:
        p->base = (uint64_t)file_end(fd);
        p->word = pack(done, length, false);
        result = write_plain(fd, at, length);
        break;
    case WAY_PIPE:
        p->word = pack(done, length, false);
        if (write(k->pipe[1], at, length) != (ssize_t)length)
            return -1;
        p->word = pack(done, length, true);
        result = move_out(k, fd, length);
        if (result == 1) { /* nothing has left it yet */
            (void)!read(k->pipe[0], back, length);
            p->way = k->way[fd - 1] = WAY_PLAIN;
            result = write_plain(fd, at, length);
        }
        break;
    default:
        p->word = pack(done, length, false);
        result = write_plain(fd, at, length);
        break;
    }
    if (result == 0)
        p->word = pack(done + length, 0, false);
    return result;
}

int map_mark_write(struct map *m, int fd, const char *at, size_t length)
{
    struct mark *k = m->mark;
    size_t skip = k->skip < length ? (size_t)k->skip : length;

    if (k->skip != UINT64_MAX)
        k->skip -= skip;
    at += skip;
    length -= skip;
    while (length > 0) {
        size_t n = length < k->chunk_max ? length : k->chunk_max;
        if (deliver(k, fd, at, n) < 0)
            return -1;
        at += n;
        length -= n;
    }
    return 0;
}
