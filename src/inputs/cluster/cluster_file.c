/* cluster_file.c - reads the cluster format of docs/reference/cluster-file.md.
 *
 * A cluster file names resources, lists racks and nodes, one by one or many by a pattern, and
 * describes random slowness (luck), failures (faults), the network and when nodes are down (down).
 * The keys of luck, faults and network are the fields of their structs.
 *
 * Every key is in a table of cluster_keys.c with its range. Other rules are checked by hand: names
 * that are taken, racks that do not exist, patterns, and probabilities that their factors would
 * lift above 1. Lines without a name may occur several times, to leave room for comments, but each
 * key only once. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "inputs/cluster/cluster.h"
#include "inputs/cluster/cluster_keys.h"
#include "inputs/config/key.h"
#include "inputs/config/line.h"

/* When what was said last of each node is over, and how a message speaks of it. */
struct timed_ends {
    VEC(int64_t) by_node;
    const char *is, *them;
};

struct cluster_reader {
    struct line_file *file;
    struct cluster *cluster;
    struct err *err;
    uint64_t luck_given, faults_given, network_given;
    uint64_t luck_line, faults_line; /* the last ones; 0: none */
    struct timed_ends down, pressed;
};

/* ---- resources ---- */

static int resource_find(const char *word)
{
    for (int i = 0; i < RES_COUNT; i++)
        if (strcmp(res_name(i), word) == 0)
            return i;
    return -1;
}

/* A name may stand for one resource only; its own word is no other's. */
static int resource_check(struct cluster_reader *r, const struct line *line, int which,
                          const struct cluster_resource *fields)
{
    const struct cluster_resource *all = r->cluster->resources;
    int own = resource_find(fields->name);
    bool taken = own >= 0 && own != which;

    for (int i = 0; i < RES_COUNT; i++)
        taken |= i != which && all[i].name && strcmp(all[i].name, fields->name) == 0;
    if (taken)
        return line_fail(line, r->err, "another resource is called '%s'; expected another name",
                         fields->name);
    if (which == RES_MEM && fields->kind == RES_SLOTS)
        return line_fail(line, r->err, "mem cannot be slots; expected kind=amount");
    return 0;
}

static int read_resource(struct cluster_reader *r, const struct line *line)
{
    int which = resource_find(line->name);
    if (which < 0)
        return line_fail(line, r->err, "no resource '%s'; expected one of cpu, mem, x, y",
                         line_quote(line->name).text);
    struct cluster_resource *to = &r->cluster->resources[which];
    struct cluster_resource fields = {line->name, to->kind};
    if (to->name)
        return line_fail(line, r->err, "resource '%s' is given twice; expected it once",
                         line->name);
    if (r->cluster->node_count > 0)
        return line_fail(line, r->err, "resource '%s' after a node; expected it before all nodes",
                         line->name);
    if (key_fill(line, &cluster_keys[CLUSTER_RESOURCE], &fields, &(uint64_t){0}, r->err) ||
        resource_check(r, line, which, &fields))
        return -1;
    to->name = mem_strdup(fields.name);
    to->kind = fields.kind;
    return 0;
}

/* ---- racks ---- */

static int read_rack(struct cluster_reader *r, const struct line *line)
{
    if (key_name(line, "rack", line->name, r->err) ||
        key_fill(line, &cluster_keys[CLUSTER_RACK], NULL, &(uint64_t){0}, r->err))
        return -1;
    if (cluster_add_rack(r->cluster, line->name) == UINT32_MAX)
        return line_fail(line, r->err, "rack '%s' exists already; expected another name",
                         line->name);
    return 0;
}

/* The i-th of the racks r0, r1, ... that nodes get without being asked. */
static uint32_t automatic_rack(struct cluster_reader *r, uint32_t i)
{
    char name[16];
    snprintf(name, sizeof name, "r%u", i);
    uint32_t rack = cluster_find_rack(r->cluster, name);
    return rack != UINT32_MAX ? rack : cluster_add_rack(r->cluster, name);
}

