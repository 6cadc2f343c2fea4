/* live_page.c - the page is made by the code of `dolly report`, in a child: there the account ends
 * with the turn that was read last, and the jobs that are not over are added as they are. The
 * parent goes on reading.
 *
 * Rejected: reading the journal anew for each page. It took longer the longer the run went on. And
 * copies of all that was gathered: each of its lists needed code for that. */
#include "commands/watch/live_page.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "base/os/die_with.h"
#include "base/os/write_all.h"
#include "commands/report/pack.h"
#include "commands/report/page.h"

enum { PERIOD_US = 2000000, COST_FACTOR = 40 };

int64_t live_page_period_us(const struct live_page *p)
{
    int64_t costly_us = COST_FACTOR * p->cost_us;
    return costly_us > PERIOD_US ? costly_us : PERIOD_US;
}

/* ---- in the child ---- */

static void add_job(void *ctx, const struct story_job *j, const struct story_facts *facts)
{
    struct followed_run *f = ctx;
    struct explain x = f->input.x;

    x.job = j;
    x.facts = *facts; /* borrowed */
    explain_failure_first(&x, &f->input.told, &f->input.failures);
    read_run_job(&f->report, &x);
}

/* Writes the page as if the journal ended here. */
_Noreturn static void write_page(struct followed_run *f, int to)
{
    struct str text = {0};

    story_listen(f->input.story, (struct story_listener){f, add_job});
    if (f->account)
        story_end(f->input.story);
    f->report.input.x = f->input.x;
    f->report.input.x.failures = f->input.told ? f->input.failures.text : NULL;
    read_run_settle(&f->report);
    page_write(&f->report, NULL, &text);
    _exit(write_all(to, text.text, text.length) < 0);
}

/* ---- in the parent ---- */

static int start(struct live_page *p, struct followed_run *f, struct err *err)
{
    pid_t parent = getpid(), child = -1;
    int file = memfd_create("page", MFD_CLOEXEC);

    if (file >= 0 && (child = fork()) == 0) {
        die_with(parent, SIGKILL);
        write_page(f, file);
    }
    if (child < 0) {
        err_system(err, "cannot make the page: %s", strerror(errno));
        if (file >= 0)
            close(file);
        return -1;
    }
    p->child = child;
    p->file = file;
    p->next_turn = f->input.turns;
    p->next_resets = f->resets;
    p->next_over = f->over;
    return 0;
}

static int read_all(int from, struct str *to)
{
    struct stat st;

    if (fstat(from, &st) < 0 || st.st_size == 0)
        return -1;
    void *text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, from, 0);
    if (text == MAP_FAILED)
        return -1;
    str_free(to);
    str_add_bytes(to, text, (size_t)st.st_size);
    munmap(text, (size_t)st.st_size);
    return 0;
}

bool live_page_look(struct live_page *p)
{
    struct rusage usage;
    int status;

    if (p->child == 0)
        return true;
    pid_t ended = wait4(p->child, &status, WNOHANG, &usage);
    if (ended == 0)
        return false;
    p->failed = ended < 0 || status != 0 || read_all(p->file, &p->text) < 0;
    close(p->file);
    p->child = 0;
    if (p->failed)
        return true;
    p->turn = p->next_turn;
    p->resets = p->next_resets;
    p->over = p->next_over;
    p->made_us = clock_now_us();
    p->cost_us = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * INT64_C(1000000) +
                 usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
    return true;
}

int live_page_get(struct live_page *p, struct followed_run *f, struct err *err)
{
    if (!live_page_look(p))
        return 0;
    if (p->failed) {
        p->failed = false;
        return err_system(err, "cannot make the page: the process that makes it has failed");
    }
    bool is_old = clock_now_us() - p->made_us > live_page_period_us(p) / 2;
    bool is_of_it = p->text.text && p->resets == f->resets && p->over == f->over;
    if (is_of_it && (p->turn == f->input.turns || !is_old))
        return 1;
    return pack_load(err) < 0 ? -1 : start(p, f, err);
}

void live_page_fini(struct live_page *p)
{
    if (p->child > 0) {
        kill(p->child, SIGKILL);
        waitpid(p->child, NULL, 0);
        close(p->file);
    }
    str_free(&p->text);
}

void live_page_login(struct str *to)
{
    str_add(to, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<title>dolly</title>\n<link rel=\"icon\" href=\"data:,\">\n</head>\n<body>\n"
                "<p id=\"ask\">Open the address that <code>dolly watch</code> has printed: it has "
                "the token.</p>\n<script src=\"login.js\"></script>\n</body>\n</html>\n");
}

void live_page_file(const struct web_file *file, struct str *to)
{
    str_add_bytes(to, file->text, (size_t)(file->end - file->text));
    str_add(to, "\n");
}

void live_page_script(struct str *to)
{
    for (int i = 0; i < WEB_SHARED; i++)
        live_page_file(&web_shared[i], to);
    live_page_file(&web_report, to);
    live_page_file(&web_live, to);
}
