import Crypto
import Foundation
import JSON

/// A proof that a client holds a key: `DPoP` (RFC 9449).
public struct PossessionProof: Sendable, Equatable {
    /// RFC 7638, of the key.
    public let keyThumbprint: String
    package let id: String

    /// Bytes of a proof, and of its `jti`.
    package static let longest = 4096
    package static let longestID = 256
    /// Seconds that a proof may be old, and ahead of this server's clock.
    package static let oldest: TimeInterval = 60
    package static let newest: TimeInterval = 15

    /// What the request is that the proof came with.
    public struct Expectation: Sendable {
        public var method: String
        /// Each address of the endpoint, without query and fragment.
        public var urls: Set<String>
        /// The token that comes with the request, where one does.
        public var accessToken: String?

        public init(method: String, urls: Set<String>, accessToken: String? = nil) {
            self.method = method
            self.urls = urls
            self.accessToken = accessToken
        }
    }

    /// Why a proof is not taken.
    public enum Fault: String, Error, Sendable {
        case malformed = "The DPoP proof is not a signed JWT of typ dpop+jwt with a public jwk."
        case signature = "The DPoP proof is not signed by its key."
        case request = "The DPoP proof is for another request: htm, htu."
        case time = "The DPoP proof is too old, or from the future."
        case token = "The DPoP proof is not for this access token: ath."
        case used = "The DPoP proof was used before."
        /// `use_dpop_nonce`.
        case nonce = "The DPoP proof needs the nonce of the header DPoP-Nonce."
    }

    /// Judges all but the nonce and whether it is used for the first time.
    package static func judge(
        _ text: String, _ expectation: Expectation, at now: Date
    ) throws(Fault) -> (proof: PossessionProof, nonce: String?) {
        let bytes = Array(text.utf8)
        guard bytes.count <= longest else { throw .malformed }
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .malformed }
        let known = KnownProofHeaders.shared.header(of: parts[0])
        guard let header = known ?? Base64URL.decode(utf8: parts[0]).flatMap(ProofHeader.init(json:)),
            let payload = Base64URL.decode(utf8: parts[1]),
            case .object(let members)? = try? JSONParser.parse(payload)
        else { throw .malformed }
        let signed = Data(bytes[..<(parts[2].startIndex - 1)])
        guard let signature = Base64URL.decode(utf8: parts[2]),
            header.key.isSignature(Data(signature), of: signed, in: header.algorithm)
        else { throw .signature }
        if known == nil { KnownProofHeaders.shared.keep(header, of: parts[0]) }
        let claims = TokenClaims(members)
        guard let id = claims.string("jti"), (1...longestID).contains(id.utf8.count) else { throw .malformed }
        guard claims.string("htm") == expectation.method, let url = claims.string("htu"),
            expectation.urls.contains(url) || expectation.urls.contains(where: { same($0, url) })
        else { throw .request }
        guard let issuedAt = claims.date("iat"), now.timeIntervalSince(issuedAt) <= oldest,
            issuedAt.timeIntervalSince(now) <= newest, isTimely(claims, at: now)
        else { throw .time }
        if let token = expectation.accessToken {
            let hash = Array(SHA256.hash(data: Data(token.utf8))).base64URL
            guard claims.string("ath") == hash else { throw .token }
        }
        return (PossessionProof(keyThumbprint: header.thumbprint, id: id), claims.string("nonce"))
    }

    /// Whether it is before its `exp`, and not before its `nbf`, where it has them (RFC 7519, sections 4.1.4 and 4.1.5).
    private static func isTimely(_ claims: TokenClaims, at now: Date) -> Bool {
        if claims["exp"] != nil {
            guard let end = claims.date("exp"), now < end else { return false }
        }
        if claims["nbf"] != nil {
            guard let beginning = claims.date("nbf"), beginning.timeIntervalSince(now) <= newest else { return false }
        }
        return true
    }

    /// Whether two addresses are the same but for what RFC 3986 (section 6.2.2 and 6.2.3) has no difference in: the case of scheme and
    /// host, a default port, an empty path, how characters are escaped that need not be, and the segments `.` and `..`.
    private static func same(_ ours: String, _ theirs: String) -> Bool {
        guard let one = URLComponents(string: ours), let other = URLComponents(string: theirs), other.user == nil,
            other.password == nil
        else { return false }
        func port(_ url: URLComponents) -> Int? {
            url.port ?? ["https": 443, "http": 80][url.scheme?.lowercased() ?? ""]
        }
        func path(_ url: URLComponents) -> [UInt8] {
            url.percentEncodedPath.isEmpty
                ? [UInt8(ascii: "/")] : withoutDots(plain(Array(url.percentEncodedPath.utf8)))
        }
        return one.scheme?.lowercased() == other.scheme?.lowercased()
            && one.host?.lowercased() == other.host?.lowercased()
            && port(one) == port(other) && path(one) == path(other)
    }

    /// A path without the segments `.` and `..` (RFC 3986, section 5.2.4). Escaped ones are segments by now.
    private static func withoutDots(_ path: [UInt8]) -> [UInt8] {
        let dot = UInt8(ascii: ".")
        let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var kept: [ArraySlice<UInt8>] = []
        for (place, segment) in segments.enumerated() {
            switch Array(segment) {
            case [dot]: break
            case [dot, dot]: if kept.count > 1 { kept.removeLast() }
            default:
                kept.append(segment)
                continue
            }
            // The path ends with a slash then.
            if place == segments.count - 1 { kept.append([]) }
        }
        return Array(kept.joined(separator: [UInt8(ascii: "/")]))
    }

    /// A path with unreserved characters as themselves, and other escapes in capital letters: an escaped slash stays no slash.
    private static func plain(_ path: [UInt8]) -> [UInt8] {
        var plain: [UInt8] = []
        var rest = path[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), rest.count >= 2,
                let escaped = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else {
                plain.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self).uppercased()
            rest = rest.dropFirst(2)
            switch Character(Unicode.Scalar(escaped)) {
            case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": plain.append(escaped)
            default: plain += [UInt8(ascii: "%")] + Array(digits.utf8)
            }
        }
        return plain
    }
}
