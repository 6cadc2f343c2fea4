#include "remote/coordinator/coordinator_listen.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/test.h"

static bool reads(const char *text, const char *host, uint16_t from, uint16_t to, int family)
{
    struct coordinator_listen l;
    struct err err;

    return coordinator_listen_parse(&l, text, &err) == 0 && strcmp(l.host, host) == 0 &&
           l.from == from && l.to == to && l.at.ss_family == family;
}

static bool refuses(const char *text, const char *why)
{
    struct coordinator_listen l;
    struct err err;

    return coordinator_listen_parse(&l, text, &err) < 0 && strstr(err.text, why);
}

TEST(coordinator_listen_reads_addresses_interfaces_and_ports)
{
    expect(reads(NULL, "", 0, 0, 0));
    expect(reads("127.0.0.1", "127.0.0.1", 0, 0, AF_INET));
    expect(reads("127.0.0.1:40000", "127.0.0.1", 40000, 40000, AF_INET));
    expect(reads(":40000-40010", "", 40000, 40010, 0));
    expect(reads("[::1]:1-65535", "[::1]", 1, 65535, AF_INET6));
    expect(reads("::1", "[::1]", 0, 0, AF_INET6));
    expect(reads("lo", "127.0.0.1", 0, 0, AF_INET));
    expect(reads("[::1]", "[::1]", 0, 0, AF_INET6) &&
           reads("lo:65535", "127.0.0.1", 65535, 65535, AF_INET));
    expect(reads(":1", "", 1, 1, 0) && refuses(":1-65536", "expected ADDRESS"));
    expect(refuses("[::1]:", "expected ADDRESS") && refuses("[]", "expected ADDRESS"));
    expect(refuses("", "expected ADDRESS") && refuses(":", "expected ADDRESS"));
    expect(refuses(":0", "expected ADDRESS") && refuses(":65536", "expected ADDRESS"));
    expect(refuses(":9-8", "expected ADDRESS") && refuses("lo:x", "expected ADDRESS"));
    expect(refuses("no.such.name.invalid:7", "neither an address nor an interface"));
}

TEST(coordinator_listen_reads_names)
{
    struct addrinfo *found = NULL;

    if (getaddrinfo("localhost", NULL, NULL, &found) != 0)
        return test_skip("this machine does not know the name localhost");
    freeaddrinfo(found);
    expect(reads("localhost:7", "localhost", 7, 7, 0));
}

TEST(coordinator_listen_takes_the_first_port_that_is_free)
{
    struct coordinator_listen l = {0}, narrow;
    struct err err;
    uint16_t port = 0, next = 0, other = 0;

    int fd = coordinator_listen_open(&l, true, 1, &port, &err);
    expect(fd >= 0 && port > 0);
    narrow = (struct coordinator_listen){.from = port, .to = port};
    expect(coordinator_listen_open(&narrow, true, 1, &next, &err) < 0 && strstr(err.text, "ports"));
    /* One that the coordinator before us had, unless it may not be. */
    narrow = (struct coordinator_listen){.from = 1024, .to = 65535};
    uint16_t wanted = port;
    close(fd);
    fd = coordinator_listen_open(&narrow, true, 1, &wanted, &err);
    expect(fd >= 0 && wanted == port);
    other = port == 65535 ? 1024 : (uint16_t)(port + 1);
    narrow = (struct coordinator_listen){.from = other, .to = 65535};
    wanted = port;
    int more = coordinator_listen_open(&narrow, true, 1, &wanted, &err);
    expect(more >= 0 && wanted >= other);
    close(fd);
    close(more);
}

static uint32_t address_of(int fd, int *family)
{
    struct sockaddr_storage at;
    socklen_t size = sizeof at;

    expect(getsockname(fd, (struct sockaddr *)&at, &size) == 0);
    *family = at.ss_family;
    return at.ss_family == AF_INET ? ntohl(((struct sockaddr_in *)(void *)&at)->sin_addr.s_addr)
                                   : 0;
}

