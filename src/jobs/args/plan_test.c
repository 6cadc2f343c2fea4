#include "jobs/args/plan.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"

static struct options o;
static struct inputs *in;
static struct err err;

static struct plan *plan_of(uint32_t slots, char **argv)
{
    int argc = 0;

    while (argv[argc])
        argc++;
    expect(options_parse(&o, argc, argv, &err) == 0);
    struct inputs_options io = {.delimiter = '\n', .colsep = o.colsep, .header = o.header};
    in = inputs_create(&io, &err);
    for (uint32_t i = 0; i < o.sources.count; i++)
        inputs_add_words(in, o.sources.at[i].words, o.sources.at[i].count, o.sources.at[i].linked,
                         &err);
    expect(inputs_close(in, &err) == 0);
    struct plan_sources from = {.inputs = in};
    return plan_create(&o, &from, slots, &err);
}

static void done(struct plan *p)
{
    plan_destroy(p);
    inputs_destroy(in);
    options_fini(&o);
}

/* The commands, each with a semicolon behind it. */
static bool commands_are(struct plan *p, const char *want)
{
    struct str out = {0};

    for (uint32_t t = 0; t < plan_tasks(p); t++) {
        plan_command(p, t, 1, &out);
        str_add(&out, ";");
    }
    bool same = strcmp(out.text ? out.text : "", want) == 0;
    if (!same)
        fprintf(stderr, "  have %s\n", out.text ? out.text : "");
    str_free(&out);
    return same;
}

#define PLAN(slots, ...) plan_of(slots, (char *[]){"map", __VA_ARGS__, NULL})

static bool makes(const char *want, uint32_t slots, char **argv)
{
    struct plan *p = plan_of(slots, argv);
    bool same = p && commands_are(p, want);
    done(p);
    return same;
}

#define MAKES(want, slots, ...) makes(want, slots, (char *[]){"map", __VA_ARGS__, NULL})

TEST(plan_appends_arguments_unless_told_where)
{
    expect(MAKES("echo a;echo 'b c';", 1, "echo", ":::", "a", "b c"));
    expect(MAKES("echo a.;", 1, "echo", "{}.", ":::", "a"));
    expect(MAKES("echo 1;echo 2;", 1, "echo", "{#}", ":::", "a", "b"));
    expect(MAKES("echo a 1;echo a 2;", 1, "echo", ":::", "a", ":::", "1", "2"));
    expect(MAKES("a b;c;", 1, ":::", "a b", "c")); /* arguments that are commands */
    expect(MAKES("echo x;", 1, "-I,,", "echo", ",,", ":::", "x"));
}

/* With -q words reach the command as they are, and no shell acts on them. */
TEST(plan_quotes_words_of_the_command_if_told_to)
{
    expect(MAKES("echo 'a b' '$HOME;' c;", 1, "-q", "echo", "a b", "$HOME;", ":::", "c"));
    expect(MAKES("echo '>'x y;", 1, "-q", "echo", ">{}", "y", ":::", "x"));
    expect(MAKES("echo a b '$HOME;' c;", 1, "echo", "a b", "'$HOME;'", ":::", "c"));
}

TEST(plan_puts_several_arguments_into_a_task)
{
    expect(MAKES("echo a b;echo c;", 1, "-n2", "echo", ":::", "a", "b", "c"));
    expect(MAKES("echo b-a;echo -c;", 1, "-N2", "echo", "{2}-{1}", ":::", "a", "b", "c"));
    expect(MAKES("x;x;", 1, "-N0", "x", ":::", "a", "b"));
    expect(MAKES("e a b;e c;", 2, "-m", "e", ":::", "a", "b", "c"));
    expect(MAKES("e a b c;", 1, "-m", "e", ":::", "a", "b", "c"));
    expect(MAKES("e xay xby;e xcy;", 2, "-X", "e", "x{}y", ":::", "a", "b", "c"));
    expect(MAKES("e 1 2 3;e 4 5 6;e 7 8 9;", 4, "-m", "e", ":::", "1", "2", "3", "4", "5", "6", "7",
                 "8", "9"));
    expect(MAKES("e 1-a 1-b;", 1, "-X", "e", "1-{}", ":::", "a", "b"));
    expect(MAKES("e a-a a-b;", 1, "-X", "e", "{1}-{}", ":::", "a", "b"));
}

