/* repro_work.c - a store of results, and the processes that fill it.
 *
 * The problem: a reproduction is some hundred simulations. It must use all cores, survive ^C, and
 * never show a result that belongs to another program or another world than the ones at hand.
 *
 * The method: every run is a child process, `dolly COMMAND --json` or a script, whose output goes
 * to a file. The name of the file is a digest of the program, the command, and the content of every
 * file that the command names (of a script: of every file in its folder). A file that exists is a
 * finished run: outputs are written under another name and renamed at the end. Nothing needs to be
 * recorded about progress, and a changed program or world simply finds no result.
 *
 * Rejected: threads over the simulator function. Its runs would share one address space for no
 * gain, a crash would end all of them, and scripts need processes anyway. Comparing times of files,
 * as make does: a checkout or a copy changes times and nothing else. */
#include "commands/reproduce/repro_work.h"

#include <dirent.h>
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
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/own_path.h"
#include "base/os/path.h"
#include "base/text.h"
#include "inputs/cluster/about.h"
#include "ui/interrupt.h"

enum {
    REPORT_EVERY_US = 10 * 1000 * 1000,
    DRAW_EVERY_US = 250 * 1000,
    WORDS_MAX = 64, /* of a command */
};

extern char **environ;

static bool is_script(const char *command)
{
    return strncmp(command, "script ", strlen("script ")) == 0;
}

/* Splits a command at blanks, in place; returns the number of words. There is no quoting: no
 * policy, path or number of ours needs a blank. */
static int split(char *command, char *words[WORDS_MAX])
{
    int n = 0;

    for (char *word = strtok(command, " \t"); word && n < WORDS_MAX; word = strtok(NULL, " \t"))
        words[n++] = word;
    return n;
}

/* ---- names of results ---- */

/* Of the content; a file that cannot be read counts as empty, the run will say so. */
static uint64_t digest_file(uint64_t digest, const char *path)
{
    struct about_hash hash = about_hash(path);

    return XXH3_64bits_withSeed(hash.text, strlen(hash.text), digest);
}

/* What a script may read: no hidden files, and no formulas. */
static int counts(const struct dirent *e)
{
    const char *dot = strrchr(e->d_name, '.');

    return e->d_name[0] != '.' && (!dot || strcmp(dot, ".experiment") != 0);
}

