import Foundation
import JSON
import Passkeys
import Testing

/// WebAuthn Level 3, section 16. The bits UV, BE and BS vary, so user verification is not required.
@Suite struct VectorTests {
    @Test func `the file has all fifteen pairs and the root`() {
        #expect(Vector.all.count == 15)
        #expect(Vector.file.root.count > 400)
    }

    @Test(arguments: Vector.supported)
    func `fourteen pairs register and sign in`(vector: Vector) throws {
        let registered = try vector.register()
        #expect(registered.credential.id == vector.credentialID)
        #expect(registered.credential.attestation.trust == .notJudged)
        #expect(registered.credential.userHandle == Example.user)
        let signedIn = try vector.signIn(with: registered.credential)
        #expect(signedIn.credential.publicKey == registered.credential.publicKey)
        #expect(!signedIn.isCounterSuspicious)
    }

    @Test(arguments: Vector.supported)
    func `statements are verified, and lead to the root of the vectors`(vector: Vector) throws {
        let roots = try Example.roots()
        let trust = try vector.register(policy: .direct(roots: roots)).credential.attestation
        let expected: AttestationTrust =
            switch vector.name {
            case "packed-self-es256": .selfAttested
            case _ where vector.isSigned: .trusted
            default: .notJudged
            }
        #expect(trust.trust == expected)
        // Without the root the statement is as right, and no more is known.
        let alone = try vector.register(policy: .direct(roots: [])).credential.attestation
        #expect(alone.trust == (expected == .trusted ? .untrusted : expected))
    }

    @Test(arguments: Vector.supported)
    func `only models in the list register where that is enforced`(vector: Vector) throws {
        let roots = try Example.roots()
        let aaguid = try #require(AAGUID(vector[registration: "aaguid"]))
        let policy = { (allowed: Set<AAGUID>, synced: Bool) in
            AttestationPolicy.enforced(roots: roots, allowedAAGUIDs: allowed, allowsBackupEligible: synced)
        }
        if !vector.isSigned || vector.name == "packed-self-es256" {
            #expect(throws: PasskeyFault.attestationNotTrusted) { try vector.register(policy: policy([aaguid], true)) }
        } else if vector.name == "fido-u2f-es256" {
            // Its AAGUID is not signed.
            #expect(throws: PasskeyFault.authenticatorNotAllowed) {
                try vector.register(policy: policy([aaguid], true))
            }
        } else {
            let credential = try vector.register(policy: policy([aaguid], true)).credential
            #expect(credential.attestation.trust == .trusted)
            #expect(credential.aaguid == aaguid)
            #expect(throws: PasskeyFault.authenticatorNotAllowed) { try vector.register(policy: policy([.zero], true)) }
            if credential.backupEligible {
                #expect(throws: PasskeyFault.backupEligibleNotAllowed) {
                    try vector.register(policy: policy([aaguid], false))
                }
            }
            #expect(throws: PasskeyFault.attestationNotTrusted) {
                try vector.register(
                    policy: .enforced(roots: [], allowedAAGUIDs: [aaguid], allowsBackupEligible: true))
            }
        }
    }

    @Test func `Ed448 is refused as unsupported`() throws {
        let vector = try #require(Vector.all.first { $0.name == "packed-ed448" })
        #expect(throws: PasskeyFault.unsupportedAlgorithm(COSEAlgorithm(rawValue: -53))) { try vector.register() }
    }

    @Test(arguments: ["none-es256-crossOrigin", "none-es256-topOrigin"])
    func `pages in frames need the setting`(name: String) throws {
        let vector = try #require(Vector.all.first { $0.name == name })
        #expect(throws: PasskeyFault.crossOriginNotAllowed) { try vector.register(framing: .refused) }
        let record = try vector.register().credential
        #expect(throws: PasskeyFault.crossOriginNotAllowed) { try vector.signIn(with: record, framing: .refused) }
        let elsewhere = RelyingParty.Framing.allowed(topOrigins: ["https://example.net"])
        if name.hasSuffix("topOrigin") {
            #expect(throws: PasskeyFault.topOriginNotAllowed) { try vector.register(framing: elsewhere) }
            #expect(throws: PasskeyFault.topOriginNotAllowed) { try vector.signIn(with: record, framing: elsewhere) }
        }
    }

    @Test(arguments: Vector.supported)
    func `no pair's assertion passes with another's key`(vector: Vector) throws {
        let record = try vector.register().credential
        for other in Vector.supported where other.name != vector.name {
            var swapped = record
            swapped.publicKey = try other.register().credential.publicKey
            #expect(throws: PasskeyFault.invalidSignature) { try vector.signIn(with: swapped) }
        }
    }
}

