/* fetch_client.c - one connection at a time, one question at a time. See fetch_client.h. */
#include "remote/fetch/fetch_client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/os/write_all.h"
#include "exec/process/sys.h"

enum { CLIENT_PAUSE_US = 25000 }; /* four times as long before the second try, ... */

static void hang_up(struct fetch_client *c)
{
    if (c->where[0])
        frames_fini(&c->frames);
    c->where[0] = 0;
}

void fetch_client_rest(struct fetch_client *c)
{
    hang_up(c);
    c->gone[0] = 0;
}

void fetch_client_fini(struct fetch_client *c)
{
    fetch_client_rest(c);
    dial_fini(&c->dial);
    tls_side_destroy(c->side);
    secret_wipe(&c->secret);
    *c = (struct fetch_client){0};
}

/* What is wrong, and an errno that says the same. */
struct client_trouble {
    int error;
    bool again; /* another try may go better */
    char text[FRAMES_WHY_MAX];
};

static int troubled(struct client_trouble *t, int error, bool again, const char *text)
{
    t->error = error;
    t->again = again;
    snprintf(t->text, sizeof t->text, "%.*s", (int)sizeof t->text - 1, text);
    return -1;
}

/* Waits until something can be read or, if the stream is full, written. */
static int wait_for(const struct fetch_client *c, struct client_trouble *t)
{
    struct pollfd p = {.fd = c->frames.fd, .events = POLLIN};

    if (c->frames.full)
        p.events |= POLLOUT;
    int n = poll(&p, 1, FETCH_CLIENT_QUIET_US / 1000);
    if (n == 0)
        return troubled(t, ETIMEDOUT, false, "it does not answer");
    return n < 0 && errno != EINTR ? troubled(t, errno, true, strerror(errno)) : 0;
}

/* ---- connecting ---- */

static int broke(const struct fetch_client *c, struct client_trouble *t)
{
    return troubled(t, EPROTO, !c->frames.alien, c->frames.why);
}

static int greet(struct fetch_client *c, struct client_trouble *t)
{
    int greeted;

    c->frames.full = true; /* until it is connected */
    if (wait_for(c, t) < 0)
        return -1;
    int error = dial_result(c->frames.fd);
    if (error)
        return troubled(t, error, true, strerror(error));
    while ((greeted = frames_greet(&c->frames)) == 0)
        if (wait_for(c, t) < 0)
            return -1;
    return greeted < 0 ? broke(c, t) : 0;
}

static int dial(struct fetch_client *c, const char *where, struct client_trouble *t)
{
    struct err err;

    if (strcmp(c->where, where) == 0)
        return 0;
    hang_up(c);
    if (strcmp(c->gone, where) == 0)
        return troubled(t, c->gone_error, false, strerror(c->gone_error));
    if (!c->has_secret)
        return troubled(t, EACCES, false, "the key of its fetch server is missing");
    if ((!c->side && !(c->side = tls_side_create(&c->secret, false, &err))) ||
        dial_find(&c->dial, where, &err) < 0)
        return troubled(t, EINVAL, false, err.text);
    int fd = dial_try(&c->dial);
    if (fd < 0)
        return troubled(t, errno, true, strerror(errno));
    frames_init(&c->frames, c->side, fd);
    snprintf(c->where, sizeof c->where, "%s", where);
    return greet(c, t);
}

/* ---- asking ---- */

static int hear(struct fetch_client *c, struct packet *m, struct client_trouble *t)
{
    int got;

    while ((got = frames_receive(&c->frames, m)) == 0)
        if (frames_flush(&c->frames) < 0 || wait_for(c, t) < 0)
            return c->frames.why[0] ? broke(c, t) : -1;
    return got < 0 ? broke(c, t) : 0;
}

const char *fetch_client_judge(const struct packet *m, uint32_t output, uint32_t partition)
{
    const struct packet_partition *p = &m->u.found;

    if (m->type != PACKET_PARTITION || m->handle != output)
        return "it sent an answer to another question";
    if (p->error)
        return p->error < 0 ? "it reports an invalid error" : NULL;
    if (p->bytes < 0 || p->records < 0)
        return "it reports a negative size";
    if (partition == PACKET_WHOLE ? p->partitions != 0 : partition >= p->partitions)
        return "it does not have the expected number of partitions";
    return NULL;
}

static int take_bytes(struct fetch_client *c, int fd, int64_t bytes, struct client_trouble *t)
{
    struct packet m;

    for (int64_t got = 0; got < bytes; got += m.u.output.length) {
        if (hear(c, &m, t) < 0)
            return -1;
        if (m.type != PACKET_OUTPUT || m.u.output.offset != got || m.u.output.length == 0 ||
            m.u.output.length > bytes - got)
            return troubled(t, EPROTO, false, "a piece of it is out of order");
        if (write_all(fd, m.u.output.bytes, m.u.output.length) < 0)
            return troubled(t, errno, false, strerror(errno));
    }
    return 0;
}

static int get_once(struct fetch_client *c, const char *where, const struct packet *want, int fd,
                    struct packet_partition *found, struct client_trouble *t)
{
    struct packet m;

    if (ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0)
        return troubled(t, errno, false, strerror(errno));
    if (dial(c, where, t) < 0)
        return -1;
    frames_send(&c->frames, want);
    if (frames_flush(&c->frames) < 0)
        return broke(c, t);
    if (hear(c, &m, t) < 0)
        return -1;
    const char *wrong = fetch_client_judge(&m, want->handle, want->u.partition);
    if (wrong)
        return troubled(t, EPROTO, false, wrong);
    *found = m.u.found;
    if (found->error)
        return troubled(t, found->error, false, strerror(found->error));
    return take_bytes(c, fd, found->bytes, t);
}

int fetch_client_get(struct fetch_client *c, const char *where, uint32_t output, uint32_t partition,
                     int fd, struct packet_partition *found, struct err *err)
{
    struct packet want = {.type = PACKET_WANT, .handle = output, .u.partition = partition};
    struct client_trouble t = {0};

    for (int i = 0; i < FETCH_CLIENT_TRIES; i++) {
        *found = (struct packet_partition){0};
        if (i > 0)
            usleep((useconds_t)CLIENT_PAUSE_US << (2 * i));
        if (get_once(c, where, &want, fd, found, &t) == 0)
            return 0;
        hang_up(c);
        if (!t.again)
            break;
    }
    if (t.again || t.error == ETIMEDOUT) {
        snprintf(c->gone, sizeof c->gone, "%s", where);
        c->gone_error = t.error;
    }
    found->error = t.error;
    return err_system(err, "output %u of the agent at %s: %s", output, where, t.text);
}
