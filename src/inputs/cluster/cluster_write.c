/* cluster_write.c - the opposite of cluster_file.c: any cluster as text, so that a journal can keep
 * the one it was recorded on.
 *
 * It walks the readers' tables of keys: values that differ from their defaults are written, with
 * the keys that they need. Equal nodes in a row become one line `nodes NAME[FIRST-LAST]`, if their
 * names count up and they are in one rack or in r0, r1, ... in turn, as in most clusters of many
 * machines. */
#include "inputs/cluster/cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs/cluster/cluster_keys.h"

static void add_value(struct str *to, const struct field *key, const void *values)
{
    if (key->type == FIELD_REAL)
        str_add_real(to, *(const double *)(const void *)((const char *)values + key->offset));
    else
        field_text(key, values, to);
}

/* Names are compared as texts, or there is none. */
static bool is_given(const struct field *key, const void *values, const void *defaults)
{
    struct str is = {0}, usual = {0};
    bool differs;

    if (key->type == FIELD_NAME)
        return *(char *const *)(const void *)((const char *)values + key->offset) != NULL;
    add_value(&is, key, values);
    add_value(&usual, key, defaults);
    differs = strcmp(is.text, usual.text) != 0;
    str_free(&is);
    str_free(&usual);
    return differs;
}

/* The bits of the keys to write. */
static uint64_t given_keys(const struct field *keys, const void *values, const void *defaults)
{
    uint64_t given = 0, before;

    for (uint32_t i = 0; keys[i].name; i++)
        if (is_given(&keys[i], values, defaults))
            given |= 1ull << i;
    do {
        before = given;
        for (uint32_t i = 0; keys[i].name; i++)
            if (given >> i & 1 && keys[i].needs)
                given |= 1ull << (field_find(keys, keys[i].needs) - keys);
    } while (given != before);
    return given;
}

static void add_keys(struct str *to, const struct field *keys, const void *values,
                     const void *defaults)
{
    uint64_t given = given_keys(keys, values, defaults);

    for (uint32_t i = 0; keys[i].name; i++)
        if (given >> i & 1) {
            str_addf(to, " %s=", keys[i].name);
            add_value(to, &keys[i], values);
        }
}

/* A line of this kind; NULL: it has no name. */
static void add_line(struct str *to, int kind, const char *name, const void *values,
                     const void *defaults)
{
    const struct key_kind *k = &cluster_keys[kind];

    str_addf(to, "%s%s%s", k->word, name ? " " : "", name ? name : "");
    add_keys(to, k->keys, values, defaults);
    str_add(to, "\n");
}

/* A line without a name, unless there is nothing to say. */
static void add_unless_usual(struct str *to, int kind, const void *values, const void *defaults)
{
    if (given_keys(cluster_keys[kind].keys, values, defaults) != 0)
        add_line(to, kind, NULL, values, defaults);
}

/* ---- nodes ---- */

/* Nodes that one line can say: how many, and in how many racks in turn, 0: in one. */
struct node_row {
    uint32_t count, racks;
};

/* Where the number at the end of a name begins; at the end if there is none that a pattern has. */
static size_t number_at(const char *name)
{
    size_t length = strlen(name), at = length;

    while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9')
        at--;
    return length - at > 9 ? length : at;
}

static bool is_alike(const struct cluster_node *a, const struct cluster_node *b)
{
    return res_equal(&a->capacity, &b->capacity) && a->speed == b->speed && a->links == b->links &&
           a->lose == b->lose;
}

/* Whether the name of the i-th node after the first is what the pattern makes of it. */
static bool counts_up(const char *first, size_t at, uint32_t i, const char *name)
{
    char want[2 * FIELD_NAME_BYTES_MAX];
    int width = first[at] == '0' ? (int)strlen(first + at) : 1;
    long long number = strtoll(first + at, NULL, 10) + i;

    int length = snprintf(want, sizeof want, "%.*s%0*lld", (int)at, first, width, number);
    if (length >= (int)sizeof want)
        return false;
    return number < 1000000000 && strcmp(want, name) == 0;
}

