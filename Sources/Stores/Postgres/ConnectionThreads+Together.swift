import CountersignCore
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
        guard pipe(&ends) == 0 else { return nil }
        (reading, writing) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
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
/// each, and finds its caches warm. Whatever is not that simple it leaves to the other threads: what has to wait in the middle, a lost
/// connection, a connection that is to be made.
extension ConnectionThreads {
    private struct Member {
        let entry: Entry
        let transaction: StagedTransaction
    }

    private struct Ended {
        let entry: Entry
        let link: PostgresLink
        let step: StagedTransaction.Step
    }

    private struct Multiplexed {
        var idle: [PostgresLink] = []
        var running: [Member] = []
        var ended: [Ended] = []

        var links: Int { idle.count + running.count }
    }

    /// What follows from a visit to the lock.
    private struct Turn {
        var taken: [Entry] = []
        var tells: [() -> Void] = []
        var isFinished = false
        var connects = false
        var wasOut = false
        var wasReadOnly = false
        var silence: PostgresLink.Silence?
        var wakes = (sleeper: false, multiplexer: false)
    }

    func workTogether(_ waker: WakePipe) {
        var multiplexed = Multiplexed()
        var hasNews = true
        while true {
            if hasNews {
                let turn = turn(&multiplexed)
                wake(turn.wakes)
                for tell in turn.tells { tell() }
                note(turn)
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

    /// Notes what ended, and takes what is to be begun. All that is done under the lock at once.
    private func turn(_ multiplexed: inout Multiplexed) -> Turn {
        let ended = multiplexed.ended
        multiplexed.ended = []
        for one in ended where one.link.isUsable && one.link.takesWrites { multiplexed.idle.append(one.link) }
        let (idle, running) = (multiplexed.idle.count, multiplexed.running.count)
        let (turn, fresh) = state.withLock { state -> (Turn, PostgresLink?) in
            var turn = Turn()
            for one in ended { note(one, in: &state, &turn) }
            let fresh = state.freshLink
            state.freshLink = nil
            state.idleTogether = idle + (fresh == nil ? 0 : 1)
            state.makeRoom()
            while let entry = state.queue.takeTogether() { turn.taken.append(entry) }
            state.idleTogether -= turn.taken.count
            // One more connection where there is more to do than there are connections.
            let links = idle + running + (fresh == nil ? 0 : 1)
            state.isShortOfLinks = links < options.connectionsTogether
            if state.wantsLink {
                state.isConnecting = true
                turn.connects = true
            }
            turn.isFinished = state.queue.isFinished && running == 0 && turn.taken.isEmpty
            state.multiplexerSleeps = true
            turn.wakes = (state.wakesSleeper(), false)
            return (turn, fresh)
        }
        if let fresh { multiplexed.idle.append(fresh) }
        return turn
    }

    private func note(_ one: Ended, in state: inout State, _ turn: inout Turn) {
        let counts = one.link.takeCounts()
        state.statistics.roundTrips += counts.roundTrips
        state.statistics.statements += counts.statements
        switch one.step {
        case .over(.over(let tell)):
            state.queue.finish(one.entry)
            state.statistics.transactions += 1
            if let silence = one.link.silence {
                state.statistics.silences += 1
                turn.silence = silence
            } else if one.link.isUsable {
                if state.endOutage() { turn.wasOut = true }
                if one.link.takesWrites, state.endReadOnly() { turn.wasReadOnly = true }
            }
            turn.tells.append(tell)
        case .over(.lostRace(let failure, let row)):
            if let refusal = loss(of: one.entry, failure) {
                state.queue.finish(one.entry)
                turn.tells.append { one.entry.job.fail(refusal) }
            } else {
                state.queue.lose(one.entry, for: row)
                state.statistics.lostRaces += 1
            }
        case .over(.lostConnection), .over(.readOnly), .single, .waits: state.queue.single(one.entry)
        }
    }

    private func note(_ turn: Turn) {
        if let silence = turn.silence { noteOutage(silence.reason, since: silence.since) }
        noteEnds(wasOut: turn.wasOut, wasReadOnly: turn.wasReadOnly)
    }

    private func begin(_ entry: Entry, in multiplexed: inout Multiplexed) {
        guard let link = multiplexed.idle.popLast(), let stage = entry.job.stage else {
            preconditionFailure("no more is taken than there are connections for")
        }
        let transaction = stage(link)
        if !link.isUsable || link.isLost() {
            multiplexed.ended.append(Ended(entry: entry, link: link, step: .single))
        } else {
            goOn(Member(entry: entry, transaction: transaction), in: &multiplexed)
        }
    }

    private func goOn(_ member: Member, in multiplexed: inout Multiplexed) {
        switch member.transaction.advance() {
        case .waits: multiplexed.running.append(member)
        case let step: multiplexed.ended.append(Ended(entry: member.entry, link: member.transaction.link, step: step))
        }
    }

    /// Waits until one is answered or there is something else to do, and goes on with those that are answered.
    /// - Returns: whether anything ended, or the waker was woken.
    private func wait(for multiplexed: inout Multiplexed, _ waker: WakePipe) -> Bool {
        // What TLS has read ahead shows on no socket.
        var timeout: CInt = multiplexed.running.isEmpty ? -1 : 250
        var descriptors = [pollfd(fd: waker.reading, events: Int16(POLLIN), revents: 0)]
        descriptors.reserveCapacity(multiplexed.running.count + 1)
        for member in multiplexed.running {
            let (socket, deadline) = member.transaction.link.awaited
            descriptors.append(pollfd(fd: socket, events: Int16(POLLIN), revents: 0))
            if socket < 0 { timeout = 0 }
            if let deadline {
                let left = max(.zero, ContinuousClock.now.duration(to: deadline))
                timeout = min(timeout, CInt(min(left, .milliseconds(250)).milliseconds + 1))
            }
        }
        let isTime = poll(&descriptors, nfds_t(descriptors.count), timeout) <= 0
        let isWoken = descriptors[0].revents != 0
        if isWoken { waker.drain() }
        let now = ContinuousClock.now
        let running = multiplexed.running
        multiplexed.running.removeAll(keepingCapacity: true)
        for (member, descriptor) in zip(running, descriptors.dropFirst()) {
            if isTime || descriptor.revents != 0, member.transaction.link.isAnswered(at: now) {
                goOn(member, in: &multiplexed)
            } else {
                multiplexed.running.append(member)
            }
        }
        return isWoken || !multiplexed.ended.isEmpty
    }

    /// How long it takes until another connection is tried for where one could not be made.
    private static let pauseAfterFailure = 1.0

    /// Makes a connection on a thread of its own: that may take as long as the network likes.
    private func connect(_ waker: WakePipe) {
        let thread = Thread { [self] in
            let link = try? PostgresLink(url, options.link)
            if let link, link.takesWrites {
                noteConnection()
                state.withLock { $0.freshLink = link }
            } else {
                Thread.sleep(forTimeInterval: Self.pauseAfterFailure)
            }
            state.withLock { $0.isConnecting = false }
            // Should it be the last one to go, it takes the connection with it.
            waker.wake()
        }
        thread.name = "postgres-connect"
        thread.start()
    }
}
