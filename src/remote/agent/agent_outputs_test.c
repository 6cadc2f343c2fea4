/* A long output on its way through a stream that is full now and then. */
#include "remote/agent/agent_outputs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/tree.h"
#include "data/sorted_file.h"
#include "data/sorted_writer.h"
#include "exec/process/sys.h"
#include "remote/fetch/fetch_store.h"
#include "tests/unit/test.h"

enum { OUTPUT_BYTES = 4 << 20 };

static void ends_open(struct frames ends[2], struct tls_side *sides[2])
{
    struct secret key;
    struct err err;
    int fds[2], done = 0;

    memset(&key, 1, sizeof key);
    expect(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0);
    for (int i = 0; i < 2; i++) {
        sides[i] = tls_side_create(&key, i == 1, &err);
        frames_init(&ends[i], sides[i], fds[i]);
    }
    for (int i = 0; i < 100 && done < 2; i++)
        done = frames_greet(&ends[0]) + frames_greet(&ends[1]);
    expect(done == 2);
}

static void write_output(char dir[64])
{
    static const char piece[OUTPUT_BYTES];
    static const char *const names[] = {"stdout", "stderr"};
    char path[96];

    test_folder(dir);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        FILE *f = fopen(path, "w");
        expect(f && (i > 0 || fwrite(piece, 1, sizeof piece, f) == sizeof piece));
        expect(fclose(f) == 0);
    }
}

/* Takes all that there is; the bytes of outputs. The last packet stays in *m. */
static int64_t take_all(struct frames *f, struct packet *m)
{
    int64_t bytes = 0;

    while (frames_receive(f, m) > 0)
        bytes += m->type == PACKET_OUTPUT ? m->u.output.length : 0;
    return bytes;
}

static void count_sent(void *ctx, uint32_t handle)
{
    *(int *)ctx += handle == 7;
}

/* The stream is full, then the other end takes what there is, and then an owner flushes what else
 * it has to say: epoll will never tell of that room. */
TEST(agent_outputs_are_due_when_a_flush_has_made_room)
{
    struct packet m = {0}, end = {.type = PACKET_EXITED, .handle = 7};
    struct tls_side *sides[2];
    struct frames ends[2];
    int64_t got = 0;
    int sent = 0, rounds = 0;
    char dir[64];

    ends_open(ends, sides);
    write_output(dir);
    struct agent_outputs o = {
        .frames = &ends[0], .pull = true, .ctx = &sent, .on_sent = count_sent};
    o.pace.window = AGENT_PACE_MOST; /* a quick link */
    expect(!agent_outputs_due(&o));
    agent_outputs_add(&o, dir, PACKET_KEEP_NOT, &end);
    expect(agent_outputs_due(&o) && sent == 0);
    while (!sent && rounds++ < 1000) {
        while (agent_outputs_due(&o))
            agent_outputs_turn(&o);
        expect(sent || ends[0].full);
        while (ends[0].full) {
            got += take_all(&ends[1], &m);
            expect(frames_flush(&ends[0]) == 0);
        }
        expect(sent || agent_outputs_due(&o));
    }
    got += take_all(&ends[1], &m);
    expect(sent == 1 && rounds > 1 && got == OUTPUT_BYTES && m.type == PACKET_EXITED);
    agent_outputs_fini(&o);
    for (int i = 0; i < 2; i++) {
        frames_fini(&ends[i]);
        tls_side_destroy(sides[i]);
    }
    tree_remove(dir);
}

