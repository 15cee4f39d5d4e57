import Testing

@testable import CountersignCore

@Suite("Where links lead on to")
struct LinkTargetsTests {
    private func targets(_ domains: [String]?, loopback: Bool = false) -> LinkTargets {
        var settings = LinkSettings()
        settings.authorizedDomains = domains
        return LinkTargets(settings, publicURLs: ["https://login.example.com:8443/base"], allowsLoopback: loopback)
    }

    @Test(
        arguments: [
            "https://login.example.com", "https://login.example.com/", "http://login.example.com:1/x?y=https://evil#z",
            "https://app.example.org/a", "HTTPS://APP.Example.ORG", "https://a.b.example.net/x",
            "https://[2001:db8::1]:8/x",
        ])
    func `The server's own hosts and those that the operator named are good, whatever the port and the path`(
        url: String
    ) {
        #expect(targets(["app.example.org", "*.example.net", "[2001:db8::1]"]).fault(of: url) == nil)
    }

    @Test(
        arguments: [
            "https://evil.example", "https://example.com", "https://app.example.org.evil.example",
            "https://xapp.example.org", "https://sub.app.example.org", "https://example.net", "https://evilexample.net",
            "https://app.example.org.", "http://localhost:3000", "http://127.0.0.1", "http://[::1]/",
            "https://evil.example/app.example.org", "https://evil.example?app.example.org",
            "https://evil.example#@app.example.org", "https://xn--pp-eka.example.org",
        ])
    func `Every other host is refused, however much it looks like one of them`(url: String) {
        let fault = targets(["app.example.org", "*.example.net"]).fault(of: url)
        #expect(fault == (url == "https://app.example.org." ? .malformed : .unauthorized))
    }

    @Test(
        arguments: [
            "", "app.example.org", "//app.example.org", "/path", "javascript:alert(1)",
            "javascript://app.example.org/%0aalert(1)",
            "data:text/html,x", "ftp://app.example.org", "https:app.example.org", "https:/app.example.org", "https://",
            "https:///app.example.org", "https://evil@app.example.org", "https://app.example.org@evil.example",
            "https://app.example.org:80@evil.example", "https://evil.example\\@app.example.org",
            "https://app.example.org\\.evil.example", "https://app.example.org:", "https://app.example.org:123456",
            "https://app.example.org:8x", " https://app.example.org", "https://app.example.org ",
            "https://app.exa mple.org",
            "https://app.example.org\u{0}", "https://app.example.org\n", "https://äpp.example.org",
            "https://app%2eexample.org", "https://app.example.org%00.evil.example", "https://-a.example.org",
            "https://a..b",
            "https://[::1", "https://]", "https://app.example.org]",
            "https://app.example.org/" + String(repeating: "a", count: 4096),
        ])
    func `What two readers could read differently is no URL`(url: String) {
        // One empty port is what RFC 3986 allows and browsers drop; it is harmless.
        if url == "https://app.example.org:" {
            #expect(targets(["app.example.org"]).fault(of: url) == nil)
        } else {
            #expect(targets(["app.example.org", "*.evil.example"]).fault(of: url) == .malformed, "\(url)")
        }
    }

    @Test
    func `Loopback is good under --dev alone`() {
        for url in ["http://localhost:3000/x", "http://127.0.0.1:8080", "http://[::1]"] {
            #expect(targets(nil, loopback: true).fault(of: url) == nil)
            #expect(targets(nil).fault(of: url) == .unauthorized)
        }
        #expect(targets(nil, loopback: true).fault(of: "http://127.0.0.2") == .unauthorized)
    }

    @Test(
        arguments: [
            ("example.com", true), ("*.example.com", true), ("localhost", true), ("127.0.0.1", true), ("[::1]", true),
            ("", false), ("*", false), ("*.", false), ("*.*.com", false), ("a.*.com", false),
            ("https://example.com", false),
            ("example.com:80", false), ("example.com/", false), ("exa mple.com", false), ("example.com.", false),
            ("ex_ample.com", false), ("é.com", false), ("[]", false), ("[x]", false),
        ])
    func `A setting takes host names and nothing else`(text: String, isDomain: Bool) {
        #expect(LinkSettings.isDomain(text) == isDomain)
    }
}
