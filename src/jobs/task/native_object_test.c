#include "jobs/task/native_object.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/command.h"
#include "tests/unit/limits.h"

/* Neither runs code, and no descriptor is left open. */
TEST(native_object_says_why_it_is_not_loaded)
{
    struct command_folder f;
    char hash[NATIVE_OBJECT_HASH];
    struct err err;

    command_begin(&f);
    command_file("text.so", "this is not an object\n");
    int before = limits_open();
    expect(native_object_hash("text.so", hash, &err) == 0 && strlen(hash) == 16);
    expect(!native_object_load("text.so", NATIVE_OBJECT_DEFAULT, hash, "map", &err));
    expect(strncmp(err.text, "text.so: cannot be loaded: ", 27) == 0 && err.text[27] > ' ');
    expect(!strstr(err.text, "/proc/")); /* the name that it was given to the loader by */
    hash[15] = hash[15] == '0' ? '1' : '0';
    expect(!native_object_load("text.so", NATIVE_OBJECT_DEFAULT, hash, "map", &err));
    expect(!strcmp(err.text, "text.so: this shared object has changed since the job began"));
    expect(native_object_hash("none.so", hash, &err) < 0);
    expect(!strcmp(err.text, "none.so: No such file or directory"));
    expect(native_object_hash(".", hash, &err) < 0 && !strcmp(err.text, ".: Is a directory"));
    expect(!native_object_load(".", NATIVE_OBJECT_DEFAULT, NULL, "map", &err));
    expect(!strcmp(err.text, ".: Is a directory") && limits_open() == before);
    command_end(&f);
}
