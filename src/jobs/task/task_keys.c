/* task_keys.c - how lines that a phase prints become records: what the key is, where it goes, and
 * in which order.
 *
 * Where keys have an order of their own (data/key_order.h), the record has the key written down in
 * that order for its key, and the whole line for its value: that is what readers get. */
#include <xxhash.h>

#include "base/check.h"
#include "data/line_record.h"
#include "jobs/task/task_state.h"

static void parse(struct key_order *o, const struct plan_phase *p, const char *text)
{
    struct err err;

    check(key_order_parse(o, text, plan_key_separator(p), &err) == 0); /* as by plan_read */
    o->as_hadoop = p->as_hadoop;
}

void task_keys_init(struct task_keys *k, const struct plan_phase *p)
{
    *k = (struct task_keys){.phase = p, .separator = p->separator, .fields = p->key_fields};
    if (p->order)
        parse(&k->order, p, p->order);
    if (p->partition_by)
        parse(&k->partition, p, p->partition_by);
}

void task_keys_init_combined(struct task_keys *k, const struct plan_phase *p)
{
    task_keys_init(k, p);
    if (p->combined_separator)
        k->separator = p->combined_separator;
    if (p->combined_fields > 0)
        k->fields = p->combined_fields;
}

void task_keys_fini(struct task_keys *k)
{
    vec_free(&k->order.terms);
    vec_free(&k->partition.terms);
    vec_free(&k->written.at);
    vec_free(&k->hashed.at);
}

struct data_record task_keys_record(struct task_keys *k, const char *line, uint32_t length)
{
    const struct plan_phase *p = k->phase;

    if (p->as_hadoop && length > 0 && line[length - 1] == '\r')
        length--;
    struct data_record r = line_record_of(line, length, k->separator, k->fields);
    if (!p->order)
        return r;
    key_order_write(&k->order, r.key, r.key_length, &k->written);
    return (struct data_record){k->written.at.at, line, k->written.at.count, length};
}

/* Of the key as it was printed. */
static uint32_t partition_of(struct task_keys *k, const char *key, uint32_t length)
{
    const struct plan_phase *p = k->phase;

    if (p->partition_by) {
        key_order_write(&k->partition, key, length, &k->hashed);
        key = k->hashed.at.at;
        length = k->hashed.at.count;
    } else if (p->partition_fields > 0) {
        length = line_record_fields(key, length, plan_key_separator(p), p->partition_fields);
    }
    return (uint32_t)(XXH3_64bits(key, length) % p->partitions);
}

uint32_t task_keys_partition(struct task_keys *k, const struct data_record *r)
{
    const struct plan_phase *p = k->phase;

    if (p->partitions == 1)
        return 0;
    if (!p->order)
        return partition_of(k, r->key, r->key_length);
    return partition_of(k, r->value,
                        line_record_fields(r->value, r->value_length, p->separator, p->key_fields));
}
