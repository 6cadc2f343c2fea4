/* listen_socket.c - sockets that only their user can reach, unless asked otherwise.
 *
 * Addresses are numbers: a name could have several, or be pointed elsewhere. A local socket is made
 * with mode 0600; a name that is taken is refused, so that nothing of another user is removed. */
#include "commands/watch/listen_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"

enum { BACKLOG = 64 };

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_un local;
};

static int refuse(const char *where, struct err *err)
{
    return err_set(err,
                   "--http must be ADDRESS:PORT or unix:PATH, not '%s'; an address is a number "
                   "such as 127.0.0.1 or [::1]",
                   where);
}

static bool read_port(const char *text, uint16_t *port)
{
    int64_t number;

    if (!text_int(text, &number) || number < 0 || number > UINT16_MAX)
        return false;
    *port = (uint16_t)number;
    return true;
}

/* Splits at the colon before the port; without one, a text of digits is a port. */
static bool split(const char *where, char name[64], uint16_t *port)
{
    const char *end = where[0] == '[' ? strchr(where, ']') : NULL;
    size_t length = end ? (size_t)(end + 1 - where) : strcspn(where, ":");

    *port = 0;
    if (length >= 64 || (where[0] == '[' && !end))
        return false;
    if (!where[length] && read_port(where, port)) {
        strcpy(name, "127.0.0.1");
        return true;
    }
    snprintf(name, 64, "%.*s", (int)length, length > 0 ? where : "");
    if (length == 0)
        strcpy(name, "127.0.0.1");
    return where[length] == '\0' || (where[length] == ':' && read_port(where + length + 1, port));
}

static bool read_address(const char *where, union address *a, socklen_t *size)
{
    char name[64];
    uint16_t port;

    memset(a, 0, sizeof *a);
    if (!split(where, name, &port))
        return false;
    if (name[0] != '[') {
        a->v4.sin_family = AF_INET;
        a->v4.sin_port = htons(port);
        *size = sizeof a->v4;
        return inet_pton(AF_INET, name, &a->v4.sin_addr) == 1;
    }
    name[strlen(name) - 1] = '\0';
    a->v6.sin6_family = AF_INET6;
    a->v6.sin6_port = htons(port);
    *size = sizeof a->v6;
    return inet_pton(AF_INET6, name + 1, &a->v6.sin6_addr) == 1;
}

/* Fills in what the socket has got. */
static void describe(struct listen_socket *s)
{
    union address a;
    socklen_t size = sizeof a;
    char name[64] = "?";

    if (getsockname(s->fd, &a.any, &size) < 0)
        return;
    bool six = a.any.sa_family == AF_INET6;
    inet_ntop(a.any.sa_family, six ? (void *)&a.v6.sin6_addr : (void *)&a.v4.sin_addr, name,
              sizeof name);
    s->port = ntohs(six ? a.v6.sin6_port : a.v4.sin_port);
    s->loopback = six ? IN6_IS_ADDR_LOOPBACK(&a.v6.sin6_addr)
                      : ntohl(a.v4.sin_addr.s_addr) >> 24 == 127;
    snprintf(s->shown, sizeof s->shown, six ? "[%s]:%u" : "%s:%u", name, s->port);
}

static int open_address(struct listen_socket *s, const char *where, struct err *err)
{
    union address a;
    socklen_t size;
    int yes = 1;

    if (!read_address(where, &a, &size))
        return refuse(where, err);
    s->fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->fd >= 0)
        setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (s->fd < 0 || bind(s->fd, &a.any, size) < 0 || listen(s->fd, BACKLOG) < 0)
        return err_system(err, "cannot serve at %s: %s", where, strerror(errno));
    describe(s);
    return 0;
}

static int open_local(struct listen_socket *s, const char *path, struct err *err)
{
    union address a = {.local = {.sun_family = AF_UNIX}};

    if (!*path || strlen(path) >= sizeof a.local.sun_path)
        return err_set(err, "--http unix:PATH: the path must have 1 to %zu bytes",
                       sizeof a.local.sun_path - 1);
    strcpy(a.local.sun_path, path);
    s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    mode_t before = umask(0177);
    int rc = s->fd < 0 ? -1 : bind(s->fd, &a.any, sizeof a.local);
    umask(before);
    if (rc < 0)
        return err_system(err, "cannot serve at %s: %s", path, strerror(errno));
    s->path = mem_strdup(path);
    s->local = s->loopback = true;
    snprintf(s->shown, sizeof s->shown, "%s", path);
    if (listen(s->fd, BACKLOG) < 0)
        return err_system(err, "cannot serve at %s: %s", path, strerror(errno));
    return 0;
}

int listen_socket_open(struct listen_socket *s, const char *where, struct err *err)
{
    static const char local[] = "unix:";
    bool is_local = strncmp(where, local, sizeof local - 1) == 0;

    *s = (struct listen_socket){.fd = -1};
    int rc = is_local ? open_local(s, where + sizeof local - 1, err) : open_address(s, where, err);
    if (rc < 0)
        listen_socket_close(s);
    return rc;
}

void listen_socket_close(struct listen_socket *s)
{
    if (s->fd >= 0)
        close(s->fd);
    if (s->path)
        unlink(s->path);
    mem_free(s->path);
    s->path = NULL;
    s->fd = -1;
}
