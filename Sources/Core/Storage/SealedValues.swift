import Foundation

/// Every kind of place that holds sealed values. ``Sealer`` seals for nothing else, and stores say for each where it
/// is: so a new one is a case here, and the replacement of the master key covers it.
public enum SealedPlace: String, Sendable, CaseIterable {
    /// What factors keep, by the factor's id.
    case factor
    /// What flows carry, by the digest of the handle in hexadecimal.
    case flow
    /// Present refresh tokens, by the session's id.
    case session
    /// Private keys, by the key's id.
    case signingKey = "signing-key"
    /// Mail and push, by the message's id.
    case outbox
    /// What opens services elsewhere, by a name of ours.
    case secret
}

/// What a sealed value is bound to: in another place it does not open.
public struct SealedAddress: Sendable, Hashable, CustomStringConvertible {
    public let place: SealedPlace
    /// The row's key, as text.
    public let key: String

    public init(_ place: SealedPlace, key: String) {
        self.place = place
        self.key = key
    }

    public var description: String { context }

    /// What is authenticated with the value. The same since the first version.
    var context: String { "\(place.rawValue)/\(key)" }

    public static func factor(_ id: FactorID) -> SealedAddress { SealedAddress(.factor, key: id.rawValue) }
    package static func flow(_ digest: Data) -> SealedAddress { SealedAddress(.flow, key: digest.hex) }
    static func session(_ id: SessionID) -> SealedAddress { SealedAddress(.session, key: id.rawValue) }
    static func signingKey(_ id: String) -> SealedAddress { SealedAddress(.signingKey, key: id) }
    static func outbox(_ id: String) -> SealedAddress { SealedAddress(.outbox, key: id) }
    static func secret(_ name: String) -> SealedAddress { SealedAddress(.secret, key: name) }
}

/// A row that may hold a sealed value.
public struct SealedRow: Sendable, Equatable {
    public let address: SealedAddress
    /// Nil where it need not be looked at.
    public let sealed: Data?

    public init(address: SealedAddress, sealed: Data?) {
        self.address = address
        self.sealed = sealed
    }
}

/// Iterates over all sealed values, for the replacement of the master key.
public protocol SealedValueStorage {
    /// Rows of the place that hold a value, in the order of their keys.
    /// - Parameters:
    ///   - key: only rows behind this one.
    ///   - name: values whose bytes 1 to 4 are these come as nil.
    func sealedRows(in place: SealedPlace, after key: String?, except name: Data?, limit: Int) throws -> [SealedRow]
    /// Replaces the value where it is still the one that was read, and counts the revision up where the row has one. False
    /// where it is not.
    func replaceSealed(_ present: Data, at address: SealedAddress, with sealed: Data) throws -> Bool
}
