/* options_table.c - the options, and how their values are read.
 *
 * Most options only set a field, so the table says which and of what kind; the few that do more
 * have a kind of their own. */
#include "args/options_table.h"

#include <stdio.h>
#include <string.h>

#include "args/escape.h"

enum kind {
    FLAG, /* a flag: the field becomes true */
    TEXT,
    ANY_TEXT, /* may be empty */
    TIME,
    BYTES,
    COUNT, /* a whole number, 0 or more */
    /* special ones */
    ARG_FILE,
    BRACES,
    CONTEXT,
    DELIMITER,
    FREE_ORDER,
    HALT,
    HEADER,
    IGNORED,
    LINES,
    LOAD,
    MAX_LINES,
    NUL,
    RAW,
    GROUP,
    REPLACE_ARGS,
    RESUME,
    RESUME_NOT_DONE,
    RETRIES,
    RETRY,
    SET,
    TIMEOUT,
    TRIM,
    XARGS,
};

#define TO(field) offsetof(struct options, field)

static const struct option table[] = {
    {"jobs j max-procs maxprocs P", "N", TEXT, TO(jobs),
     "tasks at once: N, N% of the cores, +N, -N, 0 for all"},
    {"arg-file argfile a", "FILE", ARG_FILE, 0,
     "read arguments from FILE, one per line; - is stdin"},
    {"null 0", NULL, NUL, 0, "arguments in files end with a NUL byte"},
    {"delimiter d", "TEXT", DELIMITER, 0,
     "arguments in files end with this text: , \\t \\n\\n ..."},
    {"E", "TEXT", TEXT, TO(eof), "a source ends before an argument that is TEXT"},
    {"eof e", "[TEXT]", TEXT, TO(eof), "the same"},
    {"trim", "n|l|r|lr", TRIM, 0,
     "strip blanks from the left, right, both ends of arguments; lr with --colsep"},
    {"colsep col-sep C", "REGEX", TEXT, TO(colsep), "split arguments into columns: {1} {2} ..."},
    {"header", ":|REGEX", HEADER, TO(header),
     "the first argument of a source names its columns: {name}"},
    {"link xapply", NULL, FLAG, TO(link), "take one argument of each source per task"},
    {"arg-sep argsep", "WORD", TEXT, TO(arg_sep), "WORD instead of :::"},
    {"arg-file-sep argfilesep", "WORD", TEXT, TO(file_sep), "WORD instead of ::::"},
    {"max-args maxargs n", "N", COUNT, TO(max_args), "N arguments per task; 0: none is inserted"},
    {"max-replace-args maxreplaceargs N", "N", REPLACE_ARGS, 0,
     "the same, repeating the word around {}"},
    {"L", "N", MAX_LINES, 0, "N lines per task; a line that ends in a blank goes on with the next"},
    {"max-lines maxlines l", "[N]", MAX_LINES, 0, "the same; default 1"},
    {"max-chars maxchars s", "N", COUNT, TO(max_chars),
     "a command, with the zero at its end, has at most N characters"},
    {"m", NULL, FLAG, TO(many), "as many arguments per task as fit, spread over the slots"},
    {"X", NULL, CONTEXT, 0, "the same, repeating the word around {}"},
    {"xargs", NULL, XARGS, 0, "as many arguments per task as fit"},
    {"no-run-if-empty norunifempty r", NULL, FLAG, TO(skip_empty), "skip empty arguments"},
    {"I", "STRING", BRACES, 0, "STRING stands for {}"},
    {"replace i", "[STRING]", BRACES, 0, "the same"},
    {"extensionreplace er", "STRING", TEXT, TO(replaces[REPLACES_NO_EXTENSION]),
     "STRING stands for {.}"},
    {"basenamereplace bnr", "STRING", TEXT, TO(replaces[REPLACES_BASE]), "STRING stands for {/}"},
    {"dirnamereplace dnr", "STRING", TEXT, TO(replaces[REPLACES_FOLDER]), "STRING stands for {//}"},
    {"basenameextensionreplace bner", "STRING", TEXT, TO(replaces[REPLACES_BASE_NO_EXTENSION]),
     "STRING stands for {/.}"},
    {"seqreplace", "STRING", TEXT, TO(replaces[REPLACES_SEQ]), "STRING stands for {#}"},
    {"slotreplace", "STRING", TEXT, TO(replaces[REPLACES_SLOT]), "STRING stands for {%}"},
    {"plus", NULL, FLAG, TO(plus),
     "more replacement strings: {..} {+/} {:2} {%x} ..., see the manual"},
    {"quote q", NULL, FLAG, TO(quote), "quote the words of the command"},
    {"shuf", NULL, FLAG, TO(shuffle), "run in random order (see --seed)"},
    {"array", "LIST", TEXT, TO(array), "indices instead of arguments: 0-99%10, 1-7:2, 1,3,5"},
    {"pipe spreadstdin", NULL, FLAG, TO(pipe),
     "cut stdin into blocks of lines, one for each task's stdin"},
    {"pipepart pipe-part", NULL, FLAG, TO(pipepart),
     "the same for the file of -a, read when needed"},
    {"block block-size blocksize", "SIZE", BYTES, TO(block_bytes), "size of a block; default 1M"},
    {"recend", "TEXT", ANY_TEXT, TO(recend), "records of --pipe end with TEXT; default \\n"},
    {"recstart", "TEXT", ANY_TEXT, TO(recstart), "records of --pipe begin with TEXT"},
    {"regexp regex", NULL, FLAG, TO(regexp), "--recstart and --recend are regular expressions"},
    {"remove-rec-sep removerecsep rrs", NULL, FLAG, TO(strip_records),
     "leave --recstart and --recend out"},
    {"round-robin roundrobin round", NULL, FLAG, TO(round_robin),
     "as many tasks as slots; blocks of --pipe are dealt out among them"},
    {"tee", NULL, FLAG, TO(tee), "--pipe, but all of stdin is the stdin of each task of :::"},
    {"cat fifo", NULL, FLAG, TO(cat), "a block is a file, {}, instead of stdin"},
    {"keep-order keeporder k", NULL, FLAG, TO(keep_order),
     "print outputs in the order of the arguments"},
    {"no-keep-order nokeeporder nok no-k", NULL, FREE_ORDER, 0, "print outputs as tasks end"},
    {"group g", NULL, GROUP, 0, "print the output of a task when it is over (the default)"},
    {"line-buffer line-buffered linebuffer linebuffered lb", NULL, LINES, 0,
     "print whole lines as they come"},
    {"ungroup u", NULL, RAW, 0, "print output as it comes"},
    {"tag", NULL, FLAG, TO(tag), "begin each line with the arguments and a tab"},
    {"tagstring tag-string", "STRING", TEXT, TO(tagstring),
     "begin each line with STRING (may hold {}) and a tab"},
    {"files output-as-files outputasfiles", NULL, FLAG, TO(files),
     "keep each stdout in a file of --tmpdir and print its name"},
    {"results result res", "DIR", TEXT, TO(results),
     "outputs to DIR/1/ARG/stdout, ... instead, or to X.csv, X.tsv, X.json"},
    {"output", "FILE", TEXT, TO(out_file),
     "stdout of tasks to FILE: %A run, %a or %4a index, %j %x %N %u as in Slurm"},
    {"error", "FILE", TEXT, TO(err_file), "the same for stderr"},
    {"joblog jl", "FILE", TEXT, TO(joblog),
     "a line per task, in the columns of GNU parallel; - stdout, +FILE append"},
    {"resume", NULL, RESUME, 0, "skip what the job log has"},
    {"resume-failed resumefailed", NULL, RESUME_NOT_DONE, 0, "skip what the job log has as done"},
    {"retry-failed retryfailed", NULL, RETRY, 0,
     "run the commands that failed in the job log again"},
    {"dry-run dryrun dr", NULL, FLAG, TO(dry_run), "print the commands, run nothing"},
    {"v", NULL, FLAG, TO(show), "print each command before its output"},
    {"verbose t", NULL, FLAG, TO(show_stderr), "print each command on stderr when it starts"},
    {"bar", NULL, FLAG, TO(bar), "a progress bar; plain lines when stderr is no terminal"},
    {"eta", NULL, FLAG, TO(eta), "progress with the time left"},
    {"progress", NULL, FLAG, TO(progress), "progress in numbers"},
    {"retries", "N", RETRIES, 0, "run a failing task up to N times; default 1"},
    {"timeout", "TIME|N%", TIMEOUT, 0,
     "end tasks that run longer, or longer than N% of the median"},
    {"halt halt-on-error haltonerror", "WHEN", HALT, 0,
     "now|soon,fail|success|done=N|N%; default never"},
    {"delay", "TIME", TIME, TO(delay_us), "between two starts"},
    {"load", "N|N%", LOAD, 0, "start nothing while the load average is higher"},
    {"memfree", "SIZE", BYTES, TO(memfree_bytes), "start nothing while less memory is free"},
    {"nice", "N", COUNT, TO(nice), "run at this niceness"},
    {"workdir work-dir wd", "DIR", TEXT, TO(workdir), "run commands in DIR"},
    {"env", "NAME", IGNORED, 0, "pass this variable on (all are)"},
    {"clone", NULL, FLAG, TO(clone), "a task may run more than once at a time: first one wins"},
    {"pure", NULL, FLAG, TO(pure),
     "the command writes only to stdout or $DOLLY_TMPDIR: clone freely"},
    {"policy", "P", TEXT, TO(policy),
     "of cloning, see `dolly policies`; default dolly;budget=idle"},
    {"set", "KEY=VALUE", SET, 0, "a parameter of the policy; may be repeated"},
    {"nodes", "NxM", TEXT, TO(nodes), "virtual nodes: N of M slots each, instead of -j"},
    {"chaos", "SPEC", TEXT, TO(chaos),
     "slow=SHARExFACTOR,kill=SHARE,node_mtbf=TIME,node_repair=TIME"},
    {"seed", "N", COUNT, TO(seed), "for --shuf, --chaos and placement; default 1"},
    {"dir", "DIR", TEXT, TO(dir),
     "keep journal and outputs of the run in DIR, for `dolly resume DIR`"},
    {"tmpdir tempdir", "DIR", TEXT, TO(tmpdir),
     "where the folder of the run is made; default $TMPDIR or /tmp"},
    {"summary", NULL, FLAG, TO(summary), "print a summary on stderr; the default when cloning"},
    {"no-history", NULL, FLAG, TO(no_history),
     "neither use nor note how long tasks of this command take"},
    {"json", NULL, FLAG, TO(json),
     "print one JSON object: each task with its outputs, and the sums"},
    {"help h", NULL, FLAG, TO(help), "this text"},
    {"version V", NULL, FLAG, TO(version), "print the version"},
    {"will-cite willcite nn nonotice no-notice silent gnu plain compress exit x", NULL, IGNORED, 0,
     NULL},
    {"compress-program use-compress-program decompress-program use-decompress-program "
     "compressprogram decompressprogram usecompressprogram usedecompressprogram "
     "total-jobs totaljobs total",
     "TEXT", IGNORED, 0, NULL},
};

