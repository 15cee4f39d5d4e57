// Memory for password hashes in huge pages (docs/decisions/0554).
//
// libsodium maps the memory of each Argon2id hash by `mmap` and has no function that takes it from its caller. A program's own functions come
// before those of the libraries that it is linked to, so that libsodium calls the `mmap` below. It differs from the system's for threads that
// have said that they hash, and for them in large pieces alone.

#define _GNU_SOURCE

#include "CHugePages.h"

static __thread long mappings;

long countersign_huge_mappings(void) { return mappings; }

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

#if defined(__linux__) && defined(__LP64__) && !defined(IS_SANITIZED)

#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/// A huge page of x86-64, and of arm64 with pages of 4 KiB.
static const size_t huge_page = 2 << 20;

static __thread int hashes;

void countersign_thread_maps_huge_pages(void) { hashes = 1; }

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
    const int of_its_own = MAP_PRIVATE | MAP_ANONYMOUS;
    if (!hashes || length < huge_page || address || file != -1 || (flags & of_its_own) != of_its_own || (flags & MAP_FIXED))
        return (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
    // What is filled while it is mapped is filled with small pages, before any advice.
    void *memory = (void *)syscall(SYS_mmap, address, length, protection, flags & ~MAP_POPULATE, file, offset);
    if (memory == MAP_FAILED) return memory;
    mappings += 1;
    // Advice: where the system has no huge pages, or none for the edges, the memory is as it would have been, and filled at once as it was to be.
    madvise(memory, length, MADV_HUGEPAGE);
#ifdef MADV_POPULATE_WRITE
    if (flags & MAP_POPULATE) madvise(memory, length, MADV_POPULATE_WRITE);
#endif
    return memory;
}

#else

void countersign_thread_maps_huge_pages(void) {}

#endif
