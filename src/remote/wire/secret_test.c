#include "remote/wire/secret.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/test.h"

TEST(a_secret_is_printed_and_read_back)
{
    struct secret a, b;
    struct err err;
    char text[SECRET_TEXT];

    expect(secret_make(&a, &err) == 0 && secret_make(&b, &err) == 0);
    expect(memcmp(&a, &b, sizeof a) != 0);
    secret_print(&a, text);
    expect(text[64] == '\n');
    expect(secret_parse(&b, text, 65) == 0 && memcmp(&a, &b, sizeof a) == 0);
    expect(secret_parse(&b, text, 64) == 0);
    expect(secret_parse(&b, text, 63) < 0 && secret_parse(&b, text, 0) < 0);
    text[10] = 'A';
    expect(secret_parse(&b, text, 65) < 0);
    secret_wipe(&a);
    expect(a.bytes[0] == 0 && a.bytes[31] == 0);
}

TEST(a_secret_in_a_file_is_for_its_owner_only)
{
    char dir[TEST_FOLDER], path[TEST_FOLDER + 8];
    struct secret a, b;
    struct err err;
    struct stat st;

    test_folder(dir);
    snprintf(path, sizeof path, "%s/secret", dir);
    expect(secret_make(&a, &err) == 0);
    expect(secret_write_file(&a, path, &err) == 0 && secret_write_file(&a, path, &err) == 0);
    expect(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600 && st.st_size == 65);
    expect(secret_read_file(&b, path, &err) == 0 && memcmp(&a, &b, sizeof a) == 0);
    expect(chmod(path, 0640) == 0);
    expect(secret_read_file(&b, path, &err) < 0 && strstr(err.text, "readable by nobody else"));
    expect(chmod(path, 0600) == 0 && truncate(path, 12) == 0);
    expect(secret_read_file(&b, path, &err) < 0 && strstr(err.text, "hexadecimal digits"));
    expect(truncate(path, 100) == 0);
    expect(secret_read_file(&b, path, &err) < 0);
    unlink(path);
    expect(secret_read_file(&b, path, &err) < 0 && strstr(err.text, "No such file"));
    rmdir(dir);
}