/* More than a window travels only when beats behind it were answered. */
TEST(agent_outputs_keep_the_pace)
{
    struct packet m = {0}, end = {.type = PACKET_EXITED, .handle = 7};
    struct tls_side *sides[2];
    struct frames ends[2];
    int64_t got = 0;
    int sent = 0, rounds = 0;
    char dir[64];

    ends_open(ends, sides);
    write_output(dir);
    struct agent_outputs o = {
        .frames = &ends[0], .pull = true, .ctx = &sent, .on_sent = count_sent};
    for (int times = 1; times <= 2; times++) { /* the second when none waits any more */
        agent_outputs_add(&o, dir, PACKET_KEEP_NOT, &end);
        expect(sent == times - 1);
        while (sent < times && rounds++ < 1000) {
            int64_t window = o.pace.window ? o.pace.window : AGENT_PACE_FIRST, before = got;
            for (int i = 0; i < 1000 && (agent_outputs_due(&o) || frames_waiting(&ends[0])); i++) {
                agent_outputs_turn(&o);
                got += take_all(&ends[1], &m);
                expect(frames_flush(&ends[0]) == 0);
            }
            got += take_all(&ends[1], &m);
            expect(o.pace.total == got && (sent == times || got - before == window));
            expect(sent == times || !agent_outputs_due(&o));
            agent_pace_mark(&o.pace, rounds);
            agent_pace_answered(&o.pace, rounds, rounds);
        }
    }
    expect(sent == 2 && rounds > 2 && got == 2 * OUTPUT_BYTES);
    agent_outputs_fini(&o);
    for (int i = 0; i < 2; i++) {
        frames_fini(&ends[i]);
        tls_side_destroy(sides[i]);
    }
    tree_remove(dir);
}

/* ---- short outputs, and those that stay ---- */

struct outputs_stage {
    struct tls_side *sides[2];
    struct frames ends[2];
    char dir[TEST_FOLDER];
    struct agent_outputs o;
    int sent;
};

static void stage_open(struct outputs_stage *s, bool pull)
{
    *s = (struct outputs_stage){0};
    ends_open(s->ends, s->sides);
    test_folder(s->dir);
    expect(fetch_store_make(s->dir) == 0);
    s->o = (struct agent_outputs){.frames = &s->ends[0],
                                  .pull = pull,
                                  .store = s->dir,
                                  .ctx = &s->sent,
                                  .on_sent = count_sent};
}

static void stage_close(struct outputs_stage *s)
{
    agent_outputs_fini(&s->o);
    for (int i = 0; i < 2; i++) {
        frames_fini(&s->ends[i]);
        tls_side_destroy(s->sides[i]);
    }
    tree_remove(s->dir);
}

static void stage_write(struct outputs_stage *s, const char *name, const char *text)
{
    char path[TEST_FOLDER + 16];

    snprintf(path, sizeof path, "%s/%s", s->dir, name);
    unlink(path);
    FILE *f = text ? fopen(path, "we") : NULL;
    expect(!text || (f && fputs(text, f) >= 0 && fclose(f) == 0));
}

/* Adds the end of an attempt with this status; what is sent of it, as text. */
static const char *stage_sends(struct outputs_stage *s, uint8_t keep, int status)
{
    struct packet m, end = {.type = PACKET_EXITED, .handle = 7, .u.end.status = status};
    static char text[512];
    size_t n = 0;
    int before = s->sent;

    text[0] = 0;
    agent_outputs_add(&s->o, s->dir, keep, &end);
    expect(s->sent == before + 1 && !agent_outputs_due(&s->o));
    frames_flush(&s->ends[0]);
    while (frames_receive(&s->ends[1], &m) > 0) {
        if (m.type == PACKET_OUTPUT)
            n += (size_t)snprintf(text + n, sizeof text - n, "%d@%d:%.*s ", m.u.output.file,
                                  (int)m.u.output.offset, (int)m.u.output.length, m.u.output.bytes);
        else if (m.type == PACKET_OUTPUT_END && m.u.output_end.bytes < 0)
            n += (size_t)snprintf(text + n, sizeof text - n, "%d!%d ", m.u.output_end.file,
                                  (int)m.u.output_end.checksum);
        else if (m.type == PACKET_OUTPUT_END)
            n += (size_t)snprintf(text + n, sizeof text - n, "%d=%d ", m.u.output_end.file,
                                  (int)m.u.output_end.bytes);
        else
            n += (size_t)snprintf(text + n, sizeof text - n, "end%d", m.u.end.status);
    }
    return text;
}

