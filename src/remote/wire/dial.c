/* Connecting without waiting.
 *
 * A host has several addresses, of which some may lead nowhere; each try takes the next, so that
 * none has to be given up on first. A tunnel is a socket on this machine that someone else (ssh)
 * has connected with the other end; it takes turns with the host's own addresses, since neither is
 * known to work. */
#include "remote/wire/dial.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include "exec/process/sys.h"

/* HOST:PORT or [ADDRESS]:PORT. */
static int dial_cut(const char *text, char host[256], char port[8])
{
    const char *colon = strrchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : 0;

    if (!colon || length == 0 || length >= 256 || !colon[1] || strlen(colon + 1) >= 8)
        return -1;
    if (strspn(colon + 1, "0123456789") != strlen(colon + 1))
        return -1;
    strcpy(port, colon + 1);
    bool bracketed = text[0] == '[' && colon[-1] == ']';
    snprintf(host, 256, "%.*s", (int)(length - 2 * bracketed), text + bracketed);
    return 0;
}

int dial_read(const char *file, char text[DIAL_TEXT])
{
    int fd = sys_open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);

    if (fd < 0)
        return errno == ENOENT ? -1 : 0;
    ssize_t n = sys_read(fd, text, DIAL_TEXT - 1);
    sys_close(&fd);
    text[n > 0 ? n : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return text[0] != '\0';
}

int dial_find(struct dial *d, const char *text, struct err *err)
{
    struct addrinfo want = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    char host[256], port[8];

    if (d->all && strcmp(d->text, text) == 0)
        return 0;
    dial_fini(d);
    if (dial_cut(text, host, port) < 0)
        return err_set(err, "--connect %s: expected HOST:PORT", text);
    int result = getaddrinfo(host, port, &want, &d->all);
    if (result != 0)
        return err_system(err, "%s: %s", host, gai_strerror(result));
    snprintf(d->text, sizeof d->text, "%s", text);
    d->next = d->all;
    return 0;
}

void dial_fini(struct dial *d)
{
    if (d->all)
        freeaddrinfo(d->all);
    d->all = d->next = NULL;
    d->last = NULL;
}

int dial_try(struct dial *d)
{
    const struct addrinfo *a = d->next;
    int on = 1;

    d->last = a;
    d->next = a->ai_next ? a->ai_next : d->all;
    int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(fd, a->ai_addr, a->ai_addrlen) == 0 || errno == EINPROGRESS)
        return fd;
    sys_close(&fd);
    return -1;
}

static int dial_socket(const char *path)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};

    if (strlen(path) >= sizeof at.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(at.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0)
        return fd;
    sys_close(&fd);
    return -1;
}

int dial_open(struct dial *d, const char *text, const char *tunnel, struct err *err)
{
    d->through = tunnel && !d->through;
    if (!d->through && dial_find(d, text, err) < 0)
        return -1;
    int fd = d->through ? dial_socket(tunnel) : dial_try(d);
    return fd >= 0 ? fd : err_system(err, "%s", strerror(errno));
}

void dial_address(const struct dial *d, char text[DIAL_ADDRESS])
{
    text[0] = 0;
    if (d->last)
        getnameinfo(d->last->ai_addr, d->last->ai_addrlen, text, DIAL_ADDRESS, NULL, 0,
                    NI_NUMERICHOST);
}

int dial_result(int fd)
{
    int error = 0;
    socklen_t size = sizeof error;

    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0 ? errno : error;
}
