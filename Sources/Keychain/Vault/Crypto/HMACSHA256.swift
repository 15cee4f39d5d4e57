import CSodium
import KeychainTypes

/// HMAC-SHA-256 (RFC 2104) and HKDF (RFC 5869) over it, whose pads and states stay in locked memory.
///
/// swift-crypto's leave the padded key in an ordinary array that is never wiped (docs/vault-format.md, "Primitives").
enum HMACSHA256 {
    static let size = 32

    /// A tag of bytes that are not secret under a key that is.
    static func tag(key: LockedBytes, _ parts: [UInt8]...) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
            key.withBytes { key in
                compute(
                    key: key, into: buffer.start,
                    { add in for part in parts { part.withUnsafeBytes { add($0) } } })
            }
            initialized = size
        }
    }

    /// HKDF with `inputs` one after the other as input key material. All inputs here have a fixed length, so that their
    /// ends are unambiguous.
    ///
    /// - Parameter count: 1…64 bytes.
    static func derive(from inputs: [LockedBytes], salt: [UInt8], info: [UInt8], count: Int = 32) -> LockedBytes {
        precondition((1...64).contains(count))
        return LockedBytes(count: count) { output in
            PrimitiveScratch.withBlock { scratch in
                let pseudorandomKey = UnsafeMutableRawBufferPointer(start: scratch, count: size)
                let block = scratch + size
                salt.withUnsafeBytes { salt in
                    compute(key: salt, into: pseudorandomKey.start.assumingMemoryBound(to: UInt8.self)) { add in
                        for input in inputs { input.withBytes { add($0) } }
                    }
                }
                var written = 0
                var counter: UInt8 = 1
                while written < count {
                    let previous = UnsafeRawBufferPointer(start: block, count: written == 0 ? 0 : size)
                    compute(
                        key: UnsafeRawBufferPointer(pseudorandomKey),
                        into: (block + size).assumingMemoryBound(to: UInt8.self)
                    ) { add in
                        add(previous)
                        info.withUnsafeBytes { add($0) }
                        withUnsafeBytes(of: counter) { add($0) }
                    }
                    block.copyMemory(from: block + size, byteCount: size)
                    let part = min(size, count - written)
                    (output.start + written).copyMemory(from: block, byteCount: part)
                    written += part
                    counter += 1
                }
            }
        }
    }

    /// Runs the hash over whatever `feed` adds, and writes 32 bytes to `output`.
    static func compute(
        key: UnsafeRawBufferPointer, into output: UnsafeMutablePointer<UInt8>,
        _ feed: ((UnsafeRawBufferPointer) -> Void) -> Void
    ) {
        PrimitiveScratch.withBlock { scratch in
            let state = scratch.assumingMemoryBound(to: crypto_auth_hmacsha256_state.self)
            let nothing: UInt8 = 0
            withUnsafePointer(to: nothing) { nothing in
                let keyStart = key.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? nothing
                crypto_auth_hmacsha256_init(state, keyStart, key.count)
            }
            feed { part in
                guard let start = part.baseAddress, part.count > 0 else { return }
                crypto_auth_hmacsha256_update(state, start.assumingMemoryBound(to: UInt8.self), UInt64(part.count))
            }
            crypto_auth_hmacsha256_final(state, output)
        }
        Sodium.wipeStack(4 << 10)
    }
}
