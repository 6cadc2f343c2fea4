#include "commands/report/meta_line.h"

#include <string.h>

#include "commands/explain/told_test.h"
#include "tests/unit/test.h"

static char *borrowed(const char *text)
{
    return (char *)text; /* only read */
}

TEST(meta_line_says_what_the_journal_knows)
{
    struct told t;
    told_init(&t);
    t.run.jobs = t.run.done = t.run.slowest_count = 1;
    t.run.tasks = t.run.tasks_done = 4;
    t.run.slowest[0].took_us = 2345000;
    t.x.seed = 3;
    meta_line(&t.x, &t.out);
    expect(told_is(&t, "<p class=\"meta\" id=\"origin\">4 tasks, 4 done in <span "
                       "id=\"took\">2.345 s</span> · <span title=\"?\">policy "
                       "?</span> · seed 3</p>\n"));
    t.x.body = borrowed("sim");
    t.x.policy = borrowed("none");
    t.x.about = borrowed("about workload=\"w\" cluster=\"c\" program=\"dolly 7\"\nnodes n[0-1] "
                         "cpu=2\n");
    t.run.jobs = 2;
    t.run.tasks_failed = 1;
    meta_line(&t.x, &t.out);
    expect(told_is(&t, "<p class=\"meta\" id=\"origin\">simulated · workload w · cluster c · 2 "
                       "jobs with 4 tasks, 4 done, 1 failed · <span "
                       "title=\"none\">policy none</span> · seed 3 · dolly 7</p>\n"));
    told_fini(&t);
}

/* A page that is mailed need not tell where the program lies; nothing becomes markup. */
TEST(meta_line_has_the_command)
{
    struct told t;
    told_init(&t);
    t.run.jobs = 1;
    t.x.policy = borrowed("dolly;beta=0.1");
    t.x.about = borrowed("about began=\"2026-11-16T09:00:00Z\" host=\"<h>\" "
                         "typed=\"/opt/bin/dolly map a/b\" chaos=\"slow\"\nnodes n[0-1] cpu=2\n");
    meta_line(&t.x, &t.out);
    expect(told_is(&t,
                   "<p class=\"meta\" id=\"origin\"><code>dolly map a/b</code> · 5 tasks, 0 "
                   "done · 2026-11-16 09:00:00 UTC · on &lt;h&gt; · chaos slow · <span "
                   "title=\"dolly;beta=0.1\">policy dolly</span> · seed 0</p>\n"));
    t.x.about = borrowed("about began=\"2026-11-16T<b>0:00Z\" typed=\"./dolly\"\nnodes n[0-1] "
                         "cpu=2\n");
    meta_line(&t.x, &t.out);
    expect(!strstr(t.out.text, "<b>") && strstr(t.out.text, "<code>dolly</code>"));
    told_fini(&t);
}
