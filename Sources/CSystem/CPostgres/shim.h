#include <libpq-fe.h>

// Swift does not import macros that are characters.
static inline char *countersign_pg_sqlstate(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

static inline char *countersign_pg_primary_message(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

#if defined(__linux__)
// For threads that wait for connections. <unistd.h> declares it for GNU sources alone, and Swift does not import it as such.
extern int pipe2(int ends[2], int flags);
#endif
