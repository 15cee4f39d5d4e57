#ifndef COUNTERSIGN_LATE_LIBRARIES_H
#define COUNTERSIGN_LATE_LIBRARIES_H

/// Opens PostgreSQL's client library, where it is not open yet. Null where it is open; otherwise why it cannot be opened.
const char *countersign_open_libpq(void);

/// Opens libcurl, where it is not open yet. Null where it is open; otherwise why it cannot be opened.
const char *countersign_open_libcurl(void);

#endif
