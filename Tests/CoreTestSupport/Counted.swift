import Synchronization

/// How often something was done, by whichever task.
package final class Counted: Sendable {
    private let number = Mutex(0)

    package init() {}

    package func add() { number.withLock { $0 += 1 } }
    package var value: Int { number.withLock { $0 } }
}
