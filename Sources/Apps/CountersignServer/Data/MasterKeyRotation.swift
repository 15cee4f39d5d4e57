import CountersignCore
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Replaces the master key of a realm while servers run on it, from the key file to the last sealed value.
///
/// It may be killed at any instant and run again: its state is in the key file (a newest key that does not seal
/// yet, or earlier ones that are still there) and by the store, never by a note of its own.
public struct MasterKeyRotation: Sendable {
    let opened: OpenedRealm
    let file: MasterKeyFile
    /// How long to wait for servers to read the new key.
    public var patience: Duration = .seconds(90)
    /// How long a server may be silent before it counts as stopped.
    var silence: Duration = .seconds(ServerReports.interval * 3)
    /// Called after each step, and after each batch: tests end it there.
    var afterStep: @Sendable (Step) async throws -> Void = { _ in }

    /// What has just been done.
    public enum Step: Sendable, Equatable {
        /// There is a new key, in the file only.
        case made(key: String)
        /// These servers have not read it yet.
        case waiting(servers: [String])
        /// Every server knows it.
        case known
        /// It seals from now on.
        case replaced(key: String)
        /// Rows of a place that were read, and all that were sealed again.
        case resealing(SealedPlace, seen: Int, resealed: Int)
        /// Every place was read once more; how many values this run has sealed again so far. It comes again while
        /// values with an earlier key are found.
        case resealed(Int)
        /// Nothing needs the earlier keys any more.
        case unused
        /// A retired key has a file of its own.
        case setAside(path: String)
        /// The key file holds the new key alone.
        case finished
    }

    /// How it ended.
    public struct Outcome: Sendable, Equatable {
        /// The id of the key that seals now.
        public var key: String
        /// Whether an interrupted rotation was brought to its end: no further key was made.
        public var wasResumed: Bool
        /// Values that were sealed again by this run.
        public var resealed: Int
        /// Ids of the earlier keys that nothing needs any more.
        public var retired: [String]
        /// Where they are kept for backups from before.
        public var retiredFiles: [String]
        /// Where values are that do not open with any key, at most ten; they were left as they are.
        public var unreadable: [String]
        /// Mailed codes that still need an earlier key, which is why none is retired.
        public var openCodes: Int
        /// When the last of those codes expires, so that another run can retire the key; nil where there are none.
        public var openCodesExpireAt: Date?
        /// Retired keys that the operator has to take out of the key file, because it cannot be written.
        public var keysToRemove: [String]
    }

    /// - Throws: ``MasterKeyRotationError/notAFile`` where the key comes from a descriptor.
    public init(_ opened: OpenedRealm) throws {
        guard let file = opened.masterKeyFile else { throw MasterKeyRotationError.notAFile }
        self.opened = opened
        self.file = file
    }

    private var random: any RandomSource { opened.realm.random }
    private var replacement: MasterKeyReplacement { opened.realm.masterKeyReplacement }

    /// - Throws: ``MasterKeyRotationError``, ``DataDirectoryError``, `StoreError`. What was done stays; run it again.
    public func run(
        by actor: ClientContext = .commandLine, progress: @Sendable (Step) -> Void = { _ in }
    ) async throws -> Outcome {
        func done(_ step: Step) async throws {
            progress(step)
            try await afterStep(step)
        }
        let lock = try DirectoryLock(of: file.path)
        defer { lock.release() }

        var entries = try file.entries()
        opened.realm.sealer.keys.learn(entries.map(\.key))
        let former = try await replacement.current()
        guard entries.contains(where: { $0.key.id == former.id }) else {
            throw MasterKeyRotationError.anotherKeySeals(former.id, file.path)
        }
        let isResumed = entries.count > 1
        if !isResumed {
            entries.insert(try fresh(besides: entries), at: 0)
            do {
                try file.write(entries, random: random)
            } catch let error as DataDirectoryError {
                throw MasterKeyRotationError.cannotAddKey("\(error)", file.path)
            }
            opened.realm.sealer.keys.learn(entries.map(\.key))
            try await done(.made(key: entries[0].key.id))
        }
        let newest = entries[0].key
        if newest.id != former.id {
            try await waitForServers(knowing: newest.id, done)
            try await done(.known)
            guard try await replacement.replace(former, with: newest, by: actor) else {
                throw MasterKeyRotationError.anotherKeySeals(try await replacement.current().id, file.path)
            }
            try await done(.replaced(key: newest.id))
        }

        var outcome = Outcome(
            key: newest.id, wasResumed: isResumed, resealed: 0, retired: [], retiredFiles: [], unreadable: [],
            openCodes: 0,
            keysToRemove: [])
        var uses = MasterKeyReplacement.Uses()
        // A second round finds what changed during the first.
        for _ in 0..<Self.rounds {
            outcome.resealed += try await replacement.resealAll { place, seen, resealed in
                try await done(.resealing(place, seen: seen, resealed: resealed))
            }
            try await done(.resealed(outcome.resealed))
            uses = try await replacement.uses()
            if uses.sealed == 0 { break }
        }
        guard uses.sealed == 0 else { throw MasterKeyRotationError.stillSealed(uses.sealed) }
        outcome.unreadable = uses.unreadable.map(\.description)
        guard uses.isNone else {
            (outcome.openCodes, outcome.openCodesExpireAt) = (uses.codes, uses.codesExpireAt)
            return outcome
        }
        let earlier = entries.filter { $0.key.id != newest.id }
        outcome.retired = earlier.map(\.key.id)
        try await replacement.noteRetired(outcome.retired, by: actor)
        try await done(.unused)
        try await retire(earlier, keeping: entries[0], &outcome, done)
        return outcome
    }

