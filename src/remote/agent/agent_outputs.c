/* Sending files, each once, in pieces.
 *
 * A stream that is full holds the next piece back (OUTPUTS_WAITING_MAX), so that what we keep in
 * memory does not depend on how much was written; and so does the pace, for what lies in queues
 * beyond us (agent_pace.h). */
#include "remote/agent/agent_outputs.h"

#include <errno.h>

#include "base/check.h"
#include "base/os/path.h"
#include "exec/folder/xxh3.h"
#include "exec/process/sys.h"
#include "remote/fetch/fetch_store.h"

enum {
    OUTPUTS_SHORT_MAX = PACKET_OUTPUT_MAX, /* of both files together */
    OUTPUTS_WAITING_MAX = 2 * PACKET_OUTPUT_MAX,
    OUTPUTS_PIECES = 64, /* in one turn */
};

struct agent_output {
    struct packet end;
    int fds[PACKET_FILE_END]; /* -1: cannot be read, or was read to its end */
    int64_t at[PACKET_FILE_END];
    int errors[PACKET_FILE_END]; /* why it cannot be read */
    bool none[PACKET_FILE_END];  /* nothing is said of it */
    struct fetch_hole hole;      /* of stdout: what does not travel; none: it is empty */
    uint8_t file;                /* which one is being read */
    XXH3_state_t *state;
};

static void output_free(struct agent_output *a)
{
    for (int i = 0; i < PACKET_FILE_END; i++)
        sys_close(&a->fds[i]);
    XXH3_freeState(a->state);
    mem_free(a);
}

void agent_outputs_fini(struct agent_outputs *o)
{
    for (uint32_t i = o->next; i < o->waiting.count; i++)
        output_free(o->waiting.at[i]);
    vec_free(&o->waiting);
    mem_free(o->piece);
}

/* A file that cannot be sent is told as one of -1 bytes. */
static void output_end(struct agent_outputs *o, struct agent_output *a)
{
    struct packet m = {.type = PACKET_OUTPUT_END, .handle = a->end.handle};

    m.u.output_end.file = a->file;
    m.u.output_end.bytes = a->errors[a->file] ? -1 : a->at[a->file];
    m.u.output_end.checksum =
        a->errors[a->file] ? (uint64_t)a->errors[a->file] : XXH3_64bits_digest(a->state);
    frames_send(o->frames, &m);
    sys_close(&a->fds[a->file]);
    XXH3_64bits_reset(a->state);
    a->file++;
}

/* How many bytes the next piece may have, behind the hole if it is there. */
static size_t output_next(struct agent_output *a)
{
    const struct fetch_hole *h = &a->hole;

    if (a->file != PACKET_STDOUT || h->to == h->from || a->at[a->file] > h->from)
        return PACKET_OUTPUT_MAX;
    if (a->at[a->file] < h->from)
        return (size_t)(h->from - a->at[a->file]);
    a->at[a->file] = h->to;
    return PACKET_OUTPUT_MAX;
}

/* Sends a piece. */
static void output_step(struct agent_outputs *o, struct agent_output *a)
{
    struct packet m = {.type = PACKET_OUTPUT, .handle = a->end.handle};

    if (a->none[a->file]) {
        a->file++;
        return;
    }
    size_t room = output_next(a), piece_most = (size_t)agent_pace_piece(&o->pace);

    if (o->pull && room > piece_most)
        room = piece_most;
    m.u.output.length = PACKET_OUTPUT_MAX;
    char *piece = o->pull ? frames_place(o->frames, &m) : o->piece;
    ssize_t n = a->errors[a->file] ? 0 : sys_pread(a->fds[a->file], piece, room, a->at[a->file]);
    if (n < 0 && errno == EINTR)
        return;
    if (n < 0)
        a->errors[a->file] = errno;
    if (n <= 0) {
        output_end(o, a);
        return;
    }
    XXH3_64bits_update(a->state, piece, (size_t)n);
    m.u.output.file = a->file;
    m.u.output.offset = a->at[a->file];
    m.u.output.bytes = piece;
    m.u.output.length = (uint32_t)n;
    a->at[a->file] += n;
    if (!o->pull)
        return;
    agent_pace_sent(&o->pace, n);
    frames_send(o->frames, &m);
}

