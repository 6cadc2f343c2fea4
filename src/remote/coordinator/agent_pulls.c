/* Receiving files, and comparing them.
 *
 * A file system between machines may show a file that was written elsewhere late, or for a moment
 * with its old size. Opening it asks the server again; so we open, compare, and look again for a
 * while before we believe that it is not what the agent saw. This is the one place that knows about
 * that; everything behind it reads what is there. */
#include "remote/coordinator/agent_pulls.h"

#include <errno.h>
#include <string.h>

#include "base/check.h"
#include "base/os/path.h"
#include "base/os/tree.h"
#include "exec/folder/run_dir.h"
#include "exec/folder/xxh3.h"
#include "exec/process/sys.h"

enum {
    PULLS_AGAIN_US = 50000,       /* between two looks */
    PULLS_PATIENCE_US = 10000000, /* as long as caches of NFS are usually kept, and more */
    PULLS_ERRNO_MAX = 4096,
};

struct pull_file {
    int fd; /* -1: not open */
    int64_t got;
    XXH3_state_t *state;
    bool told; /* the agent has said what it should be: */
    bool own;  /* or rather the attempt itself, with a checksum of its own: it is not read */
    int64_t bytes;
    uint64_t checksum;
};

struct agent_pull {
    uint32_t handle;
    char *dir;
    bool control; /* it says itself what it leaves, */
    uint8_t keep; /* which stays where it is (enum packet_keep), */
    bool told;    /* and has said so: */
    int64_t bytes;
    struct pull_file files[PACKET_FILE_END];
    int failed;  /* errno: something could not be read there, or be written here; 0: all is well */
    bool faulty; /* ... there */
    struct packet end;
    int64_t again_us, until_us; /* while its end waits; 0: it does not */
};

static void pull_free(struct agent_pull *a)
{
    for (int i = 0; i < PACKET_FILE_END; i++) {
        sys_close(&a->files[i].fd);
        XXH3_freeState(a->files[i].state);
    }
    mem_free(a->dir);
    mem_free(a);
}

void agent_pulls_clear(struct agent_pulls *p)
{
    for (uint32_t i = 0; i < p->at.count; i++)
        if (p->at.at[i])
            pull_free(p->at.at[i]);
    vec_free(&p->at);
    vec_free(&p->free);
    lookup_fini(&p->by_handle);
    *p = (struct agent_pulls){.pull = p->pull, .counters = p->counters};
}

uint32_t agent_pulls_count(const struct agent_pulls *p)
{
    return p->at.count - p->free.count;
}

static struct agent_pull *pulls_find(const struct agent_pulls *p, uint32_t handle)
{
    uint32_t index = lookup_get(&p->by_handle, handle);
    return index == LOOKUP_NONE ? NULL : p->at.at[index];
}

static void pulls_remove(struct agent_pulls *p, struct agent_pull *a)
{
    uint32_t index = lookup_get(&p->by_handle, a->handle);

    lookup_remove(&p->by_handle, a->handle);
    p->at.at[index] = NULL;
    vec_push(&p->free, index);
    pull_free(a);
}

static struct path pull_path(const struct agent_pull *a, int file)
{
    return path_of("%s/%s", a->dir, file == PACKET_STDOUT ? "stdout" : "stderr");
}

/* FOLDER/PHASE.TASK.ATTEMPT, after a private folder JOB.PHASE.TASK.ATTEMPT. */
static struct path pull_counters_path(const struct agent_pulls *p, const struct agent_pull *a)
{
    const char *name = strrchr(a->dir, '/');
    const char *dot = name ? strchr(name, '.') : NULL;

    return path_of("%s/%s", p->counters, dot ? dot + 1 : "unknown");
}

/* ---- launching ---- */

static int pull_make(const struct agent_pull *a, const char *reuse)
{
    if (*reuse && (strcmp(reuse, a->dir) == 0 || rename(reuse, a->dir) == 0))
        return 0;
    if (sys_mkdir(a->dir, 0700) < 0 || sys_mkdir(path_of("%s/tmp", a->dir).text, 0700) < 0)
        return -1;
    return 0;
}

/* Makes the files that every attempt has, so that one without output has empty ones. */
static int pull_make_files(const struct agent_pull *a)
{
    for (int i = 0; i < PACKET_COUNTERS; i++) {
        int fd = sys_open(pull_path(a, i).text, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0)
            return -1;
        sys_close(&fd);
    }
    return 0;
}

