/* write_behind.c - a thread that writes. See write_behind.h.
 *
 * Pieces go through a ring. One side fills pieces and counts them as filled, the other writes them
 * and counts them as written; each waits for the other only where the ring is full or empty, so
 * both hold the lock for a moment and never while they work. */
#include "task/write_behind.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/mem.h"

enum { PIECES = 4, PIECE_BYTES = 1 << 18 };

struct write_behind {
    int fd;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t moved;        /* any of the following has changed */
    uint64_t filled, taken;      /* pieces, of all time */
    bool over;                   /* no more are filled */
    int error;                   /* errno of a write; then what comes is thrown away */
    size_t used[PIECES];         /* bytes of each piece */
    size_t filling;              /* bytes of the piece that is being filled */
    struct write_behind_sum sum; /* the thread's, until it has ended */
    XXH3_state_t *state;         /* the thread's */
    char pieces[PIECES][PIECE_BYTES];
};

/* ---- the thread ---- */

/* The next piece, or -1 when there are no more. */
static int wait_for_piece(struct write_behind *b)
{
    pthread_mutex_lock(&b->lock);
    while (b->taken == b->filled && !b->over)
        pthread_cond_wait(&b->moved, &b->lock);
    int piece = b->taken < b->filled ? (int)(b->taken % PIECES) : -1;
    pthread_mutex_unlock(&b->lock);
    return piece;
}

/* 0 or an errno. */
static int write_all(int fd, const char *at, size_t count)
{
    while (count > 0) {
        ssize_t n = write(fd, at, count);
        if (n < 0 && errno != EINTR)
            return errno;
        if (n > 0) {
            at += n;
            count -= (size_t)n;
        }
    }
    return 0;
}

static void *write_pieces(void *ctx)
{
    struct write_behind *b = ctx;
    int piece, error = 0;

    while ((piece = wait_for_piece(b)) >= 0) {
        size_t count = b->used[piece];
        if (!error) {
            error = write_all(b->fd, b->pieces[piece], count);
            XXH3_64bits_update(b->state, b->pieces[piece], count);
            b->sum.bytes += count;
        }
        pthread_mutex_lock(&b->lock);
        b->taken++;
        b->error = error;
        pthread_cond_signal(&b->moved);
        pthread_mutex_unlock(&b->lock);
    }
    b->sum.checksum = XXH3_64bits_digest(b->state);
    return NULL;
}

/* ---- the other side ---- */

static void destroy(struct write_behind *b)
{
    pthread_cond_destroy(&b->moved);
    pthread_mutex_destroy(&b->lock);
    XXH3_freeState(b->state);
    mem_free(b);
}

struct write_behind *write_behind_create(int fd, struct err *err)
{
    struct write_behind *b = mem_zalloc(1, sizeof *b);

    b->fd = fd;
    b->state = XXH3_createState();
    if (!b->state)
        mem_out(1, 1024);
    XXH3_64bits_reset(b->state);
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->moved, NULL);
    int error = pthread_create(&b->thread, NULL, write_pieces, b);
    if (error == 0)
        return b;
    err_system(err, "cannot start a thread: %s", strerror(error));
    destroy(b);
    return NULL;
}

/* Hands over the piece that was being filled, and waits until there is one to be filled. */
static int hand_over(struct write_behind *b)
{
    pthread_mutex_lock(&b->lock);
    b->used[b->filled % PIECES] = b->filling;
    b->filled++;
    pthread_cond_signal(&b->moved);
    while (b->filled - b->taken == PIECES)
        pthread_cond_wait(&b->moved, &b->lock);
    int error = b->error;
    pthread_mutex_unlock(&b->lock);
    b->filling = 0;
    return error;
}

static int fail(int error, struct err *err)
{
    return err_system(err, "the output: %s", strerror(error));
}

int write_behind_add(struct write_behind *b, const char *at, size_t count, struct err *err)
{
    while (count > 0) {
        size_t room = PIECE_BYTES - b->filling, n = count < room ? count : room;
        memcpy(b->pieces[b->filled % PIECES] + b->filling, at, n);
        b->filling += n;
        at += n;
        count -= n;
        if (b->filling == PIECE_BYTES) {
            int error = hand_over(b);
            if (error)
                return fail(error, err);
        }
    }
    return 0;
}

int write_behind_finish(struct write_behind *b, struct write_behind_sum *sum, struct err *err)
{
    if (b->filling > 0)
        hand_over(b);
    pthread_mutex_lock(&b->lock);
    b->over = true;
    pthread_cond_signal(&b->moved);
    pthread_mutex_unlock(&b->lock);
    pthread_join(b->thread, NULL);
    int error = b->error;
    *sum = b->sum;
    destroy(b);
    return error ? fail(error, err) : 0;
}
