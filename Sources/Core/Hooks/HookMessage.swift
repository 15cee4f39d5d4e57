import Crypto
import Foundation

/// An event as a hook gets it: Standard Webhooks 1.0 (standardwebhooks.com), headers `webhook-id`, `webhook-timestamp` and
/// `webhook-signature`.
public struct HookMessage: Sendable, Equatable {
    /// The same at each attempt and each replay, so that a service knows what it has had.
    public let id: String
    /// The event as JSON; what the signature is over, byte by byte.
    public let body: Data

    init(_ event: AuditEvent) {
        id = "evt_\(event.id)"
        body = Self.body(event)
    }

    init(id: String, body: Data) {
        self.id = id
        self.body = body
    }

    /// A message that stands for no event.
    init(testOf hook: String, id: String, at now: Date) {
        self.id = "evt_\(id)"
        body = Self.encoded([
            "type": "hook.test", "timestamp": .string(Self.text(now)), "data": .object(["hook": .string(hook)]),
        ])
    }

    /// The headers of an attempt.
    /// - Parameter secrets: all that are good now; each signs.
    func headers(at now: Date, secrets: [HookSecret]) -> [(name: String, value: String)] {
        let timestamp = String(now.seconds)
        let signed = Data("\(id).\(timestamp).".utf8) + body
        let signatures = secrets.map { "v1,\($0.signature(of: signed))" }
        return [
            (name: "webhook-id", value: id), (name: "webhook-timestamp", value: timestamp),
            (name: "webhook-signature", value: signatures.joined(separator: " ")),
        ]
    }

    /// Members of an event's details that go out. Others may hold what a person is called or where mail goes to, or what an application
    /// keeps to itself.
    private static let openDetails: Set<String> = [
        "allowed", "application", "by", "check", "endedAttempts", "extension", "factor", "formerRole", "group", "hook",
        "imported", "kind", "liftsSecondFactor", "purpose", "replaced", "resource", "role", "scopes", "secondFactor",
        "session", "status", "token", "users",
    ]

    /// No address of a network or a mailbox, no name, no secret: ids, and what happened.
    private static func body(_ event: AuditEvent) -> Data {
        var data: [String: JSONValue] = ["id": .string(event.id)]
        data["category"] = EventCategory(of: event.kind).map { .string($0.rawValue) }
        data["user"] = event.userID.map { .string($0.rawValue) }
        data["application"] = event.clientID.map { .string($0.rawValue) }
        data["protocol"] = event.dialect.map { .string($0.rawValue) }
        data["reason"] = event.reason.map { .string($0) }
        let details = event.details.filter { openDetails.contains($0.key) }
        if !details.isEmpty { data["details"] = .object(details) }
        return encoded([
            "type": .string(event.kind.rawValue), "timestamp": .string(text(event.at)), "data": .object(data),
        ])
    }

    private static func text(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    private static func encoded(_ object: [String: JSONValue]) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A JSON value can always be written.
        return (try? encoder.encode(JSONValue.object(object))) ?? Data("{}".utf8)
    }
}

/// What signs messages to a hook: 24 to 64 bytes, written as `whsec_` and Base64.
public struct HookSecret: Sendable {
    static let prefix = "whsec_"
    static let lengths = 24...64

    private let bytes: Secret<[UInt8]>

    /// Nil where the text is none.
    public init?(_ text: Secret<String>) {
        let text = text.reveal()
        guard text.hasPrefix(Self.prefix), text.utf8.count <= 128,
            let data = Data(base64Encoded: String(text.dropFirst(Self.prefix.count))),
            Self.lengths.contains(data.count)
        else { return nil }
        bytes = Secret(Array(data))
    }

    init(random: any RandomSource) {
        bytes = Secret(Array(random.bytes(32)))
    }

    /// The secret as administrators and services know it: `whsec_` and Base64 (Standard Webhooks 1.0).
    public var text: Secret<String> { Secret(Self.prefix + Data(bytes.reveal()).base64EncodedString()) }

    /// HMAC-SHA256 in Base64.
    func signature(of data: Data) -> String {
        Data(HMAC<SHA256>.authenticationCode(for: data, using: SymmetricKey(data: bytes.reveal())))
            .base64EncodedString()
    }
}

/// The secrets of a hook, as they are sealed: the present one, and the one before for a while, so that a service can take up the new one
/// without missing a message.
struct HookSecrets: Codable, StoredJSON {
    var present: String
    var former: String?
    var formerUntil: Date?

    func good(at now: Date) -> [HookSecret] {
        let former = formerUntil.map { now < $0 } == true ? former : nil
        return [present, former].compactMap { $0 }.compactMap { HookSecret(Secret($0)) }
    }

    static func name(of hook: String) -> String { "hook/\(hook)" }
}
