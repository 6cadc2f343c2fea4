#include "remote/wire/secret.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/process/sys.h"
#include "tests/unit/limits.h"
#include "tests/unit/test.h"

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
    for (size_t i = 10; i < 12; i++) { /* of one byte the first digit, then the second */
        for (const char *c = "Ag/:` "; *c; c++) {
            char was = text[i];
            text[i] = *c;
            expect(secret_parse(&b, text, 65) < 0);
            text[i] = was;
        }
    }
    text[64] = 'a';
    expect(secret_parse(&b, text, 65) < 0);
    secret_wipe(&a);
    expect(a.bytes[0] == 0 && a.bytes[31] == 0);
}

/* Returns true if core files leave the address out. */
static bool is_hidden(const void *at)
{
    char line[512];
    bool here = false, hidden = false;
    FILE *f = fopen("/proc/self/smaps", "re");

    while (f && fgets(line, sizeof line, f)) {
        unsigned long from, to;
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            here = (uintptr_t)at >= from && (uintptr_t)at < to;
        else if (here && strncmp(line, "VmFlags:", 8) == 0)
            hidden = strstr(line, " dd") != NULL;
    }
    if (f)
        fclose(f);
    return hidden;
}

TEST(a_secret_is_in_no_core_file)
{
    enum { PAGES = 6 };
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *at = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct secret *made = (struct secret *)at, *parsed = (struct secret *)(at + 2 * page);
    char *text = at + 4 * page - 1; /* on two pages */
    struct err err;

    expect(at != MAP_FAILED && !is_hidden(at));
    expect(madvise(at, page, MADV_DONTDUMP) == 0);
    if (!is_hidden(at)) { /* qemu-user makes up this file, and knows nothing of core files */
        test_skip("/proc/self/smaps does not show what core files leave out");
        munmap(at, PAGES * page);
        return;
    }
    expect(madvise(at, page, MADV_DODUMP) == 0 && !is_hidden(at));
    expect(secret_make(made, &err) == 0 && is_hidden(made) && !is_hidden(at + page));
    secret_print(made, text);
    expect(is_hidden(text) && is_hidden(text + 1) && !is_hidden(at + 5 * page));
    expect(secret_parse(parsed, text, SECRET_TEXT) == 0 && is_hidden(parsed));
    secret_copy((struct secret *)(at + 5 * page), made->bytes);
    expect(is_hidden(at + 5 * page) && !is_hidden(at + page));
    munmap(at, PAGES * page);
}

TEST(a_secret_in_a_file_is_for_its_owner_only)
{
    char dir[TEST_FOLDER], path[TEST_FOLDER + 16];
    struct secret a, b;
    struct err err;
    struct stat st;

    test_folder(dir);
    snprintf(path, sizeof path, "%s/secret", dir);
    expect(secret_make(&a, &err) == 0);
    mode_t before = umask(0);
    expect(secret_write_file(&a, path, &err) == 0 && secret_write_file(&a, path, &err) == 0);
    umask(before);
    expect(stat(path, &st) == 0 && (st.st_mode & 07777) == 0600 && st.st_size == 65);
    expect(secret_read_file(&b, path, &err) == 0 && memcmp(&a, &b, sizeof a) == 0);
    expect(chmod(path, 0640) == 0);
    expect(secret_read_file(&b, path, &err) < 0 && strstr(err.text, "not be readable by others"));
    expect(chmod(path, 0600) == 0 && truncate(path, 12) == 0);
    expect(secret_read_file(&b, path, &err) < 0 && strstr(err.text, "hexadecimal digits"));
    expect(truncate(path, 100) == 0);
    expect(secret_read_file(&b, path, &err) < 0);
    expect(secret_read_file(&b, dir, &err) < 0); /* no file */
    expect(secret_write_file(&a, dir, &err) < 0 && strstr(err.text, dir));
    unlink(path);
    strcat(path, "/s");
    expect(secret_write_file(&a, path, &err) < 0 && strstr(err.text, path));
    path[strlen(path) - 2] = 0;
    expect(secret_read_file(&b, path, &err) < 0 && strstr(err.text, "No such file"));
    rmdir(dir);
}