/* The address that the user names, or this machine alone, or all. */
TEST(coordinator_listen_where_they_are_told_to)
{
    static const char *const texts[] = {"127.0.0.2", "127.0.0.2:1024-65535", NULL};
    struct coordinator_listen l;
    struct err err;
    int family;

    for (int i = 0; i < 3; i++) {
        uint16_t port = 0;
        expect(coordinator_listen_parse(&l, texts[i], &err) == 0);
        int fd = coordinator_listen_open(&l, true, 1, &port, &err);
        expect(fd >= 0 && port > 0);
        expect(address_of(fd, &family) == (i < 2 ? 0x7f000002 : INADDR_LOOPBACK));
        /* The port is taken, by us; whoever may not have another has none. */
        l.from = l.to = port;
        uint16_t again = 0;
        expect(coordinator_listen_open(&l, true, 1, &again, &err) < 0);
        expect(strstr(err.text, i < 2 ? "at 127.0.0.2, ports " : "at ports "));
        close(fd);
    }
    uint16_t port = 0;
    expect(coordinator_listen_parse(&l, NULL, &err) == 0);
    int fd = coordinator_listen_open(&l, false, 1, &port, &err);
    expect(fd >= 0 && address_of(fd, &family) == 0 && port > 0); /* any */
    expect(fcntl(fd, F_GETFL) & O_NONBLOCK && fcntl(fd, F_GETFD) & FD_CLOEXEC);
    int on = 0, only = 1;
    socklen_t size = sizeof on;
    expect(getsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, &size) == 0 && on);
    expect(family == AF_INET ||
           (getsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, &size) == 0 && !only));
    close(fd);
    expect(coordinator_listen_parse(&l, "192.0.2.1", &err) == 0); /* nobody's */
    expect(coordinator_listen_open(&l, true, 1, &port, &err) < 0);
    expect(strstr(err.text, "cannot listen for agents at 192.0.2.1: "));
}

/* A port of an earlier coordinator that is outside of what the user allows now is not taken. */
TEST(coordinator_listen_on_no_port_that_is_not_allowed)
{
    struct coordinator_listen l = {0};
    struct err err;
    uint16_t low = 0, high = 0;

    int a = coordinator_listen_open(&l, true, 1, &low, &err),
        b = coordinator_listen_open(&l, true, 1, &high, &err);
    expect(a >= 0 && b >= 0);
    if (low > high) {
        uint16_t swap = low;
        low = high;
        high = swap;
    }
    close(a);
    close(b);
    for (int i = 0; i < 3; i++) {
        uint16_t wanted = i == 0 ? low : i == 1 ? high : 0;
        l = (struct coordinator_listen){.from = i == 0 ? high : low, .to = i == 0 ? high : low};
        uint16_t want = wanted;
        int fd = coordinator_listen_open(&l, true, 1, &want, &err);
        expect(fd < 0 || want == l.from); /* it may have been taken by others meanwhile */
        if (fd >= 0)
            close(fd);
    }
}

TEST(coordinator_listen_at_the_other_version_of_the_protocol)
{
    struct coordinator_listen l;
    struct err err;
    uint16_t port = 0, again = 0;
    int family;

    expect(coordinator_listen_parse(&l, "[::1]:1024-65535", &err) == 0);
    int fd = coordinator_listen_open(&l, false, 1, &port, &err);
    if (fd < 0)
        return test_skip("this machine has no IPv6");
    address_of(fd, &family);
    expect(family == AF_INET6 && port >= 1024);
    l.from = l.to = port; /* which is taken */
    expect(coordinator_listen_open(&l, false, 1, &again, &err) < 0);
    expect(strstr(err.text, "cannot listen for agents at [::1], ports ") == err.text);
    close(fd);
}

/* In a network of its own, where sockets are for one family unless they ask for both. Returns 0 if
 * the coordinator's is for both, 2 if there cannot be such a network. */
static int listens_for_both(void)
{
    struct coordinator_listen l = {0};
    struct err err;
    uint16_t port = 0;
    int only = -1;
    socklen_t size = sizeof only;

    int fd = unshare(CLONE_NEWNET) == 0
                 ? open("/proc/sys/net/ipv6/bindv6only", O_WRONLY | O_CLOEXEC)
                 : -1;
    if (fd < 0 || write(fd, "1", 1) != 1)
        return 2;
    fd = coordinator_listen_open(&l, false, 1, &port, &err);
    return getsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, &size) == 0 && only == 0 ? 0 : 1;
}

TEST(coordinator_listen_is_for_both_families)
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0)
        _exit(listens_for_both());
    expect(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    if (WEXITSTATUS(status) == 2)
        return test_skip("no network of its own, or no IPv6");
    expect(WEXITSTATUS(status) == 0);
}
