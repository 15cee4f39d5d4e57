import Foundation

@testable import KeychainTPM

/// The same functions over arrays, for tests.
extension TPM {
    func makeSigningKey(_ kind: TPMKeyKind, pin: String) throws(TPMError) -> TPMKeyBlob {
        let pin = Pin(pin)
        return try makeSigningKey(kind, authorization: pin.pointer)
    }

    func sign(_ digest: some Sequence<UInt8>, with key: TPMKeyBlob, pin: String) throws(TPMError) -> TPMSignature {
        let pin = Pin(pin)
        return try sign(digest, with: key, authorization: pin.pointer)
    }

    func seal(_ secret: [UInt8], pin: String) throws(TPMError) -> TPMSealedBlob {
        let pin = Pin(pin)
        let secret = Pin(secret)
        return try seal(secret.pointer, authorization: pin.pointer)
    }

    func unseal(_ blob: TPMSealedBlob, pin: String) throws(TPMError) -> [UInt8] {
        let pin = Pin(pin)
        return try unseal(blob, authorization: pin.pointer) { Array($0) }
    }
}

/// Bytes that stay where they are.
private final class Pin {
    let pointer: UnsafeRawBufferPointer

    convenience init(_ text: String) { self.init(Array(text.utf8)) }

    init(_ bytes: [UInt8]) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        buffer.copyBytes(from: bytes)
        pointer = UnsafeRawBufferPointer(buffer)
    }

    deinit { pointer.deallocate() }
}
