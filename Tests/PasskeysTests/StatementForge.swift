import Crypto
import Foundation
import PasskeyTestSupport
import Passkeys
import SwiftASN1
import X509

/// A tag, a length and contents (X.690, section 8.1).
func der(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] { derHead([tag], contents) }

func derHead(_ tag: [UInt8], _ contents: [UInt8]) -> [UInt8] {
    let count = contents.count
    let length: [UInt8] =
        switch count {
        case ..<0x80: [UInt8(count)]
        case ..<0x100: [0x81, UInt8(count)]
        default: [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
        }
    return tag + length + contents
}

/// An authority that makes certificates, right ones and others.
struct Authority {
    let key: P256.Signing.PrivateKey
    let name: DistinguishedName
    let certificate: [UInt8]

    static let start = Date(timeIntervalSince1970: 1_700_000_000)
    static let end = Date(timeIntervalSince1970: 1_900_000_000)

    /// A root, or an authority below another.
    init(
        _ text: String, below issuer: Authority? = nil,
        constraints: BasicConstraints? = .isCertificateAuthority(maxPathLength: nil),
        usage: KeyUsage? = KeyUsage(keyCertSign: true), more: [Certificate.Extension] = []
    ) throws {
        key = P256.Signing.PrivateKey()
        name = try DistinguishedName { CommonName(text) }
        var extensions = more
        if let constraints { extensions.append(try Certificate.Extension(constraints, critical: true)) }
        if let usage { extensions.append(try Certificate.Extension(usage, critical: true)) }
        certificate = try Self.certificate(
            for: Certificate.PublicKey(key.publicKey), subject: name, issuer: issuer?.name ?? name,
            signedBy: issuer?.key ?? key, extensions: extensions)
    }

    static func certificate(
        for publicKey: Certificate.PublicKey, subject: DistinguishedName, issuer: DistinguishedName,
        signedBy key: P256.Signing.PrivateKey, extensions: [Certificate.Extension], start: Date = start, end: Date = end
    ) throws -> [UInt8] {
        let made = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(bytes: [1, 2, 3]), publicKey: publicKey,
            notValidBefore: start, notValidAfter: end, issuer: issuer, subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256, extensions: Certificate.Extensions(extensions),
            issuerPrivateKey: Certificate.PrivateKey(key))
        var serializer = DER.Serializer()
        try serializer.serialize(made)
        return serializer.serializedBytes
    }

    func certify(
        _ publicKey: P256.Signing.PublicKey, subject: DistinguishedName, extensions: [Certificate.Extension],
        start: Date = start, end: Date = end
    ) throws -> [UInt8] {
        try Self.certificate(
            for: Certificate.PublicKey(publicKey), subject: subject, issuer: name, signedBy: key,
            extensions: extensions,
            start: start, end: end)
    }

    func anchor() throws -> TrustAnchor { try TrustAnchor(der: certificate) }
}

extension Certificate.Extension {
    static func notAuthority() throws -> Self {
        try Certificate.Extension(BasicConstraints.notCertificateAuthority, critical: true)
    }

    /// 1.3.6.1.4.1.45724.1.1.4.
    static func aaguid(_ bytes: [UInt8], isCritical: Bool = false) -> Self {
        Certificate.Extension(
            oid: [1, 3, 6, 1, 4, 1, 45724, 1, 1, 4], critical: isCritical, value: der(0x04, bytes)[...])
    }
}

/// The subject of a leaf for `packed`.
func attestationSubject(
    country: String? = "DE", organization: String? = "Example", unit: [String] = ["Authenticator Attestation"],
    name: String? = "Key"
) throws -> DistinguishedName {
    var parts: [RelativeDistinguishedName] = []
    if let country { parts.append(RelativeDistinguishedName(try .init(type: [2, 5, 4, 6], printableString: country))) }
    if let organization {
        parts.append(RelativeDistinguishedName(.init(type: [2, 5, 4, 10], utf8String: organization)))
    }
    for unit in unit { parts.append(RelativeDistinguishedName(.init(type: [2, 5, 4, 11], utf8String: unit))) }
    if let name { parts.append(RelativeDistinguishedName(.init(type: [2, 5, 4, 3], utf8String: name))) }
    return DistinguishedName(parts)
}

