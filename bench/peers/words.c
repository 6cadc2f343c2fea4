/* words - how often each word of a file comes, by two threads: what somebody would write who has an
 * afternoon for it. For `make bench`.
 *
 *     words FILE >COUNTS */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/word_table.h"

struct half {
    const char *at;
    size_t length;
    struct word_table table;
};

static void *count(void *arg)
{
    struct half *h = arg;

    word_table_init(&h->table);
    word_add_all(&h->table, h->at, h->length);
    return NULL;
}

int main(int argc, char **argv)
{
    int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0 || st.st_size == 0)
        return 2;
    const char *text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (text == MAP_FAILED)
        return 1;
    size_t size = (size_t)st.st_size, middle = size / 2;
    while (middle < size && text[middle] != '\n')
        middle++;
    struct half halves[] = {{.at = text, .length = middle},
                            {.at = text + middle, .length = size - middle}};
    pthread_t other;
    if (pthread_create(&other, NULL, count, &halves[1]) != 0)
        return 1;
    count(&halves[0]);
    pthread_join(other, NULL);
    struct word_table *all = &halves[0].table, *more = &halves[1].table;
    for (uint32_t i = 0; i <= more->mask; i++)
        if (more->slots[i].at)
            word_add(all, more->slots[i].at, more->slots[i].length, more->slots[i].count);
    for (uint32_t i = 0; i <= all->mask; i++)
        if (all->slots[i].at)
            printf("%.*s\t%" PRIu64 "\n", (int)all->slots[i].length, all->slots[i].at,
                   all->slots[i].count);
    return fclose(stdout) == 0 ? 0 : 1;
}
