import Foundation
import JSON

/// What an issuer answers about a token (RFC 7662, section 2.2), with what security checks add. Read by what is expected: an answer comes with
/// each request where nothing is used again.
struct IntrospectionAnswer {
    /// What security checks say of the user.
    struct User {
        var id: String?
        var displayName: String?
        var authenticatedAt: Double?
    }

    let isActive: Bool
    var scope: String?
    var subject: String?
    var username: String?
    var clientID: String?
    /// As the issuer wrote it: in seconds, or in milliseconds.
    var expiresAt: Double?
    var authenticationContext: String?
    var authenticatedAt: Double?
    /// One text or several.
    var audiences: Set<String> = []
    /// Of the key that the token is bound to. A binding of another kind cannot be checked here: there is no answer with one.
    var keyThumbprint: String?
    var user = User()

    init(_ body: Data) throws {
        var json = try JSONReader([UInt8](body))
        var isActive: Bool?
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "active": isActive = try json.bool()
            case "scope": scope = try json.optionalString()
            case "sub": subject = try json.optionalString()
            case "username": username = try json.optionalString()
            case "client_id": clientID = try json.optionalString()
            case "exp": expiresAt = try json.optionalNumber()
            case "acr": authenticationContext = try json.optionalString()
            case "auth_time": authenticatedAt = try json.optionalNumber()
            case "aud": audiences = try Self.audiences(&json)
            case "cnf": keyThumbprint = try Self.keyThumbprint(&json)
            case "mfp-user": user = try Self.user(&json)
            default: try json.skip()
            }
        }
        try json.end()
        guard let isActive else { throw json.malformed("no active") }
        self.isActive = isActive
    }

    private static func audiences(_ json: inout JSONReader) throws -> Set<String> {
        if json.isNull() { return [] }
        switch try json.value() {
        case .string(let one): return [one]
        case .array(let several):
            return Set(
                try several.map { audience in
                    guard case .string(let text) = audience else { throw json.malformed("an audience that is no text") }
                    return text
                })
        default: throw json.malformed("neither an audience nor several")
        }
    }

    private static func keyThumbprint(_ json: inout JSONReader) throws -> String? {
        if json.isNull() { return nil }
        var thumbprint: String?
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "jkt": thumbprint = try json.string()
            default: try json.skip()
            }
        }
        guard let thumbprint else { throw json.malformed("a binding to something else than a key") }
        return thumbprint
    }

    private static func user(_ json: inout JSONReader) throws -> User {
        var user = User()
        if json.isNull() { return user }
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "id": user.id = try json.optionalString()
            case "displayName": user.displayName = try json.optionalString()
            case "authenticatedAt": user.authenticatedAt = try json.optionalNumber()
            default: try json.skip()
            }
        }
        return user
    }
}

extension JSONReader {
    fileprivate mutating func optionalString() throws(JSONFault) -> String? { try isNull() ? nil : string() }

    fileprivate mutating func optionalNumber() throws(JSONFault) -> Double? { try isNull() ? nil : number() }
}
