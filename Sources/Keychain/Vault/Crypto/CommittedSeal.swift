import KeychainTypes

/// AES-256-GCM that commits to its key: a sealed text opens under one key only, and a wrong key is distinguished from a
/// damaged text. Layout: commitment (32) ‖ nonce (12) ‖ ciphertext ‖ tag (16).
///
/// Key and commitment are the two halves of HKDF-SHA-256(inputs, salt: empty, info: label ‖ context).
enum CommittedSeal {
    static let overhead = HMACSHA256.size + AESGCM.overhead

    enum Opening {
        case opened(LockedBytes)
        case wrongKey
        /// The key is the right one, and the text or what is authenticated with it was changed.
        case damaged
    }

    static func seal(_ plaintext: LockedBytes, under inputs: [LockedBytes], label: String, context: [UInt8]) -> [UInt8]
    {
        expand(inputs, label, context).withBytes { material in
            let commitment = Array(material[32...])
            let key = UnsafeRawBufferPointer(rebasing: material[..<32])
            return plaintext.withBytes { commitment + AESGCM.seal($0, key: key, authenticating: context) }
        }
    }

    static func open(_ sealed: [UInt8], under inputs: [LockedBytes], label: String, context: [UInt8]) -> Opening {
        guard sealed.count >= overhead else { return .damaged }
        return expand(inputs, label, context).withBytes { material in
            guard Sodium.areEqual(sealed[..<32], UnsafeRawBufferPointer(rebasing: material[32...])) else {
                return .wrongKey
            }
            let key = UnsafeRawBufferPointer(rebasing: material[..<32])
            var isRight = false
            let plaintext = LockedBytes(count: sealed.count - overhead) { output in
                isRight = AESGCM.open(Array(sealed[32...]), key: key, authenticating: context, into: output)
            }
            return isRight ? .opened(plaintext) : .damaged
        }
    }

    private static func expand(_ inputs: [LockedBytes], _ label: String, _ context: [UInt8]) -> LockedBytes {
        HMACSHA256.derive(from: inputs, salt: [], info: Array(label.utf8) + [0] + context, count: 64)
    }
}
