import Foundation
import JSON

/// What the header of a proof says once it is read and its key opened.
struct ProofHeader: Sendable {
    let algorithm: StatementAlgorithm
    let key: OpenedSignatureKey
    /// RFC 7638, of the key.
    let thumbprint: String

    /// Reads the JSON of a header (RFC 9449, section 4.2); nil where it is none of a proof.
    init?(json: [UInt8]) {
        guard let header = JWSHeader(json: json), header.typ == "dpop+jwt",
            let algorithm = StatementAlgorithm(name: header.alg), let members = try? JSONParser.parse(json),
            let jwk = members["jwk"], !SignatureKey.isPrivate(jwk),
            let key = try? SignatureKey(jwk: jwk, for: [algorithm]), let opened = OpenedSignatureKey(key)
        else { return nil }
        self.algorithm = algorithm
        self.key = opened
        thumbprint = key.thumbprint
    }
}

/// Headers of proofs that were right, by their text: a client writes the same one before each of its proofs. To read it, open its key
/// and take the thumbprint costs as much as the claims after it.
///
/// The same text always says the same, so that nothing has to be taken out. `Mutex` is of a later iOS than this module's least.
final class KnownProofHeaders: @unchecked Sendable {
    static let shared = KnownProofHeaders()
    /// Headers that are kept, those that came lately, and the bytes that one may have.
    static let capacity = 2048
    static let longest = 1024

    private let lock = NSLock()
    private var headers = RecentEntries<Text, ProofHeader>(bound: KnownProofHeaders.capacity)

    /// A header as it was sent. It is hashed as one piece: a slice of bytes gives the hash one byte after the other.
    private struct Text: Hashable, Sendable {
        let bytes: ArraySlice<UInt8>

        func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
    }

    func header(of text: ArraySlice<UInt8>) -> ProofHeader? {
        lock.withLock { headers.value(of: Text(bytes: text)) }
    }

    func keep(_ header: ProofHeader, of text: ArraySlice<UInt8>) {
        guard text.count <= Self.longest else { return }
        lock.withLock {
            // A copy: the slice would keep the whole proof.
            headers.put(header, for: Text(bytes: Array(text)[...]))
        }
    }

    /// Headers that are kept.
    var count: Int { lock.withLock { headers.count } }
}
