/* explain_headline.c - the first that a reader of a run that is not over wants to know: how far it
 * is, and what to do. */
#include <inttypes.h>

#include "commands/explain/explain.h"
#include "exec/folder/run_lock.h"
#include "jobs/args/quote.h"
#include "ui/words.h"

/* Whether the text ends so; then it is cut there. */
static bool cut_end(char *text, const char *end)
{
    size_t length = strlen(text), n = strlen(end);
    if (length <= n || strcmp(text + length - n, end) != 0)
        return false;
    text[length - n] = '\0';
    return true;
}

/* Cuts the folder of the run to what `dolly resume` takes. Returns 1 if no process works there, 0
 * if one does, -1 if the run cannot be resumed. */
static int left_behind(const struct explain *x, char *folder)
{
    if (!*folder)
        return -1;
    bool left = run_lock_is_stale(folder);
    return x->look || cut_end(folder, "/_temporary/run") ? left : -1;
}

void explain_headline(const struct explain *x, uint64_t done, uint64_t tasks, struct str *out)
{
    struct path folder = explain_folder(x->path);
    int left = left_behind(x, folder.text);
    str_add(out, left > 0 ? "Interrupted: " : left == 0 ? "Still running: " : "Not over: ");
    str_addf(out, "%" PRIu64 " of %s done", done, words_count(tasks, "task").text);
    if (left > 0) {
        str_add(out, "; continue with `dolly resume ");
        quote_add_path(out, folder.text);
        str_add(out, "`");
    }
    str_add(out, ".\n");
}

void explain_headline_run(const struct explain *x, struct str *out)
{
    const struct story_run *r = x->run;
    if (!x->complete && r->tasks > r->tasks_done + r->tasks_failed)
        explain_headline(x, r->tasks_done, r->tasks, out);
}
