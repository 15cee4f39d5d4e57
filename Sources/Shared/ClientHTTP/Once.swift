/// Lets something happen once in the life of a process.
package final class Once: Sendable {
    private let hasHappened = Locked(false)

    package init() {}

    /// Runs the body the first time, and never again.
    package func run(_ body: () -> Void) {
        let isFirst = hasHappened.withLock { hasHappened in
            defer { hasHappened = true }
            return !hasHappened
        }
        if isFirst { body() }
    }
}
