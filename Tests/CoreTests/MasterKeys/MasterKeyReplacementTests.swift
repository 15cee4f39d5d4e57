import CountersignCore
import Crypto
import Dispatch
import Foundation
import OneTimePassword
import Synchronization
import TestSupport
import Testing

@testable import CountersignCore

/// What tasks of a test share.
private final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) {
        self.value = Mutex(value)
    }

    func withLock<T: Sendable>(_ body: (inout sending Value) -> sending T) -> T { value.withLock(body) }
}

/// Several processes on one store, each with a master key file of its own, played by realms.
private struct Neighbours: Sendable {
    static func key(_ byte: UInt8) throws -> Sealer.MasterKey {
        try Sealer.MasterKey(bytes: Secret(Array(repeating: byte, count: 32)))
    }

    let first: TestRealm
    let old: Sealer.MasterKey
    let new: Sealer.MasterKey

    /// The first realm knows the old key only.
    init(on store: TestStore = .sqlite) async throws {
        first = try await TestRealm.make(on: store)
        old = try Self.key(7)
        new = try Self.key(8)
        try await first.realm.checkMasterKey()
    }

    /// Another process on the same store and at the same time.
    func neighbour(
        _ keys: Sealer.MasterKey..., interval: Duration = .milliseconds(20), source: MasterKeys.Source? = nil
    ) -> TestRealm {
        let random = SeededRandom(seed: UInt64.random(in: 1000...1_000_000))
        let sealer = Sealer(
            keys: MasterKeys(keys[0], Array(keys.dropFirst()), interval: interval, source: source), random: random)
        let realm = Realm(
            store: first.store, clock: first.clock, random: random, sealer: sealer, hasher: first.hasher)
        return TestRealm(realm: realm, clock: first.clock, random: random, hasher: first.hasher)
    }

    /// How factors are sealed.
    func versions() async throws -> Set<UInt8> {
        try await first.store.read { transaction in
            Set(
                try transaction.sealedRows(in: .factor, after: nil, except: nil, limit: 100)
                    .compactMap { $0.sealed?.first })
        }
    }

    /// A record of each kind, as modules above the core keep them of clients.
    func addClientRecords() async throws {
        let (sealer, now) = (first.realm.sealer, first.now)
        try await first.store.write { transaction in
            for kind in ClientRecord.Kind.allCases {
                let digest = Data(SHA256.hash(data: Data(kind.rawValue.utf8)))
                let body = try sealer.seal(Data("kept".utf8), for: .client(kind, digest), in: transaction)
                _ = try transaction.insert(
                    ClientRecord(
                        kind: kind, digest: digest, userID: nil, createdAt: now, expiresAt: now + 60, body: body))
            }
        }
    }

    /// The names of the keys that rows of a place are sealed with.
    func names() async throws -> [SealedPlace: Set<String>] {
        try await first.store.read { transaction in
            var names: [SealedPlace: Set<String>] = [:]
            for place in SealedPlace.allCases {
                names[place] = Set(
                    try transaction.sealedRows(in: place, after: nil, except: nil, limit: 10_000)
                        .compactMap { $0.sealed.flatMap(Sealer.keyName)?.hex })
            }
            return names
        }
    }
}

