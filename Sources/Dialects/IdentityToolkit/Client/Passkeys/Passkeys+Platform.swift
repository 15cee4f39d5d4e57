// Where the system has passkeys, the methods take and give its types; elsewhere, JSON for an authenticator of the program's own.
#if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
    import AuthenticationServices

    extension User {
        /// Begins to add a passkey: give the request to an `ASAuthorizationController`, and its result to
        /// `finalizePasskeyEnrollment(withPlatformCredential:)`.
        ///
        /// Throws `requiresRecentLogin` where the sign-in is too long ago, `operationNotAllowed` where passkeys are off, and
        /// `maximumSecondFactorCountExceeded`. Source: firebase-ios-sdk, branch `passkey-sv`, `User`.
        /// - Parameter name: nil or empty names it by default.
        public func startPasskeyEnrollment(
            withName name: String?
        ) async throws -> ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest {
            let request = try await passkeyRegistrationRequest(name: name)
            return ASAuthorizationPlatformPublicKeyCredentialProvider(
                relyingPartyIdentifier: request.relyingPartyIdentifier
            ).createCredentialRegistrationRequest(
                challenge: request.challenge, name: request.name, userID: request.userID)
        }

        @discardableResult
        public func finalizePasskeyEnrollment(
            withPlatformCredential platformCredential: ASAuthorizationPlatformPublicKeyCredentialRegistration
        ) async throws -> AuthDataResult {
            try await finalizePasskeyEnrollment(withPlatformCredential: PasskeyRegistration(platformCredential))
        }
    }

    extension Auth {
        /// Begins a sign-in without a name: give the request to an `ASAuthorizationController`, and its result to
        /// `finalizePasskeySignIn(withPlatformCredential:)`. Source: firebase-ios-sdk, branch `passkey-sv`, `Auth`.
        public func startPasskeySignIn() async throws -> ASAuthorizationPlatformPublicKeyCredentialAssertionRequest {
            let request = try await passkeyAssertionRequest()
            return ASAuthorizationPlatformPublicKeyCredentialProvider(
                relyingPartyIdentifier: request.relyingPartyIdentifier
            ).createCredentialAssertionRequest(challenge: request.challenge)
        }

        @discardableResult
        public func finalizePasskeySignIn(
            withPlatformCredential platformCredential: ASAuthorizationPlatformPublicKeyCredentialAssertion
        ) async throws -> AuthDataResult {
            try await finalizePasskeySignIn(withPlatformCredential: PasskeyAssertion(platformCredential))
        }
    }

    extension PasskeyRegistration {
        /// - Throws: `invalidAuthenticatorResponse` where the system made no attestation object.
        public init(_ credential: ASAuthorizationPlatformPublicKeyCredentialRegistration) throws {
            guard let attestation = credential.rawAttestationObject else {
                throw AuthErrorCode(.invalidAuthenticatorResponse)
            }
            self.init(
                credentialID: credential.credentialID, rawClientDataJSON: credential.rawClientDataJSON,
                rawAttestationObject: attestation)
        }
    }

    extension PasskeyAssertion {
        public init(_ credential: ASAuthorizationPlatformPublicKeyCredentialAssertion) {
            self.init(
                credentialID: credential.credentialID, rawClientDataJSON: credential.rawClientDataJSON,
                rawAuthenticatorData: credential.rawAuthenticatorData, signature: credential.signature,
                userID: credential.userID)
        }
    }
#else
    extension User {
        /// Begins to add a passkey: give the request's `json` to an authenticator, and what it makes to
        /// ``finalizePasskeyEnrollment(withPlatformCredential:)``.
        ///
        /// Throws `requiresRecentLogin` where the sign-in is too long ago, `operationNotAllowed` where passkeys are off, and
        /// `maximumSecondFactorCountExceeded`. Source: firebase-ios-sdk, branch `passkey-sv`, `User`.
        /// - Parameter name: nil or empty names it by default.
        public func startPasskeyEnrollment(withName name: String?) async throws -> PasskeyRegistrationRequest {
            try await passkeyRegistrationRequest(name: name)
        }
    }

    extension Auth {
        /// Begins a sign-in without a name: give the request's `json` to an authenticator, and what it makes to
        /// ``finalizePasskeySignIn(withPlatformCredential:)``. Source: firebase-ios-sdk, branch `passkey-sv`, `Auth`.
        public func startPasskeySignIn() async throws -> PasskeyAssertionRequest {
            try await passkeyAssertionRequest()
        }
    }
#endif
