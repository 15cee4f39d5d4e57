import Crypto
import Foundation
import JSON
import PasskeyTestSupport
import Passkeys
import Testing

/// Each check of a registration, broken alone.
@Suite struct RegistrationCheckTests {
    private func expect(
        _ fault: PasskeyFault, sourceLocation: SourceLocation = #_sourceLocation, _ change: (inout Site) throws -> Void
    ) throws {
        var site = try Site()
        try site.register()
        try change(&site)
        #expect(throws: fault, sourceLocation: sourceLocation) { try site.register() }
    }

    private func expect(
        _ fault: PasskeyFault, sourceLocation: SourceLocation = #_sourceLocation,
        response change: (inout RegistrationResponse) -> Void
    ) throws {
        let site = try Site()
        var response = try site.registration()
        try site.register(response)
        change(&response)
        #expect(throws: fault, sourceLocation: sourceLocation) { try site.register(response) }
    }

    @Test func `a right response makes a record`() throws {
        let site = try Site()
        let made = try site.register()
        #expect(made.isUserVerified)
        let record = made.credential
        #expect(record.id == site.authenticator.credentialID)
        #expect(record.publicKey == site.authenticator.coseKey)
        #expect(record.userHandle == Array("user-1".utf8))
        #expect(record.rpID == "example.org")
        #expect(record.transports == ["internal"])
        #expect(record.uvInitialized && !record.backupEligible && !record.backupState)
        let kept = try JSONDecoder().decode(CredentialRecord.self, from: JSONEncoder().encode(record))
        #expect(kept == record)
    }

    @Test func `1: the message`() throws {
        try expect(.messageTooLarge, response: { $0.attestationObject += [UInt8](repeating: 0, count: 65_536) })
        try expect(.wrongCredentialType, response: { $0.type = "password" })
        try expect(.idMismatch, response: { $0.id += "=" })
        try expect(.idMismatch, response: { $0.id = "" })
    }

    @Test(arguments: [
        "", "[]", "null", "{}", #"{"type":"webauthn.create"}"#,
        #"{"type":1,"challenge":"AAAA","origin":"https://login.example.org"}"#,
        #"{"type":"webauthn.create","challenge":"A+==","origin":"https://login.example.org"}"#,
        #"{"type":"webauthn.create","challenge":"AAAA","origin":"https://login.example.org","crossOrigin":"no"}"#,
        #"{"type":"webauthn.create","type":"webauthn.create","challenge":"AAAA","origin":"https://login.example.org"}"#,
        #"{"type":"webauthn.create","challenge":"AAAA","origin":"https://login.example.org"} {}"#,
    ])
    func `2: client data that is no JSON object of its kind`(json: String) throws {
        try expect(.malformedClientData, response: { $0.clientDataJSON = Array(json.utf8) })
    }

    @Test func `2: client data of more than four kilobytes`() throws {
        try expect(.clientDataTooLarge, response: { $0.clientDataJSON += [UInt8](repeating: 0x20, count: 4096) })
        try expect(.malformedClientData, response: { $0.clientDataJSON[3] = 0xFF })
    }

    @Test func `2: a byte order mark in front of client data is passed over`() throws {
        let site = try Site()
        var response = try site.registration()
        response.clientDataJSON = [0xEF, 0xBB, 0xBF] + response.clientDataJSON
        try site.register(response)
    }

    @Test func `3: the other ceremony`() throws {
        try expect(.wrongCeremony) { $0.authenticator.clientData["type"] = "webauthn.get" }
    }

    @Test func `4: another challenge`() throws {
        let sent = [UInt8](0..<32)
        for other in [sent.dropLast() + [30], sent.dropLast(), sent + [32], sent.reversed()] {
            try expect(.wrongChallenge) { $0.authenticator.clientData["challenge"] = Array(other).base64URL }
        }
        try expect(.wrongChallenge) { $0.authenticator.clientData["challenge"] = "" }
        // Options without a challenge accept nothing, an empty challenge neither.
        try expect(.wrongChallenge) {
            $0.creation.challenge = []
            $0.authenticator.clientData["challenge"] = ""
        }
    }

    @Test func `5: another origin`() throws {
        try expect(.originNotAllowed) { $0.authenticator.origin = "https://example.org" }
    }

