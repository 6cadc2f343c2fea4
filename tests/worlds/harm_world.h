/* harm_world.h - small random worlds in which a copy may do harm.
 *
 * A policy that copies tasks bets that a copy is luckier than the attempt it copies. Each kind of
 * world draws what becomes of the bet: copies are as long, or longer, or luckier here and not
 * there; slots are short, kills take time, or copies share disks and links with what they copy. */
#pragma once

#include <stdint.h>

#include "base/text.h"

enum harm_kind {
    HARM_SKEW,     /* every attempt of a task takes the same time */
    HARM_ANTI,     /* copies take 1.5 to 5 times as long */
    HARM_ANTILUCK, /* some attempts straggle; copies take two healthy times longer */
    HARM_LUCK,     /* some attempts straggle, copies no more often */
    HARM_LOAD,     /* the same, on a cluster that is full */
    HARM_TINY,     /* the same, tasks of 10 to 100 ms */
    HARM_MIX,      /* stragglers in two of four applications, skew in the others */
    HARM_LAG,      /* any of these laws; a kill takes time */
    HARM_WIRES,    /* ... input comes over links and disks, which copies load too */
    HARM_DAG,      /* ... jobs of two or three phases */
    HARM_FORK,     /* ... jobs of two chains of up to two phases, and a phase that waits for both */
    HARM_KINDS,
};

const char *harm_world_name(enum harm_kind kind);

/* The two files of a world, as `dolly sim` reads them. */
struct harm_world {
    struct str workload, cluster;
};

/* Draws a world of this number of jobs. The same arguments give the same texts. Free with
 * harm_world_free. */
struct harm_world harm_world_draw(enum harm_kind kind, uint64_t seed, uint32_t jobs);
void harm_world_free(struct harm_world *w);
