#include "remote/coordinator/agents_listen.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "tests/test.h"

static bool reads(const char *text, const char *host, uint16_t from, uint16_t to, int family)
{
    struct agents_listen l;
    struct err err;

    return agents_listen_parse(&l, text, &err) == 0 && strcmp(l.host, host) == 0 &&
           l.from == from && l.to == to && l.at.ss_family == family;
}

static bool refuses(const char *text, const char *why)
{
    struct agents_listen l;
    struct err err;

    return agents_listen_parse(&l, text, &err) < 0 && strstr(err.text, why);
}

TEST(agents_listen_reads_addresses_interfaces_and_ports)
{
    expect(reads(NULL, "", 0, 0, 0));
    expect(reads("127.0.0.1", "127.0.0.1", 0, 0, AF_INET));
    expect(reads("127.0.0.1:40000", "127.0.0.1", 40000, 40000, AF_INET));
    expect(reads(":40000-40010", "", 40000, 40010, 0));
    expect(reads("[::1]:1-65535", "[::1]", 1, 65535, AF_INET6));
    expect(reads("::1", "[::1]", 0, 0, AF_INET6));
    expect(reads("lo", "127.0.0.1", 0, 0, AF_INET));
    expect(refuses("", "want ADDRESS") && refuses(":", "want ADDRESS"));
    expect(refuses(":0", "want ADDRESS") && refuses(":65536", "want ADDRESS"));
    expect(refuses(":9-8", "want ADDRESS") && refuses("lo:x", "want ADDRESS"));
    expect(refuses("no.such.name.invalid:7", "no address, no interface"));
}

TEST(agents_listen_reads_names)
{
    struct addrinfo *found = NULL;

    if (getaddrinfo("localhost", NULL, NULL, &found) != 0)
        return test_skip("this machine does not know the name localhost");
    freeaddrinfo(found);
    expect(reads("localhost:7", "localhost", 7, 7, 0));
}

TEST(agents_listen_takes_the_first_port_that_is_free)
{
    struct agents_listen l = {0}, narrow;
    struct err err;
    uint16_t port = 0, next = 0, other = 0;

    int fd = agents_listen_open(&l, true, 1, &port, &err);
    expect(fd >= 0 && port > 0);
    narrow = (struct agents_listen){.from = port, .to = port};
    expect(agents_listen_open(&narrow, true, 1, &next, &err) < 0 && strstr(err.text, "ports"));
    /* One that the coordinator before us had, unless it may not be. */
    narrow = (struct agents_listen){.from = 1024, .to = 65535};
    uint16_t wanted = port;
    close(fd);
    fd = agents_listen_open(&narrow, true, 1, &wanted, &err);
    expect(fd >= 0 && wanted == port);
    other = port == 65535 ? 1024 : (uint16_t)(port + 1);
    narrow = (struct agents_listen){.from = other, .to = 65535};
    wanted = port;
    int more = agents_listen_open(&narrow, true, 1, &wanted, &err);
    expect(more >= 0 && wanted >= other);
    close(fd);
    close(more);
}
