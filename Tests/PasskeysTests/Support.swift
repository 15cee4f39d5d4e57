import Foundation
import PasskeyTestSupport
import Passkeys

/// A relying party and an authenticator that fit together, until a test changes one of them.
struct Site {
    static let time = Date(timeIntervalSince1970: 1_790_000_000)

    var party: RelyingParty
    var authenticator: SoftwareAuthenticator
    var creation: CreationOptions
    var request: RequestOptions

    init(origins: [String] = ["https://login.example.org"]) throws {
        party = try RelyingParty(id: "example.org", name: "Example", origins: origins)
        let handle = Array("user-1".utf8)
        authenticator = SoftwareAuthenticator(origin: "https://login.example.org", userHandle: handle)
        creation = CreationOptions(
            relyingParty: party, user: CreationOptions.User(id: handle, name: "ada", displayName: "Ada"),
            challenge: Array(0..<32))
        request = RequestOptions(relyingParty: party, challenge: Array(32..<64))
    }

    func registration() throws -> RegistrationResponse {
        let made = authenticator.register(challenge: creation.challenge, rpID: party.id)
        return try RegistrationResponse(parsing: Array(authenticator.registrationJSON(made)))
    }

    func assertion() throws -> AuthenticationResponse {
        let made = try authenticator.assert(challenge: request.challenge, rpID: party.id)
        return try AuthenticationResponse(parsing: Array(authenticator.assertionJSON(made)))
    }

    @discardableResult
    func register(
        _ response: RegistrationResponse? = nil, attestation: AttestationPolicy = .none, isConditional: Bool = false
    ) throws -> VerifiedRegistration {
        try party.verifyRegistration(
            response ?? registration(), options: creation, attestation: attestation, isConditional: isConditional,
            at: Self.time)
    }

    @discardableResult
    func signIn(
        _ response: AuthenticationResponse? = nil, with record: CredentialRecord, user: [UInt8]? = nil,
        counter: CounterPolicy = .refuse
    ) throws -> VerifiedAssertion {
        try party.verifyAssertion(
            response ?? assertion(), options: request, credential: record, user: user, counter: counter)
    }
}
