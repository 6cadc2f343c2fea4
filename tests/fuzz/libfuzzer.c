/* The side of libFuzzer: `fuzz --target=NAME [its own options] CORPUS...`. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *at, size_t length);
size_t LLVMFuzzerCustomMutator(uint8_t *at, size_t length, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *at, size_t length, size_t room);

static const struct fuzz_target *target;

/* libFuzzer leaves options with two dashes to us. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const char option[] = "--target=";

    for (int i = 1; i < *argc; i++)
        if (strncmp((*argv)[i], option, strlen(option)) == 0)
            target = fuzz_target((*argv)[i] + strlen(option));
    if (target)
        return 0;
    fputs("fuzz: want --target= and one of", stderr);
    for (const struct fuzz_target *t = fuzz_targets; t->name; t++)
        fprintf(stderr, " %s", t->name);
    fputc('\n', stderr);
    exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t length)
{
    target->run(at, length);
    return 0;
}

/* Bytes of a journal that were changed blindly are mostly no records any more. */
size_t LLVMFuzzerCustomMutator(uint8_t *at, size_t length, size_t room, unsigned seed)
{
    bool journal =
        target->run == fuzz_journal || target->run == fuzz_verify || target->run == fuzz_explain;

    if (!journal || seed % 8 == 0)
        return LLVMFuzzerMutate(at, length, room);
    uint8_t *copy = malloc(length + 1);
    memcpy(copy, at, length);
    size_t n = fuzz_mutate_journal(copy, length, seed, at, room);
    free(copy);
    return n;
}
