import Synchronization

/// Where browsers find this server, and what people call it. The composition root says it; where the server turns out to listen elsewhere,
/// the answer changes.
public final class PublicSite: Sendable {
    private struct Facts {
        var name: String?
        var baseURLs: @Sendable () -> [String] = { [] }
    }

    private let facts = Mutex(Facts())

    init() {}

    /// - Parameters:
    ///   - name: what pages call the service.
    ///   - baseURLs: `https://login.example.org`, the one of links first; asked each time.
    public func tell(name: String?, baseURLs: @escaping @Sendable () -> [String]) {
        facts.withLock { $0 = Facts(name: name, baseURLs: baseURLs) }
    }

    var name: String? { facts.withLock { $0.name } }

    /// Empty where nothing was said: in a program that serves nothing.
    public var baseURLs: [String] { facts.withLock { $0.baseURLs }() }
}
