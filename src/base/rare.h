/* rare.h - functions that are seldom needed. */
#pragma once

/* Marks a function that is never inlined, because its callers run all the time and mostly do
 * without it: they stay small, and save no registers for it. */
#define RARE __attribute__((noinline))
