import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import OneTimePassword
import Testing

@testable import CountersignServer

/// A user with an account.
struct Person: Sendable {
    var email: String
    var password: String
    var localID: String
    var idToken: String
    var refreshToken: String
}

/// What an authenticator app knows.
struct AuthenticatorApp: Sendable {
    let totp: TOTP
    /// The protocol's `mfaEnrollmentId`.
    let enrollmentID: String

    init(totp: TOTP, enrollmentID: String) {
        self.totp = totp
        self.enrollmentID = enrollmentID
    }

    /// Out of the answer to the start of an enrolment, before there is an id.
    init(base32 secret: String) throws {
        self.init(totp: try TOTP(secret: Base32.decode(secret)), enrollmentID: "")
    }

    /// The code of the present step, or of one that many steps later.
    func code(at now: Date, _ offset: Int = 0) -> String {
        totp.code(at: now + Double(offset) * 30).stringCode
    }

    /// A code that is not right in any step near.
    func wrongCode(at now: Date, number: Int = 0) -> String {
        let right = Set((-12...12).map { code(at: now, $0) })
        var candidates = (0..<1_000_000).lazy.map { String(String(1_000_000 + $0).dropFirst()) }
            .filter { !right.contains($0) }.makeIterator()
        for _ in 0..<number { _ = candidates.next() }
        return candidates.next() ?? ""
    }
}

extension TestServer {
    static let password = "correct horse 7 staple"

