import CPostgres
import CountersignCore
import Dispatch
import Foundation
import Logging
import Synchronization

/// Wakes a thread that waits at `poll`: a pipe.
final class WakePipe: Sendable {
    /// Can be read from when it was woken.
    let reading: CInt
    private let writing: CInt

    /// Nil where the process has no more files.
    init?() {
        var ends: [CInt] = [-1, -1]
        #if canImport(Darwin)
            guard pipe(&ends) == 0 else { return nil }
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
        #else
            // At once: a program that another thread starts in between would have both ends.
            guard pipe2(&ends, O_CLOEXEC | O_NONBLOCK) == 0 else { return nil }
        #endif
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        _ = close(reading)
        _ = close(writing)
    }

    func wake() {
        var byte: UInt8 = 1
        // One that is full wakes as well.
        _ = write(writing, &byte, 1)
    }

    /// Takes what was woken until now.
    func drain() {
        var bytes: (UInt64, UInt64) = (0, 0)
        _ = withUnsafeMutableBytes(of: &bytes) { read(reading, $0.baseAddress, $0.count) }
    }
}

/// One thread for several connections (`docs/decisions/0558`).
///
/// It runs writes that keep to their rows, which are what most requests end in. None of them holds it up: it waits for the answers of all at once,
/// at `poll`, and goes on with each when its answer is there (``StagedTransaction``). So it sleeps once where a thread for each would sleep for
/// each, and finds its caches warm. Whatever is not that simple it leaves to the other threads: a body that is not the same when it is run again,
/// what was not as it was foreseen, a lost connection.
extension ConnectionThreads {
    private struct Run {
        let entry: Entry
        let transaction: StagedTransaction
    }

    private struct Member {
        let run: Run
        /// The one behind whose commit it was begun, as long as that is not answered.
        var leader: Run?

        var link: PostgresLink { run.transaction.link }
    }

    private struct Ended {
        let entry: Entry
        let link: PostgresLink
        let step: StagedTransaction.Step
        /// Whether another goes on on the connection.
        var isFollowed = false

        /// Whether the connection is of use to another. Where nothing may be written any more, a fresh one may lead elsewhere.
        var keepsLink: Bool { !isFollowed && !step.needsFreshLink && link.isUsable && link.takesWrites }
    }

    private struct Multiplexed {
        var idle: [PostgresLink] = []
        var running: [Member] = []
        var ended: [Ended] = []
        /// Whether all its connections wait, and none was answered for a while.
        var isHeldUp = false
        /// When all that run are looked at, whichever have an answer: a connection whose time is over shows nothing at its socket, nor does what
        /// TLS has read ahead, and while others are answered the wait for them never ends by itself.
        var nextLook = ContinuousClock.now
    }

    /// What follows from a visit to the lock.
    private struct Turn: Sendable {
        var taken: [Entry] = []
        var fresh: PostgresLink?
        var isFinished = false
        var connects = false
        var news = News()
        var wakesSleeper = false
    }

    func workTogether(_ waker: WakePipe) {
        var multiplexed = Multiplexed()
        var hasNews = true
        while true {
            if hasNews {
                var tells: [() -> Void] = []
                let reports = multiplexed.ended.map { report($0, &tells) }
                for one in multiplexed.ended where one.keepsLink {
                    multiplexed.idle.append(one.link)
                }
                multiplexed.ended.removeAll(keepingCapacity: true)
                let turn = turn(
                    reports, idle: multiplexed.idle.count, running: multiplexed.running.count,
                    isHeldUp: multiplexed.isHeldUp)
                if let fresh = turn.fresh { multiplexed.idle.append(fresh) }
                wake((turn.wakesSleeper, false))
                for tell in tells { tell() }
                tell(turn.news)
                if turn.connects { connect(waker) }
                for entry in turn.taken { begin(entry, in: &multiplexed) }
                if turn.isFinished { break }
                // One that ended at once is told before anything is waited for.
                if !multiplexed.ended.isEmpty { continue }
            }
            hasNews = wait(for: &multiplexed, waker)
        }
        multiplexed = Multiplexed()
        threadEnded()
    }

