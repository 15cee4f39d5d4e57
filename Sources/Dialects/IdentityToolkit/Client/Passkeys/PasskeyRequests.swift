import Foundation
import JSON

/// What an authenticator is asked to make. Its members have the names of `ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest`.
public struct PasskeyRegistrationRequest: Sendable, Equatable {
    /// The domain that the passkey will belong to.
    public let relyingPartyIdentifier: String
    /// Good for one answer.
    public let challenge: Data
    /// The user handle: what the authenticator gives back at sign-in, in place of a name.
    public let userID: Data
    /// What the passkey will be called in ``User/enrolledPasskeys``, and what the authenticator may show.
    public let name: String
    /// `PublicKeyCredentialCreationOptionsJSON` (WebAuthn Level 3, section 5.4), as `parseCreationOptionsFromJSON` and authenticators for
    /// it take it.
    public let json: Data

    /// - Throws: `malformedResponse`.
    init(_ options: JSONValue?, name: String) throws {
        guard case .object(var members)? = options, case .object(var user)? = members["user"],
            let site = members["rp"]?["id"]?.stringValue?.nonEmpty, let challenge = members["challenge"]?.base64Bytes,
            let userID = user["id"]?.base64Bytes
        else { throw AuthErrorCode.malformed("The answer lacks what an authenticator needs.") }
        relyingPartyIdentifier = site
        self.challenge = Data(challenge)
        self.userID = Data(userID)
        self.name = name
        user["id"] = .string(userID.base64URL)
        user["name"] = .string(name)
        user["displayName"] = .string(name)
        members["user"] = .object(user)
        members["challenge"] = .string(challenge.base64URL)
        if case .array(let excluded)? = members["excludeCredentials"] {
            members["excludeCredentials"] = .array(
                excluded.map { descriptor in
                    guard case .object(var descriptor) = descriptor, let id = descriptor["id"]?.base64Bytes else {
                        return descriptor
                    }
                    descriptor["id"] = .string(id.base64URL)
                    return .object(descriptor)
                })
        }
        json = try JSONValue.object(members).authenticatorText
    }
}

/// What an authenticator is asked to sign. Its members have the names of `ASAuthorizationPlatformPublicKeyCredentialAssertionRequest`.
public struct PasskeyAssertionRequest: Sendable, Equatable {
    /// The domain whose passkeys may answer.
    public let relyingPartyIdentifier: String
    /// Good for one answer.
    public let challenge: Data
    /// `PublicKeyCredentialRequestOptionsJSON` (WebAuthn Level 3, section 5.5), as `parseRequestOptionsFromJSON` and authenticators for
    /// it take it.
    public let json: Data

    /// - Throws: `malformedResponse`.
    init(_ options: JSONValue?) throws {
        guard case .object(var members)? = options, let site = members["rpId"]?.stringValue?.nonEmpty,
            let challenge = members["challenge"]?.base64Bytes
        else { throw AuthErrorCode.malformed("The answer lacks what an authenticator needs.") }
        relyingPartyIdentifier = site
        self.challenge = Data(challenge)
        members["challenge"] = .string(challenge.base64URL)
        json = try JSONValue.object(members).authenticatorText
    }
}

extension JSONValue {
    /// Bytes in either alphabet; nil where there are none.
    fileprivate var base64Bytes: [UInt8]? {
        stringValue.flatMap { [UInt8](base64URL: $0, accepting: .all) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    fileprivate var authenticatorText: Data {
        get throws {
            do { return Data(try jsonText()) } catch { throw AuthErrorCode.malformed(error) }
        }
    }
}
