/* entry_sort.h - the order of records in memory: by partition, key, and when they came. */
#ifndef DATA_ENTRY_SORT_H
#define DATA_ENTRY_SORT_H

#include <stdint.h>

/* Stands for a record. */
struct record_entry {
    uint64_t prefix; /* of its key (record.h); of no use once sorted */
    uint32_t at;     /* where its form (record_form.h) begins; those that came later lie higher */
    uint32_t partition;
};

/* Where the records are. */
struct entry_bytes {
    const uint8_t *at, *end;
};

/* Sorts entries in place. `starts` has room for one number more than there are partitions, and gets
 * the index of the first entry of each, with `count` as the last. */
void entry_sort(struct record_entry *at, uint32_t count, struct entry_bytes bytes,
                uint32_t partitions, uint32_t *starts);

#endif
