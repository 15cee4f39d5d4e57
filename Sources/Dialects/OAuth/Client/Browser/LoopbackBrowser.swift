#if os(Linux) || os(macOS)
    import Foundation

    /// The user's own browser, which brings the answer to a port of this machine (RFC 8252, section 7.3).
    ///
    /// The port is free, is open on 127.0.0.1 alone and only until the answer is there, and answers one path. The address is given to
    /// a function as well, so that a user can open it elsewhere on this machine.
    public struct LoopbackBrowser: AuthorizationBrowser {
        private let path: String
        private let timeout: TimeInterval
        private let show: @Sendable (URL) -> Void

        /// - Parameters:
        ///   - path: as registered: `/callback` for `http://127.0.0.1/callback`.
        ///   - timeout: seconds for the user to sign in.
        ///   - show: opens the address, or prints it. ``open(_:)`` opens the system's browser.
        public init(
            path: String = "/callback", timeout: TimeInterval = 300,
            show: @escaping @Sendable (URL) -> Void = { _ = LoopbackBrowser.open($0) }
        ) {
            self.path = path
            self.timeout = timeout
            self.show = show
        }

        public func authorize(
            _ begin: @Sendable (_ redirectURI: String) async throws -> AuthorizationPage
        ) async throws -> URL {
            let listener = try LoopbackListener(path: path)
            defer { listener.close() }
            let page = try await begin(listener.address)
            show(page.url)
            return try await listener.answer(to: page, within: timeout)
        }

        /// Opens an address in the system's browser, by `xdg-open` or `open`.
        /// - Returns: whether there is a program for it.
        public static func open(_ url: URL) -> Bool {
            guard url.scheme == "https" || url.scheme == "http" else { return false }
            #if os(macOS)
                let programs = ["/usr/bin/open"]
            #else
                let environment = ProcessInfo.processInfo.environment
                // Without a screen xdg-open falls back to browsers for terminals, which would take this one.
                guard ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"].contains(where: { environment[$0]?.isEmpty == false })
                else { return false }
                let programs = (environment["PATH"] ?? "/usr/bin").split(separator: ":").map { "\($0)/xdg-open" }
            #endif
            guard let program = programs.first(where: FileManager.default.isExecutableFile) else { return false }
            let process = Process()
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = [url.absoluteString]
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            do { try process.run() } catch { return false }
            return true
        }
    }
#endif
