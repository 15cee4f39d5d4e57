import SwiftASN1

extension AttestationStatement {
    /// Section 8.4: Android's keystore certifies the credential's key.
    @Sendable static func verifyAndroidKey(_ statement: AttestationStatement) throws(AttestationFault) -> Basis {
        let algorithm = try statement.algorithm()
        let signature = try statement.bytes("sig")
        let chain = try statement.certificates()
        let leaf = chain[0]
        guard let key = leaf.key, key.isValid(signature, over: statement.signedBytes, by: algorithm) else {
            throw .invalidSignature
        }
        guard key.representation == statement.key.key.representation else { throw .publicKeyMismatch }
        guard let found = leaf.extensions[.androidKeyDescription] else { throw .certificateRequirements }
        guard let description = try? AndroidKeyDescription(found.value) else { throw .malformedCertificate }
        guard description.challenge.elementsEqual(statement.clientDataHash) else { throw .ceremonyMismatch }
        guard description.isForOneApplication, description.isGeneratedForSigning else { throw .keyAuthorizations }
        return .certificates(chain)
    }
}

/// The extension 1.3.6.1.4.1.11129.2.1.17 of Android's key attestation ("Verify hardware-backed key pairs with key attestation",
/// "Key attestation extension data schema").
struct AndroidKeyDescription {
    let challenge: ArraySlice<UInt8>
    /// By software, and by the secure environment.
    private let authorizations: [Authorizations]

    private struct Authorizations {
        var isForAllApplications = false
        var origins: [Int64] = []
        var purposes: [Int64] = []
    }

    /// No list names `allApplications`.
    var isForOneApplication: Bool { !authorizations.contains { $0.isForAllApplications } }

    /// What the lists say about origin and purpose is "generated" and "sign". A list may leave both out; the vector of WebAuthn
    /// Level 3, section 16, does in both lists.
    var isGeneratedForSigning: Bool {
        let purposes = authorizations.flatMap(\.purposes)
        return authorizations.flatMap(\.origins).allSatisfy { $0 == 0 } && (purposes.isEmpty || purposes.contains(2))
    }

    init(_ bytes: ArraySlice<UInt8>) throws {
        (challenge, authorizations) = try DER.sequence(try DER.parse(bytes), identifier: .sequence) { nodes in
            // Versions and security levels of the attestation and of the keystore.
            for _ in 0..<4 { guard nodes.next() != nil else { throw ASN1Error.invalidASN1Object(reason: "too short") } }
            let challenge = try ASN1OctetString(derEncoded: &nodes).bytes
            _ = try ASN1OctetString(derEncoded: &nodes)
            let software = try Self.authorizations(&nodes)
            let hardware = try Self.authorizations(&nodes)
            return (challenge, [software, hardware])
        }
    }

    private static func authorizations(_ nodes: inout ASN1NodeCollection.Iterator) throws -> Authorizations {
        guard let list = nodes.next(), list.identifier == .sequence, case .constructed(let members) = list.content
        else {
            throw ASN1Error.invalidASN1Object(reason: "no list of authorizations")
        }
        var found = Authorizations()
        for member in members where member.identifier.tagClass == .contextSpecific {
            guard case .constructed(let values) = member.content else { continue }
            for value in values {
                switch member.identifier.tagNumber {
                case 1:
                    guard case .constructed(let purposes) = value.content else { continue }
                    for purpose in purposes { found.purposes.append(try Int64(derEncoded: purpose)) }
                case 600: found.isForAllApplications = true
                case 702: found.origins.append(try Int64(derEncoded: value))
                default: break
                }
            }
        }
        return found
    }
}
