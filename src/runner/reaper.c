/* Death, confirmed.
 *
 * An attempt is over when its main process and everything that descends from it are gone; only
 * then may its place be given away and its output be read. Its process group is the quick way to
 * most of it. What has left the group shows up as our own child once its parent is dead (see
 * tree.h), and then the question is whose it is. In order of cost: it is still in the group of an
 * attempt; its environment carries an attempt's mark; it holds the pipe an attempt was born with. A
 * process that hides from all three is ended together with the last attempt that may have been its
 * ancestor, that is, of those that had been launched when it was first seen.
 *
 * A main process is killed or buried by number only while it is unburied, when the number cannot
 * have been given to anybody else; so a group is killed before its leader is waited for. */
#include "runner/reaper.h"

#include <errno.h>

#include "base/check.h"
#include "runner/sys.h"

/* An environment can be unreadable for the instant of an exec; after so many looks it is empty for
 * good. */
enum { REAP_LOOKS = 3 };

/* Sends a signal; a process that is gone already is fine. */
static void reap_signal(struct reaper *r, pid_t pid, int sig)
{
    check(pid > 1 || pid < -1);
    if (sys_kill(pid, sig) < 0 && errno != ESRCH)
        r->again = true;
}

static void reap_count(struct packet_end *end, const struct rusage *use)
{
    end->cpu_us += (int64_t)(use->ru_utime.tv_sec + use->ru_stime.tv_sec) * 1000000 +
                   use->ru_utime.tv_usec + use->ru_stime.tv_usec;
    if (use->ru_maxrss > end->peak_rss_kib)
        end->peak_rss_kib = use->ru_maxrss;
}

static void reap_orphan(struct reaper *r, struct orphan *orphan, const struct rusage *use)
{
    struct process *owner = processes_by_handle(r->wards, orphan->owner);

    if (owner)
        reap_count(&owner->end, use);
    *orphan = r->wards->orphans.at[--r->wards->orphans.count];
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
        struct process *ward = processes_by_pid(r->wards, info.si_pid);
        if (ward)
            reap_signal(r, -info.si_pid, SIGKILL);
        if (sys_wait4(info.si_pid, &status, WNOHANG, &use) != info.si_pid) {
            r->again = true;
            return;
        }
        struct orphan *orphan = processes_orphan(r->wards, info.si_pid);
        if (ward) {
            ward->state = WARD_ENDING;
            ward->end.status = status;
            /* Whoever was not warned and still exits had done so before the KILL arrived. */
            if (!ward->warned && !WIFSIGNALED(status))
                ward->killed = false;
            reap_count(&ward->end, &use);
            lookup_remove(&r->wards->by_pid, (uint64_t)info.si_pid);
        } else if (orphan) {
            reap_orphan(r, orphan, &use);
        }
    }
}

static struct process *reap_by_group(struct processes *wards, pid_t group)
{
    /* Through the table for the common case; wards whose leader is buried are few. */
    struct process *ward = processes_by_pid(wards, group);

    for (uint32_t i = 0; !ward && i < wards->at.count; i++)
        if (wards->at.at[i].state == WARD_ENDING && wards->at.at[i].pid == group)
            ward = &wards->at.at[i];
    return ward;
}

/* Finds the owner of an orphan and notes it; false when it is too early to say. */
static bool reap_identify(struct reaper *r, struct orphan *o)
{
    struct process *ward = reap_by_group(r->wards, getpgid(o->pid));
    uint32_t handle;

    if (ward) {
        o->owner = ward->handle;
        return true;
    }
    switch (lineage_of(r->kin, o->pid, &handle)) {
    case 1:
        o->owner = handle;
        return true;
    case -1:
        if (++o->tries < REAP_LOOKS)
            return false;
    }
    for (uint32_t i = 0; i < r->wards->at.count; i++) {
        ward = &r->wards->at.at[i];
        if (ward->state != WARD_FREE && ward->order < o->before &&
            lineage_holds_pipe(o->pid, ward->pipe)) {
            o->owner = ward->handle;
            return true;
        }
    }
    return true;
}

/* An orphan without an owner may belong to any ward launched before it was seen. While one of
 * these runs it is left alone; else it dies, and the ending ones among them wait for that. */
