import Foundation
import Passkeys
import Synchronization

/// The domains below which others register names, by a list that the composition root knows to find. The list is read where a domain is
/// asked about, and not kept; what was found of the last domains is.
final class PublicSuffixes: Sendable {
    private static let mostKept = 32

    private let list: @Sendable () -> Data?
    private let known = Mutex<[String: Bool]>([:])

    init(list: @escaping @Sendable () -> Data?) {
        self.list = list
    }

    /// False where there is no list.
    func contains(_ domain: String) -> Bool {
        if let known = known.withLock({ $0[domain] }) { return known }
        // Browsers take it for this machine, and no list knows it.
        let isSuffix = domain != "localhost" && list().map { PublicSuffixList(Array($0)).contains(domain) } == true
        known.withLock { known in
            if known.count >= Self.mostKept { known.removeAll() }
            known[domain] = isSuffix
        }
        return isSuffix
    }
}
