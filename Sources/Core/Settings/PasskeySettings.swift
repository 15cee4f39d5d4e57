import Passkeys

/// How passkeys are made and judged. Whether they are offered at all is ``SecondFactorSettings/offersPasskeys``.
public struct PasskeySettings: Sendable, Equatable, Codable {
    /// What a sign-in that begins with a passkey asks of the authenticator.
    public enum Verification: String, Sendable, Codable, CaseIterable {
        /// It verifies the user: the passkey is two factors.
        case required
        /// It may: a passkey without it is one factor.
        case preferred
    }

    /// What statements of authenticators are good for.
    public enum Attestation: String, Sendable, Codable, CaseIterable {
        /// Nothing: none is asked for.
        case none
        /// They have to be right; whose they are does not matter.
        case direct
        /// Only models of ``allowedAAGUIDs``, with a path to one of ``attestationRoots``.
        case enforced
    }

    /// What a counter leads to that did not grow.
    public enum Counter: String, Sendable, Codable, CaseIterable {
        /// The sign-in is refused.
        case refuse
        /// The sign-in goes on, and the passkey is marked as one that there may be a copy of.
        case warn
    }

    /// The domain that passkeys belong to; nil takes the host of the server's first public URL.
    public var rpID: String?
    /// What browsers show; nil takes the name of the service.
    public var rpName: String?
    /// Origins of pages and apps that may ask for passkeys, to the letter; nil takes the public URLs that are at the domain or below.
    public var origins: [String]?
    /// Origins of other domains that may, too: published at `/.well-known/webauthn`.
    public var relatedOrigins: [String]?
    /// Origins of pages that may show this server's in a frame and ask for passkeys there.
    public var framingOrigins: [String]?
    /// What sign-ins ask of authenticators.
    public var userVerification = Verification.required
    /// Names of algorithms, the best first; nil is ``standardAlgorithms``.
    public var algorithms: [String]?
    /// What statements of authenticators are good for.
    public var attestation = Attestation.none
    /// Models of authenticators, in the form of UUIDs.
    public var allowedAAGUIDs: [String]?
    /// Certificates in DER, as base64.
    public var attestationRoots: [String]?
    /// Whether ``Attestation/enforced`` admits passkeys that leave their device.
    public var allowsSynced = false
    /// What follows where a counter did not grow (WebAuthn Level 3, section 6.1.1).
    public var counter = Counter.refuse
    /// Apps on Apple's systems, `TEAMID.bundle`.
    public var appleApps: [String]?
    /// Apps for Android, `package=AA:BB:…` with the SHA-256 of the certificate that signs them.
    public var androidApps: [String]?

    /// Passkeys for the host of the server's first public URL, with user verification and without attestation.
    public init() {}

    public init(from decoder: any Decoder) throws {
        self.init()
        let members = try decoder.container(keyedBy: CodingKeys.self)
        rpID = try members.decodeIfPresent(String.self, forKey: .rpID)
        rpName = try members.decodeIfPresent(String.self, forKey: .rpName)
        origins = try members.decodeIfPresent([String].self, forKey: .origins)
        relatedOrigins = try members.decodeIfPresent([String].self, forKey: .relatedOrigins)
        framingOrigins = try members.decodeIfPresent([String].self, forKey: .framingOrigins)
        try members.assign(&userVerification, .userVerification)
        algorithms = try members.decodeIfPresent([String].self, forKey: .algorithms)
        try members.assign(&attestation, .attestation)
        allowedAAGUIDs = try members.decodeIfPresent([String].self, forKey: .allowedAAGUIDs)
        attestationRoots = try members.decodeIfPresent([String].self, forKey: .attestationRoots)
        try members.assign(&allowsSynced, .allowsSynced)
        try members.assign(&counter, .counter)
        appleApps = try members.decodeIfPresent([String].self, forKey: .appleApps)
        androidApps = try members.decodeIfPresent([String].self, forKey: .androidApps)
    }

    // MARK: Values

    /// The algorithms that may be offered, by the names of the registry "COSE Algorithms".
    static let algorithmNames: [String: COSEAlgorithm] = [
        "EdDSA": .edDSA, "ES256": .es256, "ES384": .es384, "ES512": .es512, "RS256": .rs256,
    ]

    /// The algorithms that are offered where ``algorithms`` says nothing, the best first.
    public static let standardAlgorithms = ["EdDSA", "ES256", "RS256"]

    /// Whether a text can stand in ``algorithms``: `EdDSA`, `ES256`, `ES384`, `ES512` or `RS256`.
    public static func isAlgorithm(_ name: String) -> Bool { algorithmNames[name] != nil }

    /// A domain that can be a relying party's.
    public static func isDomain(_ text: String) -> Bool {
        (try? RelyingParty(id: text, name: text, origins: [])) != nil
    }

    /// An origin of a page in the form of RFC 6454, section 6.2, or of an app for Android.
    public static func isOrigin(_ text: String) -> Bool {
        (try? RelyingParty(id: "localhost", name: "", origins: [], relatedOrigins: [text])) != nil
    }

    /// Whether a text is the AAGUID of a model, in the form of a UUID.
    public static func isAAGUID(_ text: String) -> Bool { AAGUID(text) != nil }

    /// Whether a text is a certificate that can be a trust anchor: DER in base64.
    public static func isCertificate(_ text: String) -> Bool {
        [UInt8](base64URL: text, accepting: .all).flatMap { try? TrustAnchor(der: $0) } != nil
    }

    /// `ABCDE12345.com.example.app`.
    public static func isAppleApp(_ text: String) -> Bool {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 255 else { return false }
        return parts[0].utf8.count == 10 && parts[0].utf8.allSatisfy(isLetterOrDigit) && !parts[1].isEmpty
            && parts[1].utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
    }

    /// `com.example.app=AA:BB:…`, 32 bytes.
    public static func isAndroidApp(_ text: String) -> Bool {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 400, !parts[0].isEmpty else { return false }
        let isPackage = parts[0].utf8.allSatisfy {
            isLetterOrDigit($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".")
        }
        let bytes = parts[1].split(separator: ":", omittingEmptySubsequences: false)
        return isPackage && bytes.count == 32
            && bytes.allSatisfy { $0.utf8.count == 2 && UInt8($0, radix: 16) != nil && $0 == $0.uppercased() }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
