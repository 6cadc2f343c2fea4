/* agent_node.h - the properties of an agent's machine, and the share of it that the agent may use.
 */
#pragma once

#include <stdint.h>

struct agent_node {
    char host[256];
    char rack[256]; /* the switches above the node, "" if not known */
    char boot[64];  /* the boot of the machine and this process: unique to each agent */
    char program[17];
    int32_t cores_milli;
    int64_t memory_mib; /* 0: not known */
};

/* Finds the properties out. Cores and memory are the smaller of what the environment of a Slurm
 * step (SLURM_CPUS_ON_NODE, SLURM_MEM_PER_NODE, SLURM_MEM_PER_CPU) and the kernel (affinity,
 * control groups) allow; SLURM_TOPOLOGY_ADDR and SLURMD_NODENAME give the rack and the host. `root`
 * is "", except in tests, which have files of their own. */
void agent_node_look(struct agent_node *n, const char *root);

/* Writes the checksum of the running program in hexadecimal digits; "" if it cannot be read. */
void agent_node_program(char text[17]);
