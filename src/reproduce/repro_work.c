/* repro_work.c - a store of results, and the processes that fill it.
 *
 * The problem: a reproduction is some hundred simulations. It must use all cores, survive ^C, and
 * never show a result that belongs to another program or another world than the ones at hand.
 *
 * The method: every run is a child process, `dolly COMMAND --json` or a script, whose output goes
 * to a file. The name of the file is a digest of the program, the command, and the content of every
 * file that the command names (of a script: of every file in its folder). A file that exists is a
 * finished run: outputs are written under another name and renamed at the end. Nothing needs to be
 * recorded about progress.
 *
 * Rejected: threads over the simulator function. Its runs would share one address space for no
 * gain, a crash would end all of them, and scripts need processes anyway. */
#include "reproduce/repro_work.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "reproduce/repro_store.h"
#include "ui/bar.h"
#include "ui/interrupt.h"

enum { TELL_EVERY_US = 10 * 1000 * 1000, DRAW_EVERY_US = 250 * 1000 };

extern char **environ;

/* ---- commands ---- */

int repro_work_add(struct repro_work *w, const char *command, const char *folder, struct err *err)
{
    static const char *const known[] = {"sim ", "model ", "workload ", "script "};
    bool fine = false;
    struct str path = {0};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        fine = fine || strncmp(command, known[i], strlen(known[i])) == 0;
    if (!fine)
        return err_set(err, "a run is one of sim, model, workload and script, not '%s'", command);
    repro_store_path(w->store, w->dolly_digest, w->quick, command, folder, &path);
    for (uint32_t i = 0; i < w->units.count; i++)
        if (strcmp(w->units.at[i].path, path.text) == 0) { /* also of another paper */
            str_free(&path);
            return (int)i;
        }
    struct repro_unit unit = {
        .command = mem_strdup(command), .folder = mem_strdup(folder), .path = path.text};
    unit.done = !w->fresh && access(unit.path, R_OK) == 0;
    w->kept += unit.done;
    vec_push(&w->units, unit);
    return (int)w->units.count - 1;
}

/* ---- processes ---- */

int repro_work_spawn(char *const *argv, const char *folder, const char *out, const char *log,
                     int *pid)
{
    posix_spawn_file_actions_t files;

    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_addopen(&files, 2, log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_addchdir_np(&files, folder);
    int error = posix_spawnp(pid, argv[0], &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* Starts the unit; its output goes to PATH.new, its messages to PATH.log. */
static int unit_start(struct repro_work *w, struct repro_unit *u, struct err *err)
{
    char *copy = mem_strdup(u->command), *words[REPRO_WORDS_MAX], *argv[REPRO_WORDS_MAX + 2];
    int count = repro_store_split(copy, words), argc = 0;
    bool script = strcmp(words[0], "script") == 0;
    struct str out = {0}, log = {0};

    argv[argc++] = script ? "bash" : w->dolly;
    for (int i = script ? 1 : 0; i < count; i++)
        argv[argc++] = words[i];
    if (!script)
        argv[argc++] = "--json";
    argv[argc] = NULL;
    str_addf(&out, "%s.new", u->path);
    str_addf(&log, "%s.log", u->path);
    int error = repro_work_spawn(argv, u->folder, out.text, log.text, &u->pid);
    str_free(&out);
    str_free(&log);
    mem_free(copy);
    if (error) {
        u->pid = 0;
        return err_system(err, "cannot start '%s': %s", u->command, strerror(error));
    }
    return 0;
}

/* The last line that the unit complained with, into `text`. */
static void last_words(const char *log, char *text, size_t size)
{
    FILE *in = fopen(log, "r");
    char line[256];

    snprintf(text, size, "no message");
    while (in && fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0])
            snprintf(text, size, "%s", line);
    }
    if (in)
        fclose(in);
}

static int unit_end(struct repro_unit *u, int status, struct err *err)
{
    struct str out = {0}, log = {0};
    char words[300];
    int result = 0;

    str_addf(&out, "%s.new", u->path);
    str_addf(&log, "%s.log", u->path);
    u->pid = 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        last_words(log.text, words, sizeof words);
        result = err_system(err, "'%.150s' failed: %s", u->command, words);
    } else if (rename(out.text, u->path) < 0) {
        result = err_system(err, "cannot keep %s: %s", u->path, strerror(errno));
    }
    if (result < 0)
        unlink(out.text);
    unlink(log.text);
    u->done = result == 0;
    str_free(&out);
    str_free(&log);
    return result;
}

/* ---- progress ---- */

struct work_progress {
    bool terminal;
    int64_t begun_us, told_us;
    uint32_t begun_done;
};

static uint32_t count_done(const struct repro_work *w)
{
    uint32_t done = 0;

    for (uint32_t i = 0; i < w->units.count; i++)
        done += w->units.at[i].done;
    return done;
}

