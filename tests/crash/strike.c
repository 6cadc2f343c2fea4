/* strike.c - runs a command and strikes one of its processes at its n-th system call.
 *
 *     strike -o FILE none COMMAND...           only waits until all that it has started is gone
 *     strike -o FILE WHO list COMMAND...       writes every call of WHO to FILE, as `N NAME`
 *     strike -o FILE WHO N COMMAND...          kills WHO (SIGKILL) before its N-th call
 *     strike -o FILE WHO NAME:N COMMAND...     before its N-th call of that name
 *     strike -o FILE WHO N=ERRNO COMMAND...    has that call fail instead, and all goes on
 *     strike -o FILE WHO N+SIGNAL COMMAND...   sends that signal (a number) instead of SIGKILL
 *
 * WHO is one process of a run of dolly: `coordinator`, which is the command itself; `guardian`, its
 * first child that executes nothing; `helper:K`, the K-th child of the guardian; `command:K`, the
 * K-th program that one of those has started. Afterwards FILE says `struck NAME` if it came to
 * that, and `end STATUS` of the struck process (128 and the signal, if it was one).
 *
 * The exit status is that of the command. Strike ends when no process of the command is left,
 * wherever it has gone; if that takes minutes, FILE says who is left (`left PID COMMAND`), they are
 * killed, and the status is 99. 98: this machine does not let us trace.
 *
 * strace can have calls fail or kill, too, but counts for every process at once, and knows no
 * roles: a guardian executes nothing by which to tell it. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES_MAX = 4096, PATIENCE_S = 150, STATUS_UNABLE = 98, STATUS_LEFT = 99 };

/* ---- names of calls ---- */

/* Those that tests ask for. `open` is one that may write, `look` one that reads. */
static const struct {
    long number;
    const char *name;
} call_names[] = {
    {SYS_openat, "open"},        {SYS_write, "write"},
    {SYS_pwrite64, "write"},     {SYS_writev, "write"},
    {SYS_sendfile, "write"},     {SYS_copy_file_range, "write"},
    {SYS_renameat, "rename"},    {SYS_renameat2, "rename"},
    {SYS_unlinkat, "unlink"},    {SYS_fsync, "sync"},
    {SYS_fdatasync, "sync"},     {SYS_sync_file_range, "sync"},
    {SYS_mkdirat, "mkdir"},      {SYS_ftruncate, "truncate"},
    {SYS_fallocate, "truncate"}, {SYS_fchmod, "chmod"},
    {SYS_fchmodat, "chmod"},     {SYS_sendto, "send"},
    {SYS_sendmsg, "send"},       {SYS_sendmmsg, "send"},
    {SYS_recvfrom, "receive"},   {SYS_recvmsg, "receive"},
    {SYS_recvmmsg, "receive"},   {SYS_read, "read"},
    {SYS_pread64, "read"},       {SYS_mmap, "map"},
    {SYS_munmap, "unmap"},       {SYS_brk, "brk"},
    {SYS_mremap, "map"},         {SYS_clone, "fork"},
    {SYS_clone3, "fork"},        {SYS_execve, "exec"},
    {SYS_close, "close"},        {SYS_pipe2, "pipe"},
    {SYS_socketpair, "socket"},  {SYS_exit_group, "exit"},
    {SYS_exit, "exit"},          {SYS_rt_sigreturn, "return"},
    {SYS_flock, "lock"},         {SYS_getpid, "self"},
    {SYS_gettid, "self"},        {SYS_getppid, "self"},
    {SYS_getuid, "self"},        {SYS_geteuid, "self"},
    {SYS_getgid, "self"},        {SYS_getegid, "self"},
    {SYS_umask, "self"},         {SYS_symlinkat, "symlink"},
    {SYS_linkat, "link"},        {SYS_rseq, "self"}, /* threads of glibc abort without it */
#ifdef SYS_open
    {SYS_open, "open"},          {SYS_creat, "open"},
    {SYS_rename, "rename"},      {SYS_unlink, "unlink"},
    {SYS_rmdir, "unlink"},       {SYS_mkdir, "mkdir"},
    {SYS_chmod, "chmod"},        {SYS_fork, "fork"},
    {SYS_vfork, "fork"},         {SYS_pipe, "pipe"},
    {SYS_symlink, "symlink"},    {SYS_link, "link"},
#endif
};

static const char *call_name(const struct __ptrace_syscall_info *call)
{
    static char other[32];
    long number = (long)call->entry.nr;

    for (size_t i = 0; i < sizeof call_names / sizeof *call_names; i++)
        if (call_names[i].number == number) {
            uint64_t flags = call->entry.args[number == SYS_openat ? 2 : 1];
            bool looks = strcmp(call_names[i].name, "open") == 0 && (flags & O_ACCMODE) == O_RDONLY;
            return looks ? "look" : call_names[i].name;
        }
    snprintf(other, sizeof other, "call-%ld", number);
    return other;
}

/* ---- processes ---- */

enum role { ROLE_OTHER, ROLE_COORDINATOR, ROLE_GUARDIAN, ROLE_HELPER, ROLE_COMMAND };

