/* Runs every target on the bytes that are kept for it, and commands on journals that were changed.
 *
 *     fuzzseeds                    every file in tests/fuzz/seeds/TARGET
 *     fuzzseeds --mutants A-B      changes A to B of the journal of each small simulation
 *     fuzzseeds TARGET FILE...     these files
 *     fuzzseeds --mutate JOURNAL SEED NEW      writes one change of a journal to a file
 *
 * Each seed runs in a process of its own with a limit on its CPU time: one that crashes or does not
 * end is one failure, and names itself. */
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/vec.h"
#include "tests/fuzz/fuzz.h"

enum { CPU_SECONDS = 20, BATCH = 50 };

#define ROOT "tests/fuzz/seeds"

/* Whoever takes more memory than this is broken, too. Only sanitizers look at it. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "handle_sigill=1:hard_rss_limit_mb=2048:max_allocation_size_mb=1024";
}

struct bytes {
    VEC(uint8_t) at;
};

static unsigned long passed, failed;

static bool read_bytes(const char *path, struct bytes *to)
{
    FILE *f = fopen(path, "re");
    size_t n = 1;

    while (f && n > 0) {
        vec_reserve(&to->at, to->at.count + 4096);
        n = fread(to->at.at + to->at.count, 1, 4096, f);
        to->at.count += (uint32_t)n;
    }
    return f && fclose(f) == 0;
}

/* What a child does. */
struct chore {
    const struct fuzz_target *target;
    const struct bytes *bytes;
    uint64_t from, to; /* mutants of these seeds; none: the bytes themselves */
};

static void mutate(const struct chore *c)
{
    size_t room = 2 * (size_t)c->bytes->at.count + 4096;
    uint8_t *out = mem_zalloc(room, 1);

    for (uint64_t seed = c->from; seed < c->to; seed++) {
        size_t n = fuzz_mutate_journal(c->bytes->at.at, c->bytes->at.count, seed, out, room);
        c->target->run(out, n);
    }
    mem_free(out);
}

