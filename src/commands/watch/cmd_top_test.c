#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "commands/explain/cmd_explain.h"
#include "commands/sim/cmd_sim.h"
#include "commands/watch/cmd_watch.h"
#include "tests/unit/command.h"

static const char workload[] = "job sort at=0s\n"
                               "  phase map tasks=4 sizes=10s,10s,10s,30s\n"
                               "  phase reduce tasks=1 after=map pattern=all-to-all size=5s\n"
                               "job scan at=5s\n"
                               "  phase map tasks=2 size=10s\n";

static void open_run(struct command_folder *f, const char *more)
{
    char words[200];

    command_begin(f);
    command_file("w", workload);
    snprintf(words, sizeof words, "sim --workload w %s --journal run", more);
    expect(command_run(cmd_sim, words, NULL, NULL) == 0);
}

static char *read_run(size_t *length)
{
    FILE *f = fopen("run", "re");
    static char bytes[1 << 20];

    *length = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    expect(f && fclose(f) == 0 && *length > 0);
    return bytes;
}

static void write_run(const char *bytes, size_t length)
{
    FILE *f = fopen("run", "we");
    expect(f && fwrite(bytes, 1, length, f) == length && fclose(f) == 0);
}

TEST(top_draws_a_run_that_is_over)
{
    struct command_folder f;

    open_run(&f, "--cluster 2x2 --policy none");
    expect(command_prints(cmd_top, "top run --once",
                          "dolly top: run   done   35 s\n"
                          "7 of 7 tasks done, 0 running, 0 waiting\n"
                          "\n"
                          "map                [########################] 100 %  6 of 6 done, 0 "
                          "running\n"
                          "reduce             [########################] 100 %  1 of 1 done, 0 "
                          "running\n"
                          "\n"
                          "NODES  2 up, 0 down; 0 attempts on 4 slots\n"));
    expect(command_prints(cmd_top, "top run",
                          "35 s: 7 of 7 tasks done, 0 running, 0 waiting\n"
                          "The run is over: done.\n"));
    command_end(&f);
}

static json_t *object_of(int (*command)(int argc, char **argv), const char *words)
{
    char *out;
    int status = command_run(command, words, &out, NULL);
    json_t *o = status == 0 ? json_loads(out, 0, NULL) : NULL;

    mem_free(out);
    return o;
}

/* Of the numbers of both, all must be equal; what a reader of the end of a file knows is not. */
static bool are_equal(json_t *told, json_t *top)
{
    json_t *mine = json_object_get(top, "explain");

    json_object_del(told, "torn_bytes");
    json_object_del(mine, "torn_bytes");
    bool equal = mine && json_equal(told, mine);
    if (!equal)
        printf("explain: %s\ntop: %s\n", json_dumps(told, JSON_COMPACT),
               json_dumps(mine, JSON_COMPACT));
    return equal;
}

/* Wherever the journal is cut, `top` has the numbers of `explain`; and what it adds fits them. */
struct cuts {
    uint32_t running, known, cloned; /* number of cuts in which something was there to compare */
};

static void compare_cuts(const char *policy, struct cuts *seen)
{
    struct command_folder f;
    size_t length;

    open_run(&f, policy);
    char *bytes = read_run(&length);
    for (size_t cut = length; cut > 500; cut -= cut > 64 ? 61 : cut) {
        write_run(bytes, cut);
        json_t *told = object_of(cmd_explain, "explain run --json");
        json_t *top = object_of(cmd_top, "top run --once --json");
        expect(told && top && are_equal(told, top));
        json_t *tasks = json_object_get(top, "tasks");
        json_int_t total = json_integer_value(json_object_get(tasks, "total"));
        json_int_t sum = 0;
        static const char *const parts[] = {"done", "failed", "running", "waiting"};
        for (int i = 0; i < 4; i++)
            sum += json_integer_value(json_object_get(tasks, parts[i]));
        expect(sum == total);
        json_t *clones = json_object_get(json_object_get(top, "attempts"), "clone");
        seen->running += json_array_size(json_object_get(top, "running")) > 0;
        seen->known += json_is_real(json_object_get(json_object_get(top, "ends"), "about_s"));
        seen->cloned += json_integer_value(json_object_get(clones, "launched")) > 0;
        json_decref(told);
        json_decref(top);
    }
    command_end(&f);
}

TEST(top_has_the_numbers_of_explain_at_every_turn)
{
    struct cuts seen = {0};

    compare_cuts("--cluster 2x2 --policy none", &seen);
    compare_cuts("--cluster 4x2 --policy dolly --set beta=1", &seen);
    expect(seen.running > 10 && seen.known > 5 && seen.cloned > 5);
}

TEST(top_shows_a_run_that_goes_on)
{
    struct command_folder f;
    size_t length;
    char *out;

    open_run(&f, "--cluster 2x2 --policy none");
    char *bytes = read_run(&length);
    write_run(bytes, length * 2 / 3);
    expect(command_run(cmd_top, "top run --once", &out, NULL) == 0);
    expect(strstr(out, "dolly top: run   running") && strstr(out, "  RUNNING "));
    expect(strstr(out, "map/") && strstr(out, " n0 "));
    for (char *rest = out, *line; (line = strsep(&rest, "\n"));)
        expect(strlen(line) <= 80);
    mem_free(out);
    command_end(&f);
}

TEST(top_refuses_what_is_not_a_run)
{
    struct command_folder f;

    command_begin(&f);
    command_file("text", "a text that is not a journal");
    command_file("nothing", "");
    expect(command_fails(cmd_top, "top", 2, "the run is missing"));
    expect(command_fails(cmd_top, "top --json text", 2, "--json needs --once"));
    expect(command_fails(cmd_top, "top nosuch", 2, "cannot open"));
    expect(command_fails(cmd_top, "top text", 2, "not a journal of dolly"));
    expect(command_fails(cmd_top, "top nothing --once", 2, "has no records yet"));
    command_end(&f);
}
