import ClientHTTP
import SecurityChecksWire

/// What an answer of a resource asks for. Source: MobileFirst's web SDK.
enum ResourceReaction: Equatable {
    /// Nothing: it is the app's, be it a success or not.
    case done
    /// The same request once more.
    case conflict
    /// A token for this scope. Where one was shown, it is not enough.
    case token(for: Scope)
    /// Another token in the place of the one that was shown.
    case freshToken

    /// - Parameter headers: names in lower case.
    init(status: Int, headers: [String: String]) {
        let header = headers[HeaderName.authenticate.lowercased()].flatMap(AuthenticateHeader.init)
        switch (status, header) {
        case (409, _) where headers[HeaderName.conflict.lowercased()] != nil: self = .conflict
        case (401, .bearer(error: .invalidToken?, _)?): self = .freshToken
        case (401, .bearer(error: nil, let scope)?): self = .token(for: (scope ?? Scope()).union(.registeredClient))
        case (403, .bearer(error: .insufficientScope?, let scope)?):
            self = .token(for: (scope ?? Scope()).union(.registeredClient))
        default: self = .done
        }
    }
}
