/* Two ends of a conversation in one process, with a relay between them that can cut, keep and
 * change what goes through. */
#include "remote/wire/frames.h"

#include <errno.h>
#include <malloc.h>
#include <string.h>

#include "exec/process/sys.h"
#include "tests/unit/test.h"

struct frames_pair {
    struct tls_side *sides[2]; /* client, server */
    struct frames ends[2];
    int relay[2];   /* the relay's sockets; -1: the ends are joined directly */
    size_t at_once; /* bytes that the relay takes in one go */
    unsigned char kept[1 << 16];
    size_t kept_bytes; /* what the client has sent, as far as there is room */
};

static struct secret secret_of(unsigned char c)
{
    struct secret s;
    memset(&s, c, sizeof s);
    return s;
}

static void pair_sides(struct frames_pair *p, unsigned char client, unsigned char server)
{
    struct secret keys[2] = {secret_of(client), secret_of(server)};
    struct err err;

    memset(p, 0, sizeof *p);
    for (int i = 0; i < 2; i++)
        p->sides[i] = tls_side_create(&keys[i], i == 1, &err);
    expect(p->sides[0] && p->sides[1]);
    p->relay[0] = p->relay[1] = -1;
}

static void pair_socket(int fds[2])
{
    expect(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0);
}

static void pair_open(struct frames_pair *p, size_t at_once)
{
    int fds[2], more[2];

    pair_socket(fds);
    if (at_once) {
        pair_socket(more);
        p->relay[0] = fds[1];
        p->relay[1] = more[0];
        fds[1] = more[1];
    }
    p->at_once = at_once;
    for (int i = 0; i < 2; i++)
        frames_init(&p->ends[i], p->sides[i], fds[i]);
}

static void pair_close(struct frames_pair *p)
{
    for (int i = 0; i < 2; i++) {
        frames_fini(&p->ends[i]);
        tls_side_destroy(p->sides[i]);
        sys_close(&p->relay[i]);
    }
}

static bool pair_relay(struct frames_pair *p)
{
    unsigned char bytes[1 << 14];
    bool moved = false;

    for (int i = 0; i < 2 && p->at_once; i++) {
        ssize_t n = read(p->relay[i], bytes, p->at_once);
        if (n <= 0)
            continue;
        for (ssize_t k = 0; i == 0 && k < n && p->kept_bytes < sizeof p->kept; k++)
            p->kept[p->kept_bytes++] = bytes[k];
        moved |= write(p->relay[1 - i], bytes, (size_t)n) == n;
    }
    return moved;
}

/* Until both ends have greeted, or one is broken. */
static bool pair_greet(struct frames_pair *p)
{
    for (int i = 0; i < 10000; i++) {
        int a = frames_greet(&p->ends[0]), b = frames_greet(&p->ends[1]);
        if (a < 0 || b < 0)
            return false;
        if (a && b)
            return true;
        pair_relay(p);
    }
    return false;
}

/* What end `to` receives next; false: it is broken, or nothing comes. */
static bool pair_receive(struct frames_pair *p, int to, struct packet *m)
{
    for (int idle = 0; idle < 100; idle++) {
        frames_flush(&p->ends[1 - to]);
        int got = frames_receive(&p->ends[to], m);
        if (got)
            return got > 0;
        if (pair_relay(p))
            idle = 0;
    }
    return false;
}

/* Sends a launch with a command of so many bytes and returns whether it arrives. */
static bool pair_carries(struct frames_pair *p, int from, size_t bytes)
{
    char *command = mem_zalloc(bytes + 1, 1);
    struct packet m = {.type = PACKET_LAUNCH, .handle = (uint32_t)bytes}, got;

    memset(command, 'x', bytes);
    m.u.launch.command = command;
    m.u.launch.stdin_path = m.u.launch.dir = m.u.launch.reuse = m.u.launch.env = "";
    expect(frames_send(&p->ends[from], &m) == 0);
    bool good = pair_receive(p, 1 - from, &got) && got.handle == (uint32_t)bytes &&
                strcmp(got.u.launch.command, command) == 0;
    mem_free(command);
    return good;
}

