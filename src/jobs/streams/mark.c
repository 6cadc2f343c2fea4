/* mark.c - records which outputs have reached stdout, to the byte, even if dolly is killed.
 *
 * The problem: a resumed run must complete an output that was half printed when the run died,
 * neither begin it again nor leave it out. A count that is kept beside the stream is never exact:
 * there is a moment between the write and the note of it, and a write that waits for a slow reader
 * may have done any part of its work.
 *
 * The method: DIR/printed is mapped by us and by the guardian, so what is noted survives us. It
 * holds a bit per task that is over and printed, and where we are: task, stream, bytes that have
 * arrived, and a chunk of bytes that is just being delivered. How much of the chunk has arrived is
 * read off the world itself:
 *   - stdout is a file: its size or position says so (the guardian, whose own stdout goes nowhere,
 *     keeps it open);
 *   - it is anything else (a pipe, a terminal): the chunk is first put into a pipe of our own and
 *     then moved from there (splice), which takes out exactly what arrives. What is left in our
 *     pipe when we are dead has not arrived; the guardian looks (mark_orphaned), because it
 *     holds the other end. Only if the guardian is killed in the same moment, and stdout is not a
 *     file, it is not known how much of the last chunk (32 KiB at most) has arrived, and it is
 *     printed again.
 *
 * The place where we are is written to the one of two records that does not count yet, and one
 * store makes it count. Nothing is synced: after a loss of power outputs may be printed twice. None
 * is left out that has reached its reader; but a file that stdout is, or that the reader writes,
 * may have lost what it got. Where arguments come while tasks run, the file grows with them. */
#include "jobs/streams/mark.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/path.h"
#include "base/os/write_all.h"
#include "exec/process/sys.h"

#define MARK_MAGIC 0x33306b72616d7964ULL

enum { MARK_CHUNK = 32 * 1024 };

enum mark_way { WAY_PLAIN, WAY_FILE, WAY_PIPE };

/* Where the printing is. */
struct mark_place {
    uint32_t task, stage; /* enum mark_stage */
    uint64_t done;        /* bytes of the stage that have arrived */
    uint64_t chunk;       /* bytes behind them that are being delivered, */
    uint64_t way;         /* in this way: */
    uint64_t base;        /* to a file from this position on, or through our pipe */
};

struct mark_file {
    uint64_t magic;
    uint64_t tasks;               /* 0 where they come while others run */
    uint64_t device[2], inode[2]; /* of stdout and stderr */
    uint64_t active;              /* which place counts */
    struct mark_place place[2];
    uint64_t bits[];
};

struct mark {
    const char *dir; /* borrowed */
    volatile struct mark_file *file;
    size_t bytes;
    int fd;
    int pipe[2];
    size_t chunk_max; /* no more than fits into the pipe */
    enum mark_way way[2];
    uint64_t skip;           /* bytes of the stage that had arrived before */
    struct mark_place found; /* where an earlier life had stopped */
};

static struct mark_place place_of(const struct mark *k)
{
    return k->file->place[k->file->active & 1];
}

static void move_to(struct mark *k, struct mark_place to)
{
    uint64_t other = (k->file->active & 1) ^ 1;

    k->file->place[other] = to;
    k->file->active = other;
}

/* ---- where it stopped ---- */

/* Position behind the last byte that was written to a file. */
static int64_t file_end(int fd)
{
    struct stat st;
    int flags = fcntl(fd, F_GETFL);

    if (flags >= 0 && flags & O_APPEND)
        return fstat(fd, &st) == 0 ? (int64_t)st.st_size : -1;
    return (int64_t)lseek(fd, 0, SEEK_CUR);
}

/* The chunk is not being delivered any more: this number of its bytes has arrived. */
static struct mark_place settle(struct mark_place p, int64_t arrived)
{
    p.done += arrived < 0 ? 0 : (uint64_t)arrived < p.chunk ? (uint64_t)arrived : p.chunk;
    p.chunk = 0;
    return p;
}

static int stream_of(uint32_t stage)
{
    return stage == MARK_OUT ? STDOUT_FILENO : STDERR_FILENO;
}

