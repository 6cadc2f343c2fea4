#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "record/journal/journal.h"
#include "record/journal/journal_file.h"
#include "record/journal/journal_sample_test.h"
#include "tests/unit/deny.h"
#include "tests/unit/limits.h"
#include "tests/unit/test.h"

enum { TURNS = 200 };

/* Files may grow to `bytes` until the limit is lifted: the nearest thing to a full disk. */
static void limit_files(rlim_t bytes, struct rlimit *before)
{
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, before);
    struct rlimit limit = {bytes, before->rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
}

static void lift_limit(const struct rlimit *before)
{
    setrlimit(RLIMIT_FSIZE, before);
    signal(SIGXFSZ, SIG_DFL);
}

TEST(journal_digest_ignores_file_and_buffer)
{
    static const size_t buffers[] = {0, 1, 100, 4096, 1 << 20};
    uint64_t digest = journal_sample_write(NULL, 0, 5, TURNS);
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        char path[SAMPLE_PATH_MAX];
        journal_sample_path(path, "digest");
        expect(journal_sample_write(NULL, buffers[i], 5, TURNS) == digest);
        expect(journal_sample_write(path, buffers[i], 5, TURNS) == digest);
        unlink(path);
    }
    expect(journal_sample_write(NULL, 0, 6, TURNS) != digest);
    expect(journal_sample_write(NULL, 0, 5, TURNS - 1) != digest);
}

/* A turn of short events around a long one, and one of nothing but decisions. */
static uint64_t digest_of_large_turns(const char *path, size_t buffer_bytes)
{
    enum { EVENTS = 9, LONG = 4, DECISIONS = 40 };
    struct journal_options options = {.path = path, .buffer_bytes = buffer_bytes};
    struct err err;
    struct journal_sample s;
    struct event events[EVENTS];
    struct decision decisions[DECISIONS];
    journal_sample_init(&s, 5);
    for (int i = 0; i < EVENTS; i++)
        events[i] =
            journal_sample_event(&s, i == LONG ? EV_JOB_SUBMITTED : (uint8_t)(EV_COMMITTED));
    for (uint32_t i = 0; i < DECISIONS; i++)
        decisions[i] = journal_sample_decision(&s, journal_sample_decision_type(i));
    struct journal *j = journal_create(&options, 1, "none", "sim", &err);
    const struct tap tap = journal_tap(j);
    const struct turn turns[] = {{10, events, decisions, EVENTS, 2, NULL},
                                 {20, events, decisions, 0, DECISIONS, NULL},
                                 {30, events, decisions, LONG, 0, NULL}};
    for (int i = 0; i < 3; i++)
        expect(tap.turn(tap.ctx, &turns[i], &err) == 0);
    uint64_t digest = journal_digest(j);
    expect(journal_close(j, true, &err) == 0);
    return digest;
}

TEST(journal_digest_ignores_how_a_turn_fits_the_buffer)
{
    static const size_t buffers[] = {1, 100, 700, 2000, 4096, 1 << 20};
    uint64_t digest = digest_of_large_turns(NULL, 0);
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        char path[SAMPLE_PATH_MAX];
        journal_sample_path(path, "turns");
        expect(digest_of_large_turns(NULL, buffers[i]) == digest);
        expect(digest_of_large_turns(path, buffers[i]) == digest);
        unlink(path);
    }
}

TEST(journal_file_ignores_buffer)
{
    static unsigned char one[SAMPLE_FILE_MAX], two[SAMPLE_FILE_MAX];
    char path[SAMPLE_PATH_MAX];
    journal_sample_path(path, "bytes");
    journal_sample_write(path, 1, 5, TURNS);
    size_t length = journal_sample_load(path, one);
    unlink(path);
    journal_sample_write(path, 0, 5, TURNS);
    expect(journal_sample_load(path, two) == length && memcmp(one, two, length) == 0);
    unlink(path);
}

TEST(journal_digest_can_be_asked_at_any_time)
{
    struct journal_options options = {0};
    struct err err;
    struct event e = {.type = EV_TIMER, .u.timer = 3};
    struct turn turn = {10, &e, NULL, 1, 0, NULL};
    struct journal *asked = journal_create(&options, 1, "none", "sim", &err);
    struct journal *quiet = journal_create(&options, 1, "none", "sim", &err);
    uint64_t last = journal_digest(asked);
    for (int i = 0; i < 3; i++) {
        journal_tap(asked).turn(asked, &turn, &err);
        journal_tap(quiet).turn(quiet, &turn, &err);
        uint64_t now = journal_digest(asked);
        expect(now != last && now == journal_digest(asked));
        last = now;
    }
    expect(journal_digest(quiet) == last);
    expect(journal_close(asked, true, &err) == 0 && journal_close(quiet, false, &err) == 0);
}

