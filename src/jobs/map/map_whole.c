/* map_whole.c - outputs wait in files until it is their turn to be printed: for hours with -k, for
 * days in the folder of a run that was cut short. Meanwhile others may have removed or emptied them
 * (cleaners of /tmp), a disk may have lost them, or there may be no descriptor left to open them
 * with. The size of an output is known from the end of its attempt, so a look at the file costs one
 * call; a resumed run compares the checksum as well. A task whose output is not what was committed
 * counts as failed and is named, and its line of the job log says -1, so that
 * `dolly resume DIR --retry-failed` runs it again. It does not run again by itself: commands run
 * once. `dolly resume` of a run that is not over runs it again, as it does with commands that were
 * running. */
#include "jobs/map/map_whole.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/folder/run_dir.h"
#include "jobs/args/quote.h"
#include "jobs/map/map.h"
#include "ui/words.h"

/* Fails the task, and adds to *text why. */
static void whole_fail(struct map *m, struct map_output *p, const char *why)
{
    struct str text = {0};
    bool kept = m->dir && !m->dir_private;

    p->unread = *p->end;
    p->unread.exit = -1;
    p->unread.state = MAP_TASK_FAILED;
    if (p->end->state == MAP_TASK_DONE) {
        m->counts.done--;
        map_fail_task(m, p->task, &p->unread);
    }
    p->end = &p->unread;
    str_addf(&text, "task %" PRIu64 " failed: its output cannot be read: %s",
             plan_seq(m->plan, p->task), why);
    if (kept) {
        str_add(&text, "; when the run is over: dolly resume ");
        quote_add_path(&text, m->dir);
        str_add(&text, " --retry-failed");
    }
    map_progress_warn(m, text.text);
    str_free(&text);
}

void map_whole_unread(struct map *m, struct map_output *p, int error)
{
    if (p->end != &p->unread)
        whole_fail(m, p, error ? strerror(error) : "it has become shorter");
}

/* NULL, or what is wrong with the file. `bytes` below 0: it may have any size, or not be there. */
static const char *whole_wrong(const char *path, int64_t bytes, const uint64_t *checksum,
                               struct str *text)
{
    struct stat st;
    int64_t size;
    uint64_t found;

    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT && bytes < 0 ? NULL : strerror(errno);
    int result = fstat(fd, &st);
    int error = errno;
    close(fd);
    if (result < 0)
        return strerror(error);
    if (bytes >= 0 && st.st_size != bytes) {
        str_addf(text, "it has %" PRId64 " bytes now and had %" PRId64, (int64_t)st.st_size, bytes);
        return text->text;
    }
    if (!checksum)
        return NULL;
    if (run_dir_checksum(path, &size, &found) < 0)
        return strerror(errno);
    return found == *checksum ? NULL : "it has changed since the task ended";
}

void map_whole_look(struct map *m, struct map_output *p)
{
    const struct map_end *end = p->end;
    bool done = end->state == MAP_TASK_DONE;
    struct str text = {0};
    const char *wrong = NULL;

    if (p->has_out)
        wrong = whole_wrong(p->out.text, done ? end->received : -1,
                            done && m->again ? &end->checksum : NULL, &text);
    if (!wrong && !end->silent)
        wrong = whole_wrong(p->err.text, end->said > 0 ? end->said : -1, NULL, &text);
    if (wrong)
        whole_fail(m, p, wrong);
    str_free(&text);
}

void map_whole_reopen(struct map *m, uint32_t task)
{
    m->print.ends[task] = (struct map_end){0};
    m->counts.done--;
}

/* What was printed in full in an earlier life is of no more use. With --once each that would run a
 * second time is named before the run is refused; see map_whole_refuse. */
bool map_whole_again(void *ctx, struct attempt_ref at)
{
    struct map *m = ctx;
    uint32_t task = map_feed_from_brain(&m->feed, at).task;
    bool done = m->print.ends && m->print.ends[task].state == MAP_TASK_DONE;
    bool refused = m->once && !m->options.clone && !m->options.pure;
    struct str text = {0};

    if (mark_is_done(m->mark, task) && !m->options.json)
        return false;
    str_addf(&text, "task %" PRIu64 ": its output is damaged or gone%s", plan_seq(m->plan, task),
             refused ? "; --once forbids a second run" : ": it runs again");
    map_progress_warn(m, text.text);
    str_free(&text);
    m->refused += refused;
    if (!refused && done)
        map_whole_reopen(m, task);
    return !refused;
}

int map_whole_refuse(const struct map *m, struct err *err)
{
    if (m->refused == 0)
        return 0;
    return err_set(err, "%s: %s run before; --once forbids a second run", m->dir,
                   words_were(m->refused, "command").text);
}
