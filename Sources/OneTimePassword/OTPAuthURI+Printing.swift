import JSON

extension OTPAuthURI {
    /// The URI itself, **with the secret**: for a QR code or a link on the user's own screen, not for logs.
    ///
    /// `otpauth://totp/Issuer:account?secret=…&issuer=…&algorithm=SHA1&digits=6&period=30`, and then the extra
    /// parameters. All parameters are written, defaults too, for authenticators differ in what they assume.
    /// Everything but the unreserved characters of RFC 3986 is percent-encoded; the only colon in the label is the
    /// one between issuer and account.
    public var uriString: String {
        let type: String
        let moving: (name: String, value: String)
        switch kind {
        case .totp(let period): (type, moving) = ("totp", ("period", String(period)))
        case .hotp(let counter): (type, moving) = ("hotp", ("counter", String(counter)))
        }

        var parameters = [("secret", Base32.encode(secret))]
        if let issuer { parameters.append(("issuer", issuer)) }
        parameters += [("algorithm", algorithm.rawValue), ("digits", String(digits)), moving]
        parameters += extraParameters.map { ($0.name, $0.value) }

        let query = parameters.map { $0.percentEncoded + "=" + $1.percentEncoded }
        return "otpauth://\(type)/\(label)?" + query.joined(separator: "&")
    }

    private var label: String {
        let account = accountName.percentEncoded
        if let issuer { return issuer.percentEncoded + ":" + account }
        // Readers take the first `%3A` for the separator, so an account name with a colon needs a real one before it.
        return accountName.utf8.contains(UInt8(ascii: ":")) ? ":" + account : account
    }
}
