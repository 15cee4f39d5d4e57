import CountersignCore
import Dispatch
import Foundation
import Logging
import Synchronization

/// The pool: threads that do nothing but run transactions, each on a connection of its own; and one that runs several writes at a time, on the
/// other connections (`ConnectionThreads+Together.swift`).
///
/// They are real threads because libpq blocks: on Swift's cooperative pool, which has one thread a core, a slow database
/// would stop everything else in the process.
final class ConnectionThreads: Sendable {
    typealias Entry = TransactionQueue<PendingTransaction>.Entry

    /// A transaction whose thread makes a connection for it.
    struct AwaitedLink {
        let entry: Entry
        /// Until when that may take in any case.
        let leastEnd: ContinuousClock.Instant

        /// When it is refused.
        func end(in outage: TransactionQueue<PendingTransaction>.Outage?) -> ContinuousClock.Instant {
            max(leastEnd, entry.end(in: outage))
        }
    }

    struct State {
        var queue: TransactionQueue<PendingTransaction>
        /// Threads that wait for a signal, and have not been sent one.
        var sleepers = 0
        /// Those that closing waits for, one that makes a connection included.
        var livingThreads: Int
        /// When the next one is to be refused for having waited, if a thread will check by then.
        var nextSweep: ContinuousClock.Instant?
        /// While there are no connections to be had, and why.
        var outage: (state: TransactionQueue<PendingTransaction>.Outage, reason: String)?
        /// Whether the last write was refused because the database takes none.
        var isReadOnly = false
        var statistics = PostgresStore.Statistics()
        var closers: [@Sendable () -> Void] = []
        /// Threads that make a connection now: how long that takes is not ours to say, as the system looks for the host's name.
        var connecting = 0
        /// What such threads make their connections for, by number. One that is taken out has been refused meanwhile.
        var awaitedLinks: [UInt64: AwaitedLink] = [:]
        /// Whether closing waits no more for those threads. They make no use of their connections, and no new ones.
        var leavesConnecting = false
        /// Whether the log says already that the system starts no thread.
        var lacksThreads = false
        /// Of the thread that runs several: whether it waits, and is to be woken where there is something for it.
        var multiplexerSleeps = false
        /// A connection that was made for it.
        var freshLink: PostgresLink?
        var isConnecting = false
        /// Whether it was woken to have another one made.
        var isLinkWanted = false
        /// Whether it has fewer connections than it may have.
        var isShortOfLinks = true
        /// Connections of it that have nothing to do.
        var idleTogether = 0
        /// Whether all its connections wait, and none was answered for a while.
        var isHeldUp = false

        /// The next instant to check, if no thread will check by then.
        mutating func newSweep() -> ContinuousClock.Instant? {
            let outage = outage?.state
            var first = queue.nextDeadline(in: outage)
            for link in awaitedLinks.values {
                let end = link.end(in: outage)
                first = first.map { min($0, end) } ?? end
            }
            guard let next = first, nextSweep.map({ next < $0 }) ?? true else { return nil }
            nextSweep = next
            return next
        }

        /// Whether there were no connections to be had until now.
        mutating func endOutage() -> Bool {
            guard outage != nil else { return false }
            outage = nil
            makeRoom()
            return true
        }

        /// Says how much the thread that runs several would begin: nothing while the database cannot be reached.
        mutating func makeRoom() {
            queue.room = outage == nil ? idleTogether : 0
            queue.isComplete = outage == nil && !isShortOfLinks && !isHeldUp
        }

        /// Whether that thread may have another connection, and has none that could be used.
        private var lacksLink: Bool { isShortOfLinks && !isConnecting && outage == nil && idleTogether == 0 }

        /// Whether it is to have another one: where there is more to do than there are connections.
        var wantsLink: Bool { lacksLink && queue.hasMoreTogether }

        /// Whether it is to have one made now, by a thread that is counted from here on.
        ///
        /// A write that finds no connection free wakes two threads: one that runs it, and this one for a connection. Where the other is the faster
        /// one, nothing waits any more when this one comes here. It has the connection made all the same: else it would have been woken for
        /// nothing, and so it would be with each write that comes. No wake-up is lost by that: who is woken, and when, is as it would be without
        /// `isLinkWanted`, which is looked at here alone; and the thread that sets it wakes this one, which comes here before it sleeps again.
        mutating func claimsLink() -> Bool {
            defer { isLinkWanted = false }
            guard wantsLink || isLinkWanted && lacksLink && !queue.isClosed else { return false }
            isConnecting = true
            livingThreads += 1
            return true
        }