/* A command and the zero at its end have to fit, as with GNU parallel and xargs. */
TEST(plan_fills_commands_to_the_character)
{
    expect(MAKES("e a b;e c;", 1, "-m", "-s6", "e", ":::", "a", "b", "c"));
    expect(MAKES("e a;e b;e c;", 1, "-m", "-s5", "e", ":::", "a", "b", "c"));
    expect(MAKES("e 'a b';e c;", 1, "-m", "-s9", "e", ":::", "a b", "c"));
    expect(MAKES("e 'a b' c;", 1, "-m", "-s10", "e", ":::", "a b", "c"));
    expect(MAKES("e a b a b;e c c;", 1, "-m", "-s10", "e", "{}", "{}", ":::", "a", "b", "c"));
    expect(MAKES("e a.o b.o;e c.o;", 1, "-X", "-s10", "e", "{.}.o", ":::", "a.c", "b.c", "c.c"));
    expect(MAKES("e 1:a 1:b;e 2:c;", 1, "-X", "-s10", "e", "{#}:{/}", ":::", "x/a", "y/b", "c"));
    /* {2} and {-1} come with the second argument. */
    expect(MAKES("e a b b b;e c  c;", 1, "-m", "-s10", "e", "{}", "{2}", "{-1}", ":::", "a", "b",
                 "c"));
    expect(MAKES("e a  a;e b  b;", 1, "-m", "-s9", "e", "{}", "{2}", "{-1}", ":::", "a", "b"));
    /* What is left over is spread. */
    expect(MAKES("e a b;e c;e d;", 2, "-m", "-s6", "e", ":::", "a", "b", "c", "d"));
}

TEST(plan_joins_the_rows_of_several_sources)
{
    expect(
        MAKES("e a1a2;e b1b2;", 1, "-N2", "e", "{1}{2}{3}{4}", ":::", "a", "b", ":::", "1", "2"));
    expect(MAKES("e a b c d;e e f;", 1, "-n2", "--colsep", ",", "e", ":::", "a,b", "c,d", "e,f"));
    expect(MAKES("e a 1 a 2;e b 1 b 2;", 2, "-m", "e", ":::", "a", "b", ":::", "1", "2"));
    expect(MAKES("e xa x1;e xa x2;", 1, "-X", "-s10", "e", "x{}", ":::", "a", ":::", "1", "2"));
    expect(MAKES("e xa x1 xa x2;", 1, "-X", "-s16", "e", "x{}", ":::", "a", ":::", "1", "2"));
}

TEST(plan_ends_before_an_argument_that_does_not_fit)
{
    struct plan *p = PLAN(1, "-m", "-s4", "e", ":::", "abc");
    expect(!p && strstr(err.text, "longer than 3"));
    done(p);
    p = PLAN(2, "-m", "-s6", "e", ":::", "a", "b", "c", "defg", "h");
    expect(p && plan_tasks(p) == 2 && strstr(plan_unfit(p), "argument 4 "));
    done(p);
    p = PLAN(1, "-m", "-s6", "e", ":::", "a");
    expect(p && !plan_unfit(p));
    done(p);
}

