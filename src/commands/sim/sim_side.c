/* sim_side.c - see sim_run.h.
 *
 * The problem: policies and seeds of a comparison do not depend on each other, and one core did all
 * the work. The method: each simulation is a fork of this process, which has read the jobs, made
 * the cluster and the policies, and needs nothing else. Its numbers are plain data and go into
 * memory that the processes share, in a place of their own, so that the order in which simulations
 * end changes nothing. A pipe that only the child holds open reports its end.
 *
 * Rejected: threads. A simulation that crashes or runs out of memory would take the others with it,
 * and ^C could not end one that computes. */
#include "commands/sim/sim_run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/die_with.h"
#include "ui/bar.h"
#include "ui/interrupt.h"

enum { DRAW_EVERY_MS = 100 };

/* Shared with the process of a simulation. */
struct side_slot {
    _Atomic uint64_t progress[BAR_PROGRESS];
    bool ended; /* and so `failed`, and `err` or `run`, are set */
    bool failed;
    struct err err;
    struct sim_run run;
};

/* A process that runs. */
struct side_child {
    uint32_t which; /* of the runs */
    pid_t pid;
    int pipe;
};

struct side {
    const struct sim_args *args;
    const struct sim_side_run *runs;
    uint32_t count, at_once, begun, done;
    struct side_slot *slots;
    struct side_child *children; /* at most at_once */
    uint32_t running;
    uint32_t failed; /* the first run that failed, else `count`; none after it is begun */
    struct err err;  /* its own */
    bool is_drawn;
    int64_t begun_us;
};

static void fail(struct side *s, uint32_t which, const struct err *err)
{
    if (which >= s->failed)
        return;
    s->failed = which;
    s->err = *err;
    /* Those before it may fail as well, and then theirs is the error. */
    for (uint32_t i = 0; i < s->running; i++)
        if (s->children[i].which > which)
            kill(s->children[i].pid, SIGKILL);
}

/* ---- the process of a simulation ---- */

static _Noreturn void simulate(const struct side *s, uint32_t which, pid_t parent)
{
    struct side_slot *slot = &s->slots[which];
    const struct sim_side_run *run = &s->runs[which];
    struct bar bar;

    die_with(parent, SIGKILL);
    bar_init(&bar);
    bar.progress = slot->progress;
    slot->run = *run->run;
    slot->failed = sim_run_once(s->args, run->policy, run->seed, &bar, &slot->run, &slot->err) < 0;
    slot->progress[BAR_JOBS] = bar.jobs_total;
    slot->ended = true;
    _exit(0);
}

static int begin(struct side *s, struct err *err)
{
    struct side_child *child = &s->children[s->running];
    pid_t self = getpid();
    int ends[2];

    if (pipe(ends) < 0)
        return err_set(err, "cannot make a pipe: %s", strerror(errno));
    fflush(NULL); /* or the child would have a copy of what is not printed yet */
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        for (uint32_t i = 0; i < s->running; i++)
            close(s->children[i].pipe);
        simulate(s, s->begun, self);
    }
    int why = errno;
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return err_set(err, "cannot start a process: %s", strerror(why));
    }
    *child = (struct side_child){s->begun++, pid, ends[0]};
    s->running++;
    return 0;
}

/* ---- this process ---- */

/* The numbers of a run that has ended, or why it failed. */
static void collect(struct side *s, uint32_t which, int status)
{
    struct side_slot *slot = &s->slots[which];
    const struct sim_side_run *run = &s->runs[which];
    struct err err;

    s->done++;
    if (!slot->ended) {
        const char *name = sim_args_row(s->args, run->policy);
        int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        if (number)
            err_set(&err, "the simulation of %s was ended by signal %d%s", name, number,
                    number == SIGKILL ? "; if memory is short, use --parallel 1" : "");
        else
            err_set(&err, "the process that simulated %s ended without a result", name);
        err.kind = ERR_SYSTEM;
        fail(s, which, &err);
    } else if (slot->failed) {
        fail(s, which, &slot->err);
    } else {
        *run->run = slot->run;
    }
}

