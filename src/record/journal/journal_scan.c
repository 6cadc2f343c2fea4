/* Finding whole records in a file that may have been cut by a crash or damaged by a disk.
 *
 * A record that cannot be read is either the torn tail of a run that died (the rest is left unread,
 * and the journal is good up to there) or damage (an error: records behind it would be lost
 * silently). It is a tail if its bytes reach the end of the file, or if only zeros stand behind it,
 * as some file systems leave them after a power cut; and if no whole record can be found inside it,
 * because a flipped bit in a length makes a record in the middle seem to reach the end, too.
 *
 * Bytes come through a window that grows only as far as the file really has bytes: an absurd length
 * costs nothing. Mapping the file was rejected: a file that shrinks while it is mapped ends the
 * reader with a signal, and a pipe cannot be mapped. */
#include "record/journal/journal_scan.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/journal/journal_file.h"

enum {
    WINDOW_BYTES = 1 << 18,
    /* How far behind an unreadable record whole ones are looked for, and of what size. */
    PROBE_BYTES = 1 << 16,
    PROBE_RECORD_MAX = 1 << 12,
};

enum frame_state { FRAME_WHOLE, FRAME_SHORT, FRAME_ABSURD, FRAME_BAD_CHECKSUM };

struct frame {
    size_t head, length; /* bytes of the length itself, and of type and payload */
    size_t size;         /* of all, checksum included; a lower bound while the frame is short */
};

/* Looks at a record that begins at `at` with `left` bytes to go. */
static enum frame_state frame_look(const unsigned char *at, size_t left, struct frame *f)
{
    struct wire_in in = {at, at + (left < WIRE_U32_MAX ? left : WIRE_U32_MAX), false, false};
    uint64_t length = wire_get_uint(&in);
    if (in.bad && left < WIRE_U32_MAX) {
        *f = (struct frame){.size = left + 1};
        return FRAME_SHORT;
    }
    if (in.bad || length == 0 || length > JOURNAL_RECORD_MAX) {
        *f = (struct frame){.size = 1};
        return FRAME_ABSURD;
    }
    f->head = (size_t)(in.at - at);
    f->length = (size_t)length;
    f->size = f->head + f->length + JOURNAL_CHECKSUM_BYTES;
    if (f->size > left)
        return FRAME_SHORT;

    const unsigned char *body = at + f->head;
    unsigned char checksum[JOURNAL_CHECKSUM_BYTES];
    wire_put_fixed32(checksum, journal_file_checksum(body, f->length));
    if (memcmp(checksum, body + f->length, sizeof checksum) != 0)
        return FRAME_BAD_CHECKSUM;
    return FRAME_WHOLE;
}

static size_t window_left(const struct journal_scan *s)
{
    return s->to - s->from;
}

static void consume(struct journal_scan *s, size_t bytes)
{
    s->from += bytes;
    s->offset += bytes;
}

/* Makes room behind what the window holds. */
static void reserve(struct journal_scan *s)
{
    if (s->from > 0 && s->to == s->cap) {
        memmove(s->window, s->window + s->from, window_left(s));
        s->to -= s->from;
        s->from = 0;
    }
    if (s->to == s->cap) {
        s->cap = s->cap ? 2 * s->cap : WINDOW_BYTES;
        s->window = mem_resize(s->window, s->cap, 1);
    }
}

/* Makes the window hold `need` unconsumed bytes, waiting for them if the file is followed. Returns
 * 1; 0 when the file ends before, or what was fed does; -1 with *err. */
static int fill(struct journal_scan *s, size_t need, struct err *err)
{
    while (window_left(s) < need) {
        if (s->fed)
            return 0;
        reserve(s);
        ssize_t n = read(s->fd, s->window + s->to, s->cap - s->to);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EISDIR)
            return err_set(err, "%s: is a folder, not a journal", s->path);
        if (n < 0)
            return err_system(err, "journal %s: cannot read: %s", s->path, strerror(errno));
        if (n == 0 && s->follow && s->follow->more(s->follow->ctx))
            continue;
        if (n == 0) {
            s->follow = NULL;
            return 0;
        }
        s->to += (size_t)n;
    }
    return 1;
}

/* Consumes the rest of the file. Returns 1 if it is not all zeros; -1 with *err. */
static int drain(struct journal_scan *s, struct err *err)
{
    int found = 0, status;
    while ((status = fill(s, 1, err)) > 0) {
        for (size_t i = s->from; i < s->to && !found; i++)
            found = s->window[i] != 0;
        consume(s, window_left(s));
    }
    return status < 0 ? -1 : found;
}

