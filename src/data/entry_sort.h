/* entry_sort.h - the order of records in memory: by partition, key, and arrival. */
#pragma once

#include <stdint.h>

/* A reference to a record, for sorting. */
struct record_entry {
    uint64_t prefix; /* of its key (record.h); undefined once sorted */
    uint32_t at;     /* offset of its form (record_form.h); later records have higher ones */
    uint32_t partition;
};

/* The bytes of the records. */
struct entry_bytes {
    const uint8_t *at, *end;
};

/* Sorts entries in place. Fills `starts`, which has room for partitions + 1 numbers, with the index
 * of the first entry of each partition, and `count` as the last. */
void entry_sort(struct record_entry *at, uint32_t count, struct entry_bytes bytes,
                uint32_t partitions, uint32_t *starts);
