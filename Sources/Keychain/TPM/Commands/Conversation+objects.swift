/// The commands that make, load and use objects and sessions.
extension Conversation {
    /// The storage key: derived again from the owner hierarchy's seed, always the same one, or the persistent one.
    func parent(_ parent: TPMParent) throws(TPMError) -> LoadedObject {
        parent == .ownerPrimary ? try createPrimary() : try readPersistent(Handle(parent.rawValue))
    }

    private func createPrimary() throws(TPMError) -> LoadedObject {
        let template = PublicArea.storageTemplate
        let command = Command(
            code: .createPrimary, handles: [.init(.owner)],
            parameters: WireWriter.bytes {
                // TPM2B_SENSITIVE_CREATE with neither authorization nor data.
                $0.putSized([0, 0, 0, 0])
                $0.putSized(template.encoded)
                $0.putSized([])
                $0.put(UInt32(0))
            })
        let response: Response
        do throws(TPMError) {
            response = try noting { () throws(TPMError) in try channel.executeWithEmptyPassword(command) }
        } catch .refused(let code, _)
            where code.base == TPMResponseCode.badAuthorization || code.base == TPMResponseCode.authorizationFailed
        {
            throw .ownerAuthorizationRequired
        } catch .refused(let code, _)
            where [TPMResponseCode.curve, TPMResponseCode.asymmetric, TPMResponseCode.symmetric].contains(code.base)
        {
            throw .unsupportedKey("it has no P-256 storage keys, \(code)")
        }
        let handle = try open(response, \.isTransient)
        let publicArea = try reading(.createPrimary, response.parameters) {
            (reader) throws(WireReader.Fault) -> PublicArea in
            let area = try PublicArea(reading: try reader.sized())
            try reader.remainderOfCreation()
            guard try reader.sized() == area.name else { throw WireReader.Fault(what: "a name that does not fit") }
            try reader.finish()
            return area
        }
        guard publicArea.isMade(from: template) else {
            throw .untrustedResponse("the storage key is not what was asked for")
        }
        return LoadedObject(handle: handle, publicArea: publicArea)
    }

    /// Reads the public part of a persistent object (Part 3, clause 12.4).
    private func readPersistent(_ handle: Handle) throws(TPMError) -> LoadedObject {
        let response: Response
        do throws(TPMError) {
            response = try noting { () throws(TPMError) in
                try channel.execute(Command(code: .readPublic, handles: [.init(handle)]))
            }
        } catch .refused(let code, _) where code.base == TPMResponseCode.handle {
            throw .unusableParent("there is none at 0x\(String(handle.rawValue, radix: 16))")
        }
        let area: PublicArea
        do throws(WireReader.Fault) {
            var reader = WireReader(response.parameters)
            area = try PublicArea(reading: try reader.sized())
            guard try reader.sized() == area.name else { throw WireReader.Fault(what: "a name that does not fit") }
        } catch {
            throw .unusableParent(error.what)
        }
        guard case .storage = area.kind, area.attributes.isSuperset(of: [.restricted, .decrypt, .userWithAuth]) else {
            throw .unusableParent("the key at 0x\(String(handle.rawValue, radix: 16)) is no P-256 storage key")
        }
        return LoadedObject(handle: handle, publicArea: area)
    }

    /// Starts an HMAC session that is salted to the storage key and bound to nothing (Part 3, clause 11.1).
    func startSession(saltedTo parent: LoadedObject) throws(TPMError) -> SaltedSession {
        guard case .storage(let x, let y) = parent.publicArea.kind else {
            throw .unusableParent("it is no P-256 storage key")
        }
        let proposal = try SaltedSession.Proposal(x: x, y: y)
        let response = try noting { () throws(TPMError) in
            try channel.execute(
                Command(
                    code: .startAuthSession, handles: [.init(parent.handle), .init(.null)],
                    parameters: WireWriter.bytes {
                        $0.putSized(proposal.nonceCaller)
                        $0.putSized(proposal.encryptedSalt)
                        $0.put(UInt8(0))  // TPM_SE_HMAC
                        $0.put(Algorithm.aes)
                        $0.put(UInt16(128))
                        $0.put(Algorithm.cfb)
                        $0.put(Algorithm.sha256)
                    }))
        }
        let handle = try open(response, \.isHMACSession)
        let nonce = try reading(.startAuthSession, response.parameters) {
            (reader) throws(WireReader.Fault) -> [UInt8] in
            let nonce = try reader.sized(atMost: 32)
            try reader.finish()
            return nonce
        }
        guard nonce.count >= 16 else { throw .untrustedResponse("the TPM's nonce is too short") }
        return SaltedSession(proposal, handle: handle, nonceTPM: nonce)
    }

