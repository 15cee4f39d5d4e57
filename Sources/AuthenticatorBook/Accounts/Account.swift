import Crypto
import Foundation
import OneTimePassword

/// What the book knows of an account without opening its secret.
public struct Account: Sendable, Equatable, Identifiable, Codable {
    /// Eight hexadecimal digits: short enough to be typed.
    public typealias ID = String

    /// How the codes are made.
    public struct Codes: Sendable, Equatable, Codable {
        public enum Kind: Sendable, Equatable {
            /// A new code every so many seconds.
            case time(period: Int)
            /// A new code for each that is asked for; this is the counter of the next.
            case counter(next: UInt64)
        }

        public var kind: Kind
        public let algorithm: OTPAlgorithm
        public let digits: Int
        /// Of the secret, cut: tells two accounts of one name apart, without opening either.
        public let fingerprint: String
    }

    /// A device account at a server that asks about sign-ins.
    public struct Device: Sendable, Equatable, Codable {
        /// The server's name for it: `dev_…`.
        public let id: String
        /// Where the server is.
        public let server: URL
        /// The server's name for the user: `auth0|…`.
        public let userID: String
        /// What the device called itself when it enrolled; it signs with it.
        public let identifier: String
        /// Whether the device's key asks for the passcode at each answer.
        public let asksEachTime: Bool
    }

    public let id: ID
    public let issuer: String?
    /// Whose account it is, at the issuer.
    public let name: String
    /// Nil where a device has no codes.
    public var codes: Codes?
    /// Nil where no server sends sign-in requests.
    public let device: Device?
    /// Whether the secret of the codes asks for the passcode at each use.
    public let asksEachTime: Bool
    public let addedAt: Date

    /// `Issuer (name)`, or the one that there is.
    public var label: String {
        guard let issuer, !issuer.isEmpty else { return name.isEmpty ? id : name }
        return name.isEmpty ? issuer : "\(issuer) (\(name))"
    }

    /// Whether both are called the same; case does not matter.
    func isNamed(like other: Account) -> Bool {
        (issuer ?? "").lowercased() == (other.issuer ?? "").lowercased() && name.lowercased() == other.name.lowercased()
    }
}

extension Account.Codes {
    init(_ uri: OTPAuthURI) {
        switch uri.kind {
        case .totp(let period): kind = .time(period: period)
        case .hotp(let counter): kind = .counter(next: counter)
        }
        algorithm = uri.algorithm
        digits = uri.digits
        fingerprint = SHA256.hash(data: Data("countersign account".utf8) + uri.secret).prefix(8)
            .map { String(format: "%02x", $0) }.joined()
    }

    enum CodingKeys: String, CodingKey { case period, counter, algorithm, digits, fingerprint }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let counter = try container.decodeIfPresent(UInt64.self, forKey: .counter) {
            kind = .counter(next: counter)
        } else {
            kind = .time(period: try container.decode(Int.self, forKey: .period))
        }
        algorithm = try container.decode(OTPAlgorithm.self, forKey: .algorithm)
        digits = try container.decode(Int.self, forKey: .digits)
        fingerprint = try container.decode(String.self, forKey: .fingerprint)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch kind {
        case .time(let period): try container.encode(period, forKey: .period)
        case .counter(let next): try container.encode(next, forKey: .counter)
        }
        try container.encode(algorithm, forKey: .algorithm)
        try container.encode(digits, forKey: .digits)
        try container.encode(fingerprint, forKey: .fingerprint)
    }
}

extension Sequence<Account> {
    /// The one account that a user means: by its id, by its whole name (`name`, `issuer`, `issuer:name` or the label),
    /// or by a part of one. Case does not matter.
    ///
    /// - Throws: ``AccountBookError/notFound(_:)``, and ``AccountBookError/ambiguous(_:_:)`` where several fit equally well.
    public func only(meant selector: String) throws(AccountBookError) -> Account {
        let wanted = selector.lowercased()
        guard !wanted.isEmpty else { throw .notFound(selector) }
        let rules: [(Account) -> Bool] = [
            { $0.id == wanted },
            { account in account.names.contains { $0.lowercased() == wanted } },
            { account in account.names.contains { $0.lowercased().contains(wanted) } },
        ]
        for rule in rules {
            let found = filter(rule)
            if found.count == 1 { return found[0] }
            if found.count > 1 { throw .ambiguous(selector, found) }
        }
        throw .notFound(selector)
    }
}

extension Account {
    fileprivate var names: [String] {
        [name, label] + (issuer.map { [$0, "\($0):\(name)"] } ?? [])
    }
}
