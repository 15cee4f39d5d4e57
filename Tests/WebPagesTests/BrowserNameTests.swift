import Testing

@testable import WebPages

@Suite("Names of browsers")
struct BrowserNameTests {
    @Test(arguments: [
        (
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
            "Chrome", "Linux"
        ),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.2903.86",
            "Edge", "Windows"
        ),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0", "Firefox", "Windows"),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.2 Safari/605.1.15",
            "Safari", "macOS"
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/131.0.6778.103 Mobile/15E148 Safari/604.1",
            "Chrome", "iPhone"
        ),
        (
            "Mozilla/5.0 (Linux; Android 14; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36",
            "Chrome", "Android"
        ),
    ])
    func `Browsers are told by their names`(agent: String, browser: String, system: String) {
        let name = BrowserName(userAgent: agent)
        #expect(name?.browser == browser && name?.system == system)
    }

    @Test(arguments: ["", "curl/8.5.0", "Mozilla/5.0", "Mozilla/5.0 (compatible; Thing/1.0)", "Chrome on Linux"])
    func `Programs are told by what they say`(agent: String) {
        #expect(BrowserName(userAgent: agent) == nil)
    }
}
