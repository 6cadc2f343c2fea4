/* write_behind.c - a thread that writes. See write_behind.h.
 *
 * Pieces go through a ring. One side fills pieces and counts them as filled, the other writes them
 * and counts them as written; each waits for the other only where the ring is full or empty, so
 * both hold the lock for a moment and never while they work. What fits into one piece is written
 * without a thread. */
#include "jobs/task/write_behind.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"
#include "base/os/write_all.h"
#include "data/line_ends.h"

enum { PIECES = 4, PIECE_BYTES = 1 << 18 };

struct write_behind {
    int fd;
    bool apart; /* there is a thread: not before the first piece is full */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t moved;        /* any of the following has changed */
    uint64_t filled, taken;      /* pieces, of all time */
    bool over;                   /* no more are filled */
    int error;                   /* errno of a write; then what comes is thrown away */
    size_t used[PIECES];         /* bytes of each piece */
    size_t filling;              /* bytes of the piece that is being filled */
    struct write_behind_sum sum; /* the thread's, if there is one, until it has ended */
    XXH3_state_t *state;         /* the thread's */
    char last;                   /* the thread's: the last byte written */
    char (*pieces)[PIECE_BYTES]; /* PIECES of them */
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

/* Writes a piece, which the sum takes in. 0 or an errno. */
static int write_piece(struct write_behind *b, const char *piece, size_t count)
{
    XXH3_64bits_update(b->state, piece, count);
    b->sum.bytes += count;
    b->sum.lines += line_ends_count(piece, count);
    if (count > 0)
        b->last = piece[count - 1];
    return write_all(b->fd, piece, count) < 0 ? errno : 0;
}

static void *write_pieces(void *ctx)
{
    struct write_behind *b = ctx;
    int piece, error = 0;

    while ((piece = wait_for_piece(b)) >= 0) {
        if (!error)
            error = write_piece(b, b->pieces[piece], b->used[piece]);
        pthread_mutex_lock(&b->lock);
        b->taken++;
        b->error = error;
        pthread_cond_signal(&b->moved);
        pthread_mutex_unlock(&b->lock);
    }
    return NULL;
}

/* ---- the other side ---- */

struct write_behind *write_behind_create(int fd)
{
    struct write_behind *b = mem_zalloc(1, sizeof *b);

    b->fd = fd;
    b->pieces = mem_resize(NULL, PIECES, sizeof *b->pieces);
    b->state = XXH3_createState();
    if (!b->state)
        mem_out(1, 1024);
    XXH3_64bits_reset(b->state);
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->moved, NULL);
    return b;
}

static void destroy(struct write_behind *b)
{
    pthread_cond_destroy(&b->moved);
    pthread_mutex_destroy(&b->lock);
    XXH3_freeState(b->state);
    mem_free(b->pieces);
    mem_free(b);
}

static int fail(int error, struct err *err)
{
    errno = error;
    return err_system(err, "the output: %s", strerror(error));
}

/* Hands over the piece that was being filled, and waits until there is one to be filled. 0 or an
 * errno of what came before. */
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

static int pass_on(struct write_behind *b, struct err *err)
{
    int error = b->apart ? 0 : pthread_create(&b->thread, NULL, write_pieces, b);

    if (error)
        return err_system(err, "cannot start a thread: %s", strerror(error));
    b->apart = true;
    error = hand_over(b);
    return error ? fail(error, err) : 0;
}

int write_behind_add(struct write_behind *b, const char *at, size_t count, struct err *err)
{
    while (count > 0) {
        size_t left = PIECE_BYTES - b->filling, n = count < left ? count : left;
        memcpy(b->pieces[b->filled % PIECES] + b->filling, at, n);
        b->filling += n;
        at += n;
        count -= n;
        if (b->filling == PIECE_BYTES && pass_on(b, err) < 0)
            return -1;
    }
    return 0;
}

/* Waits for the thread to write the rest. */
static void join(struct write_behind *b)
{
    if (b->filling > 0)
        hand_over(b);
    pthread_mutex_lock(&b->lock);
    b->over = true;
    pthread_cond_signal(&b->moved);
    pthread_mutex_unlock(&b->lock);
    pthread_join(b->thread, NULL);
}

int write_behind_finish(struct write_behind *b, struct write_behind_sum *sum, struct err *err)
{
    if (b->apart)
        join(b);
    else
        b->error = write_piece(b, b->pieces[0], b->filling);
    int error = b->error;
    *sum = b->sum;
    sum->checksum = XXH3_64bits_digest(b->state);
    sum->lines += sum->bytes > 0 && b->last != '\n';
    destroy(b);
    return error ? fail(error, err) : 0;
}