int agent_pulls_launch(struct agent_pulls *p, const struct packet *launch)
{
    struct agent_pull *a = mem_zalloc(1, sizeof *a);

    a->handle = launch->handle;
    a->dir = mem_strdup(launch->u.launch.dir);
    a->control = launch->u.launch.control;
    a->keep = launch->u.launch.keep;
    for (int i = 0; i < PACKET_FILE_END; i++)
        a->files[i].fd = -1;
    if (p->pull && (pull_make(a, launch->u.launch.reuse) < 0 || pull_make_files(a) < 0)) {
        int saved = errno;
        tree_remove(a->dir);
        pull_free(a);
        errno = saved;
        return -1;
    }
    uint32_t index = vec_take(&p->at, &p->free);
    p->at.at[index] = a;
    lookup_put(&p->by_handle, a->handle, index);
    return 0;
}

/* ---- receiving ---- */

static void pull_open(struct agent_pulls *p, struct agent_pull *a, int file)
{
    struct pull_file *f = &a->files[file];
    struct path path = pull_path(a, file);
    int make = 0;

    f->state = XXH3_createState();
    check(f->state && XXH3_64bits_reset(f->state) == XXH_OK);
    if (file == PACKET_COUNTERS) {
        sys_mkdir(p->counters, 0700); /* unless it is there */
        path = pull_counters_path(p, a);
        make = O_CREAT;
    }
    f->fd = sys_open(path.text, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC | make, 0600);
    if (f->fd < 0 && !a->failed)
        a->failed = errno;
}

/* Whether the file may have a hole. */
static bool pull_is_kept(const struct agent_pull *a, int file)
{
    return a->keep && file == PACKET_STDOUT;
}

static const char *pull_piece(struct agent_pulls *p, struct agent_pull *a, const struct packet *m)
{
    int file = m->u.output.file;
    if (file >= PACKET_FILE_END || (file == PACKET_COUNTERS && !p->counters))
        return "the file does not exist";
    struct pull_file *f = &a->files[file];
    const char *at = m->u.output.bytes;
    size_t left = m->u.output.length;
    int64_t offset = m->u.output.offset;

    if (f->told || (pull_is_kept(a, file) ? offset < f->got : offset != f->got) || left == 0 ||
        left > PACKET_OUTPUT_MAX || offset > INT64_MAX - PACKET_OUTPUT_MAX)
        return "a piece of an output is out of order";
    if (!f->state)
        pull_open(p, a, file);
    f->got = offset + (int64_t)left;
    XXH3_64bits_update(f->state, at, left);
    while (left && !a->failed) {
        ssize_t n = pwrite(f->fd, at, left, offset);
        if (n < 0 && errno != EINTR)
            a->failed = errno;
        at += n > 0 ? n : 0;
        offset += n > 0 ? n : 0;
        left -= n > 0 ? (size_t)n : 0;
    }
    return NULL;
}

/* The file becomes as long as the one that stays elsewhere. */
static const char *pull_stretch(struct agent_pulls *p, struct agent_pull *a, struct pull_file *f)
{
    if (f->bytes < f->got || !a->told || f->bytes != a->bytes)
        return "an output that is kept elsewhere does not have the reported length";
    if (!f->state)
        pull_open(p, a, PACKET_STDOUT);
    if (!a->failed && ftruncate(f->fd, f->bytes) < 0)
        a->failed = errno;
    f->got = f->bytes;
    f->own = true;
    return NULL;
}

/* Whether what came is not what was sent. */
static const char *pull_differs(const struct pull_file *f)
{
    if (f->bytes != f->got)
        return "an output does not have the reported length";
    if (f->state && XXH3_64bits_digest(f->state) != f->checksum)
        return "an output differs from the sent bytes";
    return NULL;
}

/* What it has left cannot be had from where it ran. */
static void pull_fault(struct agent_pull *a, int error)
{
    a->failed = error > 0 && error < PULLS_ERRNO_MAX ? error : EIO;
    a->faulty = true;
}

static const char *pull_told(struct agent_pulls *p, struct agent_pull *a, const struct packet *m)
{
    int file = m->u.output_end.file;
    if (file >= PACKET_FILE_END || a->files[file].told)
        return "the file does not exist, or was already complete";
    struct pull_file *f = &a->files[file];
    f->told = true;
    f->bytes = m->u.output_end.bytes;
    f->checksum = m->u.output_end.checksum;
    const char *wrong = NULL;
    if (f->bytes < 0) /* it could not be read there */
        pull_fault(a, (int)f->checksum);
    else if (pull_is_kept(a, file))
        wrong = pull_stretch(p, a, f);
    if (p->pull && f->bytes >= 0 && !wrong)
        wrong = pull_differs(f);
    sys_close(&f->fd);
    return wrong;
}

