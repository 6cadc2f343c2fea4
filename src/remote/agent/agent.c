/* The processes that watch over an agent's sessions.
 *
 * Sessions are processes: whatever one leaves behind, by a bug or by a SIGKILL, is ended by a
 * supervisor before the next begins. A session that is killed is no reason to give the node up, but
 * one that is killed again and again is.
 *
 * Between the first process and the session is another supervisor: attempts must not outlive the
 * lease, even if two of the three are killed or stopped in the same instant. The first one, if it
 * is left, becomes the parent of all orphans and ends them; each of the others is signalled when
 * the one above it dies, and ends everything below. */
#include "remote/agent/agent.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "base/os/path.h"
#include "base/os/tree.h"
#include "exec/folder/run_dir.h"
#include "exec/process/spawn.h"
#include "exec/process/supervisor.h"
#include "exec/process/sys.h"
#include "remote/agent/agent_node.h"
#include "remote/agent/agent_session.h"
#include "remote/fleet/fleet.h"

enum {
    AGENT_KILLED_MAX = 5, /* sessions in a row */
    AGENT_SIGNAL = 128,   /* exit status of the second supervisor: plus the signal of its session */
};

/* The name, with %h for the host. */
static int agent_name(const char *want, const char *host, char name[FLEET_NAME_MAX + 1],
                      struct err *err)
{
    size_t used = 0;

    for (const char *c = want ? want : "%h"; *c; c++) {
        bool is_host = c[0] == '%' && c[1] == 'h';
        const char *part = is_host ? host : c;
        size_t length = is_host ? strlen(host) : 1;
        if (used + length > FLEET_NAME_MAX)
            return err_set(err, "--name %s: expected at most %d characters", want ? want : host,
                           FLEET_NAME_MAX);
        memcpy(name + used, part, length);
        used += length;
        c += is_host;
    }
    name[used] = 0;
    for (size_t i = 0; i < used; i++)
        if (!isalnum((unsigned char)name[i]) && !strchr("._-", name[i]))
            used = 0;
    return used ? 0 : err_set(err, "--name %s: expected letters, digits, '.', '_' and '-'", name);
}

/* Holds back what would end us before the supervisor looks after what we make. */
static void agent_hold_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

/* Makes SCRATCH/dolly-agent.NAME.XXXXXX, with its lock in *lock_fd. NULL with *err. */
static char *agent_scratch(const char *want, const char *name, int *lock_fd, struct err *err)
{
    const char *slurm = getenv("SLURM_TMPDIR"), *usual = getenv("TMPDIR");
    const char *in = want ? want : slurm && *slurm ? slurm : usual && *usual ? usual : "/tmp";
    struct path path = path_of("%s/dolly-agent.%s.XXXXXX", in, name);

    run_dir_sweep(in, "dolly-agent."); /* what agents have left that Slurm has killed */
    if (!mkdtemp(path.text)) {
        err_set(err, "%s: cannot make a folder for scratch: %s", in, strerror(errno));
        return NULL;
    }
    char *dir = run_dir_open(path.text, lock_fd, err);
    if (!dir)
        tree_remove(path.text);
    return dir;
}

/* Nothing of a session is of use to the next. */
static void agent_clear(const char *dir)
{
    static const char *const left[] = {"attempts", "kept", "plan"};

    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        tree_remove(path_of("%s/%s", dir, left[i]).text);
    mkdir(path_of("%s/%s", dir, left[0]).text, 0700);
}

/* One session below the second supervisor: returns its exit status, in both processes. */
static int agent_watch_one(struct agent_session_options *session, char *const *leave,
                           struct err *err)
{
    int status, side = supervisor_enter(leave, &status, err);

    if (side < 0)
        return 1;
    if (side == 0)
        return agent_session(session, err);
    return WIFSIGNALED(status) ? AGENT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Sessions until one says that it was the last. In the processes of a session it returns what that
 * came to, and *watches is false. */
static int agent_watch(struct agent_session_options *session, bool *watches, struct err *err)
{
    char self[16];
    char *const leave[] = {"dolly", "leave", (char *)(uintptr_t)session->dir, self, NULL};
    uint32_t killed = 0;
    int status;

    snprintf(self, sizeof self, "%d", (int)getpid());
    supervisor_hold(session->until_us);
    for (;;) {
        *session->until_us = 0;
        int side = supervisor_enter(leave, &status, err);
        *watches = side != 0;
        if (side == 0)
            return agent_watch_one(session, leave, err);
        if (side < 0)
            return 1;
        agent_clear(session->dir);
        int result = WIFSIGNALED(status) ? AGENT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
        killed = result > AGENT_SIGNAL ? killed + 1 : 0;
        if (killed == AGENT_KILLED_MAX) {
            err_system(err, "it was killed by signal %d, again and again", result - AGENT_SIGNAL);
            return 1;
        }
        if (!killed && result != AGENT_SESSION_AGAIN)
            return result;
        if (supervisor_was_asked()) /* when the session had ended already */
            return 0;
        session->joined = true;
    }
}

int agent_run(const struct agent_options *options, struct err *err)
{
    struct agent_node *node = mem_zalloc(1, sizeof *node);
    char name[FLEET_NAME_MAX + 1];
    struct agent_session_options session = {
        .agent = options, .node = node, .name = name, .lock_fd = -1};
    bool watches = true;
    int status = 2;

    err->text[0] = 0;
    agent_hold_signals();
    session.sees_file = options->connect_file && access(options->connect_file, R_OK) == 0;
    agent_node_look(node, "");
    if (options->cores && node->cores_milli > options->cores * 1000)
        node->cores_milli = (int32_t)options->cores * 1000;
    char *dir = spawn_raise_limit(err) == 0 && agent_name(options->name, node->host, name, err) == 0
                    ? agent_scratch(options->scratch, name, &session.lock_fd, err)
                    : NULL;
    session.dir = dir;
    /* Where `dolly leave` looks for it, should the supervisor be killed before anything has run. */
    session.until_us = mmap(NULL, sizeof *session.until_us, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (session.until_us == MAP_FAILED)
        mem_out(1, sizeof *session.until_us);
    if (dir && sys_dup2(session.lock_fd, SPAWN_LOCK_FD) >= 0)
        status = agent_watch(&session, &watches, err);
    else if (dir)
        err_system(err, "cannot hold its lock: %s", strerror(errno));
    if (dir && watches)
        tree_remove(dir);
    if (watches && options->tunnel)
        unlink(options->tunnel); /* sshd leaves it */
    mem_free(dir);
    mem_free(node);
    return status;
}
