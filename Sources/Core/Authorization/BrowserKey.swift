import Crypto
import Foundation
import OneTimePassword

/// What a browser's key cookie holds: random values that bind attempts on pages to the browser that began them.
///
/// A sign-in replaces the value. Attempts in other tabs of the browser were begun under an earlier one and go on, so the cookie
/// keeps a few of those beside the present one; a sign-out forgets them.
public struct BrowserKey: Sendable {
    /// The value that new attempts are bound to: 256 random bits as URL-safe Base64.
    public let present: Secret<String>
    /// The values that it replaced, the latest first.
    public let former: [Secret<String>]

    /// Values that are kept beside the present one.
    public static let keptValues = 3
    /// Characters of one value.
    private static let length = 43

    /// - Parameter former: cut after ``keptValues``.
    public init(present: Secret<String>, former: [Secret<String>] = []) {
        self.present = present
        self.former = Array(former.prefix(Self.keptValues))
    }

    /// A fresh value, which remembers those of an earlier key of the same browser.
    public init(random: any RandomSource, after earlier: BrowserKey? = nil) {
        self.init(present: Secret(random.bytes(32).base64URL), former: earlier?.all ?? [])
    }

    /// Reads a cookie's value; nil where it is none of ours.
    public init?(cookie text: String) {
        let values = text.split(separator: ".", omittingEmptySubsequences: false)
        guard let first = values.first, values.count <= Self.keptValues + 1,
            values.allSatisfy({ $0.utf8.count == Self.length && [UInt8](base64URL: String($0)) != nil })
        else { return nil }
        self.init(present: Secret(String(first)), former: values.dropFirst().map { Secret(String($0)) })
    }

    /// The cookie's value.
    public var cookie: Secret<String> { Secret(all.map { $0.reveal() }.joined(separator: ".")) }

    /// The present value and the former ones.
    public var all: [Secret<String>] { [present] + former }

    // MARK: Rows

    /// SHA-256 of the present value, for rows that belong to the browser.
    public var digest: Data { Self.digest(of: present) }

    /// Whether a row's digest is of this browser: of its present value or a former one.
    public func admits(digest: Data) -> Bool {
        all.map { ConstantTime.equal(Self.digest(of: $0), digest) }.contains(true)
    }

    private static func digest(of value: Secret<String>) -> Data { SHA256.digest(of: value.reveal()) }

    // MARK: Proofs

    /// Shows that a text was written for this browser: HMAC-SHA-256 with the present value as its key.
    /// - Parameters:
    ///   - purpose: what the text is; a proof for one purpose is none for another.
    ///   - parts: the text. Each part counts with its length, so that no two lists have one proof.
    public func proof(for purpose: String, _ parts: [String]) -> String {
        Self.proof(by: present, purpose, parts)
    }

    /// Whether a proof is of this browser, by its present value or a former one.
    public func admits(proof: String, for purpose: String, _ parts: [String]) -> Bool {
        all.map { ConstantTime.equal(Array(Self.proof(by: $0, purpose, parts).utf8), Array(proof.utf8)) }.contains(true)
    }

    private static func proof(by value: Secret<String>, _ purpose: String, _ parts: [String]) -> String {
        KeyedProof.text(by: Array(value.reveal().utf8), for: purpose, parts)
    }
}

/// HMAC-SHA-256 over a purpose and parts, as text.
public enum KeyedProof {
    /// - Returns: 43 characters of URL-safe Base64.
    public static func text(by key: [UInt8], for purpose: String, _ parts: [String]) -> String {
        var mac = HMAC<SHA256>(key: SymmetricKey(data: key))
        for part in [purpose] + parts {
            mac.update(data: Data("\(part.utf8.count):".utf8))
            mac.update(data: Data(part.utf8))
        }
        return Array(mac.finalize()).base64URL
    }
}
