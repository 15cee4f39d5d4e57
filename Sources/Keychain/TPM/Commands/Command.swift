/// A command before it is authorized and put into bytes.
struct Command {
    /// A handle, with the name by which an HMAC speaks of it (Part 1, "Names"): for anything but an object, itself.
    struct NamedHandle {
        let handle: Handle
        let name: [UInt8]

        init(_ handle: Handle, name: [UInt8]? = nil) {
            self.handle = handle
            self.name = name ?? WireWriter.bytes { $0.put(handle.rawValue) }
        }
    }

    let code: CommandCode
    var handles: [NamedHandle] = []
    /// The content of a TPM2B that comes before the other parameters and is only sent encrypted.
    var secretParameter: SensitiveBytes?
    var parameters: [UInt8] = []
    /// Whether the first parameter of the answer is a TPM2B that the TPM is to encrypt.
    var answersWithSecret = false

    /// The bytes to send (Part 3, clause 4.3): without an authorization, or with the one that is given.
    func encoded(parameters: [UInt8], authorizationArea: [UInt8]?) -> [UInt8] {
        let body = WireWriter.bytes { writer in
            for handle in handles { writer.put(handle.handle.rawValue) }
            if let authorizationArea {
                writer.put(UInt32(authorizationArea.count))
                writer.put(authorizationArea)
            }
            writer.put(parameters)
        }
        return WireWriter.bytes {
            $0.put(authorizationArea == nil ? Tag.noSessions : Tag.sessions)
            $0.put(UInt32(10 + body.count))
            $0.put(code.rawValue)
            $0.put(body)
        }
    }
}

/// A successful answer, taken apart.
struct Response {
    var handle: Handle?
    var parameters: [UInt8]
    var authorizationArea: [UInt8]?
    /// The decrypted first parameter, where the command asked for encryption; `parameters` begins after it.
    var secret: SensitiveBytes?
}
