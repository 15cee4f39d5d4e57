import ClientHTTP
import Foundation
import IdentityToolkitWire
import JSON

/// The secret that an authenticator is to be given, and what it must know beside. Source: Firebase API reference for
/// Swift, `TOTPSecret`.
public final class TOTPSecret: NSObject, Sendable {
    private let secretKey: String
    private let hashingAlgorithm: String?
    private let codeLength: Int?
    /// Seconds.
    private let period: Int?
    /// When the enrolment must be finished; nil where the server did not say.
    public let enrollmentCompletionDeadline: Date?
    let sessionInfo: String

    /// Throws `malformedResponse` where secret or session is missing.
    init(_ info: TOTPSessionInfo?) throws {
        guard let secretKey = info?.sharedSecretKey?.nonEmpty, let sessionInfo = info?.sessionInfo?.nonEmpty else {
            throw AuthErrorCode.malformed("The answer lacks the secret or its session.")
        }
        self.secretKey = secretKey
        self.sessionInfo = sessionInfo
        hashingAlgorithm = info?.hashingAlgorithm
        codeLength = info?.verificationCodeLength
        period = info?.periodSec
        enrollmentCompletionDeadline = info?.finalizeEnrollmentTime.flatMap(WireTimestamp.date(from:))
    }

    /// The secret in Base32, for people who type it in.
    public func sharedSecretKey() -> String { secretKey }

    /// The secret as an `otpauth` URL, for a QR code or ``openInOTPApp(withQRCodeURL:)``.
    ///
    /// Unlike the original's it is percent-encoded, so that names with spaces, colons or ampersands arrive as they
    /// are, and names the period where the server did. Empty where the server did not say which algorithm or how many
    /// digits.
    public func generateQRCodeURL(withAccountName accountName: String, issuer: String) -> String {
        guard let hashingAlgorithm = hashingAlgorithm?.nonEmpty, let codeLength, codeLength > 0 else { return "" }
        let label = (issuer.isEmpty ? "" : issuer.percentEncoded + ":") + accountName.percentEncoded
        var items = [("secret", secretKey), ("algorithm", hashingAlgorithm), ("digits", String(codeLength))]
        if !issuer.isEmpty { items.insert(("issuer", issuer), at: 1) }
        if let period, period > 0 { items.append(("period", String(period))) }
        return "otpauth://totp/\(label)?" + items.map { "\($0)=\($1.percentEncoded)" }.joined(separator: "&")
    }

    /// Hands the URL to the system's authenticator app, or to ``opener``. Nothing tells whether there is one; a text
    /// that is no `otpauth` URL is passed over and noted in the log. May be called on any thread.
    public func openInOTPApp(withQRCodeURL qrCodeURL: String) {
        guard let url = URL(string: qrCodeURL), url.scheme?.lowercased() == "otpauth" else {
            notice("openInOTPApp was called with a text that is no otpauth URL.")
            return
        }
        let opener = Self.opener
        DispatchQueue.main.async {
            MainActor.assumeIsolated { opener(url) }
        }
    }

    private static let currentOpener = Locked<@MainActor @Sendable (URL) -> Void>(openBySystem)

    /// What opens an `otpauth` URL. Where there is no system that opens URLs (on Linux), an app puts its own in
    /// place, for instance one that draws a QR code.
    public static var opener: @MainActor @Sendable (URL) -> Void {
        get { currentOpener.current }
        set { currentOpener.withLock { $0 = newValue } }
    }
}
