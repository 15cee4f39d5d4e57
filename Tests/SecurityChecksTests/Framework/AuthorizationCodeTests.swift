import CoreTestSupport
import Foundation
import Testing

@testable import CountersignCore
@testable import SecurityChecks

/// Codes of security checks.
@Suite("Authorization codes")
struct AuthorizationCodeTests {
    private struct Codes {
        let stage: CheckStage
        let client: RegisteredClientID
        let grants: CheckGrants

        init() async throws {
            stage = try await CheckStage.make(version: ApplicationVersion(refreshTokens: true), [CheckStage.pin()])
            client = try await stage.client()
            grants = stage.test.realm.grants(by: stage.checks)
            #expect(try await stage.decide(client, "Pin", ["Pin": .pin("1234")]).isGranted)
        }

        func ask() async throws -> CheckGrants.Outcome<String> {
            try await grants.code(for: client, scope: ["Pin"], redirectURI: "http://redirect")
        }

        func code() async throws -> String {
            guard case .granted(let code) = try await ask() else { throw TestFailure() }
            return code
        }

        func redeem(_ code: String) async throws -> Bool {
            if case .granted? = try await grants.redeem(code, by: client, redirectURI: "http://redirect") {
                return true
            }
            return false
        }

        func isKept(_ code: String) async throws -> Bool {
            try await stage.test.store.read {
                try $0.authorizationCode(digest: AuthorizationCodeDraft.digest(of: Secret(code)))
            } != nil
        }
    }

    @Test
    func `A client is given sixty in a minute, and no row with the next`() async throws {
        let codes = try await Codes()
        let now = codes.stage.test.now
        for _ in 0..<60 { _ = try await codes.code() }
        guard case .refused(.limited(let until)) = try await codes.ask() else { throw TestFailure() }
        #expect(until == now + 60)
        let other = try await codes.stage.client(device: "4F1F7A9C-0002-4A58-9E0F-A1B2C3D4E5F6")
        #expect(try await codes.stage.decide(other, "Pin", ["Pin": .pin("1234")]).isGranted)
        guard
            case .granted = try await codes.grants.code(for: other, scope: ["Pin"], redirectURI: "http://redirect")
        else { throw TestFailure() }
        codes.stage.test.clock.advance(59)
        guard case .refused(.limited) = try await codes.ask() else { throw TestFailure() }
        // The success is as old as the window.
        codes.stage.test.clock.advance(1)
        #expect(try await codes.stage.decide(codes.client, "Pin", ["Pin": .pin("1234")]).isGranted)
        _ = try await codes.code()
    }

    @Test
    func `One is no row until it is traded, and that it was is remembered longer than it could be good`() async throws {
        let codes = try await Codes()
        let (traded, lost) = (try await codes.code(), try await codes.code())
        #expect(try await !codes.isKept(traded))
        #expect(try await codes.redeem(traded))
        #expect(try await codes.isKept(traded))
        #expect(try await !codes.isKept(lost))
        #expect(try await !codes.redeem(traded))
        codes.stage.test.clock.advance(59)
        try await codes.stage.test.realm.maintenance.run()
        #expect(try await !codes.redeem(traded))
        codes.stage.test.clock.advance(1)
        #expect(try await !codes.redeem(lost))
        codes.stage.test.clock.advance(600.001)
        try await codes.stage.test.realm.maintenance.run()
        #expect(try await !codes.isKept(traded))
        #expect(try await !codes.redeem(traded))
    }

    @Test
    func `One is good for nothing else than what it was issued for, whatever is changed of it`() async throws {
        let codes = try await Codes()
        let code = try await codes.code()
        let parts = code.split(separator: ".").map(String.init)
        let later = String(try #require(Int64(parts[2])) + 60_000_000)
        let other = Array("RegisteredClient".utf8).base64URL
        for changed in [
            [parts[0], parts[1], later, parts[3], parts[4]], [parts[0], parts[1], parts[2], other, parts[4]],
            ["c2", parts[1], parts[2], parts[3], parts[4]], [parts[0], "AAAA", parts[2], parts[3], parts[4]],
            Array(parts.prefix(4)), parts + ["AAAA"], parts.map { _ in "" },
            // A digest by a key that no server has.
            Array(parts.prefix(4)) + [[UInt8](repeating: 7, count: 36).base64URL],
        ] {
            #expect(try await !codes.redeem(changed.joined(separator: ".")))
        }
        #expect(try await codes.redeem(code))
    }

    @Test
    func `One that an earlier program kept as a row is traded once`() async throws {
        let codes = try await Codes()
        let test = codes.stage.test
        let (now, sealer, client) = (test.now, test.realm.sealer, codes.client)
        let draft = AuthorizationCodeDraft(random: test.random)
        let text = try await test.store.write { transaction in
            let code = AuthorizationCode(
                client: client.rawValue, redirectURI: "http://redirect", scopes: ["Pin"])
            return try draft.issue(code, of: nil, at: now, sealer: sealer, in: transaction)
        }
        let code = try #require(text?.reveal())
        #expect(try await codes.redeem(code))
        #expect(try await !codes.redeem(code))
    }

    @Test
    func `One that an earlier program kept as a flow is traded once, for the rest of its minute`() async throws {
        let codes = try await Codes()
        let test = codes.stage.test
        let (now, sealer) = (test.now, test.realm.sealer)
        let body = JSONValue.object([
            "client": .string(codes.client.rawValue), "scope": .array([.string("Pin")]),
            "redirectURI": .string("http://redirect"),
        ])
        let texts = ["traded", "late"].map { $0 + String(repeating: "c", count: 30) }
        for text in texts {
            let digest = CheckRow.code(text)
            let isKept = try await test.store.write { transaction in
                try transaction.insert(
                    FlowRecord(
                        digest: digest, userID: nil, purpose: "authorization-code", createdAt: now,
                        expiresAt: now + 60,
                        body: sealer.seal(JSONEncoder().encode(body), for: .flow(digest), in: transaction)))
            }
            #expect(isKept)
        }
        let elsewhere = try await codes.grants.redeem(texts[0], by: codes.client, redirectURI: "http://elsewhere")
        if case .some = elsewhere { Issue.record("A code was traded for another address") }
        #expect(try await codes.redeem(texts[0]))
        #expect(try await !codes.redeem(texts[0]))
        test.clock.advance(60)
        #expect(try await !codes.redeem(texts[1]))
    }

    @Test(arguments: TestStore.available)
    func `One that is sent many times at once is traded once`(store: TestStore) async throws {
        let stage = try await CheckStage.make(on: store, [CheckStage.pin()])
        let client = try await stage.client()
        #expect(try await stage.decide(client, "Pin", ["Pin": .pin("1234")]).isGranted)
        let grants = stage.test.realm.grants(by: stage.checks)
        guard case .granted(let code) = try await grants.code(for: client, scope: ["Pin"], redirectURI: "http://r")
        else { throw TestFailure() }
        let traded = try await race(12, meetingBefore: 1) { _ in
            if case .granted? = try await grants.redeem(code, by: client, redirectURI: "http://r") {
                true
            } else {
                false
            }
        }
        #expect(traded.count { $0 } == 1)
    }

    @Test
    func `A client begins a hundred families of refresh tokens a day, and then goes without`() async throws {
        let codes = try await Codes()
        guard case .granted(let grant) = try await codes.grants.grant(to: codes.client, scope: ["Pin"]) else {
            throw TestFailure()
        }
        for _ in 0..<100 { #expect(try await codes.grants.beginRefreshing(grant) != nil) }
        #expect(try await codes.grants.beginRefreshing(grant) == nil)
    }
}