enum { TABLE = sizeof table / sizeof *table };

static bool has_name(const char *names, const char *name, size_t length)
{
    while (*names) {
        size_t n = strcspn(names, " ");
        if (n == length && strncmp(names, name, n) == 0)
            return true;
        names += n + (names[n] == ' ');
    }
    return false;
}

const struct option *options_table_find(const char *name, size_t length)
{
    for (int i = 0; i < TABLE; i++)
        if (has_name(table[i].names, name, length))
            return &table[i];
    return NULL;
}

const struct option *options_table_nearest(const char *name)
{
    const char *firsts[TABLE];
    char copies[TABLE][32];
    size_t count = 0;

    for (int i = 0; i < TABLE; i++) {
        size_t n = strcspn(table[i].names, " ");
        if (n == 1 || !table[i].help)
            continue;
        snprintf(copies[count], sizeof *copies, "%.*s", (int)n, table[i].names);
        firsts[count] = copies[count];
        count++;
    }
    const char *near = text_nearest(name, firsts, count);
    return near ? options_table_find(near, strlen(near)) : NULL;
}

uint32_t options_table_complete(const char *name, size_t length, const struct option **found,
                                struct str *names)
{
    uint32_t count = 0;

    for (int i = 0; i < TABLE; i++) {
        bool counted = false;
        for (const char *at = table[i].names; *at && length > 1;) {
            size_t n = strcspn(at, " ");
            if (n > length && strncmp(at, name, length) == 0 && !counted) {
                str_addf(names, "%s--%.*s", names->text ? ", " : "", (int)n, at);
                *found = &table[i];
                counted = true;
                count++;
            }
            at += n + (at[n] == ' ');
        }
    }
    return count;
}

