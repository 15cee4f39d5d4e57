import Foundation
import Logging
import OneTimePassword
import Synchronization
import Testing

@testable import CountersignCore
@testable import CountersignServer

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The rotation of the master key on a real data directory: the file, the store, and what servers say of themselves.
@Suite struct MasterKeyRotationTests {
    private let directory: TestDirectory
    private let clock = SteppingClock()

    init() async throws {
        directory = try await TestDirectory.prepared()
    }

    private var keyPath: String { directory.data + "/master-key" }

    private func lines(_ path: String) throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    private func open(_ path: String? = nil) async throws -> OpenedRealm {
        try await OpenedRealm.open(DataDirectory(path: path ?? directory.data), clock: clock)
    }

    /// The names of all keys that anything is sealed with.
    private func names(_ opened: OpenedRealm) async throws -> Set<String> {
        try await opened.realm.store.read { transaction in
            let rows = try SealedPlace.allCases.flatMap {
                try transaction.sealedRows(in: $0, after: nil, except: nil, limit: 100_000)
            }
            return Set(rows.compactMap { $0.sealed.flatMap(Sealer.keyName)?.hex })
        }
    }

    // MARK: People

    private struct Person: Sendable {
        let email: EmailAddress
        let factor: FactorID
        let totp: TOTP
    }

    private static let client = ClientContext(
        clientID: ClientID(rawValue: "app"), dialect: .identityToolkit, limitedSource: nil, source: nil)
    private static let password = Secret("a quiet afternoon")

    private func enrol(_ name: String, in opened: OpenedRealm) async throws -> Person {
        let realm = opened.realm
        let email = EmailAddress(kept: "\(name)@example.org")
        let user = try await realm.accounts.create(
            email: email, password: Self.password, profile: UserProfile(emailVerified: true), by: Self.client
        ).get()
        let evidence = SessionEvidence(
            dialect: .identityToolkit, proofs: [Proof(kind: .password, at: clock.now)])
        guard
            case .offered(let offer) = try await realm.enrolments.beginTOTP(
                for: user.id, evidence: evidence, by: Self.client)
        else { throw Refused() }
        let totp = try TOTP(secret: offer.secret.reveal())
        let verdict = try await realm.authenticator.answer(
            .enrolmentCode(Secret(totp.code(at: clock.now).stringCode), name: "Phone"),
            to: .flow(
                offer.handle, FlowExpectation([.enrolFactor], at: [.factorEnrolment], of: [.dialect(.identityToolkit)])),
            by: Self.client)
        guard case .accomplished(.enrolled(let factor, _)) = verdict else { throw Refused() }
        return Person(email: email, factor: factor.id, totp: totp)
    }

    /// With password and code; a later step for each.
    private func signIn(_ person: Person, in opened: OpenedRealm) async throws {
        let door = opened.realm.authenticator
        let first = try await door.answer(
            .password(Self.password),
            to: .opening(
                FlowOpening(
                    subject: .email(person.email), terms: GrantTerms(), lifetime: FlowLifetime.secondFactor)),
            by: Self.client)
        guard case .more(let more) = first else { throw Refused() }
        let code = person.totp.code(at: clock.now).stringCode
        let second = try await door.answer(
            .code(Secret(code), factor: person.factor),
            to: .flow(more.handle, FlowExpectation([.signIn], at: [.secondFactor], of: [.dialect(.identityToolkit)])),
            by: Self.client)
        guard case .accomplished(.signedIn) = second else { throw Refused() }
    }

    private struct Refused: Error {}
    private struct Killed: Error {}

    // MARK: Tests