static void reap(struct side *s, uint32_t i)
{
    struct side_child child = s->children[i];
    int status = 0;

    while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR)
        ;
    close(child.pipe);
    s->children[i] = s->children[--s->running];
    collect(s, child.which, status);
}

/* The share of the work that is done: runs have as many jobs as the first that ended. */
static double share_done(const struct side *s, uint64_t *jobs, uint64_t *events)
{
    uint64_t most = 0;
    double share = 0;

    *jobs = *events = 0;
    for (uint32_t i = 0; i < s->begun; i++) {
        if (s->slots[i].ended && s->slots[i].progress[BAR_JOBS] > most)
            most = s->slots[i].progress[BAR_JOBS];
        *jobs += s->slots[i].progress[BAR_JOBS];
        *events += s->slots[i].progress[BAR_EVENTS];
    }
    for (uint32_t i = 0; i < s->begun; i++) {
        double part = most ? (double)s->slots[i].progress[BAR_JOBS] / (double)most : 0;
        share += s->slots[i].ended || part > 1 ? 1 : part;
    }
    return share / s->count;
}

static void draw(const struct side *s)
{
    struct str text = {0}, eta = {0};
    uint64_t jobs, events;
    double took_s = (double)(clock_now_us() - s->begun_us) / 1e6;
    double done = share_done(s, &jobs, &events);

    str_addf(&text, "%u of %u runs, %llu jobs, %.2f million events/s", s->done, s->count,
             (unsigned long long)jobs, took_s > 0 ? (double)events / took_s / 1e6 : 0);
    if (s->done > 0 && done > 0)
        str_addf(&eta, "ETA %.0f s", took_s / done * (1 - done));
    bar_put(done, text.text, eta.text);
    str_free(&text);
    str_free(&eta);
}

static void await_some(struct side *s)
{
    struct pollfd *at = mem_zalloc(s->running, sizeof *at);

    for (uint32_t i = 0; i < s->running; i++)
        at[i] = (struct pollfd){.fd = s->children[i].pipe, .events = POLLIN};
    int ready = poll(at, s->running, s->is_drawn ? DRAW_EVERY_MS : -1);
    for (uint32_t i = s->running; ready > 0 && i-- > 0;) /* reaping moves only later ones */
        if (at[i].revents)
            reap(s, i);
    mem_free(at);
    if (s->is_drawn)
        draw(s);
}

static void run_all(struct side *s)
{
    struct err err;

    while (s->done < s->begun || (s->begun < s->count && s->failed == s->count)) {
        if (interrupt_came()) {
            err_set(&err, "interrupted");
            err.kind = ERR_SYSTEM;
            s->failed = s->count; /* whatever failed before */
            for (uint32_t i = 0; i < s->running; i++)
                kill(s->children[i].pid, SIGKILL);
            fail(s, 0, &err);
        }
        while (s->failed == s->count && s->begun < s->count && s->running < s->at_once)
            if (begin(s, &err) < 0) {
                err.kind = ERR_SYSTEM;
                fail(s, s->begun, &err);
            }
        if (s->running > 0)
            await_some(s);
    }
}

int sim_side_runs(const struct sim_args *a, const struct sim_side_run *runs, uint32_t count,
                  uint32_t at_once, struct err *err)
{
    struct side s = {.args = a,
                     .runs = runs,
                     .count = count,
                     .at_once = at_once,
                     .failed = count,
                     .is_drawn = isatty(STDERR_FILENO),
                     .begun_us = clock_now_us()};
    size_t bytes = count * sizeof *s.slots;

    s.slots = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s.slots == MAP_FAILED)
        return err_system(err, "cannot share memory: %s", strerror(errno));
    s.children = mem_zalloc(at_once, sizeof *s.children);
    run_all(&s);
    if (s.is_drawn)
        bar_wipe();
    mem_free(s.children);
    munmap(s.slots, bytes);
    if (s.failed < count)
        *err = s.err;
    return s.failed < count ? -1 : 0;
}
