/* plan.c - the plan of a data-parallel job as a file: words, each ended by a zero.
 *
 * A name is followed by its values; files and phases may come again and again, and what belongs to
 * a phase follows it. Behind the word "end" stand the splits, five numbers and a path each, then
 * where each of them begins, and how many there are, as numbers of eight bytes. So what an attempt
 * has to read does not grow with the number of tasks. */
#include "jobs/task/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/text.h"
#include "data/codec.h"
#include "data/key_order.h"

struct plan_phase *plan_add_phase(struct task_plan *p, const char *name, const char *command)
{
    vec_push(&p->phases, ((struct plan_phase){.name = mem_strdup(name),
                                              .command = mem_strdup(command),
                                              .tasks = 1,
                                              .above = PLAN_INPUTS,
                                              .key_fields = 1,
                                              .separator = mem_strdup("\t"),
                                              .quiet_us = PLAN_QUIET_US,
                                              .memory = UINT64_C(128) << 20}));
    return &p->phases.at[p->phases.count - 1];
}

uint32_t plan_find_phase(const struct task_plan *p, const char *name)
{
    for (uint32_t i = 0; i < p->phases.count; i++)
        if (strcmp(p->phases.at[i].name, name) == 0)
            return i;
    return PLAN_INPUTS;
}

/* What a phase has besides its name, its command and its separator, in the order of the file. */
enum part_kind { PART_TEXT, PART_COUNT, PART_NUMBER }; /* char *, uint32_t, 64 bits */

static const struct phase_part {
    const char *name;
    enum part_kind kind;
    size_t offset;
} parts[] = {
    {"combiner", PART_TEXT, offsetof(struct plan_phase, combiner)},
    {"key_separator", PART_TEXT, offsetof(struct plan_phase, key_separator)},
    {"to_separator", PART_TEXT, offsetof(struct plan_phase, to_separator)},
    {"combined_separator", PART_TEXT, offsetof(struct plan_phase, combined_separator)},
    {"order", PART_TEXT, offsetof(struct plan_phase, order)},
    {"partition_by", PART_TEXT, offsetof(struct plan_phase, partition_by)},
    {"native", PART_TEXT, offsetof(struct plan_phase, native)},
    {"functions", PART_TEXT, offsetof(struct plan_phase, functions)},
    {"native_hash", PART_TEXT, offsetof(struct plan_phase, native_hash)},
    {"tasks", PART_COUNT, offsetof(struct plan_phase, tasks)},
    {"above", PART_COUNT, offsetof(struct plan_phase, above)},
    {"partitions", PART_COUNT, offsetof(struct plan_phase, partitions)},
    {"key_fields", PART_COUNT, offsetof(struct plan_phase, key_fields)},
    {"partition_fields", PART_COUNT, offsetof(struct plan_phase, partition_fields)},
    {"codec", PART_COUNT, offsetof(struct plan_phase, codec)},
    {"combined_fields", PART_COUNT, offsetof(struct plan_phase, combined_fields)},
    {"offsets", PART_COUNT, offsetof(struct plan_phase, offsets)},
    {"as_hadoop", PART_COUNT, offsetof(struct plan_phase, as_hadoop)},
    {"any_status", PART_COUNT, offsetof(struct plan_phase, any_status)},
    {"lazy", PART_COUNT, offsetof(struct plan_phase, lazy)},
    {"memory", PART_NUMBER, offsetof(struct plan_phase, memory)},
    {"memory_limit", PART_NUMBER, offsetof(struct plan_phase, memory_limit)},
    {"quiet", PART_NUMBER, offsetof(struct plan_phase, quiet_us)},
    {0},
};

static void *part_of(struct plan_phase *p, const struct phase_part *part)
{
    return (char *)p + part->offset;
}

static void phase_fini(struct plan_phase *p)
{
    mem_free(p->name);
    mem_free(p->command);
    mem_free(p->separator);
    for (const struct phase_part *part = parts; part->name; part++)
        if (part->kind == PART_TEXT)
            mem_free(*(char **)part_of(p, part));
}

void plan_fini(struct task_plan *p)
{
    mem_free(p->job);
    mem_free(p->program);
    for (uint32_t i = 0; i < p->files.count; i++) {
        mem_free(p->files.at[i].path);
        mem_free(p->files.at[i].name);
        mem_free(p->files.at[i].hash);
    }
    for (uint32_t i = 0; i < p->splits.count; i++)
        mem_free(p->splits.at[i].path);
    for (uint32_t i = 0; i < p->phases.count; i++)
        phase_fini(&p->phases.at[i]);
    vec_free_each(&p->env);
    vec_free(&p->files);
    vec_free(&p->splits);
    vec_free(&p->phases);
    mem_free(p->text);
    *p = (struct task_plan){0};
}

/* ---- writing ---- */

static void put(FILE *f, const char *word)
{
    fputs(word, f);
    fputc(0, f);
}

