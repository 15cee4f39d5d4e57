#if os(iOS) || os(macOS) || os(visionOS)
    import AuthenticationServices
    import ClientHTTP
    import Foundation

    /// The system's own browser in a sheet (`ASWebAuthenticationSession`): the app sees neither the pages nor what is typed
    /// (RFC 8252, section 8.12).
    ///
    ///     let browser = try WebAuthenticationBrowser(redirectURI: "org.example.notes:/callback", anchor: window)
    ///     let user = try await session.signIn(by: browser)
    ///
    /// Register the application with the kind `native` and that redirect URI; the scheme needs no entry in `Info.plist`. It throws
    /// ``ClientFailure``: `cancelled` where the user closes the sheet, `noBrowser` where the system shows none.
    @MainActor
    public final class WebAuthenticationBrowser: NSObject, AuthorizationBrowser,
        ASWebAuthenticationPresentationContextProviding
    {
        private let redirectURI: String
        private let scheme: String
        private let isEphemeral: Bool
        private let anchor: ASPresentationAnchor
        /// The one that is shown; the system does not keep it.
        private var session: ASWebAuthenticationSession?

        /// - Parameters:
        ///   - redirectURI: as registered, with a scheme of the app's own with a dot in it, such as `org.example.app:/callback`.
        ///   - isEphemeral: whether the browser forgets the sign-in afterwards, so that other apps have none of it.
        ///   - anchor: the window that the sheet belongs to.
        /// - Throws: ``ClientFailure`` with the code `unsupported`, where the scheme has no dot (RFC 8252, section 7.1).
        public init(redirectURI: String, isEphemeral: Bool = false, anchor: ASPresentationAnchor) throws {
            guard let scheme = URL(string: redirectURI)?.scheme, scheme.contains(".") else {
                throw ClientFailure(.unsupported, "\(redirectURI) has no scheme of the app's own with a dot in it.")
            }
            self.redirectURI = redirectURI
            self.scheme = scheme
            self.isEphemeral = isEphemeral
            self.anchor = anchor
        }

        public func authorize(
            _ begin: @Sendable (_ redirectURI: String) async throws -> AuthorizationPage
        ) async throws -> URL {
            let page = try await begin(redirectURI)
            defer { session = nil }
            return try await withCheckedThrowingContinuation { continuation in
                // The system may say that it cannot start, and call back all the same.
                let once = Once()
                let session = ASWebAuthenticationSession(url: page.url, callbackURLScheme: scheme) { url, error in
                    once.run {
                        if let url { return continuation.resume(returning: url) }
                        let isCancelled = (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin
                        continuation.resume(
                            throwing: ClientFailure(
                                isCancelled ? .cancelled : .noBrowser,
                                isCancelled ? "The user closed the browser." : "The browser cannot be shown.",
                                underlying: error))
                    }
                }
                session.presentationContextProvider = self
                session.prefersEphemeralWebBrowserSession = isEphemeral
                self.session = session
                guard !session.start() else { return }
                once.run {
                    continuation.resume(throwing: ClientFailure(.noBrowser, "The browser cannot be shown."))
                }
            }
        }

        public nonisolated func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor {
            MainActor.assumeIsolated { anchor }
        }
    }
#endif
