import HTTPTypes
import Hummingbird

/// Tells browsers to be careful with our answers.
///
/// All answers: no guessing of content types, no referrer. Pages: nothing is loaded but style sheets and images of our
/// own (and images in the page, which QR codes are), forms go to us, no scripts, and no other page shows ours in a
/// frame. A header that a handler has set is left alone, so a page with a script brings a policy of its own.
public struct SecurityHeadersMiddleware: RouterMiddleware {
    public typealias Context = CountersignRequestContext

    /// What pages may load (Content Security Policy Level 3).
    public static var pagePolicy: String {
        "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; "
            + "frame-ancestors 'none'"
    }

    /// What pages may ask a browser for: passkeys, by themselves alone (Permissions Policy, section 4).
    public static var permissions: String {
        "publickey-credentials-get=(self), publickey-credentials-create=(self), camera=(), microphone=(), geolocation=()"
    }

    private let isOverTLS: Bool

    /// - Parameter isOverTLS: whether clients reach us by TLS alone; browsers are then told to try nothing else for a year
    ///   (RFC 6797).
    public init(isOverTLS: Bool = false) {
        self.isOverTLS = isOverTLS
    }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        protect(&response.headers)
        return response
    }

    /// Adds to an answer's headers what is not there.
    func protect(_ headers: inout HTTPFields) {
        headers.setUnlessThere(.xContentTypeOptions, "nosniff")
        headers.setUnlessThere(.referrerPolicy, "no-referrer")
        if isOverTLS { headers.setUnlessThere(.strictTransportSecurity, "max-age=31536000") }
        guard headers.value(of: .contentType)?.isHTML == true else { return }
        headers.setUnlessThere(.contentSecurityPolicy, Self.pagePolicy)
        headers.setUnlessThere(.xFrameOptions, "DENY")
        headers.setUnlessThere(.crossOriginOpenerPolicy, "same-origin")
        headers.setUnlessThere(.crossOriginResourcePolicy, "same-origin")
        headers.setUnlessThere(.permissionsPolicy, Self.permissions)
    }
}

extension String {
    /// Whether a content type is that of pages, in any case.
    fileprivate var isHTML: Bool {
        utf8.count >= 9 && zip(utf8, "text/html".utf8).allSatisfy { $0 | 0x20 == $1 | 0x20 }
    }
}

extension HTTPFields {
    fileprivate mutating func setUnlessThere(_ name: HTTPField.Name, _ value: String) {
        if !contains(name) { self[name] = value }
    }
}

extension HTTPField.Name {
    /// What a browser tells of the page that a link was on (Referrer Policy, section 8.1).
    public static let referrerPolicy = known("Referrer-Policy")
    /// Whether pages of other origins share a browsing context group with a page (HTML, section 7.1.3).
    public static let crossOriginOpenerPolicy = known("Cross-Origin-Opener-Policy")
    /// Whether pages of other origins may load an answer (Fetch, section 3.7).
    public static let crossOriginResourcePolicy = known("Cross-Origin-Resource-Policy")
    /// What a browser forgets of this server (Clear Site Data, section 3.1).
    public static let clearSiteData = known("Clear-Site-Data")
    /// What a page may ask a browser for.
    public static let permissionsPolicy = known("Permissions-Policy")
    /// Whether a page may be shown in a frame (RFC 7034).
    public static let xFrameOptions = known("X-Frame-Options")
}
