#include "jobs/task/plan.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "data/codec.h"
#include "tests/unit/limits.h"
#include "tests/unit/test.h"

enum { PATH_BYTES = 64 };

static void name_file(char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "/tmp/dolly-plan.%d", (int)getpid());
    unlink(path);
}

TEST(plan_that_is_written_is_read)
{
    struct task_plan p = {0}, q;
    struct err err;
    char path[PATH_BYTES];

    name_file(path);
    p.job = mem_strdup("a job");
    struct plan_phase *map = plan_add_phase(&p, "map", "cat 'x'\n| sort\xff");
    map->partitions = 7;
    map->key_fields = 2;
    map->partition_fields = 1;
    map->codec = CODEC_ZSTD;
    map->memory = 12345678901;
    map->combiner = mem_strdup("");
    struct plan_phase *reduce = plan_add_phase(&p, "reduce", "cat");
    reduce->above = 0;
    reduce->tasks = 7;
    vec_push(&p.env, mem_strdup("A=b c"));
    vec_push(&p.files,
             ((struct plan_file){mem_strdup("/x/y z"), mem_strdup("y"), mem_strdup("1f")}));
    vec_push(&p.splits,
             ((struct plan_split){mem_strdup("/in"), 3, 4, 1ull << 40, 1700000000123456789, true}));
    expect(plan_write(&p, path, &err) == 0);
    expect(plan_write(&p, path, &err) < 0 && strstr(err.text, "exists"));
    expect(plan_read(&q, path, &err) == 0);
    expect(strcmp(q.job, p.job) == 0 && q.phases.count == 2);
    const struct plan_phase *m = &q.phases.at[0];
    expect(strcmp(m->name, "map") == 0 && strcmp(m->command, p.phases.at[0].command) == 0);
    expect(strcmp(m->combiner, "") == 0 && strcmp(m->separator, "\t") == 0);
    expect(m->partitions == 7 && m->key_fields == 2 && m->partition_fields == 1);
    expect(m->codec == CODEC_ZSTD && q.phases.at[1].codec == CODEC_PLAIN);
    expect(m->memory == 12345678901 && m->above == PLAN_INPUTS && m->tasks == 1);
    expect(plan_find_phase(&q, "reduce") == 1 && plan_find_phase(&q, "x") == PLAN_INPUTS);
    expect(q.phases.at[1].above == 0 && q.phases.at[1].tasks == 7 && !q.phases.at[1].combiner);
    expect(q.env.count == 1 && strcmp(q.env.at[0], "A=b c") == 0);
    expect(q.files.count == 1 && strcmp(q.files.at[0].path, "/x/y z") == 0);
    expect(strcmp(q.files.at[0].name, "y") == 0 && q.split_count == 1);
    struct plan_split s;
    expect(plan_read_split(&q, 0, &s, &err) == 0);
    expect(strcmp(s.path, "/in") == 0 && s.from == 3 && s.bytes == 4 && s.size == 1ull << 40);
    expect(s.changed_ns == 1700000000123456789 && s.packed);
    plan_fini(&q);
    plan_fini(&p);

    /* However it is cut off, it is refused. */
    FILE *f = fopen(path, "r+");
    expect(f && fseek(f, 0, SEEK_END) == 0);
    char not[PATH_BYTES + 32], part[PATH_BYTES + 32];
    snprintf(not, sizeof not, "%s: not the plan of a job", path);
    snprintf(part, sizeof part, "%s: not the whole plan of a job", path);
    for (long size = ftell(f) - 2; size >= 0; size--) {
        expect(ftruncate(fileno(f), size) == 0 && plan_read(&q, path, &err) < 0);
        expect(!strcmp(err.text, part) || (size >= 8 && !strcmp(err.text, not)));
    }
    fclose(f);
    unlink(path);
    expect(plan_read(&q, path, &err) < 0 && strstr(err.text, "No such file"));
}

TEST(plan_with_a_codec_that_is_none_is_refused)
{
    struct task_plan p = {.job = mem_strdup("a job")}, q;
    struct err err;
    char path[PATH_BYTES];

    name_file(path);
    plan_add_phase(&p, "map", "cat")->codec = CODEC_COUNT;
    vec_push(&p.splits, ((struct plan_split){.path = mem_strdup("/in")}));
    expect(plan_write(&p, path, &err) == 0);
    expect(plan_read(&q, path, &err) < 0 && strstr(err.text, "not the plan of a job"));
    unlink(path);
    plan_fini(&p);
}

TEST(plan_says_which_split_is_none)
{
    /* The first begins where it should, the second behind the file, and the third is too long. */
    static const char head[] = "job\0x\0end\0/in\0001\0002\0003\0004\0000\0/in\0"
                               "9223372036854775807\0001\0000\0000\0000";
    static const uint64_t places[] = {10, 1000, 24, 3};
    struct task_plan p;
    struct plan_split s;
    struct err err;
    char path[PATH_BYTES];

    name_file(path);
    FILE *f = fopen(path, "w");
    expect(f && fwrite(head, sizeof head, 1, f) == 1 && fwrite(places, sizeof places, 1, f) == 1);
    expect(fclose(f) == 0 && plan_read(&p, path, &err) == 0 && p.split_count == 3);
    expect(plan_read_split(&p, 0, &s, &err) == 0 && strcmp(s.path, "/in") == 0 && s.bytes == 2);
    expect(plan_read_split(&p, 1, &s, &err) < 0);
    expect(strcmp(err.text, "the plan of the job has no split 1") == 0);
    expect(plan_read_split(&p, 2, &s, &err) < 0);
    expect(strcmp(err.text, "the plan of the job has no split 2") == 0);
    plan_fini(&p);
    unlink(path);
}

TEST(plan_with_what_it_cannot_have_is_refused)
{
#define CASE(text)                                                                                 \
    {                                                                                              \
        text, sizeof text                                                                          \
    }
    static const struct {
        const char *text;
        size_t length;
    } cases[] = {CASE("garbage"),         CASE("job\0x\0colour\0red"),
                 CASE("partitions\0001"), CASE("env"),
                 CASE("file\0x"),         CASE("phase\0a\0b\0\t\0above\0000\0job\0j\0end")};
#undef CASE
    struct task_plan p;
    struct err err;
    char path[PATH_BYTES];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        name_file(path);
        FILE *f = fopen(path, "w");
        expect(f && fwrite(cases[i].text, 1, cases[i].length, f) == cases[i].length &&
               fclose(f) == 0);
        expect(plan_read(&p, path, &err) < 0 && strstr(err.text, "plan of a job"));
        unlink(path);
    }
}

TEST(plan_in_part_is_none)
{
    struct task_plan p = {.job = mem_strdup("j")}, q;
    struct err err;
    char path[PATH_BYTES];
    int result = -1, parts = 0;

    name_file(path);
    plan_add_phase(&p, "map", "cat");
    vec_push(&p.splits, ((struct plan_split){.path = mem_strdup("/in"), .bytes = 1}));
    for (rlim_t bytes = 0; result < 0; bytes++) {
        unlink(path);
        struct rlimit limit = limits_bytes(bytes);
        result = plan_write(&p, path, &err);
        setrlimit(RLIMIT_FSIZE, &limit);
        expect(result == 0 || strstr(err.text, "File too large"));
        bool is_plan = plan_read(&q, path, &err) == 0;
        expect(is_plan == (result == 0));
        if (is_plan)
            plan_fini(&q);
        parts += result < 0;
    }
    expect(parts > 20);
    unlink(path);
    plan_fini(&p);
}
