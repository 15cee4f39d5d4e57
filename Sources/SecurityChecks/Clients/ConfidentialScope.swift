/// What confidential clients are registered for: elements, with `*` for anything in them (MobileFirst Foundation,
/// Confidential clients).
package enum ConfidentialScope {
    /// Opens what is known of an installation.
    package static let readClients = "clients:read"
    /// Opens the change of an installation's status.
    package static let changeClients = "clients:modify"
    /// Opens the removal of an installation.
    package static let removeClients = "clients:delete"

    /// Whether a client that is registered for the patterns may have all of the scope.
    package static func covers(_ patterns: Set<String>, _ scope: Set<String>) -> Bool {
        scope.allSatisfy { element in patterns.contains { matches(Array($0.utf8)[...], Array(element.utf8)[...]) } }
    }

    /// Takes time with the product of the lengths at most.
    private static func matches(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
        var (pattern, text) = (pattern, text)
        var retry: (pattern: ArraySlice<UInt8>, text: ArraySlice<UInt8>)?
        while let byte = text.first {
            if pattern.first == UInt8(ascii: "*") {
                pattern = pattern.dropFirst()
                retry = (pattern, text)
            } else if pattern.first == byte {
                pattern = pattern.dropFirst()
                text = text.dropFirst()
            } else if let last = retry {
                text = last.text.dropFirst()
                pattern = last.pattern
                retry = (pattern, text)
            } else {
                return false
            }
        }
        return pattern.allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
