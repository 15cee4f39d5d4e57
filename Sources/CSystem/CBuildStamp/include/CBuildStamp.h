#ifndef COUNTERSIGN_BUILD_STAMP_H
#define COUNTERSIGN_BUILD_STAMP_H

/// The commit that the program was built from, as the build was told (`COUNTERSIGN_COMMIT`); empty where it was not.
const char *countersign_commit(void);

/// The day of that commit, `2026-11-23` (`COUNTERSIGN_COMMIT_DATE`); empty where the build was not told.
const char *countersign_commit_date(void);

#endif
