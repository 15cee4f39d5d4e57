import CountersignCore
import Crypto
import Foundation
import NIOCore
import OneTimePassword

/// One of many: all have the same password and the same authenticator, so that one hash is enough.
struct Person: Sendable {
    let number: Int

    init(number: Int) { self.number = number }

    static let password = "a long and quiet afternoon"
    private static let secret = Array("Twenty random bytes!".utf8)
    /// The secret as other servers keep it (RFC 4648, section 6).
    static let base32Secret = "KR3WK3TUPEQHEYLOMRXW2IDCPF2GK4ZB"
    private static let totp: TOTP = {
        do { return try TOTP(secret: secret) } catch { fatalError("\(error)") }
    }()

    var email: String { "person\(number)@bench.example" }

    /// A separate address, so that limits by address do not apply.
    var source: String { "10.\(number >> 16 & 255).\(number >> 8 & 255).\(number & 255)" }

    /// Looks like a random one, so that rows lie where they would lie.
    var factorID: FactorID {
        FactorID(rawValue: SHA256.hash(data: Data(email.utf8)).prefix(16).map { String(format: "%02x", $0) }.joined())
    }

    static func rightCode() -> String { totp.code(at: Date()).stringCode }

    /// No code of now, nor of the minutes around.
    static func wrongCode() -> String {
        let step = totp.step(at: Date())
        let near = Set((step - 4...step + 4).map { totp.code(step: $0).stringCode })
        return ["000000", "111111", "222222", "333333", "444444", "555555", "666666", "777777", "888888", "999999"]
            .first { !near.contains($0) } ?? "000000"
    }

    /// Writes people with verified addresses, a password and an authenticator straight into the store, in the shape that
    /// an enrolment leaves: signing up one by one would take longer than the measuring. A row that were shorter than what the
    /// next sign-in makes of it would outgrow its page, and each sign-in would be charged with splitting it.
    static func add(_ numbers: Range<Int>, to realm: Realm) async throws {
        let hash = try await realm.hasher.hash(Secret(password))
        let passwordPayload = try JSONEncoder().encode(["hash": hash])
        let now = realm.clock.now
        let totpPayload = try JSONEncoder().encode(Enrolled(lastStep: totp.step(at: now - 90)))
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 5000) {
            // Random values are drawn before the transaction, which may run twice.
            let part = (start..<min(numbers.upperBound, start + 5000)).map { number in
                (Person(number: number), UserID(random: realm.random), FactorID(rawValue: realm.random.uuid()))
            }
            try await realm.store.write { transaction in
                for (person, userID, passwordID) in part {
                    var user = User(
                        id: userID, email: EmailAddress(person.email),
                        profile: UserProfile(emailVerified: true, providers: ["password"]), createdAt: now)
                    (user.lastSignInAt, user.lastRefreshAt, user.passwordChangedAt) = (now, now, now)
                    _ = try transaction.insert(user)
                    for (id, kind, payload) in [
                        (passwordID, FactorKind.password, passwordPayload), (person.factorID, .totp, totpPayload),
                    ] {
                        let sealed = try realm.sealer.seal(payload, for: .factor(id), in: transaction)
                        _ = try transaction.insert(
                            FactorRecord(
                                id: id, userID: userID, kind: kind, name: "", createdAt: now,
                                lastUsedAt: kind == .totp ? now : nil, payload: sealed))
                    }
                }
            }
        }
    }

    /// What the core keeps of an authenticator whose first code was right.
    private struct Enrolled: Encodable {
        let algorithm = "SHA1"
        let digits = 6
        let lastStep: UInt64
        let period = 30
        let secret = Data(Person.secret)
    }
}

/// What loads need to know of a server.
struct BenchRealm: Sendable {
    let apiKey: String

    func password(_ person: Person) -> ByteBuffer {
        RequestText.post(
            "/v1/accounts:signInWithPassword?key=\(apiKey)",
            #"{"email":"\#(person.email)","password":"\#(Person.password)","returnSecureToken":true}"#,
            source: person.source)
    }

    func code(_ code: String, of waiting: Waiting) -> ByteBuffer {
        RequestText.post(
            "/v2/accounts/mfaSignIn:finalize?key=\(apiKey)",
            #"{"mfaPendingCredential":"\#(waiting.credential)","mfaEnrollmentId":"\#(waiting.person.factorID.rawValue)","#
                + #""totpVerificationInfo":{"verificationCode":"\#(code)"}}"#,
            source: waiting.person.source)
    }
}
