import CountersignCore
import Foundation

/// Things to keep, with every member set to something that a careless store would lose.
enum Sample {
    /// An instant of 2033, and a few microseconds.
    static func instant(_ microseconds: Int64 = 0) -> Date {
        Date(microseconds: 2_000_000_000_000_000 + microseconds)
    }

    /// The first second of year 1, before 1970, 1970 itself, and the last microsecond of 2099.
    static let instants = [-62_135_596_800_000_000, -1, 0, 4_102_444_799_999_999].map(Date.init(microseconds:))

    /// Letters of many scripts, a character beyond the basic plane, quotes of every kind, controls.
    static let text = "Zoë 猫 🦜 שלום \"'`;--\\ $1 ?1 %s \u{1}\u{7f}\n\t"

    /// Every byte, several thousand times.
    static let largeBlob = Data((0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    static let json: [String: JSONValue] = [
        "": .null,
        text: .string(text + "\u{0}"),
        "numbers": .array([.integer(.max), .integer(.min), .integer(0), .number(0.1), .number(-1.5e300)]),
        "nested": .object(["yes": .bool(true), "no": .bool(false), "none": .array([]), "empty": .object([:])]),
    ]

    static func user(_ id: String, email: String? = nil) -> User {
        User(
            id: UserID(rawValue: id), email: email.map(EmailAddress.init(kept:)),
            profile: UserProfile(displayName: "User \(id)"), createdAt: instant())
    }

    static func factor(_ id: String, of user: String, createdAt: Date = instant()) -> FactorRecord {
        FactorRecord(
            id: FactorID(rawValue: id), userID: UserID(rawValue: user), kind: .totp, name: "Factor \(id)",
            createdAt: createdAt, payload: Data(id.utf8))
    }

    static func flow(
        _ digest: String, of user: String? = nil, purpose: String = "sign-in", expiresAt: Date = instant()
    ) -> FlowRecord {
        FlowRecord(
            digest: Data(digest.utf8), userID: user.map(UserID.init(rawValue:)), purpose: purpose,
            createdAt: instant(), expiresAt: expiresAt, body: Data("body".utf8))
    }

    static func clientRecord(
        _ kind: ClientRecord.Kind, _ digest: String, of user: String? = nil, expiresAt: Date = instant()
    ) -> ClientRecord {
        ClientRecord(
            kind: kind, digest: Data(digest.utf8), userID: user.map(UserID.init(rawValue:)), createdAt: instant(),
            expiresAt: expiresAt, body: Data("body".utf8))
    }

    static func session(
        _ id: String, of user: String, epoch: Int = 0, createdAt: Date = instant(), expiresAt: Date = instant(1)
    ) -> Session {
        Session(
            id: SessionID(rawValue: id), userID: UserID(rawValue: user), dialect: .identityToolkit, tokenEpoch: epoch,
            createdAt: createdAt, expiresAt: expiresAt, proofs: [Proof(kind: .password, at: createdAt)])
    }

    static func grant(
        _ id: String, on session: String, of user: String, client: String = "app", createdAt: Date = instant(),
        expiresAt: Date = instant(1)
    ) -> Grant {
        Grant(
            id: GrantID(rawValue: id), sessionID: SessionID(rawValue: session), userID: UserID(rawValue: user),
            clientID: ClientID(rawValue: client), dialect: .identityToolkit, createdAt: createdAt,
            expiresAt: expiresAt, refresh: RefreshTokenState(currentDigest: Data(id.utf8)))
    }

    static func code(
        _ digest: String, of user: String? = nil, expiresAt: Date = instant(1)
    ) -> AuthorizationCodeRecord {
        AuthorizationCodeRecord(
            digest: Data(digest.utf8), userID: user.map(UserID.init(rawValue:)), createdAt: instant(),
            expiresAt: expiresAt, body: Data("body".utf8))
    }

    static func event(_ id: String, of user: String? = nil, at: Date = instant()) -> AuditEvent {
        AuditEvent(
            id: id, at: at, kind: AuditEvent.Kind(rawValue: "user.created"),
            userID: user.map(UserID.init(rawValue:)), clientID: nil, dialect: nil, source: nil, reason: nil,
            details: [:])
    }

    static func message(
        _ id: String, to recipient: String = "someone@example.org", of user: UserID? = nil,
        createdAt: Date = instant(), nextAttemptAt: Date = instant(), deliveredAt: Date? = nil
    ) -> OutboxMessage {
        OutboxMessage(
            id: id, channel: .email, recipient: recipient, createdAt: createdAt, nextAttemptAt: nextAttemptAt,
            deliveredAt: deliveredAt, sealedContent: Data("sealed".utf8), userID: user)
    }
}