/* The rack that the line names. */
static int named_rack(struct cluster_reader *r, const struct line *line, const char *name,
                      uint32_t *rack)
{
    struct cluster *c = r->cluster;
    *rack = cluster_find_rack(c, name);
    if (*rack != UINT32_MAX)
        return 0;
    struct key_hint hint = key_hint(name, (const char *const *)c->racks, c->rack_count);
    return line_fail(line, r->err, "unknown rack '%s'%s", line_quote(name).text,
                     hint.text[0] ? hint.text
                                  : "; expected one declared above by a line: rack NAME");
}

/* ---- nodes ---- */

static int read_node_fields(struct cluster_reader *r, const struct line *line,
                            const struct key_kind *kind, struct node_fields *fields)
{
    *fields = (struct node_fields){.node = {.speed = 1, .links = 1}};
    fields->node.capacity.v[RES_CPU] = RES_SLOT;
    uint64_t given = 0;
    if (key_fill(line, kind, fields, &given, r->err))
        return -1;
    if (res_equal(&fields->node.capacity, &(struct res){{0}}))
        return line_fail(line, r->err,
                         "%s without any resource; expected one of cpu, mem, x, y above 0",
                         line->word);
    if (fields->rack && fields->racks)
        return line_fail(line, r->err, "both rack= and racks= of nodes; expected one of them");
    if (fields->rack)
        return named_rack(r, line, fields->rack, &fields->node.rack);
    return 0;
}

static int add_node(struct cluster_reader *r, const struct line *line, const char *name,
                    const struct cluster_node *node)
{
    if (r->cluster->node_count == CLUSTER_NODES_MAX)
        return line_fail(line, r->err, "too many nodes; expected at most %d in all",
                         CLUSTER_NODES_MAX);
    if (cluster_add_node(r->cluster, name, node) == UINT32_MAX)
        return line_fail(line, r->err, "node '%s' exists already; expected another name", name);
    return 0;
}

static int read_node(struct cluster_reader *r, const struct line *line)
{
    struct node_fields fields;
    if (key_name(line, "node", line->name, r->err) ||
        read_node_fields(r, line, &cluster_keys[CLUSTER_NODE], &fields))
        return -1;
    if (!fields.rack)
        fields.node.rack = automatic_rack(r, 0);
    return add_node(r, line, line->name, &fields.node);
}

/* prefix[first-last]suffix, cut in place. Leading zeros of `first` set the width of all numbers. */
struct pattern {
    const char *prefix, *suffix;
    int64_t first, last;
    int width;
};

static bool cut_pattern(char *text, struct pattern *p)
{
    char *open = strchr(text, '['), *dash = open ? strchr(open, '-') : NULL;
    char *close = dash ? strchr(dash, ']') : NULL;
    if (!close)
        return false;
    *open = *dash = *close = 0;
    *p = (struct pattern){.prefix = text, .suffix = close + 1};
    size_t length = strlen(open + 1);
    if (length == 0 || length > 9 || strspn(open + 1, "0123456789") != length ||
        strspn(dash + 1, "0123456789") != strlen(dash + 1))
        return false;
    p->width = open[1] == '0' ? (int)length : 1;
    return text_int(open + 1, &p->first) && text_int(dash + 1, &p->last) && p->first <= p->last &&
           p->last < 1000000000;
}

static int read_nodes(struct cluster_reader *r, const struct line *line)
{
    struct line_quote shown = line_quote(line->name);
    struct pattern p;
    struct node_fields fields;
    if (!cut_pattern(line->name, &p))
        return line_fail(
            line, r->err,
            "'%s' is not a pattern of nodes; expected NAME[FIRST-LAST], such as w[1-150]",
            shown.text);
    if (read_node_fields(r, line, &cluster_keys[CLUSTER_NODES], &fields))
        return -1;
    int64_t count = p.last - p.first + 1;
    if (count > CLUSTER_NODES_MAX - r->cluster->node_count)
        return line_fail(line, r->err, "too many nodes; expected at most %d in all",
                         CLUSTER_NODES_MAX);
    if (fields.racks > count)
        return line_fail(line, r->err,
                         "racks=%u for %lld nodes; expected at most as many racks as nodes",
                         fields.racks, (long long)count);
    for (int64_t i = 0; i < count; i++) {
        char name[2 * FIELD_NAME_BYTES_MAX];
        snprintf(name, sizeof name, "%s%0*lld%s", p.prefix, p.width, (long long)(p.first + i),
                 p.suffix); /* what is cut off was too long for a name */
        if (key_name(line, "node", name, r->err))
            return -1;
        if (!fields.rack)
            fields.node.rack = automatic_rack(r, fields.racks ? (uint32_t)i % fields.racks : 0);
        if (add_node(r, line, name, &fields.node))
            return -1;
    }
    return 0;
}

