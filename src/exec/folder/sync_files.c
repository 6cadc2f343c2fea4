/* sync_files.c - several syncs at a time.
 *
 * A disk takes milliseconds to confirm that it has a file, and as long for many that it is asked
 * for at once: it empties its cache, or its file system writes its journal, once for all of them.
 * There is no call for a list of files, so a thread waits for each. On a disk that answers at once
 * threads would cost more than the syncs: the files are synced one after the other as long as that
 * is quick.
 *
 * Rejected: syncfs, which waits for all that anybody has written to the disk, gigabytes perhaps;
 * and beginning to write each file before the first is synced (sync_file_range), which left most of
 * the time where it was: sixteen small files took 66 ms, so 55, and with threads 6. */
#include "exec/folder/sync_files.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "exec/process/sys.h"

enum { SYNC_THREADS = 16, SYNC_STACK_BYTES = 1 << 17, SYNC_QUICK_US = 250 };

/* The work of threads: whichever is free takes the next file. */
struct sync_work {
    struct sync_files *files;
    atomic_uint next;
};

void sync_files_add(struct sync_files *s, const char *path)
{
    vec_push(&s->at, ((struct sync_entry){mem_strdup(path), 0}));
}

void sync_files_clear(struct sync_files *s)
{
    for (uint32_t i = 0; i < s->at.count; i++)
        mem_free(s->at.at[i].path);
    vec_clear(&s->at);
}

void sync_files_fini(struct sync_files *s)
{
    sync_files_clear(s);
    vec_free(&s->at);
}

static void sync_one(struct sync_entry *f)
{
    int fd = sys_open(f->path, O_RDONLY | O_CLOEXEC, 0);

    f->error = fd < 0 || sys_fdatasync(fd) < 0 ? errno : 0;
    sys_close(&fd);
}

static void *sync_next(void *ctx)
{
    struct sync_work *w = ctx;

    for (uint32_t i; (i = atomic_fetch_add(&w->next, 1)) < w->files->at.count;)
        sync_one(&w->files->at.at[i]);
    return NULL;
}

/* The files from this one on. Threads that cannot be had are not needed: this one does the rest. */
static void sync_beside(struct sync_files *s, uint32_t from)
{
    struct sync_work w = {.files = s, .next = from};
    uint32_t left = s->at.count - from, most = left < SYNC_THREADS ? left : SYNC_THREADS, count = 0;
    pthread_t threads[SYNC_THREADS];
    pthread_attr_t small;
    sigset_t all, old;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old); /* signals are for this thread */
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, SYNC_STACK_BYTES);
    while (count + 1 < most && pthread_create(&threads[count], &small, sync_next, &w) == 0)
        count++;
    pthread_attr_destroy(&small);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    sync_next(&w);
    while (count > 0)
        pthread_join(threads[--count], NULL);
}

void sync_files_all(struct sync_files *s)
{
    for (uint32_t i = 0; i < s->at.count; i++) {
        int64_t from_us = clock_now_us();
        sync_one(&s->at.at[i]);
        /* Tests count calls, which have to come in one order. */
        if (clock_now_us() - from_us > SYNC_QUICK_US && !sys_is_planned) {
            sync_beside(s, i + 1);
            return;
        }
    }
}
