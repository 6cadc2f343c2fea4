/* agent_info.h - the facts that an agent has reported about itself, and how they are printed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "remote/fleet/fleet.h"

struct agent_info {
    char name[FLEET_NAME_MAX + 1];
    char *host, *rack, *boot, *scratch; /* owned */
    int32_t cores_milli;
    int64_t memory_mib;
    int64_t ahead_us; /* its clock minus this one; 0: about the same, or not known */
};

void agent_info_fini(struct agent_info *c);

/* Returns true if a text of an agent may be printed in logs and terminals. */
bool agent_info_is_plain(const char *text);

/* Writes "3600 s ahead of" or "3600 s behind". */
void agent_info_clock(int64_t ahead_us, char text[64]);