void options_table_describe(void (*line)(void *ctx, const char *option, const char *help),
                            void *ctx)
{
    for (int i = 0; i < TABLE; i++) {
        const char *names = table[i].names;
        struct str left = {0};
        if (!table[i].help)
            continue;
        while (*names) {
            size_t n = strcspn(names, " ");
            if (n == 1)
                str_addf(&left, "%s-%.1s", left.text ? ", " : "", names);
            else if (!left.text || names == table[i].names)
                str_addf(&left, "--%.*s", (int)n, names);
            names += n + (names[n] == ' ');
        }
        if (table[i].value)
            str_addf(&left, " %s", table[i].value);
        line(ctx, left.text, table[i].help);
        str_free(&left);
    }
}

/* ---- values ---- */

static int want_int(const char *name, const char *text, int64_t min, int64_t max, int64_t *value,
                    struct err *err)
{
    if (text_int(text, value) && *value >= min && *value <= max)
        return 0;
    if (max < INT64_MAX / 2)
        return err_set(err, "%s wants a whole number from %lld to %lld, not '%s'", name,
                       (long long)min, (long long)max, text);
    return err_set(err, "%s wants a whole number, %lld or more, not '%s'", name, (long long)min,
                   text);
}

static int want_time(const char *name, const char *text, int64_t *us, struct err *err)
{
    if (text_duration(text, us))
        return 0;
    return err_set(err, "%s wants a time such as 5, 250ms or 1m, not '%s'", name, text);
}

