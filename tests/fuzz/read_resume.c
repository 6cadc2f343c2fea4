/* What `dolly resume` reads before it looks at the journal: the folder that a run has kept. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/os/tree.h"
#include "jobs/map/map.h"
#include "tests/fuzz/fuzz.h"
#include "ui/cli.h"

enum { TASKS_MAX = 20 };

static char folder[] = "/tmp/dolly-fuzz-XXXXXX";

static void remove_folder(void)
{
    tree_remove(folder);
}

static void make_folder(void)
{
    static bool made;

    if (made)
        return;
    check(mkdtemp(folder));
    made = true;
    atexit(remove_folder);
}

static void put_file(const char *name, const uint8_t *at, size_t length)
{
    static const char first[] = "dolly-run 1\0version=" DOLLY_VERSION;
    char path[128];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "we");
    check(f && (strcmp(name, "run") != 0 || fwrite(first, sizeof first, 1, f) == 1));
    check((length == 0 || fwrite(at, length, 1, f) == 1) && fclose(f) == 0);
}

/* Settings end with a newline here and with a zero there, and the first two are given. A line of
 * three dashes stands between DIR/run, DIR/args/0, DIR/args/skip and DIR/args/seqs. */
static void put_files(const uint8_t *at, size_t length)
{
    static const char *const names[] = {"run", "args/0", "args/skip", "args/seqs"};
    char path[128];

    snprintf(path, sizeof path, "%s/args", folder);
    mkdir(path, 0700);
    for (int i = 0; i < 4; i++) {
        const uint8_t *next = length ? memmem(at, length, "---\n", 4) : NULL;
        size_t n = next ? (size_t)(next - at) : length;
        uint8_t *text = (uint8_t *)fuzz_text(at, n);
        for (size_t k = 0; i == 0 && k < n; k++)
            text[k] = text[k] == '\n' ? 0 : text[k];
        put_file(names[i], text, n);
        mem_free(text);
        at += n + (next ? 4 : 0);
        length -= n + (next ? 4 : 0);
    }
}

void fuzz_resume(const uint8_t *at, size_t length)
{
    struct map m = {0};
    struct err err;
    struct str command = {0};
    int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    make_folder();
    put_files(at, length);
    if (map_keep_read(&m, folder, &err) == 0 && map_open(&m, &err) == 0)
        for (uint32_t i = 0; i < m.tasks && i < TASKS_MAX; i++) {
            plan_command(m.plan, i, 1, &command);
            str_addf(&command, "%llu", (unsigned long long)plan_seq(m.plan, i));
        }
    map_close(&m);
    str_free(&command);
    check(here >= 0 && fchdir(here) == 0);
    close(here);
}