    @Test func `6: a page in a frame`() throws {
        try expect(.crossOriginNotAllowed) { $0.authenticator.clientData["crossOrigin"] = true }
        try expect(.topOriginNotAllowed) { $0.authenticator.clientData["topOrigin"] = "https://login.example.org" }
    }

    @Test func `7: an attestation object that is none`() throws {
        try expect(.malformedAttestationObject, response: { $0.attestationObject = [] })
        try expect(.malformedAttestationObject, response: { $0.attestationObject.append(0) })
        try expect(.malformedAttestationObject, response: { $0.attestationObject.removeLast() })
        for broken: CBORItem in [
            .array([]), .map([]), .map([(.text("fmt"), .text("none")), (.text("attStmt"), .map([]))]),
            .map([(.text("fmt"), .int(1)), (.text("attStmt"), .map([])), (.text("authData"), .bytes([]))]),
            .map([(.text("fmt"), .text("none")), (.text("attStmt"), .array([])), (.text("authData"), .bytes([]))]),
        ] {
            try expect(.malformedAttestationObject, response: { $0.attestationObject = broken.encoded })
        }
    }

    @Test func `8: authenticator data that are too short, or for another relying party`() throws {
        let short = CBORItem.map([
            (.text("fmt"), .text("none")), (.text("attStmt"), .map([])),
            (.text("authData"), .bytes([UInt8](repeating: 0, count: 36))),
        ])
        try expect(.malformedAuthenticatorData, response: { $0.attestationObject = short.encoded })
        try expect(.wrongRelyingParty) { $0.authenticator.rpID = "login.example.org" }
        try expect(.wrongRelyingParty) { $0.authenticator.rpID = "EXAMPLE.ORG" }
    }

    @Test func `9: no user present, but where the browser asked none`() throws {
        try expect(.userNotPresent) { $0.authenticator.isUserPresent = false }
        var site = try Site()
        site.authenticator.isUserPresent = false
        try site.register(isConditional: true)
    }

    @Test func `10: no user verified, where the options require it`() throws {
        try expect(.userNotVerified) { $0.authenticator.isUserVerified = false }
        var site = try Site()
        site.authenticator.isUserVerified = false
        site.creation.authenticatorSelection.userVerification = .preferred
        let made = try site.register()
        #expect(!made.isUserVerified && !made.credential.uvInitialized)
    }

    @Test func `11: a backup of what cannot be backed up`() throws {
        try expect(.backedUpWithoutEligibility) { $0.authenticator.isBackedUp = true }
        var site = try Site()
        site.authenticator.isBackupEligible = true
        site.authenticator.isBackedUp = true
        let record = try site.register().credential
        #expect(record.backupEligible && record.backupState)
    }

    @Test func `12: parts that the flags do not announce`() throws {
        try expect(.trailingAuthenticatorData) { $0.authenticator.trailing = [0xA0] }
        try expect(.malformedExtensions) { $0.authenticator.otherFlags = 0x80 }
        try expect(.malformedExtensions) {
            $0.authenticator.otherFlags = 0x80
            $0.authenticator.trailing = [0x80]
        }
        try expect(.trailingAuthenticatorData) {
            $0.authenticator.otherFlags = 0x80
            $0.authenticator.trailing = [0xA0, 0x00]
        }
        var site = try Site()
        site.authenticator.otherFlags = 0x80
        site.authenticator.trailing = CBORItem.map([(.text("credProtect"), .int(2))]).encoded
        try site.register()
        // An assertion's data in a registration: AT is missing.
        let assertion = try site.authenticator.assert(challenge: [], rpID: "example.org").authenticatorData
        let object = CBORItem.map([
            (.text("fmt"), .text("none")), (.text("attStmt"), .map([])),
            (.text("authData"), .bytes(assertion.prefix(32) + [5, 0, 0, 0, 0])),
        ])
        try expect(.missingAttestedCredential, response: { $0.attestationObject = object.encoded })
    }