/* Both go to sleep. */
static void pair_rest(struct frames_pair *p)
{
    int epoll_fd = sys_epoll_create();

    for (int i = 0; i < 2; i++)
        expect(frames_watch(&p->ends[i], epoll_fd, 0) == 0);
    sys_close(&epoll_fd);
}

TEST(frames_carry_packets_both_ways)
{
    static const size_t sizes[] = {0, 1, 4000, 16384, 16400, 131071, 163000};
    struct frames_pair p;

    pair_sides(&p, 1, 1);
    pair_open(&p, 0);
    expect(pair_greet(&p));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        expect(pair_carries(&p, 0, sizes[i]) && pair_carries(&p, 1, sizes[i]));
    expect(frames_waiting(&p.ends[0]) == 0);
    pair_rest(&p);
    expect(p.ends[0].out.cap == 0 && p.ends[1].out.cap == 0);
    pair_close(&p);
}

TEST(frames_of_a_packet_that_is_too_long_are_not_sent)
{
    struct frames_pair p;
    struct packet m = {.type = PACKET_FATAL};
    char *text = mem_zalloc(PACKET_BYTES_MAX, 1);

    memset(text, 'x', PACKET_BYTES_MAX - 1);
    m.u.text = text;
    pair_sides(&p, 1, 1);
    pair_open(&p, 0);
    expect(pair_greet(&p));
    expect(frames_send(&p.ends[0], &m) < 0 && frames_waiting(&p.ends[0]) == 0);
    expect(pair_carries(&p, 0, 10));
    mem_free(text);
    pair_close(&p);
}

/* The other end is slow: what was sent is not kept. */
TEST(frames_that_wait_take_no_more_memory_than_they_have_to)
{
    enum { PIECES = 200, BYTES = 60000 };
    struct frames_pair p;
    struct packet m = {.type = PACKET_OUTPUT}, got;
    char *bytes = mem_zalloc(BYTES, 1);
    uint32_t sent = 0, received = 0;

    m.u.output.bytes = bytes;
    m.u.output.length = BYTES;
    pair_sides(&p, 1, 1);
    pair_open(&p, 0);
    expect(pair_greet(&p));
    while (received < PIECES) {
        while (sent < PIECES && frames_waiting(&p.ends[0]) < 2 * BYTES) {
            m.handle = sent++;
            frames_send(&p.ends[0], &m);
            frames_flush(&p.ends[0]);
        }
        frames_flush(&p.ends[0]);
        expect(p.ends[0].out.cap <= 8 * BYTES && p.ends[1].in.cap <= 8 * BYTES);
        if (frames_receive(&p.ends[1], &got) == 1 && got.handle == received)
            received++;
        else if (p.ends[1].why[0])
            break;
    }
    expect(received == PIECES);
    mem_free(bytes);
    pair_close(&p);
}

TEST(frames_arrive_byte_by_byte)
{
    struct frames_pair p;

    pair_sides(&p, 1, 1);
    pair_open(&p, 1);
    expect(pair_greet(&p));
    expect(pair_carries(&p, 0, 3000) && pair_carries(&p, 1, 20000));
    pair_close(&p);
}

TEST(frames_need_the_same_key_at_both_ends)
{
    struct frames_pair p;

    pair_sides(&p, 1, 2);
    pair_open(&p, 0);
    expect(!pair_greet(&p));
    expect(!p.ends[0].greeted && !p.ends[1].greeted);
    expect(strcmp(p.ends[1].why, "binder does not verify") == 0 && p.ends[1].alien);
    expect(frames_greet(&p.ends[1]) < 0); /* and it stays so */
    pair_close(&p);
}

TEST(frames_do_not_take_garbage_for_a_greeting)
{
    static const char *const texts[] = {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\x16\x03\x01\xff\xff",
                                        "SSH-2.0-OpenSSH_9.2\r\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct frames_pair p;
        pair_sides(&p, 1, 1);
        pair_open(&p, 0);
        expect(write(p.ends[0].fd, texts[i], strlen(texts[i])) > 0);
        int fd = p.ends[0].fd;
        shutdown(fd, SHUT_WR);
        expect(frames_greet(&p.ends[1]) < 0 && p.ends[1].why[0] && p.ends[1].alien);
        pair_close(&p);
    }
}

