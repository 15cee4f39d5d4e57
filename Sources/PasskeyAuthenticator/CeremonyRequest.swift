import JSON

/// What a relying party asks for when a passkey is to be made, as far as an authenticator needs it
/// (`PublicKeyCredentialCreationOptionsJSON`, WebAuthn Level 3, section 5.1).
///
/// Read leniently where dialects differ: base64 in both alphabets, members that are not needed left out.
public struct CreationRequest: Sendable, Hashable {
    public let rpID: String
    public let rpName: String?
    public let challenge: [UInt8]
    public let userHandle: [UInt8]
    public let userName: String
    public let userDisplayName: String
    /// Numbers of IANA's registry "COSE Algorithms", the one that is liked best first.
    public let algorithms: [Int]
    /// Ids of credentials, of which this authenticator must not have one already.
    public let excluded: [[UInt8]]
    /// Whether the user has to be verified.
    public let requiresUserVerification: Bool
    /// Whether the answer is to say whether the credential is discoverable.
    public let asksForProperties: Bool

    /// - Parameter json: the options, or an object with them in its member `publicKey`.
    public init(parsing json: [UInt8]) throws(AuthenticatorRefusal) {
        let options = try OptionsReader(json)
        guard let rp = options.value["rp"], let user = options.value["user"] else {
            throw .unreadableOptions("`rp` or `user` is missing")
        }
        rpID = try options.text(rp["id"], "rp.id")
        rpName = rp["name"]?.stringValue
        challenge = try options.bytes(options.value["challenge"], "challenge", count: 16...1024)
        userHandle = try options.bytes(user["id"], "user.id", count: 1...64)
        userName = user["name"]?.stringValue ?? ""
        userDisplayName = user["displayName"]?.stringValue ?? ""
        guard case .array(let parameters)? = options.value["pubKeyCredParams"] else {
            throw .unreadableOptions("`pubKeyCredParams` is missing")
        }
        // An empty list means ES256 and RS256 (section 5.1.3, step 10).
        algorithms =
            parameters.isEmpty
            ? [-7, -257]
            : parameters.compactMap { parameter in
                guard parameter["type"]?.stringValue ?? "public-key" == "public-key" else { return nil }
                return parameter["alg"]?.wholeNumber.flatMap { Int(exactly: $0) }
            }
        excluded = try options.descriptors("excludeCredentials")
        let selection = options.value["authenticatorSelection"]
        // Unless a relying party says "discouraged" it may get what it has not insisted on.
        requiresUserVerification = selection?["userVerification"]?.stringValue == "required"
        if let attachment = selection?["authenticatorAttachment"]?.stringValue, attachment != "platform" {
            throw .wrongAttachment(attachment)
        }
        asksForProperties = options.value["extensions"]?["credProps"] == .bool(true)
    }
}

/// What a relying party asks for when a user is to sign in, as far as an authenticator needs it
/// (`PublicKeyCredentialRequestOptionsJSON`, WebAuthn Level 3, section 5.1).
public struct AssertionRequest: Sendable, Hashable {
    public let rpID: String
    public let challenge: [UInt8]
    /// Ids of the credentials that may answer; empty where any may.
    public let allowed: [[UInt8]]
    /// Whether the user has to be verified.
    public let requiresUserVerification: Bool

    /// - Parameter json: the options, or an object with them in its member `publicKey`.
    public init(parsing json: [UInt8]) throws(AuthenticatorRefusal) {
        let options = try OptionsReader(json)
        rpID = try options.text(options.value["rpId"], "rpId")
        challenge = try options.bytes(options.value["challenge"], "challenge", count: 16...1024)
        allowed = try options.descriptors("allowCredentials")
        requiresUserVerification = options.value["userVerification"]?.stringValue == "required"
    }
}

/// Reads the members that both kinds of options have.
private struct OptionsReader {
    /// More than any server sends.
    static let limit = 256 << 10

    let value: JSONValue

    init(_ json: [UInt8]) throws(AuthenticatorRefusal) {
        guard json.count <= Self.limit else { throw .unreadableOptions("they are too long") }
        let value: JSONValue
        do { value = try JSONParser.parse(json, depthLimit: 16) } catch {
            throw .unreadableOptions("they are not JSON")
        }
        self.value = value["publicKey"] ?? value
        guard case .object = self.value else { throw .unreadableOptions("they are no object") }
    }

    func text(_ value: JSONValue?, _ name: String) throws(AuthenticatorRefusal) -> String {
        guard let text = value?.stringValue, (1...253).contains(text.utf8.count) else {
            throw .unreadableOptions("`\(name)` is missing")
        }
        return text
    }

    func bytes(
        _ value: JSONValue?, _ name: String, count: ClosedRange<Int>
    ) throws(AuthenticatorRefusal) -> [UInt8] {
        guard let text = value?.stringValue, let bytes = [UInt8](base64URL: text, accepting: .all) else {
            throw .unreadableOptions("`\(name)` is missing, or is not base64url")
        }
        guard count.contains(bytes.count) else {
            throw .unreadableOptions("`\(name)` has \(bytes.count) bytes")
        }
        return bytes
    }

    func descriptors(_ name: String) throws(AuthenticatorRefusal) -> [[UInt8]] {
        guard case .array(let elements)? = value[name] else { return [] }
        var ids: [[UInt8]] = []
        for element in elements where element["type"]?.stringValue ?? "public-key" == "public-key" {
            ids.append(try bytes(element["id"], name, count: 1...1023))
        }
        return ids
    }
}
