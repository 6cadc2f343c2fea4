/* Death, confirmed.
 *
 * An attempt is over when its main process and everything that descends from it are gone; only
 * then may its slot be given away and its output be read. Its process group is the quick way to
 * most of it. What has left the group becomes our own child once its parent is dead
 * (descendants.h), and then the question is whose it is. In order of cost: it is still in the group
 * of an attempt; its environment carries an attempt's mark; it holds the pipe an attempt was born
 * with, or an output of the attempt: left alive it would write into what is committed, or into the
 * output of the next attempt in that folder. A process that hides from all four is ended together
 * with the last attempt that may have been its ancestor, that is, of those that had been launched
 * when it was first seen.
 *
 * A main process is signalled by number only while it is not reaped, when the number cannot have
 * been given to another process; so a group is killed before its leader is waited for. */
#include "exec/process/reaper.h"

#include <errno.h>
#include <stdio.h>

#include "base/check.h"
#include "exec/process/start.h"
#include "exec/process/sys.h"

/* An environment can be unreadable for the instant of an exec; after this many looks it is empty
 * for good. */
enum { REAPER_LOOKS = 3 };

/* Sends a signal; a process that is gone already is fine. */
static void reaper_signal(struct reaper *r, pid_t pid, int sig)
{
    check(pid > 1 || pid < -1);
    if (sys_kill(pid, sig) < 0 && errno != ESRCH)
        r->again = true;
}

static void reaper_count(struct packet_end *end, const struct rusage *use)
{
    end->cpu_us += (int64_t)(use->ru_utime.tv_sec + use->ru_stime.tv_sec) * 1000000 +
                   use->ru_utime.tv_usec + use->ru_stime.tv_usec;
    if (use->ru_maxrss > end->peak_rss_kib)
        end->peak_rss_kib = use->ru_maxrss;
}

void reaper_dead(struct reaper *r)
{
    for (;;) {
        siginfo_t info = {0};
        struct rusage use;
        int status;

        if (sys_waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0) {
            r->again |= errno != ECHILD;
            return;
        }
        if (info.si_pid == 0)
            return;
        struct process *p = process_by_pid(r->table, info.si_pid);
        if (p)
            reaper_signal(r, -info.si_pid, SIGKILL);
        if (sys_wait4(info.si_pid, &status, WNOHANG, &use) != info.si_pid) {
            r->again = true;
            return;
        }
        struct orphan *orphan = process_orphan(r->table, info.si_pid);
        if (p) {
            p->state = PROCESS_ENDING;
            p->end.status = status;
            /* An attempt that was not warned and still exits had done so before the KILL arrived.
             */
            if (!p->warned && !WIFSIGNALED(status))
                p->killed = false;
            reaper_count(&p->end, &use);
            lookup_remove(&r->table->by_pid, (uint64_t)info.si_pid);
        } else if (orphan) {
            struct process *owner = process_by_handle(r->table, orphan->owner);
            if (owner)
                reaper_count(&owner->end, &use);
            *orphan = r->table->orphans.at[--r->table->orphans.count];
        }
    }
}

static struct process *reaper_by_group(struct process_table *table, pid_t group)
{
    /* By number for the common case; attempts whose leader is reaped are few. */
    struct process *p = process_by_pid(table, group);

    for (uint32_t i = 0; !p && i < table->at.count; i++)
        if (table->at.at[i].state == PROCESS_ENDING && table->at.at[i].pid == group)
            p = &table->at.at[i];
    return p;
}

/* Finds the owner of an orphan and notes it; false when it is too early to say. */
static bool reaper_identify(struct reaper *r, struct orphan *o)
{
    struct process *p = reaper_by_group(r->table, getpgid(o->pid));
    char pipe[32];
    uint32_t handle;

    if (p) {
        o->owner = p->handle;
        return true;
    }
    switch (lineage_of(r->lineage, o->pid, &handle)) {
    case 1:
        o->owner = handle;
        return true;
    case -1:
        if (++o->tries < REAPER_LOOKS)
            return false;
    }
    for (uint32_t i = 0; i < r->table->at.count; i++) {
        p = &r->table->at.at[i];
        snprintf(pipe, sizeof pipe, "pipe:[%llu]", (unsigned long long)p->pipe);
        if (p->state != PROCESS_FREE && p->order < o->before &&
            (lineage_holds(o->pid, pipe) ||
             (p->flight && p->flight->dir && lineage_writes(o->pid, p->flight->dir)))) {
            o->owner = p->handle;
            return true;
        }
    }
    return true;
}

