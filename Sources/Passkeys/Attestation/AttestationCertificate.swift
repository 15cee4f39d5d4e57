import SwiftASN1

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ASN1ObjectIdentifier {
    static let countryName: Self = [2, 5, 4, 6]
    static let organizationName: Self = [2, 5, 4, 10]
    static let organizationalUnitName: Self = [2, 5, 4, 11]
    static let commonName: Self = [2, 5, 4, 3]
    static let tpmManufacturer: Self = [2, 23, 133, 2, 1]
    static let tpmModel: Self = [2, 23, 133, 2, 2]
    static let tpmVersion: Self = [2, 23, 133, 2, 3]
    static let tpmAttestationKey: Self = [2, 23, 133, 8, 3]
    static let fidoAAGUID: Self = [1, 3, 6, 1, 4, 1, 45724, 1, 1, 4]
    static let androidKeyDescription: Self = [1, 3, 6, 1, 4, 1, 11129, 2, 1, 17]
    static let appleNonce: Self = [1, 2, 840, 113635, 100, 8, 2]
    static let subjectKeyIdentifier: Self = [2, 5, 29, 14]
    static let keyUsage: Self = [2, 5, 29, 15]
    static let subjectAlternativeName: Self = [2, 5, 29, 17]
    static let basicConstraints: Self = [2, 5, 29, 19]
    static let authorityKeyIdentifier: Self = [2, 5, 29, 35]
    static let extendedKeyUsage: Self = [2, 5, 29, 37]
}

/// A certificate (RFC 5280, section 4.1) in as far as attestation needs it.
///
/// swift-certificates is not used: every app that takes a client module would download it, and its verifier is asynchronous.
struct AttestationCertificate {
    /// A certificate of an authenticator has two kilobytes at most; what DER of this size parses to is bounded by it.
    static let sizeLimit = 8192

    let encoded: ArraySlice<UInt8>
    let isVersion3: Bool
    let issuerName: ArraySlice<UInt8>
    let subjectName: ArraySlice<UInt8>
    let subject: [NameAttribute]
    let notBefore: Date
    let notAfter: Date
    /// Nil for a key of a kind that is not verified.
    let key: VerificationKey?
    let extensions: [ASN1ObjectIdentifier: Extension]
    /// Of `basicConstraints`; nil where the extension is missing.
    let isAuthority: Bool?
    let pathLength: Int?
    /// Whether the key may sign certificates; nil where the extension is missing.
    let signsCertificates: Bool?
    let extendedKeyUsages: [ASN1ObjectIdentifier]
    /// The names of the directory in `subjectAltName`.
    let alternativeDirectoryName: [NameAttribute]
    let subjectKeyID: ArraySlice<UInt8>?
    let authorityKeyID: ArraySlice<UInt8>?
    private let signedBytes: ArraySlice<UInt8>
    /// Nil for an algorithm that is not verified.
    private let scheme: VerificationKey.Scheme?
    private let signature: ArraySlice<UInt8>

    struct NameAttribute {
        var type: ASN1ObjectIdentifier
        var text: String
    }

    struct Extension {
        var isCritical: Bool
        var value: ArraySlice<UInt8>

        /// The bytes, where the value is an OCTET STRING.
        func octetString() -> ArraySlice<UInt8>? {
            (try? DER.parse(value)).flatMap { try? ASN1OctetString(derEncoded: $0) }?.bytes
        }
    }

    func has(_ type: ASN1ObjectIdentifier) -> Bool { subject.contains { $0.type == type && !$0.text.isEmpty } }

    /// Whether this certificate names the other as its issuer, and the other's key has signed it; nil where keys or algorithms are of
    /// kinds that are not verified.
    func isIssued(by issuer: AttestationCertificate) -> Bool? {
        guard issuerName == issuer.subjectName else { return false }
        guard let scheme, let key = issuer.key else { return nil }
        return key.isValid(signature, over: Array(signedBytes), by: scheme)
    }