/* A thread that is traced. */
struct strike_thread {
    pid_t id, process;
    enum role role;
    int ordinal;  /* of its role */
    bool failing; /* the call that it is in */
};

static struct strike {
    FILE *report;
    enum role role;
    int ordinal;
    bool lists;
    const char *name; /* of the call; NULL: any */
    long at, seen;
    int error; /* 0: signal */
    int signal;
    pid_t process; /* that was struck */
    int status;    /* of the command */
    pid_t command;
    int begun[ROLE_COMMAND + 1]; /* processes of each role */
    struct strike_thread threads[PROCESSES_MAX];
    int count;
} strike;

static struct strike_thread *thread_find(pid_t id)
{
    for (int i = 0; i < strike.count; i++)
        if (strike.threads[i].id == id)
            return &strike.threads[i];
    return NULL;
}

static void thread_gone(pid_t id)
{
    struct strike_thread *t = thread_find(id);

    if (t)
        *t = strike.threads[--strike.count];
}

/* A line of /proc/PID/status. */
static pid_t status_of(pid_t pid, const char *key)
{
    char path[64], line[256];
    pid_t value = 0;

    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, key, strlen(key)) == 0)
            value = atoi(line + strlen(key));
    if (f)
        fclose(f);
    return value;
}

/* Its words, each with a zero behind it; the second one, or what is there instead of it. */
static const char *command_line(pid_t pid, char words[4096])
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(words, 1, 4094, f) : 0;
    words[n] = words[n + 1] = 0;
    if (f)
        fclose(f);
    return words + strlen(words) + 1;
}

/* A thread that was not seen before. */
static struct strike_thread *thread_new(pid_t id)
{
    if (strike.count == PROCESSES_MAX)
        return NULL;
    struct strike_thread *t = &strike.threads[strike.count++];
    pid_t process = status_of(id, "Tgid:");
    const struct strike_thread *above =
        thread_find(process != id ? process : status_of(id, "PPid:"));

    *t = (struct strike_thread){.id = id, .process = process};
    if (process != id && above) {
        t->role = above->role;
        t->ordinal = above->ordinal;
    } else if (above && above->role == ROLE_COORDINATOR && strike.begun[ROLE_GUARDIAN] == 0) {
        strike.begun[t->role = ROLE_GUARDIAN]++;
    } else if (above && above->role == ROLE_GUARDIAN) {
        t->ordinal = strike.begun[t->role = ROLE_HELPER]++;
    }
    return t;
}

/* It has become another program, maybe one that a helper has started. */
static void thread_executes(struct strike_thread *t)
{
    const struct strike_thread *above = thread_find(status_of(t->process, "PPid:"));

    if (t->role == ROLE_OTHER && above && above->role == ROLE_HELPER)
        t->ordinal = strike.begun[t->role = ROLE_COMMAND]++;
    if (t->role ==
        ROLE_GUARDIAN) { /* it looks at a shared object, and the guardian is yet to come */
        t->role = ROLE_OTHER;
        strike.begun[ROLE_GUARDIAN] = 0;
    }
}

/* ---- striking ---- */

static bool is_watched(const struct strike_thread *t)
{
    return t->failing || (strike.role != ROLE_OTHER && t->role == strike.role &&
                          t->ordinal == strike.ordinal && !strike.process);
}

#ifdef __x86_64__
/* Of a call that is about to be made: it is not made. Of one that was: this is its result. */
static void call_replace(pid_t id, bool made, int error)
{
    struct user_regs_struct regs;
    struct iovec at = {&regs, sizeof regs};

    if (ptrace(PTRACE_GETREGSET, id, (void *)NT_PRSTATUS, &at) < 0)
        return;
    if (made)
        regs.rax = (unsigned long long)-(long long)error;
    else
        regs.orig_rax = (unsigned long long)-1;
    ptrace(PTRACE_SETREGSET, id, (void *)NT_PRSTATUS, &at);
}
static const bool can_fail = true;
#else
static void call_replace(pid_t id, bool made, int error)
{
    (void)id;
    (void)made;
    (void)error;
}
static const bool can_fail = false;
#endif

