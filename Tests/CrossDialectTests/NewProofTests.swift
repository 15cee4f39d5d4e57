import CountersignCore
import Crypto
import DialectTestSupport
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import SecurityChecks
import Testing

/// A means of proof that the product does not know: a key that answers a nonce. Its user is found by what the response names,
/// so that no user is named before it. This one type, and the line that adds it to the registry, is all that it takes.
///
/// It signs in through two protocols of the product: Guardian's token endpoint, and a security check of the vendor's challenge handlers.
/// Identity Toolkit and native authentication cannot carry it: their messages have a member for each means that they know, and no other.
private struct EchoKey: ProofMethod {
    struct Payload: Codable, StoredJSON, Sendable {
        var key: Data
        /// Answers that counted: an earlier payload shape has none.
        var uses: Int?
    }

    struct Challenge: Codable, StoredJSON, Sendable {
        var nonce: Data
    }

    struct Response: Decodable, Sendable {
        var credential: String
        var answer: Data
        var userVerified: Bool
    }

    let kind = FactorKind(rawValue: "echo-key")
    let traits: ProofTraits = {
        var traits = ProofTraits(role: .first, assurance: .possession)
        traits.opensSignIn = true
        traits.namesUser = true
        traits.limitPerUser = 3
        traits.amr = ["swk"]
        return traits
    }()

    func challenge(_ request: ProofChallengeRequest<Payload>) -> Challenge? { Challenge(nonce: Data(request.nonce)) }

    func shown(_ challenge: Challenge) -> JSONValue {
        .object(["nonce": .string(challenge.nonce.base64EncodedString())])
    }

    func locate(_ response: Response, _ challenge: Challenge?, in lookup: ProofLookup) throws -> ProofLocation {
        guard let factor = try lookup.factor(FactorID(rawValue: response.credential)), factor.kind == kind else {
            return .refused(Refusal(.wrongAnswer))
        }
        return .found(LocatedProof(user: try lookup.user(factor.userID), factor: factor))
    }

    func judge(
        _ response: Response, against material: ProofMaterial<Payload, Challenge>, by permit: JudgingPermit
    ) async throws -> Judgement<Payload> {
        guard var kept = material.payload, let challenge = material.challenge,
            HMAC<SHA256>.isValidAuthenticationCode(
                response.answer, authenticating: challenge.nonce, using: SymmetricKey(data: kept.key))
        else { return .wrong(.wrongAnswer) }
        kept.uses = (kept.uses ?? 0) + 1
        var result = ProofResult()
        // Whether the key has made sure of its user, each answer says.
        if response.userVerified { result.assurance = [.possession, .userVerified] }
        return .right(RightAnswer(newPayload: kept, result))
    }
}

/// How the key comes to its user: the client makes it, names it, and shows that it has it.
extension EchoKey: ResponseEnrolledProof {
    struct Creation: Codable, Sendable {
        var nonce: Data
        /// How many keys the user has: a client need not make more.
        var present: Int
    }

    struct Registration: Decodable, Sendable {
        var credential: String
        var key: Data
        var answer: Data
    }

    func creation(_ request: CreationRequest<Payload>) throws -> Creation? {
        Creation(nonce: Data(request.nonce), present: request.present.count)
    }

    func shown(creation: Creation) -> JSONValue {
        .object([
            "nonce": .string(creation.nonce.base64EncodedString()), "present": .integer(Int64(creation.present)),
        ])
    }

    func register(
        _ registration: Registration, to creation: Creation, by permit: JudgingPermit
    ) async throws -> Judgement<Payload> {
        guard (1...64).contains(registration.credential.utf8.count),
            HMAC<SHA256>.isValidAuthenticationCode(
                registration.answer, authenticating: creation.nonce, using: SymmetricKey(data: registration.key))
        else { return .wrong(.wrongAnswer) }
        var result = ProofResult()
        result.factorID = FactorID(rawValue: registration.credential)
        return .right(RightAnswer(newPayload: Payload(key: registration.key), result))
    }
}

@Suite("A means of proof in one file")
struct NewProofTests {
    private static let proofs = ProofRegistry.standard.adding(EchoKey())
    private static let key = Data(repeating: 7, count: 32)

    private func with(_ body: @Sendable (TestServer, User, FactorID) async throws -> Void) async throws {
        try await TestServer.with(.development, proofs: Self.proofs) { server in
            let ada = try await server.account()
            let id = try await addKey(to: ada, server)
            try await body(server, ada, id)
        }
    }

