/* trouble.h - the errors of a trace: counted by kind, with the location of the first of each. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

enum trouble_kind {
    TROUBLE_COLUMNS,
    TROUBLE_NUMBER,
    TROUBLE_WORD,
    TROUBLE_TEXT,
    TROUBLE_LONG,
    TROUBLE_JSON,
    TROUBLE_RECORD,
    TROUBLE_NEGATIVE,
    TROUBLE_BACKWARDS,
    TROUBLE_ORDER,
    TROUBLE_DUPLICATE,
    TROUBLE_PARENT,
    TROUBLE_CYCLE,
    TROUBLE_LIMIT,
    TROUBLE_KINDS,
};

/* The name of each kind for programs, one word, and its description for users. */
extern const struct trouble_text {
    const char *name, *help;
} trouble_texts[TROUBLE_KINDS];

/* The location of a row: its member (file, or member of an archive), and the line or, in JSON
 * documents, the byte. */
enum { TROUBLE_LINE_BITS = 40, TROUBLE_MEMBERS_MAX = 1 << 24 };
static inline uint64_t trouble_where(uint32_t member, uint64_t line)
{
    return (uint64_t)member << TROUBLE_LINE_BITS |
           (line & ((UINT64_C(1) << TROUBLE_LINE_BITS) - 1));
}

struct trouble {
    bool is_strict; /* the first error ends the reading */
    struct {
        uint64_t count, first; /* first: trouble_where */
    } kinds[TROUBLE_KINDS];
    uint64_t rows, bad;  /* rows (or lines that should have been rows) read, and left out */
    bool is_over;        /* strict, and an error occurred: reading should stop */
    VEC(char *) members; /* their names; owned */
};

void trouble_fini(struct trouble *t);

/* Adds a member and returns its number. */
uint32_t trouble_member(struct trouble *t, const char *name);

/* Counts an error. `drops`: a row is left out because of it. */
void trouble_add(struct trouble *t, enum trouble_kind kind, uint64_t where, bool drops);

/* Returns -1 with *err if it is strict and has any error, or if more than half of the rows were
 * left out. */
int trouble_judge(const struct trouble *t, struct err *err);

/* The text "file:12" of a location. */
struct trouble_place {
    char text[256];
};
struct trouble_place trouble_place(const struct trouble *t, uint64_t where);
