/* options_table.c - the options of `dolly map`, and how their values are read.
 *
 * Most options only fill a member of struct options, and the row says which; those that do more
 * have a function, or none if they are accepted and ignored. A row without a value that fills a
 * choice stands for its `fallback`. */
#include "jobs/args/options_table.h"

#include <stdio.h>
#include <string.h>

#include "jobs/args/escape.h"
#include "remote/coordinator/where_fields.h"
#include "ui/settings.h"

/* ---- values ---- */

/* Reads the value of the option that the user wrote as `name`. */
static int want(const struct field *f, const char *name, const char *text, void *member,
                struct err *err)
{
    struct str right = {0};
    int64_t number;
    bool huge = f->type == FIELD_INT && text_int(text, &number) && number > INT64_MAX / 2;

    if (!huge && field_read(f, text, member) == FIELD_FINE)
        return 0;
    if (f->type == FIELD_TEXT)
        return err_set(err, "%s needs a value", name);
    field_want(f, &right);
    err_set(err, "%s: expected %s, not '%s'", name, right.text, text);
    str_free(&right);
    return -1;
}

/* A number of lines or arguments. */
static int want_count(const char *name, const char *text, int64_t *value, struct err *err)
{
    return want(&(struct field){.type = FIELD_INT}, name, text, value, err);
}

/* As in GNU parallel, small letters are powers of 1000: 1k is 1000 bytes, 1K is 1024. Returns the
 * text, or digits without such a letter. */
static const char *without_small_letter(const char *text, char digits[32])
{
    static const char letters[] = "kmgt";
    size_t length = strlen(text);
    const char *letter = length > 1 ? strchr(letters, text[length - 1]) : NULL;
    double value;

    if (!letter || length >= 32)
        return text;
    snprintf(digits, 32, "%.*s", (int)length - 1, text);
    for (int i = (int)(letter - letters); text_real(digits, &value) && i >= 0; i--)
        snprintf(digits, 32, "%.0f", value * 1000);
    return digits;
}

/* ---- options that do more than fill a member ---- */

static int take_timeout(void *options, const char *text, struct err *err)
{
    struct options *o = options;
    bool percent;
    double value;

    if (text_percent(text, &value, &percent) && percent && value > 0) {
        o->timeout_percent = value;
        return 0;
    }
    if (text_duration(text, &o->timeout_us) && o->timeout_us > 0)
        return 0;
    return err_set(err,
                   "--timeout: expected a time such as 30, 1.5m, or 200%% of the median, not "
                   "'%s'",
                   text);
}

static int take_help(void *options, const char *text, struct err *err)
{
    struct options *o = options;

    o->help = true;
    o->help_all = strcmp(text, "all") == 0;
    if (*text && !o->help_all)
        return err_set(err, "--help: expected nothing, or --help=all, not '%s'", text);
    return 0;
}

static int take_delimiter(void *options, const char *text, struct err *err)
{
    struct options *o = options;
    char bytes[INPUTS_DELIMITER_MAX + 1];

    if (strlen(text) > INPUTS_DELIMITER_MAX)
        return err_set(err, "-d: expected at most %d characters, not '%s'", INPUTS_DELIMITER_MAX,
                       text);
    size_t length = escape_decode(text, bytes);
    if (length == 0 || memchr(bytes, 0, length - 1))
        return err_set(err, "-d: expected some characters, or \\0 alone, not '%s'", text);
    o->delimited = true;
    o->delimiter = bytes[length - 1];
    bytes[length - 1] = 0;
    memcpy(o->delimiter_head, bytes, length);
    return 0;
}

static int take_load(void *options, const char *text, struct err *err)
{
    struct options *o = options;
    if (text_percent(text, &o->load, &o->load_percent) && o->load > 0)
        return 0;
    return err_set(err, "--load: expected a number such as 4 or 100%%, not '%s'", text);
}

static int take_arg_file(void *options, const char *text, struct err *err)
{
    (void)err;
    vec_push(&((struct options *)options)->sources, ((struct options_source){.file = text}));
    return 0;
}

static int take_braces(void *options, const char *text, struct err *err)
{
    (void)err;
    if (*text) /* -i alone means {} */
        ((struct options *)options)->replaces[REPLACES_WHOLE] = text;
    return 0;
}