/* ---- outages, and times under pressure ---- */

/* The node of a line about a part of its time, or UINT32_MAX. */
static uint32_t timed_node(struct cluster_reader *r, const struct line *line)
{
    uint32_t node = cluster_find(r->cluster, line->name);

    if (node == UINT32_MAX)
        line_fail(line, r->err, "unknown node '%s'; expected one of a line above",
                  line_quote(line->name).text);
    return node;
}

/* Notes when the time of the node is over, by node. It must not begin before the last one was. */
static int timed_note(struct cluster_reader *r, const struct line *line, struct timed_ends *ends,
                      uint32_t node, int64_t at_us, int64_t for_us)
{
    if (at_us == 0)
        return line_fail(line, r->err, "%s without at=; expected when, such as at=1h", line->word);
    while (ends->by_node.count <= node)
        vec_push(&ends->by_node, 0);
    int64_t *until_us = &ends->by_node.at[node];
    if (at_us <= *until_us)
        return line_fail(
            line, r->err,
            "node '%s' is still %s then, by a line above; expected its %s in order, with time "
            "between them",
            line->name, ends->is, ends->them);
    *until_us = for_us < CLUSTER_FOR_GOOD ? at_us + for_us : CLUSTER_FOR_GOOD;
    return 0;
}

static int read_down(struct cluster_reader *r, const struct line *line)
{
    struct cluster_outage outage = {timed_node(r, line), 0, CLUSTER_FOR_GOOD, false};

    if (outage.node == UINT32_MAX ||
        key_fill(line, &cluster_keys[CLUSTER_DOWN], &outage, &(uint64_t){0}, r->err) ||
        timed_note(r, line, &r->down, outage.node, outage.at_us, outage.for_us))
        return -1;
    vec_push(&r->cluster->outages, outage);
    return 0;
}

static int read_pressure(struct cluster_reader *r, const struct line *line)
{
    struct cluster_pressure p = {.node = timed_node(r, line), .for_us = CLUSTER_FOR_GOOD};

    if (p.node == UINT32_MAX ||
        key_fill(line, &cluster_keys[CLUSTER_PRESSURE], &p, &(uint64_t){0}, r->err) ||
        timed_note(r, line, &r->pressed, p.node, p.at_us, p.for_us))
        return -1;
    if (p.disk <= 0 && p.memory <= 0)
        return line_fail(line, r->err, "pressure of nothing; expected disk= or memory= above 0");
    vec_push(&r->cluster->pressures, p);
    return 0;
}

/* ---- luck ---- */

/* A probability times the factor of a mood must remain a probability. */
static int check_mood(struct cluster_reader *r, const char *name, double p)
{
    const struct luck *luck = &r->cluster->luck;
    double busy = luck->busy_share > 0 ? fmax(luck->busy_factor, luck_calm_factor(luck)) : 1;
    double bad = p * busy * (luck->bad_share > 0 ? luck->bad_factor : 1);
    double good = luck->bad_share < 1 ? p * busy * luck->good_factor : 0;
    if (bad <= 1 && good <= 1)
        return 0;
    return line_error(r->file, r->luck_line, r->err,
                      "%s x %s_factor%s of luck is %g; expected a probability of at most 1", name,
                      bad > 1 ? "bad" : "good", luck->busy_share > 0 ? " x busy_factor" : "",
                      bad > 1 ? bad : good);
}

