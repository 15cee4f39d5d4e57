/* Makes each flush of a file take longer, for a program that is started with LD_PRELOAD: FLUSH_MILLISECONDS, 100 unless said. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static void wait_for_the_disk(void) {
    const char *text = getenv("FLUSH_MILLISECONDS");
    usleep((text ? (useconds_t)atoi(text) : 100) * 1000);
}

int fsync(int file) {
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    wait_for_the_disk();
    return real(file);
}

int fdatasync(int file) {
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    wait_for_the_disk();
    return real(file);
}