static int take_halt(void *options, const char *text, struct err *err)
{
    return halt_parse(text, &((struct options *)options)->halt, err);
}

/* -l: as -L, lines are what stdin is made of; with --pipe they make up a record. */
static int take_max_lines(void *options, const char *text, struct err *err)
{
    struct options *o = options;

    if (*text && want_count("-L", text, &o->lines, err) < 0)
        return -1;
    if (!*text || o->lines == 0)
        o->lines = 1; /* -l0 is -l */
    return 0;
}

static int take_replace_args(void *options, const char *text, struct err *err)
{
    struct options *o = options;

    o->replace_args = true;
    return want_count("-N", text, &o->max_args, err);
}

/* A size, or -N: so that there are N blocks for each slot. */
static int take_block(void *options, const char *text, struct err *err)
{
    struct options *o = options;
    char digits[32];

    if (text_int(text, &o->block_parts) && o->block_parts < 0 && o->block_parts > -1000000) {
        o->block_parts = -o->block_parts;
        return 0;
    }
    o->block_parts = 0;
    return want(&(struct field){.type = FIELD_BYTES, .min = 1}, "--block",
                without_small_letter(text, digits), &o->block_bytes, err);
}

/* This machine is `:`, or N/: with N cores. */
static int take_login(void *options, const char *text, struct err *err)
{
    struct options *o = options;
    size_t digits = strspn(text, "0123456789");
    char number[8];

    if (strcmp(text, ":") == 0)
        return 0;
    snprintf(number, sizeof number, "%.*s", (int)digits, text);
    if (digits > 0 && digits < 6 && strcmp(text + digits, "/:") == 0 &&
        text_int(number, &o->cores) && o->cores > 0)
        return 0;
    return err_set(err, "-S and --sshlogin of GNU parallel is not supported: %s",
                   field_find(options_refused, "sshloginfile")->want);
}

/* ---- the table ---- */

#define OPTION(row, others, label, how, member, text)                                              \
    .name = row, .alias = others, .value = label, .type = how,                                     \
    .offset = offsetof(struct options, member), .help = text
#define FLAG(row, others, member, text)                                                            \
    {                                                                                              \
        OPTION(row, others, NULL, FIELD_FLAG, member, text)                                        \
    }
#define TEXT(row, others, label, member, text)                                                     \
    {                                                                                              \
        OPTION(row, others, label, FIELD_TEXT, member, text), .min = 1                             \
    }
#define CHOICE(row, others, member, words, word, text)                                             \
    {                                                                                              \
        OPTION(row, others, NULL, FIELD_CHOICE, member, text), .choices = words, .fallback = word  \
    }
#define OWN(row, others, label, how, text)                                                         \
    {                                                                                              \
        .name = row, .alias = others, .value = label, .type = FIELD_OWN, .take = how, .help = text \
    }

