// libpq and libcurl, opened when a function of theirs is first called (docs/decisions/0504).
//
// Each function that the program and Foundation call is here under its own name, and hands the call on. A release is not linked to the two
// libraries: a function of theirs that is missing here is an error of that link.

#include "CLateLibraries.h"

#if defined(__linux__)

#include <curl/curl.h>
#include <dlfcn.h>
#include <libpq-fe.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *file;
    void *handle;
    char fault[512];
} Library;

static Library libpq = {.file = "libpq.so.5"}, libcurl = {.file = "libcurl.so.4"};

static void open_library(Library *library) {
    library->handle = dlopen(library->file, RTLD_LAZY | RTLD_LOCAL);
    if (library->handle) return;
    const char *fault = dlerror();
    snprintf(library->fault, sizeof library->fault, "%s", fault ? fault : library->file);
}

static void open_libpq(void) { open_library(&libpq); }
static void open_libcurl(void) { open_library(&libcurl); }

const char *countersign_open_libpq(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_libpq);
    return libpq.handle ? NULL : libpq.fault;
}

const char *countersign_open_libcurl(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_libcurl);
    return libcurl.handle ? NULL : libcurl.fault;
}

/// A function of a library. Callers that can say what is missing ask countersign_open_… before; for all others the program ends here.
static void *function(const char *(*open)(void), Library *library, const char *name) {
    const char *fault = open();
    void *found = fault ? NULL : dlsym(library->handle, name);
    if (found) return found;
    fprintf(stderr, "countersign: %s of %s is needed: %s\n", name, library->file, fault ? fault : "it is not there");
    exit(1);
}