/* All that a client said in one conversation, said again to another server with the same key. */
TEST(frames_of_another_conversation_are_refused)
{
    struct frames_pair p;

    pair_sides(&p, 1, 1);
    pair_open(&p, 4096);
    expect(pair_greet(&p) && pair_carries(&p, 0, 100));
    struct frames again;
    struct packet m;
    int fds[2];
    pair_socket(fds);
    frames_init(&again, p.sides[1], fds[0]);
    expect(write(fds[1], p.kept, p.kept_bytes) == (ssize_t)p.kept_bytes);
    expect(frames_greet(&again) <= 0 && frames_greet(&again) < 0);
    expect(!again.greeted && frames_receive(&again, &m) < 0);
    frames_fini(&again);
    close(fds[1]);
    pair_close(&p);
}

TEST(frames_of_an_impossible_length_break_the_conversation)
{
    static const unsigned char heads[][8] = {
        {0, 0, 0, 0}, {4, 0, 0, 0}, {1, 0x80, 2, 0}, {0xff, 0xff, 0xff, 0xff}};

    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        struct frames_pair p;
        struct packet m;
        size_t count;
        pair_sides(&p, 1, 1);
        pair_open(&p, 0);
        expect(pair_greet(&p));
        expect(tls_write(p.ends[0].tls, heads[i], 4, &count) == TLS_DONE && count == 4);
        expect(frames_receive(&p.ends[1], &m) < 0);
        expect(strstr(p.ends[1].why, "impossible length"));
        expect(p.ends[1].in.cap <= 2 * TLS_RECORD_MAX); /* nothing was made ready for it */
        pair_close(&p);
    }
}

TEST(frames_that_are_no_packets_break_the_conversation)
{
    struct frames_pair p;
    struct packet m;
    size_t count;

    pair_sides(&p, 1, 1);
    pair_open(&p, 0);
    expect(pair_greet(&p));
    expect(tls_write(p.ends[0].tls, "\5\0\0\0\377____", 9, &count) == TLS_DONE);
    expect(frames_receive(&p.ends[1], &m) < 0 && strstr(p.ends[1].why, "cannot be read"));
    expect(frames_receive(&p.ends[1], &m) < 0 && frames_flush(&p.ends[1]) < 0);
    expect(frames_greet(&p.ends[1]) < 0 && !p.ends[1].alien);
    pair_close(&p);
}

TEST(frames_end_with_their_connection)
{
    struct frames_pair p;
    struct packet m;

    pair_sides(&p, 1, 1);
    pair_open(&p, 0);
    expect(pair_greet(&p));
    char goodbye[64];
    frames_fini(&p.ends[0]); /* with a goodbye */
    expect(recv(p.ends[1].fd, goodbye, sizeof goodbye, MSG_PEEK) > 0);
    expect(frames_receive(&p.ends[1], &m) < 0 && strstr(p.ends[1].why, "closed"));
    expect(!p.ends[1].alien);
    pair_close(&p);

    pair_sides(&p, 1, 1);
    pair_open(&p, 0);
    expect(pair_greet(&p));
    shutdown(p.ends[0].fd, SHUT_RDWR); /* without */
    expect(frames_receive(&p.ends[1], &m) < 0 && strstr(p.ends[1].why, "closed"));
    expect(!p.ends[1].alien);
    pair_close(&p);
}