const struct field options_table[] = {
    TEXT("jobs", "j max-procs maxprocs P", "N", jobs,
         "tasks at once, with --on per node: N, N% of the cores, +N, -N, 0 for all"),
    OWN("arg-file", "argfile a", "FILE", take_arg_file,
        "read arguments from FILE, one per line; - is stdin"),
    {.name = "null",
     .alias = "0",
     .type = FIELD_OWN,
     .take = take_delimiter,
     .fallback = "\\0",
     .help = "arguments in files end with a NUL byte"},
    OWN("delimiter", "d", "TEXT", take_delimiter,
        "arguments in files end with this text: , \\t \\n\\n ..."),
    TEXT("E", NULL, "TEXT", eof, "a source ends before an argument that is TEXT"),
    {OPTION("eof", "e", "[TEXT]", FIELD_TEXT, eof, "the same")},
    {OPTION("trim", NULL, "n|l|r|lr", FIELD_CHOICE, trim,
            "strip blanks from the left, right, both ends of arguments; lr with --colsep"),
     .choices = "n|l|r|lr|rl", .want = "n, l, r or lr"},
    TEXT("colsep", "col-sep C", "REGEX", colsep, "split arguments into columns: {1} {2} ..."),
    {OPTION("header", NULL, ":|REGEX", FIELD_TEXT, header_text,
            "the first argument of a source names its columns: {name}")},
    FLAG("link", "xapply", link, "take one argument of each source per task"),
    TEXT("arg-sep", "argsep", "WORD", arg_sep, "WORD instead of :::"),
    TEXT("arg-file-sep", "argfilesep", "WORD", file_sep, "WORD instead of ::::"),
    {OPTION("max-args", "maxargs n", "N", FIELD_INT, max_args,
            "N arguments per task; 0: none is inserted")},
    OWN("max-replace-args", "maxreplaceargs N", "N", take_replace_args,
        "the same, repeating the word around {}"),
    {OPTION("L", NULL, "N", FIELD_INT, lines,
            "N lines per task; a line that ends in a blank continues with the next")},
    OWN("max-lines", "maxlines l", "[N]", take_max_lines, "the same; default 1"),
    {OPTION("max-chars", "maxchars s", "N", FIELD_INT, max_chars,
            "a command, with the zero at its end, has at most N characters")},
    FLAG("m", NULL, many, "as many arguments per task as fit, spread over the slots"),
    FLAG("X", NULL, context, "the same, repeating the word around {}"),
    FLAG("xargs", NULL, xargs, "as many arguments per task as fit"),
    FLAG("no-run-if-empty", "norunifempty r", skip_empty, "skip empty arguments"),
    OWN("I", NULL, "STRING", take_braces, "use STRING instead of {}"),
    OWN("replace", "i", "[STRING]", take_braces, "the same"),
    TEXT("extensionreplace", "er", "STRING", replaces[REPLACES_NO_EXTENSION],
         "use STRING instead of {.}"),
    TEXT("basenamereplace", "bnr", "STRING", replaces[REPLACES_BASE], "use STRING instead of {/}"),
    TEXT("dirnamereplace", "dnr", "STRING", replaces[REPLACES_FOLDER],
         "use STRING instead of {//}"),
    TEXT("basenameextensionreplace", "bner", "STRING", replaces[REPLACES_BASE_NO_EXTENSION],
         "use STRING instead of {/.}"),
    TEXT("seqreplace", NULL, "STRING", replaces[REPLACES_SEQ], "use STRING instead of {#}"),
    TEXT("slotreplace", NULL, "STRING", replaces[REPLACES_SLOT], "use STRING instead of {%}"),
    FLAG("plus", NULL, plus, "more replacement strings: {..} {+/} {:2} {%x} ..., see the manual"),
    FLAG("quote", "q", quote, "quote the words of the command"),
    FLAG("shuf", NULL, shuffle, "run in random order (see --seed)"),
    TEXT("array", NULL, "LIST", array, "indices instead of arguments: 0-99%10, 1-7:2, 1,3,5"),
    FLAG("pipe", "spreadstdin", pipe, "cut stdin into blocks of lines, one for each task's stdin"),
    FLAG("pipepart", "pipe-part", pipepart, "the same for the file of -a, read when needed"),
    OWN("block", "block-size blocksize", "SIZE", take_block,
        "size of a block; default 1M. With --pipepart also -N: N blocks per slot, default -10"),
    {OPTION("recend", NULL, "TEXT", FIELD_TEXT, recend,
            "records of --pipe end with TEXT; default \\n")},
    {OPTION("recstart", NULL, "TEXT", FIELD_TEXT, recstart, "records of --pipe begin with TEXT")},
    FLAG("regexp", "regex", regexp, "--recstart and --recend are regular expressions"),
    FLAG("remove-rec-sep", "removerecsep rrs", strip_records,
         "remove --recstart and --recend "
         "from the blocks"),
    FLAG("round-robin", "roundrobin round", round_robin,
         "one task per slot; blocks of --pipe are distributed among them"),
    FLAG("tee", NULL, tee, "--pipe, but all of stdin is the stdin of each task of :::"),
    FLAG("cat", "fifo", cat, "a block is a file, {}, instead of stdin"),
    CHOICE("keep-order", "keeporder k", keep_order, "no|yes", "yes",
           "print outputs in the order of the arguments"),
    CHOICE("no-keep-order", "nokeeporder nok no-k", keep_order, "no|yes", "no",
           "print outputs as tasks end"),
    CHOICE("group", "g", output, "group|lines|raw", "group",
           "print the output of a task when it is over (the default)"),
    CHOICE("line-buffer", "line-buffered linebuffer linebuffered lb", output, "group|lines|raw",
           "lines", "print whole lines as they arrive"),
    CHOICE("ungroup", "u", output, "group|lines|raw", "raw", "print output as it arrives"),
    FLAG("tag", NULL, tag, "begin each line with the arguments and a tab"),
    TEXT("tagstring", "tag-string", "STRING", tagstring,
         "begin each line with STRING (may hold {}) and a tab"),
    FLAG("files", "output-as-files outputasfiles", files,
         "keep each stdout in a file of --tmpdir and print its name"),
    TEXT("results", "result res", "DIR", results,
         "outputs to DIR/1/ARG/stdout, ... instead, or to X.csv, X.tsv, X.json"),
    TEXT("output", NULL, "FILE", out_file,
         "stdout of tasks to FILE: %A run, %a or %4a index, %j %x %N %u as in Slurm"),
    TEXT("error", NULL, "FILE", err_file, "the same for stderr"),
    TEXT("joblog", "jl", "FILE", joblog,
         "a line per task, in the columns of GNU parallel; - stdout, +FILE append"),
    CHOICE("resume", NULL, resume, "no|all|failed|retry", "all", "skip the tasks in the job log"),
    CHOICE("resume-failed", "resumefailed", resume, "no|all|failed|retry", "failed",
           "skip the tasks that are done in the job log"),
    CHOICE("retry-failed", "retryfailed", resume, "no|all|failed|retry", "retry",
           "run the commands that failed in the job log again"),
    FLAG("dry-run", "dryrun dr", dry_run, "print the commands, run nothing"),
    FLAG("v", NULL, show, "print each command before its output"),
    FLAG("verbose", "t", show_stderr, "print each command on stderr when it starts"),
    FLAG("bar", NULL, bar, "a progress bar; plain lines when stderr is not a terminal"),
    FLAG("eta", NULL, eta, "progress with the time left"),
    FLAG("progress", NULL, progress, "progress in numbers"),
    {OPTION("retries", NULL, "N", FIELD_INT, retries,
            "run a failing task up to N times; default 1"),
     .min = 1, .max = 100},
    OWN("timeout", NULL, "TIME|N%", take_timeout,
        "end tasks that run longer, or longer than N% of the median"),
    OWN("halt", "halt-on-error haltonerror", "WHEN", take_halt,
        "now|soon,fail|success|done=N|N%; default never"),
    {OPTION("delay", NULL, "TIME", FIELD_TIME, delay_us, "wait this long between two starts")},
    OWN("load", NULL, "N|N%", take_load, "start nothing while the load average is higher"),
    {OPTION("memfree", NULL, "SIZE", FIELD_BYTES, memfree_bytes,
            "start nothing while less memory is free"),
     .min = 1},
    {OPTION("nice", NULL, "N", FIELD_INT, nice, "run at this niceness")},
    TEXT("workdir", "work-dir wd", "DIR", workdir, "run commands in DIR"),
    {OPTION(
        "env", NULL, "NAME", FIELD_LIST, env,
        "pass this variable to hosts of --on ssh; elsewhere commands get the whole environment")},
    FLAG("clone", NULL, clone, "a task may run more than once at a time: first one wins"),
    FLAG("pure", NULL, pure, "the command writes only to stdout or $DOLLY_TMPDIR: clone freely"),
    TEXT("policy", NULL, "P", policy,
         "policy of cloning, see `dolly policies`; default " SETTINGS_POLICY),
    {OPTION("set", NULL, "KEY=VALUE", FIELD_LIST, settings,
            "a parameter of the policy; may be repeated")},
    {OPTION("cpus", NULL, "N", FIELD_MILLI, cpus, "slots that a task takes; default 1"),
     .min = 0.001, .max = 1e6},
    {OPTION("mem", NULL, "SIZE", FIELD_MIB_UP, mem,
            "memory that a task needs; limits how many run at once"),
     .max = 1 << 30},
    TEXT("nodes", NULL, "NxM", nodes, "virtual nodes: N of M slots each, instead of -j"),
    WHERE_FIELDS(struct options, where),
    FLAG("pull", NULL, where.pull,
         "with --on: tasks work in scratch of their nodes; outputs are fetched"),
    TEXT("lost", NULL, "WHAT", lost,
         "with --on: a task that is lost with its node runs `again` (default), or must `fail`"),
    TEXT("chaos", NULL, "SPEC", chaos,
         "cause faults: slow=SHARExFACTOR, kill=SHARE, node_mtbf=TIME, node_repair=TIME"),
    {OPTION("seed", NULL, "N", FIELD_INT, seed, "for --shuf, --chaos and placement; default 1")},
    TEXT("dir", NULL, "DIR", dir,
         "keep journal and outputs of the run in DIR, for `dolly resume DIR`"),
    TEXT("tmpdir", "tempdir", "DIR", tmpdir,
         "where the folder of the run is made; default $TMPDIR or /tmp"),
    FLAG("summary", NULL, summary, "print a summary on stderr; the default when cloning"),
    FLAG("no-history", NULL, no_history,
         "neither use nor note how long tasks of this command take"),
    FLAG("json", NULL, json, "print one JSON object: each task with its outputs, and the sums"),
    {.name = "help",
     .alias = "h",
     .value = "[=all]",
     .type = FIELD_OWN,
     .take = take_help,
     .fallback = "",
     .help = "the options of every day; =all: all of them"},
    FLAG("version", "V", version, "print the version"),
    OWN("sshlogin", "S", ":", take_login, NULL),
    OWN("will-cite", "willcite nn nonotice no-notice silent gnu plain compress exit x", NULL, NULL,
        NULL),
    OWN("compress-program",
        "use-compress-program decompress-program "
        "use-decompress-program compressprogram decompressprogram "
        "usecompressprogram usedecompressprogram total-jobs totaljobs "
        "total",
        "TEXT", NULL, NULL),
    {0},
};

