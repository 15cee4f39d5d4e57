// What Swift's Glibc module lacks: <sys/vfs.h>, and prctl, which is variadic.
#include <sys/prctl.h>
#include <sys/vfs.h>

/// The number of the file system that an open file is on, or 0.
static inline unsigned long keychain_file_system_type(int descriptor) {
    struct statfs status;
    return fstatfs(descriptor, &status) == 0 ? (unsigned long)status.f_type : 0;
}

/// Whether other processes of the same user may trace this one and read its memory (PR_SET_DUMPABLE).
static inline int keychain_set_dumpable(int dumpable) {
    return prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0);
}
