import CountersignCore
import Foundation

/// The hidden field `form_id` of forms that act once: tells a form from every other one, also of the same page (docs/decisions/0582).
///
/// It is when the page was made, 16 random bytes, and a keyed digest of both as ``FormToken`` has it: for one purpose of one session. The
/// server keeps nothing of a form that is not sent.
public struct FormID: Sendable {
    /// The name of the field.
    public static let field = "form_id"

    /// What the field says.
    public let text: String
    /// From when on the form is too old.
    public let expiresAt: Date

    /// A fresh one.
    /// - Parameters:
    ///   - purpose: what the form does.
    ///   - session: the token of the session's cookie.
    public init(for purpose: String, session: Secret<String>, at now: Date, _ random: any RandomSource) {
        let second = Int64(now.timeIntervalSince1970)
        let body = "\(String(second, radix: 36)).\(random.bytes(16).base64URL)"
        text = "\(body).\(FormToken.text(for: Self.purpose(body, purpose), session: session))"
        expiresAt = Self.end(second)
    }

    /// Reads what a form says; nil where this server did not make it for this purpose and this session, or made it too long ago.
    public init?(_ text: String?, for purpose: String, session: Secret<String>?, at now: Date) {
        guard let text, text.utf8.count <= 256 else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let second = Int64(parts[0], radix: 36),
            FormToken.admits(parts[2], for: Self.purpose("\(parts[0]).\(parts[1])", purpose), session: session),
            now < Self.end(second)
        else { return nil }
        self.text = text
        expiresAt = Self.end(second)
    }

    private static func purpose(_ body: String, _ purpose: String) -> String { "once \(body) \(purpose)" }

    private static func end(_ second: Int64) -> Date {
        Date(timeIntervalSince1970: TimeInterval(second)) + SentForms.lifetime
    }
}
