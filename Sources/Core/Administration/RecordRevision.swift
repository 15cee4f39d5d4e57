import Crypto
import Foundation

/// What a record said when it was read, as a short text. Who changes the record later gives the text back, and nothing is changed where the
/// record says something else by then (as `If-Match` does: RFC 9110, section 13.1.1; docs/decisions/0415).
public enum RecordRevision {
    /// - Parameter value: what the record says to those who administer: without secrets, and without what changes by itself.
    public static func text(of value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return Array(SHA256.hash(data: try encoder.encode(value)).prefix(16)).base64URL
    }
}

extension ApplicationRegistration {
    /// See ``RecordRevision``. Secrets do not count: a caller who sees the text could try which secret makes it.
    public var revision: String {
        get throws {
            var shown = self
            shown.setSecret(nil)
            // When its document was read changes by itself.
            shown.oauth.document = nil
            shown.oauth.updateSelfRegistration { $0.accessTokenDigest = Data() }
            return try RecordRevision.text(of: shown)
        }
    }
}