/* Every call to the socket fails once. */
TEST(frames_survive_every_failure_of_their_socket)
{
    static const char *const calls[] = {"send", "recv"};
    static const int errors[] = {ECONNRESET, EINTR};

    for (size_t c = 0; c < 4; c++) {
        for (int64_t at = 1; at <= 12; at++) {
            int64_t count = 0;
            struct frames_pair p;
            struct sys_plan plan = {.mode = SYS_PLAN_FAIL,
                                    .at = at,
                                    .error = errors[c / 2],
                                    .count = &count,
                                    .call = calls[c % 2]};
            pair_sides(&p, 1, 1);
            pair_open(&p, 0);
            sys_plan_set(&plan);
            bool good = pair_greet(&p) && pair_carries(&p, 0, 40000);
            sys_plan_set(NULL);
            expect(good || errors[c / 2] != EINTR);
            expect(good || p.ends[0].why[0] || p.ends[1].why[0]);
            pair_close(&p);
        }
    }
}

/* Bytes that were put into place are sent from there, fewer than there was room for; behind a
 * packet that waits. */
TEST(frames_send_an_output_from_where_it_was_put)
{
    struct frames_pair p;
    struct packet m = {.type = PACKET_OUTPUT, .handle = 9}, beat = {.type = PACKET_BEAT}, got;

    pair_sides(&p, 'k', 'k');
    pair_open(&p, 0);
    expect(pair_greet(&p) && frames_send(&p.ends[0], &beat) == 0);
    m.u.output.file = PACKET_STDERR;
    m.u.output.offset = 77;
    m.u.output.length = PACKET_OUTPUT_MAX;
    char *place = frames_place(&p.ends[0], &m);
    memcpy(place, "seven\nx", 7);
    m.u.output.bytes = place;
    m.u.output.length = 7;
    expect(frames_send(&p.ends[0], &m) == 0);
    expect(place == (char *)p.ends[0].out.at + p.ends[0].out.count - 8);
    expect(pair_receive(&p, 1, &got) && got.type == PACKET_BEAT);
    expect(pair_receive(&p, 1, &got) && got.type == PACKET_OUTPUT && got.handle == 9);
    expect(got.u.output.offset == 77 && got.u.output.length == 7 &&
           memcmp(got.u.output.bytes, "seven\nx", 8) == 0);
    pair_close(&p);
}

TEST(frames_at_rest_take_little_memory)
{
#ifdef __SANITIZE_ADDRESS__
    test_skip("the sanitizer keeps memory of its own");
#else
    enum { PAIRS = 50 };
    static struct frames_pair sides, pairs[PAIRS];
    struct packet m;

    pair_sides(&sides, 1, 1);
    for (int i = 0; i < PAIRS; i++) {
        memcpy(&pairs[i], &sides, sizeof sides);
        pair_open(&pairs[i], 0);
        expect(pair_greet(&pairs[i]) && pair_carries(&pairs[i], 0, 30000));
        expect(pair_carries(&pairs[i], 1, 30000));
        for (int k = 0; k < 2; k++) /* as owners do: until there is no more */
            expect(frames_receive(&pairs[i].ends[k], &m) == 0);
        pair_rest(&pairs[i]);
    }
    size_t with = mallinfo2().uordblks;
    for (int i = 0; i < 2 * PAIRS; i++)
        frames_fini(&pairs[i / 2].ends[i % 2]);
    size_t without = mallinfo2().uordblks;
    expect((with - without) / PAIRS < 2 * 16384);
    tls_side_destroy(sides.sides[0]);
    tls_side_destroy(sides.sides[1]);
#endif
}

TEST(frames_of_one_conversation_have_a_number_that_no_other_has)
{
    struct frames_pair one, two;
    unsigned char numbers[4][TLS_NUMBER];

    pair_sides(&one, 'k', 'k');
    pair_sides(&two, 'k', 'k');
    pair_open(&one, 0);
    pair_open(&two, 0);
    expect(pair_greet(&one) && pair_greet(&two));
    for (int i = 0; i < 2; i++)
        expect(tls_number(one.ends[i].tls, numbers[i]) &&
               tls_number(two.ends[i].tls, numbers[2 + i]));
    expect(memcmp(numbers[0], numbers[1], TLS_NUMBER) == 0);
    expect(memcmp(numbers[2], numbers[3], TLS_NUMBER) == 0);
    expect(memcmp(numbers[0], numbers[2], TLS_NUMBER) != 0);
    pair_close(&one);
    pair_close(&two);
}

