/// The two halves of an object outside of the TPM, and where it belongs. The private half is encrypted by its parent.
struct TPMObject: Sendable, Hashable {
    let publicArea: PublicArea
    /// The content of the TPM2B_PRIVATE.
    let privateArea: [UInt8]
    let parent: TPMParent
    /// The name of the parent when the object was made. With it, another TPM, or an impostor of this one, is detected
    /// before anything is computed from a PIN. Nil for objects that other programs have made.
    let parentName: [UInt8]?
    let hasAuthorization: Bool

    static let longestPrivateArea = 2048

    init(
        publicArea: PublicArea, privateArea: [UInt8], parent: TPMParent, parentName: [UInt8]?, hasAuthorization: Bool
    ) throws(TPMError) {
        guard publicArea.authPolicy.isEmpty, publicArea.attributes.contains(.userWithAuth) else {
            throw .invalidBlob("it asks for a policy, not for an authorization value")
        }
        guard (1...Self.longestPrivateArea).contains(privateArea.count) else {
            throw .invalidBlob("a private part of \(privateArea.count) bytes")
        }
        guard parentName == nil || parentName?.count == 34 else {
            throw .invalidBlob("a parent's name of a wrong size")
        }
        self.publicArea = publicArea
        self.privateArea = privateArea
        self.parent = parent
        self.parentName = parentName
        self.hasAuthorization = hasAuthorization
    }
}

// MARK: Bytes

extension TPMObject {
    /// "CTPM" and the version of the form.
    private static let magic: [UInt8] = Array("CTPM".utf8) + [1]

    /// Magic, parent, whether there is an authorization, then parent's name, public and private part with their sizes.
    var bytes: [UInt8] {
        WireWriter.bytes {
            $0.put(Self.magic)
            $0.put(parent.rawValue)
            $0.put(UInt8(hasAuthorization ? 1 : 0))
            $0.putSized(parentName ?? [])
            $0.putSized(publicArea.encoded)
            $0.putSized(privateArea)
        }
    }

    init(bytes: some Sequence<UInt8>) throws(TPMError) {
        let area: PublicArea
        let privateArea: [UInt8]
        let handle: UInt32
        let flag: UInt8
        let name: [UInt8]
        do throws(WireReader.Fault) {
            var reader = WireReader(bytes)
            guard try reader.bytes(Self.magic.count) == Self.magic else {
                throw WireReader.Fault(what: "not in the form of this version")
            }
            handle = try reader.uint32()
            flag = try reader.uint8()
            name = try reader.sized(atMost: 64)
            area = try PublicArea(reading: try reader.sized())
            privateArea = try reader.sized()
            try reader.finish()
        } catch {
            throw .invalidBlob(error.what)
        }
        guard let parent = TPMParent(rawValue: handle), flag <= 1 else {
            throw .invalidBlob("an unknown parent or flag")
        }
        try self.init(
            publicArea: area, privateArea: privateArea, parent: parent, parentName: name.isEmpty ? nil : name,
            hasAuthorization: flag == 1)
    }
}
