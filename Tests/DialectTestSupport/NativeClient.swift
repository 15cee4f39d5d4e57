import CountersignCore
import Foundation
import HTTPTypes
import NativeAuthWire
import ServerHTTP
import Testing

/// An app of the vendor's SDK, as far as the server sees it.
package struct NativeClient: Sendable {
    package let server: TestServer
    package let id: String
    package var tenant = "/contoso.onmicrosoft.com"
    /// The correlation id, one for a whole flow; nil sends none.
    package var requestID: String? = "0a0a0a0a-1111-4bbb-8222-3c3c3c3c3c3c"
    package var from: String?

    package init(server: TestServer, id: String) {
        self.server = server
        self.id = id
    }

    package static let everything = "oob password redirect"
    package static let capabilities = "mfa_required registration_required"
    package static let email = "ada@example.org"
    package static let password = "analytical engine"

    package func post(_ endpoint: Endpoint, _ fields: [String: String?]) async throws -> Reply {
        try await post(endpoint.path, fields)
    }

    package func post(_ path: String, _ fields: [String: String?]) async throws -> Reply {
        var fields = fields.compactMapValues { $0 }
        if fields["client_id"] == nil { fields["client_id"] = id }
        return try await send(path, Self.form(fields))
    }

    /// A body as it is.
    package func send(_ path: String, _ body: String) async throws -> Reply {
        var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded", .accept: "application/json"]
        // No two requests are of the same instant, or the later of two mails would be unknown.
        server.clock.advance(0.001)
        if let requestID { headers[.known(HeaderName.clientRequestID)] = requestID }
        return try await server.send(.post, tenant + path, headers: headers, body: Array(body.utf8), from: from)
    }

    package static func form(_ fields: [String: String]) -> String {
        let plain = CharacterSet.alphanumerics.intersection(CharacterSet(charactersIn: "\u{0}"..."\u{7F}"))
        return fields.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: plain) ?? "")"
        }.joined(separator: "&")
    }

    // MARK: The steps that many tests have

    package func initiate(_ email: String = email, types: String = everything) async throws -> Reply {
        try await post(
            .initiate, ["username": email, "challenge_type": types, "capabilities": Self.capabilities])
    }

    /// A sign-in that has come as far as the code, which is empty where none went out.
    package func signInByCode(_ email: String = email) async throws -> (token: String, code: String) {
        let begun = try await initiate(email)
        let earlier = try await codes(to: email).count
        let asked = try await post(.challenge, ["continuation_token": begun.token, "challenge_type": Self.everything])
        #expect(asked.json["challenge_type"] == "oob", "\(asked.text)")
        let codes = try await codes(to: email)
        return (asked.token ?? "", codes.count > earlier ? codes.last ?? "" : "")
    }

    package func token(_ grant: GrantType, _ fields: [String: String?]) async throws -> Reply {
        let more: [String: String?] = [
            "grant_type": grant.rawValue, "scope": "openid profile offline_access", "client_info": "true",
        ]
        return try await post(.token, more.merging(fields) { $1 })
    }

    /// The codes that went to an address, the newest last.
    package func codes(to email: String = email) async throws -> [String] {
        try await server.realm.outbox.messages().filter { $0.message.recipient == email }
            .compactMap { $0.content.values["code"] }
    }
}

extension Reply {
    package var token: String? { json["continuation_token"].text }
    package var error: String? { json["error"].text }
    package var suberror: String? { json["suberror"].text }
    package var number: Int? { json["error_codes"][0].int }
}

extension TestServer {
    /// An application with native authentication on.
    package func application(
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
    package func account(
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

    /// Writes sessions of a user that no sign-in began, with ids that end in numbers from 1000 on.
    /// - Parameters:
    ///   - age: seconds since the first of them began; each began a second after the one before it.
    ///   - isEnded: whether they were ended at once; otherwise a browser holds them.
    package func addSessions(
        _ count: Int, of user: User, named name: String, age: TimeInterval = 0, isEnded: Bool
    ) async throws {
        let begin = now - age
        try await realm.store.write { transaction in
            guard let user = try transaction.user(user.id) else { return }
            for number in 0..<count {
                let createdAt = begin + TimeInterval(number)
                let id = "\(name)-\(1000 + number)"
                _ = try transaction.insert(
                    CountersignCore.Session(
                        id: SessionID(rawValue: id), userID: user.id, dialect: .oauth, tokenEpoch: user.tokenEpoch,
                        createdAt: createdAt, expiresAt: createdAt + 86_400, revokedAt: isEnded ? createdAt + 1 : nil,
                        proofs: [], browserDigest: isEnded ? nil : Data(id.utf8)))
            }
        }
    }
}

extension ClientContext {
    package static let testAdministrator = ClientContext(
        clientID: ClientID(rawValue: "test"), dialect: .admin, limitedSource: nil, source: nil)
}

/// Refused, with status 400 and in the dialect's form.
package func expectRefused(
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