static void put_text(FILE *f, const char *name, const char *text)
{
    if (!text)
        return;
    put(f, name);
    put(f, text);
}

static void put_value(FILE *f, uint64_t value)
{
    fprintf(f, "%" PRIu64 "%c", value, 0);
}

static void put_number(FILE *f, const char *name, uint64_t value)
{
    put(f, name);
    put_value(f, value);
}

static void put_phase(FILE *f, struct plan_phase *p)
{
    put_text(f, "phase", p->name);
    put(f, p->command);
    put(f, p->separator);
    for (const struct phase_part *part = parts; part->name; part++) {
        const void *at = part_of(p, part);
        if (part->kind == PART_TEXT)
            put_text(f, part->name, *(char *const *)at);
        else if (part->kind == PART_COUNT)
            put_number(f, part->name, *(const uint32_t *)at);
        else
            put_number(f, part->name, *(const uint64_t *)at);
    }
}

static void put_splits(const struct task_plan *p, FILE *f)
{
    VEC(uint64_t) offsets = {0};

    for (uint32_t i = 0; i < p->splits.count; i++) {
        const struct plan_split *s = &p->splits.at[i];
        vec_push(&offsets, (uint64_t)ftell(f));
        put(f, s->path);
        put_value(f, s->from);
        put_value(f, s->bytes);
        put_value(f, s->size);
        put_value(f, (uint64_t)s->changed_ns);
        put_value(f, s->packed);
    }
    vec_push(&offsets, p->splits.count);
    fwrite(offsets.at, sizeof *offsets.at, offsets.count, f);
    vec_free(&offsets);
}

static void put_all(const struct task_plan *p, FILE *f)
{
    put_text(f, "job", p->job);
    put_text(f, "program", p->program);
    for (uint32_t i = 0; i < p->env.count; i++)
        put_text(f, "env", p->env.at[i]);
    for (uint32_t i = 0; i < p->files.count; i++) {
        put_text(f, "file", p->files.at[i].path);
        put(f, p->files.at[i].name);
        put(f, p->files.at[i].hash ? p->files.at[i].hash : "");
    }
    for (uint32_t i = 0; i < p->phases.count; i++)
        put_phase(f, &p->phases.at[i]);
    put(f, "end");
    put_splits(p, f);
}

int plan_write(struct task_plan *p, const char *path, struct err *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);

    if (!memory)
        mem_out(1, size);
    put_all(p, memory);
    if (fclose(memory) != 0)
        mem_out(1, size);
    p->hash = XXH3_64bits(text, size);
    p->split_count = p->splits.count;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool written = f && fwrite(text, 1, size, f) == size;
    if (f && fclose(f) != 0)
        written = false;
    free(text);
    return written ? 0 : err_system(err, "%s: %s", path, strerror(errno));
}

/* ---- reading ---- */

struct plan_words {
    const char *at, *end;
    const char *path;
};

/* The next word; NULL at the end. */
static const char *take(struct plan_words *w)
{
    if (w->at >= w->end)
        return NULL;
    const char *word = w->at;
    w->at += strlen(word) + 1;
    return word;
}

static bool take_text(struct plan_words *w, char **text)
{
    const char *word = take(w);

    mem_replace(text, word);
    return word != NULL;
}

static bool take_number(struct plan_words *w, int64_t max, int64_t *value)
{
    const char *word = take(w);

    return word && text_int(word, value) && *value >= 0 && *value <= max;
}

static bool take_count(struct plan_words *w, uint32_t *count)
{
    int64_t value;

    if (!take_number(w, UINT32_MAX, &value))
        return false;
    *count = (uint32_t)value;
    return true;
}

static bool take_file(struct plan_words *w, struct task_plan *p)
{
    struct plan_file *file = vec_add(&p->files);

    *file = (struct plan_file){0};
    if (!take_text(w, &file->path) || !take_text(w, &file->name) || !take_text(w, &file->hash))
        return false;
    if (!*file->hash) {
        mem_free(file->hash);
        file->hash = NULL;
    }
    return true;
}

/* A new phase, to which what follows belongs. */
static bool take_phase(struct plan_words *w, struct task_plan *p)
{
    const char *name = take(w), *command = name ? take(w) : NULL;

    return command && take_text(w, &plan_add_phase(p, name, command)->separator);
}

static bool take_of_phase(struct plan_words *w, const char *name, struct plan_phase *p)
{
    const struct phase_part *part = parts;

    while (part->name && strcmp(name, part->name) != 0)
        part++;
    if (!part->name)
        return false;
    if (part->kind == PART_TEXT)
        return take_text(w, part_of(p, part));
    return part->kind == PART_COUNT ? take_count(w, part_of(p, part))
                                    : take_number(w, INT64_MAX, part_of(p, part));
}

