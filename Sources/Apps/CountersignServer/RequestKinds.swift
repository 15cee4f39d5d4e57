import CountersignCore

/// With which others the durations of a route are shown to people.
enum RequestKinds {
    /// - Parameter route: as the router has it, with its parameters unfilled.
    /// - Returns: nil for what says nothing about how the server fares: requests that wait until something happens, files, what machines ask
    ///   every few seconds, and what no route answers.
    static func kind(of route: String) -> RequestDurations.Kind? {
        let parts = route.split(separator: "/").map(String.init)
        guard let first = parts.first else { return route == "/" ? .pages : nil }
        if parts.last == "wait" || parts.last == "notifications" { return nil }
        switch first {
        case "health", "metrics", ".well-known", "assets", "dev", "emulator", "openapi.json", "Unknown", "NotFound":
            return nil
        case "admin": return .administration
        case "account": return parts.dropFirst().first == "v1" ? .applications : .pages
        case "api": return parts.dropFirst().first == "v2" ? .administration : .applications
        case "console", "sign-in", "sign-up", "sign-out", "signed-out", "activate", "owner", "forgot", "reset", "auth",
            "guardian":
            return .pages
        default: return .applications
        }
    }
}
