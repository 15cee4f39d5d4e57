import JSON

/// `POST v2/accounts/passkeyEnrollment:start`. Source: the Authentication emulator (firebase-tools, `auth/schema.ts`).
public struct StartPasskeyEnrollmentRequest: Codable, Sendable, Equatable {
    public var idToken: String?
    public var tenantId: String?

    public init(idToken: String? = nil, tenantId: String? = nil) {
        self.idToken = idToken
        self.tenantId = tenantId
    }
}

/// The answer to ``StartPasskeyEnrollmentRequest``: the options of WebAuthn Level 3, section 5.4, whose binary members are standard
/// base64 with padding here. Source: firebase-tools, `auth/schema.ts`.
public struct StartPasskeyEnrollmentResponse: Codable, Sendable, Equatable {
    public var credentialCreationOptions: JSONValue?

    public init(credentialCreationOptions: JSONValue? = nil) {
        self.credentialCreationOptions = credentialCreationOptions
    }
}

/// `POST v2/accounts/passkeyEnrollment:finalize`. The response of the authenticator has either the form of WebAuthn or an older one:
/// `credentialId`, `authenticatorAttestationResponse`. Source: firebase-tools, `auth/schema.ts`; firebase-js-sdk, branch `passkey`.
public struct FinalizePasskeyEnrollmentRequest: Codable, Sendable, Equatable {
    public var idToken: String?
    public var tenantId: String?
    public var name: String?
    public var displayName: String?
    public var authenticatorRegistrationResponse: JSONValue?

    public init(
        idToken: String? = nil, tenantId: String? = nil, name: String? = nil, displayName: String? = nil,
        authenticatorRegistrationResponse: JSONValue? = nil
    ) {
        self.idToken = idToken
        self.tenantId = tenantId
        self.name = name
        self.displayName = displayName
        self.authenticatorRegistrationResponse = authenticatorRegistrationResponse
    }
}

/// The tokens of a session that a passkey began or joined, or what has to be shown beside it. Source: firebase-tools, `auth/schema.ts`.
public struct PasskeySessionResponse: Codable, Sendable, Equatable {
    public var localId: String?
    public var idToken: String?
    public var refreshToken: String?
    /// Seconds, as a string.
    public var expiresIn: Int64String?
    /// In place of the tokens, where a second factor is asked for.
    public var mfaPendingCredential: String?
    public var mfaInfo: [MFAEnrollment]?

    public init(
        localId: String? = nil, idToken: String? = nil, refreshToken: String? = nil, expiresIn: Int64String? = nil,
        mfaPendingCredential: String? = nil, mfaInfo: [MFAEnrollment]? = nil
    ) {
        self.localId = localId
        self.idToken = idToken
        self.refreshToken = refreshToken
        self.expiresIn = expiresIn
        self.mfaPendingCredential = mfaPendingCredential
        self.mfaInfo = mfaInfo
    }
}

extension PasskeySessionResponse: JSONWritable {
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        json.write("expiresIn", text: expiresIn?.description)
        json.write("idToken", text: idToken)
        json.write("localId", text: localId)
        if let mfaInfo {
            json.name("mfaInfo")
            json.beginArray()
            for enrollment in mfaInfo { enrollment.write(to: &json) }
            json.endArray()
        }
        json.write("mfaPendingCredential", text: mfaPendingCredential)
        json.write("refreshToken", text: refreshToken)
        json.endObject()
    }
}

/// `POST v2/accounts/passkeySignIn:start`. Source: firebase-tools, `auth/schema.ts`.
public struct StartPasskeySignInRequest: Codable, Sendable, Equatable {
    public var sessionId: String?
    public var tenantId: String?

    public init(sessionId: String? = nil, tenantId: String? = nil) {
        self.sessionId = sessionId
        self.tenantId = tenantId
    }
}

/// The answer to ``StartPasskeySignInRequest``: the options of WebAuthn Level 3, section 5.5, with standard base64. Source:
/// firebase-tools, `auth/schema.ts`.
public struct StartPasskeySignInResponse: Codable, Sendable, Equatable {
    public var credentialRequestOptions: JSONValue?

    public init(credentialRequestOptions: JSONValue? = nil) {
        self.credentialRequestOptions = credentialRequestOptions
    }
}

extension StartPasskeySignInResponse: JSONWritable {
    public func write(to json: inout JSONWriter) throws {
        json.beginObject()
        if let credentialRequestOptions {
            json.name("credentialRequestOptions")
            try json.write(credentialRequestOptions)
        }
        json.endObject()
    }
}

/// `POST v2/accounts/passkeySignIn:finalize`, in WebAuthn's form or an older one: `credentialId`, `authenticatorAssertionResponse`.
/// Source: firebase-tools, `auth/schema.ts`; firebase-js-sdk, branch `passkey`.
public struct FinalizePasskeySignInRequest: Codable, Sendable, Equatable {
    public var tenantId: String?
    public var name: String?
    public var displayName: String?
    public var authenticatorAuthenticationResponse: JSONValue?

    public init(
        tenantId: String? = nil, name: String? = nil, displayName: String? = nil,
        authenticatorAuthenticationResponse: JSONValue? = nil
    ) {
        self.tenantId = tenantId
        self.name = name
        self.displayName = displayName
        self.authenticatorAuthenticationResponse = authenticatorAuthenticationResponse
    }
}

/// A passkey of an account. Source: firebase-tools, `auth/schema.ts`.
public struct PasskeyInfo: Codable, Sendable, Equatable {
    /// Base64 for URLs.
    public var credentialId: String?
    public var name: String?

    public init(credentialId: String? = nil, name: String? = nil) {
        self.credentialId = credentialId
        self.name = name
    }
}

/// `GET` and `PATCH v2/projects/{p}/passkeyConfig`. Source: REST reference of Identity Platform, v2 `projects.passkeyConfig`.
public struct PasskeyConfig: Codable, Sendable, Equatable {
    public var name: String?
    public var rpId: String?
    public var expectedOrigins: [String]?

    public init(name: String? = nil, rpId: String? = nil, expectedOrigins: [String]? = nil) {
        self.name = name
        self.rpId = rpId
        self.expectedOrigins = expectedOrigins
    }
}
