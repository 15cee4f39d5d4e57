import Foundation

/// Why an application, an authority or a claims request could not be made.
public enum MSALNativeAuthInternalError: Error, Sendable, Equatable, LocalizedError {
    /// The authority is not an ``MSALCIAMAuthority``.
    case invalidAuthority
    /// The authority's URL names no host by its full name.
    case authorityWithoutHost
    /// The authority is neither reached by `https` nor on this machine.
    case insecureAuthority
    /// A subdomain is made of letters, digits and hyphens.
    case invalidTenantSubdomain
    /// The environment variable `COUNTERSIGN_URL` is no URL.
    case invalidServerURL
    /// A claims request is a JSON object.
    case invalidClaims

    public var errorDescription: String? {
        switch self {
        case .invalidAuthority: "Native authentication needs an MSALCIAMAuthority."
        case .authorityWithoutHost: "The authority's URL names no host by its full name."
        case .insecureAuthority: "An authority is reached by https; by http only on this machine."
        case .invalidTenantSubdomain: "A tenant's subdomain is made of letters, digits and hyphens."
        case .invalidServerURL: "COUNTERSIGN_URL is not a URL."
        case .invalidClaims: "A claims request is a JSON object."
        }
    }
}
