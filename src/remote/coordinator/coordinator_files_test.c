#include "remote/coordinator/coordinator_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/os/tree.h"
#include "exec/process/sys.h"
#include "remote/coordinator/coordinator_state.h"
#include "remote/wire/dial.h"
#include "remote/wire/lease.h"
#include "tests/unit/test.h"

static const struct fleet_way here = {.name = "here", .loopback = true};

struct files_scene {
    char dir[64];
    struct coordinator a;
    struct err err;
};

/* A coordinator of the run: what an earlier one has left is taken. */
static void scene_begins(struct files_scene *s)
{
    s->a = (struct coordinator){.options = {.dir = s->dir, .way = &here}};
    expect(coordinator_files_open(&s->a, &s->err) == 0);
}

static void scene_open(struct files_scene *s)
{
    test_folder(s->dir);
    scene_begins(s);
    expect(!s->a.options.fleet.again && s->a.port == 0);
    s->a.port = 4711;
    expect(coordinator_files_tell(&s->a, &s->err) == 0);
}

/* It is killed: its files stay. */
static struct secret scene_is_killed(struct files_scene *s)
{
    fclose(s->a.log);
    return s->a.secret;
}

static void scene_close(struct files_scene *s)
{
    fclose(s->a.log);
    coordinator_files_close(&s->a);
    expect(access(s->a.key_file.text, F_OK) < 0 && access(s->a.at_file.text, F_OK) < 0);
    tree_remove(s->dir);
}

TEST(coordinator_files_are_what_the_next_coordinator_is_known_by)
{
    struct files_scene s;
    char text[DIAL_TEXT];

    scene_open(&s);
    expect(dial_read(s.a.at_file.text, text) == 1 && strcmp(text, "127.0.0.1:4711") == 0);
    struct secret key = scene_is_killed(&s);
    scene_begins(&s);
    expect(memcmp(&key, &s.a.secret, sizeof key) == 0);
    expect(s.a.options.fleet.again && s.a.port == 4711);
    s.a.port = 4712; /* the other was not free */
    expect(coordinator_files_tell(&s.a, &s.err) == 0);
    expect(dial_read(s.a.at_file.text, text) == 1 && strcmp(text, "127.0.0.1:4712") == 0);
    scene_close(&s);
    expect(dial_read(s.a.at_file.text, text) == -1);
}

/* The key, where to use it and all else are for their user alone, whatever the umask is. */
TEST(coordinator_files_are_for_their_user_alone)
{
    static const char *const names[] = {"agents.key", "agents.at", "agents.probe", "agents.log"};
    struct files_scene s;
    mode_t was = umask(0);

    scene_open(&s);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expect(test_mode(path_of("%s/%s", s.a.options.dir, names[i]).text) == 0600);
    umask(was);
    scene_close(&s);
}

/* A run goes on without a log where somebody has put a link that leads elsewhere. */
TEST(coordinator_files_log_is_not_opened_through_a_link)
{
    struct files_scene s;
    char victim[80], log[80];

    scene_open(&s);
    scene_is_killed(&s);
    snprintf(victim, sizeof victim, "%s/victim", s.dir);
    snprintf(log, sizeof log, "%s/agents.log", s.dir);
    expect(unlink(log) == 0 && symlink("victim", log) == 0);
    scene_begins(&s);
    expect(!s.a.log && access(victim, F_OK) < 0);
    expect(unlink(log) == 0);
    scene_begins(&s);
    expect(s.a.log);
    scene_close(&s);
}

TEST(coordinator_files_that_others_may_have_read_or_that_are_damaged_are_made_anew)
{
    struct files_scene s;

    scene_open(&s);
    struct secret key = scene_is_killed(&s);
    expect(chmod(s.a.key_file.text, 0640) == 0);
    scene_begins(&s);
    expect(memcmp(&key, &s.a.secret, sizeof key) != 0 && !s.a.options.fleet.again);
    expect(s.a.port == 0);
    key = scene_is_killed(&s);
    expect(truncate(s.a.key_file.text, 17) == 0);
    scene_begins(&s);
    expect(memcmp(&key, &s.a.secret, sizeof key) != 0 && !s.a.options.fleet.again);
    scene_close(&s);
}

TEST(coordinator_files_without_a_good_port_are_no_trouble)
{
    static const char *const bad[] = {"", "\n", "host", "host:", "host:0", "host:65536", "host:1x"};
    struct files_scene s;

    scene_open(&s);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        scene_is_killed(&s);
        FILE *f = fopen(s.a.at_file.text, "w");
        fputs(bad[i], f);
        fclose(f);
        scene_begins(&s);
        expect(s.a.options.fleet.again && s.a.port == 0);
    }
    scene_close(&s);
}

