#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "base/os/tree.h"
#include "data/sorted_file.h"
#include "data/sorted_writer.h"
#include "exec/process/sys.h"
#include "remote/fetch/fetch_client.h"
#include "remote/fetch/fetch_places.h"
#include "remote/fetch/fetch_server.h"
#include "remote/fetch/fetch_store.h"
#include "tests/unit/limits.h"
#include "tests/unit/test.h"

#include "remote/fetch/fetch_keep_test.h"

/* An agent that keeps outputs, and whoever wants them. */
struct fetch_desk {
    char dir[64], where[32];
    struct secret key;
    int server_fd;
    struct fetch_client client;
    int fd; /* where the client puts what it gets */
};

/* A connection of this machine with itself. */
static int connect_self(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    expect(bind(door, (struct sockaddr *)&at, size) == 0 && listen(door, 1) == 0);
    expect(getsockname(door, (struct sockaddr *)&at, &size) == 0);
    expect(connect(fd, (struct sockaddr *)&at, size) == 0);
    close(door);
    return fd;
}

static void desk_open(struct fetch_desk *d)
{
    struct err err;
    uint16_t port;

    *d = (struct fetch_desk){0};
    test_folder(d->dir);
    expect(fetch_store_make(d->dir) == 0);
    memset(d->key.bytes, 7, sizeof d->key.bytes);
    int connected = connect_self();
    d->server_fd = fetch_server_start(d->dir, &d->key, connected, &port, &err);
    expect(d->server_fd >= 0 && port > 0);
    close(connected);
    snprintf(d->where, sizeof d->where, "127.0.0.1:%u", port);
    d->client.secret = d->key;
    d->client.has_secret = true;
    d->fd = memfd_create("got", MFD_CLOEXEC);
}

static void desk_close(struct fetch_desk *d)
{
    fetch_client_fini(&d->client);
    close(d->fd);
    close(d->server_fd);
    tree_remove(d->dir);
}

static int get(struct fetch_desk *d, uint32_t output, uint32_t partition,
               struct packet_partition *found)
{
    struct err err;
    int result = fetch_client_get(&d->client, d->where, output, partition, d->fd, found, &err);

    expect(result == 0 || (strstr(err.text, d->where) && found->error > 0));
    return result;
}

static bool got(const struct fetch_desk *d, const char *text)
{
    char have[64] = "";

    return pread(d->fd, have, sizeof have - 1, 0) == (ssize_t)strlen(text) &&
           strcmp(have, text) == 0;
}

TEST(fetch_hands_out_partitions_and_whole_outputs)
{
    struct fetch_desk d;
    struct packet_partition found;

    desk_open(&d);
    keep_run(d.dir, 5, 1);
    keep_file(d.dir, 6, "some\nlines\n", 11);
    keep_file(d.dir, 7, "", 0);
    expect(get(&d, 5, 0, &found) == 0 && got(&d, "\1\1a1"));
    expect(found.partitions == 2 && found.bytes == 4 && found.records == 1 && found.form == 0);
    expect(get(&d, 5, 1, &found) == 0 && got(&d, "\1\1bv"));
    expect(get(&d, 6, PACKET_WHOLE, &found) == 0 && got(&d, "some\nlines\n"));
    expect(found.partitions == 0 && found.bytes == 11);
    expect(get(&d, 7, PACKET_WHOLE, &found) == 0 && got(&d, "") && found.bytes == 0);
    desk_close(&d);
}

/* The server ends when its owner goes, and ends well, also with readers that are still connected.
 * Its parent has gone: it becomes our child. */
