extension ApplicationRegistration {
    /// Whether what users allowed the application could now come to others than before: its answers go to another place, it gets them without
    /// a place, or it no longer proves who it is (docs/decisions/0470). Another secret or other keys of the same application are not that:
    /// answers go where they went.
    public func isInOtherHands(than before: ApplicationRegistration) -> Bool {
        let places = Set(before.redirectURIs.compactMap(Self.place))
        if !Set(redirectURIs.compactMap(Self.place)).isSubset(of: places) { return true }
        if let keys = oauth.jwksURI, keys != before.oauth.jwksURI {
            let known = places.union([before.oauth.jwksURI].compactMap { $0 }.compactMap(Self.place))
            if Self.place(keys).map({ known.contains($0) }) != true { return true }
        }
        // A client that only names its id would pass for it.
        if before.isConfidential, !isConfidential { return true }
        return Self.withoutPlace.contains { oauth.allowsGrant($0) && !before.oauth.allowsGrant($0) }
    }

    /// Whose an address is: scheme, host and port, or a private scheme. Whatever listens on the user's own device is one.
    private static func place(_ address: String) -> String? {
        RedirectURI.isLoopback(address) ? "loopback" : RedirectURI.origin(of: address)
    }

    /// `grant_type`s by which it gets a user's tokens without a redirect.
    private static let withoutPlace = [
        "urn:ietf:params:oauth:grant-type:device_code", "urn:openid:params:grant-type:ciba",
        "urn:okta:params:oauth:grant-type:webauthn",
    ]
}