/* As in GNU parallel, small letters are powers of 1000: 1k is 1000 bytes, 1K is 1024. */
static int want_bytes(const char *name, const char *text, int64_t *bytes, struct err *err)
{
    static const char letters[] = "kmgt";
    size_t length = strlen(text);
    const char *letter = length > 1 ? strchr(letters, text[length - 1]) : NULL;
    double value;
    char digits[32];

    if (letter && length < sizeof digits) {
        snprintf(digits, sizeof digits, "%.*s", (int)length - 1, text);
        for (int i = (int)(letter - letters); text_real(digits, &value) && i >= 0; i--)
            snprintf(digits, sizeof digits, "%.0f", value * 1000);
        text = digits;
    }
    if (text_bytes(text, bytes) && *bytes > 0)
        return 0;
    return err_set(err, "%s wants a size such as 64K or 10M, not '%s'", name, text);
}

/* A number, perhaps with a per cent sign. */
static bool percentage(const char *text, double *value, bool *percent)
{
    char digits[32];
    size_t length = strlen(text);

    *percent = length > 0 && text[length - 1] == '%';
    if (length >= sizeof digits)
        return false;
    memcpy(digits, text, length + 1);
    if (*percent)
        digits[length - 1] = 0;
    return text_real(digits, value) && *value > 0;
}

static int take_timeout(struct options *o, const char *text, struct err *err)
{
    bool percent;
    double value;

    if (percentage(text, &value, &percent) && percent) {
        o->timeout_percent = value;
        return 0;
    }
    if (text_duration(text, &o->timeout_us) && o->timeout_us > 0)
        return 0;
    return err_set(err, "--timeout wants a time such as 30, 1.5m, or 200%% of the median, not '%s'",
                   text);
}

static int take_delimiter(struct options *o, const char *text, struct err *err)
{
    char bytes[INPUTS_DELIMITER_MAX + 1];

    if (strlen(text) > INPUTS_DELIMITER_MAX)
        return err_set(err, "-d wants at most %d characters, not '%s'", INPUTS_DELIMITER_MAX, text);
    size_t length = escape_decode(text, bytes);
    if (length == 0 || memchr(bytes, 0, length - 1))
        return err_set(err, "-d wants some characters, or \\0 alone, not '%s'", text);
    o->delimiter = bytes[length - 1];
    bytes[length - 1] = 0;
    memcpy(o->delimiter_head, bytes, length);
    return 0;
}

