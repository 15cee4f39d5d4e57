import Foundation
import JSON

/// What the QR code of an enrolment says (auth0-guardian.js, `enrollment_uri_helper.js`).
public struct EnrollmentURI: Sendable, Equatable {
    public var issuer: String
    public var account: String?
    /// The ticket.
    public var transactionID: String
    /// The device account that will have enrolled.
    public var id: String?
    public var baseURL: String?
    /// Base32; nil where the device learns it when it enrols.
    public var secret: String?

    public init(
        issuer: String, account: String?, transactionID: String, id: String? = nil, baseURL: String? = nil,
        secret: String? = nil
    ) {
        self.issuer = issuer
        self.account = account
        self.transactionID = transactionID
        self.id = id
        self.baseURL = baseURL
        self.secret = secret
    }

    /// In the order of the vendor's own.
    public var text: String {
        var label = issuer.percentEncoded
        if let account { label += ":" + account.percentEncoded }
        let items: [(String, String?)] = [
            ("secret", secret), ("enrollment_tx_id", transactionID), ("issuer", issuer), ("id", id),
            ("base_url", baseURL), ("algorithm", "sha1"), ("digits", "6"), ("counter", "0"), ("period", "30"),
        ]
        let query = items.compactMap { name, value in value.map { "\(name)=\($0.percentEncoded)" } }
        return "otpauth://totp/\(label)?" + query.joined(separator: "&")
    }

    /// What a URI says; nil where it is no enrolment. The scheme is exactly `otpauth`, the kind `totp` in any case, and the
    /// last of two members of one name counts, as with Guardian.swift.
    public init?(_ text: String) {
        guard let components = URLComponents(string: text), components.scheme == "otpauth",
            components.host?.lowercased() == "totp"
        else { return nil }
        let items = Dictionary(
            (components.queryItems ?? []).map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
        guard let transactionID = items["enrollment_tx_id"] ?? nil, !transactionID.isEmpty else { return nil }
        let label = components.path.drop { $0 == "/" }.split(separator: ":", maxSplits: 1).map(String.init)
        issuer = (items["issuer"] ?? nil) ?? label.first ?? ""
        account = label.count > 1 ? label[1] : nil
        self.transactionID = transactionID
        id = items["id"] ?? nil
        baseURL = items["base_url"] ?? nil
        secret = items["secret"] ?? nil
    }
}
