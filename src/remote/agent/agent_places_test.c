#include "remote/agent/agent_places.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/tree.h"
#include "tests/unit/test.h"

static struct packet launch_of(uint32_t handle, const char *dir, const char *in)
{
    struct packet m = {.type = PACKET_LAUNCH, .handle = handle};

    m.u.launch.command = "true";
    m.u.launch.dir = dir;
    m.u.launch.stdin_path = in;
    m.u.launch.reuse = "";
    m.u.launch.env = "A=1\0DOLLY_TMPDIR=/run/attempts/x/tmp\0B=2";
    m.u.launch.env_bytes = 41;
    return m;
}

TEST(agent_places_stay_inside)
{
    static const char *const good[] = {"a", "a/b", "..a", "a/..b/c", "attempts/0.0.1.0"};
    static const char *const bad[] = {"", "/", "/a", "..", "../a", "a/..", "a/../b"};

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        expect(agent_places_is_inside(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect(!agent_places_is_inside(bad[i]));
}

TEST(agent_places_are_in_a_shared_folder_where_the_coordinator_says)
{
    struct agent_places p = {.run = "/run", .scratch = "/scratch"};
    struct packet m = launch_of(7, "attempts/x", "out/0/a/1");

    expect(agent_places_take(&p, &m) == 0);
    expect(strcmp(m.u.launch.dir, "/run/attempts/x") == 0);
    expect(strcmp(m.u.launch.stdin_path, "/run/out/0/a/1") == 0);
    expect(strcmp(agent_places_find(&p, 7)->dir, "/run/attempts/x") == 0);
    expect(m.u.launch.env_bytes == 41);
    m = launch_of(7, "attempts/y", "");
    expect(agent_places_take(&p, &m) < 0 && errno == EINVAL); /* it is taken */
    m = launch_of(8, "../y", "");
    expect(agent_places_take(&p, &m) < 0 && errno == EINVAL);
    m = launch_of(8, "y", "/etc/passwd");
    expect(agent_places_take(&p, &m) == 0 && strcmp(m.u.launch.stdin_path, "/etc/passwd") == 0);
    expect(agent_places_count(&p) == 2);
    agent_places_release(&p, 7);
    expect(agent_places_count(&p) == 1 && !agent_places_find(&p, 7));
    agent_places_fini(&p);
}

TEST(agent_places_of_what_is_read_are_in_the_folder_of_the_run)
{
    struct agent_places p = {.run = "/run", .scratch = "/scratch"};
    struct packet m = launch_of(7, "attempts/x", "");
    struct packet read = {.type = PACKET_READ, .handle = 7, .u.read.path = "out/0/map"};

    expect(agent_places_read(&p, &read) < 0); /* nobody is there to read it */
    m.u.launch.control = true;
    expect(agent_places_take(&p, &m) == 0 && agent_places_find(&p, 7)->control);
    expect(agent_places_read(&p, &read) == 0 && strcmp(read.u.read.path, "/run/out/0/map") == 0);
    read.u.read.path = "/etc/passwd";
    expect(agent_places_read(&p, &read) < 0 && errno == EINVAL);
    read.u.read.path = "out/../../x";
    expect(agent_places_read(&p, &read) < 0 && errno == EINVAL);
    m = launch_of(8, "attempts/y", "");
    expect(agent_places_take(&p, &m) == 0 && !agent_places_find(&p, 8)->control);
    expect(!agent_places_find(&p, 9));
    agent_places_fini(&p);
}

TEST(agent_places_are_else_in_scratch_with_their_temporary_files)
{
    struct agent_places p = {.run = "/run", .scratch = "/scratch", .pull = true};
    struct packet m = launch_of(7, "attempts/x", "");

    expect(agent_places_take(&p, &m) == 0);
    expect(strcmp(m.u.launch.dir, "/scratch/attempts/0.0.7.0") == 0);
    expect(strcmp(m.u.launch.env, "DOLLY_TMPDIR=/scratch/attempts/0.0.7.0/tmp") == 0);
    const char *rest = m.u.launch.env + strlen(m.u.launch.env) + 1;
    expect(strcmp(rest, "A=1") == 0 && strcmp(rest + 4, "B=2") == 0);
    expect(m.u.launch.env + m.u.launch.env_bytes == rest + 8);
    m = launch_of(8, "attempts/y", "out/0/a/1");
    expect(agent_places_take(&p, &m) < 0 && errno == EREMOTE); /* it is not here */
    agent_places_fini(&p);
}

/* Where outputs stay with agents: "" is one's own, and others need the key, once. */
TEST(agent_places_of_what_stays_are_paths_or_addresses)
{
    struct agent_places p = {.run = "/run", .scratch = "/scratch", .pull = true, .keep = true};
    struct packet m = launch_of(7, "attempts/x", "");
    struct packet place = {.type = PACKET_PLACE, .handle = 7, .u.place = {.output = 3}};
    struct packet read = {.type = PACKET_READ, .handle = 7, .u.read.path = ""};

    m.u.launch.control = true;
    m.u.launch.keep = PACKET_KEEP_SORTED;
    place.u.place.where = "";
    expect(agent_places_tell(&p, &place) < 0); /* nobody is there to be told */
    expect(agent_places_take(&p, &m) == 0 && agent_places_find(&p, 7)->keep == PACKET_KEEP_SORTED);
    expect(!agent_places_find(&p, 8));
    const char *plan = m.u.launch.env + strlen(m.u.launch.env) + 1;
    expect(strcmp(plan, "DOLLY_PLAN=/scratch/plan") == 0);
    expect(agent_places_tell(&p, &place) == 0);
    expect(strcmp(place.u.place.where, "/scratch/kept/3") == 0);
    place.u.place.where = "127.0.0.1:9";
    expect(agent_places_tell(&p, &place) == 1 && agent_places_tell(&p, &place) == 0);
    expect(strcmp(place.u.place.where, "127.0.0.1:9") == 0);
    place.u.place.where = "/etc/passwd";
    expect(agent_places_tell(&p, &place) < 0 && errno == EINVAL);
    expect(agent_places_read(&p, &read) == 0 && strcmp(read.u.read.path, "") == 0);
    read.u.read.path = "out/0/map";
    expect(agent_places_read(&p, &read) < 0 && errno == EINVAL);
    agent_places_fini(&p);
    p = (struct agent_places){.run = "/run", .scratch = "/scratch", .pull = true};
    m = launch_of(7, "attempts/x", "");
    m.u.launch.keep = PACKET_KEEP_SORTED;
    expect(agent_places_take(&p, &m) < 0 && errno == EINVAL); /* nothing stays in this run */
    agent_places_fini(&p);
}

TEST(agent_places_take_the_plan_in_order)
{
    char dir[TEST_FOLDER], path[TEST_FOLDER + 8], got[16] = "";
    struct agent_places p = {.scratch = dir, .keep = true};
    struct packet m = {.type = PACKET_FILE, .u.file = {0, "hello ", 6}};

    test_folder(dir);
    snprintf(path, sizeof path, "%s/plan", dir);
    mode_t before = umask(0);
    expect(agent_places_file(&p, &m) == 0);
    umask(before);
    expect(test_mode(path) == 0600);
    m.u.file.bytes = "world";
    m.u.file.length = 5;
    expect(agent_places_file(&p, &m) < 0 && errno == EINVAL); /* it is not the next one */
    m.u.file.offset = 6;
    expect(agent_places_file(&p, &m) == 0);
    FILE *f = fopen(path, "re");
    expect(f && fread(got, 1, sizeof got, f) == 11 && strcmp(got, "hello world") == 0);
    fclose(f);
    p.keep = false;
    expect(agent_places_file(&p, &m) < 0 && errno == EINVAL);
    tree_remove(dir);
    agent_places_fini(&p);
}

/* What does not fit is said to be so, and not taken for whole. */
TEST(agent_places_say_that_the_plan_does_not_fit)
{
    char dir[TEST_FOLDER];
    struct agent_places p = {.scratch = dir, .keep = true};
    struct packet m = {.type = PACKET_FILE, .u.file = {0, "hello", 5}};
    struct rlimit was, three = {3, RLIM_INFINITY};

    test_folder(dir);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    expect(getrlimit(RLIMIT_FSIZE, &was) == 0);
    three.rlim_max = was.rlim_max;
    expect(setrlimit(RLIMIT_FSIZE, &three) == 0);
    errno = 0;
    int result = agent_places_file(&p, &m), error = errno;
    expect(setrlimit(RLIMIT_FSIZE, &was) == 0);
    signal(SIGXFSZ, handler);
    expect(result < 0 && error == ENOSPC);
    tree_remove(dir);
    agent_places_fini(&p);
}

TEST(agent_places_see_the_run_where_the_token_is)
{
    char dir[TEST_FOLDER], path[TEST_FOLDER + 8];
    struct packet_welcome w = {.dir = dir, .probe = "probe", .token = "secret"};

    test_folder(dir);
    expect(!agent_places_sees(&w)); /* there is none */
    snprintf(path, sizeof path, "%s/probe", dir);
    FILE *f = fopen(path, "we");
    expect(f && fputs("secret", f) >= 0 && fclose(f) == 0);
    expect(agent_places_sees(&w));
    w.token = "secrets";
    expect(!agent_places_sees(&w));
    w.token = "secre";
    expect(!agent_places_sees(&w));
    w.token = ""; /* shows nothing, even where the file is empty */
    expect(truncate(path, 0) == 0 && !agent_places_sees(&w));
    w.token = "secret";
    w.probe = "../probe";
    expect(!agent_places_sees(&w));
    tree_remove(dir);
}

/* A path that is too long is no path; whatever leads elsewhere is not taken either. */
TEST(agent_places_have_no_room_for_long_paths)
{
    struct agent_places p = {.run = "/run", .scratch = "/scratch"};
    static char path[PATH_MAX];
    struct packet m;

    memset(path, 'p', sizeof path - 1);
    m = launch_of(7, path, "");
    expect(agent_places_take(&p, &m) < 0 && errno == ENAMETOOLONG);
    m = launch_of(7, "a", path);
    expect(agent_places_take(&p, &m) < 0 && errno == ENAMETOOLONG);
    m = launch_of(7, "a", "");
    m.u.launch.reuse = path;
    expect(agent_places_take(&p, &m) < 0 && errno == ENAMETOOLONG);
    m = launch_of(7, "a", "");
    m.u.launch.reuse = "../b";
    expect(agent_places_take(&p, &m) < 0 && errno == EINVAL);
    m = launch_of(7, "a", "../in");
    expect(agent_places_take(&p, &m) < 0 && errno == EINVAL);
    expect(agent_places_count(&p) == 0 && !agent_places_find(&p, 7));
    path[PATH_MAX - 1 - strlen("/run/")] = 0; /* the longest */
    m = launch_of(7, path, "");
    m.u.launch.reuse = "b";
    expect(agent_places_take(&p, &m) == 0 && strlen(m.u.launch.dir) == PATH_MAX - 1);
    expect(strcmp(m.u.launch.reuse, "/run/b") == 0);
    m = (struct packet){.type = PACKET_READ, .handle = 7, .u.read.path = path};
    expect(agent_places_read(&p, &m) == 0 && strlen(m.u.read.path) == PATH_MAX - 1);
    agent_places_release(&p, 9); /* nobody's */
    expect(agent_places_count(&p) == 1);
    agent_places_fini(&p);
}

/* A folder whose attempt has left nothing is taken again; any other is cleared. */
TEST(agent_places_in_scratch_are_bare_before_they_are_taken_again)
{
    char dir[TEST_FOLDER], path[PATH_MAX + 16], first[PATH_MAX];
    struct agent_places p = {.run = "/run", .scratch = dir, .pull = true};

    test_folder(dir);
    snprintf(path, sizeof path, "%s/attempts", dir);
    expect(mkdir(path, 0700) == 0);
    for (int i = 0; i < 3; i++) {
        struct packet m = launch_of(7 + (uint32_t)i, "attempts/x", "");
        expect(agent_places_take(&p, &m) == 0);
        /* The second gets what the empty first has left, the third nothing of the second. */
        expect(!!*m.u.launch.reuse == (i == 1));
        expect(i != 1 || strcmp(m.u.launch.reuse, first) == 0);
        snprintf(first, sizeof first, "%s", m.u.launch.dir);
        if (i != 1)
            expect(mkdir(first, 0700) == 0);
        else
            expect(rename(m.u.launch.reuse, first) == 0);
        snprintf(path, sizeof path, "%s/tmp", first);
        mkdir(path, 0700);
        snprintf(path, sizeof path, "%s/stdout", first);
        FILE *f = fopen(path, "we");
        expect(f && (i != 1 || fputs("x", f) >= 0) && fclose(f) == 0);
        snprintf(path, sizeof path, "%s/stderr", first);
        f = fopen(path, "we");
        expect(f && fclose(f) == 0);
        agent_places_release(&p, 7 + (uint32_t)i);
        expect(agent_places_count(&p) == 0);
        expect((access(first, F_OK) == 0) == (i != 1));
    }
    agent_places_fini(&p);
    tree_remove(dir);
}