/* In a child without output, but for what sanitizers and failed checks say on `log`. */
static bool survives(const struct chore *c, FILE *log)
{
    fflush(NULL);
    pid_t child = fork();
    int status;

    if (child == 0) {
        struct rlimit cpu = {CPU_SECONDS, CPU_SECONDS};
        int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (null < 0 || dup2(null, 1) < 0 || dup2(fileno(log), 2) < 0 ||
            setrlimit(RLIMIT_CPU, &cpu) < 0)
            _exit(9);
        if (c->to > c->from)
            mutate(c);
        else
            c->target->run(c->bytes->at.at, c->bytes->at.count);
        exit(0); /* looks for leaks, too */
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

/* The lines that tell what broke. */
static void show(FILE *log)
{
    char line[400];

    rewind(log);
    for (int shown = 0; shown < 20 && fgets(line, sizeof line, log);)
        if (strstr(line, "ERROR: ") || strstr(line, "runtime error") ||
            strstr(line, "never happen") || strstr(line, "memory") || strstr(line, "    #")) {
            printf("    %s", line);
            shown++;
        }
}

static bool run(const struct chore *c, const char *path)
{
    FILE *log = tmpfile();
    bool fine = log && survives(c, log);

    printf("%s %s %s", fine ? "ok" : "not ok", c->target->name, path);
    if (c->to > c->from)
        printf(" mutants %llu-%llu", (unsigned long long)c->from, (unsigned long long)c->to - 1);
    putchar('\n');
    if (!fine && log)
        show(log);
    if (log)
        fclose(log);
    passed += fine;
    failed += !fine;
    return fine;
}

/* In batches; of one that failed, the first culprit is looked for. */
static void run_mutants(struct chore c, uint64_t first, uint64_t last, const char *path)
{
    for (uint64_t from = first; from <= last; from += BATCH) {
        c.from = from;
        c.to = from + BATCH <= last ? from + BATCH : last + 1;
        if (run(&c, path))
            continue;
        uint64_t end = c.to;
        for (c.to = c.from + 1; c.to <= end && run(&c, path); c.to++)
            c.from = c.to;
    }
}

static void sorted_file(const struct fuzz_target *target, const char *path)
{
    struct bytes bytes = {0};
    struct chore c = {target, &bytes, 0, 0};

    if (read_bytes(path, &bytes)) {
        run(&c, path);
    } else {
        printf("not ok %s cannot be read\n", path);
        failed++;
    }
    vec_free(&bytes.at);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void run_folder(const struct fuzz_target *target)
{
    struct str path = {0};
    struct dirent **list = NULL;

    str_addf(&path, ROOT "/%s", target->name);
    size_t length = path.length;
    int count = scandir(path.text, &list, NULL, by_name), seeds = 0;
    for (int i = 0; i < count; i++) {
        path.length = length;
        str_addf(&path, "/%s", list[i]->d_name);
        if (list[i]->d_name[0] != '.') {
            seeds++;
            sorted_file(target, path.text);
        }
        free(list[i]);
    }
    free(list);
    if (seeds == 0) {
        printf("not ok %s has no seeds\n", target->name);
        failed++;
    }
    str_free(&path);
}

/* A journal that is signed again, unchanged, must be read to its end as before: or no change gets
 * past the digest, and nothing behind it is tested. */
static void check_signature(const struct bytes *bytes, const char *name)
{
    uint8_t *again = fuzz_signed(bytes->at.at, bytes->at.count);
    bool fine =
        memcmp(again, bytes->at.at, bytes->at.count) == 0 && fuzz_is_whole(again, bytes->at.count);

    printf("%s %s signed again is the same\n", fine ? "ok" : "not ok", name);
    passed += fine;
    failed += !fine;
    mem_free(again);
}

/* Every command that reads journals, on changes of fresh ones: an old journal soon differs from
 * what the brain decides now, and what stands behind that is never read. */
static void run_journals(uint64_t first, uint64_t last)
{
    static const char *const targets[] = {"journal", "verify", "explain",
                                          "report",  "replay", "whatif"};
    char path[] = "/tmp/dolly-mutants-XXXXXX", name[64];
    int fd = mkstemp(path);

    for (unsigned i = 0; fd >= 0 && unlink(path) == 0 && fuzz_simulate(i, path) == 0; i++) {
        struct bytes bytes = {0};
        snprintf(name, sizeof name, "journal %u", i);
        if (!read_bytes(path, &bytes))
            break;
        check_signature(&bytes, name);
        for (size_t k = 0; k < sizeof targets / sizeof *targets; k++) {
            struct chore c = {fuzz_target(targets[k]), &bytes, 0, 0};
            run(&c, name);
            run_mutants(c, first, last, name);
        }
        vec_free(&bytes.at);
    }
    unlink(path);
    if (fd < 0 || passed + failed == 0) {
        printf("not ok no journal could be made\n");
        failed++;
    }
}

static int write_mutant(const char *from, const char *seed, const char *to)
{
    struct bytes bytes = {0};
    FILE *f = read_bytes(from, &bytes) ? fopen(to, "we") : NULL;
    size_t room = 2 * (size_t)bytes.at.count + 4096;
    uint8_t *out = mem_zalloc(room, 1);
    size_t n =
        fuzz_mutate_journal(bytes.at.at, bytes.at.count, strtoull(seed, NULL, 10), out, room);
    bool fine = f && n > 0 && fwrite(out, n, 1, f) == 1;

    fine = f && fclose(f) == 0 && fine;
    mem_free(out);
    vec_free(&bytes.at);
    return fine ? 0 : 1;
}

int main(int argc, char **argv)
{
    unsigned long long first, last;
    const struct fuzz_target *target = argc > 2 ? fuzz_target(argv[1]) : NULL;

    if (argc == 5 && strcmp(argv[1], "--mutate") == 0)
        return write_mutant(argv[2], argv[3], argv[4]);
    if (argc == 3 && strcmp(argv[1], "--mutants") == 0 &&
        sscanf(argv[2], "%llu-%llu", &first, &last) == 2)
        run_journals(first, last);
    else if (argc > 2 && target)
        for (int i = 2; i < argc; i++)
            sorted_file(target, argv[i]);
    else if (argc == 1)
        for (target = fuzz_targets; target->name; target++)
            run_folder(target);
    else
        return fputs("usage: fuzzseeds [--mutants A-B | TARGET FILE... | --mutate JOURNAL SEED "
                     "NEW]\n",
                     stderr),
               2;
    printf("%lu passed, %lu failed\n", passed, failed);
    return failed > 0;
}
