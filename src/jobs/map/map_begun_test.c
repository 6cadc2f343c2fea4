/* Which tasks --once does not let run again, by journals of runs that were cut short. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/os/tree.h"
#include "exec/folder/ends.h"
#include "jobs/map/map.h"
#include "jobs/map/map_begun.h"
#include "record/journal/journal.h"
#include "tests/unit/capture.h"
#include "tests/unit/test.h"

/* A letter for each step of task 0 (small) or 1 (capital): l launched, f finished, x failed, u
 * launch failed, n lost with its node, o output lost, c commit failed, g commit failed as the
 * output is gone, v given up, t given up after too many launches; d: the job is done, e: the
 * guardian has noted its end. A digit is the attempt from there on. */
static void write_journal(const char *dir, const char *steps)
{
    char path[TEST_FOLDER + 16];
    struct err err;

    snprintf(path, sizeof path, "%s/journal", dir);
    struct journal *j =
        journal_create(&(struct journal_options){.path = path}, 1, "none", "exec", &err);
    struct tap tap = journal_tap(j);
    struct attempt_ref at = {0};
    int ends = ends_open(dir, &err);
    for (const char *s = steps; *s; s++) {
        struct event e = {.at = at, .cause = CAUSE_EXIT};
        struct decision d = {.at = at, .why = REASON_PLAIN(WHY_TOO_MANY_FAILURES)};
        struct turn turn = {s - steps, &e, &d, 1, 0, NULL};
        e.at.task = d.at.task = *s >= 'A' && *s <= 'Z';
        switch (*s | ' ') {
        case 'f':
            e.type = EV_ATTEMPT_FINISHED;
            break;
        case 'x':
            e.type = EV_ATTEMPT_FAILED;
            break;
        case 'u':
            e.type = EV_ATTEMPT_LAUNCH_FAILED;
            break;
        case 'n':
            e.type = EV_ATTEMPT_LOST;
            e.cause = CAUSE_NODE_DOWN;
            break;
        case 'o':
            e.type = EV_OUTPUT_LOST;
            break;
        case 'c':
            e.type = EV_COMMIT_FAILED;
            e.cause = CAUSE_DISK_FULL;
            break;
        case 'g':
            e.type = EV_COMMIT_FAILED;
            e.cause = CAUSE_OUTPUT_GONE;
            break;
        case 'l':
            d.type = DO_LAUNCH;
            break;
        case 't':
            d.why.code = WHY_TOO_MANY_LAUNCHES;
            d.type = DO_VERDICT;
            break;
        case 'v':
            d.type = DO_VERDICT;
            break;
        case 'd':
            d.type = DO_JOB_DONE;
            break;
        case 'e':
            snprintf(path, sizeof path, "0.0.%u.%u", e.at.task, at.attempt);
            ends_note(ends, path, &(struct packet_end){0});
            continue;
        default:
            at.attempt = (uint16_t)(*s - '0');
            continue;
        }
        if (strchr("ltvd", *s | ' ')) {
            turn.event_count = 0;
            turn.decision_count = 1;
        }
        expect(tap.turn(tap.ctx, &turn, &err) == 0);
    }
    expect(journal_close(j, false, &err) == 0);
    close(ends);
}

/* Returns the tasks that may not run again, as digits from 1. */
static const char *refused(const char *steps, bool retries)
{
    static char digits[8];
    char *argv[] = {"map", retries ? "--retries" : "-j", "2", "work", ":::", "a", "b"};
    char dir[TEST_FOLDER];
    struct map m = {.argc = 7, .argv = argv};
    struct capture c;
    struct err err;
    size_t n = 0;

    test_folder(dir);
    write_journal(dir, steps);
    expect(options_parse(&m.options, 7, argv, &err) == 0 && map_open(&m, &err) == 0);
    m.dir = mem_strdup(dir);
    capture_begin(&c, STDERR_FILENO);
    int result = map_begun_refuse(&m, &err);
    char *text = capture_end(&c);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (strstr(line, "\twork ") == line + 1)
            digits[n++] = line[0];
    digits[n] = 0;
    expect((result < 0) == (n > 0));
    expect(n == 0 ||
           strstr(err.text, n == 1 ? "1 command was running" : "2 commands were running"));
    mem_free(text);
    map_close(&m);
    tree_remove(dir);
    return digits;
}

TEST(map_begun_refuses_what_may_have_run)
{
    static const struct {
        const char *steps, *once, *retried; /* without --retries, and with */
    } all[] = {
        {"", "", ""},        {"l", "1", "1"},
        {"Ll", "12", "12"},  {"lLf", "2", "2"},
        {"lfLF", "", ""},    {"lx", "1", ""}, /* which task is given up the brain says */
        {"lxv", "", ""},     {"lxt", "", ""},
        {"lLxv", "2", "2"},  {"ln", "1", "1"},
        {"lu", "", ""},      /* it has not run */
        {"ln1lu", "1", "1"}, /* but the attempt before it may have */
        {"ln1lf", "", ""},   {"lfo", "1", "1"},
        {"lfc", "1", ""},    {"lfg", "1", "1"},
        {"lLd", "", ""},     {"le", "", ""},
        {"lLe", "2", "2"},   {"lne", "1", "1"},    /* with its node */
        {"ln1le", "", ""},   {"ln1l0e", "1", "1"}, /* of the attempt before */
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        expect(strcmp(refused(all[i].steps, false), all[i].once) == 0);
        expect(strcmp(refused(all[i].steps, true), all[i].retried) == 0);
    }
}
