import Crypto
import Foundation
import JSON
import PasskeyTestSupport
import Passkeys
import Testing

/// Each check of an assertion, broken alone.
@Suite struct AssertionCheckTests {
    private func expect(
        _ fault: PasskeyFault, user: [UInt8]? = nil, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout Site, inout CredentialRecord) throws -> Void
    ) throws {
        var site = try Site()
        var record = try site.register().credential
        try site.signIn(with: record)
        try change(&site, &record)
        #expect(throws: fault, sourceLocation: sourceLocation) { try site.signIn(with: record, user: user) }
    }

    private func expect(
        _ fault: PasskeyFault, user: [UInt8]? = nil, sourceLocation: SourceLocation = #_sourceLocation,
        response change: (inout AuthenticationResponse) -> Void
    ) throws {
        let site = try Site()
        let record = try site.register().credential
        var response = try site.assertion()
        try site.signIn(response, with: record)
        change(&response)
        #expect(throws: fault, sourceLocation: sourceLocation) { try site.signIn(response, with: record, user: user) }
    }

    @Test func `1: the message`() throws {
        try expect(.messageTooLarge, response: { $0.signature += [UInt8](repeating: 0, count: 65_536) })
        try expect(.wrongCredentialType, response: { $0.type = "" })
        try expect(.idMismatch, response: { $0.id += "A" })
    }

    @Test func `2: client data`() throws {
        try expect(.clientDataTooLarge, response: { $0.clientDataJSON += [UInt8](repeating: 0x20, count: 4096) })
        try expect(.malformedClientData, response: { $0.clientDataJSON = [] })
        try expect(.wrongCeremony) { site, _ in site.authenticator.clientData["type"] = "webauthn.create" }
    }

    @Test func `3: another challenge`() throws {
        let other = [0xA0] + [UInt8](33..<64)
        try expect(.wrongChallenge) { site, _ in site.authenticator.clientData["challenge"] = other.base64URL }
    }

    @Test func `4: origin and frames`() throws {
        try expect(.originNotAllowed) { site, _ in site.authenticator.origin = "https://login.example.org:444" }
        try expect(.crossOriginNotAllowed) { site, _ in site.authenticator.clientData["crossOrigin"] = true }
        try expect(.topOriginNotAllowed) { site, _ in site.authenticator.clientData["topOrigin"] = "https://a.example" }
    }

    @Test
    func `A credential of the page's host counts where that is asked for, of that very host, and nowhere else`() throws
    {
        let host = "login.example.org"
        let site = try Site(origins: ["https://login.example.org", "https://www.example.org", "https://example.org"])
        func registration(_ rpID: String) throws -> RegistrationResponse {
            let made = site.authenticator.register(challenge: site.creation.challenge, rpID: rpID)
            return try RegistrationResponse(parsing: Array(site.authenticator.registrationJSON(made)))
        }
        func register(_ rpID: String, takesHost: Bool = true) throws -> CredentialRecord {
            try site.party.verifyRegistration(
                registration(rpID), options: site.creation, takesHost: takesHost, at: Site.time
            ).credential
        }
        #expect(try register(host).rpID == host)
        #expect(try register("example.org").rpID == "example.org")
        #expect(throws: PasskeyFault.wrongRelyingParty) { try register(host, takesHost: false) }
        for other in ["www.example.org", "org", "evil.example", "LOGIN.example.org", ""] {
            #expect(throws: PasskeyFault.wrongRelyingParty, "\(other)") { try register(other) }
        }

        let record = try register(host)
        func signIn(_ rpID: String, origin: String = "https://login.example.org", takesHost: Bool = true) throws {
            var authenticator = site.authenticator
            authenticator.origin = origin
            let made = try authenticator.assert(challenge: site.request.challenge, rpID: rpID)
            _ = try site.party.verifyAssertion(
                AuthenticationResponse(parsing: Array(authenticator.assertionJSON(made))), options: site.request,
                credential: record, takesHost: takesHost)
        }
        try signIn(host)
        #expect(throws: PasskeyFault.wrongRelyingParty) { try signIn(host, takesHost: false) }
        #expect(throws: PasskeyFault.wrongRelyingParty) { try signIn("example.org") }
        for origin in ["https://www.example.org", "https://example.org"] {
            #expect(throws: PasskeyFault.wrongRelyingParty, "\(origin)") { try signIn(host, origin: origin) }
        }
    }

    @Test func `5: the user`() throws {
        try expect(.missingUserHandle, response: { $0.userHandle = nil })
        try expect(.userMismatch, response: { $0.userHandle = Array("user-2".utf8) })
        try expect(.userMismatch, response: { $0.userHandle = [] })
        try expect(.userMismatch, user: Array("user-2".utf8), response: { $0.userHandle = nil })
        try expect(.userMismatch, user: Array("user-1".utf8), response: { $0.userHandle = Array("user-2".utf8) })
        try expect(.userMismatch, user: Array("user-2".utf8), response: { $0.userHandle = Array("user-2".utf8) })
        let site = try Site()
        var response = try site.assertion()
        response.userHandle = nil
        try site.signIn(response, with: site.register().credential, user: Array("user-1".utf8))
    }

    @Test func `6: the credential`() throws {
        try expect(.credentialNotAllowed) { _, record in record.id[0] ^= 1 }
        try expect(.credentialNotAllowed) { site, _ in
            site.request.allowCredentials = [CredentialDescriptor(id: [1, 2, 3])]
        }
    }

    @Test func `7: the relying party`() throws {
        try expect(.wrongRelyingParty) { site, _ in site.authenticator.rpID = "login.example.org" }
        try expect(.wrongRelyingParty) { _, record in record.rpID = "login.example.org" }
        try expect(.wrongRelyingParty) { site, _ in site.request.rpId = "login.example.org" }
        try expect(.malformedAuthenticatorData, response: { $0.authenticatorData.removeLast() })
    }

    @Test func `8 and 9: presence and verification`() throws {
        try expect(.userNotPresent) { site, _ in site.authenticator.isUserPresent = false }
        try expect(.userNotVerified) { site, _ in site.authenticator.isUserVerified = false }
        var site = try Site()
        var record = try site.register().credential
        record.uvInitialized = false
        site.request.userVerification = .preferred
        // Verification that the options do not require counts as well.
        let verified = try site.signIn(with: record)
        #expect(verified.isUserVerified && verified.credential.uvInitialized)
        site.authenticator.isUserVerified = false
        let present = try site.signIn(with: record)
        #expect(!present.isUserVerified && !present.credential.uvInitialized)
    }

    @Test func `10: backup flags`() throws {
        try expect(.backedUpWithoutEligibility) { site, _ in site.authenticator.isBackedUp = true }
        try expect(.backupEligibilityChanged) { site, _ in site.authenticator.isBackupEligible = true }
        try expect(.backupEligibilityChanged) { _, record in record.backupEligible = true }
        var site = try Site()
        site.authenticator.isBackupEligible = true
        let record = try site.register().credential
        site.authenticator.isBackedUp = true
        #expect(try site.signIn(with: record).credential.backupState)
    }

    @Test func `11: parts and signature`() throws {
        try expect(.trailingAuthenticatorData) { site, _ in site.authenticator.trailing = [0] }
        try expect(.malformedExtensions) { site, _ in site.authenticator.otherFlags = 0x80 }
        try expect(.malformedAttestedCredential) { site, _ in site.authenticator.otherFlags = 0x40 }
        try expect(.unexpectedAttestedCredential) { site, _ in
            let authenticator = site.authenticator
            site.authenticator.otherFlags = 0x40
            site.authenticator.trailing =
                authenticator.aaguid + [0, 16] + authenticator.credentialID + authenticator.coseKey
        }
        try expect(.invalidSignature) { site, _ in site.authenticator.key = .init() }
        try expect(.invalidSignature, response: { $0.signature = [] })
        try expect(.invalidSignature, response: { $0.signature.append(0) })
        try expect(.invalidSignature, response: { $0.clientDataJSON.append(0x20) })
    }

    @Test(arguments: [(0, 0, true), (0, 1, true), (1, 2, true), (5, 5, false), (5, 4, false), (5, 0, false)])
    func `12: counters that do not grow`(stored: UInt32, sent: UInt32, isRight: Bool) throws {
        var site = try Site()
        site.authenticator.signCount = stored
        let record = try site.register().credential
        #expect(record.signCount == stored)
        site.authenticator.signCount = sent
        if isRight {
            #expect(try site.signIn(with: record).credential.signCount == sent)
        } else {
            #expect(throws: PasskeyFault.counterNotIncreased) { try site.signIn(with: record) }
        }
        let reported = try site.signIn(with: record, counter: .report)
        #expect(reported.isCounterSuspicious == !isRight)
        #expect(reported.credential.signCount == max(stored, sent))
    }

    @Test func `the earlier check speaks first`() throws {
        try expect(.wrongChallenge) { site, record in
            site.authenticator.clientData["challenge"] = "AQ"
            site.authenticator.origin = "null"
            record.id = []
        }
        try expect(.userNotPresent) { site, _ in
            site.authenticator.isUserPresent = false
            site.authenticator.isUserVerified = false
            site.authenticator.key = .init()
        }
        try expect(.invalidSignature) { site, record in
            site.authenticator.key = .init()
            record.signCount = 9
        }
    }

    @Test func `a stored key that is damaged is refused`() throws {
        try expect(.malformedPublicKey) { _, record in record.publicKey.removeLast() }
    }
}