    /// - Parameter tells: where to put what tells the caller.
    private func report(_ one: Ended, _ tells: inout [() -> Void]) -> Report {
        let verdict: Report.Verdict
        switch one.step {
        case .over(.over(let tell)):
            tells.append(tell)
            verdict = .over
        case .over(.lostRace(let failure, let row)):
            if let refusal = loss(of: one.entry, failure) {
                tells.append { one.entry.job.fail(refusal) }
                verdict = .refused
            } else {
                verdict = .lostRace(row)
            }
        case .over(.lostConnection), .over(.readOnly), .single, .waits, .commits: verdict = .single
        }
        return Report(one.entry, verdict, on: one.link, isFollowed: one.isFollowed)
    }

    /// Notes what ended, and takes what is to be begun. All that is done under the lock at once.
    private func turn(_ reports: [Report], idle: Int, running: Int, isHeldUp: Bool) -> Turn {
        let most = options.connectionsTogether
        return state.withLock { state in
            var turn = Turn()
            for report in reports { state.note(report, in: &turn.news) }
            turn.fresh = state.freshLink
            state.freshLink = nil
            let links = idle + (turn.fresh == nil ? 0 : 1)
            state.idleTogether = links
            state.isShortOfLinks = links + running < most
            state.isHeldUp = isHeldUp
            state.makeRoom()
            // Before another is begun, all have to know of a silence.
            while turn.news.silence == nil, let entry = state.queue.takeTogether() { turn.taken.append(entry) }
            state.idleTogether -= turn.taken.count
            turn.connects = state.claimsLink()
            turn.isFinished = state.queue.isFinished && running == 0 && turn.taken.isEmpty
            state.multiplexerSleeps = true
            turn.wakesSleeper = state.wakesSleeper()
            return turn
        }
    }

    private func begin(_ entry: Entry, in multiplexed: inout Multiplexed) {
        guard let link = multiplexed.idle.popLast() else {
            preconditionFailure("no more is taken than there are connections for")
        }
        begin(entry, on: link, in: &multiplexed)
    }

    private func begin(_ entry: Entry, on link: PostgresLink, in multiplexed: inout Multiplexed) {
        // One that has hung up meanwhile is found out by the first answer: nothing was done by then.
        if !link.isUsable {
            multiplexed.ended.append(Ended(entry: entry, link: link, step: .single))
        } else {
            goOn(Member(run: run(entry, on: link, isBehind: false)), in: &multiplexed)
        }
    }

    private func run(_ entry: Entry, on link: PostgresLink, isBehind: Bool) -> Run {
        guard let stage = entry.job.stage else { preconditionFailure("what runs by itself was taken") }
        return Run(entry: entry, transaction: stage(link, isBehind))
    }

    private func goOn(_ member: Member, in multiplexed: inout Multiplexed) {
        if let leader = member.leader {
            let step = leader.transaction.advance()
            multiplexed.ended.append(Ended(entry: leader.entry, link: member.link, step: step, isFollowed: true))
            guard member.link.isAwaited else { return beginAnew(member.run, behind: step, in: &multiplexed) }
            guard member.link.isAnswered(at: .now) else { return multiplexed.running.append(Member(run: member.run)) }
        }
        switch member.run.transaction.advance() {
        case .waits: multiplexed.running.append(Member(run: member.run))
        case .commits: commit(member.run, in: &multiplexed)
        case let step: multiplexed.ended.append(Ended(entry: member.run.entry, link: member.link, step: step))
        }
    }

    /// Behind a commit that failed nothing was done, where the server has said that it failed.
    /// - Parameter step: how the one in front ended.
    private func beginAnew(_ run: Run, behind step: StagedTransaction.Step, in multiplexed: inout Multiplexed) {
        let (entry, link) = (run.entry, run.transaction.link)
        if let unknown = run.transaction.endedUnanswered() {
            multiplexed.ended.append(Ended(entry: entry, link: link, step: unknown))
        } else if step.needsFreshLink {
            multiplexed.ended.append(Ended(entry: entry, link: link, step: step))
        } else {
            begin(entry, on: link, in: &multiplexed)
        }
    }

    /// Sends the commit, with the beginning of what waits for a connection.
    private func commit(_ run: Run, in multiplexed: inout Multiplexed) {
        let link = run.transaction.link
        guard let next = next(idle: multiplexed.idle.count) else {
            let step = run.transaction.commitAlone()
            if case .waits = step { return multiplexed.running.append(Member(run: run)) }
            return multiplexed.ended.append(Ended(entry: run.entry, link: link, step: step))
        }
        run.transaction.lead()
        let follower = self.run(next, on: link, isBehind: true)
        var step = follower.transaction.advance()
        if case .commits = step { step = follower.transaction.commitAlone() }
        if case .waits = step { return multiplexed.running.append(Member(run: follower, leader: run)) }
        // Nothing could be sent.
        multiplexed.ended.append(
            Ended(entry: run.entry, link: link, step: run.transaction.advance(), isFollowed: true))
        multiplexed.ended.append(Ended(entry: next, link: link, step: step))
    }

