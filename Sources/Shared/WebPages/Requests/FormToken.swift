import CountersignCore

/// The hidden field `csrf` of forms: shows that the form is of a page that this browser was given, for this purpose and this attempt.
///
/// HMAC-SHA-256 keyed by the session's cookie where the form is of a signed-in user, by the browser's key otherwise. No other site
/// reads either, so none can make the value.
public enum FormToken {
    private static let purpose = "form"

    /// - Parameters:
    ///   - purpose: what the form does; a token of another form is none.
    ///   - flow: the attempt that the form is about; "" where there is none.
    public static func text(for purpose: String, flow: String, in key: BrowserKey) -> String {
        key.proof(for: Self.purpose, [purpose, flow])
    }

    /// Whether a form's token is of this browser.
    public static func admits(_ token: String?, for purpose: String, flow: String, in key: BrowserKey?) -> Bool {
        guard let token, let key else { return false }
        return key.admits(proof: token, for: Self.purpose, [purpose, flow])
    }

    /// - Parameter session: the token of the session's cookie.
    public static func text(for purpose: String, session: Secret<String>) -> String {
        let key = Sessions.lastingPart(ofBrowser: session)
        return KeyedProof.text(by: Array(key.reveal().utf8), for: "session form", [purpose])
    }

    /// Whether a form's token is of this session.
    public static func admits(_ token: String?, for purpose: String, session: Secret<String>?) -> Bool {
        guard let token, let session else { return false }
        return ConstantTime.equal(Array(token.utf8), Array(text(for: purpose, session: session).utf8))
    }
}