        /// Whether writes were refused until now.
        mutating func endReadOnly() -> Bool {
            defer { isReadOnly = false }
            return isReadOnly
        }

        /// Whether to signal: a sleeping thread has work.
        mutating func wakesSleeper() -> Bool {
            guard sleepers > 0, queue.hasNext || queue.isFinished else { return false }
            sleepers -= 1
            return true
        }

        /// Whether to wake the thread that runs several.
        mutating func wakesMultiplexer() -> Bool {
            guard multiplexerSleeps, queue.hasNextTogether || queue.isFinished || wantsLink else { return false }
            multiplexerSleeps = false
            isLinkWanted = wantsLink
            return true
        }

        /// Whether closing is over.
        var isEnded: Bool { livingThreads == 0 || leavesConnecting && livingThreads == connecting }

        /// Takes out those whose time is over while their threads make connections for them; all of them where closing waits no more.
        mutating func expireAwaitedLinks(at now: ContinuousClock.Instant) -> [Entry] {
            let outage = outage?.state
            let expired = awaitedLinks.values.filter { leavesConnecting || $0.end(in: outage) <= now }.map(\.entry)
            for entry in expired {
                awaitedLinks[entry.number] = nil
                queue.finish(entry)
            }
            return expired
        }

        /// Whom to tell that closing is over, once.
        mutating func endedClosers() -> [@Sendable () -> Void] {
            guard isEnded else { return [] }
            defer { closers = [] }
            return closers
        }

        /// Whom to wake.
        mutating func wakes() -> (sleeper: Bool, multiplexer: Bool) { (wakesSleeper(), wakesMultiplexer()) }
    }

    let url: DatabaseURL
    let options: PostgresStore.Options
    private let random: any RandomSource
    private let logger: Logger
    let state: Mutex<State>
    /// Wakes the thread that runs several; nil where there is none.
    let waker: WakePipe?
    /// Signalled once for each sleeper that is to check the queue. Only these threads wait for it.
    private let wake = DispatchSemaphore(value: 0)
    /// Refuses those who have waited for too long, also while every thread is held up; and for what else is to be done later.
    let sweeper = DispatchQueue(label: "countersign.postgres.sweeper")
    private let newLink: @Sendable (DatabaseURL, PostgresLink.Settings) throws -> PostgresLink
    let startThread: OwnThread.Starter

    /// - Parameters:
    ///   - connect: makes a connection.
    ///   - start: starts a thread.
    /// - Throws: `StoreError` of code `unavailable` where the system starts no more threads; those that were started end.
    init(
        url: DatabaseURL, options: PostgresStore.Options, random: any RandomSource, logger: Logger,
        connect: @escaping @Sendable (DatabaseURL, PostgresLink.Settings) throws -> PostgresLink = {
            try PostgresLink($0, $1)
        },
        start: @escaping OwnThread.Starter = { try OwnThread.start($0, $1) }
    ) throws(StoreError) {
        (self.url, self.options, self.random, self.logger) = (url, options, random, logger)
        (newLink, startThread) = (connect, start)
        let together = options.connectionsTogether
        waker = together > 0 ? WakePipe() : nil
        let threads = options.connections - (waker == nil ? 0 : together)
        state = Mutex(
            State(
                queue: TransactionQueue(threads: threads, capacity: options.waitingTransactions),
                livingThreads: threads + (waker == nil ? 0 : 1)))
        do {
            for number in 1...threads { try start("postgres-\(number)") { self.work() } }
            if let waker { try start("postgres-several") { self.workTogether(waker) } }
        } catch {
            close()
            throw StoreError(.unavailable, "No thread for a connection to PostgreSQL: \(error)")
        }
    }

    var statistics: PostgresStore.Statistics {
        state.withLock { state in
            var result = state.statistics
            result.waiting = state.queue.waiting
            return result
        }
    }

    // MARK: Callers

