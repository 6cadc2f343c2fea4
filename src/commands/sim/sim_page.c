#include "commands/sim/sim_page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/tree.h"
#include "commands/report/compare_page.h"

int sim_page_begin(struct sim_args *a, struct err *err)
{
    const char *below = getenv("TMPDIR");
    struct str folder = {0}, journal = {0};

    if (a->report && compare_page_may_save(a->report, err) < 0)
        return -1;
    if (!a->report || a->journal)
        return 0;
    str_addf(&folder, "%s/dolly-sim.XXXXXX", below && *below ? below : "/tmp");
    if (!mkdtemp(folder.text)) {
        err_system(err, "cannot make a folder %s for journals: %s", folder.text, strerror(errno));
        str_free(&folder);
        return -1;
    }
    str_addf(&journal, "%s/journal", folder.text);
    a->report_folder = folder.text;
    a->journal = a->report_journal = journal.text;
    return 0;
}

int sim_page_write(const struct sim_args *a, struct err *err)
{
    struct str paths[COMPARE_PAGE_RUNS] = {0};
    const char *journals[COMPARE_PAGE_RUNS];

    if (!a->report)
        return 0;
    for (uint32_t p = 0; p < a->count; p++) {
        sim_args_journal(a, p, 0, &paths[p]);
        journals[p] = paths[p].text;
    }
    int rc = compare_page(journals, (const char *const *)a->names, a->count, !a->report_folder,
                          a->report, err);
    for (uint32_t p = 0; p < a->count; p++)
        str_free(&paths[p]);
    return rc;
}

void sim_page_end(struct sim_args *a)
{
    if (!a->report_folder)
        return;
    tree_remove(a->report_folder);
    mem_free(a->report_folder);
    mem_free(a->report_journal);
    a->journal = NULL;
}
