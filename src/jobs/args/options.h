/* options.h - the parsed command line of `dolly map`; parsing has no other effect. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/field.h"
#include "base/text.h"
#include "base/vec.h"
#include "jobs/args/halt.h"
#include "jobs/args/inputs.h"
#include "remote/coordinator/where.h"

/* How the output of tasks is written to dolly's own. */
enum options_output { OUTPUT_GROUP, OUTPUT_LINES, OUTPUT_RAW };
/* The kind of file that --results names, by its ending; TABLE_NONE: a folder. */
enum options_table { TABLE_NONE, TABLE_CSV, TABLE_TSV, TABLE_JSON };
enum options_resume { RESUME_NO, RESUME_ALL, RESUME_FAILED, RESUME_RETRY };

/* One source of arguments: words of the command line, or a file. */
struct options_source {
    const char *file;         /* NULL: words */
    const char *const *words; /* borrowed from argv */
    uint32_t count;
    bool linked;
};

struct options {
    struct str command;       /* words joined by blanks; NULL text: the arguments are commands */
    const char *const *words; /* of the command; borrowed from argv */
    uint32_t word_count;

    /* input */
    VEC(struct options_source) sources;
    char delimiter;                                /* its last byte */
    char delimiter_head[INPUTS_DELIMITER_MAX + 1]; /* the bytes before that */
    bool delimited;                                /* one was given */
    int trim;                                      /* enum inputs_trim */
    const char *eof, *colsep, *array;
    const char *arg_sep, *file_sep;
    const char *replaces[REPLACES]; /* as in struct template_options */
    bool plus, header, link, skip_empty, shuffle, quote;
    bool pipe, pipepart;
    const char *recstart, *recend, *header_text; /* NULL: not given */
    bool regexp, strip_records, round_robin, cat;
    bool tee; /* all of stdin for each task; pipe is false then: tasks come from arguments */
    int64_t block_bytes;
    int64_t block_parts; /* with --pipepart: blocks for each slot instead; 0: not given */
    int64_t max_args;    /* -n, -N; -1: not given */
    int64_t lines;       /* -L, -l; -1: not given */
    int64_t max_chars;   /* -s; 0: not given */
    bool many, context;  /* -m, -X */
    bool xargs, replace_args;

    /* running */
    const char *jobs, *nodes, *workdir;
    int64_t cores;              /* -S N/: cores of this machine; 0: not given */
    struct where_options where; /* agents */
    const char *lost;           /* NULL: not given */
    struct field_list env;
    int64_t retries, nice;
    int64_t timeout_us;
    double timeout_percent; /* of the median; 0: none */
    int64_t delay_us, memfree_bytes;
    int32_t cpus, mem; /* for a task: thousandths of a core, MiB */
    double load;       /* largest load average of one minute; 0: any */
    bool load_percent;
    struct halt halt;
    int64_t seed;

    /* cloning */
    bool clone, pure;
    const char *policy, *chaos;
    struct field_list settings;

    /* output */
    enum options_output output;
    int keep_order; /* 0 or 1 */
    bool tag, files, dry_run, bar, eta, progress, summary, json, no_history, show, show_stderr;
    const char *tagstring, *joblog, *results, *dir, *tmpdir, *out_file, *err_file;
    enum options_table table; /* of --results */
    enum options_resume resume;

    bool help, help_all, version;
};

/* Parses the arguments after `map`. Returns 0, or -1 with *err: one line that names the option. The
 * strings are borrowed from argv. Free with options_fini in both cases. */
int options_parse(struct options *o, int argc, char **argv, struct err *err);
void options_fini(struct options *o);

/* Returns how to read the sources of arguments; strings are borrowed. */
struct inputs_options options_inputs(const struct options *o);

/* Returns 0 if the options are compatible with --json, or -1 with *err. */
int options_check_json(const struct options *o, struct err *err);

/* Calls `line` with each option and its help, in the order of the manual; or with those of `only`,
 * names that end with NULL, in their order. Returns how many are left out. */
uint32_t options_table_describe(const char *const *only,
                                void (*line)(void *ctx, const char *option, const char *help),
                                void *ctx);