    func run<T: Sendable>(
        _ mode: TransactionMode, _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let job = PendingTransaction(mode, body, continuation)
            let now = ContinuousClock.now
            let (admission, wakes, nextSweep) = state.withLock { state in
                let admission = state.queue.add(
                    job, mode.kind, at: now, deadline: now + options.patience, goesTogether: job.stage != nil)
                return (admission, state.wakes(), state.newSweep())
            }
            wake(wakes)
            planSweep(at: nextSweep)
            switch admission {
            case .waits: break
            case .full:
                job.fail(
                    StoreError(.overloaded, "\(options.waitingTransactions) transactions wait for PostgreSQL already"))
            case .closed: job.fail(Self.closed)
            }
        }
    }

    /// Admits no more; what was admitted is done, then the threads and their connections end.
    func close() {
        let wakes = state.withLock { state in
            state.queue.close()
            return state.wakes()
        }
        wake(wakes)
    }

    func wake(_ wakes: (sleeper: Bool, multiplexer: Bool)) {
        if wakes.sleeper { wake.signal() }
        if wakes.multiplexer { waker?.wake() }
    }

    /// Returns when the last thread has ended, after `close`.
    ///
    /// A thread that makes a connection is waited for as long as one address and the first answers take (``PostgresStore/Options/linkPatience``),
    /// and no longer: nothing bounds how long the system looks for the host's name, and nothing can interrupt it (`getaddrinfo`). It holds this
    /// pool, so that it touches nothing that is gone; its connection ends unused, whatever waits for one is refused as `unavailable`, and it
    /// makes no other. A process that ends meanwhile takes it along in its look-up, in which it holds nothing of others.
    func ended() async {
        sweeper.asyncAfter(deadline: .now() + options.linkPatience / .seconds(1)) { [weak self] in
            self?.leaveConnecting()
        }
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isEnded { state.closers.append { continuation.resume() } }
                return state.isEnded
            }
            if isOver { continuation.resume() }
        }
    }

    private func leaveConnecting() {
        let (expired, closers, wakes) = state.withLock { state in
            state.leavesConnecting = true
            let expired = state.expireAwaitedLinks(at: .now)
            return (expired, state.endedClosers(), state.wakes())
        }
        for entry in expired { entry.job.fail(Self.closed) }
        wake(wakes)
        for closer in closers { closer() }
    }

    private static var closed: StoreError { StoreError(.unavailable, "the store is closed") }

    private func planSweep(at instant: ContinuousClock.Instant?) {
        guard let instant else { return }
        let wait = max(.zero, ContinuousClock.now.duration(to: instant)) / .seconds(1)
        sweeper.asyncAfter(deadline: .now() + wait) { [weak self] in self?.sweep(instant) }
    }

    /// - Parameter instant: that it was planned for.
    private func sweep(_ instant: ContinuousClock.Instant) {
        let (expired, unlinked, outage, next) = state.withLock {
            state -> ([Entry], [Entry], String?, ContinuousClock.Instant?) in
            // An earlier one has taken its place.
            guard state.nextSweep == instant else { return ([], [], nil, nil) }
            let now = max(instant, .now)
            let expired = state.queue.expire(at: now, in: state.outage?.state)
            let unlinked = state.expireAwaitedLinks(at: now)
            state.nextSweep = nil
            return (expired, unlinked, state.outage?.reason, state.newSweep())
        }
        for entry in expired { entry.job.fail(refusal(outage)) }
        let silence = outage ?? "PostgreSQL was not reached in time"
        for entry in unlinked { entry.job.fail(StoreError(.unavailable, silence)) }
        if !unlinked.isEmpty { noteOutage(silence) }
        planSweep(at: next)
        // Those that blocked others may have ended.
        wake(state.withLock { $0.wakes() })
    }

    private func refusal(_ outage: String?) -> StoreError {
        outage.map { StoreError(.unavailable, $0) }
            ?? StoreError(.overloaded, "the transaction waited \(options.patience) for a connection to PostgreSQL")
    }

    // MARK: Threads

    private func work() {
        var link: PostgresLink?
        var entry = next()
        while entry != nil {
            entry = entry.flatMap { serve($0, &link) }
            // What is over is let go before anything is waited for.
            if entry == nil { entry = next() }
        }
        link = nil
        threadEnded()
    }

    func threadEnded() {
        let closers = state.withLock { state in
            state.livingThreads -= 1
            return state.endedClosers()
        }
        for closer in closers { closer() }
    }

    /// Waits for something to do.
    /// - Returns: nil at the end.
    private func next() -> Entry? {
        while true {
            let (entry, isFinished, wakes) = state.withLock { state in
                let entry = state.queue.take()
                let isFinished = state.queue.isFinished
                let wakes = state.wakes()
                if entry == nil, !isFinished { state.sleepers += 1 }
                return (entry, isFinished, wakes)
            }
            // Each wakes the next, as long as there is something to do or to end.
            wake(wakes)
            if let entry { return entry }
            if isFinished { return nil }
            wake.wait()
        }
    }

    /// Runs one that was taken, until it is over or has lost a race.
    /// - Returns: the next one, where it was taken with the end of this one; nil says nothing of what waits.
    private func serve(_ entry: Entry, _ link: inout PostgresLink?) -> Entry? {
        if entry.losses > 0 { sleep(Backoff.losing.wait(after: entry.losses, random)) }
        var lostConnections = 0
        var readOnlyConnections = 0
        while true {
            let usable: PostgresLink
            switch self.usable(link, for: entry) {
            case .made(let made): usable = made
            case .failed, .closed:
                link = nil
                refuse(entry, .unavailable, state.withLock { $0.outage?.reason } ?? "PostgreSQL cannot be reached")
                return nil
            case .tooLate(let late):
                // For the next one.
                link = late
                return nil
            }
            link = usable
            switch entry.job.attempt(usable) {
            case .over(let tell):
                let next = finish(entry, on: usable)
                tell()
                return next
            case .lostRace(let failure, let row):
                lose(entry, failure, for: row, on: usable)
                return nil
            case .lostConnection(let failure):
                link = nil
                lostConnections += 1
                logger.warning(
                    "A connection ended in a transaction, which is run again",
                    metadata: ["reason": "\(failure.description)"])
                if lostConnections >= options.attempts {
                    refuse(entry, .unavailable, failure.description)
                    return nil
                }
            case .readOnly(let failure):
                // The primary may have moved, or writing been allowed again: a fresh connection knows.
                link = nil
                readOnlyConnections += 1
                if readOnlyConnections > 1 {
                    noteReadOnly(failure.description)
                    refuse(entry, .readOnly, failure.description)
                    return nil
                }
            }
        }
    }

    private func lose(_ entry: Entry, _ failure: PostgresFailure, for row: ContestedRow?, on link: PostgresLink) {
        let refusal = loss(of: entry, failure)
        let report = Report(entry, refusal == nil ? .lostRace(row) : .refused, on: link)
        // It is for the thread that comes first; this one checks at once.
        let news = state.withLock { state in
            var news = News()
            state.note(report, in: &news)
            return news
        }
        tell(news)
        if let refusal { entry.job.fail(refusal) }
    }

    /// What to tell of one that has lost a race and is not run again; nil where it is.
    func loss(of entry: Entry, _ failure: PostgresFailure) -> StoreError? {
        guard entry.losses + 1 >= options.attempts || ContinuousClock.now >= entry.deadline else { return nil }
        return StoreError(
            .overloaded, "the write lost \(entry.losses + 1) races for a row, lastly: \(failure.description)")
    }

    private func refuse(_ entry: Entry, _ code: StoreError.Code, _ reason: String) {
        state.withLock { $0.queue.finish(entry) }
        entry.job.fail(StoreError(code, reason))
    }

    /// How old a connection gets on which nothing may be written: a fresh one may lead to a database that takes writes.
    private static let readOnlyAge = Duration.seconds(5)

    /// What came of making a connection.
    enum Opening {
        case made(PostgresLink)
        case failed(any Error)
        /// What it was for has been refused meanwhile, or closing waits no more.
        case tooLate(PostgresLink?)
        /// Closing waits no more: it was not begun.
        case closed
    }

    /// Makes a connection. What it is for is refused when its time is over and that of making a connection, also where there is none by then: nothing
    /// bounds the time in which the system looks for the host's name.
    func open(for entry: Entry?) -> Opening {
        let leastEnd = ContinuousClock.now + options.linkPatience
        let (isClosed, nextSweep) = state.withLock { state -> (Bool, ContinuousClock.Instant?) in
            guard !state.leavesConnecting else { return (true, nil) }
            state.connecting += 1
            if let entry { state.awaitedLinks[entry.number] = AwaitedLink(entry: entry, leastEnd: leastEnd) }
            return (false, state.newSweep())
        }
        if isClosed { return .closed }
        planSweep(at: nextSweep)
        let opened = Result { try newLink(url, options.link) }
        let isInTime = state.withLock { state in
            state.connecting -= 1
            if let entry { return state.awaitedLinks.removeValue(forKey: entry.number) != nil }
            return !state.leavesConnecting
        }
        switch opened {
        case .success(let link): return isInTime ? .made(link) : .tooLate(link)
        case .failure(let error): return isInTime ? .failed(error) : .tooLate(nil)
        }
    }

    /// The connection, or a fresh one where it is lost; `failed` where none can be had in time.
    private func usable(_ link: PostgresLink?, for entry: Entry) -> Opening {
        if let link, link.isUsable, !link.isLost(), link.takesWrites || link.madeAt + Self.readOnlyAge > .now {
            return .made(link)
        }
        var failures = 0
        let end =
            state.withLock { state in state.outage.map { entry.end(in: $0.state) } }
            ?? min(entry.deadline, ContinuousClock.now + options.outagePatience)
        while true {
            let opening = open(for: entry)
            switch opening {
            case .made: noteConnection()
            case .failed(let error): noteOutage("\((error as? PostgresFailure)?.description ?? "\(error)")")
            case .tooLate, .closed: break
            }
            guard case .failed = opening else { return opening }
            failures += 1
            let wait = Backoff.connecting.wait(after: failures, random)
            guard ContinuousClock.now + wait < end else { return opening }
            sleep(wait)
        }
    }

    /// Notes that a transaction is over and what it says of the database, and takes the next one. All that is done under the lock at once:
    /// it is what all threads and all callers wait for, and one that is held up while it has it holds up all.
    /// - Returns: the next one; nil where there is none to run, and where the database did not answer.
    private func finish(_ entry: Entry, on link: PostgresLink) -> Entry? {
        let report = Report(entry, .over, on: link)
        let (next, wakes, news) = state.withLock { state in
            var news = News()
            state.note(report, in: &news)
            // Before another is begun, all have to know of the silence.
            let next = news.silence == nil ? state.queue.take() : nil
            return (next, state.wakes(), news)
        }
        wake(wakes)
        tell(news)
        return next
    }

    /// Tells all threads and the log what was learnt of the database, and has those refused in time that wait again.
    func tell(_ news: News) {
        planSweep(at: news.nextSweep)
        if let silence = news.silence { noteOutage(silence.reason, since: silence.since) }
        noteEnds(wasOut: news.wasOut, wasReadOnly: news.wasReadOnly)
    }

    private func noteEnds(wasOut: Bool, wasReadOnly: Bool) {
        if wasOut { logger.notice("PostgreSQL can be reached again") }
        if wasReadOnly { logger.notice("PostgreSQL takes writes again") }
    }

    func noteConnection() {
        let (wasOut, wakes) = state.withLock { state in
            state.statistics.connectionsMade += 1
            // After an outage there may be something for the thread that runs several.
            return (state.endOutage(), state.wakes())
        }
        wake(wakes)
        noteEnds(wasOut: wasOut, wasReadOnly: false)
    }

    private func noteReadOnly(_ reason: String) {
        let isNew = state.withLock { state in
            defer { state.isReadOnly = true }
            return !state.isReadOnly
        }
        if isNew { logger.error("PostgreSQL takes no writes", metadata: ["reason": "\(reason)"]) }
    }

    /// Says once that the system starts no thread.
    /// - Parameter shortage: nil where it has started one.
    func note(_ shortage: OwnThread.Shortage?) {
        let isNew = state.withLock { state in
            defer { state.lacksThreads = shortage != nil }
            return shortage != nil && !state.lacksThreads
        }
        guard isNew, let shortage else { return }
        logger.error(
            "no thread can be started for a connection to PostgreSQL", metadata: ["reason": "\(shortage)"])
    }

    /// - Parameter begin: since when the database has not answered.
    private func noteOutage(_ reason: String, since begin: ContinuousClock.Instant = .now) {
        let (isNew, wakes, nextSweep) = state.withLock { state in
            let isNew = state.outage == nil
            let outage = state.outage?.state ?? .init(since: begin, patience: options.outagePatience)
            state.outage = (outage, reason)
            state.makeRoom()
            // What was left to the thread that runs several is for the others now.
            return (isNew, state.wakes(), state.newSweep())
        }
        wake(wakes)
        planSweep(at: nextSweep)
        if isNew { logger.error("PostgreSQL cannot be reached", metadata: ["reason": "\(reason)"]) }
    }

    private func sleep(_ duration: Duration) {
        Thread.sleep(forTimeInterval: duration / .seconds(1))
    }
}