/* Every digit, at both places of a byte. */
TEST(a_secret_has_all_sixteen_digits)
{
    struct secret a, b;
    char text[SECRET_TEXT];

    for (size_t i = 0; i < SECRET_BYTES; i++)
        a.bytes[i] = (unsigned char)(i % 16 * 16 + (15 - i % 16));
    secret_print(&a, text);
    expect(memcmp(text,
                  "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
                  "0f1e2d3c4b5a69788796a5b4c3d2e1f0\n",
                  SECRET_TEXT) == 0);
    expect(secret_parse(&b, text, SECRET_TEXT) == 0 && memcmp(&a, &b, sizeof a) == 0);
}

/* A read that was interrupted is read on; one that fails is named, and so is what is too long. */
TEST(a_secret_is_read_to_its_end)
{
    char dir[TEST_FOLDER], path[TEST_FOLDER + 16], want[256];
    struct secret a, b;
    struct err err;

    test_folder(dir);
    snprintf(path, sizeof path, "%s/secret", dir);
    expect(secret_make(&a, &err) == 0 && secret_write_file(&a, path, &err) == 0);
    for (int i = 0; i < 2; i++) {
        int64_t count = 0;
        struct sys_plan plan = {.mode = SYS_PLAN_FAIL,
                                .at = 1,
                                .error = i == 0 ? EINTR : EIO,
                                .count = &count,
                                .call = "read"};
        sys_plan_set(&plan);
        int result = secret_read_file(&b, path, &err);
        sys_plan_set(NULL);
        expect(count > 0 && result == -i && (i == 1 || memcmp(&a, &b, sizeof a) == 0));
    }
    snprintf(want, sizeof want, "%s: cannot read the key: %s", path, strerror(EIO));
    expect(strcmp(err.text, want) == 0);
    int64_t count = 0;
    sys_plan_set(&(struct sys_plan){
        .mode = SYS_PLAN_FAIL, .at = 1, .error = EIO, .count = &count, .call = "fstat"});
    expect(secret_read_file(&b, path, &err) < 0);
    sys_plan_set(NULL);
    snprintf(want, sizeof want, "%s: %s", path, strerror(EIO));
    expect(strcmp(err.text, want) == 0);
    FILE *f = fopen(path, "ae");
    expect(f && fputs("x", f) >= 0 && fclose(f) == 0);
    expect(secret_read_file(&b, path, &err) < 0);
    snprintf(want, sizeof want, "%s: the key is not 64 hexadecimal digits", path);
    expect(strcmp(err.text, want) == 0);
    unlink(path);
    rmdir(dir);
}

TEST(a_secret_of_another_user_is_not_read)
{
    char dir[TEST_FOLDER], path[TEST_FOLDER + 16];
    struct secret a;
    struct err err;

    if (geteuid() != 0) {
        test_skip("only root can be another user");
        return;
    }
    test_folder(dir);
    snprintf(path, sizeof path, "%s/secret", dir);
    expect(secret_make(&a, &err) == 0 && secret_write_file(&a, path, &err) == 0);
    expect(chown(path, 65534, 65534) == 0);
    expect(secret_read_file(&a, path, &err) < 0 && strstr(err.text, "must belong to its user"));
    unlink(path);
    rmdir(dir);
}

/* A key that was written in part is not taken for one. */
TEST(a_secret_that_does_not_fit_is_not_written)
{
    char dir[TEST_FOLDER], path[TEST_FOLDER + 16];
    struct secret a;
    struct err err;

    test_folder(dir);
    snprintf(path, sizeof path, "%s/secret", dir);
    expect(secret_make(&a, &err) == 0);
    for (rlim_t room = 0; room < 2; room++) {
        struct rlimit before = limits_bytes(room);
        int result = secret_write_file(&a, path, &err);
        setrlimit(RLIMIT_FSIZE, &before);
        expect(result < 0 && strstr(err.text, path));
        expect(strstr(err.text, strerror(room ? ENOSPC : EFBIG)));
    }
    unlink(path);
    rmdir(dir);
}