TEST(agent_outputs_say_what_files_hold_or_why_they_cannot_be_read)
{
    char path[TEST_FOLDER + 16], want[64];
    struct outputs_stage s;

    for (int pull = 0; pull < 2; pull++) {
        stage_open(&s, pull);
        stage_write(&s, "stdout", "");
        stage_write(&s, "stderr", "");
        expect(strcmp(stage_sends(&s, PACKET_KEEP_NOT, 0), "end0") == 0); /* nothing to say */
        stage_write(&s, "stderr", "oh");
        expect(strcmp(stage_sends(&s, PACKET_KEEP_NOT, 3),
                      pull ? "0=0 1@0:oh 1=2 end3" : "0=0 1=2 end3") == 0);
        stage_write(&s, "stderr", "");
        stage_write(&s, "counters", "{}");
        expect(strcmp(stage_sends(&s, PACKET_KEEP_NOT, 0),
                      pull ? "0=0 1=0 2@0:{} 2=2 end0" : "0=0 1=0 2=2 end0") == 0);
        stage_write(&s, "counters", ""); /* it is there, unlike most */
        expect(strcmp(stage_sends(&s, PACKET_KEEP_NOT, 0), "0=0 1=0 2=0 end0") == 0);
        stage_write(&s, "counters", NULL);
        stage_write(&s, "stdout", NULL);
        snprintf(want, sizeof want, "0!%d 1=0 end0", ENOENT);
        expect(strcmp(stage_sends(&s, PACKET_KEEP_NOT, 0), want) == 0);
        snprintf(path, sizeof path, "%s/stdout", s.dir);
        expect(mkdir(path, 0700) == 0);
        snprintf(want, sizeof want, "0!%d 1=0 end0", EINVAL);
        expect(strcmp(stage_sends(&s, PACKET_KEEP_NOT, 0), want) == 0);
        expect(rmdir(path) == 0 && symlink("stderr", path) == 0);
        snprintf(want, sizeof want, "0!%d 1=0 end0", ELOOP);
        expect(strcmp(stage_sends(&s, PACKET_KEEP_NOT, 0), want) == 0);
        stage_close(&s);
    }
}

/* Of an output that stays the length is told; what has failed leaves nothing to keep. */
TEST(agent_outputs_stay_with_the_agent)
{
    char want[64];
    struct outputs_stage s;

    stage_open(&s, true);
    stage_write(&s, "stdout", "some lines");
    stage_write(&s, "stderr", "");
    struct path kept = fetch_store_path(s.dir, 7);
    expect(strcmp(stage_sends(&s, PACKET_KEEP_WHOLE, 1), "1=0 end1") == 0);
    expect(access(kept.text, F_OK) < 0);
    expect(strcmp(stage_sends(&s, PACKET_KEEP_WHOLE, 0), "0=10 1=0 end0") == 0);
    expect(access(kept.text, F_OK) == 0);
    stage_write(&s, "stdout", ""); /* even of an empty one */
    expect(strcmp(stage_sends(&s, PACKET_KEEP_WHOLE, 0), "0=0 1=0 end0") == 0);
    stage_write(&s, "stdout", "no sorted file");
    snprintf(want, sizeof want, "0!%d 1=0 end0", EBADMSG);
    expect(strcmp(stage_sends(&s, PACKET_KEEP_SORTED, 0), want) == 0);
    stage_close(&s);
}