static void output_finish(struct agent_outputs *o, struct agent_output *a)
{
    uint32_t handle = a->end.handle;

    frames_send(o->frames, &a->end);
    frames_flush(o->frames); /* removing what was sent may take longer than sending it */
    output_free(a);
    o->on_sent(o->ctx, handle);
}

static struct path output_path(const char *dir, int file)
{
    static const char *const names[PACKET_FILE_END] = {"stdout", "stderr", "counters"};

    return path_of("%s/%s", dir, names[file]);
}

/* Nothing is said of empty files: most are. */
static bool output_is_nothing(const char *dir)
{
    struct stat st;

    for (int i = 0; i < PACKET_COUNTERS; i++)
        if (sys_lstat(output_path(dir, i).text, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size)
            return false;
    return sys_lstat(output_path(dir, PACKET_COUNTERS).text, &st) < 0;
}

/* Opens what it wrote; the sum of the sizes. */
static int64_t output_open(struct agent_output *a, const char *dir)
{
    struct stat st;
    int64_t bytes = 0;

    for (int i = 0; i < PACKET_FILE_END; i++) {
        a->fds[i] =
            sys_open(output_path(dir, i).text, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
        if (a->fds[i] < 0 && errno == ENOENT && i == PACKET_COUNTERS)
            a->none[i] = true;
        else if (a->fds[i] < 0 || sys_fstat(a->fds[i], &st) < 0)
            a->errors[i] = errno;
        else if (!S_ISREG(st.st_mode))
            a->errors[i] = EINVAL;
        else
            bytes += st.st_size;
    }
    return bytes;
}

/* Keeps what it leaves, and finds out what of it stays only here. Of one that has failed nothing is
 * of use. */
static void output_keep(struct agent_outputs *o, struct agent_output *a, const char *dir,
                        uint8_t keep)
{
    a->none[PACKET_STDOUT] = a->end.u.end.status != 0;
    if (a->errors[PACKET_STDOUT] || a->none[PACKET_STDOUT])
        return;
    if (fetch_store_hole(a->fds[PACKET_STDOUT], keep == PACKET_KEEP_SORTED, &a->hole) < 0 ||
        fetch_store_keep(o->store, a->end.handle, output_path(dir, PACKET_STDOUT).text) < 0)
        a->errors[PACKET_STDOUT] = errno;
}

void agent_outputs_add(struct agent_outputs *o, const char *dir, uint8_t keep,
                       const struct packet *end)
{
    if (!keep && output_is_nothing(dir)) {
        frames_send(o->frames, end);
        o->on_sent(o->ctx, end->handle);
        return;
    }
    struct agent_output *a = mem_zalloc(1, sizeof *a);
    int64_t bytes = output_open(a, dir);
    a->end = *end;
    if (keep)
        output_keep(o, a, dir, keep);
    bytes -= a->hole.to - a->hole.from;
    a->state = XXH3_createState();
    check(a->state && XXH3_64bits_reset(a->state) == XXH_OK);
    if (!o->pull && !o->piece)
        o->piece = mem_zalloc(PACKET_OUTPUT_MAX, 1);
    if (bytes > OUTPUTS_SHORT_MAX || (o->pull && bytes && !agent_pace_allows(&o->pace))) {
        vec_push(&o->waiting, a);
        return;
    }
    while (a->file < PACKET_FILE_END)
        output_step(o, a);
    output_finish(o, a);
}

bool agent_outputs_due(const struct agent_outputs *o)
{
    return o->next < o->waiting.count && frames_waiting(o->frames) <= OUTPUTS_WAITING_MAX &&
           agent_pace_allows(&o->pace);
}

void agent_outputs_turn(struct agent_outputs *o)
{
    for (int i = 0; i < OUTPUTS_PIECES && o->next < o->waiting.count; i++) {
        struct agent_output *a = o->waiting.at[o->next];
        if ((frames_waiting(o->frames) && frames_flush(o->frames) < 0) || !agent_outputs_due(o))
            return;
        output_step(o, a);
        if (a->file < PACKET_FILE_END)
            continue;
        o->next++;
        output_finish(o, a);
    }
    if (o->next < o->waiting.count)
        return;
    vec_clear(&o->waiting);
    o->next = 0;
}
