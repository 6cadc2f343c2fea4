/* options.c - GNU parallel's command line, as far as dolly goes along with it.
 *
 * Options stand before the command. Short ones may be bundled (-kj4), long ones take their value
 * behind a blank or `=`. What each option is and where its value goes is in options_table.c; what
 * GNU parallel has and we do not is in options_refused.c with the reason, so that no script
 * runs with an option silently ignored. Why not getopt_long: see ui/opt.c. */
#include "jobs/args/options.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "jobs/args/file_pattern.h"
#include "jobs/args/options_table.h"

static int refuse(const char *name, int length, const struct field *row, struct err *err)
{
    return err_set(err, "%s%.*s of GNU parallel is not supported: %s", length == 1 ? "-" : "--",
                   length, name, row->want);
}

static int unknown(const char *name, struct err *err)
{
    const char *near = strlen(name) > 1 ? field_nearest(options_table, name) : NULL;

    if (near)
        return err_set(err, "unknown option --%s, did you mean --%s?", name, near);
    return err_set(err, "unknown option %s%s", strlen(name) == 1 ? "-" : "--", name);
}

/* A long name, whole or as much of it as tells it from all others, also from those that are
 * refused: what a script means must not depend on what we have. NULL with *err. */
static const struct field *find_long(const char *text, size_t length, struct err *err)
{
    struct options_match own = {0}, other = {0};
    struct str names = {0};
    char name[64];

    snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), text);
    if (length > 1 && (own.row = field_find(options_table, name)))
        return own.row;
    other = (struct options_match){field_find(options_refused, name), name, (int)strlen(name)};
    if (!other.row) {
        uint32_t count = options_table_complete(options_table, name, false, &own, &names);
        count += options_table_complete(options_refused, name, true, &other, &names);
        if (count > 1 && own.row) {
            err_set(err, "--%s may be %s", name, names.text);
            str_free(&names);
            return NULL;
        }
    }
    str_free(&names);
    if (other.row)
        refuse(other.name, other.length, other.row, err);
    else if (!own.row)
        unknown(name, err);
    return own.row;
}

/* Whether the argument behind an option whose value may be left out is that value. */
static bool is_value(const struct field *option, const char *text)
{
    if (strcmp(option->value, "[N]") == 0)
        return *text >= '0' && *text <= '9';
    if (option->value[1] == '=') /* part of the same argument, or none */
        return false;
    return *text != '-';
}

/* The value of an option at argv[*i] that is not part of the same argument; *i moves on to it. NULL
 * when there is none. */
static const char *next_value(const struct field *option, int argc, char **argv, int *i)
{
    bool optional = option->value[0] == '[';

    if (*i + 1 < argc && (!optional || is_value(option, argv[*i + 1])))
        return argv[++*i];
    return optional ? "" : NULL;
}

/* Takes an option that was written like this, with a value behind it, or in the next argument. */
static int take(struct options *o, const struct field *option, const char *written,
                const char *value, int argc, char **argv, int *i, struct err *err)
{
    if (option->value && !value && !(value = next_value(option, argc, argv, i)))
        return err_set(err, "%s needs a value: %s %s", written, written, option->value);
    return options_table_take(o, option, value, err);
}

/* One argument that begins with two dashes; *i moves past the value. */
static int take_long(struct options *o, int argc, char **argv, int *i, struct err *err)
{
    const char *name = argv[*i] + 2;
    size_t length = strcspn(name, "=");
    const char *value = name[length] ? name + length + 1 : NULL;
    const struct field *option = find_long(name, length, err);

    if (!option)
        return -1;
    if (!option->value && value)
        return err_set(err, "--%.*s takes no value", (int)length, name);
    return take(o, option, argv[*i], value, argc, argv, i, err);
}

