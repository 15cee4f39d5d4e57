import JSON

/// The JSON that both responses share.
struct CredentialMessage {
    static let transportsLimit = 8

    let id: String
    let rawID: [UInt8]
    let type: String
    let authenticatorAttachment: String?
    let isDiscoverable: Bool?
    private let response: [String: JSONValue]
    private let binary: BinaryText

    init(parsing json: [UInt8], binary: BinaryText) throws(PasskeyFault) {
        guard json.count <= RelyingParty.messageLimit else { throw .messageTooLarge }
        let value: JSONValue
        do { value = try JSONParser.parse(json, depthLimit: 16) } catch { throw .malformedMessage }
        try self.init(value, binary: binary)
    }

    init(_ value: JSONValue, binary: BinaryText) throws(PasskeyFault) {
        guard case .object(let members) = value, let id = members["id"]?.stringValue,
            case .object(let response)? = members["response"]
        else { throw .malformedMessage }
        switch binary {
        case .base64URL:
            guard let rawID = members["rawId"]?.stringValue.flatMap({ binary.bytes($0) }),
                let type = members["type"]?.stringValue
            else { throw .malformedMessage }
            self.id = id
            self.rawID = rawID
            self.type = type
        case .anyBase64:
            guard let bytes = binary.bytes(id) else { throw .malformedMessage }
            switch members["rawId"] {
            case nil: break
            case .string(let text):
                guard let rawID = binary.bytes(text) else { throw .malformedMessage }
                guard rawID == bytes else { throw .idMismatch }
            default: throw .malformedMessage
            }
            self.id = bytes.base64URL
            rawID = bytes
            switch members["type"] {
            case nil: type = "public-key"
            case .string(let text): type = text
            default: throw .malformedMessage
            }
        }
        self.response = response
        self.binary = binary
        authenticatorAttachment = members["authenticatorAttachment"]?.stringValue
        if case .bool(let rk)? = members["clientExtensionResults"]?["credProps"]?["rk"] {
            isDiscoverable = rk
        } else {
            isDiscoverable = nil
        }
    }

    func bytes(_ name: String) throws(PasskeyFault) -> [UInt8] {
        guard let bytes = try optionalBytes(name) else { throw .malformedMessage }
        return bytes
    }

    func optionalBytes(_ name: String) throws(PasskeyFault) -> [UInt8]? {
        switch response[name] {
        case nil, .null: return nil
        case .string(let text):
            guard let bytes = binary.bytes(text) else { throw .malformedMessage }
            return bytes
        default: throw .malformedMessage
        }
    }

    /// Short words of ASCII; what else a client sends is left out, and what comes after the eighth.
    func transports() throws(PasskeyFault) -> [String] {
        guard case .array(let elements)? = response["transports"] else { return [] }
        return Array(
            elements.compactMap(\.stringValue)
                .filter { (1...32).contains($0.utf8.count) && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
                .prefix(Self.transportsLimit))
    }

    static func value(
        id: String, rawID: [UInt8], type: String, authenticatorAttachment: String?, response: [String: JSONValue],
        extensions: [String: JSONValue]
    ) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(id), "rawId": .string(rawID.base64URL), "type": .string(type), "response": .object(response),
            "clientExtensionResults": .object(extensions),
        ]
        if let authenticatorAttachment { members["authenticatorAttachment"] = .string(authenticatorAttachment) }
        return .object(members)
    }
}
