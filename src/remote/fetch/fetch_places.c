#include "remote/fetch/fetch_places.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

void fetch_places_fini(struct fetch_places *p)
{
    for (uint32_t i = 0; i < p->at.count; i++)
        mem_free(p->at.at[i].where);
    vec_free(&p->at);
    fetch_client_fini(&p->client);
}

static int take_key(struct fetch_places *p, const struct packet *m, struct err *err)
{
    if (m->u.key.length != SECRET_BYTES)
        return err_set(err, "received a key of %u bytes", m->u.key.length);
    secret_copy(&p->client.secret, m->u.key.bytes);
    p->client.has_secret = true;
    return 0;
}

int fetch_places_take(struct fetch_places *p, const struct packet *m, struct err *err)
{
    const struct packet_place *told = &m->u.place;

    if (m->type == PACKET_KEY)
        return take_key(p, m, err);
    if (told->task < p->first || told->task - p->first >= p->count)
        return err_set(err, "was sent the location of task %u, which is not an input of this phase",
                       told->task);
    if (p->at.count == 0) {
        vec_reserve(&p->at, p->count);
        memset(p->at.at, 0, p->count * sizeof *p->at.at);
        p->at.count = p->count;
    }
    struct fetch_place *at = &p->at.at[told->task - p->first];
    mem_free(at->where);
    *at =
        (struct fetch_place){told->output, told->attempt, told->checksum, mem_strdup(told->where)};
    return 0;
}

const struct fetch_place *fetch_places_find(const struct fetch_places *p, uint32_t task,
                                            uint32_t attempt, struct err *err)
{
    uint32_t i = task - p->first;

    if (i < p->at.count && p->at.at[i].where &&
        (attempt == UINT32_MAX || p->at.at[i].attempt == attempt))
        return &p->at.at[i];
    err_set(err, "asked to read task %u without its location", task);
    return NULL;
}

/* A file that nobody else sees. */
static int make_file(const char *folder)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof path, "%s/fetch.XXXXXX", folder) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

int fetch_places_get(struct fetch_places *p, const struct fetch_place *at, uint32_t partition,
                     struct fetched *what, struct err *err)
{
    *what =
        (struct fetched){.fd = make_file(p->scratch), .name = at->where, .checksum = at->checksum};
    if (what->fd < 0) {
        what->found.error = errno;
        return err_system(err, "%s: %s", p->scratch, strerror(errno));
    }
    if (fetch_client_get(&p->client, at->where, at->output, partition, what->fd, &what->found,
                         err) == 0)
        return 0;
    close(what->fd);
    what->fd = -1;
    return -1;
}