/* What all runs so far have cost: on a busy machine the clock says little. */
static double children_cpu_s(void)
{
    struct rusage usage;

    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void tell(const struct repro_work *w, struct work_progress *p, bool last)
{
    int64_t now_us = bar_clock_us();
    uint32_t done = count_done(w), ran = done - p->begun_done;
    double passed = (double)(now_us - p->begun_us) / 1e6;

    if (!last && now_us - p->told_us < (p->terminal ? DRAW_EVERY_US : TELL_EVERY_US))
        return;
    p->told_us = now_us;
    fprintf(stderr, "%sreproduce: %" PRIu32 " of %" PRIu32 " runs, %.0f s", p->terminal ? "\r" : "",
            done, w->units.count, passed);
    if (ran > 0 && !last)
        fprintf(stderr, ", about %.0f s to go", passed / ran * (w->units.count - done));
    if (last)
        fprintf(stderr, ", %.0f s of processor time", children_cpu_s());
    fprintf(stderr, "%s", p->terminal ? "\033[K" : "\n");
    if (p->terminal && last)
        fputc('\n', stderr);
}

/* ---- the loop ---- */

static int running(const struct repro_work *w)
{
    int n = 0;

    for (uint32_t i = 0; i < w->units.count; i++)
        n += w->units.at[i].pid > 0;
    return n;
}

static int start_some(struct repro_work *w, struct err *err)
{
    int free = w->parallel - running(w);

    for (uint32_t i = 0; i < w->units.count && free > 0; i++)
        if (!w->units.at[i].done && w->units.at[i].pid == 0) {
            if (unit_start(w, &w->units.at[i], err) < 0)
                return -1;
            free--;
        }
    return 0;
}

/* Takes in every unit that has ended. */
static int reap(struct repro_work *w, struct err *err)
{
    for (uint32_t i = 0; i < w->units.count; i++) {
        struct repro_unit *u = &w->units.at[i];
        int status;
        if (u->pid > 0 && waitpid(u->pid, &status, WNOHANG) == u->pid &&
            unit_end(u, status, err) < 0)
            return -1;
    }
    return 0;
}

static void stop_all(struct repro_work *w)
{
    struct err ignored;
    int status;

    for (uint32_t i = 0; i < w->units.count; i++)
        if (w->units.at[i].pid > 0)
            kill(w->units.at[i].pid, SIGTERM);
    for (uint32_t i = 0; i < w->units.count; i++)
        if (w->units.at[i].pid > 0) {
            while (waitpid(w->units.at[i].pid, &status, 0) < 0 && errno == EINTR)
                continue;
            unit_end(&w->units.at[i], status, &ignored);
        }
}

int repro_work_run(struct repro_work *w, struct err *err)
{
    struct work_progress p = {.terminal = isatty(STDERR_FILENO) == 1,
                              .begun_us = bar_clock_us(),
                              .begun_done = count_done(w)};
    int result = 0;

    p.told_us = p.begun_us;
    if (w->kept > 0)
        fprintf(stderr, "reproduce: %" PRIu32 " of %" PRIu32 " runs are there already, in %s\n",
                w->kept, w->units.count, w->store);
    while (result == 0 && count_done(w) < w->units.count) {
        if (interrupt_came())
            result = err_system(err, "interrupted; the same command goes on from here");
        if (result == 0)
            result = start_some(w, err);
        if (result == 0)
            usleep(20 * 1000);
        if (result == 0)
            result = reap(w, err);
        tell(w, &p, false);
    }
    if (result < 0)
        stop_all(w);
    if (count_done(w) > p.begun_done)
        tell(w, &p, true);
    return result;
}

/* ---- the store ---- */

int repro_work_init(struct repro_work *w, const char *store, bool fresh, bool quick, int parallel,
                    struct err *err)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

    *w = (struct repro_work){.fresh = fresh, .quick = quick, .parallel = parallel};
    if (n < 0)
        return err_system(err, "cannot find this program: %s", strerror(errno));
    self[n] = '\0';
    w->dolly = mem_strdup(self);
    w->dolly_digest = repro_store_digest(self);
    w->store = repro_store_open(store, err);
    if (!w->store)
        return -1;
    setenv("DOLLY", w->dolly, 1); /* for scripts */
    setenv("DOLLY_QUICK", quick ? "1" : "", 1);
    return 0;
}

void repro_work_fini(struct repro_work *w)
{
    for (uint32_t i = 0; i < w->units.count; i++) {
        mem_free(w->units.at[i].command);
        mem_free(w->units.at[i].folder);
        mem_free(w->units.at[i].path);
    }
    vec_free(&w->units);
    free(w->store);
    mem_free(w->dolly);
}
