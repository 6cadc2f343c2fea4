/* agent_node.h - what an agent says about the machine it is on, and how much of it is for us. */
#ifndef REMOTE_AGENT_AGENT_NODE_H
#define REMOTE_AGENT_AGENT_NODE_H

#include <stdint.h>

struct agent_node {
    char host[256];
    char rack[256]; /* the switches above the node, "" if not known */
    char boot[64];  /* the boot of the machine and our process: no two agents have the same */
    char program[17];
    int32_t cores_milli;
    int64_t memory_mib; /* 0: not known */
};

/* Finds it out. The environment of a Slurm step (SLURM_CPUS_ON_NODE, SLURM_MEM_PER_NODE,
 * SLURM_MEM_PER_CPU, SLURM_TOPOLOGY_ADDR, SLURMD_NODENAME) counts as well as the kernel's word
 * (affinity, control groups): the less of both. `root` is "", but for tests, which have files of
 * their own. */
void agent_node_look(struct agent_node *n, const char *root);

/* The checksum of the program that runs us, in hexadecimal digits; "": it cannot be read. */
void agent_node_program(char text[17]);

#endif