TEST(journal_create_refuses_bad_paths)
{
    struct err err = {0};
    char path[SAMPLE_PATH_MAX];
    journal_sample_path(path, "exists");
    journal_sample_write(path, 0, 1, 1);
    struct journal_options options = {.path = path};
    expect(!journal_create(&options, 1, "none", "sim", &err));
    expect(err.kind == ERR_INPUT && strstr(err.text, path) && strstr(err.text, "exists"));
    unlink(path);

    options.path = "/nonexistent/folder/journal";
    expect(!journal_create(&options, 1, "none", "sim", &err));
    expect(err.kind == ERR_INPUT && !strcmp(err.text, "journal /nonexistent/folder/journal: cannot "
                                                      "create: No such file or directory"));
    options.path = "/";
    expect(!journal_create(&options, 1, "none", "sim", &err) && err.kind == ERR_INPUT);
}

TEST(journal_create_blames_the_machine_for_what_it_lacks)
{
    struct err err = {0};
    char path[SAMPLE_PATH_MAX], want[SAMPLE_PATH_MAX + 80];
    journal_sample_path(path, "files");
    struct journal_options options = {.path = path};
    struct rlimit before = limits_descriptors(0);
    expect(!journal_create(&options, 1, "none", "sim", &err) && err.kind == ERR_SYSTEM);
    setrlimit(RLIMIT_NOFILE, &before);
    snprintf(want, sizeof want, "journal %s: cannot create: Too many open files", path);
    expect(!strcmp(err.text, want) && access(path, F_OK) < 0);
}

TEST(journal_full_disk_is_told_and_kept)
{
    struct err err = {0}, again = {0};
    struct rlimit before;
    char path[SAMPLE_PATH_MAX];
    journal_sample_path(path, "full");
    struct journal_options options = {.path = path, .buffer_bytes = 64};
    struct journal *j = journal_create(&options, 1, "none", "sim", &err);
    expect(j);
    if (!j)
        return;

    limit_files(200, &before);
    struct event e = {.type = EV_TIMER, .u.timer = 3};
    struct turn turn = {10, &e, NULL, 1, 0, NULL};
    int turns = 0, status = 0;
    for (; turns < 100 && status == 0; turns++)
        status = journal_tap(j).turn(j, &turn, &err);
    expect(status == -1 && turns > 1 && turns < 100);
    expect(err.kind == ERR_SYSTEM && strstr(err.text, path) && strstr(err.text, strerror(EFBIG)));
    lift_limit(&before);

    /* There is room again, but a hole would be worse than an early end. */
    struct attempt_ref at = {0};
    expect(journal_tap(j).turn(j, &turn, &again) == -1 && !strcmp(err.text, again.text));
    expect(journal_intent(j, at, 0, 0, &again) == -1);
    expect(journal_sync(j, &again) == -1);
    memset(&again, 0, sizeof again);
    expect(journal_close(j, true, &again) == -1 && !strcmp(err.text, again.text));

    struct record record;
    struct journal_reader *r = journal_reader_open(path, NULL, &err);
    int records = 0;
    while (r && journal_reader_next(r, &record, &err) > 0)
        records++;
    expect(r && records > 1);
    journal_reader_close(r);
    unlink(path);
}

/* A record without it would not be the run, so there is none after it either. */
static void add_too_large(const char *path, const char *name)
{
    struct err err = {0}, again = {0};
    struct output_partition partition = {0};
    struct event large = {.type = EV_OUTPUT_READY,
                          .u.output = {.partitions = &partition, .partition_count = UINT32_MAX}};
    struct event small = {.type = EV_TIMER, .u.timer = 3};
    struct turn one = {10, &large, NULL, 1, 0, NULL}, next = {20, &small, NULL, 1, 0, NULL};
    char want[SAMPLE_PATH_MAX + 80];
    struct journal_options options = {.path = path};
    struct journal *j = journal_create(&options, 1, "none", "sim", &err);

    snprintf(want, sizeof want, "journal %s: an event of type %d is too large to be recorded", name,
             EV_OUTPUT_READY);
    expect(journal_tap(j).turn(j, &one, &err) == -1 && !strcmp(err.text, want));
    expect(journal_tap(j).turn(j, &next, &again) == -1 && !strcmp(again.text, want));
    expect(journal_close(j, true, &err) == -1 && !strcmp(err.text, want));
}

TEST(journal_refuses_an_event_that_is_too_large)
{
    char path[SAMPLE_PATH_MAX];

    journal_sample_path(path, "large");
    add_too_large(path, path);
    add_too_large(NULL, "(no file)");
    unlink(path);
}

TEST(journal_full_disk_at_the_end)
{
    struct err err = {0};
    struct rlimit before;
    char path[SAMPLE_PATH_MAX];
    journal_sample_path(path, "end");
    struct journal_options options = {.path = path};
    struct journal *j = journal_create(&options, 1, "none", "sim", &err);
    limit_files(50, &before);
    expect(journal_close(j, true, &err) == -1 && err.kind == ERR_SYSTEM);
    lift_limit(&before);
    unlink(path);
}

