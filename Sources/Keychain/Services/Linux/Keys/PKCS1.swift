#if !canImport(Security)
    import Foundation
    import KeychainTypes
    import SwiftASN1

    /// The shape of RSA keys in PKCS #1 (RFC 8017, A.1): Swift Crypto also reads other wrappings and overlooks bytes at the
    /// end; the functions here take what Apple's take.
    enum PKCS1 {
        /// `RSAPublicKey`: two integers, and nothing after them.
        static func isPublicKey(_ bytes: UnsafeRawBufferPointer) -> Bool { integers(in: bytes) == 2 }

        /// `RSAPrivateKey` of two primes: nine integers, and nothing after them.
        static func isPrivateKey(_ bytes: UnsafeRawBufferPointer) -> Bool { integers(in: bytes) == 9 }

        private static func integers(in bytes: UnsafeRawBufferPointer) -> Int? {
            // Walked by hand for a private key's sake: a parser would copy the bytes to the heap and leave them there.
            var rest = bytes[...]
            guard let body = derElement(0x30, in: &rest), rest.isEmpty else { return nil }
            rest = body
            var count = 0
            while !rest.isEmpty {
                guard let integer = derElement(0x02, in: &rest), !integer.isEmpty else { return nil }
                count += 1
            }
            return count
        }
    }
#endif
