import CountersignCore
import Foundation
import HTTPTypes
import NativeAuthWire
import Testing

/// An app of the vendor's SDK, as far as the server sees it.
struct NativeClient: Sendable {
    let server: TestServer
    let id: String
    var tenant = "/contoso.onmicrosoft.com"
    /// The correlation id, one for a whole flow; nil sends none.
    var requestID: String? = "0a0a0a0a-1111-4bbb-8222-3c3c3c3c3c3c"
    var from: String?

    static let everything = "oob password redirect"
    static let capabilities = "mfa_required registration_required"
    static let email = "ada@example.org"
    static let password = "analytical engine"

    func post(_ endpoint: Endpoint, _ fields: [String: String?]) async throws -> Reply {
        try await post(endpoint.path, fields)
    }

    func post(_ path: String, _ fields: [String: String?]) async throws -> Reply {
        var fields = fields.compactMapValues { $0 }
        if fields["client_id"] == nil { fields["client_id"] = id }
        return try await send(path, Self.form(fields))
    }

    /// A body as it is.
    func send(_ path: String, _ body: String) async throws -> Reply {
        var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded", .accept: "application/json"]
        // No two requests are of the same instant, or nobody could say which of two mails is the later.
        server.clock.advance(0.001)
        if let requestID { headers[HTTPField.Name(HeaderName.clientRequestID)!] = requestID }
        return try await server.send(.post, tenant + path, headers: headers, body: Array(body.utf8), from: from)
    }

    static func form(_ fields: [String: String]) -> String {
        let plain = CharacterSet.alphanumerics.intersection(CharacterSet(charactersIn: "\u{0}"..."\u{7F}"))
        return fields.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: plain) ?? "")"
        }.joined(separator: "&")
    }

    // MARK: The steps that many tests have

    func initiate(_ email: String = email, types: String = everything) async throws -> Reply {
        try await post(
            .initiate, ["username": email, "challenge_type": types, "capabilities": Self.capabilities])
    }

    /// A sign-in that has come as far as the code, which is empty where none went out.
    func signInByCode(_ email: String = email) async throws -> (token: String, code: String) {
        let begun = try await initiate(email)
        let earlier = try await codes(to: email).count
        let asked = try await post(.challenge, ["continuation_token": begun.token, "challenge_type": Self.everything])
        #expect(asked.json["challenge_type"] == "oob", "\(asked.text)")
        let codes = try await codes(to: email)
        return (asked.token ?? "", codes.count > earlier ? codes.last ?? "" : "")
    }

    func token(_ grant: GrantType, _ fields: [String: String?]) async throws -> Reply {
        let more: [String: String?] = [
            "grant_type": grant.rawValue, "scope": "openid profile offline_access", "client_info": "true",
        ]
        return try await post(.token, more.merging(fields) { $1 })
    }

    /// The codes that went to an address, the newest last.
    func codes(to email: String = email) async throws -> [String] {
        try await server.realm.outbox.messages().filter { $0.message.recipient == email }
            .compactMap { $0.content.values["code"] }
    }
}

extension Reply {
    var token: String? { json["continuation_token"].text }
    var error: String? { json["error"].text }
    var suberror: String? { json["suberror"].text }
    var number: Int? { json["error_codes"][0].int }
}

extension TestServer {
    /// An application with native authentication on.
    func application(
        types: [String] = ["oob", "password", "redirect"], scopes: [String] = ["api"], requiresMFA: Bool = false,
        reveals: Bool = false, attributes: [ApplicationRegistration.Attribute] = []
    ) async throws -> NativeClient {
        let registration = ApplicationRegistration(
            challengeTypes: types, scopes: scopes, attributes: attributes, requiresSecondFactor: requiresMFA,
            revealsAddresses: reveals)
        let added = try #require(await realm.applications.add(registration, by: .testAdministrator))
        return NativeClient(server: self, id: added.id.rawValue)
    }

    @discardableResult
    func account(
        _ email: String = NativeClient.email, password: String? = NativeClient.password, verified: Bool = true,
        profile: UserProfile = UserProfile()
    ) async throws -> User {
        var profile = profile
        profile.emailVerified = verified
        return try await realm.accounts.create(
            email: EmailAddress(email), password: password.map { Secret($0) }, profile: profile,
            by: .testAdministrator
        ).get()
    }
}

extension ClientContext {
    static let testAdministrator = ClientContext(
        clientID: ClientID(rawValue: "test"), dialect: .admin, limitedSource: nil, source: nil)
}

/// Refused, with status 400 and in the dialect's form.
func expectRefused(
    _ reply: Reply, _ error: String, _ suberror: String? = nil, number: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(reply.status == 400, "\(reply.text)", sourceLocation: sourceLocation)
    #expect(reply.error == error && reply.suberror == suberror, "\(reply.text)", sourceLocation: sourceLocation)
    if let number { #expect(reply.number == number, "\(reply.text)", sourceLocation: sourceLocation) }
    for member in ["error_description", "timestamp", "trace_id", "correlation_id"] {
        #expect(reply.json[member].text?.isEmpty == false, "\(member)", sourceLocation: sourceLocation)
    }
    #expect(
        reply.headers[.contentType]?.hasPrefix("application/json") == true, sourceLocation: sourceLocation)
}