/* An orphan without an owner may belong to any attempt launched before it was seen. While one of
 * these runs it is left alone; else it dies, and the ending ones among them wait for that. */
static void reaper_unowned(struct reaper *r, const struct orphan *o)
{
    for (uint32_t i = 0; i < r->table->at.count; i++) {
        struct process *p = &r->table->at.at[i];
        if (p->state == PROCESS_RUNNING && !p->doomed && p->order < o->before)
            return;
    }
    reaper_signal(r, o->pid, SIGKILL);
    for (uint32_t i = 0; i < r->table->at.count; i++)
        r->table->at.at[i].held |= r->table->at.at[i].order < o->before;
}

static void reaper_look(struct reaper *r, pid_t pid)
{
    struct orphan *o = process_orphan(r->table, pid);

    if (!o) {
        vec_push(&r->table->orphans, ((struct orphan){pid, LOOKUP_NONE, 0, r->table->launches}));
        o = &r->table->orphans.at[r->table->orphans.count - 1];
    }
    if (o->owner == LOOKUP_NONE && o->tries < REAPER_LOOKS && !reaper_identify(r, o)) {
        r->again = true;
        for (uint32_t i = 0; i < r->table->at.count; i++)
            r->table->at.at[i].held = true;
        return;
    }
    struct process *owner = process_by_handle(r->table, o->owner);
    if (o->owner == LOOKUP_NONE) {
        reaper_unowned(r, o);
    } else if (!owner) { /* born while its attempt was being reaped */
        reaper_signal(r, pid, SIGKILL);
    } else if (owner->state == PROCESS_ENDING || owner->doomed) {
        owner->held = true;
        reaper_signal(r, pid, SIGKILL);
    }
}

void reaper_sweep(struct reaper *r, void (*ended)(void *ctx, struct process *p), void *ctx)
{
    for (uint32_t i = 0; i < r->table->at.count; i++) {
        struct process *p = &r->table->at.at[i];
        p->held = false;
        if (p->state == PROCESS_RUNNING && p->doomed) /* again, in case the first signal failed */
            reaper_signal(r, p->pid, SIGKILL);
    }
    if (descendants_list(r->descendants) < 0) {
        r->again = true;
        return;
    }
    for (uint32_t i = 0; i < r->descendants->pids.count; i++)
        if (!process_by_pid(r->table, r->descendants->pids.at[i]))
            reaper_look(r, r->descendants->pids.at[i]);
    for (uint32_t i = 0; i < r->table->at.count; i++)
        if (r->table->at.at[i].state == PROCESS_ENDING && !r->table->at.at[i].held)
            ended(ctx, &r->table->at.at[i]);
}

static void reaper_doom(struct reaper *r, struct process *p)
{
    p->doomed = true;
    p->kill_at_us = INT64_MAX;
    /* The main process before its children: a shell that saw them die could still say that all went
     * well. And not by its group alone: it may have moved to another one. */
    reaper_signal(r, p->pid, SIGKILL);
    reaper_signal(r, -p->pid, SIGKILL);
}

void reaper_kill(struct reaper *r, struct process *p, int64_t now_us, int64_t grace_us)
{
    siginfo_t info = {0};

    if (p->state != PROCESS_RUNNING)
        return;
    if (sys_waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid)
        return;
    if (grace_us <= 0) {
        reaper_doom(r, p);
    } else {
        if (!p->warned) {
            p->warned = true;
            /* It has no group yet while it is being started. */
            if (sys_kill(-p->pid, SIGTERM) < 0)
                reaper_signal(r, p->pid, SIGTERM);
            reaper_signal(r, -p->pid, SIGCONT); /* a stopped process cannot act on it */
        }
        if (now_us + grace_us < p->kill_at_us)
            p->kill_at_us = now_us + grace_us;
    }
    p->killed = true;
}

int64_t reaper_overdue(struct reaper *r, int64_t now_us)
{
    int64_t next = INT64_MAX;

    for (uint32_t i = 0; i < r->table->at.count; i++) {
        struct process *p = &r->table->at.at[i];
        if (p->state != PROCESS_RUNNING)
            continue;
        if (p->kill_at_us <= now_us)
            reaper_doom(r, p);
        if (p->kill_at_us < next)
            next = p->kill_at_us;
    }
    return next;
}
