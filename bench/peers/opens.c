/* opens - reads a piece of each of many files, by each of many readers, one after the other: the
 * least that a shuffle can do. For `make bench`.
 *
 *     opens FOLDER FILES READERS BYTES     files 0, 1, ... of the folder, each with a piece of so
 *                                          many bytes for each reader */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    long files = atol(argv[2]), readers = atol(argv[3]), bytes = atol(argv[4]);
    char *piece = malloc((size_t)bytes), path[PATH_MAX];
    uint64_t sum = 0;

    for (long reader = 0; reader < readers; reader++)
        for (long i = 0; i < files; i++) {
            snprintf(path, sizeof path, "%s/%ld", argv[1], i);
            int fd = open(path, O_RDONLY | O_CLOEXEC);
            if (fd < 0 || pread(fd, piece, (size_t)bytes, reader * bytes) != bytes)
                return 1;
            sum += (unsigned char)piece[bytes / 2];
            close(fd);
        }
    printf("%llu\n", (unsigned long long)sum);
    free(piece);
    return 0;
}