TEST(plan_shuffles_by_seed)
{
    struct plan *p = PLAN(1, "--shuf", "--seed", "3", "e", ":::", "a", "b", "c", "d", "e", "f");
    struct str once = {0}, again = {0};
    uint32_t letters = 0;
    for (uint32_t t = 0; t < plan_tasks(p); t++) {
        plan_command(p, t, 1, &once);
        expect(plan_seq(p, t) == t + 1);
    }
    done(p);
    p = PLAN(1, "--shuf", "--seed", "3", "e", ":::", "a", "b", "c", "d", "e", "f");
    for (uint32_t t = 0; t < plan_tasks(p); t++)
        plan_command(p, t, 1, &again);
    done(p);
    expect(strcmp(once.text, again.text) == 0);
    expect(strcmp(once.text, "e ae be ce de ee f") != 0);
    for (size_t i = 2; i < once.length; i += 3)
        letters |= 1u << (once.text[i] - 'a');
    expect(letters == 63); /* each of the six, once */
    str_free(&once);
    str_free(&again);
}

static bool is_odd(void *ctx, uint64_t seq)
{
    (void)ctx;
    return seq % 2;
}

TEST(plan_leaves_out_what_is_done)
{
    struct plan *p = PLAN(1, "e", "{#}/{##}", ":::", "a", "b", "c", "d");
    plan_skip(p, is_odd, NULL);
    expect(plan_tasks(p) == 2 && plan_seq(p, 1) == 4);
    expect(commands_are(p, "e 2/4;e 4/4;"));
    done(p);
}

static bool results_are(struct plan *p, uint32_t task, const char *want)
{
    struct str out = {0};
    plan_results(p, task, 1, &out);
    bool same = strcmp(out.text, want) == 0;
    str_free(&out);
    return same;
}

TEST(plan_names_results_so_that_they_stay_inside)
{
    struct plan *p = PLAN(1, "--results", "R", "e", ":::", "a/b", "..", "", ":::", "x+");
    expect(plan_results_plain(p));
    expect(results_are(p, 0, "R/1/a+zb/2/x++") && results_are(p, 1, "R/1/+../2/x++"));
    expect(results_are(p, 2, "R/1/+/2/x++"));
    done(p);
    p = PLAN(1, "--results", "R/{#}-{}", "e", ":::", "a");
    expect(!plan_results_plain(p) && results_are(p, 0, "R/1-a"));
    done(p);
    p = PLAN(1, "--results", "R", "--header", ":", "e", ":::", "name", "v");
    expect(results_are(p, 0, "R/name/v"));
    done(p);
    p = PLAN(1, "--results", "R", "--header", ":", "e", ":::", "c", "1", ":::", "d", "2",
             ":::", "a", "3", ":::", "b", "4"); /* by name */
    expect(results_are(p, 0, "R/a/3/b/4/c/1/d/2"));
    done(p);
}

TEST(plan_takes_indices_and_blocks)
{
    struct array_spec array;
    struct str out = {0};
    char *argv[] = {"map", "--array", "3-9:3", "--tag", "run", NULL};
    expect(options_parse(&o, 5, argv, &err) == 0);
    expect(array_spec_parse(&array, o.array, &err) == 0);
    struct plan_sources from = {.array = &array};
    struct plan *p = plan_create(&o, &from, 1, &err);
    expect(plan_tasks(p) == 3 && plan_index(p, 2) == 9);
    expect(commands_are(p, "run;run;run;")); /* the index is in the environment */
    plan_tag(p, 1, 1, &out);
    expect(strcmp(out.text, "6") == 0);
    str_free(&out);
    plan_destroy(p);
    vec_free(&array.ranges);
    struct plan_sources blocks = {.blocks = 2};
    p = plan_create(&o, &blocks, 1, &err);
    expect(commands_are(p, "run;run;"));
    plan_destroy(p);
    options_fini(&o);
}

/* The folder of a task, of which no name is longer than file systems take. */
static struct str results_of(struct plan *p, uint32_t task, size_t longest)
{
    struct str out = {0};

    plan_results(p, task, 1, &out);
    for (const char *at = out.text; *at; at += strcspn(at, "/"), at += *at == '/')
        expect(strcspn(at, "/") <= longest);
    expect(out.length + sizeof "/stdout" <= 4096);
    return out;
}