    @Test func `13: credential ids out of bounds, or another than the message's`() throws {
        try expect(.credentialIDOutOfBounds) {
            $0.authenticator.credentialID = []
        }
        try expect(.credentialIDOutOfBounds) {
            $0.authenticator.credentialID = [UInt8](repeating: 7, count: 1024)
        }
        try expect(.credentialIDMismatch) { $0.authenticator.attestedID = [1, 2, 3] }
        var site = try Site()
        site.authenticator.credentialID = [UInt8](repeating: 7, count: 1023)
        try site.register()
    }

    @Test func `14: algorithms that were not offered`() throws {
        try expect(.algorithmNotOffered(.es256)) {
            $0.creation.pubKeyCredParams = [CreationOptions.Parameter(alg: .rs256)]
        }
        try expect(.unsupportedAlgorithm(COSEAlgorithm(rawValue: -9))) {
            $0.authenticator.publicKey = CBORItem.map([(.int(1), .int(2)), (.int(3), .int(-9))]).encoded
        }
        try expect(.malformedPublicKey) { $0.authenticator.publicKey = CBORItem.map([]).encoded }
    }

    @Test func `15: a point that is not on its curve`() throws {
        try expect(.invalidPublicKey) {
            $0.authenticator.publicKey =
                CBORItem.map([
                    (.int(1), .int(2)), (.int(3), .int(-7)), (.int(-1), .int(1)),
                    (.int(-2), .bytes([UInt8](repeating: 1, count: 32))),
                    (.int(-3), .bytes([UInt8](repeating: 1, count: 32))),
                ]).encoded
        }
    }

    @Test func `16: statements, as far as the policy looks at them`() throws {
        try expect(.invalidAttestation(.malformedStatement)) {
            $0.authenticator.statement = { _, _ in ("none", .map([(.text("a"), .int(1))])) }
        }
        var site = try Site()
        // Whatever else a statement says is passed over.
        site.authenticator.statement = { _, _ in ("of my own", .map([(.text("a"), .int(1))])) }
        try site.register()
        #expect(throws: PasskeyFault.unsupportedAttestationFormat) {
            try site.register(attestation: .direct(roots: []))
        }
        site.authenticator.statement = SoftwareAuthenticator.selfAttested(site.authenticator.key)
        #expect(try site.register(attestation: .direct(roots: [])).credential.attestation.trust == .selfAttested)
        site.authenticator.statement = SoftwareAuthenticator.selfAttested(.init())
        #expect(throws: PasskeyFault.invalidAttestation(.invalidSignature)) {
            try site.register(attestation: .direct(roots: []))
        }
        // The policy does not ask for it, so it is not judged.
        #expect(try site.register().credential.attestation.trust == .notJudged)
    }

    @Test func `17: no model of authenticators is trusted without a root`() throws {
        var site = try Site()
        site.authenticator.statement = SoftwareAuthenticator.selfAttested(site.authenticator.key)
        #expect(throws: PasskeyFault.attestationNotTrusted) {
            try site.register(
                attestation: .enforced(roots: [], allowedAAGUIDs: [.zero], allowsBackupEligible: true))
        }
    }

    @Test func `19: a credential that the options exclude`() throws {
        try expect(.credentialExcluded) {
            $0.creation.excludeCredentials = [CredentialDescriptor(id: $0.authenticator.credentialID)]
        }
    }

    @Test func `20: a credential that cannot be found without its id`() throws {
        try expect(.notDiscoverable) { $0.authenticator.isDiscoverable = false }
        for residentKey in [ResidentKey.preferred, .discouraged] {
            var site = try Site()
            site.creation.authenticatorSelection.residentKey = residentKey
            site.authenticator.isDiscoverable = false
            try site.register()
        }
        var site = try Site()
        site.authenticator.isDiscoverable = nil
        try site.register()
    }

    @Test func `the earlier check speaks first`() throws {
        try expect(.wrongCeremony) {
            $0.authenticator.clientData["type"] = "webauthn.get"
            $0.authenticator.origin = "https://example.com"
            $0.authenticator.isUserPresent = false
        }
        try expect(.wrongRelyingParty) {
            $0.authenticator.rpID = "example.com"
            $0.authenticator.isUserPresent = false
            $0.authenticator.publicKey = [0]
        }
        try expect(.userNotPresent) {
            $0.authenticator.isUserPresent = false
            $0.authenticator.isUserVerified = false
            $0.authenticator.trailing = [1]
        }
    }
}