static void reap_unowned(struct reaper *r, const struct orphan *o)
{
    for (uint32_t i = 0; i < r->wards->at.count; i++) {
        struct process *ward = &r->wards->at.at[i];
        if (ward->state == WARD_RUNNING && !ward->doomed && ward->order < o->before)
            return;
    }
    reap_signal(r, o->pid, SIGKILL);
    for (uint32_t i = 0; i < r->wards->at.count; i++)
        r->wards->at.at[i].held |= r->wards->at.at[i].order < o->before;
}

static void reap_look(struct reaper *r, pid_t pid)
{
    struct orphan *o = processes_orphan(r->wards, pid);

    if (!o) {
        vec_push(&r->wards->orphans, ((struct orphan){pid, LOOKUP_NONE, 0, r->wards->launches}));
        o = &r->wards->orphans.at[r->wards->orphans.count - 1];
    }
    if (o->owner == LOOKUP_NONE && o->tries < REAP_LOOKS && !reap_identify(r, o)) {
        r->again = true;
        for (uint32_t i = 0; i < r->wards->at.count; i++)
            r->wards->at.at[i].held = true;
        return;
    }
    struct process *owner = processes_by_handle(r->wards, o->owner);
    if (o->owner == LOOKUP_NONE) {
        reap_unowned(r, o);
    } else if (!owner) { /* born while its attempt was being buried */
        reap_signal(r, pid, SIGKILL);
    } else if (owner->state == WARD_ENDING || owner->doomed) {
        owner->held = true;
        reap_signal(r, pid, SIGKILL);
    }
}

void reaper_sweep(struct reaper *r, void (*ended)(void *ctx, struct process *ward), void *ctx)
{
    for (uint32_t i = 0; i < r->wards->at.count; i++) {
        struct process *ward = &r->wards->at.at[i];
        ward->held = false;
        if (ward->state == WARD_RUNNING && ward->doomed) /* once more, should it have failed */
            reap_signal(r, ward->pid, SIGKILL);
    }
    if (descendants_list(r->tree) < 0) {
        r->again = true;
        return;
    }
    for (uint32_t i = 0; i < r->tree->pids.count; i++)
        if (!processes_by_pid(r->wards, r->tree->pids.at[i]))
            reap_look(r, r->tree->pids.at[i]);
    for (uint32_t i = 0; i < r->wards->at.count; i++)
        if (r->wards->at.at[i].state == WARD_ENDING && !r->wards->at.at[i].held)
            ended(ctx, &r->wards->at.at[i]);
}

static void reap_doom(struct reaper *r, struct process *ward)
{
    ward->doomed = true;
    ward->kill_at_us = INT64_MAX;
    /* The main process before its children: a shell that saw them die could still say that all went
     * well. And not by its group alone: it may have moved to another one. */
    reap_signal(r, ward->pid, SIGKILL);
    reap_signal(r, -ward->pid, SIGKILL);
}

void reaper_kill(struct reaper *r, struct process *ward, int64_t now_us, int64_t grace_us)
{
    siginfo_t info = {0};

    if (ward->state != WARD_RUNNING)
        return;
    if (sys_waitid(P_PID, (id_t)ward->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid)
        return;
    if (grace_us <= 0) {
        reap_doom(r, ward);
    } else {
        if (!ward->warned) {
            ward->warned = true;
            /* It has no group yet while it is being started. */
            if (sys_kill(-ward->pid, SIGTERM) < 0)
                reap_signal(r, ward->pid, SIGTERM);
            reap_signal(r, -ward->pid, SIGCONT); /* a stopped process cannot act on it */
        }
        if (now_us + grace_us < ward->kill_at_us)
            ward->kill_at_us = now_us + grace_us;
    }
    ward->killed = true;
}

int64_t reaper_overdue(struct reaper *r, int64_t now_us)
{
    int64_t next = INT64_MAX;

    for (uint32_t i = 0; i < r->wards->at.count; i++) {
        struct process *ward = &r->wards->at.at[i];
        if (ward->state != WARD_RUNNING)
            continue;
        if (ward->kill_at_us <= now_us)
            reap_doom(r, ward);
        if (ward->kill_at_us < next)
            next = ward->kill_at_us;
    }
    return next;
}