/* Whether a whole record can be found in what follows the first byte. 1, 0, or -1 with *err. */
static int probe(struct journal_scan *s, struct err *err)
{
    if (fill(s, PROBE_BYTES + PROBE_RECORD_MAX, err) < 0)
        return -1;
    size_t left = window_left(s);
    for (size_t i = 1; i < left && i < PROBE_BYTES; i++) {
        const unsigned char *at = s->window + s->from + i;
        struct frame f;
        size_t most = left - i < PROBE_RECORD_MAX ? left - i : PROBE_RECORD_MAX;
        if (frame_look(at, most, &f) == FRAME_WHOLE && at[f.head] >= RECORD_RUN &&
            at[f.head] <= RECORD_END)
            return 1;
    }
    return 0;
}

static int damaged(const struct journal_scan *s, enum frame_state state, uint64_t at,
                   struct err *err)
{
    static const char *const what[] = {
        [FRAME_SHORT] = "a record seems longer than the file, but others follow",
        [FRAME_ABSURD] = "no record can have this length",
        [FRAME_BAD_CHECKSUM] = "the checksum of a record differs",
    };
    return err_set(err, "journal %s: damaged at byte %llu: %s", s->path, (unsigned long long)at,
                   what[state]);
}

/* The record at the window's start cannot be read: a torn tail (0) or damage (-1)? */
static int judge(struct journal_scan *s, enum frame_state state, const struct frame *f,
                 struct err *err)
{
    uint64_t start = s->offset;
    s->follow = NULL; /* nothing that is appended could mend it */
    int found = probe(s, err);
    if (found == 0) {
        consume(s, state == FRAME_SHORT ? window_left(s) : f->size);
        found = drain(s, err);
    }
    if (found < 0)
        return -1;
    if (found)
        return damaged(s, state, start, err);
    s->torn = s->offset - start;
    s->over = true;
    return 0;
}

static int read_header(struct journal_scan *s, struct err *err)
{
    int whole = fill(s, JOURNAL_HEADER_BYTES, err);
    if (whole < 0)
        return -1;
    const unsigned char *at = s->window;
    if (!whole || memcmp(at, JOURNAL_MAGIC, JOURNAL_MAGIC_BYTES) != 0)
        return err_set(err, "%s: not a journal of dolly", s->path);

    unsigned char checksum[JOURNAL_CHECKSUM_BYTES];
    wire_put_fixed32(checksum, journal_file_checksum(at, JOURNAL_HEADER_BYTES - sizeof checksum));
    if (memcmp(at + JOURNAL_HEADER_BYTES - sizeof checksum, checksum, sizeof checksum) != 0)
        return err_set(err, "journal %s: damaged at byte 0: the checksum of the header differs",
                       s->path);
    for (int i = 0; i < 4; i++)
        s->version |= (uint32_t)at[JOURNAL_MAGIC_BYTES + i] << 8 * i;
    if (s->version < JOURNAL_VERSION_OLDEST || s->version > JOURNAL_VERSION)
        return err_set(err,
                       "journal %s: has version %u; this dolly reads versions %d to %d, the dolly "
                       "that wrote it reads it",
                       s->path, s->version, JOURNAL_VERSION_OLDEST, JOURNAL_VERSION);
    consume(s, JOURNAL_HEADER_BYTES);
    return 0;
}

int journal_scan_next(struct journal_scan *s, const unsigned char **at, size_t *length,
                      struct err *err)
{
    struct frame f;
    enum frame_state state;
    consume(s, s->current);
    s->current = 0;
    if (s->over)
        return 0;
    if (s->fed && s->version == 0) {
        if (window_left(s) < JOURNAL_HEADER_BYTES)
            return 0;
        if (read_header(s, err) < 0)
            return -1;
    }
    while ((state = frame_look(s->window + s->from, window_left(s), &f)) == FRAME_SHORT) {
        int more = fill(s, f.size, err);
        if (more < 0)
            return -1;
        if (more == 0)
            break;
    }
    if (state == FRAME_WHOLE) {
        *at = s->window + s->from + f.head;
        *length = f.length;
        s->current = f.size;
        return 1;
    }
    if (s->fed)
        return state == FRAME_SHORT ? 0 : damaged(s, state, s->offset, err);
    if (window_left(s) > 0)
        return judge(s, state, &f, err);
    s->over = true;
    return 0;
}

int journal_scan_open(struct journal_scan *s, const char *path, const struct journal_follow *follow,
                      struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(err, "journal %s: cannot open: %s", path, strerror(errno));
    *s = (struct journal_scan){.path = mem_strdup(path), .fd = fd, .follow = follow};
    if (read_header(s, err) == 0)
        return 0;
    journal_scan_close(s);
    return -1;
}

void journal_scan_feed(struct journal_scan *s, const char *at, size_t length)
{
    while (length > 0) {
        reserve(s);
        size_t n = length < s->cap - s->to ? length : s->cap - s->to;
        memcpy(s->window + s->to, at, n);
        s->to += n;
        at += n;
        length -= n;
    }
}

void journal_scan_close(struct journal_scan *s)
{
    if (s->fd >= 0)
        close(s->fd);
    mem_free(s->window);
    mem_free(s->path);
}
