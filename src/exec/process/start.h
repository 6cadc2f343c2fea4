/* start.h - turns a launch packet into a running attempt: its private folder, its descriptors, its
 * environment, its process. */
#pragma once

#include <sys/resource.h>

#include "base/vec.h"
#include "exec/process/command.h"
#include "exec/process/lineage.h"
#include "exec/process/packet.h"
#include "exec/process/process.h"
#include "exec/process/runner_link.h"
#include "exec/process/spawn.h"

/* The memory of a start until it has settled. It belongs to the entry of the attempt, like its
 * pipe, and the next attempt there uses it again. */
struct flight {
    struct spawn spawn;
    struct command_words words;
    VEC(char) text;   /* copies of strings of the launch packet */
    VEC(char *) env;  /* the tail is this process's environment, the same for all */
    const char *dir;  /* private folder */
    const char *name; /* ... and its name once the attempt has left something there */
    bool late;        /* which may be another one */
    const char *shell_argv[4];
    char lineage[LINEAGE_ENV_BYTES];
};

struct starter {
    const char *shell;                /* borrowed */
    const char *workdir;              /* borrowed; NULL: the current folder */
    const struct runner_hooks *hooks; /* borrowed */
    int null_fd;                      /* stdin of attempts without one */
    const struct lineage *lineage;    /* borrowed */
    struct rlimit files;              /* of attempts */
    sigset_t caught;                  /* signals that copies of this process must not catch */
    int fd_most;                      /* descriptors from here on are not for attempts */
    bool input_failed;                /* the last start failed because of its input file */
    VEC(char *) tail;                 /* the part of the environment that attempts get, and NULL */
};

/* Begins to start the attempt of a launch packet and fills in the process and descriptors of its
 * new entry. Returns 0, or -1 with errno: then nothing is running, open or left on the disk. */
int start_process(struct starter *s, struct process_table *table, struct process *p,
                  const struct packet *m);

/* Returns true if the attempt runs its own program, or has. */
bool start_done(const struct process *p);

/* Removes the files that a start has made in the private folder of an attempt that never ran. */
void start_undo(const char *dir);

/* Returns, once its process is dead, 0, or why it never ran its program; then nothing is left of
 * the launch. */
static inline int start_failure(const struct process *p)
{
    struct flight *f = p->flight;

    spawn_ended(&f->spawn);
    if (spawn_error(&f->spawn))
        start_undo(f->dir);
    return spawn_error(&f->spawn);
}

/* Looks what an attempt, which is dead and has ended well or not, has left in its folder, and gives
 * that its name if it is due. Returns an enum packet_left. */
uint8_t start_left(const struct process *p, bool well);

/* Frees the memory of the starts of the entry; no process may be running there. */
void start_forget(struct process *p);

void start_fini(struct starter *s);