    func signUp(
        _ email: String = "ada-\(UUID().uuidString.prefix(8))@example.com".lowercased(),
        password: String = TestServer.password
    ) async throws -> Person {
        let reply = try await post(
            "/v1/accounts:signUp",
            ["email": .string(email), "password": .string(password), "returnSecureToken": true])
        try #require(reply.status == 200, "\(reply.text)")
        return Person(
            email: email, password: password, localID: try #require(reply.json["localId"].text),
            idToken: try #require(reply.json["idToken"].text),
            refreshToken: try #require(reply.json["refreshToken"].text))
    }

    /// A person whose address is verified.
    func verifiedPerson() async throws -> Person {
        let person = try await signUp()
        let code = try await link(["requestType": "VERIFY_EMAIL", "email": .string(person.email)])
        let reply = try await post("/v1/accounts:update", ["oobCode": .string(code)])
        try #require(reply.json["emailVerified"] == true, "\(reply.text)")
        return person
    }

    /// The code of a link, which an administrator is given.
    func link(_ request: JSON) async throws -> String {
        let reply = try await post(
            "/v1/accounts:sendOobCode", request.with(["returnOobLink": true]), headers: administrator)
        return try #require(reply.json["oobCode"].text, "\(reply.text)")
    }

    /// The code of the link in the newest mail to that address.
    func mailedCode(to email: String) async throws -> String? {
        let mail = try await realm.outbox.messages().last { $0.message.recipient == email }
        return mail?.content.values["link"]
            .flatMap { URLComponents(string: $0)?.queryItems?.first { $0.name == "oobCode" }?.value }
    }

    func signIn(_ person: Person, password: String? = nil) async throws -> Reply {
        try await post(
            "/v1/accounts:signInWithPassword",
            [
                "email": .string(person.email), "password": .string(password ?? person.password),
                "returnSecureToken": true, "clientType": "CLIENT_TYPE_IOS",
            ])
    }

    /// Signs in with the password alone, and takes the tokens over.
    func signInAgain(_ person: inout Person) async throws {
        let reply = try await signIn(person)
        person.idToken = try #require(reply.json["idToken"].text, "\(reply.text)")
        person.refreshToken = try #require(reply.json["refreshToken"].text)
    }

    // MARK: The second factor

    func startEnrolment(_ idToken: String) async throws -> Reply {
        try await post("/v2/accounts/mfaEnrollment:start", ["idToken": .string(idToken), "totpEnrollmentInfo": [:]])
    }

    func finishEnrolment(
        _ idToken: String, session: String, code: String, displayName: JSON = "TOTP"
    ) async throws -> Reply {
        try await post(
            "/v2/accounts/mfaEnrollment:finalize",
            [
                "idToken": .string(idToken), "displayName": displayName,
                "totpVerificationInfo": ["sessionInfo": .string(session), "verificationCode": .string(code)],
            ])
    }

    /// Enrols TOTP, and takes the new tokens over.
    func enrol(_ person: inout Person) async throws -> AuthenticatorApp {
        let started = try await startEnrolment(person.idToken)
        let session = started.json["totpSessionInfo"]
        let totp = try TOTP(secret: Base32.decode(try #require(session["sharedSecretKey"].text, "\(started.text)")))
        let finished = try await finishEnrolment(
            person.idToken, session: try #require(session["sessionInfo"].text),
            code: totp.code(at: now).stringCode)
        person.idToken = try #require(finished.json["idToken"].text, "\(finished.text)")
        person.refreshToken = try #require(finished.json["refreshToken"].text)
        let id = try claims(person.idToken)["firebase"]["second_factor_identifier"].text
        return AuthenticatorApp(totp: totp, enrollmentID: try #require(id))
    }

    /// A person with a second factor; the code of the enrolment's step is behind them.
    func enrolledPerson() async throws -> (Person, AuthenticatorApp) {
        var person = try await verifiedPerson()
        let app = try await enrol(&person)
        try await advance(30)
        return (person, app)
    }

    /// The first factor; answers the pending credential.
    func pendingCredential(_ person: Person) async throws -> String {
        let reply = try await signIn(person)
        return try #require(reply.json["mfaPendingCredential"].text, "\(reply.text)")
    }

    func finishSignIn(_ credential: String, _ enrollmentID: String, code: String, from: String? = nil) async throws
        -> Reply
    {
        try await post(
            "/v2/accounts/mfaSignIn:finalize",
            [
                "mfaPendingCredential": .string(credential), "mfaEnrollmentId": .string(enrollmentID),
                "totpVerificationInfo": ["verificationCode": .string(code)],
            ], from: from)
    }

    func withdraw(_ idToken: String, _ enrollmentID: String) async throws -> Reply {
        try await post(
            "/v2/accounts/mfaEnrollment:withdraw",
            ["idToken": .string(idToken), "mfaEnrollmentId": .string(enrollmentID)])
    }

    /// Gives a user a further TOTP factor, which the protocol does not allow: what another dialect or an earlier
    /// version may have left behind.
    func addFactor(to person: Person) async throws -> AuthenticatorApp {
        let secret = realm.random.bytes(20)
        let id = FactorID(rawValue: realm.random.uuid())
        let payload = JSON.object([
            "secret": .string(Data(secret).base64EncodedString()), "algorithm": "SHA1", "digits": 6, "period": 30,
        ])
        let (sealer, now) = (realm.sealer, now)
        let isKept = try await realm.store.write { transaction in
            try transaction.insert(
                FactorRecord(
                    id: id, userID: UserID(rawValue: person.localID), kind: .totp, name: "Second", createdAt: now,
                    payload: sealer.seal(Data(payload.bytes), for: .factor(id), in: transaction)))
        }
        #expect(isKept)
        return AuthenticatorApp(totp: try TOTP(secret: secret), enrollmentID: id.rawValue)
    }

    // MARK: Tokens

    func lookup(_ idToken: String) async throws -> Reply {
        try await post("/v1/accounts:lookup", ["idToken": .string(idToken)])
    }

    /// The account of an ID token.
    func account(_ idToken: String) async throws -> JSON {
        let reply = try await lookup(idToken)
        #expect(reply.json["users"].elements.count == 1, "\(reply.text)")
        return reply.json["users"][0]
    }

    func refresh(_ refreshToken: String) async throws -> Reply {
        try await post("/v1/token", ["grantType": "refresh_token", "refreshToken": .string(refreshToken)])
    }

    func changeAccount(
        _ person: Person, _ change: @escaping @Sendable (inout AccountChange) -> Void
    ) async throws {
        var wanted = AccountChange()
        change(&wanted)
        _ = try await realm.accounts.change(UserID(rawValue: person.localID), wanted, by: .commandLine)
    }

    func changeSettings(_ change: @escaping @Sendable (inout RealmSettings) -> Void) async throws {
        try await realm.changeSettings(by: .commandLine) { change(&$0) }
    }
}

/// The claims of a token; nothing is verified.
func claims(_ token: String) throws -> JSON { try part(1, of: token) }

/// The header of a token.
func header(_ token: String) throws -> JSON { try part(0, of: token) }

private func part(_ index: Int, of token: String) throws -> JSON {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let text = try #require(parts.indices.contains(index) ? parts[index] : nil)
    return try JSON(parsing: try #require([UInt8](base64URL: text)))
}