static int check_whole(struct cluster_reader *r)
{
    const struct luck *luck = &r->cluster->luck;
    if (r->cluster->node_count == 0)
        return line_error(
            r->file, line_count(r->file), r->err,
            "no nodes; expected at least one line: node NAME, or nodes NAME[FIRST-LAST]");
    if (key_needs(r->file, r->luck_line, &cluster_keys[CLUSTER_LUCK], r->luck_given, r->err) ||
        key_needs(r->file, r->faults_line, &cluster_keys[CLUSTER_FAULTS], r->faults_given, r->err))
        return -1;
    if (luck->pareto > 0 && luck->slow_p > 0)
        return line_error(r->file, r->luck_line, r->err,
                          "both pareto= and slow_p= of luck; expected one of them");
    if (luck->slow_max > 0 && luck->slow_max < luck->slow_factor)
        return line_error(r->file, r->luck_line, r->err,
                          "slow_max of luck is below slow_factor; expected at least %g",
                          luck->slow_factor);
    if (luck->slow_tail > 0 && luck->slow_tail_max < luck->slow_max)
        return line_error(r->file, r->luck_line, r->err,
                          "slow_tail_max of luck is below slow_max; expected at least %g",
                          luck->slow_max);
    if (luck->busy_share * luck->busy_factor > 1)
        return line_error(r->file, r->luck_line, r->err,
                          "busy_share x busy_factor of luck is %g; expected at most 1, because "
                          "the mean must stay the same",
                          luck->busy_share * luck->busy_factor);
    return check_mood(r, "stall_p", luck->stall_p) || check_mood(r, "slow_p", luck->slow_p) ? -1
                                                                                            : 0;
}

static int read_line(struct cluster_reader *r, const struct line *line)
{
    const struct key_kind *kind = key_kind(line, cluster_keys, CLUSTER_KINDS, r->err);
    if (!kind)
        return -1;
    switch (kind - cluster_keys) {
    case CLUSTER_RESOURCE:
        return read_resource(r, line);
    case CLUSTER_RACK:
        return read_rack(r, line);
    case CLUSTER_NODE:
        return read_node(r, line);
    case CLUSTER_NODES:
        return read_nodes(r, line);
    case CLUSTER_LUCK:
        r->luck_line = line->number;
        return key_fill(line, kind, &r->cluster->luck, &r->luck_given, r->err);
    case CLUSTER_FAULTS:
        r->faults_line = line->number;
        return key_fill(line, kind, &r->cluster->faults, &r->faults_given, r->err);
    case CLUSTER_DOWN:
        return read_down(r, line);
    case CLUSTER_PRESSURE:
        return read_pressure(r, line);
    default:
        r->cluster->wires.is_simulated = true;
        return key_fill(line, kind, &r->cluster->wires, &r->network_given, r->err);
    }
}

static struct cluster *read_lines(struct line_file *file, struct err *err)
{
    struct cluster_reader r = {.file = file,
                               .err = err,
                               .down = {.is = "down", .them = "outages"},
                               .pressed = {.is = "under pressure", .them = "lines"}};
    if (!r.file)
        return NULL;
    r.cluster = cluster_create();
    const struct line *line;
    int rc;
    while ((rc = line_next(r.file, &line, err)) > 0 && (rc = read_line(&r, line)) == 0)
        continue;
    if (rc == 0)
        rc = check_whole(&r);
    line_close(r.file);
    vec_free(&r.down.by_node);
    vec_free(&r.pressed.by_node);
    if (rc == 0)
        return r.cluster;
    cluster_destroy(r.cluster);
    return NULL;
}

struct cluster *cluster_file_read(const char *path, struct err *err)
{
    return read_lines(line_open(path, err), err);
}

struct cluster *cluster_file_read_text(const char *text, const char *shown, struct err *err)
{
    return read_lines(line_open_text(shown, text, strlen(text)), err);
}

struct cluster *cluster_file_open(const char *name, struct err *err)
{
    static const char digits[] = "0123456789";
    const char *at = name + strspn(name, digits);
    if (*at == 'x')
        at += 1 + strspn(at + 1, digits);
    return *at ? cluster_file_read(name, err) : cluster_parse_shape(name, err);
}
