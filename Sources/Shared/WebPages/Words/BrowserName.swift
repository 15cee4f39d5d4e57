/// What a `User-Agent` says of a browser, as people call it: "Firefox on Windows". It is what the browser claims, and good for
/// recognising one's own devices alone.
public struct BrowserName: Sendable, Equatable {
    let browser: String
    let system: String

    /// Names in the order in which they decide: most browsers also name those that they want to be taken for.
    private static let browsers = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("FxiOS/", "Firefox"),
        ("Firefox/", "Firefox"), ("CriOS/", "Chrome"), ("HeadlessChrome/", "Chrome"), ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    ]
    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"), ("Windows", "Windows"),
        ("Macintosh", "macOS"), ("Linux", "Linux"),
    ]

    /// Nil for programs that are no browser, or one that is not known here.
    init?(userAgent: String) {
        guard userAgent.hasPrefix("Mozilla/5.0 ("),
            let browser = Self.browsers.first(where: { userAgent.contains($0.0) })?.1,
            let system = Self.systems.first(where: { userAgent.contains($0.0) })?.1
        else { return nil }
        self.browser = browser
        self.system = system
    }

    /// How pages tell it: by name where it is a known browser, by what it says otherwise.
    public static func text(of userAgent: String?, _ words: Words) -> String {
        guard let userAgent else { return words.plain("unknown") }
        guard let name = BrowserName(userAgent: userAgent) else { return userAgent }
        return words.plain("agentName", ["browser": .words(name.browser), "system": .words(name.system)])
    }
}