/* Of a sorted file the head and the index travel, and what lies between them does not. */
TEST(agent_outputs_that_stay_have_a_hole)
{
    struct outputs_stage s;
    struct packet m, end = {.type = PACKET_EXITED, .handle = 7};
    char path[TEST_FOLDER + 16];
    int64_t at[2] = {-1, -1}, lengths[2] = {0, 0}, all = -1;
    int pieces = 0;
    struct err err;

    stage_open(&s, true);
    stage_write(&s, "stderr", "");
    snprintf(path, sizeof path, "%s/stdout", s.dir);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    struct sorted_writer *w = sorted_writer_create(fd, 2, (struct sorted_file_form){0}, &err);
    sorted_writer_add(w, 0, &(struct data_record){"a", "1", 1, 1});
    sorted_writer_add(w, 1, &(struct data_record){"b", "2", 1, 1});
    expect(sorted_writer_finish(w, path, &err) == 0);
    close(fd);
    agent_outputs_add(&s.o, s.dir, PACKET_KEEP_SORTED, &end);
    frames_flush(&s.ends[0]);
    while (frames_receive(&s.ends[1], &m) > 0) {
        if (m.type == PACKET_OUTPUT && pieces < 2) {
            at[pieces] = m.u.output.offset;
            lengths[pieces++] = m.u.output.length;
        }
        if (m.type == PACKET_OUTPUT_END && m.u.output_end.file == PACKET_STDOUT)
            all = m.u.output_end.bytes;
    }
    expect(pieces == 2 && at[0] == 0 && lengths[0] == SORTED_FILE_HEAD &&
           at[1] == SORTED_FILE_HEAD + 8);
    expect(lengths[1] == 2 * SORTED_FILE_ROW + SORTED_FILE_TAIL && all == at[1] + lengths[1]);
    expect(s.sent == 1);
    stage_close(&s);
}

/* A read that was interrupted is tried again; one that fails is told of, and so is a file that
 * cannot even be looked at. */
TEST(agent_outputs_say_that_reading_fails)
{
    static const char *const calls[] = {"pread", "pread", "fstat", "lstat"};
    static const int errors[] = {EINTR, EIO, EIO, EIO};
    static const char *const want[] = {"0@0:out 0=3 1=0 end0", "0!5 1=0 end0", "0!5 1=0 end0",
                                       "0@0:out 0=3 1=0 end0"};
    struct outputs_stage s;

    stage_open(&s, true);
    stage_write(&s, "stdout", "out");
    stage_write(&s, "stderr", "");
    for (int i = 0; i < 4; i++) {
        int64_t count = 0;
        sys_plan_set(&(struct sys_plan){
            .mode = SYS_PLAN_FAIL, .at = 1, .error = errors[i], .count = &count, .call = calls[i]});
        const char *sent = stage_sends(&s, PACKET_KEEP_NOT, 0);
        sys_plan_set(NULL);
        expect(count > 0 && strcmp(sent, want[i]) == 0);
    }
    stage_close(&s);
}

/* A piece goes at once; what is longer waits for its turn, and so does whatever the pace does not
 * allow. */
TEST(agent_outputs_that_are_short_do_not_wait)
{
    static char text[PACKET_OUTPUT_MAX + 2];
    struct packet end = {.type = PACKET_EXITED, .handle = 7};
    struct outputs_stage s;

    for (int pull = 0; pull < 2; pull++) {
        for (int more = 0; more < 2; more++) {
            stage_open(&s, pull);
            memset(text, 't', sizeof text);
            text[PACKET_OUTPUT_MAX - 1 + more] = 0;
            stage_write(&s, "stdout", text);
            stage_write(&s, "stderr", "e");
            agent_outputs_add(&s.o, s.dir, PACKET_KEEP_NOT, &end);
            expect(s.sent == !more && agent_outputs_due(&s.o) == more);
            stage_close(&s); /* with what waits */
        }
        stage_open(&s, pull);
        s.o.pace.total = AGENT_PACE_FIRST; /* which nobody has answered */
        stage_write(&s, "stderr", "");
        agent_outputs_add(&s.o, s.dir, PACKET_KEEP_NOT, &end); /* no stdout, and no bytes */
        expect(s.sent == 1);
        stage_write(&s, "stdout", "out");
        agent_outputs_add(&s.o, s.dir, PACKET_KEEP_NOT, &end);
        expect(s.sent == 2 - pull && !agent_outputs_due(&s.o));
        s.o.pace.behind = AGENT_PACE_FIRST;
        expect(agent_outputs_due(&s.o) == pull);
        agent_outputs_turn(&s.o);
        expect(s.sent == 2 && !agent_outputs_due(&s.o));
        stage_close(&s);
    }
}