/// What a statement of `packed`, `fido-u2f` or `tpm` is signed with.
struct Signer {
    let key = P256.Signing.PrivateKey()

    func signature(_ bytes: [UInt8]) -> CBORItem {
        .bytes((try? key.signature(for: Data(bytes)).derRepresentation).map { Array($0) } ?? [])
    }
}

/// The structures of a TPM for a key on P-256 (TPM 2.0 Library, part 2).
struct TPMForge {
    var nameAlgorithm: [UInt8] = [0x00, 0x0B]
    var magic: [UInt8] = [0xFF, 0x54, 0x43, 0x47]
    var type: [UInt8] = [0x80, 0x17]
    var point: [UInt8]
    var name: [UInt8]?
    var extraData: [UInt8]?
    var trailing: [UInt8] = []

    var publicArea: [UInt8] {
        [0x00, 0x23] + nameAlgorithm + [
            0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x10, 0x00, 0x03, 0x00, 0x10,
        ]
            + [0, 32] + point.prefix(32) + [0, 32] + point.suffix(32)
    }

    func certifyInfo(_ signed: [UInt8]) -> [UInt8] {
        let name = name ?? nameAlgorithm + SHA256.hash(data: publicArea)
        let data = extraData ?? Array(SHA256.hash(data: signed))
        return magic + type + [0, 0] + [0, UInt8(data.count)] + data + [UInt8](repeating: 0, count: 25)
            + [0, UInt8(name.count)] + name + [0, 0] + trailing
    }

    /// Manufacturer, model and version, and the usage of attestation keys.
    static func extensions(
        usages: [ASN1ObjectIdentifier] = [[2, 23, 133, 8, 3]],
        names: [ASN1ObjectIdentifier] = [
            [2, 23, 133, 2, 1], [2, 23, 133, 2, 2], [2, 23, 133, 2, 3],
        ]
    ) throws -> [Certificate.Extension] {
        let directory = DistinguishedName(
            names.map { RelativeDistinguishedName(.init(type: $0, utf8String: "id:00000000")) })
        return [
            try .notAuthority(),
            try Certificate.Extension(
                ExtendedKeyUsage(usages.map { ExtendedKeyUsage.Usage(oid: $0) }), critical: false),
            try Certificate.Extension(SubjectAlternativeNames([.directoryName(directory)]), critical: true),
        ]
    }
}

/// The extension of Android's keystore.
struct AndroidForge {
    var challenge: [UInt8]
    /// Members of the lists of software and of the secure environment.
    var software: [[UInt8]] = []
    var hardware: [[UInt8]] = [Self.purposes([2]), Self.origin(0)]

    /// `[1] EXPLICIT SET OF INTEGER`.
    static func purposes(_ values: [UInt8]) -> [UInt8] {
        derHead([0xA1], der(0x31, values.flatMap { der(0x02, [$0]) }))
    }

    /// `[702] EXPLICIT INTEGER`.
    static func origin(_ value: UInt8) -> [UInt8] { derHead([0xBF, 0x85, 0x3E], der(0x02, [value])) }

    /// `[600] EXPLICIT NULL`.
    static let allApplications = derHead([0xBF, 0x84, 0x58], der(0x05, []))

    var certificateExtension: Certificate.Extension {
        let value = der(
            0x30,
            der(0x02, [3]) + der(0x0A, [1]) + der(0x02, [4]) + der(0x0A, [1]) + der(0x04, challenge) + der(0x04, [])
                + der(0x30, software.flatMap { $0 }) + der(0x30, hardware.flatMap { $0 }))
        return Certificate.Extension(oid: [1, 3, 6, 1, 4, 1, 11129, 2, 1, 17], critical: false, value: value[...])
    }
}
