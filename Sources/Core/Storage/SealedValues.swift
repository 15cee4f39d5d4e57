import Foundation

/// Every kind of place that holds sealed values. ``Sealer`` seals for nothing else, and stores say for each where it
/// is: so a new one is a case here, and the replacement of the master key covers it.
public enum SealedPlace: String, Sendable, CaseIterable {
    /// What factors keep, by the factor's id.
    case factor
    /// What flows carry, by the digest of the handle in hexadecimal.
    case flow
    /// Registrations of clients, states of checks and families of refresh tokens, each by its digest in hexadecimal.
    case clientRegistration = "client-registration"
    /// States of checks, by their digests in hexadecimal.
    case checkState = "check-state"
    /// Families of refresh tokens of security checks, by their digests in hexadecimal.
    case refreshFamily = "refresh-family"
    /// Present refresh tokens, by the grant's id. The name is of the time when a session had one grant, whose id was its
    /// own.
    case grant = "session"
    /// What authorization codes stand for, by the code's digest in hexadecimal.
    case authorizationCode = "authorization-code"
    /// Private keys, by the key's id.
    case signingKey = "signing-key"
    /// Mail and push, by the message's id.
    case outbox
    /// What opens services elsewhere, by a name of ours.
    case secret
}

/// What a sealed value is bound to: in another place it does not open.
public struct SealedAddress: Sendable, Hashable, CustomStringConvertible {
    /// The kind of the place.
    public let place: SealedPlace
    /// The row's key, as text.
    public let key: String

    /// The place of a row.
    public init(_ place: SealedPlace, key: String) {
        self.place = place
        self.key = key
    }

    public var description: String { "\(place.rawValue)/\(key)" }

    /// What is authenticated with the value. The same since the first version.
    ///
    /// Records of clients were flows up to version 10 of the schema, and are sealed as such still: moving their rows
    /// cannot seal them again. No digest of theirs is one of a flow.
    var context: String {
        switch place {
        case .clientRegistration, .checkState, .refreshFamily: "\(SealedPlace.flow.rawValue)/\(key)"
        default: "\(place.rawValue)/\(key)"
        }
    }

    /// The place of what a factor keeps.
    public static func factor(_ id: FactorID) -> SealedAddress { SealedAddress(.factor, key: id.rawValue) }
    package static func flow(_ digest: Data) -> SealedAddress { SealedAddress(.flow, key: digest.hex) }
    package static func client(_ kind: ClientRecord.Kind, _ digest: Data) -> SealedAddress {
        let place: SealedPlace =
            switch kind {
            case .registration: .clientRegistration
            case .checkState: .checkState
            case .refreshFamily: .refreshFamily
            }
        return SealedAddress(place, key: digest.hex)
    }
    static func grant(_ id: GrantID) -> SealedAddress { SealedAddress(.grant, key: id.rawValue) }
    package static func authorizationCode(_ digest: Data) -> SealedAddress {
        SealedAddress(.authorizationCode, key: digest.hex)
    }
    static func signingKey(_ id: String) -> SealedAddress { SealedAddress(.signingKey, key: id) }
    static func outbox(_ id: String) -> SealedAddress { SealedAddress(.outbox, key: id) }
    static func secret(_ name: String) -> SealedAddress { SealedAddress(.secret, key: name) }
}

/// A row that may hold a sealed value.
public struct SealedRow: Sendable, Equatable {
    /// The place of the row.
    public let address: SealedAddress
    /// Nil where it need not be read.
    public let sealed: Data?

    /// A row as a store found it.
    public init(address: SealedAddress, sealed: Data?) {
        self.address = address
        self.sealed = sealed
    }
}

/// Iterates over all sealed values, for the replacement of the master key.
public protocol SealedValueStorage {
    /// Rows of the place that hold a value, in the order of their keys.
    /// - Parameters:
    ///   - key: only rows after this one.
    ///   - name: values whose bytes 1 to 4 are these come as nil.
    func sealedRows(in place: SealedPlace, after key: String?, except name: Data?, limit: Int) throws -> [SealedRow]
    /// Replaces the value where it is still the one that was read, and counts the revision up where the row has one. False
    /// where it is not.
    func replaceSealed(_ present: Data, at address: SealedAddress, with sealed: Data) throws -> Bool
}