/// The function that a call is handed on to, looked up by the first call.
#define FOUND(library, name) \
    static void *kept; \
    void *found = __atomic_load_n(&kept, __ATOMIC_ACQUIRE); \
    if (!found) { \
        found = function(countersign_open_##library, &library, #name); \
        __atomic_store_n(&kept, found, __ATOMIC_RELEASE); \
    }

/// Not exported: the libraries' own calls to each other are theirs.
#define HIDDEN __attribute__((visibility("hidden")))

#define LATE(library, type, name, parameters, arguments) \
    HIDDEN type(name) parameters { \
        FOUND(library, name) \
        return((type(*) parameters)found) arguments; \
    }

#define LATE_WITHOUT_RESULT(library, name, parameters, arguments) \
    HIDDEN void(name) parameters { \
        FOUND(library, name) \
        ((void(*) parameters)found) arguments; \
    }

/// With one argument of any type, which is a pointer or a whole number as wide as one: libcurl takes no other.
#define LATE_WITH_ANY(library, type, name, handle, option) \
    HIDDEN type(name)(handle on, option what, ...) { \
        FOUND(library, name) \
        va_list list; \
        va_start(list, what); \
        void *value = va_arg(list, void *); \
        va_end(list); \
        return((type(*)(handle, option, ...))found)(on, what, value); \
    }

// MARK: libpq

LATE_WITHOUT_RESULT(libpq, PQclear, (PGresult * result), (result))
LATE(libpq, char *, PQcmdStatus, (PGresult * result), (result))
LATE(libpq, char *, PQcmdTuples, (PGresult * result), (result))
LATE(
    libpq, PGconn *, PQconnectdbParams, (const char *const *keywords, const char *const *values, int expand),
    (keywords, values, expand))
LATE_WITHOUT_RESULT(libpq, PQconninfoFree, (PQconninfoOption * options), (options))
LATE(libpq, PQconninfoOption *, PQconninfoParse, (const char *text, char **fault), (text, fault))
LATE(libpq, int, PQconsumeInput, (PGconn * connection), (connection))
LATE(libpq, int, PQenterPipelineMode, (PGconn * connection), (connection))
LATE(libpq, char *, PQerrorMessage, (const PGconn *connection), (connection))
LATE_WITHOUT_RESULT(libpq, PQfinish, (PGconn * connection), (connection))
LATE(libpq, int, PQflush, (PGconn * connection), (connection))
LATE_WITHOUT_RESULT(libpq, PQfreemem, (void *memory), (memory))
LATE(libpq, Oid, PQftype, (const PGresult *result, int field), (result, field))
LATE(libpq, PGresult *, PQgetResult, (PGconn * connection), (connection))
LATE(libpq, int, PQgetisnull, (const PGresult *result, int row, int field), (result, row, field))
LATE(libpq, int, PQgetlength, (const PGresult *result, int row, int field), (result, row, field))
LATE(libpq, char *, PQgetvalue, (const PGresult *result, int row, int field), (result, row, field))
LATE(libpq, int, PQisBusy, (PGconn * connection), (connection))
LATE(libpq, int, PQnfields, (const PGresult *result), (result))
LATE(libpq, int, PQntuples, (const PGresult *result), (result))
LATE(libpq, const char *, PQparameterStatus, (const PGconn *connection, const char *name), (connection, name))
LATE(
    libpq, PGPing, PQpingParams, (const char *const *keywords, const char *const *values, int expand),
    (keywords, values, expand))
LATE(libpq, int, PQpipelineSync, (PGconn * connection), (connection))
LATE(libpq, char *, PQresultErrorField, (const PGresult *result, int field), (result, field))
LATE(libpq, char *, PQresultErrorMessage, (const PGresult *result), (result))
LATE(libpq, ExecStatusType, PQresultStatus, (const PGresult *result), (result))
LATE(libpq, int, PQsendFlushRequest, (PGconn * connection), (connection))
LATE(
    libpq, int, PQsendPrepare,
    (PGconn * connection, const char *name, const char *query, int count, const Oid *types),
    (connection, name, query, count, types))
LATE(libpq, int, PQsendQuery, (PGconn * connection, const char *query), (connection, query))
LATE(
    libpq, int, PQsendQueryParams,
    (PGconn * connection, const char *query, int count, const Oid *types, const char *const *values, const int *lengths,
     const int *formats, int format),
    (connection, query, count, types, values, lengths, formats, format))
LATE(
    libpq, int, PQsendQueryPrepared,
    (PGconn * connection, const char *name, int count, const char *const *values, const int *lengths, const int *formats,
     int format),
    (connection, name, count, values, lengths, formats, format))
LATE(
    libpq, PQnoticeProcessor, PQsetNoticeProcessor, (PGconn * connection, PQnoticeProcessor processor, void *context),
    (connection, processor, context))
LATE(libpq, int, PQsetnonblocking, (PGconn * connection, int isNonblocking), (connection, isNonblocking))
LATE(libpq, int, PQsocket, (const PGconn *connection), (connection))
LATE(libpq, ConnStatusType, PQstatus, (const PGconn *connection), (connection))
LATE(libpq, PGTransactionStatusType, PQtransactionStatus, (const PGconn *connection), (connection))

// MARK: libcurl

/// What curl_url_get takes: constant in some versions of the header and not in others.
typedef __typeof__(_Generic(&curl_url_get,
    CURLUcode (*)(const CURLU *, CURLUPart, char **, unsigned int): (const CURLU *)NULL,
    default: (CURLU *)NULL)) LATE_URL;

LATE_WITHOUT_RESULT(libcurl, curl_easy_cleanup, (CURL * handle), (handle))
LATE_WITH_ANY(libcurl, CURLcode, curl_easy_getinfo, CURL *, CURLINFO)
LATE(libcurl, CURL *, curl_easy_init, (void), ())
LATE(libcurl, CURLcode, curl_easy_pause, (CURL * handle, int directions), (handle, directions))
LATE(libcurl, CURLcode, curl_easy_perform, (CURL * handle), (handle))
LATE_WITHOUT_RESULT(libcurl, curl_easy_reset, (CURL * handle), (handle))
LATE_WITH_ANY(libcurl, CURLcode, curl_easy_setopt, CURL *, CURLoption)
LATE(libcurl, const char *, curl_easy_strerror, (CURLcode code), (code))
LATE_WITHOUT_RESULT(libcurl, curl_free, (void *memory), (memory))
LATE(libcurl, CURLcode, curl_global_init, (long flags), (flags))
LATE(libcurl, CURLMcode, curl_multi_add_handle, (CURLM * all, CURL *handle), (all, handle))
LATE(libcurl, CURLMcode, curl_multi_assign, (CURLM * all, curl_socket_t socket, void *value), (all, socket, value))
LATE(libcurl, CURLMcode, curl_multi_cleanup, (CURLM * all), (all))
LATE(libcurl, CURLMsg *, curl_multi_info_read, (CURLM * all, int *count), (all, count))
LATE(libcurl, CURLM *, curl_multi_init, (void), ())
LATE(libcurl, CURLMcode, curl_multi_remove_handle, (CURLM * all, CURL *handle), (all, handle))
LATE_WITH_ANY(libcurl, CURLMcode, curl_multi_setopt, CURLM *, CURLMoption)
LATE(
    libcurl, CURLMcode, curl_multi_socket_action, (CURLM * all, curl_socket_t socket, int events, int *running),
    (all, socket, events, running))
LATE(libcurl, struct curl_slist *, curl_slist_append, (struct curl_slist * list, const char *text), (list, text))
LATE_WITHOUT_RESULT(libcurl, curl_slist_free_all, (struct curl_slist * list), (list))
LATE(libcurl, CURLU *, curl_url, (void), ())
LATE(libcurl, CURLUcode, curl_url_get, (LATE_URL url, CURLUPart part, char **text, unsigned int flags), (url, part, text, flags))
LATE(
    libcurl, CURLUcode, curl_url_set, (CURLU * url, CURLUPart part, const char *text, unsigned int flags),
    (url, part, text, flags))
LATE(libcurl, char *, curl_version, (void), ())
LATE(libcurl, curl_version_info_data *, curl_version_info, (CURLversion age), (age))

#else

// Apple's linker opens what is linked.
const char *countersign_open_libpq(void) { return 0; }
const char *countersign_open_libcurl(void) { return 0; }

#endif