static bool take_value(struct plan_words *w, const char *name, struct task_plan *p)
{
    if (strcmp(name, "job") == 0)
        return take_text(w, &p->job);
    if (strcmp(name, "program") == 0)
        return take_text(w, &p->program);
    if (strcmp(name, "env") == 0) {
        vec_push(&p->env, NULL);
        return take_text(w, &p->env.at[p->env.count - 1]);
    }
    if (strcmp(name, "file") == 0)
        return take_file(w, p);
    if (strcmp(name, "phase") == 0)
        return take_phase(w, p);
    return p->phases.count > 0 && take_of_phase(w, name, &p->phases.at[p->phases.count - 1]);
}

static bool is_order(const char *text)
{
    struct key_order o = {0};
    struct err ignored;
    bool good = !text || key_order_parse(&o, text, " ", &ignored) == 0;

    vec_free(&o.terms);
    return good;
}

/* NULL, or some bytes. */
static bool is_separator(const char *text)
{
    return !text || *text;
}

static bool phase_is_sound(const struct task_plan *p, uint32_t i)
{
    const struct plan_phase *phase = &p->phases.at[i];

    return (phase->above == PLAN_INPUTS ? phase->tasks == p->split_count : phase->above < i) &&
           is_separator(phase->separator) && phase->key_fields > 0 && phase->codec < CODEC_COUNT &&
           is_separator(phase->key_separator) && is_separator(phase->combined_separator) &&
           phase->offsets <= PLAN_TABS && is_order(phase->order) && is_order(phase->partition_by) &&
           !phase->native == !phase->functions && !phase->native == !phase->native_hash;
}

static int take_all(struct plan_words *w, struct task_plan *p, struct err *err)
{
    const char *name;

    while ((name = take(w)) && strcmp(name, "end") != 0)
        if (!take_value(w, name, p))
            return err_set(err, "%s: not the plan of a job", w->path);
    for (uint32_t i = 0; i < p->phases.count; i++)
        if (!phase_is_sound(p, i))
            return err_set(err, "%s: not the plan of a job", w->path);
    return name && p->job ? 0 : err_set(err, "%s: not the whole plan of a job", w->path);
}

/* The number at the end of the file, if there is room for as many offsets before it. */
static bool take_split_count(struct task_plan *p)
{
    uint64_t count;

    if (p->text_length < sizeof count)
        return false;
    memcpy(&count, p->text + p->text_length - sizeof count, sizeof count);
    p->split_count = (uint32_t)count;
    return count < UINT32_MAX && count < p->text_length / sizeof count;
}

/* Reads all of a file, and adds a zero in case that the last word has none. */
static int read_text(struct task_plan *p, const char *path, struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    ssize_t n = -1;

    if (fd >= 0 && fstat(fd, &st) == 0) {
        p->text = mem_resize(NULL, mem_size((uint64_t)st.st_size + 1), 1);
        n = 1;
    }
    while (n > 0 && p->text_length < (size_t)st.st_size) {
        n = read(fd, p->text + p->text_length, (size_t)st.st_size - p->text_length);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            p->text_length += (size_t)n;
    }
    int error = errno;
    if (fd >= 0)
        close(fd);
    if (n < 0)
        return err_system(err, "%s: %s", path, strerror(error));
    p->text[p->text_length] = 0;
    p->hash = XXH3_64bits(p->text, p->text_length);
    return 0;
}

int plan_read(struct task_plan *p, const char *path, struct err *err)
{
    *p = (struct task_plan){0};
    int result = read_text(p, path, err);
    if (result == 0 && !take_split_count(p))
        result = err_set(err, "%s: not the whole plan of a job", path);
    if (result == 0)
        result = take_all(&(struct plan_words){p->text, p->text + p->text_length, path}, p, err);
    if (result < 0)
        plan_fini(p);
    return result;
}

int plan_read_split(const struct task_plan *p, uint32_t number, struct plan_split *s,
                    struct err *err)
{
    size_t offsets = ((size_t)p->split_count + 1) * sizeof(uint64_t);
    int64_t from, bytes, size, packed;
    uint64_t offset;

    check(number < p->split_count);
    if (!p->text) {
        *s = p->splits.at[number];
        return 0;
    }
    memcpy(&offset, p->text + p->text_length - offsets + number * sizeof offset, sizeof offset);
    struct plan_words w = {.at = p->text + p->text_length,
                           .end = p->text + p->text_length - offsets};
    if (offset < p->text_length)
        w.at = p->text + offset;
    *s = (struct plan_split){.path = (char *)(uintptr_t)take(&w)};
    if (!s->path || !take_number(&w, INT64_MAX, &from) ||
        !take_number(&w, INT64_MAX - from, &bytes) || !take_number(&w, INT64_MAX, &size) ||
        !take_number(&w, INT64_MAX, &s->changed_ns) || !take_number(&w, 1, &packed))
        return err_set(err, "the plan of the job has no split %" PRIu32, number);
    s->packed = packed;
    s->from = (uint64_t)from;
    s->bytes = (uint64_t)bytes;
    s->size = (uint64_t)size;
    return 0;
}
