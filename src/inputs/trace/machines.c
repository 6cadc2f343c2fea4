/* machines.c - few traces have machines with capacities, and those name each of them once or often.
 */
#include "inputs/trace/machines.h"

#include "base/hash.h"
#include "base/mem.h"
#include "core/model/id.h"

#define CPU_MAX 1e6 /* cores that a node may have */

void machines_fini(struct machines *m)
{
    for (uint32_t i = 0; i < m->at.count; i++)
        mem_free(m->at.at[i].name);
    vec_free(&m->at);
    lookup_fini(&m->by_hash);
    lookup_fini(&m->racks);
}

void machines_add_rack(struct machines *m, struct row_text name)
{
    if (name.length > 0 && m->racks.count < NODES_MAX)
        lookup_put(&m->racks, hash_bytes(HASH_START, name.at, name.length), 1);
}

void machines_add(struct machines *m, struct row_text name, double cpu, double mem)
{
    uint64_t hash = name.length ? hash_bytes(HASH_START, name.at, name.length) : 0;
    if (name.length == 0 || name.length > ROW_NAME_MAX || !(cpu > 0 && cpu <= CPU_MAX) ||
        m->at.count >= NODES_MAX || lookup_get(&m->by_hash, hash) != LOOKUP_NONE)
        return;
    char *copy = mem_zalloc(name.length + 1, 1);
    memcpy(copy, name.at, name.length);
    lookup_put(&m->by_hash, hash, m->at.count);
    vec_push(&m->at, ((struct machine){copy, cpu, mem}));
}