    @Test func `Killed after any step it goes on where it was`() async throws {
        let opened = try await open()
        let person = try await enrol("ada", in: opened)
        for number in 0..<3 { _ = try await enrol("user\(number)", in: opened) }
        try await opened.close()
        let old = try lines(keyPath)
        #expect(old.count == 1)

        var steps: [String] = []
        var isDone = false
        var number = 0
        while !isDone {
            number += 1
            let copy = directory.url.appendingPathComponent("copy-\(number)").path
            try FileManager.default.copyItem(atPath: directory.data, toPath: copy)
            let first = try await open(copy)
            var rotation = try MasterKeyRotation(first)
            let (count, killAt) = (Counter(), number)
            let last = Last()
            rotation.afterStep = { [count] step in
                if count.next() == killAt { throw Killed() }
            }
            do {
                _ = try await rotation.run { step in last.set("\(step)") }
                isDone = true
            } catch is Killed {
                steps.append(last.text)
            }
            try await first.close()

            clock.advance(30)
            let second = try await open(copy)
            try await signIn(person, in: second)
            if !isDone {
                let isFinished = try lines(copy + "/master-key").count == 1
                if !isFinished {
                    let outcome = try await MasterKeyRotation(second).run()
                    #expect(outcome.wasResumed, "killed after \(steps.last ?? "")")
                    #expect(outcome.retired.count == 1)
                    #expect(outcome.unreadable.isEmpty)
                }
            }
            let file = try lines(copy + "/master-key")
            #expect(file.count == 1)
            #expect(file != old)
            let attributes = try FileManager.default.attributesOfItem(atPath: copy + "/master-key")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let current = try await second.realm.masterKeyReplacement.current().id
            #expect(try await names(second) == [current])
            let leftovers = try FileManager.default.contentsOfDirectory(atPath: copy).filter {
                $0.hasPrefix("master-key")
            }
            #expect(leftovers.count == 2, "The key and the one that backups need: \(leftovers)")
            let retired = try #require(leftovers.first { $0.contains("retired") })
            #expect(try lines("\(copy)/\(retired)") == old)
            try await second.close()

            clock.advance(30)
            let third = try await open(copy)
            #expect(third.realm.sealer.keys.all.count == 1, "The server starts with the new key alone.")
            try await signIn(person, in: third)
            try await third.close()
        }
        #expect(steps.count >= 10, "\(steps)")
        for word in ["made", "known", "replaced", "resealing", "resealed", "unused", "setAside", "finished"] {
            #expect(steps.contains { $0.hasPrefix(word) }, "\(word) is not among \(steps)")
        }
    }

