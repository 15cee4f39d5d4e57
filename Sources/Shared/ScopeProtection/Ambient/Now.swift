import Foundation

/// Tells the time; a test, or a server with a clock of its own, gives another than the machine's.
public typealias Now = @Sendable () -> Date

/// The machine's clock.
public let systemNow: Now = { Date() }
