/* formats.h - the known formats of traces. docs/reference/formats describes them. */
#pragma once

#include "inputs/trace/import.h"

/* All formats, in the order in which they are listed; ends with NULL. */
extern const struct import_format *const formats_table[];

/* The format of this name; NULL with *err, which suggests the nearest name. */
const struct import_format *formats_find(const char *name, struct err *err);

extern const struct import_format google_attempts_format, google_events_format,
    alibaba_2018_task_format, alibaba_2018_instance_format, alibaba_2018_dag_format,
    alibaba_2017_task_format, alibaba_2017_instance_format, swim_format, coflow_format, hawk_format,
    swf_format, nextflow_format, spark_format, wfcommons_format, rumen_format, dolly_journal_format;