    @Test func `A running server learns the key and signs people in all the while`() async throws {
        let server = try await open()
        let people = try await withThrowingTaskGroup(of: Person.self) { tasks in
            for number in 0..<6 { tasks.addTask { try await enrol("user\(number)", in: server) } }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
        let service = MasterKeyService(
            opened: server, logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
            interval: .milliseconds(20))
        let watch = Task { try await service.run() }
        var reports: [ServerReport] = []
        while reports.isEmpty {
            reports = try await server.realm.serverReports.all()
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(reports[0].masterKeys == server.realm.sealer.keys.all.map(\.id))

        let ends = Flag()
        clock.advance(30)
        let failures = try await withThrowingTaskGroup(of: Int.self) { tasks in
            for person in people {
                tasks.addTask {
                    // The first counts; the clock stands, so that later rounds give the first factor only.
                    try await signIn(person, in: server)
                    while !ends.isSet {
                        let verdict = try await server.realm.authenticator.answer(
                            .password(Self.password),
                            to: .opening(
                                FlowOpening(
                                    subject: .email(person.email), terms: GrantTerms(),
                                    lifetime: FlowLifetime.secondFactor)),
                            by: Self.client)
                        guard case .more = verdict else { return 1 }
                    }
                    return 0
                }
            }
            tasks.addTask {
                let command = try await open()
                for _ in 0..<2 {
                    let outcome = try await MasterKeyRotation(command).run()
                    #expect(outcome.retired.count == 1)
                    #expect(!outcome.wasResumed)
                }
                try await command.close()
                ends.set()
                return 0
            }
            return try await tasks.reduce(0, +)
        }
        #expect(failures == 0)
        #expect(server.realm.sealer.keys.all.count == 3, "A running server forgets none.")
        #expect(try await names(server) == [server.realm.sealer.keys.all[0].id])
        clock.advance(30)
        for person in people { try await signIn(person, in: server) }
        watch.cancel()
        _ = try? await watch.value
        try await server.close()
    }

    @Test func `A server that does not read the key holds the switch back unless it is gone`() async throws {
        let opened = try await open()
        let reports = opened.realm.serverReports
        let report = ServerReport(id: "other", name: "login-2 (process 17)", masterKeys: ["other"], beat: 4)
        try await opened.realm.store.write { try $0.putDocument("servers", JSONEncoder().encode([report])) }
        let old = try #require(opened.realm.sealer.keys.all.first).id

        var rotation = try MasterKeyRotation(opened)
        rotation.patience = .milliseconds(300)
        rotation.silence = .seconds(3600)
        let error = await #expect(throws: MasterKeyRotationError.self) { _ = try await rotation.run() }
        #expect(error?.description.contains("login-2 (process 17)") == true)
        #expect(try await opened.realm.masterKeyReplacement.current().id == old, "The old key seals on.")
        #expect(try lines(keyPath).count == 2)

        // It was killed: its last report stays, and no other follows.
        rotation.patience = .seconds(3600)
        rotation.silence = .milliseconds(300)
        let outcome = try await rotation.run()
        #expect(outcome.wasResumed)
        #expect(outcome.key != old)
        #expect(try await reports.all().isEmpty)
        try await opened.close()
    }

    @Test func `A server lives as long as its counter moves`() {
        let start = ContinuousClock.now
        var watch = ServerWatch()
        func silent(_ beats: [String: Int], after seconds: Int) -> Set<String> {
            watch.silent(
                among: beats.map { ServerReport(id: $0.key, name: $0.key, beat: $0.value) }, for: .seconds(45),
                at: start + .seconds(seconds))
        }
        #expect(silent(["a": 7, "b": 9], after: 0) == [])
        #expect(silent(["a": 7, "b": 10], after: 40) == [])
        #expect(silent(["a": 7, "b": 10], after: 46) == ["a"])
        // Started again, or only slow: whatever is new is a sign of life.
        #expect(silent(["a": 1, "b": 10], after: 80) == [])
        #expect(silent(["a": 1, "b": 10, "c": 0], after: 86) == ["b"])
    }

    @Test func `Of two rotations at once one is refused`() async throws {
        let opened = try await open()
        let other = try await open()
        var rotation = try MasterKeyRotation(opened)
        rotation.afterStep = { step in
            guard case .replaced = step else { return }
            let error = await #expect(throws: MasterKeyRotationError.self) {
                _ = try await MasterKeyRotation(other).run()
            }
            #expect(error == .underWay(keyPath))
        }
        _ = try await rotation.run()
        try await other.close()
        try await opened.close()
    }

    @Test func `A rotation on another machine that came first is not undone`() async throws {
        // Each machine has its own copy of the old key, and makes a new one before either switches.
        let machine = directory.url.appendingPathComponent("machine")
        try FileManager.default.createDirectory(at: machine, withIntermediateDirectories: true)
        let elsewhere = machine.appendingPathComponent("key").path
        try FileManager.default.copyItem(atPath: keyPath, toPath: elsewhere)
        let here = try await open()
        let remote = try await OpenedRealm.open(
            DataDirectory(path: directory.data), masterKey: .file(elsewhere), clock: clock)
        var rotation = try MasterKeyRotation(here)
        rotation.afterStep = { step in
            if step == .known { _ = try await MasterKeyRotation(remote).run() }
        }
        let error = await #expect(throws: (any Error).self) { _ = try await rotation.run() }
        let winner = try await remote.realm.masterKeyReplacement.current().id
        #expect("\(try #require(error))".contains(winner), "\(String(describing: error))")
        for opened in [here, remote] { try await opened.close() }
    }

    @Test func `A key file that cannot be written is the operators to change`() async throws {
        let file = directory.url.appendingPathComponent("keys")
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        let path = file.appendingPathComponent("key").path
        let old = try lines(keyPath)[0]
        let fresh = Data(repeating: 9, count: 32).base64EncodedString()
        try Data("\(fresh)\n\(old)\n".utf8).write(to: URL(fileURLWithPath: path))
        let opened = try await OpenedRealm.open(
            DataDirectory(path: directory.data), masterKey: .file(path), clock: clock)
        let rotation = try MasterKeyRotation(opened)
        // A directory in the way of the retired key stands for a disk that cannot be written.
        let id = try rotation.file.entries()[1].key.id
        try FileManager.default.createDirectory(
            atPath: rotation.file.retiredPath(id), withIntermediateDirectories: true)
        let outcome = try await rotation.run()
        #expect(outcome.wasResumed, "A key that the operator put there is used; none is made.")
        #expect(outcome.keysToRemove == [id])
        #expect(try lines(path) == [fresh, old])
        try await opened.close()
    }

    @Test func `A backup from before opens with the retired key and one from the middle with both`() async throws {
        let opened = try await open()
        let person = try await enrol("ada", in: opened)
        let before = directory.url.appendingPathComponent("before.sqlite").path
        try await opened.backup(to: before, withMasterKey: false)
        let middle = directory.url.appendingPathComponent("middle.sqlite").path
        var rotation = try MasterKeyRotation(opened)
        rotation.afterStep = { step in
            if case .replaced = step { try await opened.backup(to: middle, withMasterKey: true) }
        }
        let outcome = try await rotation.run()
        #expect(outcome.retiredFiles.count == 1)
        try await opened.close()
        #expect(try lines(middle + ".master-key").count == 2)

        let fromBefore = directory.url.appendingPathComponent("from-before").path
        #expect(try await !DataDirectory.restore(before, to: fromBefore).hasMasterKey)
        try FileManager.default.copyItem(atPath: keyPath, toPath: fromBefore + "/master-key")
        await #expect(throws: SealingError.self) { _ = try await open(fromBefore) }
        try FileManager.default.removeItem(atPath: fromBefore + "/master-key")
        try FileManager.default.copyItem(atPath: outcome.retiredFiles[0], toPath: fromBefore + "/master-key")
        let fromMiddle = directory.url.appendingPathComponent("from-middle").path
        #expect(try await DataDirectory.restore(middle, to: fromMiddle).hasMasterKey)
        clock.advance(30)
        for path in [fromBefore, fromMiddle] {
            let restored = try await open(path)
            try await signIn(person, in: restored)
            try await restored.close()
        }
    }

    @Test(arguments: ["", "\n \n", "AAAA", "no key", "\(Data(repeating: 1, count: 32).base64EncodedString())x\n"])
    func `A file that holds something else is refused`(text: String) {
        #expect(throws: DataDirectoryError.self) { try MasterKeyFile.entries(in: Data(text.utf8), from: "file") }
    }

    @Test func `A file holds up to sixteen keys and none twice`() throws {
        func text(_ numbers: some Sequence<UInt8>) -> Data {
            Data(
                numbers.map { Data(repeating: $0, count: 32).base64EncodedString() }.joined(separator: "\r\n\n ").utf8)
        }
        #expect(try MasterKeyFile.entries(in: text(1...16), from: "file").count == 16)
        #expect(throws: DataDirectoryError.self) { try MasterKeyFile.entries(in: text(1...17), from: "file") }
        #expect(try MasterKeyFile.entries(in: text([1, 2, 1]), from: "file").count == 2)
    }

    // MARK: The command

    @Test func `The command tells what it did`() async throws {
        let old = try lines(keyPath)
        try await directory.serving { url, _ in
            let first = try await directory.run("key", "rotate-master")
            #expect(first.status == 0, "\(first.error)")
            let words = first.lines.map { $0.split(separator: " ") }
            let key = String(try #require(words.first)[3])
            #expect(key.count == 8)
            #expect(first.lines[0] == "The master key \(key) seals everything.")
            let retired = String(try #require(words.last)[4].dropLast())
            #expect(
                first.lines[1]
                    == "Retired the master key \(retired): only earlier backups need it. "
                    + "It is in \(keyPath).retired-\(retired); delete that with the last of them.")
            #expect(first.lines.count == 2)
            #expect(first.error.contains("Made the master key \(key)."))
            #expect(first.error.contains("The master key \(key) seals from now on."))
            #expect(!first.error.contains(old[0]) && !first.output.contains(old[0]), "No key is ever shown.")
            #expect(try lines("\(keyPath).retired-\(retired)") == old)

            let second = try await directory.run("key", "rotate-master", "--json").json()
            #expect(second["isComplete"] as? Bool == true)
            #expect(second["wasResumed"] as? Bool == false)
            #expect(second["retired"] as? [String] == [key])
            #expect((second["resealed"] as? Int ?? 0) >= 2, "The signing keys, at least.")
            #expect(second["openCodes"] as? Int == 0)

            let target = try #require(URL(string: "\(url)/health/ready"))
            // It says 503 where its store needs more than two seconds, as on a machine that does much else.
            var status: Int?
            for _ in 0..<100 where status != 200 {
                status = (try await URLSession.shared.data(from: target).1 as? HTTPURLResponse)?.statusCode
            }
            #expect(status == 200, "The server that ran all the while.")
            let log = try await directory.run("audit", "tail", "--json")
            #expect(log.lines.count { $0.contains(#""master-key.replaced""#) } == 2)
            #expect(log.lines.count { $0.contains(#""master-key.retired""#) } == 2)
        }
        try await directory.serving { _, _ in }
    }

    @Test func `The command refuses what it cannot do`() async throws {
        let help = try await Program.run(["key", "rotate-master", "--help"], in: directory)
        #expect(help.status == 0, "\(help)")
        #expect(help.output.contains("--wait <seconds>"))
        #expect(help.output.contains("If the command is interrupted, run it again: it continues"))
        try await directory.run("key", "rotate-master", "--wait", "-1").expect(2)
        let remote = try await Program.run(
            ["key", "rotate-master", "--server", "http://127.0.0.1:1"], in: directory)
        #expect(remote.status == 2, "\(remote)")
        let nowhere = try await Program.run(["key", "rotate-master", "--data", "nowhere"], in: directory)
        #expect(nowhere.status == 3, "\(nowhere)")
    }
}

/// A clock that stands until a test moves it.
private final class SteppingClock: WallClock {
    private let microseconds = Mutex<Int64>(SystemClock().now.microseconds / 30_000_000 * 30_000_000)

    var now: Date { Date(microseconds: microseconds.withLock { $0 }) }

    func advance(_ seconds: Int64) { microseconds.withLock { $0 += seconds * 1_000_000 } }
}

private final class Counter: Sendable {
    private let value = Mutex(0)

    func next() -> Int {
        value.withLock { value in
            value += 1
            return value
        }
    }
}

private final class Last: Sendable {
    private let value = Mutex("")

    var text: String { value.withLock { $0 } }
    func set(_ text: String) { value.withLock { $0 = text } }
}

private final class Flag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
}
