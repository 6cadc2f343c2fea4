/* The packets of packet.h, byte by byte.
 *
 * A packet is the type (1 byte), the handle (4 bytes) and the fields of the type in the order of
 * struct packet. A string is its length (4 bytes), its bytes and a NUL, which lets the reader
 * use it in place. Writing and reading walk the same list of fields (packet_fields), so the two
 * cannot disagree. */
#include "exec/process/packet.h"

#include <stdbool.h>
#include <string.h>

/* A position in a packet being written (out), read (in), or only measured (neither). `bad` once
 * anything did not fit. */
struct packet_cursor {
    unsigned char *out;
    const unsigned char *in;
    size_t at, end;
    bool bad;
};

static void packet_number(struct packet_cursor *c, void *value, size_t bytes)
{
    uint64_t v = 0;

    if (c->bad || c->end - c->at < bytes) {
        c->bad = true;
        return;
    }
    if (c->out)
        v = bytes == 1 ? *(uint8_t *)value : bytes == 4 ? *(uint32_t *)value : *(uint64_t *)value;
    for (size_t i = 0; i < bytes; i++) {
        if (c->out)
            c->out[c->at + i] = (unsigned char)(v >> (8 * i));
        else if (c->in)
            v |= (uint64_t)c->in[c->at + i] << (8 * i);
    }
    c->at += bytes;
    if (c->in && bytes == 1)
        *(uint8_t *)value = (uint8_t)v;
    else if (c->in && bytes == 4)
        *(uint32_t *)value = (uint32_t)v;
    else if (c->in)
        *(uint64_t *)value = v;
}

static void packet_block(struct packet_cursor *c, const char **bytes, uint32_t *length)
{
    packet_number(c, length, sizeof *length);
    if (c->bad || c->end - c->at <= *length) { /* the NUL as well */
        c->bad = true;
        return;
    }
    if (c->out) {
        if (*length && (const char *)c->out + c->at != *bytes) /* they may be there already */
            memcpy(c->out + c->at, *bytes, *length);
        c->out[c->at + *length] = 0;
    } else if (c->in) {
        *bytes = (const char *)c->in + c->at;
        c->bad = c->in[c->at + *length] != 0;
    }
    c->at += *length + 1u;
}

static void packet_string(struct packet_cursor *c, const char **text)
{
    size_t have = c->in ? 0 : strlen(*text);
    uint32_t length = have < PACKET_BYTES_MAX ? (uint32_t)have : PACKET_BYTES_MAX;

    packet_block(c, text, &length);
    if (c->in && !c->bad)
        c->bad = strlen(*text) != length;
}

/* NAME=VALUE strings, each with its NUL. */
static void packet_environment(struct packet_cursor *c, const char **env, uint32_t *bytes)
{
    packet_block(c, env, bytes);
    if (c->in && !c->bad)
        c->bad = *bytes && (*env)[*bytes - 1] != 0;
}

/* ---- the fields of each type ---- */

/* A number has as many bytes as its member of struct packet. */
enum packet_form { FORM_U8 = 1, FORM_U32 = 4, FORM_U64 = 8, FORM_TEXT, FORM_BLOCK, FORM_ENV };

struct packet_field {
    uint8_t form; /* enum packet_form; 0 ends a list */
    uint16_t offset;
    uint16_t length; /* of a block: offset of its length */
};

#define AT(member) offsetof(struct packet, u.member)
#define NUMBER(member)                                                                             \
    {                                                                                              \
        sizeof(((struct packet *)0)->u.member), AT(member), 0                                      \
    }
#define TEXT(member)                                                                               \
    {                                                                                              \
        FORM_TEXT, AT(member), 0                                                                   \
    }
#define BLOCK(form, member, length)                                                                \
    {                                                                                              \
        form, AT(member), AT(length)                                                               \
    }
#define FIELDS(...) ((const struct packet_field[]){__VA_ARGS__, {0}})
#define NO_FIELDS ((const struct packet_field[]){{0}})

static const struct packet_field end_fields[] = {
    NUMBER(end.status),
    NUMBER(end.wall_us),
    NUMBER(end.cpu_us),
    NUMBER(end.peak_rss_kib),
    NUMBER(end.read_bytes),
    NUMBER(end.left),
    {0},
};

static const struct packet_field fetch_fields[] = {
    NUMBER(fetch.phase),   NUMBER(fetch.task),    NUMBER(fetch.attempt), NUMBER(fetch.bytes),
    NUMBER(fetch.took_us), NUMBER(fetch.culprit), NUMBER(fetch.error),   {0},
};

