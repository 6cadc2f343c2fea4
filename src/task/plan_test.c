#include "task/plan.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/test.h"

enum { PATH_BYTES = 64 };

static void name_file(char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "/tmp/dolly-plan.%d", (int)getpid());
    unlink(path);
}

TEST(plan_that_is_written_is_read)
{
    struct task_plan p, q;
    struct err err;
    char path[PATH_BYTES];

    name_file(path);
    plan_init(&p);
    p.job = mem_strdup("a job");
    p.mapper = mem_strdup("cat 'x'\n| sort\xff");
    p.reducer = mem_strdup("");
    p.partitions = 7;
    p.key_fields = 2;
    p.partition_fields = 1;
    p.memory = 12345678901;
    vec_push(&p.env, mem_strdup("A=b c"));
    vec_push(&p.files, ((struct plan_file){mem_strdup("/x/y z"), mem_strdup("y")}));
    vec_push(&p.splits,
             ((struct plan_split){mem_strdup("/in"), 3, 4, 1ull << 40, 1700000000123456789, true}));
    expect(plan_write(&p, path, &err) == 0);
    expect(plan_write(&p, path, &err) < 0 && strstr(err.text, "exists"));
    expect(plan_read(&q, path, &err) == 0);
    expect(strcmp(q.job, p.job) == 0 && strcmp(q.mapper, p.mapper) == 0);
    expect(strcmp(q.reducer, "") == 0 && q.combiner == NULL && strcmp(q.separator, "\t") == 0);
    expect(q.partitions == 7 && q.key_fields == 2 && q.partition_fields == 1);
    expect(q.memory == p.memory && q.env.count == 1 && strcmp(q.env.at[0], "A=b c") == 0);
    expect(q.files.count == 1 && strcmp(q.files.at[0].path, "/x/y z") == 0);
    expect(strcmp(q.files.at[0].name, "y") == 0 && q.splits.count == 1);
    const struct plan_split *s = &q.splits.at[0];
    expect(strcmp(s->path, "/in") == 0 && s->from == 3 && s->bytes == 4 && s->size == 1ull << 40);
    expect(s->changed_ns == 1700000000123456789 && s->packed);
    plan_fini(&q);
    plan_fini(&p);

    /* However it is cut off, it is refused. */
    FILE *f = fopen(path, "r+");
    expect(f && fseek(f, 0, SEEK_END) == 0);
    for (long size = ftell(f) - 2; size >= 0; size--) {
        expect(ftruncate(fileno(f), size) == 0 && plan_read(&q, path, &err) < 0);
        expect(strstr(err.text, "plan of a job"));
    }
    fclose(f);
    unlink(path);
    expect(plan_read(&q, path, &err) < 0 && strstr(err.text, "No such file"));
}

TEST(plan_with_what_it_cannot_have_is_refused)
{
    static const char *const texts[] = {"garbage",
                                        "job\0x\0colour\0red",
                                        "partitions\0-1",
                                        "split\0/in\09223372036854775807\01\0000\0000\0000",
                                        "env",
                                        "file\0x"};
    static const size_t lengths[] = {8, 17, 14, 40, 4, 7};
    struct task_plan p;
    struct err err;
    char path[PATH_BYTES];

    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        name_file(path);
        FILE *f = fopen(path, "w");
        expect(f && fwrite(texts[i], 1, lengths[i], f) == lengths[i] && fclose(f) == 0);
        expect(plan_read(&p, path, &err) < 0 && strstr(err.text, "plan of a job"));
        unlink(path);
    }
}
