import CountersignCore
import Foundation

/// Names a client to administrators: the digest that the store knows it by, in 64 hexadecimal digits.
///
/// A requester that knows a client's id may ask for challenges in its name. A reference serves only to look the client
/// up, so it may stand in lists and on terminals.
public struct ClientReference: Sendable, Hashable {
    let digest: Data

    /// The reference of a client whose id is known.
    public init(to id: RegisteredClientID) {
        digest = CheckRow.registration(id)
    }

    init(digest: Data) {
        self.digest = digest
    }

    /// What an administrator has typed: a reference, or a client's id as introspection tells it.
    public init(_ text: String) {
        if text.utf8.count == 64, let digest = Data(hex: text) {
            self.init(digest: digest)
        } else {
            self.init(to: RegisteredClientID(rawValue: text))
        }
    }

    /// The reference as lists and commands show it: 64 lower-case hexadecimal digits, the same for the life of the
    /// registration.
    public var text: String { digest.hex }
}

/// Names the state of a check as a place in a list: the digest that the store knows it by.
public struct OpenCheckReference: Sendable, Hashable {
    let digest: Data

    init(digest: Data) {
        self.digest = digest
    }

    /// What ``text`` gave; nil for anything else.
    public init?(_ text: String) {
        guard text.utf8.count == 64, let digest = Data(hex: text) else { return nil }
        self.init(digest: digest)
    }

    /// 64 lower-case hexadecimal digits.
    public var text: String { digest.hex }
}

extension Data {
    /// Lower-case hexadecimal digits; nil for anything else.
    fileprivate init?(hex: String) {
        func value(_ digit: UInt8) -> UInt8? {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
            default: nil
            }
        }
        let digits = Array(hex.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes = Data(capacity: digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        self = bytes
    }
}