/* How long agents may rely on a promise of the coordinator before us. */
TEST(coordinator_files_tell_what_was_promised)
{
    struct files_scene s;
    static const struct {
        int64_t from_now_s, least_us, most_us;
    } cases[] = {{-5, 0, 0},
                 {100, 90000000, 100000000},
                 {LEASE_HELD_US / 1000000 - 1, LEASE_HELD_US - 100000000, LEASE_HELD_US - 1000000},
                 {2 * LEASE_HELD_US / 1000000, LEASE_HELD_US, LEASE_HELD_US}};

    scene_open(&s);
    expect(s.a.left_us == 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[sizeof s.dir + 16];
        scene_is_killed(&s);
        snprintf(path, sizeof path, "%s/agents.held", s.dir);
        FILE *f = fopen(path, "we");
        expect(f &&
               fprintf(f, "%lld\n", (long long)time(NULL) + (long long)cases[i].from_now_s) > 0);
        expect(fclose(f) == 0);
        scene_begins(&s);
        expect(s.a.left_us >= cases[i].least_us && s.a.left_us <= cases[i].most_us);
    }
    scene_close(&s);
}

static const char *text_of(const struct files_scene *s, const char *name)
{
    static char text[128];
    char path[sizeof s->dir + 16];

    snprintf(path, sizeof path, "%s/%s", s->dir, name);
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = '\0';
    if (f)
        fclose(f);
    return text;
}

/* What it promises before it is stopped is there for the next; when it ends well, nothing is. */
TEST(coordinator_files_keep_a_promise_as_long_as_it_holds)
{
    struct files_scene s;
    char path[sizeof s.dir + 16];

    scene_open(&s);
    expect(strlen(s.a.token) == COORDINATOR_TOKEN &&
           strcmp(text_of(&s, "agents.probe"), s.a.token) == 0);
    expect(strspn(s.a.token, "0123456789abcdef") == COORDINATOR_TOKEN);
    time_t before = time(NULL);
    coordinator_files_hold(&s.a);
    time_t until = (time_t)strtoll(text_of(&s, "agents.held"), NULL, 10);
    expect(until >= before + LEASE_HELD_US / 1000000);
    expect(until <= time(NULL) + LEASE_HELD_US / 1000000);
    scene_is_killed(&s);
    scene_begins(&s);
    expect(s.a.left_us > 0 && s.a.left_us <= LEASE_HELD_US);
    s.a.sealed = (char[]){"MUNGE:abc:"};
    expect(coordinator_files_seal(&s.a, &s.err) == 0);
    expect(strcmp(text_of(&s, "agents.sealed"), "MUNGE:abc:") == 0);
    snprintf(path, sizeof path, "%s/agents.sealed", s.dir);
    expect(strcmp(s.a.sealed_file.text, path) == 0);
    fclose(s.a.log);
    coordinator_files_close(&s.a);
    expect(access(path, F_OK) < 0);
    snprintf(path, sizeof path, "%s/agents.held", s.dir);
    expect(access(path, F_OK) < 0);
    tree_remove(s.dir);
}

/* Agents elsewhere are told a name that leads here. */
TEST(coordinator_files_say_where_it_is)
{
    static const struct fleet_way away = {.name = "away"};
    struct files_scene s;

    scene_open(&s);
    s.a.options.way = &away;
    strcpy(s.a.host, "login.example");
    expect(coordinator_files_tell(&s.a, &s.err) == 0);
    expect(strcmp(text_of(&s, "agents.at"), "login.example:4711\n") == 0);
    scene_close(&s);
}

TEST(coordinator_files_that_cannot_be_written_are_named)
{
    static char dir[PATH_MAX];
    struct files_scene s;
    char path[sizeof s.dir + 16], want[512];

    test_folder(s.dir);
    s.a = (struct coordinator){.options = {.dir = s.dir, .way = &here}};
    snprintf(path, sizeof path, "%s/agents.probe", s.dir);
    expect(mkdir(path, 0700) == 0 && coordinator_files_open(&s.a, &s.err) < 0 && !s.a.log);
    snprintf(want, sizeof want, "%s: %s", path, strerror(EISDIR));
    expect(strcmp(s.err.text, want) == 0);
    expect(rmdir(path) == 0);
    unlink(s.a.key_file.text);
    snprintf(path, sizeof path, "%s/agents.key", s.dir);
    expect(mkdir(path, 0700) == 0 && coordinator_files_open(&s.a, &s.err) < 0);
    expect(strstr(s.err.text, path));
    tree_remove(s.dir);
    memset(dir, 'd', sizeof dir - 1);
    for (size_t more = 0; more < 2; more++) { /* with room for the longest name, and without */
        dir[PATH_MAX - 32 + more] = '\0';
        s.a = (struct coordinator){.options = {.dir = dir, .way = &here}};
        expect(coordinator_files_open(&s.a, &s.err) < 0);
        expect((s.err.kind == ERR_INPUT) == more);
        dir[PATH_MAX - 32 + more] = 'd';
    }
}
