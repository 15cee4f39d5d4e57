import Crypto
import Foundation
import OneTimePassword

/// What an authorization code stands for (RFC 6749, section 4.1). Sealed in the code's row.
///
/// A code is one of two kinds. One that names a session makes a grant of it when it is redeemed. One without session says
/// what was granted in ``details``, which only the protocol that issued it reads.
public struct AuthorizationCode: Codable, Sendable, Equatable {
    /// Who may redeem it.
    public var client: String
    /// The address that it was sent to; the client has to repeat it (RFC 6749, section 4.1.3).
    public var redirectURI: String
    /// Whether the authorization request named that address; where it did not, the client may leave it out.
    public var namesRedirectURI = true
    /// Nil where the client sent none.
    public var challenge: PKCEChallenge?
    /// For the ID token (OpenID Connect Core 1.0, section 3.1.2.1).
    public var nonce: String?
    /// The scopes that the user approved.
    public var scopes: [String]
    /// What else the grant keeps, as the protocol that issued the code spells it.
    public var details: [String: JSONValue]
    /// Which resource servers access tokens are for (RFC 8707).
    public var audiences: [String]
    /// The thumbprint of the key that has to prove its possession when the code is redeemed: `dpop_jkt` (RFC 9449,
    /// section 10).
    public var keyThumbprint: String?
    /// The session that the user approved the application in.
    public var session: SessionID?
    /// Whether that was a browser's: then the code is over once the user has signed out there, although the session may go on.
    public var isOfBrowser = false
    /// What the user's word hangs on; nil in a code that a server of an earlier version issued.
    var basis: GrantBasis?

    /// A code for this client and address, with what was approved.
    public init(
        client: String, redirectURI: String, challenge: PKCEChallenge? = nil, nonce: String? = nil,
        scopes: [String] = [], details: [String: JSONValue] = [:], audiences: [String] = [],
        keyThumbprint: String? = nil, session: SessionID? = nil
    ) {
        self.client = client
        self.redirectURI = redirectURI
        self.challenge = challenge
        self.nonce = nonce
        self.scopes = scopes
        self.details = details
        self.audiences = audiences
        self.keyThumbprint = keyThumbprint
        self.session = session
    }

    /// Codes live a minute at most, but servers of two versions may share a store: members that come later are optional.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        client = try members.decode(String.self, forKey: .client)
        redirectURI = try members.decode(String.self, forKey: .redirectURI)
        namesRedirectURI = try members.decodeIfPresent(Bool.self, forKey: .namesRedirectURI) ?? true
        challenge = try members.decodeIfPresent(PKCEChallenge.self, forKey: .challenge)
        nonce = try members.decodeIfPresent(String.self, forKey: .nonce)
        scopes = try members.decodeIfPresent([String].self, forKey: .scopes) ?? []
        details = try members.decodeIfPresent([String: JSONValue].self, forKey: .details) ?? [:]
        audiences = try members.decodeIfPresent([String].self, forKey: .audiences) ?? []
        keyThumbprint = try members.decodeIfPresent(String.self, forKey: .keyThumbprint)
        session = try members.decodeIfPresent(SessionID.self, forKey: .session)
        isOfBrowser = try members.decodeIfPresent(Bool.self, forKey: .isOfBrowser) ?? false
        basis = try members.decodeIfPresent(GrantBasis.self, forKey: .basis)
    }

    /// Seconds that a code lives (RFC 6749, section 4.1.2, wants ten minutes at most).
    public static let lifetime: TimeInterval = 60

    /// Whether what the client says with the code is what the code was issued for.
    package func fits(_ presented: Presented) -> Bool {
        ConstantTime.equal(Array(client.utf8), Array(presented.client.utf8))
            && (presented.redirectURI.map { $0 == redirectURI } ?? !namesRedirectURI)
            && PKCEChallenge.admits(presented.verifier, challenge)
            && (keyThumbprint == nil || keyThumbprint == presented.keyThumbprint)
    }

    /// What a client says when it redeems a code. The client was authenticated before.
    public struct Presented: Sendable {
        /// The client that redeems it.
        public var client: String
        /// Nil where the request has none.
        public var redirectURI: String?
        /// `code_verifier` (RFC 7636, section 4.5).
        public var verifier: String?
        /// The thumbprint of the key whose possession was proven with the request; nil where none was.
        public var keyThumbprint: String?

        /// What the grant keeps beside what was approved.
        public var details: [String: JSONValue] = [:]

        /// What a client says.
        public init(client: String, redirectURI: String?, verifier: String? = nil, keyThumbprint: String? = nil) {
            self.client = client
            self.redirectURI = redirectURI
            self.verifier = verifier
            self.keyThumbprint = keyThumbprint
        }
    }
}

/// What a client sent to prove later that it asked for the code (RFC 7636).
public struct PKCEChallenge: Codable, Sendable, Equatable {
    /// How the challenge was made of the verifier (RFC 7636, section 4.2).
    public enum Method: String, Codable, Sendable {
        /// The challenge is the verifier itself.
        case plain
        /// The challenge is the SHA-256 of the verifier, in base64url.
        case s256 = "S256"
    }

    /// The challenge, as the client sent it.
    public var value: String
    /// How it was made.
    public var method: Method

    /// A challenge as a request has it; nothing is judged here.
    public init(_ value: String, method: Method) {
        self.value = value
        self.method = method
    }

    /// Whether the challenge was made of this verifier: 43 to 128 unreserved characters (RFC 7636, section 4.1).
    public func matches(_ verifier: String) -> Bool {
        guard Self.isVerifier(verifier) else { return false }
        let made =
            switch method {
            case .plain: verifier
            case .s256: SHA256.digest(of: verifier).base64URL
            }
        return ConstantTime.equal(Array(made.utf8), Array(value.utf8))
    }

    /// Whether a text can be a verifier: 43 to 128 unreserved characters (RFC 7636, section 4.1).
    public static func isVerifier(_ text: String) -> Bool {
        (43...128).contains(text.utf8.count) && text.utf8.allSatisfy(isUnreserved)
    }

    /// A verifier without challenge is refused too: the challenge was taken off on the way (RFC 9700, section 4.8.2).
    static func admits(_ verifier: String?, _ challenge: PKCEChallenge?) -> Bool {
        guard let challenge else { return verifier == nil }
        return verifier.map(challenge.matches) ?? false
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

/// An authorization code as stores keep it.
public struct AuthorizationCodeRecord: Sendable, Equatable {
    /// SHA-256 of the code; the code itself is nowhere on the server.
    public let digest: Data
    /// Nil where no user of the realm approved it.
    public let userID: UserID?
    /// When the code was issued.
    public let createdAt: Date
    /// Until when it can be redeemed. Stores keep the row as long, redeemed or not.
    public let expiresAt: Date
    /// Set by the one redemption that a code allows.
    public var redeemedAt: Date?
    /// The grant that the redemption made, so that a second one ends it (RFC 6749, section 4.1.2).
    public var grantID: GrantID?
    /// A sealed ``AuthorizationCode``.
    public let body: Data

    /// The row as stores read and write it. ``AuthorizationCodes`` issues and redeems codes.
    public init(
        digest: Data, userID: UserID?, createdAt: Date, expiresAt: Date, redeemedAt: Date? = nil,
        grantID: GrantID? = nil, body: Data
    ) {
        self.digest = digest
        self.userID = userID
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.redeemedAt = redeemedAt
        self.grantID = grantID
        self.body = body
    }
}
