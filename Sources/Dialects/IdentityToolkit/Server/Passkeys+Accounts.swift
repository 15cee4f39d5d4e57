import CountersignCore
import Foundation
import IdentityToolkitWire
import JSON
import Passkeys

/// Passkeys, as the Authentication emulator and the SDKs' branches have them (firebase-tools, `auth/operations.ts`).
extension IdentityToolkit {
    /// `passkeyEnrollment:start`: what the authenticator is to make.
    func startPasskeyEnrollment(
        _ request: StartPasskeyEnrollmentRequest, _ call: Call
    ) async throws -> StartPasskeyEnrollmentResponse {
        let bearer = try await tokens(call).bearer(
            request.idToken, missing: .missingIDToken, allowsUnenrolled: true)
        switch try await realm.enrolments.begin(.passkey, of: bearer.session, by: call.client) {
        case .offered(let offer):
            return StartPasskeyEnrollmentResponse(
                credentialCreationOptions: PasskeySpelling.options(offer.challenge))
        case .refused(let refusal): throw IdentityToolkitError(passkeyEnrolment: refusal)
        }
    }

    /// `passkeyEnrollment:finalize`: a new session, proven with what the old one was and the passkey.
    func finalizePasskeyEnrollment(
        _ request: FinalizePasskeyEnrollmentRequest, _ call: Call
    ) async throws -> PasskeySessionResponse {
        let bearer = try await tokens(call).bearer(
            request.idToken, missing: .missingIDToken, allowsUnenrolled: true)
        let response = try PasskeySpelling.response(
            request.authenticatorRegistrationResponse, in: "authenticatorAttestationResponse",
            ["clientDataJSON", "attestationObject"])
        guard let handle = FlowHandle(answeredBy: response) else {
            throw IdentityToolkitError(.invalidAuthenticatorResponse)
        }
        let name = [request.name, request.displayName].compactMap(\.self).first { !$0.isEmpty }
        let verdict = try await realm.authenticator.answer(
            .registration(
                of: .passkey, response: response, name: String((name ?? PasskeySpelling.unnamed).prefix(256))),
            to: .flow(handle, call.recognised(.enrolment(of: bearer.user.id), response)), by: call.pageClient)
        switch verdict {
        case .accomplished(.enrolled(_, let signedIn)): return try await session(of: signedIn, call)
        case .refused(let refusal): throw IdentityToolkitError(passkey: refusal)
        default: throw IdentityToolkitError.internal
        }
    }

    /// `passkeySignIn:start`: a challenge for whatever passkey the user chooses.
    func startPasskeySignIn(
        _ request: StartPasskeySignInRequest, _ call: Call
    ) async throws -> StartPasskeySignInResponse {
        switch try await realm.authenticator.begin(.passkey, by: call.client) {
        case .begun(let begun):
            guard case .object(let options) = PasskeySpelling.options(begun.challenge) else {
                throw IdentityToolkitError.internal
            }
            return StartPasskeySignInResponse(
                credentialRequestOptions: .object(
                    options.filter { ["challenge", "rpId", "timeout", "userVerification"].contains($0.key) }))
        case .refused(let refusal): throw IdentityToolkitError(passkey: refusal)
        }
    }

    /// `passkeySignIn:finalize`: tokens, or a pending credential as after a password, where the passkey did not verify its user and
    /// there are second factors.
    func finalizePasskeySignIn(
        _ request: FinalizePasskeySignInRequest, _ call: Call
    ) async throws -> PasskeySessionResponse {
        let response = try PasskeySpelling.response(
            request.authenticatorAuthenticationResponse, in: "authenticatorAssertionResponse",
            ["clientDataJSON", "authenticatorData", "signature"], optional: ["userHandle"])
        guard let handle = FlowHandle(answeredBy: response) else {
            throw IdentityToolkitError(.invalidAuthenticatorResponse)
        }
        let verdict = try await realm.authenticator.answer(
            .proof(of: .passkey, response: response), to: .flow(handle, call.recognised(.passkeySignIn, response)),
            by: call.pageClient)
        switch try await outcome(verdict, call) {
        case .refused(let refusal): throw IdentityToolkitError(passkeySignIn: refusal)
        case .pending(let user, let credential, let factors):
            return PasskeySessionResponse(
                localId: user.id.rawValue, mfaPendingCredential: credential, mfaInfo: factors)
        case .signedIn(let signedIn, let idToken, let lifetime):
            return PasskeySessionResponse(
                localId: signedIn.user.id.rawValue, idToken: idToken,
                refreshToken: signedIn.refreshToken.reveal(), expiresIn: lifetime)
        }
    }

    private func session(of signedIn: SignedIn, _ call: Call) async throws -> PasskeySessionResponse {
        let (idToken, lifetime) = try await tokens(call).idToken(for: signedIn)
        return PasskeySessionResponse(
            localId: signedIn.user.id.rawValue, idToken: idToken, refreshToken: signedIn.refreshToken.reveal(),
            expiresIn: Int64String(Int64(lifetime)))
    }