static bool is_rack_in_turn(const struct cluster *c, uint32_t rack, uint32_t i)
{
    char want[16];

    snprintf(want, sizeof want, "r%u", i);
    return strcmp(c->racks[rack], want) == 0;
}

static struct node_row node_row(const struct cluster *c, uint32_t from)
{
    const struct cluster_node *first = &c->nodes[from];
    size_t at = number_at(first->name);
    uint32_t alike = 1, same = 1, racks = 0, turns;

    if (first->name[at])
        while (from + alike < c->node_count && is_alike(first, first + alike) &&
               counts_up(first->name, at, alike, first[alike].name))
            alike++;
    while (same < alike && first[same].rack == first->rack)
        same++;
    if (same > 1)
        return (struct node_row){same, 0};
    /* In turn: r0, r1, ..., and again from r0 on; at least once around. */
    while (racks < alike && is_rack_in_turn(c, first[racks].rack, racks))
        racks++;
    if (racks < 2)
        return (struct node_row){1, 0};
    for (turns = racks; turns < alike; turns++)
        if (!is_rack_in_turn(c, first[turns].rack, turns % racks))
            break;
    return (struct node_row){turns, racks};
}

static void add_nodes(struct str *to, const struct cluster *c)
{
    struct node_fields usual = {.node = {.speed = 1, .links = 1}};
    struct node_row row;

    usual.node.capacity.v[RES_CPU] = RES_SLOT;
    for (uint32_t i = 0; i < c->node_count; i += row.count) {
        const struct cluster_node *n = &c->nodes[i];
        size_t at = number_at(n->name);
        row = node_row(c, i);
        struct node_fields fields = {*n, NULL, row.racks};
        if (row.racks == 0 && strcmp(c->racks[n->rack], "r0") != 0)
            fields.rack = c->racks[n->rack];
        if (row.count == 1)
            str_addf(to, "node %s", n->name);
        else
            str_addf(to, "nodes %.*s[%s-%lld]", (int)at, n->name, n->name + at,
                     strtoll(n->name + at, NULL, 10) + row.count - 1);
        add_keys(to, cluster_keys[row.count == 1 ? CLUSTER_NODE : CLUSTER_NODES].keys, &fields,
                 &usual);
        str_add(to, "\n");
    }
}

void cluster_write(const struct cluster *c, struct str *to)
{
    static const struct cluster_outage outage = {.for_us = CLUSTER_FOR_GOOD};
    static const struct cluster_pressure pressure = {.for_us = CLUSTER_FOR_GOOD};
    struct cluster *usual = cluster_create();

    for (int i = 0; i < RES_COUNT; i++)
        if (c->resources[i].name)
            add_line(to, CLUSTER_RESOURCE, res_name(i), &c->resources[i], &usual->resources[i]);
    for (uint32_t i = 0; i < c->rack_count; i++)
        str_addf(to, "rack %s\n", c->racks[i]);
    add_nodes(to, c);
    add_unless_usual(to, CLUSTER_LUCK, &c->luck, &usual->luck);
    add_unless_usual(to, CLUSTER_FAULTS, &c->faults, &usual->faults);
    if (c->wires.is_simulated)
        add_line(to, CLUSTER_NETWORK, NULL, &c->wires, &usual->wires);
    for (uint32_t i = 0; i < c->outages.count; i++)
        add_line(to, CLUSTER_DOWN, c->nodes[c->outages.at[i].node].name, &c->outages.at[i],
                 &outage);
    for (uint32_t i = 0; i < c->pressures.count; i++)
        add_line(to, CLUSTER_PRESSURE, c->nodes[c->pressures.at[i].node].name, &c->pressures.at[i],
                 &pressure);
    cluster_destroy(usual);
}