/* In the guardian: the coordinator is gone. */
void mark_orphaned(struct mark *k, const int fds[2])
{
    struct mark_place p = place_of(k);
    int64_t end;
    int in_pipe = 0;

    if (p.chunk == 0)
        return;
    if (p.way == WAY_FILE && (end = file_end(p.stage == MARK_OUT ? fds[1] : STDERR_FILENO)) >= 0)
        move_to(k, settle(p, end - (int64_t)p.base));
    else if (p.way == WAY_PIPE && ioctl(fds[0], FIONREAD, &in_pipe) == 0)
        move_to(k, settle(p, (int64_t)p.chunk - in_pipe));
}

/* Where an earlier life has stopped. A chunk is there only if the guardian was killed, too. */
static struct mark_place find_place(const struct mark *k)
{
    struct mark_place p = place_of(k);
    int fd = stream_of(p.stage);
    struct stat st;

    if (p.chunk && p.way == WAY_FILE && fstat(fd, &st) == 0 &&
        k->file->device[fd - 1] == (uint64_t)st.st_dev &&
        k->file->inode[fd - 1] == (uint64_t)st.st_ino)
        return settle(p, (int64_t)st.st_size - (int64_t)p.base);
    return settle(p, 0);
}

/* ---- opening ---- */

static size_t bytes_for(uint64_t tasks)
{
    return sizeof(struct mark_file) + ((size_t)tasks / 64 + 1) * sizeof(uint64_t);
}

/* Maps the beginning of the file, with room on the disk for all of it: a mapped page that cannot be
 * written is a signal. */
static int map_file(struct mark *k, size_t bytes, struct err *err)
{
    int error = posix_fallocate(k->fd, 0, (off_t)bytes);

    if (error)
        return err_system(err, "%s/printed: %s", k->dir, strerror(error));
    void *at = k->file ? mremap((void *)(uintptr_t)k->file, k->bytes, bytes, MREMAP_MAYMOVE)
                       : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, k->fd, 0);
    if (at == MAP_FAILED)
        return err_system(err, "%s/printed: cannot be mapped: %s", k->dir, strerror(errno));
    k->file = at;
    k->bytes = bytes;
    return 0;
}

