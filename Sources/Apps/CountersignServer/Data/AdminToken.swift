import CountersignCore
import Crypto
import Foundation
import OneTimePassword

/// The bearer token that opens the admin API. Only its digest is kept in memory.
public struct AdminToken: Sendable {
    private let digest: Data

    init(_ token: String) {
        digest = Self.digest(token)
    }

    /// Whether the token is this one; takes the same time whatever it is.
    public func matches(_ token: Secret<String>) -> Bool {
        ConstantTime.equal(digest, Self.digest(token.reveal()))
    }

    private static func digest(_ token: String) -> Data {
        Data(SHA256.hash(data: Data(token.utf8)))
    }
}
