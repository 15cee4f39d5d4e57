import CountersignCore

/// What one client, or one source address, is given in a time.
enum ClientLimits {
    /// Registrations from one source address.
    static let registrations = RateLimit(count: 300, window: 3600)
    /// Authorization codes of one client.
    static let codes = RateLimit(count: 60, window: 60)
    /// Families of refresh tokens that one client begins. Each is a row for thirty days.
    static let refreshFamilies = RateLimit(count: 100, window: 86_400)
}

extension CounterKey {
    static func registrations(from source: String) -> String { "registrations/\(source)" }
    static func codes(of client: RegisteredClientID) -> String { "codes/\(CheckRow.registration(client).hex)" }
    static func refreshFamilies(of client: RegisteredClientID) -> String {
        "refresh-families/\(CheckRow.registration(client).hex)"
    }
}