static int open_file(struct mark *k, uint32_t tasks, bool fed, bool again, struct err *err)
{
    struct stat st;
    size_t bytes = bytes_for(tasks);

    k->fd = open(path_of("%s/printed", k->dir).text, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (k->fd < 0 || fstat(k->fd, &st) < 0)
        return err_system(err, "%s/printed: %s", k->dir, strerror(errno));
    if (again && !fed && st.st_size != 0 && (uint64_t)st.st_size != bytes)
        return err_set(err, "%s/printed: does not belong to this run", k->dir);
    /* It grows by more than one task at a time. */
    return map_file(k, (uint64_t)st.st_size > bytes ? mem_size((uint64_t)st.st_size) : bytes, err);
}

/* The guardian goes on with what it had mapped, which has all that it looks at. */
int mark_grow(struct mark *k, uint32_t tasks, struct err *err)
{
    if (!k || bytes_for(tasks) <= k->bytes)
        return 0;
    return map_file(k, bytes_for(2ULL * tasks), err);
}

struct mark *mark_open(const char *dir, uint32_t tasks, bool fed, bool again, struct err *err)
{
    struct mark *k = mem_zalloc(1, sizeof *k);
    uint64_t known = fed ? 0 : tasks;
    struct stat st;

    k->dir = dir;
    k->fd = k->pipe[0] = k->pipe[1] = -1;
    int result = open_file(k, tasks, fed, again, err);
    if (result == 0 && pipe2(k->pipe, O_CLOEXEC) < 0)
        result = err_system(err, "cannot make a pipe: %s", strerror(errno));
    if (result < 0) {
        mark_close(k);
        return NULL;
    }
    int size = fcntl(k->pipe[0], F_GETPIPE_SZ);
    k->chunk_max = size > 0 && size < MARK_CHUNK ? (size_t)size : MARK_CHUNK;
    if (k->file->magic == MARK_MAGIC && k->file->tasks == known)
        move_to(k, k->found = find_place(k));
    for (int i = 0; i < 2; i++) {
        k->way[i] = WAY_PIPE;
        if (fstat(i + 1, &st) < 0)
            continue;
        k->file->device[i] = (uint64_t)st.st_dev;
        k->file->inode[i] = (uint64_t)st.st_ino;
        if (S_ISREG(st.st_mode))
            k->way[i] = WAY_FILE;
    }
    k->file->tasks = known;
    k->file->magic = MARK_MAGIC;
    return k;
}

void mark_close(struct mark *k)
{
    if (!k)
        return;
    if (k->file)
        munmap((void *)(uintptr_t)k->file, k->bytes);
    sys_close(&k->fd);
    for (int i = 0; i < 2; i++)
        sys_close(&k->pipe[i]);
    mem_free(k);
}

void mark_fds(const struct mark *k, int fds[2])
{
    fds[0] = k->pipe[0];
    fds[1] = k->way[0] == WAY_FILE ? STDOUT_FILENO : 0;
}

/* ---- tasks and stages ---- */

bool mark_is_done(const struct mark *k, uint32_t task)
{
    return k && k->file->bits[task / 64] >> (task % 64) & 1;
}

void mark_done(struct mark *k, uint32_t task)
{
    if (!k)
        return;
    k->file->bits[task / 64] |= 1ULL << (task % 64);
    move_to(k, (struct mark_place){0});
}

void mark_stage(struct mark *k, uint32_t task, enum mark_stage stage)
{
    if (!k)
        return;
    bool here = k->found.stage != MARK_NONE && k->found.task == task;
    k->skip = here && k->found.stage > stage    ? UINT64_MAX /* all of it had arrived */
              : here && k->found.stage == stage ? k->found.done
                                                : 0;
    if (k->skip != UINT64_MAX)
        move_to(k, (struct mark_place){.task = task, .stage = stage, .done = k->skip});
}

void mark_files(struct mark *k, uint32_t task, const int64_t bytes[2])
{
    if (k)
        move_to(k, (struct mark_place){.task = task,
                                       .stage = MARK_FILES,
                                       .base = (uint64_t)bytes[0],
                                       .done = (uint64_t)bytes[1]});
}

bool mark_filing(const struct mark *k, int64_t bytes[2])
{
    if (!k || k->found.stage != MARK_FILES)
        return false;
    bytes[0] = (int64_t)k->found.base;
    bytes[1] = (int64_t)k->found.done;
    return true;
}

bool mark_filed(const struct mark *k, uint32_t task)
{
    return k && k->found.stage > MARK_FILES && k->found.task == task;
}

void mark_log(struct mark *k, uint32_t task, int64_t bytes)
{
    if (k)
        move_to(k, (struct mark_place){.task = task, .stage = MARK_LOG, .base = (uint64_t)bytes});
}

bool mark_logging(const struct mark *k, uint32_t *task, int64_t *bytes)
{
    if (!k || k->found.stage != MARK_LOG)
        return false;
    *task = k->found.task;
    *bytes = (int64_t)k->found.base;
    return true;
}

/* ---- bytes ---- */

/* Moves what is in our pipe to the stream. 1 when the stream cannot be moved to. */
static int move_out(struct mark *k, int fd, size_t length)
{
    while (length > 0) {
        ssize_t n = splice(k->pipe[0], NULL, fd, NULL, length, 0);
        if (n < 0 && errno == EAGAIN && poll(&(struct pollfd){fd, POLLOUT, 0}, 1, -1) > 0)
            continue;
        if (n < 0 && errno == EINVAL)
            return 1;
        if (n < 0 && errno != EINTR)
            return -1;
        length -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* The chunk is noted before any byte of it can arrive, and through our pipe only when all of it is
 * in there: what is not in the pipe then has arrived. */
static int deliver(struct mark *k, int fd, const char *at, size_t length)
{
    struct mark_place p = place_of(k);
    char back[MARK_CHUNK];
    int result = 1;

    p.way = k->way[fd - 1];
    p.chunk = length;
    p.base = p.way == WAY_FILE ? (uint64_t)file_end(fd) : 0;
    if (p.way == WAY_PIPE && write(k->pipe[1], at, length) != (ssize_t)length)
        return -1;
    if (p.way != WAY_PLAIN)
        move_to(k, p);
    if (p.way == WAY_PIPE)
        result = move_out(k, fd, length);
    if (p.way == WAY_PIPE && result == 1) { /* nothing has left it yet */
        k->way[fd - 1] = WAY_PLAIN;
        move_to(k, settle(p, 0));
        (void)!read(k->pipe[0], back, length);
    }
    if (result == 1)
        result = write_all(fd, at, length);
    if (result == 0)
        move_to(k, settle(p, (int64_t)length));
    return result;
}

int mark_write(struct mark *k, int fd, const char *at, size_t length)
{
    size_t skip = k->skip < length ? (size_t)k->skip : length;

    k->skip -= skip; /* of all, so much remains that the end is never reached */
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
