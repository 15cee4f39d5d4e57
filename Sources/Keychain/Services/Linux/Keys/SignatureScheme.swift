#if !canImport(Security)
    import Crypto
    import Foundation
    import KeychainTypes

    /// An algorithm's name, taken apart.
    struct SignatureScheme: Hashable, Sendable {
        enum Form: String { case pkcs1 = "PKCS1v15", pss = "PSS", x962 = "X962", rfc4754 = "RFC4754" }
        enum Hash: String { case sha256 = "SHA256", sha384 = "SHA384", sha512 = "SHA512" }

        let form: Form
        let hash: Hash
        /// Whether what is signed is a digest already.
        let takesDigest: Bool

        /// Nil for what is not offered here.
        init?(_ algorithm: SecKeyAlgorithm) {
            let parts = algorithm.name.split(separator: ":").map(String.init)
            guard parts.count >= 5, parts[0] == "algid", parts[1] == "sign" else { return nil }
            let operation = parts[3].split(separator: "-").map(String.init)
            guard operation.count == 2, let form = Form(rawValue: operation[1]), let hash = Hash(rawValue: parts[4]),
                operation[0] == "digest" || operation[0] == "message"
            else { return nil }
            let isRSA = form == .pkcs1 || form == .pss
            guard parts[2] == (isRSA ? "RSA" : "ECDSA") else { return nil }
            self.form = form
            self.hash = hash
            takesDigest = operation[0] == "digest"
        }

        init(_ form: Form, _ hash: Hash, takesDigest: Bool) {
            self.form = form
            self.hash = hash
            self.takesDigest = takesDigest
        }

        var isRSA: Bool { form == .pkcs1 || form == .pss }

        /// Lets `body` work with the digest of `data`, or with `data` as the digest.
        ///
        /// - Throws: `parameter` for a digest of the wrong length.
        func withDigest<Result>(
            of data: Data, _ body: (any Digest) throws(KeychainError) -> Result
        ) throws(KeychainError) -> Result {
            switch hash {
            case .sha256: try body(takesDigest ? try digest(data, as: SHA256.self) : SHA256.hash(data: data))
            case .sha384: try body(takesDigest ? try digest(data, as: SHA384.self) : SHA384.hash(data: data))
            case .sha512: try body(takesDigest ? try digest(data, as: SHA512.self) : SHA512.hash(data: data))
            }
        }

        private func digest<Function: HashFunction>(
            _ data: Data, as function: Function.Type
        ) throws(KeychainError) -> Function.Digest {
            guard data.count == Function.Digest.byteCount else {
                throw .parameter("a \(hash.rawValue) digest has \(Function.Digest.byteCount) bytes, not \(data.count)")
            }
            return Function.Digest(rawBytes: data)
        }
    }

    extension Digest {
        /// A digest from bytes that the caller computed.
        ///
        /// Swift Crypto makes digests by hashing alone, and its RSA takes nothing else. On this system its digests are
        /// structs of these bytes and nothing more; a test holds that against the digests that it makes.
        fileprivate init(rawBytes: Data) {
            precondition(rawBytes.count == MemoryLayout<Self>.size)
            self = withUnsafeTemporaryAllocation(of: Self.self, capacity: 1) { place in
                UnsafeMutableRawBufferPointer(place).copyBytes(from: rawBytes)
                return place[0]
            }
        }
    }
#endif