/* In the order in which they are sent; NULL: there is no such type. */
static const struct packet_field *const packet_fields[PACKET_TYPE_END] = {
    [PACKET_LAUNCH] = FIELDS(
        TEXT(launch.command), TEXT(launch.stdin_path), TEXT(launch.dir), TEXT(launch.reuse),
        NUMBER(launch.late), BLOCK(FORM_ENV, launch.env, launch.env_bytes), NUMBER(launch.extra),
        NUMBER(launch.slow_milli), NUMBER(launch.control), NUMBER(launch.keep)),
    [PACKET_KILL] = FIELDS(NUMBER(grace_us)),
    [PACKET_STARTED] = FIELDS(NUMBER(started_us)),
    [PACKET_LAUNCH_FAILED] = FIELDS(NUMBER(error), NUMBER(ours)),
    [PACKET_PROGRESS] = FIELDS(NUMBER(progress.done), NUMBER(progress.total)),
    [PACKET_EXITED] = end_fields,
    [PACKET_KILLED] = end_fields,
    [PACKET_FATAL] = FIELDS(TEXT(text)),
    [PACKET_CORES] = FIELDS(NUMBER(cores.spare), NUMBER(cores.each)),
    [PACKET_HELLO] =
        FIELDS(NUMBER(hello.version), TEXT(hello.program), TEXT(hello.name), TEXT(hello.host),
               TEXT(hello.rack), TEXT(hello.boot), TEXT(hello.scratch), NUMBER(hello.cores_milli),
               NUMBER(hello.memory_mib), NUMBER(hello.clock_us), TEXT(hello.credential)),
    [PACKET_WELCOME] =
        FIELDS(TEXT(welcome.dir), TEXT(welcome.probe), TEXT(welcome.token), NUMBER(welcome.pull),
               NUMBER(welcome.keep), TEXT(welcome.shell), TEXT(welcome.workdir),
               NUMBER(welcome.nice), TEXT(welcome.credential),
               BLOCK(FORM_BLOCK, welcome.store, welcome.store_length), NUMBER(welcome.lease_us)),
    [PACKET_READY] = FIELDS(NUMBER(ready.shared), NUMBER(ready.port)),
    [PACKET_REFUSED] = FIELDS(TEXT(refused.text), NUMBER(refused.for_good)),
    [PACKET_BEAT] = FIELDS(NUMBER(beat.sent_us), NUMBER(beat.free_bytes), NUMBER(beat.running),
                           NUMBER(beat.told_us), NUMBER(beat.lease_us)),
    [PACKET_LEAVE] = NO_FIELDS,
    [PACKET_OUTPUT] = FIELDS(NUMBER(output.file), NUMBER(output.offset),
                             BLOCK(FORM_BLOCK, output.bytes, output.length)),
    [PACKET_OUTPUT_END] =
        FIELDS(NUMBER(output_end.file), NUMBER(output_end.bytes), NUMBER(output_end.checksum)),
    [PACKET_READ] = FIELDS(NUMBER(read.phase), NUMBER(read.task), NUMBER(read.attempt),
                           TEXT(read.path), NUMBER(read.slow_us)),
    [PACKET_FETCH_STARTED] = fetch_fields,
    [PACKET_FETCH_DONE] = fetch_fields,
    [PACKET_FETCH_FAILED] = fetch_fields,
    [PACKET_RESULT] = FIELDS(NUMBER(result.bytes), NUMBER(result.checksum)),
    [PACKET_SOURCE_LOST] = fetch_fields,
    [PACKET_STATUS] = FIELDS(TEXT(text)),
    [PACKET_PLACE] = FIELDS(NUMBER(place.phase), NUMBER(place.task), NUMBER(place.attempt),
                            NUMBER(place.output), NUMBER(place.checksum), TEXT(place.where)),
    [PACKET_KEY] = FIELDS(BLOCK(FORM_BLOCK, key.bytes, key.length)),
    [PACKET_FORGET] = NO_FIELDS,
    [PACKET_FILE] = FIELDS(NUMBER(file.offset), BLOCK(FORM_BLOCK, file.bytes, file.length)),
    [PACKET_WANT] = FIELDS(NUMBER(partition)),
    [PACKET_PARTITION] = FIELDS(NUMBER(found.error), NUMBER(found.partitions), NUMBER(found.form),
                                NUMBER(found.bytes), NUMBER(found.records), NUMBER(found.checksum),
                                NUMBER(found.index_checksum)),
    [PACKET_HOLD] = FIELDS(NUMBER(still)),
    [PACKET_SETTLED] = FIELDS(NUMBER(settled)),
    [PACKET_NO_SPACE] = NO_FIELDS,
    [PACKET_LEASE] = FIELDS(NUMBER(lease_us)),
    [PACKET_PRESSURE] = FIELDS(NUMBER(pressure.disk), NUMBER(pressure.memory)),
};

static void packet_walk(struct packet_cursor *c, struct packet *m)
{
    packet_number(c, &m->type, sizeof m->type);
    packet_number(c, &m->handle, sizeof m->handle);
    const struct packet_field *f = m->type < PACKET_TYPE_END ? packet_fields[m->type] : NULL;
    c->bad = c->bad || !f;
    for (; f && f->form; f++) {
        void *at = (char *)m + f->offset, *length = (char *)m + f->length;
        if (f->form == FORM_TEXT)
            packet_string(c, at);
        else if (f->form == FORM_BLOCK)
            packet_block(c, at, length);
        else if (f->form == FORM_ENV)
            packet_environment(c, at, length);
        else
            packet_number(c, at, f->form);
    }
}

size_t packet_measure(const struct packet *m)
{
    struct packet copy = *m;
    struct packet_cursor c = {.end = PACKET_BYTES_MAX};

    packet_walk(&c, &copy);
    return c.bad ? 0 : c.at;
}

size_t packet_encode(const struct packet *m, unsigned char *out)
{
    struct packet copy = *m;
    struct packet_cursor c = {.out = out, .end = PACKET_BYTES_MAX};

    packet_walk(&c, &copy);
    return c.bad ? 0 : c.at;
}

int packet_decode(const unsigned char *at, size_t length, struct packet *m)
{
    struct packet_cursor c = {.in = at, .end = length};

    *m = (struct packet){0};
    packet_walk(&c, m);
    return c.bad || c.at != length ? -1 : 0;
}