    /// What is to begin behind a commit: where no connection has nothing to do.
    private func next(idle: Int) -> Entry? {
        guard idle == 0 else { return nil }
        return state.withLock { $0.outage == nil ? $0.queue.takeBehind() : nil }
    }

    /// Milliseconds in which no connection has to be answered, where all wait, until the other threads run what could have gone together: others
    /// may have locked rows for seconds.
    private static let patience: CInt = 20

    /// Waits until one is answered or there is something else to do, and goes on with those that are answered.
    /// - Returns: whether the pool is to be told of something, or has something to tell.
    private func wait(for multiplexed: inout Multiplexed, _ waker: WakePipe) -> Bool {
        let begin = ContinuousClock.now
        var timeout: CInt = -1
        let mayBeHeldUp = multiplexed.idle.isEmpty && !multiplexed.running.isEmpty
        if mayBeHeldUp, !multiplexed.isHeldUp { timeout = Self.patience }
        var descriptors = [pollfd(fd: waker.reading, events: Int16(POLLIN), revents: 0)]
        descriptors.reserveCapacity(multiplexed.running.count + 1)
        for member in multiplexed.running {
            let (socket, deadline) = member.link.awaited
            descriptors.append(pollfd(fd: socket, events: Int16(POLLIN), revents: 0))
            if socket < 0 { timeout = 0 }
            let most = LibpqHandle.pollTime(deadline.map { begin.duration(to: $0) } ?? .seconds(1))
            timeout = timeout < 0 ? most : min(timeout, most)
        }
        let answers = poll(&descriptors, nfds_t(descriptors.count), timeout)
        let isTime = answers <= 0
        let isWoken = descriptors[0].revents != 0
        if isWoken { waker.drain() }
        let now = ContinuousClock.now
        let looksAtAll = isTime || now >= multiplexed.nextLook
        if looksAtAll { multiplexed.nextLook = now + LibpqHandle.longestPoll }
        let running = multiplexed.running
        multiplexed.running.removeAll(keepingCapacity: true)
        for (member, descriptor) in zip(running, descriptors.dropFirst()) {
            if looksAtAll || descriptor.revents != 0, member.link.isAnswered(at: now) {
                goOn(member, in: &multiplexed)
            } else {
                multiplexed.running.append(member)
            }
        }
        let wasHeldUp = multiplexed.isHeldUp
        let hasNoAnswer = answers <= (isWoken ? 1 : 0)
        multiplexed.isHeldUp = mayBeHeldUp && hasNoAnswer && (wasHeldUp || isTime && timeout == Self.patience)
        return isWoken || !multiplexed.ended.isEmpty || multiplexed.isHeldUp != wasHeldUp
    }

    /// How long it takes until another connection is tried for where one could not be made.
    private static let pauseAfterFailure = 1.0

    /// Makes a connection on a thread of its own: that may take as long as the network likes.
    ///
    /// Closing waits for that thread too, as for each that connects, so that no connection begins after it and no thread is in libpq when the process
    /// ends; but not for a look-up of the host's name that goes on and on (``ended()``). The pause after a failure is no thread's, and is not waited
    /// for.
    private func connect(_ waker: WakePipe) {
        do {
            try startThread("postgres-connect") { [self] in
                if makeLink() { endConnecting(waker) } else { endConnectingLater(waker) }
                threadEnded()
            }
            note(nil)
        } catch {
            note(error)
            endConnectingLater(waker)
            threadEnded()
        }
    }

    /// - Returns: whether there is one that takes writes.
    private func makeLink() -> Bool {
        guard case .made(let link) = open(for: nil), link.takesWrites else { return false }
        noteConnection()
        // The thread that runs several comes once more to take it, unless the end was before: then no thread is there to take it.
        state.withLock { if !$0.queue.isFinished { $0.freshLink = link } }
        return true
    }

    private func endConnectingLater(_ waker: WakePipe) {
        sweeper.asyncAfter(deadline: .now() + Self.pauseAfterFailure) { [weak self] in self?.endConnecting(waker) }
    }

    private func endConnecting(_ waker: WakePipe) {
        state.withLock { $0.isConnecting = false }
        waker.wake()
    }
}