    /// Makes an object under the storage key (Part 3, clause 12.1). Its authorization and data travel encrypted.
    func create(
        _ template: PublicArea, authorization: SensitiveBytes, data: SensitiveBytes? = nil, under parent: LoadedObject,
        in session: inout SaltedSession
    ) throws(TPMError) -> (publicArea: PublicArea, privateArea: [UInt8]) {
        let sensitive = SensitiveBytes(joining: [
            Self.size(of: authorization), authorization, Self.size(of: data), data ?? SensitiveBytes(count: 0) { _ in },
        ])
        let response = try execute(
            Command(
                code: .create, handles: [parent.named], secretParameter: sensitive,
                parameters: WireWriter.bytes {
                    $0.putSized(template.encoded)
                    $0.putSized([])
                    $0.put(UInt32(0))
                }), in: &session)
        let made = try reading(.create, response.parameters) {
            (reader) throws(WireReader.Fault) -> (publicArea: PublicArea, privateArea: [UInt8]) in
            let privateArea = try reader.sized()
            let publicArea = try PublicArea(reading: try reader.sized())
            try reader.remainderOfCreation()
            try reader.finish()
            return (publicArea, privateArea)
        }
        guard made.publicArea.isMade(from: template) else {
            throw .untrustedResponse("the key is not what was asked for")
        }
        return made
    }

    private static func size(of bytes: SensitiveBytes?) -> [UInt8] {
        WireWriter.bytes { $0.put(UInt16(bytes?.count ?? 0)) }
    }

    /// Loads a blob under the storage key (Part 3, clause 12.2).
    func load(
        _ object: TPMObject, under parent: LoadedObject, in session: inout SaltedSession
    ) throws(TPMError) -> LoadedObject {
        let response: Response
        do throws(TPMError) {
            response = try execute(
                Command(
                    code: .load, handles: [parent.named],
                    parameters: WireWriter.bytes {
                        $0.putSized(object.privateArea)
                        $0.putSized(object.publicArea.encoded)
                    }), in: &session)
        } catch .refused(let code, let command) {
            switch code.base {
            case TPMResponseCode.integrity: throw .foreignKey
            case TPMResponseCode.size, TPMResponseCode.insufficient, TPMResponseCode.binding,
                TPMResponseCode.attributes:
                throw .invalidBlob("the TPM does not load it, \(code)")
            case TPMResponseCode.value, TPMResponseCode.keySize, TPMResponseCode.scheme, TPMResponseCode.curve,
                TPMResponseCode.asymmetric:
                throw .unsupportedKey("it does not load the key, \(code)")
            case TPMResponseCode.authorizationFailed, TPMResponseCode.badAuthorization:
                // That of the storage key, of which there can be one only if it is persistent.
                throw .unusableParent("it has a password, \(code)")
            default: throw .refused(code, command: command)
            }
        }
        let handle = try open(response, \.isTransient)
        let name = try reading(.load, response.parameters) { (reader) throws(WireReader.Fault) -> [UInt8] in
            let name = try reader.sized()
            try reader.finish()
            return name
        }
        guard name == object.publicArea.name else { throw .untrustedResponse("another key was loaded") }
        return LoadedObject(handle: handle, publicArea: object.publicArea)
    }

    /// Any command in a session. What it returns is the TPM's word.
    func execute(
        _ command: Command, in session: inout SaltedSession, authorization: SensitiveBytes? = nil
    ) throws(TPMError) -> Response {
        try noting { () throws(TPMError) in
            try channel.execute(command, in: &session, authorization: authorization)
        }
    }
}

extension WireReader {
    /// The creation data, its hash and the ticket, which are not used here.
    fileprivate mutating func remainderOfCreation() throws(Fault) {
        _ = try sized()
        _ = try sized(atMost: 64)
        _ = try bytes(6)
        _ = try sized(atMost: 64)
    }
}
