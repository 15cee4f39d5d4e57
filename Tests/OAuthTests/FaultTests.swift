import CoreTestSupport
import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import OAuthServer
import ServerHTTP
import Testing
import WebPages

/// What applications are told where the server itself fails (RFC 6749, section 4.1.2.1).
@Suite("Faults of the server at the authorization endpoint")
struct FaultTests {
    private static let base = "http://localhost"

    /// The authorization endpoint alone, over a store that goes away when the test says so.
    private func stage(
        _ test: @escaping @Sendable (any TestClientProtocol, FaultyStore) async throws -> Void
    ) async throws {
        let faults = FaultyStore(try await TestStore.sqlite.open())
        let realm = try TestRealm.make(keptIn: faults)
        var registration = ApplicationRegistration(redirectURIs: [Browser.callback], scopes: ["openid"])
        registration.oauth = OAuthRegistration(kind: .native)
        let added = try await realm.realm.applications.add(
            id: ClientID(rawValue: "dev-native"), registration, by: realm.client)
        #expect(added != nil)
        let site = try PageSite(addresses: PageAddresses(published: { [Self.base] }, takesLoopback: true))
        let router = Router(context: CountersignRequestContext.self)
        router.add(middleware: FailureMiddleware())
        OAuth(
            realm: realm.realm,
            options: OAuth.Options(publicURLs: { [Self.base] }, isDevelopment: false, site: site)
        ).addPages(to: router)
        try await Application(router: router).test(.router) { try await test($0, faults) }
    }

    private func ask(
        _ client: any TestClientProtocol, _ changes: [String: String?] = [:]
    ) async throws -> (status: Int, location: String) {
        let query = Browser.query(Browser.parameters("dev-native", changes))
        let response = try await client.executeRequest(
            uri: "/authorize?\(query)", method: .get, headers: [:], body: nil)
        return (response.status.code, response.headers[.location] ?? "")
    }

    @Test
    func `A store that takes no writes is told to the application, at its address`() async throws {
        try await stage { client, faults in
            #expect(try await ask(client).location.hasPrefix("/sign-in?flow="))
            for fault in [FaultyStore.Fault.away, .silent] {
                faults.set(fault)
                let reply = try await ask(client)
                #expect(reply.status == 303)
                #expect(
                    reply.location.hasPrefix(Browser.callback + "?error=temporarily_unavailable&"), "\(reply.location)")
                #expect(reply.location.hasSuffix("&state=st%2Fat%2Be%3D%26&iss=http%3A%2F%2Flocalhost"))
                // Nothing is sent to an address that is not the application's.
                let foreign = try await ask(client, ["redirect_uri": "https://evil.example"])
                #expect(foreign == (400, ""))
                faults.set(nil)
            }
            #expect(try await ask(client).location.hasPrefix("/sign-in?flow="))
        }
    }

    @Test(arguments: [
        (StoreError.Code.overloaded, "1"), (.unavailable, "2"), (.outcomeUnknown, "2"), (.readOnly, "10"),
    ])
    func `A browser that comes while nothing can be done gets a page that says so, and a program its words`(
        _ code: StoreError.Code, _ seconds: String
    ) async throws {
        let site = try PageSite(addresses: PageAddresses(published: { [Self.base] }, takesLoopback: true))
        let router = Router(context: CountersignRequestContext.self)
        router.add(middleware: FailureMiddleware { site.format($0, $1, reference: $2) })
        router.get("busy") { _, _ -> Response in throw StoreError(code, "a test") }
        try await Application(router: router).test(.router) { client in
            let page = try await client.executeRequest(
                uri: "/busy", method: .get, headers: [.accept: "text/html"], body: nil)
            #expect(page.status == .serviceUnavailable && page.headers[.retryAfter] == seconds)
            let html = String(buffer: page.body)
            #expect(html.contains("data-page=\"error\"") && html.contains("Try again in a few seconds"), "\(html)")
            let program = try await client.executeRequest(uri: "/busy", method: .get, headers: [:], body: nil)
            #expect(program.status == .serviceUnavailable && program.headers[.retryAfter] == seconds)
            #expect(program.headers[.contentType]?.hasPrefix("application/json") == true)
        }
    }
}