    private func addKey(to user: User, _ server: TestServer) async throws -> FactorID {
        let id = FactorID(rawValue: "echo-1")
        let (now, sealer) = (server.now, server.realm.sealer)
        let payload = try JSONEncoder().encode(EchoKey.Payload(key: Self.key))
        try await server.realm.store.write { transaction in
            _ = try transaction.insert(
                FactorRecord(
                    id: id, userID: user.id, kind: FactorKind(rawValue: "echo-key"), name: "Key", createdAt: now,
                    payload: sealer.seal(payload, for: .factor(id), in: transaction)))
        }
        return id
    }

    private func response(
        to nonce: String, verified: Bool = true, key: Data = key, credential: String = "echo-1"
    ) throws -> JSON {
        let nonce = try #require(Data(base64Encoded: nonce))
        let answer = Data(HMAC<SHA256>.authenticationCode(for: nonce, using: SymmetricKey(data: key)))
        return [
            "credential": .string(credential), "answer": .string(answer.base64EncodedString()),
            "userVerified": .bool(verified),
        ]
    }

    // MARK: Guardian

    private func guardian(_ path: String, _ body: JSON, _ server: TestServer) async throws -> Reply {
        try await server.send(
            .post, path, headers: [.contentType: "application/json"],
            body: body.with(["client_id": "dev-app"]).bytes)
    }

    private func signIn(
        _ server: TestServer, verified: Bool = true, key: Data = key, credential: String = "echo-1"
    ) async throws -> (first: Reply, again: Reply) {
        let begun = try await guardian("/mfa/challenge", ["challenge_type": "echo-key"], server)
        #expect(begun.status == 200, "\(begun.text)")
        let nonce = try #require(begun.json["challenge"]["nonce"].text)
        let request: JSON = [
            "grant_type": "urn:countersign:params:oauth:grant-type:proof", "scope": "openid",
            "proof_kind": "echo-key", "proof_token": begun.json["proof_token"],
            "response": try response(to: nonce, verified: verified, key: key, credential: credential),
        ]
        return (
            try await guardian("/oauth/token", request, server), try await guardian("/oauth/token", request, server)
        )
    }