    /// The passkeys of a user, for `passkeyInfo`; nil where there are none.
    func passkeyInfo(_ factors: [FactorRecord]) throws -> [PasskeyInfo]? {
        let passkeys = try realm.passkeys.list(among: factors)
        guard !passkeys.isEmpty else { return nil }
        return passkeys.map { passkey in
            PasskeyInfo(
                credentialId: passkey.credential.id.base64URL,
                name: passkey.factor.name.isEmpty ? PasskeySpelling.unnamed : passkey.factor.name)
        }
    }

    /// `deletePasskey`: removes the caller's own passkeys; ids of none are passed over.
    func deletePasskeys(_ ids: [String], of session: OwnSession, _ call: Call) async throws {
        let factors = ids.compactMap(PasskeySpelling.bytes).map(FactorID.init(credential:))
        switch try await realm.passkeys.remove(factors, of: session, by: call.client) {
        case .removed, .unknownFactor: break
        case .lastWayIn:
            throw IdentityToolkitError(.operationNotAllowed, "It is the only way to sign in. Add another one first.")
        case .refused(let fault): throw IdentityToolkitError(ownSession: fault)
        }
    }
}

extension Call {
    /// The client, of which older versions name a relying party by `location.hostname` (firebase-js-sdk, branch `merge-passkey-pr`).
    fileprivate var pageClient: ClientContext {
        var client = client
        client.namesSiteByHost = true
        return client
    }

    /// What is expected of a response of an authenticator, which is known when it is sent again.
    fileprivate func recognised(_ expectation: FlowExpectation, _ response: JSONValue) -> FlowExpectation {
        expectation.named(requestID, saying: [response], by: client)
    }
}

/// How this protocol writes what WebAuthn Level 3 has as base64 for URLs: with the standard alphabet and padding, since older SDKs decode
/// nothing else. It is read in either way.
enum PasskeySpelling {
    /// What a passkey is called that was given no name.
    static let unnamed = "Unnamed Passkey"

    static func bytes(_ text: String) -> [UInt8]? {
        [UInt8](base64URL: text, accepting: .all).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Options as clients of this protocol take them.
    static func options(_ options: JSONValue) -> JSONValue {
        guard case .object(var members) = options else { return options }
        members["challenge"] = members["challenge"].map(standard)
        if case .object(var user)? = members["user"] {
            user["id"] = user["id"].map(standard)
            members["user"] = .object(user)
        }
        if case .array(let descriptors)? = members["excludeCredentials"] {
            members["excludeCredentials"] =
                descriptors.isEmpty
                ? nil
                : .array(
                    descriptors.map { descriptor in
                        guard case .object(var descriptor) = descriptor else { return descriptor }
                        descriptor["id"] = descriptor["id"].map(standard)
                        return .object(descriptor)
                    })
        }
        return .object(members)
    }

    private static func standard(_ value: JSONValue) -> JSONValue {
        guard let bytes = value.stringValue.flatMap(bytes) else { return value }
        return .string(Data(bytes).base64EncodedString())
    }

    /// A response in the form of WebAuthn Level 3, section 5.1, whatever form and alphabet it came in.
    /// - Parameters:
    ///   - older: the member that has the parts in the older form.
    ///   - names: its binary parts, without which it is none.
    static func response(
        _ value: JSONValue?, in older: String, _ names: [String], optional: [String] = []
    ) throws -> JSONValue {
        guard let value, case .object(let members) = value else {
            throw IdentityToolkitError(.missingAuthenticatorResponse)
        }
        guard case .object(let parts)? = members["response"] ?? members[older] else {
            throw IdentityToolkitError(.missingAuthenticatorResponse)
        }
        guard let id = (members["id"] ?? members["credentialId"])?.stringValue.flatMap(bytes) else {
            throw IdentityToolkitError(.invalidCredentialID)
        }
        if let raw = members["rawId"], raw != .null {
            guard raw.stringValue.flatMap(bytes) == id else { throw IdentityToolkitError(.invalidCredentialID) }
        }
        var response: [String: JSONValue] = [:]
        for name in names {
            guard let bytes = parts[name]?.stringValue.flatMap(bytes) else {
                throw IdentityToolkitError(.invalidAuthenticatorResponse)
            }
            response[name] = .string(bytes.base64URL)
        }
        for name in optional {
            switch parts[name] {
            case nil, .null, "": continue
            case let part?:
                guard let bytes = part.stringValue.flatMap(bytes) else {
                    throw IdentityToolkitError(.invalidAuthenticatorResponse)
                }
                response[name] = .string(bytes.base64URL)
            }
        }
        if case .array? = parts["transports"] { response["transports"] = parts["transports"] }
        var credential: [String: JSONValue] = [
            "id": .string(id.base64URL), "rawId": .string(id.base64URL),
            "type": members["type"] ?? members["credentialType"] ?? .string("public-key"),
            "response": .object(response),
        ]
        if let results = members["clientExtensionResults"], case .object = results {
            credential["clientExtensionResults"] = results
        }
        return .object(credential)
    }
}
