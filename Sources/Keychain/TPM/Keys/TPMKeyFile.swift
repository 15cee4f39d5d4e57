import Foundation

/// "ASN.1 Specification for TPM 2.0 Key Files" (draft-bottomley-tpm2-keys): the form that the OpenSSL providers,
/// ssh-tpm-agent and others read, in PEM under the label `TSS2 PRIVATE KEY`.
enum TPMKeyFile {
    enum Content {
        case loadableKey, sealedData

        /// TCG's arc 2.23.133.10.1.
        var objectIdentifier: [UInt8] {
            switch self {
            case .loadableKey: DER.objectIdentifier([2, 23, 133, 10, 1, 3])
            case .sealedData: DER.objectIdentifier([2, 23, 133, 10, 1, 5])
            }
        }
    }

    static let label = "TSS2 PRIVATE KEY"

    static func encode(_ object: TPMObject, as content: Content) -> Data {
        let publicArea = WireWriter.bytes { $0.putSized(object.publicArea.encoded) }
        let privateArea = WireWriter.bytes { $0.putSized(object.privateArea) }
        let parent = WireWriter.bytes { $0.put(object.parent.rawValue) }
        return Data(
            DER.sequence(
                content.objectIdentifier,
                // Said in either case: tpm2-openssl takes silence for an empty authorization.
                DER.explicit(0, DER.boolean(!object.hasAuthorization)),
                DER.integer(parent), DER.octetString(publicArea), DER.octetString(privateArea)))
    }

    static func decode(_ data: Data, as content: Content) throws(TPMError) -> TPMObject {
        guard data.count <= 8192 else { throw .invalidBlob("\(data.count) bytes") }
        var hasAuthorization = true
        let parentBytes: [UInt8]
        let area: PublicArea
        let privateArea: [UInt8]
        do throws(WireReader.Fault) {
            var outer = DERReader(Array(data))
            var reader = DERReader(try outer.content(0x30))
            try outer.finish()
            let type = try reader.content(0x06)
            guard DER.element(0x06, type) == content.objectIdentifier else {
                throw WireReader.Fault(what: "a key file of another type")
            }
            if reader.tag == 0xA0 {
                var flag = DERReader(try reader.content(0xA0))
                let emptyAuthorization = try flag.content(0x01)
                try flag.finish()
                guard [[0x00], [0xFF]].contains(emptyAuthorization) else {
                    throw WireReader.Fault(what: "a truth value that is not DER")
                }
                hasAuthorization = emptyAuthorization == [0x00]
            }
            if reader.tag == 0xA4 { _ = try reader.content(0xA4) }  // A description.
            guard reader.tag == 0x02 else {
                throw WireReader.Fault(what: "a policy, a secret to import or an RSA parent, which are not supported")
            }
            parentBytes = try reader.content(0x02)
            area = try PublicArea(reading: try Self.sized(try reader.content(0x04)))
            privateArea = try Self.sized(try reader.content(0x04))
            try reader.finish()
        } catch {
            throw .invalidBlob(error.what)
        }
        let digits = parentBytes.drop { $0 == 0 }
        guard digits.count <= 4, let parent = TPMParent(rawValue: digits.reduce(0) { $0 << 8 | UInt32($1) }) else {
            throw .invalidBlob("its parent is neither the owner hierarchy nor persistent")
        }
        return try TPMObject(
            publicArea: area, privateArea: privateArea, parent: parent, parentName: nil,
            hasAuthorization: hasAuthorization)
    }

    private static func sized(_ bytes: [UInt8]) throws(WireReader.Fault) -> [UInt8] {
        var reader = WireReader(bytes)
        let content = try reader.sized()
        try reader.finish()
        return content
    }

    static func pem(_ der: Data) -> String {
        let text = der.base64EncodedString()
        var lines: [Substring] = []
        var rest = text[...]
        while !rest.isEmpty {
            lines.append(rest.prefix(64))
            rest = rest.dropFirst(64)
        }
        return "-----BEGIN \(label)-----\n\(lines.joined(separator: "\n"))\n-----END \(label)-----\n"
    }

    static func der(_ pem: String) throws(TPMError) -> Data {
        let lines = pem.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        guard let begin = lines.firstIndex(of: "-----BEGIN \(label)-----"),
            let end = lines[begin...].firstIndex(of: "-----END \(label)-----"),
            let der = Data(base64Encoded: lines[(begin + 1)..<end].joined())
        else { throw .invalidBlob("no PEM block \(label)") }
        return der
    }
}

extension TPMKeyBlob {
    /// The key as a TPM 2.0 key file in DER. The name of the storage key does not fit into that form.
    public var keyFile: Data { TPMKeyFile.encode(object, as: .loadableKey) }

    /// The same in PEM, `TSS2 PRIVATE KEY`. Other programs want the authorization value as its password.
    public var keyFilePEM: String { TPMKeyFile.pem(keyFile) }

    /// Reads a key file in DER that this or another program has made.
    ///
    /// - Throws: ``TPMError/invalidBlob(_:)`` also for keys with policies, keys to import, and other algorithms than
    ///   those of ``TPMKeyKind``.
    public init(keyFile: Data) throws(TPMError) {
        try self.init(try TPMKeyFile.decode(keyFile, as: .loadableKey))
    }

    /// Reads a key file in PEM.
    public init(keyFilePEM: String) throws(TPMError) { try self.init(keyFile: try TPMKeyFile.der(keyFilePEM)) }
}

extension TPMSealedBlob {
    /// The sealed secret as a TPM 2.0 key file in DER.
    public var keyFile: Data { TPMKeyFile.encode(object, as: .sealedData) }

    /// The same in PEM.
    public var keyFilePEM: String { TPMKeyFile.pem(keyFile) }

    /// Reads a key file in DER.
    ///
    /// - Throws: ``TPMError/invalidBlob(_:)``.
    public init(keyFile: Data) throws(TPMError) {
        try self.init(try TPMKeyFile.decode(keyFile, as: .sealedData))
    }

    /// Reads a key file in PEM.
    public init(keyFilePEM: String) throws(TPMError) { try self.init(keyFile: try TPMKeyFile.der(keyFilePEM)) }
}