    init(_ bytes: ArraySlice<UInt8>) throws {
        guard bytes.count <= Self.sizeLimit else { throw ASN1Error.invalidASN1Object(reason: "too large") }
        encoded = bytes
        let whole = try DER.sequence(try DER.parse(bytes), identifier: .sequence) { nodes in
            guard let tbs = nodes.next() else { throw ASN1Error.invalidASN1Object(reason: "empty") }
            let algorithm = try AlgorithmIdentifier(&nodes)
            return (tbs: tbs, algorithm: algorithm, signature: try ASN1BitString(derEncoded: &nodes))
        }
        signedBytes = whole.tbs.encodedBytes
        guard whole.signature.paddingBits == 0 else { throw ASN1Error.invalidASN1Object(reason: "padding") }
        signature = whole.signature.bytes
        let parts = try Parts(whole.tbs)
        guard parts.algorithm == whole.algorithm else { throw ASN1Error.invalidASN1Object(reason: "two algorithms") }
        scheme = whole.algorithm.scheme
        isVersion3 = parts.version == 2
        issuerName = parts.issuer.encodedBytes
        subjectName = parts.subject.encodedBytes
        subject = try Self.attributes(ofName: parts.subject)
        notBefore = parts.notBefore
        notAfter = parts.notAfter
        key = parts.key
        extensions = parts.extensions

        let constraints = try extensions[.basicConstraints].map { try Self.basicConstraints($0.value) }
        isAuthority = constraints?.isAuthority
        pathLength = constraints?.pathLength
        signsCertificates = try extensions[.keyUsage].map {
            // keyCertSign is bit 5, counted from the highest (RFC 5280, section 4.2.1.3).
            (try ASN1BitString(derEncoded: try DER.parse($0.value)).bytes.first ?? 0) & 0x04 != 0
        }
        extendedKeyUsages =
            try extensions[.extendedKeyUsage].map {
                try DER.sequence(
                    of: ASN1ObjectIdentifier.self, identifier: .sequence, rootNode: try DER.parse($0.value))
            } ?? []
        alternativeDirectoryName =
            try extensions[.subjectAlternativeName].map { try Self.directoryNames($0.value) } ?? []
        subjectKeyID = extensions[.subjectKeyIdentifier]?.octetString()
        authorityKeyID = try extensions[.authorityKeyIdentifier].flatMap { try Self.keyID($0.value) }
    }

    // MARK: Extensions

    private static func basicConstraints(_ value: ArraySlice<UInt8>) throws -> (isAuthority: Bool, pathLength: Int?) {
        try DER.sequence(try DER.parse(value), identifier: .sequence) { nodes in
            let isAuthority = try DER.decodeDefault(&nodes, identifier: .boolean, defaultValue: false)
            let length = try nodes.next().map { try Int64(derEncoded: $0) }
            guard length ?? 0 >= 0 else { throw ASN1Error.invalidASN1Object(reason: "a path of negative length") }
            return (isAuthority, length.map { Int(clamping: $0) })
        }
    }

    private static func directoryNames(_ value: ArraySlice<UInt8>) throws -> [NameAttribute] {
        let node = try DER.parse(value)
        guard node.identifier == .sequence, case .constructed(let names) = node.content else {
            throw ASN1Error.invalidASN1Object(reason: "no names")
        }
        var attributes: [NameAttribute] = []
        for name in names where name.identifier.tagClass == .contextSpecific && name.identifier.tagNumber == 4 {
            guard case .constructed(let parts) = name.content else { continue }
            for part in parts { attributes += try Self.attributes(ofName: part) }
        }
        return attributes
    }

    private static func keyID(_ value: ArraySlice<UInt8>) throws -> ArraySlice<UInt8>? {
        let node = try DER.parse(value)
        guard node.identifier == .sequence, case .constructed(let parts) = node.content else {
            throw ASN1Error.invalidASN1Object(reason: "no identifier")
        }
        for part in parts where part.identifier.tagClass == .contextSpecific && part.identifier.tagNumber == 0 {
            if case .primitive(let bytes) = part.content { return bytes }
        }
        return nil
    }