/* Returns the events of an end that are reported at once. */
static uint32_t watched(struct frames *f, int epoll_fd)
{
    struct epoll_event e = {0};

    expect(frames_watch(f, epoll_fd, 1) == 0);
    return epoll_wait(epoll_fd, &e, 1, 0) > 0 ? e.events : 0;
}

/* An owner that sleeps is woken for room where bytes wait for it, and not otherwise: it would never
 * sleep. */
TEST(frames_are_woken_by_room_only_while_bytes_wait_for_it)
{
    static char bytes[1 << 16];
    struct frames_pair p;
    struct packet m,
        piece = {.type = PACKET_OUTPUT, .u.output = {.bytes = bytes, .length = sizeof bytes - 1}};
    int epoll_fd = epoll_create1(EPOLL_CLOEXEC);

    memset(bytes, 'x', sizeof bytes - 1);
    pair_sides(&p, 1, 1);
    pair_open(&p, 0);
    struct frames *near = &p.ends[0], *far = &p.ends[1];
    expect(frames_greet(near) == 0 && watched(near, epoll_fd) == 0); /* waits for an answer */
    expect(frames_flush(near) == 0 && frames_receive(near, &m) == 0);
    expect(pair_greet(&p));
    while (frames_receive(near, &m) > 0)
        ;
    expect(watched(near, epoll_fd) == 0);
    uint32_t sent = 0;
    for (; near->out.count == near->sent && sent < 1000; sent++)
        expect(frames_send(near, &piece) == 0 && frames_flush(near) == 0);
    expect(near->full && watched(near, epoll_fd) == 0);
    for (uint32_t i = 0; i < sent; i++) {
        for (int tries = 0; frames_receive(far, &m) == 0 && tries < 1000; tries++)
            if (watched(near, epoll_fd) & EPOLLOUT)
                expect(frames_flush(near) == 0);
        expect(m.type == PACKET_OUTPUT && m.u.output.length == sizeof bytes - 1);
    }
    expect(!near->full && watched(near, epoll_fd) == 0);
    close(epoll_fd);
    pair_close(&p);
}

/* The length comes first; a frame is whole with its last byte. */
TEST(frames_have_a_length_that_may_be)
{
    unsigned char head[16] = {5};

    for (size_t i = 0; i < 9; i++)
        expect(frames_measure(head, i) == 0);
    expect(frames_measure(head, 9) == 9 && frames_measure(head, 16) == 9);
    head[0] = 4;
    expect(frames_measure(head, 3) == 0 && frames_measure(head, 4) < 0);
    for (int i = 0; i < 4; i++)
        head[i] = (unsigned char)(PACKET_BYTES_MAX >> (8 * i));
    expect(frames_measure(head, 16) == 0); /* the longest, of which the rest is to come */
    for (int i = 0; i < 4; i++)
        head[i] = (unsigned char)((PACKET_BYTES_MAX + 1) >> (8 * i));
    expect(frames_measure(head, 16) < 0);
}

/* Returns how often this call was made to carry packets of so many bytes from one end to the other.
 */
static int64_t calls_for(struct frames_pair *p, const char *call, size_t bytes)
{
    int64_t count = 0;

    sys_plan_set(&(struct sys_plan){.mode = SYS_PLAN_FAIL, .count = &count, .call = call});
    expect(pair_carries(p, 0, bytes));
    sys_plan_set(NULL);
    return count;
}

/* A thousand conversations cost a call for each packet, not several. */
TEST(frames_call_the_kernel_seldom)
{
    struct frames_pair p;

    pair_sides(&p, 1, 1);
    pair_open(&p, 0);
    expect(pair_greet(&p) && pair_carries(&p, 0, 10));
    expect(calls_for(&p, "send", 100) == 1);
    expect(calls_for(&p, "recv", 100) == 1);
    expect(calls_for(&p, "send", 60000) == 4);
    expect(calls_for(&p, "recv", 60000) <= 2); /* several records at once */
    pair_close(&p);
}
