import CLibCrypto
import Crypto
import CryptoExtras
import Foundation
import Synchronization

/// Signs with an RSA key by RSASSA-PKCS1-v1_5 with SHA-256: `RS256` (RFC 7518, section 3.3).
///
/// By the system's OpenSSL where there is one, which takes half of the time of the library that does everything else
/// (docs/decisions/0597); the signatures are the same, bit for bit. The key is opened there when it first signs.
final class RSASigner: Sendable {
    private let key: _RSA.Signing.PrivateKey
    private let system = Mutex(System.unopened)

    /// A key that OpenSSL has opened.
    private final class SystemKey: @unchecked Sendable {
        let pointer: OpaquePointer

        init?(_ der: Data) {
            let opened = der.withUnsafeBytes {
                countersign_rsa_open($0.bindMemory(to: UInt8.self).baseAddress, $0.count)
            }
            guard let opened else { return nil }
            pointer = opened
        }

        deinit { countersign_rsa_close(pointer) }

        func signature(of digest: SHA256.Digest, size: Int) -> Data? {
            var length = size
            let signature = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                let isSigned = digest.withUnsafeBytes {
                    countersign_rsa_sign(
                        pointer, $0.bindMemory(to: UInt8.self).baseAddress, buffer.baseAddress, &length)
                }
                count = isSigned == 1 ? length : 0
            }
            return signature.count == size ? Data(signature) : nil
        }
    }

    private enum System {
        case unopened
        case open(SystemKey)
        case missing
    }

    init(_ key: _RSA.Signing.PrivateKey) { self.key = key }

    /// The signature of the message that has this digest.
    func signature(of digest: SHA256.Digest) throws -> Data {
        if let signature = systemKey?.signature(of: digest, size: size) { return signature }
        return try key.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation
    }

    /// Whether the system's OpenSSL signs.
    var isOfSystem: Bool { systemKey != nil }

    /// Bytes of a signature.
    private var size: Int { (key.keySizeInBits + 7) / 8 }

    private var systemKey: SystemKey? {
        system.withLock { state in
            if case .unopened = state { state = opened() }
            guard case .open(let key) = state else { return nil }
            return key
        }
    }

    /// A library that signs otherwise than it should, by how the system has it set up, does not sign.
    private func opened() -> System {
        let digest = SHA256.hash(data: Data("countersign".utf8))
        guard let own = SystemKey(key.derRepresentation), let signature = own.signature(of: digest, size: size),
            key.publicKey.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest, padding: .insecurePKCS1v1_5)
        else { return .missing }
        return .open(own)
    }
}
