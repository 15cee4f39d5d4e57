import Crypto
import Foundation
import PasskeyTestSupport
import Passkeys
import SwiftASN1
import Testing
import X509

/// Statements of every format, right and with one thing wrong.
@Suite struct StatementTests {
    private let root: Authority
    private let signer = Signer()

    init() throws { root = try Authority("Root") }

    private func trust(
        roots: [TrustAnchor]? = nil, _ change: (inout SoftwareAuthenticator) throws -> Void
    ) throws -> AttestationTrust {
        var site = try Site()
        try change(&site.authenticator)
        return try site.register(attestation: .direct(roots: roots ?? [try root.anchor()])).credential.attestation.trust
    }

    private func expect(
        _ fault: AttestationFault, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout SoftwareAuthenticator) throws -> Void
    ) throws {
        #expect(throws: PasskeyFault.invalidAttestation(fault), sourceLocation: sourceLocation) { try trust(change) }
    }

    // MARK: packed

    private func packed(
        _ authenticator: inout SoftwareAuthenticator, algorithm: Int = -7, chain: [[UInt8]], signer: Signer? = nil
    ) {
        let signer = signer ?? self.signer
        authenticator.statement = { data, hash in
            (
                "packed",
                .map([
                    (.text("alg"), .int(algorithm)), (.text("sig"), signer.signature(data + hash)),
                    (.text("x5c"), .array(chain.map { .bytes($0) })),
                ])
            )
        }
    }

    private func leaf(
        subject: DistinguishedName? = nil, extensions: [Certificate.Extension] = [], by authority: Authority? = nil,
        start: Date = Authority.start, end: Date = Authority.end
    ) throws -> [UInt8] {
        try (authority ?? root).certify(
            signer.key.publicKey, subject: subject ?? attestationSubject(), extensions: [.notAuthority()] + extensions,
            start: start, end: end)
    }

    @Test func `A packed certificate that meets the requirements is trusted`() throws {
        #expect(try trust { packed(&$0, chain: [try leaf()]) } == .trusted)
        #expect(try trust(roots: []) { packed(&$0, chain: [try leaf()]) } == .untrusted)
        let other = try Authority("Other")
        #expect(try trust(roots: [other.anchor()]) { packed(&$0, chain: [try leaf()]) } == .untrusted)
    }

    @Test func `Each requirement of section 8_2_1 is asked for`() throws {
        for subject in [
            try attestationSubject(country: nil), try attestationSubject(organization: nil),
            try attestationSubject(name: nil), try attestationSubject(unit: []),
            try attestationSubject(unit: ["Authenticator attestation"]),
            try attestationSubject(unit: ["Authenticator Attestation", "Other"]),
        ] {
            try expect(.certificateRequirements) { packed(&$0, chain: [try leaf(subject: subject)]) }
        }
        let authority = try Certificate.Extension(
            BasicConstraints.isCertificateAuthority(maxPathLength: nil), critical: true)
        for extensions in [[], [authority]] {
            let certificate = try root.certify(
                signer.key.publicKey, subject: attestationSubject(), extensions: extensions)
            try expect(.certificateRequirements) { packed(&$0, chain: [certificate]) }
        }
    }

    @Test func `A packed certificate names the model of the authenticator or none`() throws {
        let model = [UInt8](1...16)
        let with = { (found: Certificate.Extension) in
            { (authenticator: inout SoftwareAuthenticator) in
                authenticator.aaguid = model
                packed(&authenticator, chain: [try leaf(extensions: [found])])
            }
        }
        #expect(try trust(with(.aaguid(model))) == .trusted)
        try expect(.aaguidMismatch, with(.aaguid([UInt8](repeating: 0, count: 16))))
        try expect(.aaguidMismatch, with(.aaguid([])))
        try expect(.certificateRequirements, with(.aaguid(model, isCritical: true)))
        let bare = Certificate.Extension(oid: [1, 3, 6, 1, 4, 1, 45724, 1, 1, 4], critical: false, value: model[...])
        try expect(.malformedCertificate, with(bare))
    }

    @Test func `A packed statement with a wrong algorithm, signature or chain is refused`() throws {
        let right = try leaf()
        try expect(.unsupportedAlgorithm) { packed(&$0, algorithm: -9, chain: [right]) }
        try expect(.unsupportedAlgorithm) { packed(&$0, algorithm: -65_535, chain: [right]) }
        for other in [-35, -257, -8] { try expect(.invalidSignature) { packed(&$0, algorithm: other, chain: [right]) } }
        try expect(.invalidSignature) { packed(&$0, chain: [right], signer: Signer()) }
        try expect(.malformedStatement) { packed(&$0, chain: []) }
        try expect(.malformedStatement) { packed(&$0, chain: [[UInt8]](repeating: right, count: 7)) }
        try expect(.malformedCertificate) { packed(&$0, chain: [[]]) }
        try expect(.malformedCertificate) { packed(&$0, chain: [right + [0]]) }
        try expect(.malformedCertificate) { packed(&$0, chain: [right, Array(right.dropLast())]) }
        let padding = Certificate.Extension(
            oid: [1, 2, 3], critical: false, value: [UInt8](repeating: 4, count: 8000)[...])
        try expect(.malformedCertificate) { packed(&$0, chain: [try leaf(extensions: [padding])]) }
        for missing in ["alg", "sig"] {
            try expect(.malformedStatement) { authenticator in
                authenticator.statement = { data, hash in
                    let members: [(String, CBORItem)] = [
                        ("alg", .int(-7)), ("sig", signer.signature(data + hash)), ("x5c", .array([.bytes(right)])),
                    ]
                    return ("packed", .map(members.filter { $0.0 != missing }.map { (.text($0.0), $0.1) }))
                }
            }
        }
        // Without its certificates the statement is one of the credential's own key, which has not signed.
        try expect(.invalidSignature) { authenticator in
            authenticator.statement = { data, hash in
                ("packed", .map([(.text("alg"), .int(-7)), (.text("sig"), signer.signature(data + hash))]))
            }
        }
    }

    // MARK: Paths

    @Test func `an authority between leaf and root is followed, in the message or up to the root itself`() throws {
        let middle = try Authority("Middle", below: root)
        let certificate = try leaf(by: middle)
        #expect(try trust { packed(&$0, chain: [certificate, middle.certificate]) } == .trusted)
        #expect(try trust { packed(&$0, chain: [certificate, middle.certificate, root.certificate]) } == .trusted)
        #expect(try trust { packed(&$0, chain: [certificate]) } == .untrusted)
        #expect(try trust(roots: [middle.anchor()]) { packed(&$0, chain: [certificate]) } == .trusted)
        #expect(try trust(roots: [TrustAnchor(der: certificate)]) { packed(&$0, chain: [certificate]) } == .trusted)
    }

    @Test func `a certificate that another has not issued breaks the chain`() throws {
        let middle = try Authority("Middle", below: root)
        let namesake = try Authority("Middle", below: root)
        let certificate = try leaf(by: middle)
        try expect(.brokenChain) { packed(&$0, chain: [certificate, namesake.certificate]) }
        try expect(.brokenChain) { packed(&$0, chain: [certificate, root.certificate]) }
        try expect(.brokenChain) { packed(&$0, chain: [certificate, try leaf(), middle.certificate]) }
        let fake = try Authority("Root")
        try expect(.brokenChain) { packed(&$0, chain: [try leaf(by: fake)]) }
    }

    @Test func `what RFC 5280 asks of a path is asked for`() throws {
        let day = 86_400.0
        for (start, end) in [
            (Authority.start, Site.time - day), (Site.time + day, Authority.end),
        ] {
            #expect(try trust { packed(&$0, chain: [try leaf(start: start, end: end)]) } == .untrusted)
        }
        let critical = Certificate.Extension(oid: [2, 5, 29, 30], critical: true, value: der(0x30, [])[...])
        #expect(try trust { packed(&$0, chain: [try leaf(extensions: [critical])]) } == .untrusted)
        let wrong = [
            try Authority("Middle", below: root, constraints: nil),
            try Authority("Middle", below: root, constraints: .notCertificateAuthority),
            try Authority("Middle", below: root, usage: KeyUsage(digitalSignature: true)),
            try Authority("Middle", below: root, more: [critical]),
        ]
        for middle in wrong {
            #expect(try trust { packed(&$0, chain: [try leaf(by: middle), middle.certificate]) } == .untrusted)
        }
        let upper = try Authority("Upper", below: root, constraints: .isCertificateAuthority(maxPathLength: 0))
        let lower = try Authority("Lower", below: upper)
        #expect(try trust { packed(&$0, chain: [try leaf(by: upper), upper.certificate]) } == .trusted)
        #expect(
            try trust { packed(&$0, chain: [try leaf(by: lower), lower.certificate, upper.certificate]) } == .untrusted)
    }

    @Test func `roots are read from DER and PEM`() throws {
        let base64 = Data(root.certificate).base64EncodedString(options: [
            .lineLength64Characters, .endLineWithLineFeed,
        ])
        let pem = "-----BEGIN CERTIFICATE-----\n\(base64)\n-----END CERTIFICATE-----\n"
        #expect(try TrustAnchor(pem: pem) == root.anchor())
        #expect(throws: AttestationFault.malformedCertificate) { try TrustAnchor(pem: "") }
        #expect(throws: AttestationFault.malformedCertificate) { try TrustAnchor(der: [0x30, 0]) }
    }

    // MARK: fido-u2f

    private func u2f(_ authenticator: inout SoftwareAuthenticator, chain: [[UInt8]], prefix: UInt8 = 0) {
        let credential = authenticator.credentialID
        let point = Array(authenticator.key.publicKey.x963Representation)
        authenticator.isUserVerified = false
        authenticator.statement = { data, hash in
            (
                "fido-u2f",
                .map([
                    (.text("sig"), signer.signature([prefix] + data.prefix(32) + hash + credential + point)),
                    (.text("x5c"), .array(chain.map { .bytes($0) })),
                ])
            )
        }
    }

    private func registerU2F(_ change: (inout SoftwareAuthenticator) throws -> Void) throws -> AttestationTrust {
        var site = try Site()
        site.creation.authenticatorSelection.userVerification = .discouraged
        try change(&site.authenticator)
        return try site.register(attestation: .direct(roots: [try root.anchor()])).credential.attestation.trust
    }

    @Test func `A statement of U2F has one certificate of P-256 and claims nothing that U2F does not know`() throws {
        let right = try leaf()
        #expect(try registerU2F { u2f(&$0, chain: [right]) } == .trusted)
        let expect = { (fault: AttestationFault, change: (inout SoftwareAuthenticator) throws -> Void) in
            _ = #expect(throws: PasskeyFault.invalidAttestation(fault)) { try registerU2F(change) }
        }
        expect(.certificateRequirements) { u2f(&$0, chain: [right, root.certificate]) }
        expect(.invalidSignature) { u2f(&$0, chain: [right], prefix: 1) }
        expect(.malformedStatement) {
            u2f(&$0, chain: [right])
            $0.isUserVerified = true
        }
        expect(.malformedStatement) {
            u2f(&$0, chain: [right])
            $0.isBackupEligible = true
        }
        expect(.malformedStatement) {
            u2f(&$0, chain: [right])
            $0.signCount = 1
        }
        let large = try Authority.certificate(
            for: Certificate.PublicKey(P384.Signing.PrivateKey().publicKey), subject: attestationSubject(),
            issuer: root.name, signedBy: root.key, extensions: [.notAuthority()])
        expect(.certificateRequirements) { u2f(&$0, chain: [large]) }
    }

    // MARK: tpm

    private func tpm(
        _ authenticator: inout SoftwareAuthenticator, version: String = "2.0", certificate: [UInt8]? = nil,
        signer other: Signer? = nil, _ change: @escaping @Sendable (inout TPMForge) -> Void = { _ in }
    ) throws {
        let point = Array(authenticator.key.publicKey.rawRepresentation)
        let leaf = try certificate ?? aik()
        let signer = other ?? self.signer
        authenticator.statement = { data, hash in
            var forge = TPMForge(point: point)
            change(&forge)
            let info = forge.certifyInfo(data + hash)
            return (
                "tpm",
                .map([
                    (.text("ver"), .text(version)), (.text("alg"), .int(-7)), (.text("sig"), signer.signature(info)),
                    (.text("x5c"), .array([.bytes(leaf)])), (.text("pubArea"), .bytes(forge.publicArea)),
                    (.text("certInfo"), .bytes(info)),
                ])
            )
        }
    }

    private func aik(subject: DistinguishedName = DistinguishedName(), _ extensions: [Certificate.Extension]? = nil)
        throws
        -> [UInt8]
    {
        try root.certify(signer.key.publicKey, subject: subject, extensions: extensions ?? TPMForge.extensions())
    }

    @Test func `The key that a TPM certifies is the one of the credential, in this ceremony`() throws {
        #expect(try trust { try tpm(&$0) } == .trusted)
        try expect(.malformedStatement) { try tpm(&$0, version: "1.2") }
        let other = Array(P256.Signing.PrivateKey().publicKey.rawRepresentation)
        try expect(.publicKeyMismatch) { try tpm(&$0) { $0.point = other } }
        try expect(.publicKeyMismatch) { try tpm(&$0) { $0.name = [0, 0x0B] + [UInt8](repeating: 0, count: 32) } }
        // SHA-1 is no name for a key any more.
        try expect(.publicKeyMismatch) { try tpm(&$0) { $0.nameAlgorithm = [0, 4] } }
        try expect(.ceremonyMismatch) { try tpm(&$0) { $0.extraData = [UInt8](repeating: 0, count: 32) } }
        try expect(.ceremonyMismatch) { try tpm(&$0) { $0.extraData = [] } }
        try expect(.malformedStatement) { try tpm(&$0) { $0.magic[0] = 0 } }
        try expect(.malformedStatement) { try tpm(&$0) { $0.type = [0x80, 0x18] } }
        try expect(.malformedStatement) { try tpm(&$0) { $0.trailing = [0] } }
        try expect(.invalidSignature) { try tpm(&$0, signer: Signer()) }
    }

    @Test func `Each requirement of section 8_3_1 is asked for`() throws {
        try expect(.certificateRequirements) { try tpm(&$0, certificate: try aik(subject: attestationSubject())) }
        for extensions in [
            [try .notAuthority()], try TPMForge.extensions(usages: [[1, 3, 6, 1, 5, 5, 7, 3, 2]]),
            try TPMForge.extensions(names: [[2, 23, 133, 2, 1], [2, 23, 133, 2, 3]]),
            Array(try TPMForge.extensions().dropFirst()),
        ] {
            try expect(.certificateRequirements) { try tpm(&$0, certificate: try aik(extensions)) }
        }
        try expect(.aaguidMismatch) {
            try tpm(&$0, certificate: try aik(TPMForge.extensions() + [.aaguid([UInt8](1...16))]))
        }
    }

    // MARK: android-key

    private func android(
        _ authenticator: inout SoftwareAuthenticator, key: P256.Signing.PrivateKey? = nil, isDescribed: Bool = true,
        signer: P256.Signing.PrivateKey? = nil,
        _ change: @escaping @Sendable (inout AndroidForge) -> Void = { _ in }
    ) {
        let key = key ?? authenticator.key
        let signer = signer ?? key
        let root = root
        authenticator.statement = { data, hash in
            var forge = AndroidForge(challenge: hash)
            change(&forge)
            let leaf =
                (try? root.certify(
                    key.publicKey, subject: attestationSubject(),
                    extensions: isDescribed ? [forge.certificateExtension] : []))
                ?? []
            let signature = (try? signer.signature(for: Data(data + hash)).derRepresentation) ?? Data()
            return (
                "android-key",
                .map([
                    (.text("alg"), .int(-7)), (.text("sig"), .bytes(Array(signature))),
                    (.text("x5c"), .array([.bytes(leaf)])),
                ])
            )
        }
    }

    @Test func `A key of Android was made for this ceremony, for one application, to sign`() throws {
        #expect(try trust { android(&$0) } == .trusted)
        #expect(try trust { android(&$0) { $0.hardware = [] } } == .trusted)
        try expect(.publicKeyMismatch) { android(&$0, key: P256.Signing.PrivateKey()) }
        try expect(.invalidSignature) { android(&$0, signer: P256.Signing.PrivateKey()) }
        try expect(.certificateRequirements) { android(&$0, isDescribed: false) }
        try expect(.ceremonyMismatch) { android(&$0) { $0.challenge = [UInt8](repeating: 0, count: 32) } }
        try expect(.keyAuthorizations) { android(&$0) { $0.hardware.append(AndroidForge.allApplications) } }
        try expect(.keyAuthorizations) { android(&$0) { $0.software = [AndroidForge.allApplications] } }
        try expect(.keyAuthorizations) { android(&$0) { $0.hardware = [AndroidForge.origin(2)] } }
        try expect(.keyAuthorizations) { android(&$0) { $0.software = [AndroidForge.origin(2)] } }
        try expect(.keyAuthorizations) { android(&$0) { $0.hardware = [AndroidForge.purposes([0, 3])] } }
        try expect(.malformedCertificate) { android(&$0) { $0.software = [[0x30]] } }
    }

    // MARK: apple

    private func apple(
        _ authenticator: inout SoftwareAuthenticator, key: P256.Signing.PrivateKey? = nil,
        _ nonce: @escaping @Sendable ([UInt8]) -> [UInt8]? = { $0 }
    ) {
        let key = key ?? authenticator.key
        let root = root
        authenticator.statement = { data, hash in
            let value = nonce(Array(SHA256.hash(data: data + hash))).map { der(0x30, der(0xA1, der(0x04, $0))) }
            let extensions = value.map {
                [Certificate.Extension(oid: [1, 2, 840, 113635, 100, 8, 2], critical: false, value: $0[...])]
            }
            let leaf =
                (try? root.certify(key.publicKey, subject: attestationSubject(), extensions: extensions ?? [])) ?? []
            return ("apple", .map([(.text("x5c"), .array([.bytes(leaf)]))]))
        }
    }

    @Test func `A certificate of Apple is for this key and this ceremony`() throws {
        #expect(try trust { apple(&$0) } == .trusted)
        try expect(.publicKeyMismatch) { apple(&$0, key: P256.Signing.PrivateKey()) }
        try expect(.certificateRequirements) { apple(&$0) { _ in nil } }
        try expect(.ceremonyMismatch) { apple(&$0) { _ in [UInt8](repeating: 0, count: 32) } }
        try expect(.ceremonyMismatch) { apple(&$0) { _ in [] } }
    }
}
