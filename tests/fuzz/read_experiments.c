/* Experiment files, the formulas in them, and what their runs print. */
#include <jansson.h>
#include <string.h>

#include "base/mem.h"
#include "reproduce/repro_expr.h"
#include "reproduce/repro_file.h"
#include "tests/fuzz/fuzz.h"

static int see(void *ctx, const char *name, struct err *err)
{
    const char *rest;

    (void)err;
    repro_file_run(ctx, name, &rest);
    return 0;
}

void fuzz_experiment(const uint8_t *at, size_t length)
{
    const char *path = fuzz_file(at, length);
    struct repro_file f;
    struct err err;

    for (int quick = 0; quick < 2; quick++) {
        if (repro_file_read(&f, path, quick, &err) == 0)
            for (uint32_t i = 0; i < f.rows.count; i++) {
                if (f.rows.at[i].ours)
                    repro_expr_scan(f.rows.at[i].ours, see, &f, &err);
                repro_paper_difference(&f.rows.at[i].paper, 1);
            }
        repro_file_fini(&f);
    }
}

static const json_t *find(void *ctx, const char *name, const char **rest, struct err *err)
{
    (void)err;
    *rest = strncmp(name, "r.", 2) == 0 ? name + 2 : "";
    return ctx;
}

static void evaluate(const char *formula, json_t *result)
{
    struct repro_names names = {find, result};
    struct err err;
    double number;

    if (result)
        repro_expr_eval(formula, &names, &number, &err);
    json_decref(result);
}

/* A formula over a result that does not change. */
void fuzz_formula(const uint8_t *at, size_t length)
{
    static const char *const result =
        "{\"mean\": 2.5, \"bins\": [{\"bin\": 1, \"mean\": 3, \"p50\": null}, {\"bin\": 2}],"
        " \"policies\": [{\"policy\": \"none\", \"jobs\": [1, 2.5, -3]}],"
        " \"cdf\": [[0, 0.1], [1, 0.5], [2, 1]], \"none\": null}";
    char *text = fuzz_text(at, length);

    evaluate(text, json_loads(result, 0, NULL));
    mem_free(text);
}

/* A formula in the first line, and the result behind it. */
void fuzz_result(const uint8_t *at, size_t length)
{
    char *text = fuzz_text(at, length), *rest = text, *formula = strsep(&rest, "\n");

    if (rest)
        evaluate(formula, json_loads(rest, 0, NULL));
    mem_free(text);
}
