import Foundation

/// How long a refresh may be repeated.
///
/// The answer to a trade can be lost on the way; and a database that hangs in the commit makes the server answer 503
/// with `Retry-After` though the trade is done afterwards. A client that repeats the refresh then must not be taken for
/// a thief. The token before the present one is therefore answered with the same successor until that successor was
/// used, and for a minute at most; what comes later is a theft (RFC 9700, section 4.14.2).
public enum RefreshGrace {
    /// Seconds, where a protocol says nothing else, by the clock that all servers on the store share (`StoreTransaction.sharedTime(_:)`).
    public static let seconds: TimeInterval = 60

    /// - Parameters:
    ///   - now: by the shared clock.
    ///   - rotation: when the successor was made; nil where there is none.
    package static func covers(_ now: Date, since rotation: Date?, for grace: TimeInterval = seconds) -> Bool {
        rotation.map { now < $0 + grace } ?? false
    }
}