    /// The attributes of a `Name` whose values are texts.
    private static func attributes(ofName name: ASN1Node) throws -> [NameAttribute] {
        guard name.identifier == .sequence, case .constructed(let sets) = name.content else {
            throw ASN1Error.invalidASN1Object(reason: "no name")
        }
        var attributes: [NameAttribute] = []
        for set in sets {
            guard set.identifier == .set, case .constructed(let pairs) = set.content else {
                throw ASN1Error.invalidASN1Object(reason: "no relative name")
            }
            for pair in pairs {
                attributes.append(
                    try DER.sequence(pair, identifier: .sequence) { nodes in
                        let type = try ASN1ObjectIdentifier(derEncoded: &nodes)
                        guard let value = nodes.next(), case .primitive(let bytes) = value.content else {
                            throw ASN1Error.invalidASN1Object(reason: "no value")
                        }
                        return NameAttribute(type: type, text: String(decoding: bytes, as: UTF8.self))
                    })
            }
        }
        return attributes
    }
}

extension AttestationCertificate {
    /// `AlgorithmIdentifier`.
    fileprivate struct AlgorithmIdentifier: Equatable {
        var algorithm: ASN1ObjectIdentifier
        /// All that follows, as bytes.
        var parameters: ArraySlice<UInt8>?

        init(_ nodes: inout ASN1NodeCollection.Iterator) throws {
            guard let node = nodes.next() else { throw ASN1Error.invalidASN1Object(reason: "no algorithm") }
            (algorithm, parameters) = try DER.sequence(node, identifier: .sequence) { nodes in
                (try ASN1ObjectIdentifier(derEncoded: &nodes), nodes.next()?.encodedBytes)
            }
        }

        /// How a signature of this algorithm is made (RFC 5758, RFC 8017, RFC 8410).
        var scheme: VerificationKey.Scheme? {
            switch algorithm {
            case [1, 2, 840, 10045, 4, 3, 2]: .ecdsa(.sha256)
            case [1, 2, 840, 10045, 4, 3, 3]: .ecdsa(.sha384)
            case [1, 2, 840, 10045, 4, 3, 4]: .ecdsa(.sha512)
            case [1, 2, 840, 113549, 1, 1, 11]: .rsaPKCS1(.sha256)
            case [1, 2, 840, 113549, 1, 1, 12]: .rsaPKCS1(.sha384)
            case [1, 2, 840, 113549, 1, 1, 13]: .rsaPKCS1(.sha512)
            case [1, 3, 101, 112]: .ed25519
            default: nil
            }
        }

        /// The public key in those bytes, if it is of a kind that is verified.
        /// - Throws: where it is of such a kind and wrong.
        func key(_ bytes: ArraySlice<UInt8>) throws -> VerificationKey? {
            switch algorithm {
            case [1, 2, 840, 10045, 2, 1]:
                guard let curve = try parameters.map({ try ASN1ObjectIdentifier(derEncoded: try DER.parse($0)) })
                else { return nil }
                switch curve {
                case [1, 2, 840, 10045, 3, 1, 7]: return try VerificationKey(point: Array(bytes), algorithm: .es256)
                case [1, 3, 132, 0, 34]: return try VerificationKey(point: Array(bytes), algorithm: .es384)
                case [1, 3, 132, 0, 35]: return try VerificationKey(point: Array(bytes), algorithm: .es512)
                default: return nil
                }
            case [1, 2, 840, 113549, 1, 1, 1]:
                let numbers = try DER.sequence(try DER.parse(bytes), identifier: .sequence) { nodes in
                    (
                        try ArraySlice<UInt8>(derEncoded: &nodes).drop { $0 == 0 },
                        try ArraySlice<UInt8>(derEncoded: &nodes).drop { $0 == 0 }
                    )
                }
                return try .rsa(modulus: numbers.0, exponent: numbers.1)
            case [1, 3, 101, 112]: return try .ed25519(bytes)
            default: return nil
            }
        }
    }

