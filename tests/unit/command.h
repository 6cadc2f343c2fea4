/* command.h - commands of dolly, run inside a unit test: each in a folder of its own, with words
 * as a user types them, and what they print compared to the letter. */
#pragma once

#include <stdbool.h>

#include "tests/unit/test.h"

struct command_folder {
    char path[TEST_FOLDER];
    int before; /* the folder that the test was in */
};

/* Makes a folder and goes there; goes back and removes it with all files in it. */
void command_begin(struct command_folder *f);
void command_end(struct command_folder *f);

/* Writes a file of the folder. */
void command_file(const char *name, const char *text);

/* Simulates, by `dolly sim`, six tasks and a reader of them under shepherd, on four nodes of which
 * one is slow. Leaves the journal `run`. */
void command_slow_run(int (*cmd_sim)(int argc, char **argv));

/* Writes a trace (.tr) of six jobs of 1 to 520 tasks: one of each class of sizes, and another. One
 * task in nine is slow. */
void command_trace_of_all_sizes(const char *name);

/* Runs the command with these words, separated by blanks. Returns its exit status, and what it has
 * printed on stdout and on stderr, if these are not NULL; free both with mem_free. */
int command_run(int (*command)(int argc, char **argv), const char *words, char **out, char **err);

/* Returns true if the command exits with 0 and prints this text on stdout; else prints both.
 * Digests and what the program itself has cost stand there as x. */
bool command_prints(int (*command)(int argc, char **argv), const char *words, const char *expected);

/* Writes x over digests, and over numbers that follow the names of costs of the program itself. */
void command_mask(char *text);

/* Leaves blanks and newlines out, except in texts. */
void command_json_pack(char *json);

/* The same as command_prints for an object of JSON, `expected` is packed. */
bool command_prints_json(int (*command)(int argc, char **argv), const char *words,
                         const char *expected);

/* Returns true if the part stands in the text, and prints both otherwise. */
bool command_has_part(const char *text, const char *part);

/* Returns true if the command prints nothing on stdout, a line with this text on stderr, and exits
 * with this status. */
bool command_fails(int (*command)(int argc, char **argv), const char *words, int status,
                   const char *why);