/* These cannot fail, or (brk) not by a number of an error. */
static bool is_certain(const char *name)
{
    static const char *const names[] = {"exit", "return", "self", "brk"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static void call_begins(struct strike_thread *t, const struct __ptrace_syscall_info *call)
{
    const char *name = call_name(call);

    if (strike.name && strcmp(strike.name, name) != 0)
        return;
    strike.seen++;
    if (strike.lists)
        fprintf(strike.report, "%ld %s\n", strike.seen, name);
    if (strike.lists || strike.seen != strike.at || (strike.error && is_certain(name)))
        return;
    fprintf(strike.report, "struck %s\n", name);
    strike.process = t->process;
    if (!strike.error) {
        kill(t->process, strike.signal);
        return;
    }
    t->failing = true;
    if (strcmp(name, "close") != 0) /* a descriptor is gone, also if that fails */
        call_replace(t->id, false, strike.error);
}

static void call_seen(struct strike_thread *t)
{
    struct __ptrace_syscall_info call;

    if (ptrace(PTRACE_GET_SYSCALL_INFO, t->id, sizeof call, &call) <= 0)
        return;
    if (call.op == PTRACE_SYSCALL_INFO_EXIT && t->failing) {
        call_replace(t->id, true, strike.error);
        t->failing = false;
    } else if (call.op == PTRACE_SYSCALL_INFO_ENTRY && is_watched(t)) {
        call_begins(t, &call);
    }
}

/* A thread has stopped, and goes on. */
static void stopped(pid_t id, int status)
{
    struct strike_thread *t = thread_find(id);
    int sig = WSTOPSIG(status), event = status >> 16, deliver = 0;

    if (!t && !(t = thread_new(id)))
        return;
    if (sig == (SIGTRAP | 0x80))
        call_seen(t);
    else if (event == PTRACE_EVENT_EXEC)
        thread_executes(t);
    else if (event == PTRACE_EVENT_STOP && sig != SIGTRAP) {
        ptrace(PTRACE_LISTEN, id, 0, 0); /* a stopped process stays so */
        return;
    } else if (event == 0)
        deliver = sig;
    ptrace(is_watched(t) ? PTRACE_SYSCALL : PTRACE_CONT, id, 0, (void *)(intptr_t)deliver);
}

static int shell_status(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void ended(pid_t id, int status)
{
    thread_gone(id);
    if (id == strike.command)
        strike.status = shell_status(status);
    if (id == strike.process)
        fprintf(strike.report, "end %d\n", shell_status(status));
}

static void on_alarm(int sig)
{
    (void)sig;
}

/* Until nobody is left, or for too long. */
static int watch(void)
{
    int status;

    for (;;) {
        pid_t id = waitpid(-1, &status, __WALL);
        if (id < 0 && errno == EINTR)
            break;
        if (id < 0)
            return strike.status;
        if (WIFSTOPPED(status))
            stopped(id, status);
        else
            ended(id, status);
    }
    for (int i = 0; i < strike.count; i++) {
        char words[4096];
        const char *second = command_line(strike.threads[i].id, words);
        fprintf(strike.report, "left %d %s %s\n", strike.threads[i].id, words, second);
        kill(strike.threads[i].process, SIGKILL);
    }
    return STATUS_LEFT;
}

/* ---- the command ---- */

static pid_t begin(char **argv)
{
    int gate[2];
    char byte;

    if (pipe2(gate, O_CLOEXEC) < 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        close(gate[1]);
        if (read(gate[0], &byte, 1) == 1)
            execvp(argv[0], argv);
        _exit(127);
    }
    close(gate[0]);
    long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                   PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    bool ours = pid > 0 && ptrace(PTRACE_SEIZE, pid, 0, (void *)options) == 0;
    if (ours) {
        strike.threads[strike.count++] =
            (struct strike_thread){.id = pid, .process = pid, .role = ROLE_COORDINATOR};
        ptrace(PTRACE_INTERRUPT, pid, 0, 0); /* from here on its calls are seen */
        ours = write(gate[1], "", 1) == 1;
    }
    close(gate[1]);
    return ours ? pid : -1;
}

static bool parse_who(const char *who)
{
    static const char *const names[] = {"none", "coordinator", "guardian", "helper:", "command:"};

    for (int i = 0; i <= ROLE_COMMAND; i++) {
        size_t n = strlen(names[i]);
        if (strncmp(who, names[i], n) == 0) {
            strike.role = (enum role)i;
            strike.ordinal = atoi(who + n);
            return true;
        }
    }
    return false;
}

static bool parse_when(char *when)
{
    char *error = strchr(when, '='), *number = strchr(when, ':'), *sig = strchr(when, '+');

    if (strcmp(when, "list") == 0)
        return strike.lists = true;
    if (error) {
        *error = 0;
        strike.error = atoi(error + 1);
    }
    strike.signal = sig ? atoi(sig + 1) : SIGKILL;
    if (sig)
        *sig = 0;
    if (number) {
        *number++ = 0;
        strike.name = when;
    }
    strike.at = atol(number ? number : when);
    return strike.at > 0 && strike.signal > 0 && (!error || strike.error > 0);
}

int main(int argc, char **argv)
{
    bool whole = argc > 4 && strcmp(argv[1], "-o") == 0 && parse_who(argv[3]);
    int first = whole && strike.role == ROLE_OTHER ? 4 : 5;

    if (!whole || argc <= first || (first == 5 && !parse_when(argv[4]))) {
        fputs("usage: strike -o FILE none|(WHO list|[NAME:]N[=ERRNO|+SIGNAL]) COMMAND...\n",
              stderr);
        return 2;
    }
    strike.report = fopen(argv[2], "we");
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_alarm}, NULL);
    if (!strike.report || (strike.error && !can_fail) || prctl(PR_SET_CHILD_SUBREAPER, 1) < 0 ||
        (strike.command = begin(argv + first)) < 0)
        return STATUS_UNABLE;
    alarm(PATIENCE_S);
    int status = watch();
    return fclose(strike.report) == 0 ? status : STATUS_UNABLE;
}