TEST(journal_full_disk_at_the_start_leaves_no_file)
{
    struct err err = {0};
    struct rlimit before;
    char path[SAMPLE_PATH_MAX];
    journal_sample_path(path, "start");
    struct journal_options options = {.path = path};
    limit_files(10, &before);
    expect(!journal_create(&options, 1, "none", "sim", &err));
    lift_limit(&before);
    expect(err.kind == ERR_SYSTEM && strstr(err.text, path));
    expect(access(path, F_OK) < 0);
}

TEST(journal_sync_puts_everything_into_the_file)
{
    static unsigned char bytes[SAMPLE_FILE_MAX];
    struct err err;
    char path[SAMPLE_PATH_MAX];
    journal_sample_path(path, "sync");
    struct journal_options options = {.path = path};
    struct journal *j = journal_create(&options, 1, "none", "sim", &err);
    size_t start = journal_sample_load(path, bytes);
    expect(start > JOURNAL_HEADER_BYTES); /* the run is there from the beginning */

    struct attempt_ref at = {{1}, 2, 3, 4};
    expect(journal_intent(j, at, 5, 6, &err) == 0);
    expect(journal_sample_load(path, bytes) == start);
    expect(journal_sync(j, &err) == 0);
    /* length, type, attempt, checksum, bytes, checksum of the record */
    expect(journal_sample_load(path, bytes) == start + 1 + 1 + 12 + 8 + 1 + 4);
    expect(journal_sync(j, &err) == 0);
    expect(journal_close(j, false, &err) == 0);
    unlink(path);

    struct journal_options none = {0};
    j = journal_create(&none, 1, "none", "sim", &err);
    expect(journal_sync(j, &err) == 0 && journal_close(j, true, &err) == 0);
    expect(journal_close(NULL, true, &err) == 0);
}

/* What stands behind the journal is a pipe all of a sudden, which takes bytes and cannot be synced:
 * the nearest thing to a disk that fails. */
TEST(journal_sync_that_fails_is_told_and_kept)
{
    struct err err = {0};
    char path[SAMPLE_PATH_MAX];
    int fds[2], next = open("/dev/null", O_RDONLY);
    close(next);
    journal_sample_path(path, "unsynced");
    struct journal_options options = {.path = path};
    struct journal *j = journal_create(&options, 1, "none", "sim", &err); /* has the fd `next` */
    expect(pipe(fds) == 0 && dup2(fds[1], next) == next);
    expect(journal_intent(j, (struct attempt_ref){0}, 5, 6, &err) == 0);
    expect(journal_sync(j, &err) == -1 && err.kind == ERR_SYSTEM);
    expect(strstr(err.text, path) && strstr(err.text, "cannot sync"));
    expect(journal_intent(j, (struct attempt_ref){0}, 5, 6, &err) == -1);
    expect(journal_close(j, true, &err) == -1);
    close(fds[0]);
    close(fds[1]);
    unlink(path);
}

/* Writes a journal whose folder cannot be synced, or which cannot be closed. `want`: how that is
 * reported; NULL: it is not. */
static bool denied(bool syncs, int error, const char *want)
{
    char path[SAMPLE_PATH_MAX], text[ERR_TEXT_MAX];
    struct err err = {.text = ""};
    journal_sample_path(path, "denied");
    struct journal_options options = {.path = path};
    struct journal *j = journal_create(&options, 1, "none", "sim", &err);
    if (!j || journal_intent(j, (struct attempt_ref){0}, 5, 6, &err) < 0)
        return false;
    deny_call(syncs ? SYS_fsync : SYS_close, error);
    int status = syncs ? journal_sync(j, &err) : 0;
    bool kept = !syncs || journal_intent(j, (struct attempt_ref){0}, 5, 6, &err) == status;
    int closed = journal_close(j, true, &err);
    unlink(path);
    if (!want)
        return status == 0 && closed == 0 && kept;
    snprintf(text, sizeof text, "journal %s: %s: Input/output error", path, want);
    return status == (syncs ? -1 : 0) && closed == -1 && kept && err.kind == ERR_SYSTEM &&
           !strcmp(err.text, text);
}

static bool sync_reports_the_folder(void)
{
    return denied(true, EIO, "cannot sync its folder");
}

static bool sync_does_without_folders(void)
{
    return denied(true, EINVAL, NULL); /* as where folders cannot be synced */
}

static bool close_reports_what_is_lost(void)
{
    return denied(false, EIO, "cannot close");
}

static bool close_may_be_interrupted(void)
{
    return denied(false, EINTR, NULL); /* it is closed all the same */
}

TEST(journal_reports_a_folder_that_cannot_be_synced)
{
    deny_test(sync_reports_the_folder);
    deny_test(sync_does_without_folders);
}

TEST(journal_reports_what_shows_when_it_is_closed)
{
    deny_test(close_reports_what_is_lost);
    deny_test(close_may_be_interrupted);
}