@Suite("Replacing the master key")
struct MasterKeyReplacementTests {
    @Test(arguments: TestStore.available)
    func `Everything that is sealed is sealed anew, and works with the new key alone`(store: TestStore) async throws {
        let stage = try await Neighbours(on: store)
        let before = stage.first
        try await before.realm.keyring.prepare()
        let enrolled = try await before.addEnrolledUser()
        let handle = try await before.pending().handle
        _ = try await before.mailLink(.resetPassword(TestRealm.email))
        let pushKey = P256.Signing.PrivateKey().pemRepresentation
        _ = try await before.realm.pushProviders.changeAPNs(
            .init(keyID: "K", teamID: "T", bundleID: "com.example.app", privateKey: Secret(pushKey)), replacesAll: true,
            by: before.client)
        try await stage.addClientRecords()
        let refreshed = try await before.realm.sessions.refresh(
            enrolled.signedIn.refreshToken, of: .testClient, by: before.client)
        let present = try #require(refreshed.refreshed).refreshToken
        let issued = AuthorizationCode(
            client: "app", redirectURI: "https://app.example.org", session: enrolled.signedIn.session.id)
        let authorizationCode = try #require(
            await before.realm.authorizationCodes.issue(issued, of: enrolled.user.id))
        let token = try await before.realm.keyring.sign(
            TokenClaims(["sub": .string("ada")]), with: .es256)
        #expect(
            try await stage.names()
                == Dictionary(uniqueKeysWithValues: SealedPlace.allCases.map { ($0, [stage.old.id]) }))

        let worker = stage.neighbour(stage.new, stage.old)
        let replacement = worker.realm.masterKeyReplacement
        #expect(try await replacement.current().id == stage.old.id, "The store decides, not the order of the keys.")
        #expect(try await replacement.resealAll() == 0)
        #expect(try await replacement.replace(stage.old, with: stage.new, by: worker.client))
        #expect(try await !replacement.replace(stage.old, with: stage.new, by: worker.client))
        #expect(try await replacement.uses().sealed > 0)
        #expect(try await replacement.resealAll() > 0)
        #expect(try await replacement.resealAll() == 0, "Done once, there is nothing to do.")
        #expect(try await replacement.uses() == MasterKeyReplacement.Uses())
        #expect(
            try await stage.names()
                == Dictionary(uniqueKeysWithValues: SealedPlace.allCases.map { ($0, [stage.new.id]) }))

        let after = stage.neighbour(stage.new)
        try await after.realm.checkMasterKey()
        let code = enrolled.totp.code(at: after.now).stringCode
        #expect(try await after.answer(code, of: enrolled.factor.id, for: handle).signedIn != nil)
        // Of the new factor, and with the link.
        #expect(try await after.mails().count == 2)
        #expect(try await after.realm.pushProviders.apnsCredentials()?.privateKey.reveal() == pushKey)
        #expect(try await after.realm.sessions.refresh(present, of: .testClient, by: after.client).refreshed != nil)
        let redemption = try await after.realm.authorizationCodes.redeem(
            authorizationCode, presented: .init(client: issued.client, redirectURI: issued.redirectURI),
            by: after.client)
        #expect(redemption.granted != nil)
        #expect(try await after.realm.keyring.verified(token) != nil)
        #expect(try await after.events(.masterKeyReplaced).count == 1)

        let stranger = stage.neighbour(stage.old)
        let error = await #expect(throws: SealingError.self) { try await stranger.realm.checkMasterKey() }
        #expect(error?.missingKey == stage.new.id)
    }

    @Test
    func `Values of the first version work beside those of this one, and a replacement leaves none of them`()
        async throws
    {
        let stage = try await Neighbours()
        let before = stage.first
        _ = try await before.addEnrolledUser()
        let (sealer, old) = (before.realm.sealer, stage.old)
        // As a version with one key for all places wrote them.
        try await before.store.write { transaction in
            for row in try transaction.sealedRows(in: .factor, after: nil, except: nil, limit: 100) {
                let sealed = try #require(row.sealed)
                let box = try AES.GCM.seal(
                    sealer.open(sealed, for: row.address), using: old.formerSealing,
                    authenticating: Data(row.address.context.utf8))
                var former = Data([1])
                for part in [Data(old.name), Data(box.nonce), box.ciphertext, box.tag] { former += part }
                #expect(try transaction.replaceSealed(sealed, at: row.address, with: former))
            }
        }
        #expect(try await stage.versions() == [1])
        #expect(try await before.signIn().continuation != nil)

        let worker = stage.neighbour(stage.new, stage.old)
        let replacement = worker.realm.masterKeyReplacement
        #expect(try await replacement.replace(stage.old, with: stage.new, by: worker.client))
        #expect(try await replacement.resealAll() > 0)
        #expect(try await replacement.uses().sealed == 0)
        #expect(try await stage.versions() == [2])
        #expect(try await stage.neighbour(stage.new).signIn().continuation != nil)
    }

    @Test
    func `A process that knew the old key seals with the new one from the first transaction on`() async throws {
        let stage = try await Neighbours()
        let server = stage.neighbour(stage.old, stage.new)
        try await server.realm.checkMasterKey()
        #expect(server.realm.sealer.keys.current.id == stage.old.id)
        let worker = stage.neighbour(stage.new, stage.old)
        #expect(try await worker.realm.masterKeyReplacement.replace(stage.old, with: stage.new, by: worker.client))
        #expect(server.realm.sealer.keys.current.id == stage.old.id, "It was not notified.")
        try await server.addUser()
        #expect(try await stage.names()[.factor] == [stage.new.id])
    }

    @Test
    func `A process that meets a key it does not know rereads its keys and continues; no request is refused meanwhile`()
        async throws
    {
        let stage = try await Neighbours()
        let readings = Shared(0)
        let file = Shared([stage.old])
        let server = stage.neighbour(stage.old) {
            readings.withLock { $0 += 1 }
            return file.withLock { $0 }
        }
        try await server.realm.checkMasterKey()
        let enrolled = try await server.addEnrolledUser()
        #expect(readings.withLock { $0 } == 0)

        let worker = stage.neighbour(stage.new, stage.old)
        file.withLock { $0 = [stage.new, stage.old] }
        #expect(try await worker.realm.masterKeyReplacement.replace(stage.old, with: stage.new, by: worker.client))
        _ = try await worker.realm.masterKeyReplacement.resealAll()
        let answers = try await withThrowingTaskGroup(of: Bool.self) { tasks in
            for _ in 0..<8 { tasks.addTask { try await server.signIn().continuation != nil } }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == Array(repeating: true, count: 8))
        let count = readings.withLock { $0 }
        #expect((1...3).contains(count), "Eight who need the same key share a reading or two: \(count)")

        // The file loses the old key; what was read before, and opens with it, still opens.
        file.withLock { $0 = [stage.new] }
        #expect(server.realm.sealer.keys.learn([stage.new]).isEmpty)
        #expect(server.realm.sealer.keys.all.map(\.id) == [stage.new.id, stage.old.id])
        let code = enrolled.totp.code(at: server.now).stringCode
        #expect(try await server.answer(code, of: enrolled.factor.id, for: server.pending().handle).signedIn != nil)
    }

    @Test
    func `A key that is nowhere is looked for no more often than once in the interval, and the failure names it`()
        async throws
    {
        let stage = try await Neighbours()
        try await stage.first.addUser()
        let worker = stage.neighbour(stage.new, stage.old)
        #expect(try await worker.realm.masterKeyReplacement.replace(stage.old, with: stage.new, by: worker.client))
        _ = try await worker.realm.masterKeyReplacement.resealAll()
        let readings = Shared(0)
        let server = stage.neighbour(stage.old, interval: .milliseconds(100)) {
            readings.withLock { $0 += 1 }
            return [stage.old]
        }
        let start = ContinuousClock.now
        await withTaskGroup(of: String?.self) { tasks in
            for _ in 0..<8 {
                tasks.addTask {
                    do { _ = try await server.signIn() } catch let error as SealingError {
                        return error.missingKey
                    } catch {}
                    return nil
                }
            }
            for await missing in tasks { #expect(missing == stage.new.id) }
        }
        let most = Int((ContinuousClock.now - start) / .milliseconds(100)) + 1
        #expect(readings.withLock { $0 } <= most)
    }

    @Test(
        arguments: TestStore.available)
    func `Servers sign people in with TOTP without a failure while the key is replaced twice`(store: TestStore)
        async throws
    {
        let stage = try await Neighbours(on: store)
        let third = try Neighbours.key(9)
        let file = Shared([stage.old])
        let servers = (0..<2).map { _ in stage.neighbour(stage.old) { file.withLock { $0 } } }
        var people: [EnrolledUser] = []
        for number in 0..<8 {
            people.append(try await stage.first.addEnrolledUser(EmailAddress(kept: "user\(number)@example.org")))
        }
        let codesFrom = stage.first.now
        let ends = Shared(false)
        let count = try await withThrowingTaskGroup(of: Int.self) { tasks in
            for (number, person) in people.enumerated() {
                let server = servers[number % 2]
                tasks.addTask {
                    let email = try #require(person.user.email)
                    let pending = try await server.pending(email)
                    let verdict = try await server.answer(
                        person.totp.code(at: codesFrom).stringCode, of: person.factor.id, for: pending.handle)
                    var token = try #require(verdict.signedIn, "\(verdict)").refreshToken
                    var rounds = 0
                    repeat {
                        let refreshed = try await server.realm.sessions.refresh(
                            token, of: .testClient, by: server.client)
                        token = try #require(refreshed.refreshed, "\(refreshed)").refreshToken
                        _ = try await server.pending(email)
                        rounds += 1
                    } while !ends.withLock({ $0 }) && rounds < 2000
                    return 1
                }
            }
            tasks.addTask {
                for (old, new) in [(stage.old, stage.new), (stage.new, third)] {
                    file.withLock { $0.insert(new, at: 0) }
                    let worker = stage.neighbour(new, old)
                    let replacement = worker.realm.masterKeyReplacement
                    #expect(try await replacement.replace(old, with: new, by: worker.client))
                    repeat { try await replacement.resealAll() } while try await replacement.uses().sealed > 0
                    file.withLock { $0 = [new] }
                }
                ends.withLock { $0 = true }
                return 0
            }
            return try await tasks.reduce(0, +)
        }
        #expect(count == people.count)
        for (place, names) in try await stage.names() {
            #expect(names.isSubset(of: [third.id]), "\(place) is sealed with \(names)")
        }
        let last = stage.neighbour(third)
        last.clock.advance(60)
        for person in people {
            let pending = try await last.pending(try #require(person.user.email))
            let code = person.totp.code(at: last.now).stringCode
            #expect(try await last.answer(code, of: person.factor.id, for: pending.handle).signedIn != nil)
        }
    }

    @Test(
        .enabled(if: PostgresCluster.isWanted, Comment(rawValue: PostgresCluster.hint)))
    func
        `What was sealed with the old key before the replacement, and would be committed after everything was looked at, is run again`()
        async throws
    {
        let stage = try await Neighbours(on: .postgres)
        let server = stage.neighbour(stage.old, stage.new)
        let user = try await server.addUser()
        let (sealer, now) = (server.realm.sealer, server.now)
        let (runs, gate) = (Shared(0), DispatchSemaphore(value: 0))
        let (entered, enter) = AsyncStream<Void>.makeStream()
        let late = Task {
            try await server.store.write { transaction in
                let id = FactorID(rawValue: "late")
                _ = try transaction.insert(
                    FactorRecord(
                        id: id, userID: user.id, kind: .totp, name: "", createdAt: now,
                        payload: sealer.seal(Data("{}".utf8), for: .factor(id), in: transaction)))
                let isFirst = runs.withLock { count in
                    count += 1
                    return count == 1
                }
                // The thread is the connection's own.
                if isFirst {
                    enter.finish()
                    gate.wait()
                }
            }
        }
        for await _ in entered {}
        let worker = stage.neighbour(stage.new, stage.old)
        let replacement = worker.realm.masterKeyReplacement
        #expect(try await replacement.replace(stage.old, with: stage.new, by: worker.client))
        try await replacement.resealAll()
        #expect(try await replacement.uses().isNone, "It is not there yet.")
        gate.signal()
        try await late.value
        #expect(runs.withLock { $0 } > 1)
        #expect(try await stage.names()[.factor] == [stage.new.id])
    }

    @Test(
        .enabled(if: PostgresCluster.isWanted, Comment(rawValue: PostgresCluster.hint)))
    func `A replacement waits for what keeps to its rows and has sealed with the old key, and then finds it`()
        async throws
    {
        let stage = try await Neighbours(on: .postgres)
        let server = stage.neighbour(stage.old, stage.new)
        try await server.realm.checkMasterKey()
        let (sealer, now) = (server.realm.sealer, server.now)
        let gate = DispatchSemaphore(value: 0)
        let (entered, enter) = AsyncStream<Void>.makeStream()
        let handle = FlowHandle(random: server.realm.random)
        let late = Task {
            try await server.store.write(.rows) { transaction in
                let body = FlowBody(purpose: .signIn, client: server.client, challenge: .secondFactor)
                _ = try transaction.insert(
                    FlowRecord(
                        digest: handle.digest, userID: nil, purpose: FlowPurpose.signIn.rawValue, createdAt: now,
                        expiresAt: now + 600, body: body.sealed(by: sealer, digest: handle.digest, in: transaction)))
                // The thread is the connection's own.
                enter.finish()
                gate.wait()
            }
        }
        for await _ in entered {}
        let worker = stage.neighbour(stage.new, stage.old)
        let replacement = worker.realm.masterKeyReplacement
        let isReplaced = Shared(false)
        let replacing = Task {
            let result = try await replacement.replace(stage.old, with: stage.new, by: worker.client)
            isReplaced.withLock { $0 = true }
            return result
        }
        try await Task.sleep(for: .milliseconds(300))
        #expect(!isReplaced.withLock { $0 })
        gate.signal()
        try await late.value
        #expect(try await replacing.value)
        #expect(try await replacement.uses().sealed > 0)
        try await replacement.resealAll()
        #expect(try await replacement.uses().isNone)
        #expect(try await worker.store.read { try $0.flow(digest: handle.digest) } != nil)
    }

    @Test
    func `A mailed code that is open keeps the old key in use until it expires, and is right meanwhile`() async throws {
        let stage = try await Neighbours()
        let before = stage.first
        try await before.addUser()
        let mailed = try await before.mailCode()
        let worker = stage.neighbour(stage.new, stage.old)
        let replacement = worker.realm.masterKeyReplacement
        #expect(try await replacement.replace(stage.old, with: stage.new, by: worker.client))
        try await replacement.resealAll()
        let uses = try await replacement.uses()
        #expect(uses.sealed == 0)
        #expect(uses.codes == 1)
        #expect(uses.codesExpireAt == before.now + FlowLifetime.mailedCode)
        #expect(try await worker.answer("00000000", mailedFor: mailed.handle).reason == .wrongAnswer)
        #expect(try await worker.answer(mailed.code, mailedFor: mailed.handle).signedIn != nil)
        _ = try await worker.mailCode()
        #expect(try await replacement.uses().codes == 1, "One of the new key does not count.")
        worker.clock.advance(FlowLifetime.mailedCode)
        #expect(try await replacement.uses().isNone)
    }

    @Test
    func `What was moved to another place or altered is neither opened nor sealed anew, and does not stop the rest`()
        async throws
    {
        let stage = try await Neighbours()
        let enrolled = try await stage.first.addEnrolledUser()
        let other = try await stage.first.addEnrolledUser(TestRealm.otherEmail)
        try await stage.first.store.write { transaction in
            guard var factor = try transaction.factor(enrolled.factor.id) else { return }
            factor.payload = other.factor.payload
            _ = try transaction.update(factor)
        }
        let worker = stage.neighbour(stage.new, stage.old)
        let replacement = worker.realm.masterKeyReplacement
        #expect(try await replacement.replace(stage.old, with: stage.new, by: worker.client))
        try await replacement.resealAll()
        let uses = try await replacement.uses()
        #expect(uses.isNone)
        #expect(uses.unreadable == [.factor(enrolled.factor.id)])
        let moved = try await stage.first.store.read { try $0.factor(enrolled.factor.id)?.payload }
        #expect(moved == other.factor.payload)
        worker.clock.advance(30)
        let code = other.totp.code(at: worker.now).stringCode
        let pending = try await worker.pending(TestRealm.otherEmail)
        #expect(try await worker.answer(code, of: other.factor.id, for: pending.handle).signedIn != nil)
    }

    @Test
    func `A transaction that saw what was before a replacement does not lead a process back`() async throws {
        let stage = try await Neighbours()
        let server = stage.neighbour(stage.old, stage.new)
        let keys = server.realm.sealer.keys
        let former = try #require(await stage.first.store.read { try $0.document(MasterKeys.checkDocument) })
        #expect(
            try await server.realm.masterKeyReplacement.replace(stage.old, with: stage.new, by: server.client))
        #expect(try await server.realm.masterKeyReplacement.current().id == stage.new.id)
        try await stage.first.store.write { try $0.putDocument(MasterKeys.checkDocument, former) }
        #expect(try await server.store.read { try keys.current(in: $0).id } == stage.new.id)
    }
}
