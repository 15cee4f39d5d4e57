import CountersignCore

extension SMTPServer {
    /// Whether the server can be reached, encrypts as it should and takes the login; nothing is sent.
    /// - Returns: nil where all is well, else a word as logs have it: `smtp-unknown-host`, `smtp-login-535`, …
    public func greeting(timeout: Int) async -> String? {
        var server = self
        server.timeout = timeout
        let patient = server
        return await withCheckedContinuation { continuation in
            do {
                // libcurl blocks.
                try OwnThread.start("smtp-greeting") {
                    switch SMTPSession(patient)?.greet() {
                    case .delivered: continuation.resume(returning: nil)
                    case .postponed(let reason, _), .refused(let reason): continuation.resume(returning: reason)
                    case nil: continuation.resume(returning: "smtp-setup")
                    }
                }
            } catch {
                continuation.resume(returning: "smtp-setup")
            }
        }
    }
}