TEST(plan_results_shortens_names)
{
    char long_a[400], long_b[400], brief[256];

    memset(long_a, 'x', sizeof long_a);
    memcpy(long_b, long_a, sizeof long_b);
    long_a[399] = long_b[399] = brief[255] = 0;
    long_b[398] = 'y';
    memset(brief, 'z', 255);
    for (int plain = 0; plain < 2; plain++) {
        char *results = plain ? "r" : "r/{}.out";
        struct plan *p = PLAN(1, "--results", results, "e", ":::", long_a, long_b, brief);
        struct str a = results_of(p, 0, plain ? 255 : 251);
        struct str b = results_of(p, 1, plain ? 255 : 251);
        struct str c = results_of(p, 2, plain ? 255 : 251);
        expect(strcmp(a.text, b.text) != 0);
        expect(!plain || strstr(c.text, brief));
        str_free(&a);
        str_free(&b);
        str_free(&c);
        done(p);
    }
}

TEST(plan_results_of_many_long_arguments)
{
    char word[300];

    memset(word, 'x', sizeof word);
    word[299] = 0;
    char *argv[60] = {"map", "--results", "r", "e", ":::"};
    for (int i = 5; i < 55; i += 2) {
        argv[i] = word;
        argv[i + 1] = ":::";
    }
    argv[55] = word;
    struct plan *p = plan_of(1, argv);
    struct str out = results_of(p, 0, 255);
    expect(!strcmp(out.text, "r/+1"));
    str_free(&out);
    done(p);
}

/* As the caller does it: one string, cut and filled again. */
TEST(plan_an_empty_command_is_not_the_one_before)
{
    struct str out = {0};
    struct plan *p = PLAN(1, ":::", "echo a", "", "echo b");

    plan_command(p, 0, 1, &out);
    expect(!strcmp(out.text, "echo a"));
    str_cut(&out, 0);
    plan_command(p, 1, 1, &out);
    expect(!strcmp(out.text, ""));
    str_free(&out);
    plan_command(p, 1, 1, &out);
    expect(out.text && !*out.text);
    str_free(&out);
    done(p);
}

/* The shell code that changes to the folder of the first task. */
static bool enters(const char *want, char **argv)
{
    struct str out = {0};
    struct plan *p = plan_of(1, argv);

    str_add(&out, "");
    plan_enter(p, 0, 1, &out);
    bool same = strcmp(out.text, want) == 0;
    if (!same)
        fprintf(stderr, "  have %s\n", out.text);
    str_free(&out);
    done(p);
    return same;
}

TEST(plan_enters_a_folder_for_each_task)
{
#define ENTERS(want, ...) enters(want, (char *[]){"map", __VA_ARGS__, NULL})
    expect(ENTERS("", "echo", ":::", "a b"));
    expect(ENTERS("", "--wd", "x", "echo", ":::", "a b"));
    expect(ENTERS("mkdir -p -- 'd/a b' && cd -- 'd/a b' || exit\n", "--wd", "d/{}", "echo",
                  ":::", "a b"));
    expect(ENTERS("mkdir -p -- \"$HOME/.parallel/tmp/$(uname -n)-$PARALLEL_PID-$PARALLEL_SEQ\" && "
                  "cd -- \"$HOME/.parallel/tmp/$(uname -n)-$PARALLEL_PID-$PARALLEL_SEQ\" || "
                  "exit\n",
                  "--wd", "...", "echo", ":::", "a"));
}

TEST(plan_command_is_steady_without_slots)
{
    struct plan *p = PLAN(2, "echo", "{}", ":::", "a");

    expect(p && plan_command_is_steady(p));
    done(p);
    p = PLAN(2, "echo", "{%}", ":::", "a");
    expect(p && !plan_command_is_steady(p));
    done(p);
}
