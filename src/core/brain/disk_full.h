/* disk_full.h - ends extra attempts after a disk was full, and launches none for a while. */
#pragma once

#include "core/brain/world.h"

struct brain;

/* A node that is to rest, and why (enum reason_code). */
struct node_rest {
    struct node_id node;
    uint16_t why;
};

struct brain_disk_full {
    int64_t until_us;            /* the disk of all was full: no extra attempts before */
    bool sheds;                  /* ... and the live ones are to be ended */
    VEC(struct node_rest) rests; /* nodes that had trouble of their own in this turn */
    int64_t extra_ended_us;      /* last end of an extra attempt; -1: never */
};

enum { DISK_FULL_US = 60 * 1000000 }; /* for how long it keeps attempts away */

/* Notes that the disk of a node was full just now or, with NODE_NONE, the one to which outputs are
 * committed. */
void disk_full_begin(struct brain *b, struct node_id node);

/* Returns true if a failure of this attempt by a full disk, of a node or as above, does not count.
 * To be called before the attempt is released. */
bool disk_full_forgives(const struct brain *b, const struct attempt *failed, struct node_id node);

/* Returns true if a failure by a fault of its node does not count, where nodes have disks of their
 * own. */
bool disk_full_forgives_fault(const struct brain *b, const struct attempt *failed);

/* Notes that the node could not do its part for an attempt. */
void disk_full_note_fault(struct brain *b, struct node_id node);

/* Ends the trial of a node on which an attempt has ended in its own way. */
void disk_full_note_works(struct brain *b, struct node_id node);

/* Keeps attempts from nodes that had trouble of their own (disk_full.rests), and ends extra ones
 * where a disk was full. Before anything is launched or planned. */
void disk_full_avoid(struct brain *b);

/* Ends extra attempts on the disk of all, as is due (disk_full.sheds). Before first attempts are
 * launched. */
void disk_full_shed(struct brain *b);

/* Returns true if launches have to wait for attempts that are being ended, as a disk was full
 * lately (disk_full_lately). */
bool disk_full_waits(const struct brain *b);

/* Notes that an extra attempt has ended, in whatever way. */
void disk_full_note_end(struct brain *b, const struct attempt *a);