    /// `TBSCertificate`.
    fileprivate struct Parts {
        var version: Int64
        var algorithm: AlgorithmIdentifier
        var issuer: ASN1Node
        var subject: ASN1Node
        var notBefore: Date
        var notAfter: Date
        var key: VerificationKey?
        var extensions: [ASN1ObjectIdentifier: Extension] = [:]

        init(_ node: ASN1Node) throws {
            self = try DER.sequence(node, identifier: .sequence) { nodes in try Self(&nodes) }
        }

        private init(_ nodes: inout ASN1NodeCollection.Iterator) throws {
            version =
                try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) {
                    try Int64(derEncoded: $0)
                } ?? 0
            _ = try ArraySlice<UInt8>(derEncoded: &nodes)
            algorithm = try AlgorithmIdentifier(&nodes)
            guard let issuer = nodes.next(), let validity = nodes.next(), let subject = nodes.next(),
                let keyInfo = nodes.next()
            else { throw ASN1Error.invalidASN1Object(reason: "too short") }
            self.issuer = issuer
            self.subject = subject
            (notBefore, notAfter) = try DER.sequence(validity, identifier: .sequence) { nodes in
                (try Self.time(&nodes), try Self.time(&nodes))
            }
            key = try DER.sequence(keyInfo, identifier: .sequence) { nodes in
                let algorithm = try AlgorithmIdentifier(&nodes)
                let bits = try ASN1BitString(derEncoded: &nodes)
                guard bits.paddingBits == 0 else { throw ASN1Error.invalidASN1Object(reason: "padding") }
                return try algorithm.key(bits.bytes)
            }
            // Unique identifiers, which no certificate has any more.
            for tag: UInt in [1, 2] {
                var ahead = nodes
                if ahead.next()?.identifier == ASN1Identifier(tagWithNumber: tag, tagClass: .contextSpecific) {
                    nodes = ahead
                }
            }
            let list = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 3, tagClass: .contextSpecific) { $0 }
            guard let list else { return }
            guard list.identifier == .sequence, case .constructed(let members) = list.content else {
                throw ASN1Error.invalidASN1Object(reason: "no extensions")
            }
            for member in members {
                let (id, found) = try DER.sequence(member, identifier: .sequence) { nodes in
                    let id = try ASN1ObjectIdentifier(derEncoded: &nodes)
                    let isCritical = try DER.decodeDefault(&nodes, identifier: .boolean, defaultValue: false)
                    return (id, Extension(isCritical: isCritical, value: try ASN1OctetString(derEncoded: &nodes).bytes))
                }
                guard extensions.updateValue(found, forKey: id) == nil else {
                    throw ASN1Error.invalidASN1Object(reason: "an extension twice")
                }
            }
        }

        private static func time(_ nodes: inout ASN1NodeCollection.Iterator) throws -> Date {
            guard let node = nodes.next() else { throw ASN1Error.invalidASN1Object(reason: "no time") }
            if node.identifier == .utcTime {
                let time = try UTCTime(derEncoded: node)
                return date(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
            }
            let time = try GeneralizedTime(derEncoded: node)
            return date(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
        }

        /// A date of the Gregorian calendar as a time: days since March of the year 0, when leap days come last.
        private static func date(_ year: Int, _ month: Int, _ day: Int, _ hours: Int, _ minutes: Int, _ seconds: Int)
            -> Date
        {
            let years = month <= 2 ? year - 1 : year
            let months = (month + 9) % 12
            let days = 365 * years + years / 4 - years / 100 + years / 400 + (153 * months + 2) / 5 + day - 1
            // 719,468 days before 1970-01-01.
            return Date(
                timeIntervalSince1970: Double((days - 719_468) * 86_400 + hours * 3600 + minutes * 60 + seconds))
        }
    }
}