/* ---- names ---- */

/* Moves *at to the next word of a list separated by blanks, and returns its length; 0: no more. */
static size_t next_word(const char **at, size_t length)
{
    *at += length;
    *at += **at == ' ';
    return strcspn(*at, " ");
}

uint32_t options_table_complete(const struct field *table, const char *name, bool each,
                                struct options_match *first, struct str *names)
{
    size_t length = strlen(name);
    uint32_t count = 0;

    for (const struct field *f = table; f->name && length > 1; f++) {
        const char *at = f->name;
        size_t n = strlen(at);
        for (bool more = true, alias = false; more && n;) {
            if (n > length && strncmp(at, name, length) == 0) {
                str_addf(names, "%s--%.*s", names->text ? ", " : "", (int)n, at);
                if (count++ == 0)
                    *first = (struct options_match){f, at, (int)n};
                more = each;
            }
            n = alias ? next_word(&at, n) : 0;
            if (!alias && f->alias)
                n = strcspn(at = f->alias, " ");
            alias = true;
        }
    }
    return count;
}

static void describe(const struct field *f,
                     void (*line)(void *ctx, const char *option, const char *help), void *ctx)
{
    struct str left = {0};
    const char *at = f->alias ? f->alias : "";

    str_addf(&left, "%s%s", f->name[1] ? "--" : "-", f->name);
    for (size_t n = next_word(&at, 0); n; n = next_word(&at, n))
        if (n == 1)
            str_addf(&left, ", -%.1s", at);
    if (f->value)
        str_addf(&left, " %s", f->value);
    line(ctx, left.text, f->help);
    str_free(&left);
}

uint32_t options_table_describe(const char *const *only,
                                void (*line)(void *ctx, const char *option, const char *help),
                                void *ctx)
{
    uint32_t others = 0;

    for (const struct field *f = options_table; f->name; f++) {
        others += f->help != NULL;
        if (f->help && !only)
            describe(f, line, ctx);
    }
    if (!only)
        return 0;
    for (; *only; only++, others--)
        describe(field_find(options_table, *only), line, ctx);
    return others;
}

/* ---- one option ---- */

int options_table_take(struct options *o, const struct field *f, const char *value, struct err *err)
{
    void *member = (char *)o + f->offset;
    char name[32], digits[32];

    if (f->type == FIELD_FLAG)
        *(bool *)member = true;
    if (f->type == FIELD_FLAG || (f->type == FIELD_OWN && !f->take))
        return 0;
    if (!value)
        value = f->fallback;
    if (f->type == FIELD_OWN)
        return f->take(o, value, err);
    snprintf(name, sizeof name, "%s%s", f->name[1] ? "--" : "-", f->name);
    if (f->type == FIELD_BYTES)
        value = without_small_letter(value, digits);
    return want(f, name, value, member, err);
}