    @Test
    func `It signs in by Guardian's token endpoint, once, with no user named before the response`() async throws {
        try await with { server, ada, id in
            let (first, again) = try await signIn(server)
            #expect(first.status == 200 && first.json["access_token"].text != nil, "\(first.text)")
            #expect(again.status != 200, "\(again.text)")
            let session = try #require(
                await server.realm.store.read { try $0.sessions(of: ada.id, limit: 10) }.last)
            #expect(session.proofs.map(\.kind.rawValue) == ["echo-key"])
            #expect(session.proofs[0].factorID == id)
            let kept = try #require(await server.realm.store.read { try $0.factor(id) })
            #expect(kept.lastUsedAt == server.now)
        }
    }

    @Test
    func `A wrong response counts against its factor, which locks out as any other`() async throws {
        try await with { server, _, _ in
            let wrong = Data(repeating: 8, count: 32)
            for _ in 0..<3 {
                // Each is sent twice: the second counts, too.
                let (first, again) = try await signIn(server, key: wrong)
                #expect(first.status != 200 && again.status != 200)
            }
            let (locked, _) = try await signIn(server)
            #expect(locked.status != 200, "\(locked.text)")
            let events = try await server.realm.auditLog.events(limit: 100).filter { $0.kind == .answerRefused }
            #expect(events.contains { $0.reason == "lockedOut" && $0.details["kind"] == .string("echo-key") })
        }
    }

    @Test
    func `One that has verified its user is two factors; one that has not is asked for the second`() async throws {
        try await with { server, ada, _ in
            _ = try await server.authenticator(of: ada)
            let (verified, _) = try await signIn(server)
            #expect(verified.status == 200, "\(verified.text)")
            let token = try #require(verified.json["access_token"].text)
            let payload = try #require(CompactJWS(token)?.payloadBytes)
            #expect(try JSON(parsing: payload)["amr"] == ["pop", "mfa"])
            let (unverified, _) = try await signIn(server, verified: false)
            #expect(unverified.json["error"].text == "mfa_required", "\(unverified.text)")
        }
    }

    // MARK: Security checks

    @Test
    func `It is a login of security checks, by what the challenge shows, and each challenge takes one right response`()
        async throws
    {
        let checks: @Sendable (Realm) -> [SecurityCheckDefinition] = { realm in
            [
                SecurityCheckDefinition(
                    "Key",
                    ProofLoginSecurityCheck(
                        realm: realm, by: Self.kind,
                        limits: AttemptLimits(maxAttempts: 2, successStateExpiration: 60, blockedStateExpiration: 60)))
            ]
        }
        try await TestServer.with(.development, proofs: Self.proofs, checks: checks) { server in
            let ada = try await server.account()
            let id = try await addKey(to: ada, server)
            try await server.setVersions([ApplicationVersion()])
            let client = try await MobileClient.registered(on: server)
            func ask(_ answer: JSON? = nil) async throws -> Reply {
                try await client.preauthorize("Key", answer.map { ["Key": $0] })
            }
            let asked = try await ask()
            #expect(asked.status == 401, "\(asked.text)")
            let nonce = try #require(asked.json["challenges"]["Key"]["challenge"]["nonce"].text, "\(asked.text)")
            // The same challenge for as long as it is open, and a wrong response is counted here and against the key.
            let wrong = try await ask(response(to: nonce, key: Data(repeating: 8, count: 32)))
            #expect(wrong.status == 401 && wrong.json["challenges"]["Key"]["remainingAttempts"] == 1, "\(wrong.text)")
            #expect(wrong.json["challenges"]["Key"]["challenge"]["nonce"].text == nonce)
            let right = try response(to: nonce)
            let granted = expectGranted(try await ask(right))
            #expect(granted["Key"]["user"]["id"] == .string(ada.id.rawValue))
            #expect(try await client.token("Key").reply["access_token"].text != nil)
            let kept = try #require(await server.realm.store.read { try $0.factor(id) })
            #expect(kept.lastUsedAt == server.now)
            // What was proven is the check's: no session goes on.
            let sessions = try await server.realm.store.read { try $0.sessions(of: ada.id, limit: 10) }
            #expect(sessions.allSatisfy { $0.revokedAt != nil })
            // Another installation gets another challenge, and the answer to the first is wrong for it.
            let other = try await MobileClient.registered(
                on: server, device: "0E6E3B0B-0001-4A58-9E0F-A1B2C3D4E5F6")
            let elsewhere = try await other.preauthorize("Key")
            #expect(elsewhere.json["challenges"]["Key"]["challenge"]["nonce"].text != nonce)
            #expect(try await other.preauthorize("Key", ["Key": right]).status == 401)
        }
    }

    // MARK: A dialect of the test's own

    /// The least that a protocol has to be: it takes the message apart, asks the core, and puts the verdict into words.
    private func router(_ realm: Realm) -> Router<BasicRequestContext> {
        let client = Self.client
        let router = Router()
        router.post("begin") { _, _ -> String in
            guard
                case .begun(let begun) = try await realm.authenticator.begin(
                    FactorKind(rawValue: "echo-key"), by: client)
            else { throw HTTPError(.badRequest) }
            let nonce = begun.challenge["nonce"]?.stringValue ?? ""
            return "\(begun.handle.token.reveal()) \(nonce)"
        }
        router.post("finish/{handle}") { request, context -> String in
            let handle = FlowHandle(try context.parameters.require("handle"))
            let body = try await request.body.collect(upTo: 10_000)
            let response = try JSONDecoder().decode(JSONValue.self, from: Data(body.readableBytesView))
            let kind = FactorKind(rawValue: "echo-key")
            let verdict = try await realm.authenticator.answer(
                .proof(of: kind, response: response),
                to: .flow(
                    handle,
                    FlowExpectation([.signIn], at: [.proof(kind)], of: [.dialect(Dialect(rawValue: "echo"))])),
                by: client)
            guard case .accomplished(.signedIn(let signedIn)) = verdict else { throw HTTPError(.forbidden) }
            return signedIn.user.id.rawValue
        }
        return router
    }

    @Test
    func `It signs in by another protocol, and neither takes the other's handle`() async throws {
        try await with { server, ada, _ in
            let application = Application(router: router(server.realm))
            try await application.test(.router) { client in
                let begun = try await client.execute(uri: "/begin", method: .post) { String(buffer: $0.body) }
                let parts = begun.split(separator: " ").map(String.init)
                let answer = try response(to: parts[1])
                func finish(_ handle: String) async throws -> (HTTPResponse.Status, String) {
                    try await client.execute(
                        uri: "/finish/\(handle)", method: .post, body: ByteBuffer(bytes: answer.bytes)
                    ) { ($0.status, String(buffer: $0.body)) }
                }
                let foreign = try await guardian("/mfa/challenge", ["challenge_type": "echo-key"], server)
                #expect(try await finish(#require(foreign.json["proof_token"].text)).0 == .forbidden)
                let elsewhere = try await guardian(
                    "/oauth/token",
                    [
                        "grant_type": "urn:countersign:params:oauth:grant-type:proof", "proof_kind": "echo-key",
                        "proof_token": .string(parts[0]), "response": answer,
                    ], server)
                #expect(elsewhere.status != 200, "\(elsewhere.text)")
                let (status, user) = try await finish(parts[0])
                #expect(status == .ok && user == ada.id.rawValue)
                #expect(try await finish(parts[0]).0 == .forbidden)
            }
        }
    }

    // MARK: Enrolling it

    private static let owner = HandleOwner.dialect(Dialect(rawValue: "echo"))
    private static let client = ClientContext(
        clientID: ClientID(rawValue: "dev-app"), dialect: Dialect(rawValue: "echo"), limitedSource: nil, source: nil)
    private static let kind = FactorKind(rawValue: "echo-key")

    private func session(of email: String, _ server: TestServer) async throws -> OwnSession {
        let verdict = try await server.realm.authenticator.answer(
            .password(Secret(NativeClient.password)),
            to: .opening(FlowOpening(subject: .email(try #require(EmailAddress(email))), terms: GrantTerms())),
            by: Self.client)
        guard case .accomplished(.signedIn(let signedIn)) = verdict else { throw Unexpected(what: "\(verdict)") }
        return OwnSession(
            userID: signedIn.user.id, evidence: signedIn.evidence, epoch: signedIn.user.tokenEpoch)
    }

    private func begin(
        of session: OwnSession, _ server: TestServer
    ) async throws -> (handle: FlowHandle, nonce: Data, present: JSONValue?) {
        let outcome = try await server.realm.enrolments.begin(Self.kind, of: session, by: Self.client)
        guard case .offered(let offer) = outcome, let nonce = offer.challenge["nonce"]?.stringValue else {
            throw Unexpected(what: "\(outcome)")
        }
        return (
            offer.handle, try #require(Data(base64Encoded: nonce)), offer.challenge["present"]
        )
    }

    private func register(
        _ credential: String, key: Data, to nonce: Data, _ handle: FlowHandle, _ server: TestServer
    ) async throws -> Verdict {
        let answer = Data(HMAC<SHA256>.authenticationCode(for: nonce, using: SymmetricKey(data: key)))
        return try await server.realm.authenticator.answer(
            .registration(
                of: Self.kind,
                response: .object([
                    "credential": .string(credential), "key": .string(key.base64EncodedString()),
                    "answer": .string(answer.base64EncodedString()),
                ]), name: "Ada's key"),
            to: .flow(handle, FlowExpectation([.enrolFactor], at: [.factorEnrolment], of: [Self.owner])),
            by: Self.client)
    }

    @Test
    func `It is enrolled by a challenge and a response, and signs in with what the response brought`() async throws {
        try await TestServer.with(.development, proofs: Self.proofs) { server in
            let ada = try await server.account()
            let begun = try await begin(of: session(of: NativeClient.email, server), server)
            #expect(begun.present == .integer(0))
            let key = Data(repeating: 5, count: 32)
            let verdict = try await register("ada-1", key: key, to: begun.nonce, begun.handle, server)
            guard case .accomplished(.enrolled(let factor, let signedIn)) = verdict else {
                throw Unexpected(what: "\(verdict)")
            }
            #expect(factor.id.rawValue == "ada-1" && factor.name == "Ada's key" && factor.userID == ada.id)
            #expect(signedIn.evidence.proofs.map(\.kind.rawValue) == ["password", "echo-key"])
            let (first, again) = try await signIn(server, key: key, credential: "ada-1")
            #expect(first.status == 200 && again.status != 200, "\(first.text)")
            // The next one is told of it, and the log and the owner's mailbox know.
            #expect(try await begin(of: session(of: NativeClient.email, server), server).present == .integer(1))
            let events = try await server.realm.auditLog.events(limit: 100)
            #expect(events.contains { $0.kind == .factorEnrolled && $0.details["factor"] == "ada-1" })
        }
    }

    @Test
    func `An enrolment takes one response, and none that answers another's challenge`() async throws {
        try await TestServer.with(.development, proofs: Self.proofs) { server in
            _ = try await server.account()
            let session = try await session(of: NativeClient.email, server)
            let (one, other) = (try await begin(of: session, server), try await begin(of: session, server))
            let wrong = try await register("ada-1", key: Self.key, to: other.nonce, one.handle, server)
            let late = try await register("ada-1", key: Self.key, to: one.nonce, one.handle, server)
            for (verdict, reason) in [(wrong, Refusal.Reason.wrongAnswer), (late, .flowExhausted)] {
                guard case .refused(let refusal) = verdict else { throw Unexpected(what: "\(verdict)") }
                #expect(refusal.reason == reason)
            }
            let code = try await server.realm.authenticator.answer(
                .enrolmentCode(Secret("123456"), name: ""),
                to: .flow(other.handle, FlowExpectation([.enrolFactor], at: [.factorEnrolment], of: [Self.owner])),
                by: Self.client)
            guard case .refused(let refusal) = code else { throw Unexpected(what: "\(code)") }
            #expect(refusal.reason == .unknownFlow)
            guard
                case .accomplished(.enrolled) = try await register(
                    "ada-1", key: Self.key, to: other.nonce, other.handle, server)
            else { throw Unexpected(what: "not enrolled") }
        }
    }

    @Test
    func `Of twenty requests to enrol one credential at once one succeeds`() async throws {
        try await TestServer.with(.development, proofs: Self.proofs) { server in
            _ = try await server.account()
            _ = try await server.account("bob@example.org")
            let sessions = [
                try await session(of: NativeClient.email, server), try await session(of: "bob@example.org", server),
            ]
            var begun: [(handle: FlowHandle, nonce: Data, present: JSONValue?)] = []
            for number in 0..<20 { begun.append(try await begin(of: sessions[number % 2], server)) }
            let sent = begun
            let verdicts = try await withThrowingTaskGroup(of: Verdict.self) { group in
                for one in sent {
                    group.addTask {
                        try await register("stolen", key: Self.key, to: one.nonce, one.handle, server)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let enrolled = verdicts.count { if case .accomplished(.enrolled) = $0 { true } else { false } }
            #expect(enrolled == 1)
        }
    }

    @Test
    func `A user who has a second factor enrols nothing by a password alone, nor by an old sign-in`() async throws {
        try await TestServer.with(.development, proofs: Self.proofs) { server in
            let ada = try await server.account()
            let session = try await session(of: NativeClient.email, server)
            _ = try await server.authenticator(of: ada)
            func refusal(_ session: OwnSession) async throws -> Enrolments.EnrolmentRefusal? {
                let outcome = try await server.realm.enrolments.begin(Self.kind, of: session, by: Self.client)
                if case .refused(let refusal) = outcome { return refusal }
                return nil
            }
            #expect(try await refusal(session) == .signInTooOld)
            var evidence = session.evidence
            evidence.proofs.append(Proof(kind: .totp, at: server.now, isSecondFactor: true))
            let strong = OwnSession(userID: ada.id, evidence: evidence, epoch: session.epoch)
            #expect(try await refusal(strong) == nil)
            #expect(
                try await refusal(OwnSession(userID: ada.id, evidence: evidence, epoch: session.epoch + 1)) == .revoked)
            try await server.advance(301)
            #expect(try await refusal(strong) == .signInTooOld)
            // A factor whose secret the server makes is not begun so.
            let outcome = try await server.realm.enrolments.begin(.totp, of: strong, by: Self.client)
            guard case .refused(.notOffered) = outcome else { throw Unexpected(what: "\(outcome)") }
        }
    }

    @Test
    func `A server that does not know it begins nothing with it, and judges nothing by it`() async throws {
        try await TestServer.with(.development) { server in
            let ada = try await server.account()
            let id = try await addKey(to: ada, server)
            let begun = try await guardian("/mfa/challenge", ["challenge_type": "echo-key"], server)
            #expect(begun.status != 200, "\(begun.text)")
            let kept = try #require(await server.realm.store.read { try $0.factor(id) })
            #expect(kept.lastUsedAt == nil)
        }
    }
}
