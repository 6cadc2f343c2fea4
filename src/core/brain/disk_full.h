/* disk_full.h - a disk is full: extra attempts go first, and none comes for a while. */
#ifndef CORE_BRAIN_DISK_FULL_H
#define CORE_BRAIN_DISK_FULL_H

#include "core/brain/world.h"

struct brain;

enum { DISK_FULL_US = 60 * 1000000 }; /* for how long it keeps attempts away */

/* The disk of a node was full just now, or with NODE_NONE the one to which outputs are committed.
 */
void disk_full_begin(struct brain *b, struct node_id node);

/* Whether a disk that everybody needs was full not long ago: no extra attempts then. */
bool disk_full_lately(const struct brain *b);

/* Whether a failure of this attempt by a full disk, of a node or as above, does not count. Before
 * it is released. */
bool disk_full_forgives(const struct brain *b, const struct attempt *failed, struct node_id node);

/* The same of a failure by a fault of its node, where nodes have their own. */
bool disk_full_forgives_fault(const struct brain *b, const struct attempt *failed);

/* The node could not do its part for an attempt; or one has ended there in its own way. */
void disk_full_note_fault(struct brain *b, struct node_id node);
void disk_full_note_works(struct brain *b, struct node_id node);

/* Keeps attempts from nodes that had trouble of their own, and ends extra ones where a disk was
 * full. Before anything is launched or planned. */
void disk_full_avoid(struct brain *b);

/* Ends extra attempts on the disk of all if that is due. Before first attempts are launched. */
void disk_full_shed(struct brain *b);

/* Whether launches have to wait for those that are being ended. */
bool disk_full_waits(const struct brain *b);

/* An attempt has ended, in whatever way. */
void disk_full_note_end(struct brain *b, const struct attempt *a);

#endif
