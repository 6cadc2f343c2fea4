/* The first frame of an agent in docs/inside/protocol.md is what an agent sends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "remote/wire/frames.h"
#include "tests/unit/test.h"

enum { DOC_MAX = 1 << 16 };

/* The bytes of the block that begins with ```hello; on each line they end at the '|'. */
static size_t doc_bytes(const char *doc, unsigned char *bytes, size_t room)
{
    const char *at = strstr(doc, "```hello\n"), *end = at ? strstr(at + 3, "```\n") : NULL;
    size_t n = 0;

    for (at = at ? strchr(at, '\n') + 1 : NULL; end && at < end; at = strchr(at, '\n') + 1) {
        const char *bar = strchr(at, '|');
        for (char *next; bar && n < room; at = next) {
            unsigned long byte = strtoul(at, &next, 16);
            if (next == at || next > bar)
                break;
            bytes[n++] = (unsigned char)byte;
        }
    }
    return n;
}

TEST(frames_begin_with_the_hello_of_the_document)
{
    FILE *f = fopen("docs/inside/protocol.md", "re");
    if (!f) {
        test_skip("docs/inside/protocol.md is not here: run from the project's folder");
        return;
    }
    char *doc = mem_zalloc(DOC_MAX, 1);
    expect(fread(doc, 1, DOC_MAX - 1, f) > 0);
    fclose(f);
    struct packet m = {.type = PACKET_HELLO};
    m.u.hello = (struct packet_hello){.version = PACKET_VERSION,
                                      .program = "00000000000000ff",
                                      .name = "b1.n7",
                                      .host = "n7",
                                      .rack = "s0.s1",
                                      .boot = "4d/9",
                                      .scratch = "/tmp/x",
                                      .cores_milli = 8000,
                                      .memory_mib = 64000,
                                      .clock_us = 1600000000000000,
                                      .credential = ""};
    struct frames frames = {.fd = -1};
    expect(frames_send(&frames, &m) == 0);
    unsigned char bytes[256];
    size_t n = doc_bytes(doc, bytes, sizeof bytes);
    expect(n == frames.out.count && memcmp(bytes, frames.out.at, n) == 0);
    vec_free(&frames.out);
    mem_free(doc);
}