/* What an attempt has told of itself counts when it tells it last. */
static const char *pull_result(struct agent_pulls *p, struct agent_pull *a, const struct packet *m)
{
    struct pull_file *f = &a->files[PACKET_STDOUT];

    if (!a->control || m->u.result.bytes < 0)
        return "it may not report an output";
    a->told = true;
    a->bytes = m->u.result.bytes;
    if (p->pull)
        return NULL;
    f->told = f->own = true;
    f->bytes = m->u.result.bytes;
    return NULL;
}

const char *agent_pulls_take(struct agent_pulls *p, const struct packet *m)
{
    struct agent_pull *a = pulls_find(p, m->handle);

    if (!a || a->until_us)
        return "the attempt does not exist";
    if (m->type == PACKET_RESULT)
        return pull_result(p, a, m);
    if (m->type == PACKET_OUTPUT_END)
        return pull_told(p, a, m);
    return p->pull ? pull_piece(p, a, m) : "outputs are not sent where the folder is shared";
}

/* ---- ends ---- */

/* Whether we see the file as the agent saw it. Opening it asks the server. */
static bool pull_sees(const struct agent_pull *a, int file)
{
    const struct pull_file *f = &a->files[file];
    struct path path = pull_path(a, file);
    int64_t bytes = 0;
    uint64_t checksum = 0;
    struct stat st;

    int fd = sys_open(path.text, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0);
    if (fd < 0)
        return false;
    bool good = sys_fstat(fd, &st) == 0 && st.st_size == f->bytes;
    sys_close(&fd);
    if (good && f->bytes > 0 && !f->own)
        good = run_dir_checksum(path.text, &bytes, &checksum) == 0 && bytes == f->bytes &&
               checksum == f->checksum;
    return good;
}

static bool pull_sees_all(const struct agent_pull *a)
{
    for (int i = 0; i < PACKET_FILE_END; i++)
        if (a->files[i].told && a->files[i].bytes >= 0 && !pull_sees(a, i))
            return false;
    return true;
}

/* What cannot be had is removed: the owner finds no output, and why. */
static void pull_spoil(const struct agent_pull *a, struct packet *m)
{
    m->u.end.unseen = a->failed;
    m->u.end.faulty = a->faulty;
    sys_unlink(pull_path(a, PACKET_STDOUT).text);
}

/* What is known of the output need not be read again. */
static void pull_tell(const struct agent_pull *a, struct packet *m)
{
    const struct pull_file *f = &a->files[PACKET_STDOUT];

    if (m->type != PACKET_EXITED || !f->told || f->own || f->bytes < 0)
        return;
    m->u.end.seen = true;
    m->u.end.seen_bytes = f->bytes;
    m->u.end.seen_checksum = f->checksum;
}

bool agent_pulls_end(struct agent_pulls *p, struct packet *m, int64_t now_us)
{
    struct agent_pull *a = pulls_find(p, m->handle);

    if (!a)
        return true; /* the owner judges it */
    if (m->type == PACKET_EXITED && !p->pull && !a->failed && !pull_sees_all(a)) {
        a->end = *m;
        a->again_us = now_us + PULLS_AGAIN_US;
        a->until_us = now_us + PULLS_PATIENCE_US;
        p->held++;
        return false;
    }
    /* Whatever stays there is not known here. */
    if (a->keep && !a->files[PACKET_STDOUT].told && !a->failed)
        pull_fault(a, ENOENT);
    if (m->type == PACKET_EXITED && a->failed)
        pull_spoil(a, m);
    else
        pull_tell(a, m);
    pulls_remove(p, a);
    return true;
}

bool agent_pulls_next(struct agent_pulls *p, int64_t now_us, struct packet *m, int64_t *next_us)
{
    *next_us = INT64_MAX;
    for (uint32_t i = 0; p->held && i < p->at.count; i++) {
        struct agent_pull *a = p->at.at[i];
        if (!a || !a->until_us)
            continue;
        bool seen = now_us >= a->again_us && pull_sees_all(a);
        if (seen || now_us >= a->until_us) {
            *m = a->end;
            if (!seen)
                pull_fault(a, ESTALE);
            if (seen)
                pull_tell(a, m);
            else
                pull_spoil(a, m);
            p->held--;
            pulls_remove(p, a);
            return true;
        }
        if (now_us >= a->again_us)
            a->again_us = now_us + PULLS_AGAIN_US;
        *next_us = a->again_us < *next_us ? a->again_us : *next_us;
    }
    return false;
}
