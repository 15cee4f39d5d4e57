import CountersignCore

/// What the pool notes where a run of a transaction has ended, whichever thread ran it.
extension ConnectionThreads {
    /// How a run ended, and what that says of the database.
    struct Report: Sendable {
        enum Verdict: Sendable {
            /// Its caller is told how it ended.
            case over
            /// It has lost too many races: its caller is told that nothing was done.
            case refused
            /// It is to run again.
            case lostRace(ContestedRow?)
            /// It ran together with others, and is to be run by itself.
            case single
        }

        let entry: Entry
        let verdict: Verdict
        var roundTrips = 0
        var statements = 0
        var transactionCommands = 0
        /// Where the database did not answer in time.
        var silence: LibpqHandle.Silence?
        /// Whether the database answered, and whether it took a write.
        var answered = true
        var wrote = false
    }

    /// What follows from reports for others: those who watch the database, and the sweeper.
    struct News: Sendable {
        var wasOut = false
        var wasReadOnly = false
        var silence: LibpqHandle.Silence?
        /// When the next one that waits is to be refused, if no check comes by then.
        var nextSweep: ContinuousClock.Instant?
    }
}

extension ConnectionThreads.Report {
    /// Takes the counts of the connection.
    /// - Parameter isFollowed: whether another transaction is under way on it, with whose end a silence is noted.
    init(_ entry: ConnectionThreads.Entry, _ verdict: Verdict, on link: PostgresLink, isFollowed: Bool = false) {
        let (counts, answered) = (link.takeCounts(), isFollowed ? link.isAlive : link.isUsable)
        self.init(
            entry: entry, verdict: verdict, roundTrips: counts.roundTrips, statements: counts.statements,
            transactionCommands: counts.transactionCommands, silence: isFollowed ? nil : link.silence,
            answered: answered, wrote: answered && entry.kind == .write && link.takesWrites)
    }
}

extension ConnectionThreads.State {
    /// Notes a run that has ended. One that was refused was not run to its end, and is not counted as such.
    mutating func note(_ report: ConnectionThreads.Report, in news: inout ConnectionThreads.News) {
        statistics.roundTrips += report.roundTrips
        statistics.statements += report.statements
        statistics.transactionCommands += report.transactionCommands
        switch report.verdict {
        case .over:
            queue.finish(report.entry)
            statistics.transactions += 1
            if report.answered, endOutage() { news.wasOut = true }
            if report.wrote, endReadOnly() { news.wasReadOnly = true }
        case .refused: queue.finish(report.entry)
        case .lostRace(let row):
            queue.lose(report.entry, for: row)
            statistics.lostRaces += 1
            planSweep(in: &news)
        case .single:
            queue.single(report.entry)
            planSweep(in: &news)
        }
        if let silence = report.silence {
            statistics.silences += 1
            news.silence = silence
        }
    }

    /// For one that waits again. The sweep that was planned for it when it came may have found it running, and planned no other.
    private mutating func planSweep(in news: inout ConnectionThreads.News) {
        // One that follows is earlier, and takes its place.
        if let sweep = newSweep() { news.nextSweep = sweep }
    }
}
