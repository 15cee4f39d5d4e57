import JSON
import PasskeyTestSupport
import Passkeys
import Testing

@Suite struct OriginTests {
    @Test(arguments: [
        "http://login.example.org", "https://login.example.org:443", "https://login.example.org:8443",
        "https://Login.example.org", "HTTPS://login.example.org", "https://login.example.org.",
        "https://login.example.org/", "https://a.login.example.org", "https://example.org",
        "https://xlogin.example.org",
        "https://ada@login.example.org", "https://login.example.org@evil.example",
        "https://login.example.org.evil.example",
        // A small Cyrillic o, as the letter and as its A-label.
        "https://l\u{43E}gin.example.org", "https://xn--lgin-5be.example.org", "null", "", " https://login.example.org",
        "https://login.example.org ", "https://login.example.org#", "https://login.example.org\u{0}",
    ])
    func `an origin that is not the one, byte for byte, is refused: CVE-2026-30964`(origin: String) throws {
        var site = try Site()
        let record = try site.register().credential
        site.authenticator.origin = origin
        #expect(throws: PasskeyFault.originNotAllowed) { try site.register() }
        #expect(throws: PasskeyFault.originNotAllowed) { try site.signIn(with: record) }
    }

    @Test func `letters that are equal in another spelling are another origin`() throws {
        // `String` takes é and e with an accent for equal.
        var site = try Site()
        site.authenticator.origin = "android:apk-key-hash:e\u{301}"
        #expect(throws: PasskeyFault.originNotAllowed) { try site.register() }
    }

    @Test func `each of several origins may call, apps and related sites among them`() throws {
        let app = "android:apk-key-hash:" + [UInt8](repeating: 7, count: 32).base64URL
        var site = try Site(origins: ["https://example.org", "https://login.example.org:8443", app])
        site.party = try RelyingParty(
            id: "example.org", name: "Example", origins: Array(site.party.origins),
            relatedOrigins: ["https://example.de"])
        for origin in ["https://example.org", "https://login.example.org:8443", app, "https://example.de"] {
            site.authenticator.origin = origin
            try site.signIn(with: site.register().credential)
        }
        site.authenticator.origin = "https://login.example.org"
        #expect(throws: PasskeyFault.originNotAllowed) { try site.register() }
    }

    @Test(arguments: [
        "", "org", "EXAMPLE.org", "example.org.", ".example.org", "exa mple.org", "127.0.0.1", "[::1]", "1.2", "-a.org",
        "a-.org", "ex\u{E4}mple.org", "example.org:443", String(repeating: "a", count: 64) + ".org",
    ])
    func `what is no domain cannot be a relying party's id`(id: String) {
        #expect(throws: RelyingPartyFault.notADomain(id)) { try RelyingParty(id: id, name: "", origins: []) }
    }

    @Test(arguments: [
        "http://example.org", "https://example.org/", "https://example.org:443", "https://example.org:0443",
        "https://example.org:", "https://example.org:70000", "https://EXAMPLE.org", "example.org", "null", "*",
        "https://*.example.org", "https://1.2.3.4", "android:apk-key-hash:AAAA",
    ])
    func `what browsers never send cannot be an origin`(origin: String) {
        #expect(throws: RelyingPartyFault.notAnOrigin(origin)) {
            try RelyingParty(id: "example.org", name: "", origins: [origin])
        }
    }

    @Test func `origins of other domains have to be related ones`() throws {
        let fault = RelyingPartyFault.notBelow(id: "example.org", origin: "https://notexample.org")
        #expect(throws: fault) { try RelyingParty(id: "example.org", name: "", origins: ["https://notexample.org"]) }
        _ = try RelyingParty(
            id: "example.org", name: "", origins: [], relatedOrigins: ["https://notexample.org"])
    }

    @Test func `localhost may have http and any port`() throws {
        let party = try RelyingParty(
            id: "localhost", name: "", origins: ["http://localhost:8080", "http://app.localhost:3000"])
        #expect(party.origins.count == 2)
    }
}
