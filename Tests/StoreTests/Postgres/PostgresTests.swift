import TestSupport
import Testing

/// What needs a server. One test at a time, so that none waits for a machine that another keeps busy.
@Suite("PostgreSQL", .serialized, .enabled(if: PostgresCluster.isWanted, "\(PostgresCluster.hint)"))
struct PostgresTests {}