/* One dash and letters; the last of them may have a value. */
static int take_short(struct options *o, int argc, char **argv, int *i, struct err *err)
{
    for (const char *c = argv[*i] + 1; *c; c++) {
        char written[] = {'-', *c, 0};
        const struct field *option = field_find(options_table, written + 1);
        const struct field *refused = field_find(options_refused, written + 1);
        if (!option)
            return refused ? refuse(written + 1, 1, refused, err) : unknown(written + 1, err);
        if (option->value)
            return take(o, option, written, c[1] ? c + 1 : NULL, argc, argv, i, err);
        if (options_table_take(o, option, NULL, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- the command and its sources ---- */

/* Whether the word is ::: or ::::, perhaps with a +, or what --arg-sep and --arg-file-sep say. */
static bool is_separator(const struct options *o, const char *word, bool *files, bool *linked)
{
    const char *const seps[] = {o->arg_sep ? o->arg_sep : ":::",
                                o->file_sep ? o->file_sep : "::::"};

    for (int i = 0; i < 2; i++) {
        size_t length = strlen(seps[i]);
        *files = i == 1;
        *linked = strncmp(word, seps[i], length) == 0 && strcmp(word + length, "+") == 0;
        if (*linked || strcmp(word, seps[i]) == 0)
            return true;
    }
    return false;
}

static void take_sources(struct options *o, int argc, char **argv, int i)
{
    bool files, linked;

    while (i < argc && is_separator(o, argv[i], &files, &linked)) {
        bool next_files, next_linked;
        int from = ++i;
        while (i < argc && !is_separator(o, argv[i], &next_files, &next_linked))
            i++;
        if (!files)
            vec_push(&o->sources,
                     ((struct options_source){.words = (const char *const *)(argv + from),
                                              .count = (uint32_t)(i - from),
                                              .linked = linked}));
        for (int k = from; files && k < i; k++)
            vec_push(&o->sources, ((struct options_source){.file = argv[k], .linked = linked}));
    }
}

int options_check_json(const struct options *o, struct err *err)
{
    if (o->output != OUTPUT_GROUP || o->show || o->tag || o->tagstring || o->dry_run)
        return err_set(err, "--json prints one object and nothing else; it cannot be combined with "
                            "--line-buffer, --ungroup, --tag, --tagstring, -v or --dry-run");
    return 0;
}

static int options_check_tee(const struct options *o, struct err *err)
{
    bool standard = o->sources.count == 0;

    for (uint32_t i = 0; i < o->sources.count; i++)
        standard |= o->sources.at[i].file && strcmp(o->sources.at[i].file, "-") == 0;
    if (o->pipepart || o->cat || o->array || standard || !o->command.text)
        return err_set(err, "--tee gives all of stdin to each task: it needs a command and "
                            "arguments that come from elsewhere (:::, -a FILE)");
    return 0;
}

static int options_check(const struct options *o, struct err *err)
{
    bool pipes = o->pipe || o->pipepart;
    bool clones = o->policy && strcmp(o->policy, "none") != 0;

    if (o->tee && options_check_tee(o, err) < 0)
        return -1;
    if (o->resume != RESUME_NO && !o->joblog && !o->dir)
        return err_set(err, "%s",
                       o->resume == RESUME_ALL      ? "--resume needs --joblog or --dir"
                       : o->resume == RESUME_FAILED ? "--resume-failed needs --joblog or --dir"
                                                    : "--retry-failed needs --joblog or --dir; to "
                                                      "try failing tasks again: --retries N");
    if (o->joblog && strcmp(o->joblog, "-") == 0 && (o->resume != RESUME_NO || o->json))
        return err_set(err,
                       "--joblog - writes the log among the outputs; it cannot be combined with "
                       "--json, --resume, --resume-failed or --retry-failed");
    if (o->table && (o->dir || o->resume != RESUME_NO || o->files || o->json))
        return err_set(err,
                       "--results %s makes a table that is written once; it cannot be combined "
                       "with --dir, --resume, --resume-failed, --retry-failed, --files or --json",
                       o->results);
    if (o->pipepart && (o->sources.count != 1 || !o->sources.at[0].file))
        return err_set(err, "--pipepart needs one file: -a FILE");
    if (o->pipe && o->sources.count && (o->sources.count > 1 || !o->sources.at[0].file))
        return err_set(err, "--pipe reads stdin or one file (-a FILE), not arguments after :::");
    if (pipes && (o->array || o->many || o->colsep || o->link))
        return err_set(err, "--pipe and --pipepart cannot be combined with --array, -m, -X, "
                            "--colsep or --link");
    if (o->pipepart && (o->strip_records || o->lines >= 0))
        return err_set(err, "--pipepart cannot be combined with --remove-rec-sep, -L or -l; use "
                            "--pipe");
    if (o->block_parts && !o->pipepart)
        return err_set(err, "--block -N depends on the size of the file: it needs --pipepart");
    if (pipes && !o->command.text)
        return err_set(err, "--pipe and --pipepart need a command");
    if (o->array && o->sources.count)
        return err_set(err, "--array cannot be combined with :::, :::: or -a");
    if (o->array && !o->command.text)
        return err_set(err, "--array needs a command");
    if (o->nodes && o->jobs)
        return err_set(err, "--nodes and -j exclude each other");
    if (o->nodes && o->where.spec)
        return err_set(err, "--nodes and --on exclude each other");
    if (o->where.pull && o->output != OUTPUT_GROUP)
        return err_set(err, "--pull fetches outputs when tasks are over; it cannot be combined "
                            "with --line-buffer or --ungroup");
    if (o->output != OUTPUT_GROUP && (o->clone || o->pure || clones))
        return err_set(
            err, "--line-buffer and --ungroup print output before it is known which attempt wins; "
                 "they cannot be combined with --clone, --pure or --policy");
    if (o->output != OUTPUT_GROUP && o->retries > 1)
        return err_set(err, "--line-buffer and --ungroup cannot be combined with --retries");
    if (o->json && options_check_json(o, err) < 0)
        return -1;
    if ((o->out_file && file_pattern_check(o->out_file, err) < 0) ||
        (o->err_file && file_pattern_check(o->err_file, err) < 0))
        return -1;
    if (o->where.spec && ((o->out_file && file_pattern_has_host(o->out_file)) ||
                          (o->err_file && file_pattern_has_host(o->err_file))))
        return err_set(err, "%%N in --output and --error is this host, not the node of a task, and "
                            "cannot be combined with --on; --joblog has the nodes");
    if (o->nice > 19)
        return err_set(err, "--nice must be from 0 to 19");
    if (clones && !o->clone && !o->pure)
        return err_set(err,
                       "--policy needs --pure or --clone: commands must be allowed to run twice");
    return 0;
}

static enum options_table table_of(const char *results)
{
    static const char *const ends[] = {"", ".csv", ".tsv", ".json"};

    for (int i = TABLE_CSV; results && i <= TABLE_JSON; i++) {
        size_t length = strlen(results), n = strlen(ends[i]);
        if (length > n && strcasecmp(results + length - n, ends[i]) == 0)
            return (enum options_table)i;
    }
    return TABLE_NONE;
}

/* What follows from the options together, whatever their order. */
static void conclude(struct options *o)
{
    o->many |= o->context || o->xargs;
    o->header = o->header_text != NULL;
    if (o->eof && !*o->eof)
        o->eof = NULL;
    if (o->cat && !o->pipepart)
        o->pipe = true;
    if (o->tee)
        o->pipe = false;
    if (o->pipepart && o->round_robin) { /* the file is read by turns, so it is read at once */
        o->pipe = true;
        o->pipepart = false;
    }
    bool pipes = o->pipe || o->pipepart;

    if (o->block_bytes == 0) { /* not given */
        o->block_bytes = 1 << 20;
        if (o->pipepart && !o->block_parts && o->max_args < 0)
            o->block_parts = 10;
    }
    if (o->lines == 0 && !pipes) /* -L0 is -N0 */
        o->max_args = 0;
    else if (o->lines > 0 && o->max_args < 0 && !pipes)
        o->max_args = o->lines;
    if ((o->replace_args || o->lines >= 0) && !o->many)
        o->context = true;
    if (o->header && !o->colsep && !pipes)
        o->colsep = "\\t";
    if (o->files || o->results) /* each is kept, or named, once: when it is complete */
        o->output = OUTPUT_GROUP;
    o->table = table_of(o->results);
    if (o->trim < 0)
        o->trim = o->colsep ? INPUTS_TRIM_BOTH : INPUTS_TRIM_NONE;
    else if (o->trim > INPUTS_TRIM_BOTH) /* rl */
        o->trim = INPUTS_TRIM_BOTH;
}

int options_parse(struct options *o, int argc, char **argv, struct err *err)
{
    int i = 1;
    bool files, linked;

    *o = (struct options){.delimiter = '\n',
                          .max_args = -1,
                          .lines = -1,
                          .trim = -1,
                          .retries = 1,
                          .cpus = 1000,
                          .where = WHERE_UNSAID,
                          .seed = 1};
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        int result = argv[i][1] == '-' ? take_long(o, argc, argv, &i, err)
                                       : take_short(o, argc, argv, &i, err);
        if (result < 0)
            return -1;
    }
    o->words = (const char *const *)(argv + i);
    for (; i < argc && !is_separator(o, argv[i], &files, &linked); i++)
        str_addf(&o->command, "%s%s", o->word_count++ ? " " : "", argv[i]);
    take_sources(o, argc, argv, i);
    conclude(o);
    return o->help || o->version ? 0 : options_check(o, err);
}

struct inputs_options options_inputs(const struct options *o)
{
    return (struct inputs_options){.delimiter = o->delimiter,
                                   .delimiter_head = o->delimiter_head,
                                   .colsep = o->colsep,
                                   .eof = o->eof,
                                   .trim = (enum inputs_trim)o->trim,
                                   .continues = o->lines >= 0,
                                   .split_words = o->delimited && o->delimiter,
                                   .link = o->link,
                                   .header = o->header,
                                   .skip_empty = o->skip_empty};
}

void options_fini(struct options *o)
{
    str_free(&o->command);
    vec_free(&o->sources);
    vec_free(&o->settings.texts);
    vec_free(&o->env.texts);
}
