/* formats.c - the table of formats. A new one is a file, a declaration and a row. */
#include "inputs/formats/formats.h"

#include "base/text.h"

const struct import_format *const formats_table[] = {
    &google_attempts_format,
    &google_events_format,
    &alibaba_2018_task_format,
    &alibaba_2018_instance_format,
    &alibaba_2018_dag_format,
    &alibaba_2017_task_format,
    &alibaba_2017_instance_format,
    &swim_format,
    &coflow_format,
    &hawk_format,
    &swf_format,
    &nextflow_format,
    &spark_format,
    &wfcommons_format,
    &rumen_format,
    &dolly_journal_format,
    NULL,
};

const struct import_format *formats_find(const char *name, struct err *err)
{
    enum { FORMATS = sizeof formats_table / sizeof formats_table[0] - 1 };
    const char *names[FORMATS];
    for (int i = 0; i < FORMATS; i++) {
        names[i] = formats_table[i]->name;
        if (!strcmp(names[i], name))
            return formats_table[i];
    }
    const char *nearest = text_nearest(name, names, FORMATS);
    err_set(err, "--format: unknown format '%s'%s%s%s", name,
            nearest ? ", did you mean '" : "; `dolly trace formats` lists them",
            nearest ? nearest : "", nearest ? "'?" : "");
    return NULL;
}