TEST(fetch_server_ends_well)
{
    struct fetch_desk d;
    struct packet_partition found;
    int status = -1;

    if (test_lacks_subreaper())
        return;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    desk_open(&d);
    keep_file(d.dir, 6, "some\nlines\n", 11);
    expect(get(&d, 6, PACKET_WHOLE, &found) == 0);
    close(d.server_fd);
    d.server_fd = -1;
    pid_t server; /* a child that was killed is one that another test has left */
    while ((server = wait(&status)) < 0 ? errno == EINTR : WIFSIGNALED(status))
        ;
    expect(server > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    desk_close(&d);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST(fetch_says_what_cannot_be_had)
{
    struct fetch_desk d;
    struct packet_partition found;

    desk_open(&d);
    keep_run(d.dir, 5, 1);
    keep_file(d.dir, 6, "not sorted.", 11);
    expect(get(&d, 9, 0, &found) < 0 && found.error == ENOENT);
    expect(get(&d, 5, 2, &found) < 0 && found.error == ERANGE);
    expect(get(&d, 6, 0, &found) < 0 && found.error == EBADMSG);
    fetch_store_forget(d.dir, 5);
    expect(get(&d, 5, 0, &found) < 0 && found.error == ENOENT);
    desk_close(&d);
}

TEST(fetch_of_a_large_partition_is_checked)
{
    struct fetch_desk d;
    struct packet_partition found;
    struct sorted_file file;
    struct sorted_file_cursor c;
    struct data_record r;
    struct err err;

    desk_open(&d);
    keep_run(d.dir, 5, 1 << 20);
    expect(get(&d, 5, 1, &found) == 0 && found.bytes == (1 << 20) + 5);
    struct sorted_file_partition row = {0, (uint64_t)found.bytes, (uint64_t)found.records,
                                        found.checksum};
    expect(sorted_file_open_fetched(&file, "it", d.fd, found.form, &row, 1, 2, &err) == 0);
    expect(sorted_file_begin(&file, 1, &c, &err) == 0 && sorted_file_next(&c, &r, &err) == 1);
    expect(r.value_length == 1 << 20 && sorted_file_next(&c, &r, &err) == 0);
    sorted_file_end(&c);
    sorted_file_close(&file);
    expect(pwrite(d.fd, "X", 1, 1 << 19) == 1);
    expect(sorted_file_open_fetched(&file, "it", d.fd, found.form, &row, 1, 2, &err) < 0);
    expect(strstr(err.text, "has a wrong checksum"));
    expect(ftruncate(d.fd, 1 << 19) == 0);
    expect(sorted_file_open_fetched(&file, "it", d.fd, found.form, &row, 1, 2, &err) < 0);
    row.records = UINT64_MAX;
    expect(sorted_file_open_fetched(&file, "it", d.fd, found.form, &row, 1, 2, &err) < 0);
    desk_close(&d);
}

TEST(fetch_is_for_those_who_have_the_key)
{
    struct fetch_desk d;
    struct packet_partition found;
    struct err err;
    struct fetch_client stranger = {.has_secret = true}, keyless = {0};

    desk_open(&d);
    keep_run(d.dir, 5, 1);
    expect(fetch_client_get(&stranger, d.where, 5, 0, d.fd, &found, &err) < 0 &&
           !got(&d, "\1\1a1"));
    expect(fetch_client_get(&keyless, d.where, 5, 0, d.fd, &found, &err) < 0);
    expect(found.error == EACCES);
    expect(get(&d, 5, 0, &found) == 0 && got(&d, "\1\1a1"));
    /* What is no address will not become one. */
    expect(fetch_client_get(&d.client, "nowhere", 5, 0, d.fd, &found, &err) < 0);
    expect(found.error == EINVAL && strstr(err.text, "expected HOST:PORT") && !d.client.gone[0]);
    fetch_client_fini(&stranger);
    fetch_client_fini(&keyless);
    desk_close(&d);
}

/* A conversation with the server, to say anything in. */
static void converse(struct fetch_desk *d, struct fetch_client *c, const struct packet *say)
{
    struct packet_partition found;
    struct err err;

    *c = (struct fetch_client){.secret = d->key, .has_secret = true};
    expect(fetch_client_get(c, d->where, 5, 0, d->fd, &found, &err) == 0);
    frames_send(&c->frames, say);
    expect(frames_flush(&c->frames) == 0);
}

/* Waits until the other end has closed; packets that come are dropped. */
static bool is_closed(struct fetch_client *c)
{
    struct packet m;
    int n;

    for (int i = 0; i < 10000; i++) {
        while ((n = frames_receive(&c->frames, &m)) > 0)
            ;
        if (n < 0)
            return true;
        usleep(1000);
    }
    return false;
}

TEST(fetch_ends_conversations_with_whoever_says_what_no_reader_says)
{
    struct fetch_desk d;
    struct fetch_client c;
    struct packet wrong[] = {{.type = PACKET_LEAVE},
                             {.type = PACKET_KILL},
                             {.type = PACKET_PARTITION, .handle = 5},
                             {.type = PACKET_FATAL, .u.text = "x"}};

    desk_open(&d);
    keep_run(d.dir, 5, 1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        converse(&d, &c, &wrong[i]);
        expect(is_closed(&c));
        fetch_client_fini(&c);
    }
    desk_close(&d);
}

/* Asks in this conversation, and waits for the answer. Returns false if it has ended. */
static bool answers(struct fetch_client *c, uint32_t output, uint32_t partition, struct packet *m)
{
    struct packet want = {.type = PACKET_WANT, .handle = output, .u.partition = partition};

    frames_send(&c->frames, &want);
    do {
        usleep(1000);
        if (frames_flush(&c->frames) < 0 || frames_receive(&c->frames, m) < 0)
            return false;
    } while (m->type != PACKET_PARTITION || m->handle != output);
    return true;
}

/* What is not there, or is empty, is no end. A file that becomes shorter on its way is. */
TEST(fetch_goes_on_after_what_has_no_bytes)
{
    struct fetch_desk d;
    struct packet_partition found;
    struct packet m = {0};

    desk_open(&d);
    keep_run(d.dir, 5, 1);
    keep_file(d.dir, 7, "", 0);
    void *large = mem_zalloc(16 << 20, 1);
    keep_file(d.dir, 6, large, 16 << 20);
    mem_free(large);
    expect(get(&d, 5, 0, &found) == 0);
    expect(answers(&d.client, 9, 0, &m) && m.u.found.error == ENOENT);
    expect(answers(&d.client, 7, PACKET_WHOLE, &m) && !m.u.found.error && m.u.found.bytes == 0);
    expect(answers(&d.client, 6, PACKET_WHOLE, &m) && m.u.found.bytes == 16 << 20);
    expect(truncate(fetch_store_path(d.dir, 6).text, 1000) == 0 && is_closed(&d.client));
    desk_close(&d);
}

/* Nothing is made up for the last byte of a file that has lost it. */
TEST(fetch_sends_no_more_than_there_is)
{
    enum { BYTES = 16 << 20 };
    struct fetch_desk d;
    struct packet_partition found;
    struct packet m = {0};
    int64_t sum = 0;
    int got = 0;

    desk_open(&d);
    keep_file(d.dir, 7, "", 0);
    void *large = mem_zalloc(BYTES, 1);
    keep_file(d.dir, 6, large, BYTES);
    mem_free(large);
    expect(get(&d, 7, PACKET_WHOLE, &found) == 0);
    expect(answers(&d.client, 6, PACKET_WHOLE, &m) && m.u.found.bytes == BYTES);
    expect(truncate(fetch_store_path(d.dir, 6).text, BYTES - 1) == 0);
    for (int i = 0; i < 100000 && got >= 0; i++) {
        while ((got = frames_receive(&d.client.frames, &m)) > 0)
            sum += m.type == PACKET_OUTPUT ? m.u.output.length : 0;
        usleep(100);
    }
    expect(got < 0 && sum > 0 && sum < BYTES);
    desk_close(&d);
}

/* One does not read what it has asked for, and asks again; another is served meanwhile. */
TEST(fetch_waits_for_nobody)
{
    struct fetch_desk d;
    struct fetch_client slow;
    struct packet want = {.type = PACKET_WANT, .handle = 6, .u.partition = PACKET_WHOLE};
    struct packet_partition found;

    desk_open(&d);
    keep_run(d.dir, 5, 1);
    void *large = mem_zalloc(64 << 20, 1);
    keep_file(d.dir, 6, large, 64 << 20);
    mem_free(large);
    converse(&d, &slow, &want);
    expect(get(&d, 5, 0, &found) == 0 && got(&d, "\1\1a1"));
    frames_send(&slow.frames, &want);
    expect(frames_flush(&slow.frames) == 0 && is_closed(&slow));
    fetch_client_fini(&slow);
    desk_close(&d);
}

/* A connection that says a little of a greeting: the server takes none that says nothing. */
static int connect_mute(const struct fetch_desk *d)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    at.sin_port = htons((uint16_t)atoi(strchr(d->where, ':') + 1));
    expect(connect(fd, (struct sockaddr *)&at, sizeof at) == 0 && write(fd, "\26", 1) == 1);
    return fd;
}

/* Whoever does not show the key makes room, and in time, not at once. */
TEST(fetch_readers_get_in_past_those_who_do_not_go_on)
{
    struct fetch_desk d;
    struct packet_partition found;
    int mute[FETCH_SERVER_READERS + 8], closed = 0;
    char end;

    desk_open(&d);
    keep_run(d.dir, 5, 1);
    for (int i = 0; i < FETCH_SERVER_READERS + 8; i++)
        mute[i] = connect_mute(&d);
    expect(get(&d, 5, 0, &found) == 0 && got(&d, "\1\1a1"));
    for (int i = 0; i < FETCH_SERVER_READERS + 8; i++) {
        closed += recv(mute[i], &end, 1, MSG_DONTWAIT) == 0;
        close(mute[i]);
    }
    expect(closed >= 9); /* nine places were needed */
    desk_close(&d);
}

/* A server without descriptors rests, and goes on when it has some, though nothing happens. */
TEST(fetch_server_goes_on_after_a_want_of_descriptors)
{
    enum { MUTE = 64 };
    struct fetch_desk d;
    struct packet_partition found;
    int mute[MUTE];
    struct rlimit before = limits_descriptors(16);

    desk_open(&d); /* the server keeps the limit */
    setrlimit(RLIMIT_NOFILE, &before);
    expect(limits_open() + 16 < MUTE);
    keep_run(d.dir, 5, 1);
    for (int i = 0; i < MUTE; i++)
        mute[i] = connect_mute(&d);
    usleep(20000);
    for (int i = 0; i < MUTE; i++)
        close(mute[i]);
    expect(get(&d, 5, 0, &found) == 0 && got(&d, "\1\1a1"));
    desk_close(&d);
}

/* Readers that have the key stay, also those that want nothing now; others wait for a place. */
TEST(fetch_readers_wait_while_there_is_no_place)
{
    static struct fetch_client readers[FETCH_SERVER_READERS];
    struct fetch_desk d;
    struct packet_partition found;
    struct err err;
    int status = 1;

    desk_open(&d);
    keep_run(d.dir, 5, 1);
    for (int i = 0; i < FETCH_SERVER_READERS; i++) {
        readers[i] = (struct fetch_client){.secret = d.key, .has_secret = true};
        expect(fetch_client_get(&readers[i], d.where, 5, 0, d.fd, &found, &err) == 0);
    }
    pid_t other = fork();
    if (other == 0) {
        d.fd = memfd_create("got", MFD_CLOEXEC);
        int result = get(&d, 5, 1, &found); /* waits */
        _exit(result == 0 && got(&d, "\1\1bv") ? 0 : 1);
    }
    for (int i = 1; i < FETCH_SERVER_READERS; i++)
        expect(fetch_client_get(&readers[i], d.where, 5, 0, d.fd, &found, &err) == 0);
    expect(waitpid(other, &status, WNOHANG) == 0);
    fetch_client_fini(&readers[0]);
    expect(waitpid(other, &status, 0) == other && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    for (int i = 1; i < FETCH_SERVER_READERS; i++)
        fetch_client_fini(&readers[i]);
    desk_close(&d);
}

TEST(fetch_from_nobody_fails)
{
    struct fetch_desk d;
    struct packet_partition found;
    char end;

    desk_open(&d);
    shutdown(d.server_fd, SHUT_RDWR); /* its server ends */
    expect(read(d.server_fd, &end, 1) == 0);
    while (get(&d, 5, 0, &found) < 0 && found.error != ECONNREFUSED)
        fetch_client_rest(&d.client);
    expect(found.error == ECONNREFUSED && strcmp(d.client.gone, d.where) == 0);
    expect(get(&d, 5, 0, &found) < 0 && found.error == ECONNREFUSED);
    fetch_client_rest(&d.client);
    expect(!d.client.gone[0]);
    desk_close(&d);
}

/* Where what is fetched cannot be written, another try would not help. */
TEST(fetch_says_that_it_cannot_write)
{
    struct fetch_desk d;
    struct packet_partition found;

    desk_open(&d);
    keep_run(d.dir, 5, 1);
    close(d.fd);
    d.fd = -1;
    expect(get(&d, 5, 0, &found) < 0 && found.error == EBADF && !d.client.gone[0]);
    d.fd = memfd_create("got", MFD_CLOEXEC);
    struct rlimit before = limits_bytes(3);
    expect(get(&d, 5, 0, &found) < 0 && found.error == EFBIG && !d.client.gone[0]);
    setrlimit(RLIMIT_FSIZE, &before);
    expect(get(&d, 5, 0, &found) == 0 && got(&d, "\1\1a1"));
    desk_close(&d);
}

TEST(fetch_places_get_what_they_were_told)
{
    struct fetch_desk d;
    struct fetch_places p = {.first = 3, .count = 1};
    struct packet m = {.type = PACKET_KEY};
    struct fetched what;
    struct err err;
    char scratch[TEST_FOLDER], have[32] = "";

    desk_open(&d);
    test_folder(scratch);
    p.scratch = scratch;
    keep_file(d.dir, 6, "some lines", 10);
    m.u.key.bytes = (const char *)d.key.bytes;
    m.u.key.length = SECRET_BYTES;
    expect(fetch_places_take(&p, &m, &err) == 0);
    m = (struct packet){.type = PACKET_PLACE,
                        .u.place = {.task = 3, .output = 6, .checksum = 77, .where = d.where}};
    expect(fetch_places_take(&p, &m, &err) == 0);
    const struct fetch_place *at = fetch_places_find(&p, 3, 0, &err);
    expect(at && fetch_places_get(&p, at, PACKET_WHOLE, &what, &err) == 0);
    expect(what.fd >= 0 && what.found.bytes == 10 && what.checksum == 77);
    expect(strcmp(what.name, d.where) == 0 && pread(what.fd, have, 31, 0) == 10);
    expect(strcmp(have, "some lines") == 0 && (fcntl(what.fd, F_GETFD) & FD_CLOEXEC));
    close(what.fd);
    expect(rmdir(scratch) == 0); /* it is empty */
    expect(fetch_places_get(&p, at, PACKET_WHOLE, &what, &err) < 0 && what.fd < 0);
    expect(what.found.error == ENOENT && strstr(err.text, scratch));
    expect(mkdir(scratch, 0700) == 0);
    fetch_store_forget(d.dir, 6);
    expect(fetch_places_get(&p, at, PACKET_WHOLE, &what, &err) < 0 && what.fd < 0);
    expect(what.found.error == ENOENT && strstr(err.text, d.where));
    fetch_places_fini(&p);
    tree_remove(scratch);
    desk_close(&d);
}

/* ---- a server that is not as it should be ---- */

struct liar {
    char where[32];
    pid_t pid;
    int told; /* a byte comes of it for each conversation */
};

/* One conversation: `count` packets are the answer to anything. */
static void liar_talks(struct tls_side *side, int fd, const struct packet *answers, int count)
{
    struct frames f = {.fd = -1};
    struct packet m;
    int got = 0;

    frames_init(&f, side, fd);
    for (int i = 0; i < 60000 && (got = frames_greet(&f)) == 0; i++)
        usleep(1000);
    for (int i = 0; i < 60000 && got >= 0 && (got = frames_receive(&f, &m)) == 0; i++)
        usleep(1000);
    for (int i = 0; i < count && got > 0; i++)
        frames_send(&f, &answers[i]);
    for (int i = 0; i < 60000 && got > 0 && frames_waiting(&f) && frames_flush(&f) == 0; i++)
        usleep(1000);
    frames_fini(&f);
}

static void liar_open(struct liar *l, const struct secret *key, const struct packet *answers,
                      int count)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), told[2];
    struct err err;

    expect(bind(door, (struct sockaddr *)&at, size) == 0 && listen(door, 8) == 0);
    expect(getsockname(door, (struct sockaddr *)&at, &size) == 0 && pipe(told) == 0);
    snprintf(l->where, sizeof l->where, "127.0.0.1:%u", ntohs(at.sin_port));
    l->pid = fork();
    if (l->pid == 0) {
        struct tls_side *side = tls_side_create(key, true, &err);
        for (int fd; (fd = accept4(door, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
            if (write(told[1], "x", 1) != 1)
                _exit(1);
            liar_talks(side, fd, answers, count);
        }
        _exit(0);
    }
    close(door);
    close(told[1]);
    l->told = told[0];
}

/* Ends it: how many conversations there were. */
static ssize_t liar_close(struct liar *l)
{
    char text[64];

    kill(l->pid, SIGKILL);
    waitpid(l->pid, NULL, 0);
    ssize_t n = read(l->told, text, sizeof text);
    close(l->told);
    return n;
}

/* What is wrong will be wrong the next time; what breaks off may not be. */
TEST(fetch_tries_again_only_where_that_may_help)
{
    struct packet answer = {
        .type = PACKET_PARTITION, .handle = 5, .u.found = {.partitions = 2, .bytes = 4}};
    struct packet piece = {.type = PACKET_OUTPUT, .u.output = {.bytes = "abcdef", .length = 2}};
    struct packet wrong = answer, gone = answer, late = piece, longer = piece, empty = piece,
                  other = answer;
    struct {
        struct packet says[2];
        int count, error;
        bool again;
    } cases[] = {
        {{wrong}, 1, EPROTO, false},         {{gone}, 1, ENOENT, false},
        {{answer, late}, 2, EPROTO, false},  {{answer, longer}, 2, EPROTO, false},
        {{answer, empty}, 2, EPROTO, false}, {{answer, other}, 2, EPROTO, false},
        {{answer, piece}, 2, EPROTO, true}, /* and closes */
        {{answer}, 0, EPROTO, true},
    };
    struct fetch_client client = {.has_secret = true};
    struct packet_partition got;
    struct err err;
    int fd = memfd_create("got", MFD_CLOEXEC);

    memset(client.secret.bytes, 7, sizeof client.secret.bytes);
    cases[0].says[0].handle = 6;
    cases[1].says[0].u.found.error = ENOENT;
    cases[2].says[1].u.output.offset = 1;
    cases[3].says[1].u.output.length = 5;
    cases[4].says[1].u.output.length = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct liar l;
        liar_open(&l, &client.secret, cases[i].says, cases[i].count);
        int64_t before_us = clock_now_us();
        expect(fetch_client_get(&client, l.where, 5, 1, fd, &got, &err) < 0);
        /* Not at once: what is wrong may take a while to be right. */
        expect(!cases[i].again || clock_now_us() - before_us >= 100000);
        expect(got.error == cases[i].error && strstr(err.text, l.where));
        expect((client.gone[0] != 0) == cases[i].again);
        ssize_t times = liar_close(&l);
        expect(times == (cases[i].again ? FETCH_CLIENT_TRIES : 1));
        fetch_client_fini(&client);
        client = (struct fetch_client){.secret = client.secret, .has_secret = true};
    }
    close(fd);
}

/* Whatever it lacks, it says what that was, and keeps no descriptor. */
TEST(fetch_server_that_cannot_start_says_why)
{
    struct secret secret = {{7}};
    int before = limits_open(), connected = connect_self();
    uint16_t port = 0;
    struct err err;
    int64_t count = 0;

    expect(fetch_server_start("/", &secret, -1, &port, &err) < 0);
    expect(strcmp(err.text, "cannot hand out outputs: Bad file descriptor") == 0);
    sys_plan_set(&(struct sys_plan){
        .mode = SYS_PLAN_FAIL, .at = 1, .error = ENOMEM, .count = &count, .call = "fork"});
    expect(fetch_server_start("/", &secret, connected, &port, &err) < 0);
    sys_plan_set(NULL);
    expect(count == 1 && strcmp(err.text, "cannot hand out outputs: Cannot allocate memory") == 0);
    close(connected);
    expect(limits_open() == before);
}

/* Where agents come by the other version of the protocol. */
TEST(fetch_server_listens_beside_its_connection)
{
    struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    socklen_t size = sizeof at;
    int door = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct fetch_desk d = {0};
    struct packet_partition part;
    uint16_t port = 0;
    struct err err;

    if (door < 0 || bind(door, (struct sockaddr *)&at, size) < 0) {
        close(door);
        return test_skip("this machine has no IPv6");
    }
    expect(listen(door, 1) == 0 && getsockname(door, (struct sockaddr *)&at, &size) == 0);
    int connected = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    expect(connect(connected, (struct sockaddr *)&at, size) == 0);
    close(door);
    test_folder(d.dir);
    expect(fetch_store_make(d.dir) == 0 && fetch_store_make(d.dir) == 0);
    keep_file(d.dir, 6, "lines", 5);
    d.server_fd = fetch_server_start(d.dir, &d.key, connected, &port, &err);
    expect(d.server_fd >= 0 && port > 0 && port != ntohs(at.sin6_port));
    close(connected);
    snprintf(d.where, sizeof d.where, "[::1]:%u", port);
    d.client.has_secret = true;
    d.fd = memfd_create("got", MFD_CLOEXEC);
    expect(get(&d, 6, PACKET_WHOLE, &part) == 0 && got(&d, "lines"));
    desk_close(&d);
}
