#include <inttypes.h>

#include "base/mem.h"
#include "commands/explain/explain.h"
#include "core/policy/policy.h"
#include "inputs/cluster/about.h"

static void add_part(const char *before, const char *text, struct str *out)
{
    if (!text || !*text)
        return;
    char *tame = text_tame(mem_strdup(text));
    str_addf(out, "%s%s", before, tame);
    mem_free(tame);
}

/* 2026-11-16T09:00:00Z, in words. */
static void add_began(const struct explain *x, const char *began, struct str *out)
{
    if (began && strlen(began) == 20 && began[10] == 'T')
        str_addf(out, "%.10s %.8s UTC", began, began + 11);
    else
        str_add(out, explain_is_simulated(x) ? "Simulated" : "Run");
}

void explain_origin(const struct explain *x, struct str *out)
{
    struct about_text a = {0};
    struct err err;
    bool said = x->about && *x->about && about_read(x->about, "about", &a, &err) == 0;
    const struct about *about = &a.about; /* all NULL where nothing is said */

    add_began(x, about->began, out);
    add_part(" on ", about->host, out);
    add_part(", workload ", about->workload, out);
    add_part(", cluster ", about->cluster_name, out);
    add_part(", chaos ", about->chaos, out);
    str_add(out, ", policy ");
    policy_shorten(x->policy ? x->policy : "?", out);
    str_addf(out, ", seed %" PRIu64, x->seed);
    add_part(": ", about->typed, out);
    add_part(". Journal: ", x->path, out);
    text_tame(out->text);
    if (said)
        about_free(&a);
}