    private static let rounds = 10

    private func fresh(besides entries: [MasterKeyFile.Entry]) throws -> MasterKeyFile.Entry {
        while true {
            let entry = try MasterKeyFile.Entry.fresh(random: random)
            if !entries.contains(where: { $0.key.id == entry.key.id }) { return entry }
        }
    }

    /// Puts the keys where backups find them, and then out of the file.
    private func retire(
        _ earlier: [MasterKeyFile.Entry], keeping newest: MasterKeyFile.Entry, _ outcome: inout Outcome,
        _ done: (Step) async throws -> Void
    ) async throws {
        do {
            for entry in earlier {
                let path = file.retiredPath(entry.key.id)
                _ = try PrivateFile.readOrCreate(path, random: random) { MasterKeyFile.text(of: [entry]) }
                outcome.retiredFiles.append(path)
                try await done(.setAside(path: path))
            }
            try file.write([newest], random: random)
        } catch is DataDirectoryError {
            // A file that configuration management or an orchestrator owns.
            outcome.keysToRemove = earlier.map(\.key.id)
            return
        }
        try await done(.finished)
    }

    /// Waits until every server that lives has read the key.
    private func waitForServers(knowing key: String, _ done: (Step) async throws -> Void) async throws {
        let reports = opened.realm.serverReports
        let start = ContinuousClock.now
        var watch = ServerWatch()
        var reported: [String] = []
        while true {
            let now = ContinuousClock.now
            let outdated = try await reports.all().filter { !$0.masterKeys.contains(key) }
            let silent = watch.silent(among: outdated, for: silence, at: now)
            let waiting = outdated.filter { !silent.contains($0.id) }.map(\.name)
            if waiting.isEmpty { return try await reports.remove(silent) }
            if now - start > patience { throw MasterKeyRotationError.serversBehind(waiting, key, file.path) }
            if waiting != reported {
                reported = waiting
                try await done(.waiting(servers: waiting))
            }
            try await Task.sleep(for: .milliseconds(200))
        }
    }
}

/// Distinguishes running servers from stopped ones by their reports.
struct ServerWatch: Sendable {
    private var heard: [String: (beat: Int, at: ContinuousClock.Instant)] = [:]

    /// The ids of those that have said nothing new for that long, while this watched.
    mutating func silent(
        among reports: [ServerReport], for silence: Duration, at now: ContinuousClock.Instant
    ) -> Set<String> {
        var silent: Set<String> = []
        for report in reports {
            if let last = heard[report.id], last.beat == report.beat {
                if now - last.at > silence { silent.insert(report.id) }
            } else {
                heard[report.id] = (report.beat, now)
            }
        }
        return silent
    }
}

/// Why a master key was not replaced, or not to the end. Nothing is lost: the command can be run again.
public enum MasterKeyRotationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The key comes from a descriptor, where no new one can be put.
    case notAFile
    /// Another rotation works on the same file.
    case underWay(String)
    /// The store's data is sealed with a key that is not in the file.
    case anotherKeySeals(String, String)
    /// The key file cannot be written: why, and its path. The operator adds a key, and runs the rotation again.
    case cannotAddKey(String, String)
    /// Servers that run have not read the new key in time: their names, the key's id, and the path of the file that
    /// they lack.
    case serversBehind([String], String, String)
    /// So many values are sealed with an earlier key after ten rounds, which a server of an earlier version can cause.
    case stillSealed(Int)

    public var description: String {
        switch self {
        case .notAFile:
            "The master key comes from a descriptor, where no new one can be put. Name a file with --master-key-file."
        case .underWay(let path):
            "Another rotation of \(path) is under way. Wait for its end."
        case .anotherKeySeals(let key, let path):
            "The master key \(key) seals now, and is not in \(path): another rotation put it in place, on another machine. "
                + "Copy the key file from there, and run this again."
        case .cannotAddKey(let reason, let path):
            "\(reason) Put a new key (`head -c 32 /dev/urandom | base64`) before the present one in \(path), as the first "
                + "line, and run this again: it goes on from there."
        case .serversBehind(let servers, let key, let path):
            "These servers do not know the new master key \(key) yet: \(servers.joined(separator: ", ")). Copy \(path) to "
                + "their machines (a server reads it within seconds; one that reads its key from a descriptor has to be "
                + "restarted), and run this again. Until then the old key seals."
        case .stillSealed(let count):
            "\(count) values are still sealed with an earlier key, though all were sealed anew several times: does a server "
                + "of an earlier version run? End it, and run this again."
        }
    }
}

/// Held by one process at a time, and let go of when it ends, however it ends: the lock of the directory that a file is in.
struct DirectoryLock: Sendable {
    private let descriptor: Int32

    /// - Throws: ``MasterKeyRotationError/underWay(_:)``.
    init(of path: String) throws {
        descriptor = open(path.parentDirectory, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DataDirectoryError.cannotRead(path, errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw MasterKeyRotationError.underWay(path)
        }
    }

    /// Let go of by name: a child that is started at this moment has the descriptor too until it becomes another program, and
    /// would go on holding what is only closed here.
    func release() {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