/// Forty bits of every field, each turned over alone.
@Suite struct BitFlipTests {
    private static func flips(of bytes: [UInt8], in range: Range<Int>? = nil, seed: UInt64) -> [[UInt8]] {
        var random = Seeded(state: seed)
        let range = range ?? bytes.indices
        guard !range.isEmpty else { return [] }
        let bits = (range.lowerBound * 8..<range.upperBound * 8).shuffled(using: &random).prefix(40)
        return bits.map { bit in
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            return changed
        }
    }

    @Test(arguments: Vector.supported)
    func `no assertion with a bit turned over is accepted`(vector: Vector) throws {
        let record = try vector.register().credential
        let right = vector.assertion
        _ = try vector.signIn(right, with: record)
        let fields: [WritableKeyPath<AuthenticationResponse, [UInt8]>] = [
            \.rawID, \.clientDataJSON, \.authenticatorData, \.signature,
        ]
        for (seed, field) in fields.enumerated() {
            for changed in Self.flips(of: right[keyPath: field], seed: UInt64(seed)) {
                var response = right
                response[keyPath: field] = changed
                #expect(throws: PasskeyFault.self) { try vector.signIn(response, with: record) }
            }
        }
        for changed in Self.flips(of: right.rawID, seed: 4) {
            let response = AuthenticationResponse(
                rawID: changed, clientDataJSON: right.clientDataJSON, authenticatorData: right.authenticatorData,
                signature: right.signature, userHandle: right.userHandle)
            #expect(throws: PasskeyFault.credentialNotAllowed) { try vector.signIn(response, with: record) }
        }
        for changed in Self.flips(of: Example.user, seed: 5) {
            var response = right
            response.userHandle = changed
            #expect(throws: PasskeyFault.userMismatch) { try vector.signIn(response, with: record) }
        }
        for changed in Self.flips(of: record.publicKey, seed: 6) {
            var other = record
            other.publicKey = changed
            #expect(throws: PasskeyFault.self) { try vector.signIn(with: other) }
        }
    }

    @Test(arguments: Vector.supported.filter(\.isSigned))
    func `no signed registration with a bit turned over is accepted`(vector: Vector) throws {
        let policy = AttestationPolicy.direct(roots: try Example.roots())
        let right = vector.response
        _ = try vector.register(right, policy: policy)
        // U2F does not sign the model, and Level 3 asks nothing of it.
        let unsigned = vector.name == "fido-u2f-es256" ? vector[registration: "aaguid"] : []
        for (seed, field) in [\RegistrationResponse.rawID, \.clientDataJSON, \.attestationObject].enumerated() {
            for changed in Self.flips(of: right[keyPath: field], seed: UInt64(seed)) {
                var response = right
                response[keyPath: field] = changed
                if field == \.attestationObject, !unsigned.isEmpty, !changed.contains(unsigned) { continue }
                #expect(throws: PasskeyFault.self) { try vector.register(response, policy: policy) }
            }
        }
    }

    @Test(arguments: Vector.all.filter { !$0.isSigned })
    func `no bit of what is checked without a statement may turn over`(vector: Vector) throws {
        let right = vector.response
        let client = right.clientDataJSON
        let text = String(decoding: client, as: UTF8.self)
        for (seed, part) in ["webauthn.create", vector[registration: "challenge"].base64URL, "https://example.org"]
            .enumerated()
        {
            let found = try #require(text.range(of: part))
            let range = found.lowerBound.utf16Offset(in: text)..<found.upperBound.utf16Offset(in: text)
            for changed in Self.flips(of: client, in: range, seed: UInt64(seed)) {
                var response = right
                response.clientDataJSON = changed
                #expect(throws: PasskeyFault.self) { try vector.register(response) }
            }
        }
        // Authenticator data is the object's last member: hash (32), flags, counter (4), AAGUID (16), length (2), id, key.
        let object = right.attestationObject
        let id = vector.credentialID.count
        let key = try vector.register().credential.publicKey.count
        let start = object.count - key - id - 55
        let parts = [start..<start + 32, start + 53..<start + 55 + id, object.count - key..<object.count]
        for (seed, range) in parts.enumerated() {
            for changed in Self.flips(of: object, in: range, seed: UInt64(seed)) {
                var response = right
                response.attestationObject = changed
                #expect(throws: PasskeyFault.self) { try vector.register(response) }
            }
        }
    }
}

extension [UInt8] {
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: part) }
    }
}