static int take_trim(struct options *o, const char *text, struct err *err)
{
    static const char *const ways[] = {"n", "l", "r", "lr", "rl"};

    for (int i = 0; i < 5; i++)
        if (strcmp(text, ways[i]) == 0) {
            o->trim = i == 4 ? INPUTS_TRIM_BOTH : i;
            return 0;
        }
    return err_set(err, "--trim wants n, l, r or lr, not '%s'", text);
}

/* -L, -l: lines are what stdin is made of; with --pipe they make up a record. */
static int take_max_lines(struct options *o, const char *text, struct err *err)
{
    int64_t lines = 1;

    if (*text && want_int("-L", text, 0, INT64_MAX / 2, &lines, err) < 0)
        return -1;
    o->lines = lines;
    return 0;
}

static int take_load(struct options *o, const char *value, struct err *err)
{
    if (percentage(value, &o->load, &o->load_percent))
        return 0;
    return err_set(err, "--load wants a number such as 4 or 100%%, not '%s'", value);
}

/* ---- one option ---- */

static int take_special(struct options *o, const struct option *option, const char *value,
                        struct err *err)
{
    switch ((enum kind)option->kind) {
    case ARG_FILE:
        options_add_source(o, value, NULL, 0, false);
        return 0;
    case BRACES:
        if (*value) /* -i alone means {} */
            o->replaces[REPLACES_WHOLE] = value;
        return 0;
    case CONTEXT:
        o->many = o->context = true;
        return 0;
    case DELIMITER:
        return take_delimiter(o, value, err);
    case GROUP:
    case LINES:
    case RAW:
        o->output = option->kind == GROUP   ? OUTPUT_GROUP
                    : option->kind == LINES ? OUTPUT_LINES
                                            : OUTPUT_RAW;
        return 0;
    case FREE_ORDER:
        o->keep_order = false;
        return 0;
    case HALT:
        return halt_parse(value, &o->halt, err);
    case HEADER:
        o->header = true;
        o->header_text = value;
        return 0;
    case LOAD:
        return take_load(o, value, err);
    case MAX_LINES:
        if (take_max_lines(o, value, err) < 0)
            return -1;
        if (option->value[0] == '[' && o->lines == 0)
            o->lines = 1; /* -l0 is -l */
        return 0;
    case NUL:
        o->delimiter = 0;
        o->delimiter_head[0] = 0;
        return 0;
    case REPLACE_ARGS:
        o->replace_args = true;
        return want_int("-N", value, 0, INT64_MAX / 2, &o->max_args, err);
    case RESUME:
        o->resume = RESUME_ALL;
        return 0;
    case RESUME_NOT_DONE:
        o->resume = RESUME_FAILED;
        return 0;
    case RETRIES:
        return want_int("--retries", value, 1, 100, &o->retries, err);
    case RETRY:
        o->resume = RESUME_RETRY;
        return 0;
    case SET:
        vec_push(&o->settings, value);
        return 0;
    case TIMEOUT:
        return take_timeout(o, value, err);
    case TRIM:
        return take_trim(o, value, err);
    case XARGS:
        o->many = o->xargs = true;
        return 0;
    default:
        return 0; /* accepted, and nothing to do */
    }
}

int options_table_take(struct options *o, const struct option *option, const char *value,
                       struct err *err)
{
    void *field = (char *)o + option->field;
    char name[32];

    snprintf(name, sizeof name, "%s%.*s", option->names[1] > ' ' ? "--" : "-",
             (int)strcspn(option->names, " "), option->names);
    switch ((enum kind)option->kind) {
    case FLAG:
        *(bool *)field = true;
        return 0;
    case TEXT:
        *(const char **)field = *value ? value : NULL;
        return *value || option->value[0] == '[' ? 0 : err_set(err, "%s wants a value", name);
    case ANY_TEXT:
        *(const char **)field = value;
        return 0;
    case TIME:
        return want_time(name, value, field, err);
    case BYTES:
        return want_bytes(name, value, field, err);
    case COUNT:
        return want_int(name, value, 0, INT64_MAX / 2, field, err);
    default:
        return take_special(o, option, value, err);
    }
}
