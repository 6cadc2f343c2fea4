/* coordinator_listen.c - see coordinator_listen.h. */
#include "remote/coordinator/coordinator_listen.h"

#include <errno.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "exec/process/sys.h"

/* ---- what the user says ---- */

/* "40000" or "40000-40100". */
static bool listen_ports(struct coordinator_listen *l, const char *text)
{
    char first[16];
    const char *dash = strchr(text, '-');
    int64_t from, to;

    snprintf(first, sizeof first, "%.*s", dash ? (int)(dash - text) : 15, text);
    if (!text_int(first, &from) || !text_int(dash ? dash + 1 : first, &to) || from < 1 ||
        to < from || to > UINT16_MAX)
        return false;
    l->from = (uint16_t)from;
    l->to = (uint16_t)to;
    return true;
}

static socklen_t listen_size(const struct sockaddr *at)
{
    return at->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

static void listen_at(struct coordinator_listen *l, const struct sockaddr *at)
{
    memcpy(&l->at, at, listen_size(at));
}

/* The address of the interface of that name, of version 4 if it has one. */
static bool listen_interface(struct coordinator_listen *l, const char *name)
{
    struct ifaddrs *all = NULL;

    if (getifaddrs(&all) < 0)
        return false;
    for (const struct ifaddrs *i = all; i; i = i->ifa_next) {
        if (!i->ifa_addr || strcmp(i->ifa_name, name) != 0)
            continue;
        if (i->ifa_addr->sa_family == AF_INET ||
            (i->ifa_addr->sa_family == AF_INET6 && l->at.ss_family == 0))
            listen_at(l, i->ifa_addr);
    }
    freeifaddrs(all);
    return l->at.ss_family != 0;
}

/* An address is listened at, a name is only told: it may be that of a machine before us. */
static int listen_address(struct coordinator_listen *l, const char *text, struct err *err)
{
    struct addrinfo want = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST}, *found;

    if (getaddrinfo(text, NULL, &want, &found) == 0) {
        listen_at(l, found->ai_addr);
        freeaddrinfo(found);
    } else if (!listen_interface(l, text)) {
        want.ai_flags = 0;
        int result = getaddrinfo(text, NULL, &want, &found);
        if (result != 0)
            return err_set(err,
                           "--listen %s: neither an address nor an interface, and as a host "
                           "name: %s",
                           text, gai_strerror(result));
        freeaddrinfo(found);
        snprintf(l->host, sizeof l->host, "%s", text);
        return 0;
    }
    /* In brackets if it has colons: agents are told HOST:PORT. */
    bool six = l->at.ss_family == AF_INET6;
    char number[200] = "";
    getnameinfo((const struct sockaddr *)&l->at, listen_size((const struct sockaddr *)&l->at),
                number, sizeof number, NULL, 0, NI_NUMERICHOST);
    snprintf(l->host, sizeof l->host, "%s%s%s", six ? "[" : "", number, six ? "]" : "");
    return 0;
}

int coordinator_listen_parse(struct coordinator_listen *l, const char *text, struct err *err)
{
    char address[256];

    *l = (struct coordinator_listen){0};
    if (!text)
        return 0;
    const char *first = strchr(text, ':'), *colon = strrchr(text, ':');
    bool bracketed = text[0] == '[' && strchr(text, ']');
    if (bracketed) {
        const char *end = strchr(text, ']');
        colon = end[1] == ':' ? end + 1 : NULL;
        snprintf(address, sizeof address, "%.*s", (int)(end - text - 1), text + 1);
    } else if (colon && first == colon) {
        snprintf(address, sizeof address, "%.*s", (int)(colon - text), text);
    } else { /* several colons are those of an address */
        colon = NULL;
        snprintf(address, sizeof address, "%s", text);
    }
    if ((colon && !listen_ports(l, colon + 1)) || (!colon && !*address))
        return err_set(
            err,
            "--listen %s: expected ADDRESS, :PORT, ADDRESS:PORT or ADDRESS:FROM-TO, ports "
            "from 1 to 65535",
            text);
    return *address ? listen_address(l, address, err) : 0;
}

/* ---- listening ---- */

static int listen_bind(const struct sockaddr *at, int backlog)
{
    int fd = socket(at->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), off = 0, on = 1;

    if (fd < 0)
        return -1;
    /* Conversations are not quite over when a coordinator is killed, and the next one wants its
     * port; both have to allow that. */
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (at->sa_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (bind(fd, at, listen_size(at)) == 0 && listen(fd, backlog) == 0)
        return fd;
    sys_close(&fd);
    return -1;
}

static int listen_try(const struct coordinator_listen *l, bool loopback, int backlog, uint16_t port)
{
    struct sockaddr_in four = {.sin_family = AF_INET,
                               .sin_port = htons(port),
                               .sin_addr.s_addr = htonl(loopback ? INADDR_LOOPBACK : INADDR_ANY)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    struct sockaddr_storage at = l->at;

    if (at.ss_family == AF_INET)
        ((struct sockaddr_in *)(void *)&at)->sin_port = htons(port);
    else if (at.ss_family == AF_INET6)
        ((struct sockaddr_in6 *)(void *)&at)->sin6_port = htons(port);
    if (at.ss_family)
        return listen_bind((struct sockaddr *)&at, backlog);
    int fd = loopback ? -1 : listen_bind((struct sockaddr *)&six, backlog);
    return fd < 0 ? listen_bind((struct sockaddr *)&four, backlog) : fd;
}

int coordinator_listen_open(const struct coordinator_listen *l, bool loopback, int backlog,
                            uint16_t *port, struct err *err)
{
    struct sockaddr_storage at;
    socklen_t size = sizeof at;
    bool allowed = *port && (!l->from || (*port >= l->from && *port <= l->to));
    int fd = allowed ? listen_try(l, loopback, backlog, *port) : -1;

    for (uint32_t p = l->from; fd < 0 && p <= l->to; p++)
        fd = listen_try(l, loopback, backlog, (uint16_t)p);
    if (fd < 0 || getsockname(fd, (struct sockaddr *)&at, &size) < 0) {
        int error = errno;
        sys_close(&fd);
        if (l->from)
            return err_system(err, "cannot listen for agents at %s%sports %u to %u: %s", l->host,
                              l->host[0] ? ", " : "", l->from, l->to, strerror(error));
        return err_system(err, "cannot listen for agents%s%s: %s", l->host[0] ? " at " : "",
                          l->host, strerror(error));
    }
    *port = ntohs(at.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)(void *)&at)->sin6_port
                                           : ((struct sockaddr_in *)(void *)&at)->sin_port);
    return fd;
}
