#include "CBuildStamp.h"

const char *countersign_commit(void) { return COUNTERSIGN_COMMIT; }

const char *countersign_commit_date(void) { return COUNTERSIGN_COMMIT_DATE; }
