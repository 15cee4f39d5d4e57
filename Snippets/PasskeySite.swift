// A whole relying party of passkeys: registration and sign-in. The browser's side is in the comments.

import Foundation
import Passkeys

/// What a site remembers; a real one has a database, and takes each challenge out once.
struct Memory {
    var registrations: [[UInt8]: CreationOptions] = [:]
    var signIns: [[UInt8]: RequestOptions] = [:]
    var credentials: [[UInt8]: CredentialRecord] = [:]
}

enum Refused: Error { case refused }

struct Site {
    let party: RelyingParty
    var memory = Memory()

    init() throws {
        party = try RelyingParty(id: "example.org", name: "Example", origins: ["https://login.example.org"])
    }

    private func challenge() -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        return (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    // navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
    mutating func startRegistration(of user: CreationOptions.User) throws -> Data {
        let own = memory.credentials.values.filter { $0.userHandle == user.id }
        let options = CreationOptions(
            relyingParty: party, user: user, challenge: challenge(),
            excludeCredentials: own.map { CredentialDescriptor(id: $0.id, transports: $0.transports) })
        memory.registrations[options.challenge] = options
        return try JSONEncoder().encode(options)
    }

    // …then JSON.stringify(credential.toJSON()).
    mutating func finishRegistration(_ json: Data) throws -> CredentialRecord {
        let response = try RegistrationResponse(parsing: Array(json))
        // The challenge leads to the options. It is gone from here on, whatever comes of the response.
        guard let options = memory.registrations.removeValue(forKey: try ClientData(response.clientDataJSON).challenge)
        else { throw Refused.refused }
        let verified = try party.verifyRegistration(response, options: options, at: Date())
        guard memory.credentials[verified.credential.id] == nil else { throw Refused.refused }
        memory.credentials[verified.credential.id] = verified.credential
        return verified.credential
    }

    // navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
    mutating func startSignIn() throws -> Data {
        // No list of credentials: the user is not known yet, and a list would tell who has an account.
        let options = RequestOptions(relyingParty: party, challenge: challenge())
        memory.signIns[options.challenge] = options
        return try JSONEncoder().encode(options)
    }

    /// - Returns: the user handle.
    mutating func finishSignIn(_ json: Data) throws -> [UInt8] {
        let response = try AuthenticationResponse(parsing: Array(json))
        guard let options = memory.signIns.removeValue(forKey: try ClientData(response.clientDataJSON).challenge),
            let credential = memory.credentials[response.rawID]
        else { throw Refused.refused }
        let verified = try party.verifyAssertion(response, options: options, credential: credential)
        memory.credentials[credential.id] = verified.credential
        return verified.credential.userHandle
    }
}

var site = try Site()
let ada = CreationOptions.User(id: Array("a random handle".utf8), name: "ada@example.org", displayName: "Ada")
print(String(decoding: try site.startRegistration(of: ada), as: UTF8.self))
print(String(decoding: try site.startSignIn(), as: UTF8.self))