static uint64_t digest_folder(uint64_t digest, const char *folder)
{
    struct dirent **names;
    int count = scandir(folder, &names, counts, alphasort);

    for (int i = 0; i < count; i++) {
        digest = digest_file(digest, path_of("%s/%s", folder, names[i]->d_name).text);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    return digest;
}

static uint64_t digest_command(const struct repro_work *w, const char *command, const char *folder)
{
    char *copy = mem_strdup(command), *words[WORDS_MAX];
    int count = split(copy, words);
    bool script = is_script(command);
    uint64_t digest = XXH3_64bits_withSeed(command, strlen(command), w->dolly_digest);

    if (script && w->quick)
        digest = XXH3_64bits_withSeed("quick", 5, digest);
    for (int i = 1; i < count; i++) {
        bool whole = words[i][0] == '/';
        struct path path = path_of("%s%s%s", whole ? "" : folder, whole ? "" : "/", words[i]);
        digest = digest_file(digest, path.text);
        if (script && i == 1) {
            *strrchr(path.text, '/') = '\0';
            digest = digest_folder(digest, path.text);
        }
    }
    mem_free(copy);
    return digest;
}

int repro_work_add(struct repro_work *w, const char *command, const char *folder, struct err *err)
{
    static const char *const known[] = {"sim ", "model ", "workload ", "script "};
    bool fine = false;

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        fine = fine || strncmp(command, known[i], strlen(known[i])) == 0;
    if (!fine)
        return err_set(err, "a run is one of sim, model, workload and script, not '%s'", command);
    struct path path =
        path_of("%s/%016" PRIx64 ".json", w->store, digest_command(w, command, folder));
    for (uint32_t i = 0; i < w->units.count; i++)
        if (strcmp(w->units.at[i].path, path.text) == 0) /* also of another paper */
            return (int)i;
    struct repro_unit unit = {.command = mem_strdup(command),
                              .folder = mem_strdup(folder),
                              .path = mem_strdup(path.text)};
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

static int unit_start(struct repro_work *w, struct repro_unit *u, struct err *err)
{
    char *copy = mem_strdup(u->command), *words[WORDS_MAX], *argv[WORDS_MAX + 5] = {0};
    struct path out = path_of("%s.new", u->path), log = path_of("%s.log", u->path);
    int count = split(copy, words), skip = is_script(u->command) ? 1 : 0;

    argv[0] = skip ? "bash" : w->dolly;
    for (int i = skip; i < count; i++)
        argv[1 + i - skip] = words[i];
    if (!skip)
        argv[1 + count] = "--json";
    if (!strcmp(words[0], "sim")) { /* other units have the other cores */
        argv[2 + count] = "--parallel";
        argv[3 + count] = "1";
    }
    unlink(out.text); /* what is left of a run that was killed, or a link that waits there */
    unlink(log.text);
    int error = repro_work_spawn(argv, u->folder, out.text, log.text, &u->pid);
    mem_free(copy);
    if (!error)
        return 0;
    u->pid = 0;
    unlink(out.text); /* made before the folder or the program was found to be missing */
    unlink(log.text);
    return err_system(err, "cannot start '%s': %s", u->command, strerror(error));
}

/* The last line that a unit complained with, into `text`. */
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
    struct path out = path_of("%s.new", u->path), log = path_of("%s.log", u->path);
    char words[300];
    int result = 0;

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
    return result;
}

/* Starts units as long as there is room. */
static int start_some(struct repro_work *w, struct err *err)
{
    int running = 0;

    for (uint32_t i = 0; i < w->units.count; i++)
        running += w->units.at[i].pid > 0;
    for (uint32_t i = 0; i < w->units.count && running < w->parallel; i++)
        if (!w->units.at[i].done && w->units.at[i].pid == 0) {
            if (unit_start(w, &w->units.at[i], err) < 0)
                return -1;
            running++;
        }
    return 0;
}

/* Takes in every unit that has ended; -1 with *err after the first that failed. */
static int reap(struct repro_work *w, int options, struct err *err)
{
    int result = 0;

    for (uint32_t i = 0; i < w->units.count && result == 0; i++) {
        struct repro_unit *u = &w->units.at[i];
        int status, pid = 0;
        if (u->pid > 0)
            while ((pid = waitpid(u->pid, &status, options)) < 0 && errno == EINTR)
                continue;
        if (pid > 0)
            result = unit_end(u, status, err);
    }
    return result;
}

static void stop_all(struct repro_work *w)
{
    struct err ignored;

    for (uint32_t i = 0; i < w->units.count; i++)
        if (w->units.at[i].pid > 0)
            kill(w->units.at[i].pid, SIGTERM);
    while (reap(w, 0, &ignored) < 0)
        continue;
}

/* ---- the loop ---- */

struct work_progress {
    bool terminal;
    int64_t begun_us, reported_us;
    uint32_t begun_done;
};

static uint32_t count_done(const struct repro_work *w)
{
    uint32_t done = 0;

    for (uint32_t i = 0; i < w->units.count; i++)
        done += w->units.at[i].done;
    return done;
}

static void report(const struct repro_work *w, struct work_progress *p, bool last)
{
    int64_t now_us = clock_now_us();
    uint32_t done = count_done(w), ran = done - p->begun_done;
    double passed = (double)(now_us - p->begun_us) / 1e6;
    struct rusage usage; /* on a busy machine the clock says little */

    if (!last && now_us - p->reported_us < (p->terminal ? DRAW_EVERY_US : REPORT_EVERY_US))
        return;
    p->reported_us = now_us;
    getrusage(RUSAGE_CHILDREN, &usage);
    fprintf(stderr, "%sreproduce: %" PRIu32 " of %" PRIu32 " runs, %.0f s", p->terminal ? "\r" : "",
            done, w->units.count, passed);
    if (ran > 0 && !last)
        fprintf(stderr, ", about %.0f s to go", passed / ran * (w->units.count - done));
    if (last)
        fprintf(stderr, ", %.0f s of processor time",
                (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                    (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
    fprintf(stderr, "%s", !p->terminal ? "\n" : last ? "\033[K\n" : "\033[K");
}

int repro_work_run(struct repro_work *w, struct err *err)
{
    struct work_progress p = {.terminal = isatty(STDERR_FILENO) == 1,
                              .begun_us = clock_now_us(),
                              .begun_done = count_done(w)};
    int result = 0;

    p.reported_us = p.begun_us;
    if (w->kept > 0)
        fprintf(stderr, "reproduce: %" PRIu32 " of %" PRIu32 " runs are there already, in %s\n",
                w->kept, w->units.count, w->store);
    while (result == 0 && count_done(w) < w->units.count) {
        result = interrupt_came()
                     ? err_system(err, "interrupted; the same command continues from here")
                     : start_some(w, err);
        if (result == 0) {
            usleep(20 * 1000);
            result = reap(w, WNOHANG, err);
        }
        report(w, &p, false);
    }
    if (result < 0)
        stop_all(w);
    if (count_done(w) > p.begun_done)
        report(w, &p, true);
    return result;
}

/* ---- the store ---- */

static int make_folders(char *path, mode_t mode, struct err *err)
{
    for (char *slash = path; slash && *slash;) {
        slash = strchr(slash + 1, '/');
        if (slash)
            *slash = '\0';
        if (mkdir(path, mode) < 0 && errno != EEXIST)
            return err_system(err, "cannot make the folder %s: %s", path, strerror(errno));
        if (slash)
            *slash = '/';
    }
    return 0;
}

/* The folder as an absolute path, because commands run in other folders; NULL with *err. */
static char *open_store(const char *named, struct err *err)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    struct path path;

    if (named)
        path = path_of("%s", named);
    else if (cache && *cache)
        path = path_of("%s/dolly/reproduce", cache);
    else if (home && *home)
        path = path_of("%s/.cache/dolly/reproduce", home);
    else { /* /tmp is everybody's, and results that others have put there would be believed */
        err_set(err, "HOME is not set; name a folder for the results: --store DIR");
        return NULL;
    }
    if (make_folders(path.text, named ? 0777 : 0700, err) < 0)
        return NULL;
    char *store = realpath(path.text, NULL);
    if (!store)
        err_system(err, "cannot use the folder %s: %s", path.text, strerror(errno));
    return store;
}

int repro_work_init(struct repro_work *w, const char *store, bool fresh, bool quick, int parallel,
                    struct err *err)
{
    char self[PATH_MAX];

    *w = (struct repro_work){.fresh = fresh, .quick = quick, .parallel = parallel};
    if (own_path(self, err) < 0)
        return -1;
    w->dolly = mem_strdup(self);
    w->dolly_digest = digest_file(0, self);
    w->store = open_store(store, err);
    setenv("DOLLY", w->dolly, 1); /* for scripts */
    setenv("DOLLY_QUICK", quick ? "1" : "", 1);
    return w->store ? 0 : -1;
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
