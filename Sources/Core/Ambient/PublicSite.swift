import Foundation
import Synchronization

/// Where browsers find this server, and what people call it. The composition root says it; where the server turns out to listen elsewhere,
/// the answer changes.
public final class PublicSite: Sendable {
    private struct Facts {
        var name: String?
        var baseURLs: @Sendable () -> [String] = { [] }
        var publicSuffixes = PublicSuffixes { nil }
    }

    private let facts = Mutex(Facts())

    init() {}

    /// - Parameters:
    ///   - name: what pages call the service.
    ///   - baseURLs: `https://login.example.org`, the one of links first; asked each time.
    public func tell(name: String?, baseURLs: @escaping @Sendable () -> [String]) {
        facts.withLock { ($0.name, $0.baseURLs) = (name, baseURLs) }
    }

    /// - Parameter list: the list of public suffixes as it is published (https://publicsuffix.org/list/); nil where there is none. Asked
    ///   for each domain that is new.
    public func tell(publicSuffixes list: @escaping @Sendable () -> Data?) {
        facts.withLock { $0.publicSuffixes = PublicSuffixes(list: list) }
    }

    /// Whether others register names below a domain; false where that is not known.
    func isPublicSuffix(_ domain: String) -> Bool { facts.withLock { $0.publicSuffixes }.contains(domain) }

    var name: String? { facts.withLock { $0.name } }

    /// Empty where nothing was said: in a program that serves nothing.
    public var baseURLs: [String] { facts.withLock { $0.baseURLs }() }
}
