import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import ServerHTTP

@Suite("Who asks")
struct ClientContextTests {
    /// What the core is told of a client.
    private struct Answer: Codable, Equatable {
        var client: String
        var dialect: String
        var limited: String?
        var source: String?
        var revealsAddresses: Bool
        var requiresSecondFactor: Bool
        var locale: String?
        var correlation: String?
    }

    private func application(_ middleware: RequestSourceMiddleware?) -> some ApplicationProtocol {
        let router = Router(context: CountersignRequestContext.self)
        if let middleware { router.add(middleware: middleware) }
        router.get("{who}") { _, context in
            let client = context.client(
                ClientID(rawValue: "app"), of: .guardian, isAdministrator: context.parameters.get("who") == "admin",
                locale: "de", correlationID: "c-1")
            return try Response.json(
                Answer(
                    client: client.clientID.rawValue, dialect: client.dialect.rawValue, limited: client.limitedSource,
                    source: client.source, revealsAddresses: client.revealsAddresses,
                    requiresSecondFactor: client.requiresSecondFactor, locale: client.locale,
                    correlation: client.correlationID))
        }
        return Application(responder: router.buildResponder())
    }

    private func answer(
        _ middleware: RequestSourceMiddleware?, path: String = "/user", headers: HTTPFields = [:],
        live: Bool = false
    ) async throws -> Answer {
        try await application(middleware).test(live ? .live : .router) { client in
            try await client.execute(uri: path, method: .get, headers: headers) { response in
                try JSONDecoder().decode(Answer.self, from: Data(response.body.readableBytesView))
            }
        }
    }

    private let proxied = RequestSource(trustsProxy: true)
    private let direct = RequestSource(trustsProxy: false)

    @Test
    func `A client is its application, its protocol and its address; nothing is lifted for it`() async throws {
        let answer = try await answer(
            RequestSourceMiddleware(proxied), headers: [.xForwardedFor: "2001:db8:1:2:3::7"])
        #expect(
            answer
                == Answer(
                    client: "app", dialect: "guardian", limited: "2001:db8:1:2::/64", source: "2001:db8:1:2:3::7",
                    revealsAddresses: false, requiresSecondFactor: false, locale: "de", correlation: "c-1"))
    }

    @Test
    func `Limits per source apply where no middleware says otherwise`() async throws {
        #expect(try await answer(nil, live: true).limited != nil)
        #expect(try await answer(RequestSourceMiddleware(direct), live: true).limited != nil)
    }

    @Test
    func `This machine is exempt where the server says so, and no client behind a proxy is`() async throws {
        let exempting = try await answer(RequestSourceMiddleware(direct, exemptsLoopback: true), live: true)
        #expect(exempting.limited == nil)
        #expect(["127.0.0.1", "::1"].contains(exempting.source))
        for headers: HTTPFields in [[:], [.xForwardedFor: "127.0.0.1"], [.xForwardedFor: "::1"]] {
            let behind = try await answer(
                RequestSourceMiddleware(proxied, exemptsLoopback: true), headers: headers, live: true)
            #expect(behind.limited != nil, "\(headers)")
        }
        let elsewhere = try await answer(
            RequestSourceMiddleware(proxied, exemptsLoopback: true), headers: [.xForwardedFor: "192.0.2.7"])
        #expect(elsewhere.limited == "192.0.2.7")
    }

    @Test
    func `An administrator is exempt, and in the log with the address`() async throws {
        let answer = try await answer(
            RequestSourceMiddleware(proxied), path: "/admin", headers: [.xForwardedFor: "192.0.2.7"])
        #expect(answer.limited == nil)
        #expect(answer.source == "192.0.2.7")
    }

    @Test(
        arguments: [
            ("Bearer abc", "Bearer", "abc"), ("bearer abc", "Bearer", "abc"), ("BEARER a b", "bearer", "a b"),
            ("Bearer  abc", "Bearer", "abc"), ("Basic eA==", "Basic", "eA=="), ("Basic eA==", "Bearer", nil),
            ("Bearerabc", "Bearer", nil), ("Bearer", "Bearer", nil), ("MFA-DPoP x", "MFA-DPoP", "x"),
            ("", "Bearer", nil), ("abc", "", nil),
        ])
    func `Authorization is read by its scheme, in any case, after spaces`(
        field: String, scheme: String, expected: String?
    ) {
        let head = HTTPRequest(
            method: .get, scheme: nil, authority: nil, path: "/", headerFields: [.authorization: field])
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        #expect(Authorization(of: request).credentials(scheme) == expected)
        #expect(scheme.lowercased() != "bearer" || request.bearerToken?.reveal() == expected)
    }

    @Test(
        arguments: [
            ("de", "de"), ("de-AT", "de-AT"), ("de_AT", "de_AT"), ("zh-Hant-TW", "zh-Hant-TW"), ("es-419", "es-419"),
            ("d", nil), ("", nil), ("de AT", nil), ("de\r\n", nil), ("de\0", nil), ("dé", nil), ("<b>", nil),
            (String(repeating: "a", count: 35), String(repeating: "a", count: 35)),
            (String(repeating: "a", count: 36), nil),
        ])
    func `A language is taken where it looks like a tag`(text: String, tag: String?) {
        #expect(LanguageTag.plain(text) == tag)
    }

    @Test(
        arguments: [
            ("de", "de"), ("de-AT,en;q=0.5", "de-AT"), ("de;q=0.1, en", "de"), (" ja , en", "ja"), ("*", nil),
            ("", nil),
            (",de", nil), ("de_AT", nil), ("x'y", nil),
        ])
    func `The language that a browser names first is taken`(header: String, tag: String?) {
        #expect(LanguageTag.first(of: header) == tag)
    }

    @Test(
        arguments: [
            ("app:secret", "app", ["secret"]), ("a%2Db:s%2Bt", "a-b", ["s+t", "s%2Bt"]),
            ("app:a+b", "app", ["a b", "a+b"]),
            ("app:a+b%3D", "app", ["a b=", "a+b=", "a+b%3D"]), ("app:50%", "app", ["50%"]), ("app:", "app", [""]),
            (":secret", "", ["secret"]), ("app:a:b", "app", ["a:b"]), ("app", nil, []), ("", nil, []),
        ] as [(String, String?, [String])])
    func `Basic credentials are decoded as a form's (RFC 6749, section 2.3.1), and taken as they came`(
        pair: String, id: String?, spellings: [String]
    ) {
        let basic = ClientCredentials.Basic(Secret(Data(pair.utf8).base64EncodedString()))
        #expect(basic?.clientID == id)
        #expect((basic?.spellings ?? []).map { $0.reveal() } == spellings)
    }
}
